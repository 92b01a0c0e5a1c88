/* Which values of a kernel the uniform datapath computes (uniform.datapath), in registers that a warp has
 * once.
 *
 * An instruction goes there if the datapath has its operation, all of its operands are constants, parameters
 * or registers of the datapath, and a warp comes to it whole: a lane that is elsewhere would miss the value,
 * or get one that is not its own. A register belongs to the datapath if all instructions that write it do.
 * So what memory gives, and what a warp-level operation makes, stays in registers of the threads, and with it
 * whatever is computed from it. The search begins with all registers that the uniformity analysis lets have
 * one value in a warp, and drops registers until all of this holds.
 *
 * The guard of an instruction is a predicate of the threads, and warp-level operations read no other ones. A
 * uniform predicate may decide branches and be an operand. Kernels that call functions have no uniform
 * registers, since functions expect and return values in registers of the threads.
 *
 * The choice is made before the mechanism changes the kernel, so all mechanisms get the same one. Only where
 * registers are scarce, gaps between pairs may leave some values to the threads afterwards. */
#include "passes/analysis/uniformity.h"
#include "sim/code/lower.h"

typedef struct Datapath {
	LowerFn *l;
	Arena arena;
	const Cfg *cfg;
	BitSet apart;                  /* blocks to which a part of a warp may come */
	BitSet differ;                 /* registers that may differ in a warp */
	bool *uniform;                 /* by register: may it belong to the datapath, as far as is known? */
	bool changed;
} Datapath;

static bool is_float(Type t) { return type_kind[t] == 'F'; }

/* Has the datapath the operation? It has integers and predicates, moves, and loads of constants and
   parameters. */
static bool has_operation(const Ins *i)
{
	switch (i->op) {
	case OP_MOV: case OP_SELP:
		return true;
	case OP_LD:
		return (i->space == SP_CONST || i->space == SP_PARAM) && !(i->flags & INSF_NONFAULTING);
	case OP_CVT:
		return !is_float(i->type) && !is_float(i->type2) && !i->sat;
	case OP_ADD: case OP_SUB: case OP_MUL: case OP_MAD: case OP_NEG: case OP_SETP:
		return !is_float(i->type) && type_bits[i->type] >= 32 && !i->sat && !i->cc;
	case OP_AND: case OP_OR: case OP_XOR: case OP_NOT: case OP_LOP3: case OP_PRMT:
	case OP_SHL: case OP_SHR: case OP_SHF:
		return !is_float(i->type) && (i->type == T_PRED || type_bits[i->type] >= 32);
	default:
		return false;
	}
}

/* Is the special register, a constant of the launch or of the block, one that the datapath reads? */
static bool reads_sreg(int s)
{
	return (s >= SREG_NTID_X && s <= SREG_NCTAID_Z) || s == SREG_GRIDID || s == SREG_WARP_SZ ||
		s == SREG_DYNAMIC_SMEM_SIZE || s == SREG_TOTAL_SMEM_SIZE;
}

static bool may_read(const Datapath *d, const Opd *o)
{
	switch (o->kind) {
	case OPD_REG: return d->uniform[o->id];
	case OPD_SREG: return reads_sreg(o->id);
	case OPD_SYM: return d->l->module->symbol.v[o->id]->space != SP_LOCAL;
	case OPD_FUNC: case OPD_STR: return false;
	default: return true;
	}
}

static bool may_execute(const Datapath *d, const Block *b, const Ins *i)
{
	bool may = !bs_has(d->apart, b->id) && i->guard < 0 && has_operation(i);
	for (int k = 0; may && k < i->nsrc; k++)
		may = may_read(d, ins_src(i, k));
	for (int k = 0; may && k < i->ndst; k++)
		may = ins_dst(i, k)->kind != OPD_REG || d->uniform[ins_dst(i, k)->id];
	return may;
}

static void drop_register(Datapath *d, int v)
{
	d->changed |= d->uniform[v];
	d->uniform[v] = false;
}

/* Drops what the instruction of a thread writes, and the predicates that it must have in the thread's own
   registers: its guard, and all that it reads if it is a warp-level operation. */
static void drop_operands(Datapath *d, const Ins *i)
{
	uint8_t kind = op_info[i->op].kind;
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG)
			drop_register(d, ins_dst(i, k)->id);
	if (i->guard >= 0)
		drop_register(d, i->guard);
	for (int k = 0; k < i->nsrc && kind != K_ALU && kind != K_BRA; k++) {
		const Opd *o = ins_src(i, k);
		if (o->kind == OPD_REG && d->l->f->reg.v[o->id].type == T_PRED)
			drop_register(d, o->id);
	}
}

