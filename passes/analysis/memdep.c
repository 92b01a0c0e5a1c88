/* Makes the forms of addresses in a walk over the code, and in a second walk where pointers step through
   memory turn by turn. Each distinct form and atom is stored once. */
#include "passes/analysis/memdep.h"
#include "lib/diag.h"

typedef MemWide Wide;

typedef struct MemDepBuild {
	MemDep *d;
	Arena *arena;
	const EffectTable *effects;
	const Loops *loops;        /* loops have the numbers of the cycles of Cfg.nest */
	MemForms t;
	Vec(MemAccess) access;
	/* by phi: 1 + the form that each turn of the cycle adds to it; 0: there is none, or it is not known
	   yet */
	int *step[2];
	const Ins *i;              /* the instruction that the walk is at */
	int block, ins;
} MemDepBuild;

static const uint32_t thread_limit[3] = { 1024, 1024, 64 }, block_limit[3] = { 0x7fffffff, 65535, 65535 };

/* ---- values of operands ---- */

static int sreg_form(MemDepBuild *x, int s, int bits)
{
	const MemDep *d = x->d;
	MemAtom a = { .kind = ATOM_SREG, .id = s };
	uint32_t known = 0;
	switch (s) {
	case SREG_TID_X: case SREG_TID_Y: case SREG_TID_Z: {
		int k = s - SREG_TID_X;
		a.share = SHARE_THREAD;
		a.hi = (d->block[k] ? d->block[k] : d->most[k]) - 1;
		break;
	}
	case SREG_CTAID_X: case SREG_CTAID_Y: case SREG_CTAID_Z: {
		int k = s - SREG_CTAID_X;
		a.share = SHARE_BLOCK;
		a.hi = (d->grid[k] ? d->grid[k] : block_limit[k]) - 1;
		break;
	}
	case SREG_NTID_X: case SREG_NTID_Y: case SREG_NTID_Z:
		a.lo = 1, a.hi = d->most[s - SREG_NTID_X];
		known = d->block[s - SREG_NTID_X];
		break;
	case SREG_NCTAID_X: case SREG_NCTAID_Y: case SREG_NCTAID_Z:
		a.lo = 1, a.hi = block_limit[s - SREG_NCTAID_X];
		known = d->grid[s - SREG_NCTAID_X];
		break;
	case SREG_LANEID:
		a.share = SHARE_THREAD;
		a.hi = 31;
		break;
	default: return -1;        /* clocks and the like: the version that gets the value is an atom */
	}
	if (known || a.lo == a.hi)
		return memform_constant(&x->t, known ? known : (int64_t)a.lo, bits);
	return memform_atom(&x->t, mematom_number(&x->t, &a), bits);
}

static int symbol_form(MemDepBuild *x, int id, int64_t offset, int bits, bool generic)
{
	const Symbol *s = x->d->m->symbol.v[id];
	bool window = s->space == SP_SHARED || s->space == SP_LOCAL;
	MemAtom a = { .kind = ATOM_SYMBOL, .id = id, .share = s->space == SP_LOCAL ? SHARE_THREAD
		: SHARE_GRID, .hi = window ? (Wide)1 << 24 : (Wide)1 << 63 };
	int f = memform_add(&x->t, memform_atom(&x->t, mematom_number(&x->t, &a), bits),
		memform_constant(&x->t, offset, bits), 1);
	if (!generic || !window)
		return f;
	MemAtom w = { .kind = ATOM_WINDOW, .id = s->space, .hi = (Wide)1 << 63 };
	return memform_add(&x->t, f, memform_atom(&x->t, mematom_number(&x->t, &w), bits), 1);
}

static void version_range(const MemDep *d, const SsaVersion *v, Wide *hi)
{
	const Ins *i = v->ins < 0 || v->old >= 0 ? NULL : &d->c->f->block.v[v->block]->ins.v[v->ins];
	const Opd *last = i && i->nsrc == 2 && ins_src(i, 1)->kind == OPD_IMM ? ins_src(i, 1) : NULL;
	int64_t k = last ? last->imm : -1;
	bool is_unsigned = i && (type_kind[i->type] == 'U' || type_kind[i->type] == 'B');
	if (!i || ins_dst(i, 0)->kind != OPD_REG)
		return;
	if (i->op == OP_LD && is_unsigned)
		*hi = type_bits[i->type] < 64 ? ((Wide)1 << type_bits[i->type]) - 1 : *hi;
	else if (i->op == OP_AND && k >= 0 && type_bits[i->type] <= 32)
		*hi = k;
	else if (i->op == OP_REM && k > 0 && is_unsigned)
		*hi = k - 1;
	else if (i->op == OP_SHR && k >= 0 && k < type_bits[i->type] && is_unsigned &&
		type_bits[i->type] <= 32)
		*hi = ((Wide)1 << (type_bits[i->type] - k)) - 1;
}

