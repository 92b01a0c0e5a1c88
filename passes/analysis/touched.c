#include "passes/analysis/touched.h"

/* Sets of what may flow into a value: a bit for each parameter, then one for each symbol, then the bit `any`
   for what comes from memory. */
typedef struct TouchedSources {
	const Module *m;
	const Function *f;
	int nparam, nsymbol, any, bits;
	BitSet *reg;               /* by register: what may flow into it */
	BitSet now;                /* what flows into the instruction at hand */
} TouchedSources;

static bool in_memory(const Symbol *s) { return s->space == SP_GLOBAL || s->space == SP_CONST; }

static void flow_operand(TouchedSources *s, const Ins *i, const Opd *o)
{
	switch ((OpdKind)o->kind) {
	case OPD_REG: bs_union(s->now, s->reg[o->id]); break;
	case OPD_SYM:
		if (in_memory(s->m->symbol.v[o->id]))
			bs_add(s->now, s->nparam + o->id);
		break;
	case OPD_PARAM: bs_add(s->now, i->op == OP_LD ? o->id : s->any); break;
	default: break;
	}
}

/* Sets s->now to what flows into the instruction's destinations. */
static void flow_ins(TouchedSources *s, const Ins *i)
{
	bool wide = type_bits[i->type] == 64, param = i->op == OP_LD && i->space == SP_PARAM;
	bs_clear(s->now);
	switch (op_info[i->op].kind) {
	case K_LD:
		if (param && ins_src(i, 0)->kind == OPD_PARAM)
			flow_operand(s, i, ins_src(i, 0));
		else if (wide || param)
			bs_add(s->now, s->any);
		return;
	case K_ATOM:
		if (wide)
			bs_add(s->now, s->any);
		return;
	case K_CALL: bs_add(s->now, s->any); return;
	default: break;
	}
	if (i->op == OP_PACK && wide)
		bs_add(s->now, s->any);
	for (int k = 0; k < i->nsrc; k++)
		flow_operand(s, i, ins_src(i, k));
}

static bool flow_round(TouchedSources *s)
{
	bool changed = false;
	for (int b = 0; b < s->f->block.n; b++)
		for (int k = 0; k < s->f->block.v[b]->ins.n; k++) {
			const Ins *i = &s->f->block.v[b]->ins.v[k];
			if (!i->ndst)
				continue;
			flow_ins(s, i);
			for (int d = 0; d < i->ndst; d++)
				if (ins_dst(i, d)->kind == OPD_REG &&
					s->f->reg.v[ins_dst(i, d)->id].type != T_PRED)
					changed |= bs_union(s->reg[ins_dst(i, d)->id], s->now);
		}
	return changed;
}

static TouchedSources sources_of(Arena *a, const Module *m, const Function *f)
{
	TouchedSources s = { .m = m, .f = f, .nparam = f->param.n, .nsymbol = m->symbol.n,
		.any = f->param.n + m->symbol.n, .bits = f->param.n + m->symbol.n + 1 };
	s.reg = arena_array(a, BitSet, f->reg.n + 1);
	for (int r = 0; r < f->reg.n; r++)
		s.reg[r] = bs_new(a, s.bits);
	s.now = bs_new(a, s.bits);
	while (flow_round(&s))
		;
	return s;
}

/* ---- accesses ---- */

static void touch_source(Touched *t, const TouchedSources *s, int source, bool reads, bool writes)
{
	if (source == s->any) {
		t->reads_any |= reads;
		t->writes_any |= writes;
		return;
	}
	bool symbol = source >= s->nparam;
	if (reads)
		bs_add(symbol ? t->symbol_reads : t->reads, symbol ? source - s->nparam : source);
	if (writes)
		bs_add(symbol ? t->symbol_writes : t->writes, symbol ? source - s->nparam : source);
}

/* The parameter or symbol from which alone the address is made; -1: it is not known. */
static int source_of_form(const TouchedSources *s, const MemDep *d, int form)
{
	int base = memdep_base(d, form);
	if (base < 0)
		return -1;
	return d->atom[base].kind == ATOM_PARAM ? d->atom[base].id : s->nparam + d->atom[base].id;
}

