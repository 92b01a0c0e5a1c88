/* Words of PTX that somebody who knows it may write in the text form, and what is to be written here instead:
   for error messages only. */
#include "isa/text_reader.h"
#include "isa/mnemonic.h"
#include <string.h>

/* PTX's directives, in the order in which they are looked for. */
static const struct Directive { const char *name, *here; } directives[] = {
	{ "reg", "a destination declares its register, or write: reg u32 %a, %b" },
	{ "param", "parameters stand in the kernel's header: kernel k(u64 out, u32 n); results and arguments "
		"of a call: (%r) = call f, (%a)" },
	{ "visible", "write: kernel k(u64 out, u32 n)" }, { "weak", "write: kernel k(u64 out, u32 n)" },
	{ "entry", "write: kernel k(u64 out, u32 n)" }, { "func", "write: func f(u32 %a) -> (u32 %r)" },
	{ "extern", "write: extern func f(u32 %a), extern shared b8 x[]" },
	{ "shared", "write: shared f32 x[32]" },
	{ "global", "write: global f32 x[32]" }, { "const", "write: const f32 x[32]" },
	{ "local", "write: local f32 x[32]" },
	{ "align", "write it behind the name: shared b8 x[64] align 16" },
	{ "maxntid", "write behind the kernel's header: maxntid(256, 1, 1)" },
	{ "reqntid", "write behind the kernel's header: reqntid(256, 1, 1)" },
	{ "minnctapersm", "write behind the kernel's header: minnctapersm(2)" },
	{ "branchtargets", "write the targets behind brx: brx %i, [A, B]" },
	{ "calltargets", "a call through a register needs no list: (%r) = call %f, (%a)" },
	{ "callprototype", "a call through a register needs no prototype: (%r) = call %f, (%a)" },
	{ "loc", "write behind the instruction: !loc 1:12:5" }, { "file", "write: file 1 \"name\"" },
	{ "version", "PTX begins with it, and is read as PTX where it stands first" },
	{ "target", "PTX begins with .version, and is read as PTX where that stands first" },
	{ "address_size", "PTX begins with .version, and is read as PTX where that stands first" },
	{ "pragma", "leave it out" }, { "section", "leave it out" }, { NULL, NULL }
};

void habit_dot(const char *s, size_t n, StrBuf *out)
{
	int shown = n > 40 ? 40 : (int)n;
	if (type_lookup(s, n) != T_NONE) {
		sb_printf(out, "'.%.*s': a type has no '.' in front of it here; write: %.*s", shown, s, shown,
			s);
		return;
	}
	for (const struct Directive *d = directives; d->name; d++)
		if (strlen(d->name) == n && !memcmp(d->name, s, n)) {
			sb_printf(out, "'.%s' is PTX; %s", d->name, d->here);
			return;
		}
	if (n && *s >= '0' && *s <= '9')
		sb_printf(out, "'.%.*s': a number begins with a digit; write: 0.%.*s", shown, s, shown, s);
	else
		sb_printf(out, "'.%.*s': nothing begins with '.' here; PTX's directives have other forms",
			shown, s);
}

/* ---- instructions ---- */

const char *habit_mnemonic(const char *s, size_t n)
{
	static const char *const spelt[][2] = { { "brx.idx", "brx %i, [A, B]" }, { "barrier", "bar.sync 0" },
		{ "__syncthreads", "bar.sync 0" } };
	for (size_t k = 0; k < sizeof spelt / sizeof *spelt; k++) {
		size_t length = strlen(spelt[k][0]);
		if (n >= length && !memcmp(s, spelt[k][0], length) && (n == length || s[length] == '.'))
			return spelt[k][1];
	}
	return NULL;
}

/* The operands of an instruction in its line: where they end, the comma behind the first one (NULL: none),
   and how many there are. */
typedef struct OperandSpan { const char *end, *comma; int n; } OperandSpan;

