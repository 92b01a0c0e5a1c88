/* Finds dependences between the two bodies of a fused kernel: asks the memory dependence of the fused kernel
   about pairs of accesses, one of each body. Of accesses of a body that are alike only one is asked about. */
#include "passes/transform/fusion/own.h"
#include "lib/strbuf.h"
#include "passes/constants.h"

typedef struct DependSearch {
	const Module *m;
	const Couple *c;
	const Fused *to;
	const MemDep *d;
	Arena *arena;
	Vec(int) list[2];              /* by body: its accesses; of those that are alike, one */
} DependSearch;

static const unsigned far_spaces = SPACE_BIT(SP_GLOBAL) | SPACE_BIT(SP_CONST),
	seen_spaces = SPACE_BIT(SP_GLOBAL) | SPACE_BIT(SP_CONST) | SPACE_BIT(SP_SHARED);

static bool is_alike(const MemAccess *a, const MemAccess *b)
{
	return a->form[0] == b->form[0] && a->form[1] == b->form[1] && a->size == b->size &&
		a->reads == b->reads && a->writes == b->writes && a->generic == b->generic;
}

static void find_accesses(DependSearch *s)
{
	for (int k = 0; k < s->d->naccess; k++) {
		const MemAccess *a = &s->d->access[k];
		int side = a->block > s->to->join->id;
		bool known = false;
		if (a->block == s->to->join->id || !((a->reads | a->writes) & seen_spaces))
			continue;
		for (int j = 0; j < s->list[side].n && !known; j++)
			known = is_alike(a, &s->d->access[s->list[side].v[j]]);
		if (!known)
			vec_push(&s->list[side], k);
	}
}

/* ---- words ---- */

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void put_bracketed_place(StrBuf *s, Loc l)
{
	if (l.file && l.line)
		sb_printf(s, " (%s:%d)", file_name(l.file), l.line);
}

/* Adds to the text from which variable or parameter the address of the access is made, by the name that it
   has in the kernel of which the access is. */
static void put_object(const DependSearch *s, const MemAccess *a, int side, StrBuf *text)
{
	int base = memdep_base(s->d, a->form[0]);
	const MemAtom *x = base < 0 ? NULL : &s->d->atom[base];
	if (x && x->kind == ATOM_SYMBOL)
		sb_printf(text, " `%s`", s->m->symbol.v[x->id]->name);
	for (int k = 0; x && x->kind == ATOM_PARAM && k < s->c->kernel[side]->param.n; k++)
		if (s->c->param[side][k] == x->id) {
			sb_printf(text, " through `%s`", s->c->kernel[side]->param.v[k].name);
			return;
		}
}

static const char *why_depend(const DependSearch *s, const MemAccess *a, const MemAccess *b, Dependence *x)
{
	const Function *f = s->to->f;
	bool called = !a->size || !b->size;
	StrBuf text = { 0 };
	x->at[0] = ins_loc(s->m, &f->block.v[a->block]->ins.v[a->ins]);
	x->at[1] = ins_loc(s->m, &f->block.v[b->block]->ins.v[b->ins]);
	sb_printf(&text, "%s %s", s->c->kernel[0]->name,
		a->writes & far_spaces ? a->reads & far_spaces && !called ? "updates" : "writes" : "reads");
	put_object(s, a, 0, &text);
	put_bracketed_place(&text, x->at[0]);
	sb_printf(&text, " what another block of %s may %s", s->c->kernel[1]->name,
		b->writes & far_spaces ? b->reads & far_spaces && !called ? "update" : "write" : "read");
	put_object(s, b, 1, &text);
	put_bracketed_place(&text, x->at[1]);
	const char *why = arena_strdup(s->arena, text.s);
	sb_free(&text);
	return why;
}

/* ---- pairs ---- */

static bool access_conflict(const MemAccess *a, const MemAccess *b, unsigned spaces)
{
	return ((a->writes & (b->reads | b->writes)) | (b->writes & a->reads)) & spaces;
}

static void ask_pair(const DependSearch *s, int a, int b, MemAsk *q, Dependence *x)
{
	const MemAccess *i = &s->d->access[a], *j = &s->d->access[b];
	if (access_conflict(i, j, far_spaces) && memdep_grid_may_alias(s->d, q, a, b)) {
		x->between_blocks = true;
		x->why = why_depend(s, i, j, x);
		return;
	}
	x->assumed |= q->rests;
	q->rests = 0;
	if (access_conflict(i, j, seen_spaces) && !x->in_block && !memdep_same_thread(s->d, q, a, b))
		x->in_block = true;
	x->assumed |= q->rests;
	q->rests = 0;
}

void depend_find(Module *m, const EffectTable *effects, const Couple *c, const Fused *to, unsigned allow,
	Dependence *x, Arena *a)
{
	Arena tmp = { 0 };
	const Cfg *g = cfg_build(&tmp, to->f);
	DependSearch s = { .m = m, .c = c, .to = to, .arena = a,
		.d = memdep_build(&tmp, g, ssa_build(&tmp, g, dom_build(&tmp, g)), effects, c->facts) };
	MemAsk q = { .allow = allow, .within = MEM_EVER };
	*x = (Dependence){ 0 };
	find_accesses(&s);
	if ((int64_t)s.list[0].n * s.list[1].n > FUSION_PAIRS) {
		x->between_blocks = true;
		x->why = arena_printf(a, "%s and %s have too many accesses to memory to ask about each pair",
			c->kernel[0]->name, c->kernel[1]->name);
	}
	for (int k = 0; k < s.list[0].n; k++)
		for (int j = 0; j < s.list[1].n && !x->between_blocks; j++)
			ask_pair(&s, s.list[0].v[k], s.list[1].v[j], &q, x);
	vec_free(&s.list[0]);
	vec_free(&s.list[1]);
	arena_free(&tmp);
}