static void touch_access(Touched *t, TouchedSources *s, const MemDep *d, const MemAccess *x)
{
	const unsigned memory = SPACE_BIT(SP_GLOBAL) | SPACE_BIT(SP_CONST);
	const Ins *i = &s->f->block.v[x->block]->ins.v[x->ins];
	bool reads = x->reads & memory, writes = x->writes & memory;
	int kind = op_info[i->op].kind;
	if (!reads && !writes)
		return;
	if (kind != K_LD && kind != K_ST && kind != K_ATOM) {
		touch_source(t, s, s->any, reads, writes);
		return;
	}
	int source = source_of_form(s, d, x->form[0]);
	if (source >= 0) {
		if (source < s->nparam || in_memory(s->m->symbol.v[source - s->nparam]))
			touch_source(t, s, source, reads, writes);
		return;
	}
	bs_clear(s->now);
	flow_operand(s, i, ins_src(i, 0));
	bs_each(s->now, k)
		touch_source(t, s, k, reads, writes);
	/* The address is a number, say, and may lead anywhere. But a generic address with a known form that
	   none of memory's symbols and parameters flows into lies in the window of another space. */
	if (bs_next(s->now, 0) < 0 && !(x->generic && x->form[0] >= 0))
		touch_source(t, s, s->any, reads, writes);
}

/* ---- what is certain to be written ---- */

static bool is_sreg(const MemDep *d, int atom, Sreg r)
{
	return d->atom[atom].kind == ATOM_SREG && d->atom[atom].id == (int)r;
}

static bool is_first_of_block(const MemDep *d, int atom)
{
	const MemAtom *x = &d->atom[atom];
	return x->kind == ATOM_PRODUCT && ((is_sreg(d, x->id, SREG_CTAID_X) &&
		is_sreg(d, x->sub, SREG_NTID_X)) || (is_sreg(d, x->id, SREG_NTID_X) &&
		is_sreg(d, x->sub, SREG_CTAID_X)));
}

/* Is the access at parameter + bytes * index, with an index of TouchedWhole? Writes the parameter to *param,
   the rest to *w. */
static bool is_indexed_access(const MemDep *d, const MemAccess *x, int *param, TouchedWhole *w)
{
	const MemForm *f = x->form[1] < 0 ? NULL : &d->form[x->form[1]];
	int base = f ? memdep_base(d, x->form[1]) : -1;
	bool thread = false;
	*w = (TouchedWhole){ x->size, false };
	if (!f || f->constant || base < 0 || d->atom[base].kind != ATOM_PARAM || d->atom[base].sub)
		return false;
	*param = d->atom[base].id;
	for (int k = 0; k < f->n; k++) {
		int atom = f->term[k].atom;
		if (atom == base)
			continue;
		bool is_thread = is_sreg(d, atom, SREG_TID_X) && f->term[k].k == x->size;
		bool is_block = (is_first_of_block(d, atom) && f->term[k].k == x->size) ||
			(is_sreg(d, atom, SREG_CTAID_X) && d->block[0] &&
			f->term[k].k == (int64_t)x->size * d->block[0]);
		if (!is_thread && !is_block)
			return false;
		thread |= is_thread;
		w->across |= is_block;
	}
	return thread;
}

/* Does every thread that ends come to the block? */
static bool always(const Dom *pdom, int entry, int block)
{
	int b = entry;
	while (b >= 0 && b != block)
		b = pdom->idom[b];
	return b == block;
}

static bool may_end_early(const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (op_info[f->block.v[b]->ins.v[k].op].kind == K_CALL)
				return true;
	return false;
}