static bool ends_operands(const char *s, const char *end)
{
	int next = s + 1 < end ? (unsigned char)s[1] : 0;
	return (*s != '\t' && (*s < 32 || *s > 126)) || *s == ';' ||
		(*s == '/' && (next == '/' || next == '*')) ||
		(*s == '!' && (unsigned)(next | 32) - 'a' < 26u);
}

static OperandSpan scan_operands(const char *s, const char *end)
{
	OperandSpan o = { s, NULL, 1 };
	int depth = 0;
	for (; s < end && !ends_operands(s, end); s++) {
		if (*s == '(' || *s == '[' || *s == '{')
			depth++;
		else if ((*s == ')' || *s == ']' || *s == '}') && --depth < 0)
			break;
		else if (*s == ',' && !depth && o.n++ == 1)
			o.comma = s;
		if (*s != ' ' && *s != '\t')
			o.end = s + 1;
	}
	return o;
}

/* How many sources the operation needs at least; -1: it takes any number. */
static int least_sources(const Ins *i)
{
	int n = 0;
	for (const char *s = strchr(op_info[i->op].operands, ':') + 1; *s; s++)
		n += s[1] != '?' && *s != '?';
	return strchr(op_info[i->op].operands, '*') ? -1 : n;
}

static void quote_source(StrBuf *out, const char *from, const char *to)
{
	enum { MOST = 60 };
	int n = to - from > MOST ? MOST : (int)(to - from);
	sb_printf(out, "%.*s%s", n, from, n < to - from ? "..." : "");
}

/* The operation to write, unpack or pack, where PTX's mov has a list in braces; NULL: it has none. */
static const char *mov_name(const Ins *i, const OperandSpan *o, const char *at, const char *rest)
{
	bool list = i->op == OP_MOV && !i->vec;
	return list && *at == '{' ? "unpack" : list && rest < o->end && *rest == '{' ? "pack" : NULL;
}

static const char *past_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

/* Notes the registers that were meant as destinations. They are declared later, so that no later line is
   reported for using them. */
static void take_destinations(Reader *r, const char *end)
{
	while (r->lex.at <= end && !rd_at(r, TK_NL) && !rd_at(r, TK_END) && !rd_at(r, TK_BAD)) {
		if (rd_at(r, TK_REG))
			vec_push(&r->dst, r->tok);
		rd_next(r);
	}
}

bool habit_operands(Reader *r, const Token *start, const Token *mnemonic, const Ins *i)
{
	bool call = i->op == OP_CALL;
	char first = call ? '(' : *op_info[i->op].operands;
	if (r->dst.n || first == ':' || !(call ? rd_at(r, '(')
		: rd_at(r, TK_REG) || rd_at(r, '{') || rd_word(r, "_")) || r->tok.quoted)
		return true;
	const char *at = r->tok.s, *name = NULL;
	OperandSpan o = scan_operands(at, r->lex.end);
	Token where = r->tok;
	StrBuf sb = { 0 };
	if (!o.comma || o.n <= least_sources(i)) {
		if (call || first == '*')
			return true;
		sb_printf(&sb, "the destination stands left of '=': %%r = ");
		quote_source(&sb, start->s, o.end);
	} else {
		const char *rest = past_blanks(o.comma + 1, o.end);
		sb_printf(&sb, "the destination stands left of '='; write: %.*s",
			(int)(mnemonic->s - start->s > 60 ? 0 : mnemonic->s - start->s), start->s);
		quote_source(&sb, at, o.comma);
		sb_puts(&sb, " = ");
		name = mov_name(i, &o, at, rest);
		sb_puts(&sb, name ? name : "");
		quote_source(&sb, mnemonic->s + (name ? strlen("mov") : 0), mnemonic->s + mnemonic->n);
		sb_putc(&sb, ' ');
		quote_source(&sb, rest, o.end);
		take_destinations(r, o.comma);
	}
	rd_fail(r, &where, "%s", sb.s);
	sb_free(&sb);
	return false;
}