int memdep_version_bits(const MemDep *d, int v)
{
	const Function *f = d->c->f;
	return d->ssa->version[v].reg < f->reg.n ? type_bits[f->reg.v[d->ssa->version[v].reg].type] : 1;
}

static int version_form(const MemDep *d, MemForms *t, int v, int bits)
{
	int own = memdep_version_bits(d, v);
	MemAtom a = { .kind = ATOM_VERSION, .id = v, .share = SHARE_THREAD, .hi = ((Wide)1 << own) - 1 };
	version_range(d, &d->ssa->version[v], &a.hi);
	return own < bits ? -1 : memform_atom(t, mematom_number(t, &a), bits);
}

int memdep_value(const MemDep *d, MemForms *t, int v, int bits)
{
	int f = d->value[t->mode][v] - 1;
	if (f < 0 || t->form.v[f].bits < bits)
		return version_form(d, t, v, bits);
	return t->form.v[f].bits == bits ? f : memform_resize(t, f, bits);
}

/* The form of source k of the instruction, as a value of so many bits; -1: it is not known. */
static int operand_form(MemDepBuild *x, int k, int bits)
{
	const Opd *o = ins_src(x->i, k);
	switch (o->kind) {
	case OPD_IMM: return memform_constant(&x->t, o->imm, bits);
	case OPD_SREG: return sreg_form(x, o->id, bits);
	case OPD_SYM: return symbol_form(x, o->id, o->imm, bits, false);
	case OPD_REG: break;
	default: return -1;
	}
	return memdep_value(x->d, &x->t, ssa_src(x->d->ssa, x->i, x->block, x->ins, k), bits);
}

/* ---- what operations do ---- */

static int trailing(const MemForm *f)
{
	uint64_t all = (uint64_t)f->constant;
	for (int k = 0; k < f->n; k++)
		all |= (uint64_t)f->term[k].k;
	return all ? __builtin_ctzll(all) : 63;
}

static int or_form(MemDepBuild *x, int f, int g)
{
	if (f < 0 || g < 0)
		return -1;
	if (!x->t.form.v[f].n) {
		int t = f;
		f = g, g = t;
	}
	const MemForm *c = &x->t.form.v[g];
	if (c->n || c->constant < 0 || c->constant >> trailing(&x->t.form.v[f]))
		return -1;
	return memform_add(&x->t, f, g, 1);
}

static int product_form(MemDepBuild *x, int bits, int bits_out)
{
	int a = operand_form(x, 0, bits), b = operand_form(x, 1, bits);
	bool is_signed = type_kind[x->i->type] == 'S';
	if (x->i->hilo == HILO_HI)
		return -1;
	return x->i->hilo == HILO_WIDE ? memform_multiply(&x->t,
		memform_extend(&x->t, a, bits_out, is_signed),
		memform_extend(&x->t, b, bits_out, is_signed)) : memform_multiply(&x->t, a, b);
}

static int cvta_form(MemDepBuild *x, int bits)
{
	const Ins *i = x->i;
	int f = operand_form(x, 0, bits);
	if (bits != 64 || (i->space != SP_SHARED && i->space != SP_LOCAL))
		return f;
	MemAtom w = { .kind = ATOM_WINDOW, .id = i->space, .hi = (Wide)1 << 63 };
	return memform_add(&x->t, f, memform_atom(&x->t, mematom_number(&x->t, &w), 64),
		i->flags & INSF_TO ? -1 : 1);
}

static int cvt_form(MemDepBuild *x)
{
	int from = type_bits[x->i->type2], to = type_bits[x->i->type];
	if (type_kind[x->i->type] == 'F' || type_kind[x->i->type2] == 'F')
		return -1;
	int f = operand_form(x, 0, from);
	return f < 0 ? -1 : to <= from ? memform_resize(&x->t, f, to)
		: memform_extend(&x->t, f, to, type_kind[x->i->type2] == 'S');
}