static void find_whole(Touched *t, const Cfg *c, const Dom *pdom, const MemDep *d)
{
	if (may_end_early(c->f))
		return;
	for (int k = 0; k < d->naccess; k++) {
		const MemAccess *x = &d->access[k];
		const Ins *i = &c->f->block.v[x->block]->ins.v[x->ins];
		TouchedWhole w;
		int param;
		if (op_info[i->op].kind == K_ST && i->guard < 0 && x->writes == SPACE_BIT(SP_GLOBAL) &&
			always(pdom, c->rpo[0]->id, x->block) && is_indexed_access(d, x, &param, &w))
			t->whole[param] = w;
	}
}

Touched *touched_build(Arena *a, const Cfg *c, const Dom *pdom, const MemDep *d)
{
	const Function *f = c->f;
	Arena tmp = { 0 };
	Touched *t = arena_new(a, Touched);
	*t = (Touched){ .m = d->m, .kernel = f, .reads = bs_new(a, f->param.n),
		.writes = bs_new(a, f->param.n), .symbol_reads = bs_new(a, d->m->symbol.n),
		.symbol_writes = bs_new(a, d->m->symbol.n),
		.whole = arena_array(a, TouchedWhole, f->param.n + 1) };
	if (f->kind == FN_KERNEL) {
		TouchedSources s = sources_of(&tmp, d->m, f);
		for (int k = 0; k < d->naccess; k++)
			touch_access(t, &s, d, &d->access[k]);
		find_whole(t, c, pdom, d);
	} else {
		t->reads_any = t->writes_any = true;
	}
	arena_free(&tmp);
	return t;
}

Touched *touched_of(Arena *a, const EffectTable *effects, Function *kernel)
{
	const Module *m = effects->m;
	Arena tmp = { 0 };
	Touched *t = arena_new(a, Touched);
	if (!kernel->block.n) {    /* a kernel without code, which cannot run */
		*t = (Touched){ .m = m, .kernel = kernel, .reads = bs_new(a, kernel->param.n),
			.writes = bs_new(a, kernel->param.n), .symbol_reads = bs_new(a, m->symbol.n),
			.symbol_writes = bs_new(a, m->symbol.n), .reads_any = true, .writes_any = true,
			.whole = arena_array(a, TouchedWhole, kernel->param.n + 1) };
		return t;
	}
	Cfg *c = cfg_build(&tmp, kernel);
	Ssa *ssa = ssa_build(&tmp, c, dom_build(&tmp, c));
	t = touched_build(a, c, pdom_build(&tmp, c, true),
		memdep_build(&tmp, c, ssa, effects, (MemFacts){ 0 }));
	arena_free(&tmp);
	return t;
}

/* ---- text ---- */

static void print_line(const char *what, const char *name, bool reads, bool writes, StrBuf *s)
{
	sb_printf(s, "  %s%s: %s", what, name, reads && writes ? "read and written" : reads ? "read"
		: writes ? "written" : "left alone");
}

void touched_print(const Cfg *c, const Touched *t, StrBuf *s)
{
	const Function *f = c->f;
	if (f->kind != FN_KERNEL) {
		sb_puts(s, "  no kernel\n");
		return;
	}
	for (int k = 0; k < f->param.n; k++) {
		print_line("", f->param.v[k].name, bs_has(t->reads, k), bs_has(t->writes, k), s);
		if (t->whole[k].bytes)
			sb_printf(s, "; each thread writes %d byte%s at %d * %s", t->whole[k].bytes,
				t->whole[k].bytes == 1 ? "" : "s", t->whole[k].bytes,
				t->whole[k].across ? "(%tid.x + %ctaid.x * %ntid.x)" : "%tid.x");
		sb_putc(s, '\n');
	}
	for (int k = 0; k < t->m->symbol.n; k++)
		if (bs_has(t->symbol_reads, k) || bs_has(t->symbol_writes, k)) {
			print_line("variable ", t->m->symbol.v[k]->name, bs_has(t->symbol_reads, k),
				bs_has(t->symbol_writes, k), s);
			sb_putc(s, '\n');
		}
	if (t->reads_any || t->writes_any) {
		print_line("", "any memory", t->reads_any, t->writes_any, s);
		sb_putc(s, '\n');
	}
}
