/* Reads what stands in headers of functions of Lua: the buffers that they read and write. */
#include "isa/text_reader.h"
#include <string.h>

/* The number of the argument whose register the token names; -1: it names none. */
static int argument_of_token(Reader *r, const Function *f, const Token *t)
{
	int id = edit_find_reg(&r->edit, t->s, t->n);
	for (int k = 0; k < f->arg.n; k++)
		if (f->arg.v[k] == id)
			return k;
	return -1;
}

static bool add_touch(Reader *r, Function *f, const Token *at, LuaTouch x)
{
	int k = 0;
	while (k < f->touch.n && f->touch.v[k].arg < x.arg)
		k++;
	if (k == f->touch.n || f->touch.v[k].arg != x.arg) {
		vec_push(&f->touch, x);
		memmove(f->touch.v + k + 1, f->touch.v + k, sizeof x * (size_t)(f->touch.n - 1 - k));
		f->touch.v[k] = x;
		return true;
	}
	LuaTouch *old = &f->touch.v[k];
	if (old->type != x.type || (old->reads && x.reads) || (old->writes && x.writes))
		return rd_fail(r, at, "%.*s stands there already%s; expected each buffer once, and read and "
			"written as one type", (int)(at->n > 60 ? 60 : at->n), at->s,
			old->type != x.type ? " with another type" : "");
	old->reads |= x.reads;
	old->writes |= x.writes;
	return true;
}

bool rd_touched(Reader *r, Function *f)
{
	bool writes = rd_word(r, "writes");
	rd_next(r);
	if (!rd_expect(r, '(', "'(' and the buffers"))
		return false;
	do {
		Type t = rd_type(r);
		Token at = r->tok;
		if (!t || !rd_expect(r, TK_REG, "an argument"))
			return false;
		int k = argument_of_token(r, f, &at);
		if (k < 0)
			return rd_fail(r, &at, "expected an argument of %.100s, found %.*s", f->name,
				(int)(at.n > 60 ? 60 : at.n), at.s);
		if (!add_touch(r, f, &at, (LuaTouch){ k, (uint8_t)t, !writes, writes }))
			return false;
	} while (rd_accept(r, ','));
	return rd_expect(r, ')', "',' or ')'");
}