static int param_form(MemDepBuild *x)
{
	const Opd *o = ins_src(x->i, 0);
	int bits = type_bits[x->i->type];
	if (x->i->op != OP_LD || x->i->space != SP_PARAM || o->kind != OPD_PARAM || x->i->vec ||
		x->d->c->f->kind != FN_KERNEL)
		return -1;
	MemAtom a = { .kind = ATOM_PARAM, .id = o->id, .sub = (int)o->imm, .hi = ((Wide)1 << bits) - 1 };
	return o->imm > 1 << 20 ? -1 : memform_atom(&x->t, mematom_number(&x->t, &a), bits);
}

static bool is_all_ones(const Opd *o, int bits)
{
	uint64_t ones = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
	return o->kind == OPD_IMM && ((uint64_t)o->imm & ones) == ones;
}

/* The form of the complement of source k: -1 minus the source. Compilers write n - 1 - x with it. */
static int complement_form(MemDepBuild *x, int k, int bits)
{
	return memform_add(&x->t, memform_constant(&x->t, -1, bits), operand_form(x, k, bits), -1);
}

static int alu_form(MemDepBuild *x)
{
	const Ins *i = x->i;
	int bits = type_bits[i->type], out = i->hilo == HILO_WIDE ? 2 * bits : bits;
	switch (i->op) {
	case OP_MOV: return operand_form(x, 0, bits);
	case OP_ADD: return memform_add(&x->t, operand_form(x, 0, bits), operand_form(x, 1, bits), 1);
	case OP_SUB: return memform_add(&x->t, operand_form(x, 0, bits), operand_form(x, 1, bits), -1);
	case OP_NEG: return memform_scale(&x->t, operand_form(x, 0, bits), -1);
	case OP_NOT: return complement_form(x, 0, bits);
	case OP_XOR:
		return is_all_ones(ins_src(i, 1), bits) ? complement_form(x, 0, bits)
			: is_all_ones(ins_src(i, 0), bits) ? complement_form(x, 1, bits) : -1;
	case OP_MUL: return product_form(x, bits, out);
	case OP_MAD: return memform_add(&x->t, product_form(x, bits, out), operand_form(x, 2, out), 1);
	case OP_SHL: return ins_src(i, 1)->kind == OPD_IMM && (uint64_t)ins_src(i, 1)->imm < (uint64_t)bits ?
		memform_scale(&x->t, operand_form(x, 0, bits), (int64_t)(1ull << ins_src(i, 1)->imm)) : -1;
	case OP_OR: return or_form(x, operand_form(x, 0, bits), operand_form(x, 1, bits));
	case OP_CVT: return cvt_form(x);
	case OP_CVTA: return cvta_form(x, bits);
	case OP_LD: return param_form(x);
	default: return -1;
	}
}

static void evaluate_form(MemDepBuild *x)
{
	const Ins *i = x->i;
	int at = x->d->ssa->ins_first[x->block] + x->ins;
	if (i->guard >= 0 || i->ndst != 1 || ins_dst(i, 0)->kind != OPD_REG || i->sat ||
		type_kind[i->type] == 'F' || type_kind[i->type] == 'P' || !i->type)
		return;
	for (x->t.mode = 0; x->t.mode < 2; x->t.mode++)
		x->d->value[x->t.mode][x->d->ssa->def[x->d->ssa->def_first[at]]] = alu_form(x) + 1;
}

/* ---- phis ---- */

static bool in_cycle(const MemDepBuild *x, int loop, int block)
{
	return loop_has(x->d->c, &x->loops->loop[loop], block);
}

/* Does the atom keep its value while a thread goes round the cycle? When this is asked, no form contains
   numbers of turns (ATOM_TURN) yet. */
static bool invariant(const MemDepBuild *x, int atom, int loop)
{
	const MemAtom *a = &x->t.atom.v[atom];
	const SsaVersion *v = a->kind == ATOM_VERSION ? &x->d->ssa->version[a->id] : NULL;
	switch (a->kind) {
	case ATOM_VERSION: return v->ins == SSA_ENTRY || !in_cycle(x, loop, v->block);
	case ATOM_PRODUCT: return invariant(x, a->id, loop) && invariant(x, a->sub, loop);
	case ATOM_SIGNED: case ATOM_ZERO: {
		const MemForm *f = &x->t.form.v[a->id];
		for (int k = 0; k < f->n; k++)
			if (!invariant(x, f->term[k].atom, loop))
				return false;
		return true;
	}
	default: return true;
	}
}

/* The one form of all arguments of the phi that come from inside the cycle, or (inside = false) from outside;
   -1: they have several forms, or one has none. The last argument of an entry block comes along no edge, but
   from outside. */