/* Drops registers until each that is left is written by instructions of the datapath alone. */
static void drop_others(Datapath *d)
{
	do {
		d->changed = false;
		for (int n = 0; n < d->cfg->nreach; n++) {
			const Block *b = d->cfg->rpo[n];
			for (int k = 0; k < b->ins.n; k++)
				if (!may_execute(d, b, &b->ins.v[k]))
					drop_operands(d, &b->ins.v[k]);
		}
	} while (d->changed);
}

/* ---- room ---- */

/* Drops registers of the set, those with the highest numbers first, until the rest fits. */
static void drop_excess(Datapath *d, BitSet live)
{
	const Function *f = d->l->f;
	int64_t room = d->l->config->uniform_registers;
	bs_each(live, v)
		if (v < f->reg.n && d->uniform[v] && f->reg.v[v].type != T_PRED) {
			room -= 1 + (type_bits[f->reg.v[v].type] == 64);
			if (room < 0)
				drop_register(d, v);
		}
}

/* Drops registers where more values live than the warp has uniform registers for. */
static void fit_registers(Datapath *d)
{
	Liveness *live = liveness_build(&d->arena, d->cfg);
	BitSet now = bs_new(&d->arena, function_values(d->l->f));
	d->changed = false;
	for (int n = 0; n < d->cfg->nreach; n++) {
		const Block *b = d->cfg->rpo[n];
		liveness_enter(live, b->id, now);
		for (int k = b->ins.n; k-- > 0;) {
			drop_excess(d, now);
			liveness_step(d->l->f, &b->ins.v[k], now);
		}
		drop_excess(d, now);
		liveness_leave(live, b->id, now);
	}
	if (d->changed)
		drop_others(d);
}

/* ---- a kernel ---- */

static bool calls_functions(const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (f->block.v[b]->ins.v[k].op == OP_CALL)
				return true;
	return false;
}

/* Begins with the registers that some instruction writes and that have one value in a warp. */
static void take_candidates(Datapath *d)
{
	const Function *f = d->l->f;
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			for (int o = 0; o < i->ndst; o++)
				if (ins_dst(i, o)->kind == OPD_REG && !bs_has(d->differ, ins_dst(i, o)->id))
					d->uniform[ins_dst(i, o)->id] = true;
		}
}

void lower_uniform(LowerFn *l)
{
	const Config *c = l->config;
	if (!c->uniform_datapath || c->late_linearize || l->f->kind != FN_KERNEL || calls_functions(l->f))
		return;
	Datapath d = { .l = l };
	function_number(l->f);
	Cfg *cfg = cfg_build(&d.arena, l->f);
	const Uniformity *u = uniformity_build(&d.arena, cfg, c->warp_size);
	d.cfg = cfg;
	d.apart = uniformity_parted(&d.arena, cfg, u);
	d.differ = u->regs;
	d.uniform = arena_array(l->arena, bool, function_values(l->f) + 1);
	take_candidates(&d);
	drop_others(&d);
	fit_registers(&d);
	l->uniform = d.uniform;
	l->nuniform = l->f->reg.n;
	arena_free(&d.arena);
}

/* Gives what an instruction writes to the threads if they have an operand or another result of it. */
static bool leave_datapath(LowerFn *l, const Ins *i)
{
	bool reads = false, changed = false;
	for (int k = 0; k < i->ndst + i->nsrc && !reads; k++)
		reads = i->opd[k].kind == OPD_REG && !lower_is_uniform(l, i->opd[k].id);
	for (int k = 0; k < i->ndst && reads; k++)
		if (ins_dst(i, k)->kind == OPD_REG && lower_is_uniform(l, ins_dst(i, k)->id)) {
			l->uniform[ins_dst(i, k)->id] = false;
			changed = true;
		}
	return changed;
}

void lower_keep_from_datapath(LowerFn *l, const int *values, int n)
{
	for (int k = 0; k < n; k++)
		l->uniform[values[k]] = false;
	for (bool changed = true; changed;) {
		changed = false;
		for (int b = 0; b < l->f->block.n; b++)
			for (int k = 0; k < l->f->block.v[b]->ins.n; k++)
				changed |= leave_datapath(l, &l->f->block.v[b]->ins.v[k]);
	}
}

bool lower_is_uniform(const LowerFn *l, int reg) { return reg < l->nuniform && l->uniform[reg]; }

bool lower_in_datapath(const LowerFn *l, const Ins *i)
{
	bool all = i->ndst > 0 && i->op != OP_OWN;
	for (int k = 0; all && k < i->ndst; k++)
		all = ins_dst(i, k)->kind != OPD_REG || lower_is_uniform(l, ins_dst(i, k)->id);
	return all && ins_dst(i, 0)->kind == OPD_REG;
}