static int argument_form(MemDepBuild *x, const SsaPhi *p, int loop, bool inside, int bits)
{
	const IntList *from = &x->d->c->graph->pred[x->d->ssa->version[p->version].block];
	int f = -1;
	for (int e = 0; e < p->narg; e++) {
		if ((e < from->n && in_cycle(x, loop, from->v[e])) != inside)
			continue;
		int g = memdep_value(x->d, &x->t, p->arg[e], bits);
		if (g < 0 || (f >= 0 && g != f))
			return -1;
		f = g;
	}
	return f;
}

static int phi_bits(const MemDepBuild *x, const SsaPhi *p)
{
	int reg = x->d->ssa->version[p->version].reg;
	return reg < x->d->c->f->reg.n ? type_bits[x->d->c->f->reg.v[reg].type] : 1;
}

/* The form of what a turn of the cycle adds to the phi at its header: that of the arguments along edges back,
   less the phi itself; -1: there is none. */
static int find_step(MemDepBuild *x, const SsaPhi *p, int loop)
{
	int f = argument_form(x, p, loop, true, phi_bits(x, p));
	if (f < 0)
		return -1;
	MemForm step = x->t.form.v[f], all = step;
	bool found = false;
	step.n = 0;
	for (int k = 0; k < all.n; k++) {
		const MemAtom *a = &x->t.atom.v[all.term[k].atom];
		if (a->kind == ATOM_VERSION && a->id == p->version && all.term[k].k == 1)
			found = true;
		else if (invariant(x, all.term[k].atom, loop))
			step.term[step.n++] = all.term[k];
		else
			return -1;
	}
	return found ? memform_number(&x->t, &step) : -1;
}

/* Finds the steps of phis in reducible cycles: in others a version's form need not hold as long as the
   version does. Returns whether there are any steps. */
static bool find_steps(MemDepBuild *x)
{
	const Ssa *s = x->d->ssa;
	bool any = false;
	for (int l = 0; l < x->loops->n; l++) {
		int h = x->loops->loop[l].header;
		for (int k = s->phi_first[h]; k < s->phi_first[h + 1] && x->loops->loop[l].reducible; k++)
			for (x->t.mode = 0; x->t.mode < 2; x->t.mode++) {
				x->step[x->t.mode][k] = find_step(x, &s->phi[k], l) + 1;
				any |= x->step[x->t.mode][k] != 0;
			}
	}
	return any;
}

static int walking_form(MemDepBuild *x, const SsaPhi *p, int step)
{
	int loop = x->d->c->nest->of[x->d->ssa->version[p->version].block], bits = phi_bits(x, p);
	MemAtom turn = { .kind = ATOM_TURN, .share = SHARE_THREAD, .id = loop, .hi = ((Wide)1 << 63) - 1 };
	int base = argument_form(x, p, loop, false, bits);
	return base < 0 ? -1 : memform_add(&x->t, base,
		memform_multiply(&x->t, step, memform_atom(&x->t, mematom_number(&x->t, &turn), bits)), 1);
}

/* Gives a form to each phi of the block: the one form of all its arguments, or, if its step is known, what it
   is in each turn. Arguments that come along edges back have no form yet. */
static void evaluate_phis(MemDepBuild *x, int b)
{
	const Ssa *s = x->d->ssa;
	for (int k = s->phi_first[b]; k < s->phi_first[b + 1]; k++)
		for (x->t.mode = 0; x->t.mode < 2; x->t.mode++) {
			const SsaPhi *p = &s->phi[k];
			int *value = x->d->value[x->t.mode], f = value[p->arg[0]];
			for (int e = 1; e < p->narg && f; e++)
				f = value[p->arg[e]] == f ? f : 0;
			value[p->version] = x->step[x->t.mode][k]
				? walking_form(x, p, x->step[x->t.mode][k] - 1) + 1 : f;
		}
}

/* ---- accesses ---- */

static int make_address_form(MemDepBuild *x)
{
	const Opd *o = ins_src(x->i, 0);
	if (o->kind == OPD_SYM)
		return symbol_form(x, o->id, o->imm, 64, x->i->space == SP_GENERIC);
	if (o->kind == OPD_IMM)
		return memform_constant(&x->t, o->imm, 64);
	if (o->kind != OPD_REG)
		return -1;
	int bits = type_bits[x->d->c->f->reg.v[o->id].type] == 64 ? 64 : 32;
	int f = memform_add(&x->t, operand_form(x, 0, bits), memform_constant(&x->t, o->imm, bits), 1);
	return bits == 64 ? f : memform_extend(&x->t, f, 64, false);
}

static void add_access(MemDepBuild *x)
{
	Effects e = ins_effects(x->effects, x->i);
	const int flags = op_info[x->i->op].flags;
	bool simple = op_info[x->i->op].kind == K_LD || op_info[x->i->op].kind == K_ST ||
		op_info[x->i->op].kind == K_ATOM;
	if (!(e.reads & ~SPACE_BIT(SP_PARAM)) && !e.writes && !e.ordered)
		return;
	MemAccess a = { .block = x->block, .ins = x->ins, .reads = e.reads, .writes = e.writes,
		.ordered = e.ordered, .form = { -1, -1 } };
	a.generic = !simple || x->i->space == SP_GENERIC;
	if (simple && flags & (OPF_LOAD | OPF_STORE)) {
		a.size = type_bytes(x->i->type) * (x->i->vec ? x->i->vec : 1);
		for (x->t.mode = 0; x->t.mode < 2; x->t.mode++)
			a.form[x->t.mode] = make_address_form(x);
	}
	vec_push(&x->access, a);
}

static void walk_accesses(MemDepBuild *x)
{
	const Cfg *c = x->d->c;
	for (int k = 0; k < c->nreach; k++) {
		const Block *b = c->rpo[k];
		x->block = b->id;
		x->d->first[b->id] = x->access.n;
		evaluate_phis(x, b->id);
		for (x->ins = 0; x->ins < b->ins.n; x->ins++) {
			x->i = &b->ins.v[x->ins];
			add_access(x);
			evaluate_form(x);
		}
		x->d->count[b->id] = x->access.n - x->d->first[b->id];
	}
}

#define KEEP(FIELD, FROM, TYPE) do { \
	x.d->n##FIELD = FROM.FIELD.n; \
	x.d->FIELD = arena_array(a, TYPE, FROM.FIELD.n + 1); \
	if (FROM.FIELD.n) \
		memcpy(x.d->FIELD, FROM.FIELD.v, sizeof(TYPE) * (size_t)FROM.FIELD.n); \
} while (0)

MemDep *memdep_build(Arena *a, const Cfg *c, const Ssa *s, const EffectTable *t, MemFacts facts)
{
	must(cfg_fresh(c));
	Arena tmp = { 0 };
	MemDepBuild x = { .d = arena_new(a, MemDep), .arena = a, .effects = t };
	*x.d = (MemDep){ .c = c, .ssa = s, .m = t->m, .param_leads = facts.param_leads,
		.symbol_leads = facts.symbol_leads };
	const uint32_t *most = c->f->maxntid;
	uint64_t threads = most[0] && c->f->kind == FN_KERNEL
		? (uint64_t)most[0] * (most[1] ? most[1] : 1) * (most[2] ? most[2] : 1) : 1024;
	for (int k = 0; k < 3; k++) {
		x.d->most[k] = threads < thread_limit[k] ? (uint32_t)threads : thread_limit[k];
		bool given = c->f->reqntid[0] && c->f->kind == FN_KERNEL;
		x.d->grid[k] = facts.grid[k];
		x.d->block[k] = !given ? facts.block[k] : c->f->reqntid[k] ? c->f->reqntid[k] : 1;
	}
	x.d->first = arena_array(a, int, c->n + 1);
	x.d->count = arena_array(a, int, c->n + 1);
	for (int mode = 0; mode < 2; mode++) {
		x.d->value[mode] = arena_array(a, int, s->n + 1);
		x.step[mode] = xcalloc((size_t)s->phi_first[c->n] + 1, sizeof *x.step[mode]);
	}
	x.loops = loops_build(&tmp, c);
	walk_accesses(&x);
	if (find_steps(&x)) { /* once more: phis with steps have forms now, and are no atoms */
		vec_clear(&x.access);
		for (int mode = 0; mode < 2; mode++)
			memset(x.d->value[mode], 0, (size_t)s->n * sizeof *x.d->value[mode]);
		walk_accesses(&x);
	}
	KEEP(form, x.t, MemForm);
	KEEP(atom, x.t, MemAtom);
	KEEP(access, x, MemAccess);
	vec_free(&x.access);
	memforms_free(&x.t);
	for (int mode = 0; mode < 2; mode++)
		free(x.step[mode]);
	arena_free(&tmp);
	return x.d;
}
