/* From IR to machine code for one mechanism:
 *
 *   copies of the functions the kernel reaches -> canonical order of blocks -> results that nobody reads ->
 *   calls -> the mechanism's operations (ReconvModel.lower) -> layout -> registers -> addresses -> MIns
 *
 * Unconditional branches belong to the layout: one to the next block vanishes, the others are issued and
 * count as overhead. A conditional branch carries both targets, so that no layout needs an extra jump. */
#include "sim/code/lower.h"
#include "isa/launch.h"
#include "lib/strbuf.h"

static void apply_fixes(Lower *w)
{
	for (int i = 0; i < w->fix.n; i++) {
		LowerFix *x = &w->fix.v[i];
		MIns *m = &w->out.v[x->ins];
		uint32_t pc = x->kind == FIX_CALLEE ? w->code->entry[x->func] : x->l->block_pc[x->to->id];
		switch (x->kind) {
		case FIX_TARGET: case FIX_CALLEE: m->target = pc; break;
		case FIX_FALL: m->fall = pc; break;
		case FIX_RPC: m->rpc = pc; break;
		case FIX_TABLE: ((uint32_t *)(uintptr_t)m->table)[x->entry] = pc; break;
		}
	}
}

/* Gives scoreboard names their final numbers (see NAME_CARRY): registers first, then predicates, then the
   carry flag. In build_live places get theirs: rows first, then predicates. */
static void rename_scoreboard(Code *c)
{
	for (int i = 0; i < c->n; i++) {
		Needed *sb = (Needed *)(uintptr_t)c->ins[i].sb;
		for (int k = 0; k < c->ins[i].nchk; k++) {
			int n = (int16_t)sb[k].name;
			if (n == NAME_CARRY)
				sb[k].name = (uint16_t)(c->regs + c->uniform_regs + c->preds);
			else if (n < 0)
				sb[k].name = (uint16_t)(c->regs + c->uniform_regs - 1 - n);
		}
	}
}

static void build_live(Lower *w)
{
	Code *c = w->code;
	c->live = arena_array(&c->arena, const uint16_t *, w->live.n + 1);
	c->nlive = arena_array(&c->arena, int, w->live.n + 1);
	for (int i = 0; i < w->live.n; i++) {
		LiveList *x = &w->live.v[i];
		for (int k = 0; k < x->n; k++)
			if ((int16_t)x->names[k] < 0)
				x->names[k] = (uint16_t)(c->rows - 1 - (int16_t)x->names[k]);
		c->live[i] = x->names;
		c->nlive[i] = x->n;
	}
}

static void build_marks(Lower *w)
{
	Code *c = w->code;
	c->nmark = w->mark.n;
	c->mark = arena_array(&c->arena, CodeMark, c->nmark + 1);
	for (int k = 0; k < c->nmark; k++) {
		c->mark[k] = w->mark.v[k];
		MIns *i = &c->ins[c->mark[k].pc];
		if (c->mark[k].counted >= 0 && i->mark < 0)
			i->mark = k;
	}
	c->mark[c->nmark].pc = -1;
	c->nfunction = w->order.n;
	c->function = arena_array(&c->arena, const Function *, c->nfunction + 1);
	for (int k = 0; k < c->nfunction; k++)
		c->function[k] = w->order.v[k]->f;
}

static Quick quick_kind(const Code *c, int pc)
{
	const MIns *i = &c->ins[pc];
	if (i->mark >= 0)
		return QUICK_NOT;
	if (i->kind == K_ALU && pc + 1 < c->n)
		return QUICK_COMPUTES;
	return i->kind == K_BRA && i->guard < 0 && !i->nwr ? QUICK_BRANCHES : QUICK_NOT;
}

static void build_tables(Lower *w)
{
	Code *c = w->code;
	c->n = w->out.n;
	c->ins = arena_array(&c->arena, MIns, c->n + 1);
	if (c->n)
		memcpy(c->ins, w->out.v, sizeof *c->ins * (size_t)c->n);
	c->block = arena_array(&c->arena, CodeBlock, c->nblock + 1);
	build_marks(w);
	c->branch_ins = arena_array(&c->arena, int, c->nbranch + 1);
	for (int i = 0; i < c->n; i++) {
		MIns *m = &c->ins[i];
		m->line = (uint32_t)((uint64_t)i *
			(uint64_t)w->config->fetch_ins_bytes / (uint64_t)w->config->fetch_line);
		if (m->flags & MI_BLOCK_START)
			c->block[m->block] = (CodeBlock){ m->function, m->from, (uint32_t)i };
		if (m->branch >= 0)
			c->branch_ins[m->branch] = i;
	}
	for (int i = 0; i < c->n; i++)
		c->ins[i].quick = (uint8_t)quick_kind(c, i);
	lower_lines(c);
	rename_scoreboard(c);
	build_live(w);
	c->constants = bank_rows(&w->constants, &c->arena);
}

/* Called for each mark of a branch. If the mark is about decisions of some lanes and has no value yet, its
   value becomes the condition of the branch, so that the mark keeps it whatever the mechanism makes of the
   branch. */
static bool name_condition(void *self, Mark *x)
{
	if (x->kind == MARK_DECIDES && x->lanes && x->value.kind == OPD_NONE)
		x->value = *(const Opd *)self;
	return true;
}

static void name_conditions(Function *f)
{
	for (int b = 0; b < f->block.n; b++) {
		Ins *branch = block_term(f->block.v[b]);
		if (branch->op != OP_BRA || !branch->nsrc)
			continue;
		Opd by = *ins_src(branch, 0);
		/* the condition is constant: a mechanism makes a jump of the branch, which all lanes take */
		if (by.kind == OPD_IMM)
			by = opd_imm((by.imm & 1) != by.neg);
		branch->mark = function_change_marks(f, branch->mark, name_condition, &by);
	}
}

/* Moves marks that say "a block begins here" for all lanes from the first instruction of each block to the
   block itself. They stay at its beginning then, whatever is put before that instruction or in its place. */
static void hold_marks(Function *f)
{
	for (int b = 0; b < f->block.n; b++) {
		Block *x = f->block.v[b];
		int at = x->ins.v[0].mark;
		while (at && f->mark.v[at].kind == MARK_BEGINS && !f->mark.v[at].lanes) {
			Mark held = f->mark.v[at];
			at = held.next;
			held.next = x->begins;
			x->begins = function_mark(f, held);
		}
		x->ins.v[0].mark = at;
	}
}

bool lower_mechanism(Lower *w, LowerFn *l, Diag *diag)
{
	Function *f = l->f;
	int room = f->block.n * 16 + 64; /* in blocks; with room for blocks that the mechanism adds */
	for (int b = 0; b < f->block.n; b++) {
		room += f->block.v[b]->nsucc;
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			room += f->block.v[b]->ins.v[k].op == OP_CALL ? 8 : 0;
	}
	l->rpc_block = arena_array(&w->arena, int, room);
	l->reach = arena_array(&w->arena, bool, room);
	l->reach_from = arena_array(&w->arena, int, room);
	l->may_wait = arena_array(&w->arena, uint8_t, room);
	for (int i = 0; i < room; i++)
		l->rpc_block[i] = l->reach_from[i] = -1;
	int errors = diag->errors;
	if (!w->mechanism(l, diag)) {
		if (diag->errors == errors)
			diag_error(diag, f->loc, "the mechanism refuses %s, and does not say why", f->name);
		return false;
	}
	must(f->block.n <= room);
	return true;
}

static bool prepare_function(Lower *w, LowerFn *l)
{
	function_number(l->f);
	lower_unread(l);
	l->late = -1;
	if (w->config->late_linearize && !lower_late(w, l))
		return false;
	function_number(l->f);
	name_conditions(l->f);
	lower_exits(l);
	hold_marks(l->f);
	lower_calls(w, l);
	lower_uniform(l);
	if (!lower_mechanism(w, l, w->diag))
		return false;
	lower_layout(l);
	return l->late < 0 ? regalloc(l, (int)w->config->sm_max_regs, w->diag) : lower_late_registers(w, l);
}

static bool can_run(Lower *w, const Function *kernel)
{
	StrBuf why = { 0 };
	Loc where;
	bool refused = kernel_refused(w->m, kernel, &where, &why);
	if (refused)
		diag_error(w->diag, where, "%s", why.s);
	sb_free(&why);
	return !refused;
}

/* Notes from which instruction of the module each instruction of the copied functions comes, before lowering
   changes the copies. */
static void note_sources(Lower *w)
{
	Code *c = w->code;
	int most = 0;
	for (int i = 0; i < w->order.n; i++)
		for (int b = 0; b < w->order.v[i]->ntext; b++)
			most += w->order.v[i]->text[b]->ins.n;
	c->source = arena_array(&c->arena, SourceIns, most + 1);
	for (int i = 0; i < w->order.n; i++) {
		const LowerFn *l = w->order.v[i];
		const Function *f = w->m->of->func.v[l->f->id];
		/* a block of the copy that nothing leads to has lost its instructions */
		for (int b = 0; b < l->ntext; b++)
			for (int k = 0; k < l->text[b]->ins.n; k++)
				c->source[c->nsource++] = (SourceIns){ l->text[b]->ins.v[k].opd,
					&f->block.v[b]->ins.v[k] };
	}
}

static void lower_stages(Lower *w, const Function *kernel)
{
	if (!can_run(w, kernel))
		return;
	lower_collect(w, kernel);
	note_sources(w);
	w->code->kernel = w->m->func.v[kernel->id];
	lower_recursion(w);
	if (w->diag->errors)
		return;
	for (int i = 0; i < w->order.n; i++)
		if (!prepare_function(w, w->order.v[i]))
			return;
	lower_bases(w);
	Code *c = w->code;
	w->shared_offset = arena_array(&w->arena, int64_t, w->m->symbol.n + 1);
	w->local_offset = arena_array(&w->arena, int64_t *, w->m->func.n);
	w->variable_bytes = arena_array(&w->arena, uint32_t, w->m->func.n);
	c->shared_static = layout_shared(w->m, c->kernel, w->shared_offset);
	for (int i = 0; i < w->order.n; i++) {
		LowerFn *l = w->order.v[i];
		int id = l->f->id;
		w->local_offset[id] = arena_array(&w->arena, int64_t, w->m->symbol.n + 1);
		w->variable_bytes[id] = layout_local(w->m->of, w->m->of->func.v[id], w->local_offset[id]);
		c->frame_of[id] = layout_local(w->m, l->f, w->local_offset[id]) + lower_call_area(l);
	}
	lower_rows(w);
	w->names = arena_array(&w->arena, uint16_t, 4096);
	for (int i = 0; i < w->order.n && !w->diag->errors; i++)
		lower_function(w, w->order.v[i]);
	for (int i = 0; i < w->order.n && w->indirect && !w->diag->errors; i++)
		if (w->order.v[i]->f->kind == FN_DEVICE)
			lower_stub(w, w->order.v[i]);
	if (w->diag->errors)
		return;
	apply_fixes(w);
	build_tables(w);
	lower_straight(c);
	c->frame = c->frame_of[c->kernel->id];
	c->spilled = c->frame - lower_call_area(w->of[c->kernel->id]) - w->variable_bytes[c->kernel->id];
}

Code *code_lower(const Module *module, const Function *kernel, const Config *config, LowerHook *mechanism,
	const OwnOp *own, const uint64_t *symbol_address, Diag *diag)
{
	Code *c = xcalloc(1, sizeof *c);
	c->module = module_view(module);
	c->own = own;
	int errors = diag->errors;
	Lower w = { .code = c, .m = c->module, .config = config, .mechanism = mechanism,
		.symbol_address = symbol_address, .diag = diag,
		.constants.width = (int)config->warp_size };
	w.of = arena_array(&w.arena, LowerFn *, w.m->func.n);
	c->entry = arena_array(&c->arena, uint32_t, w.m->func.n);
	c->frame_of = arena_array(&c->arena, uint32_t, w.m->func.n);
	c->stub = arena_array(&c->arena, uint32_t, w.m->func.n);
	for (int i = 0; i < w.m->func.n; i++)
		c->entry[i] = c->stub[i] = NO_PC;
	lower_stages(&w, kernel);
	for (int i = 0; i < w.order.n; i++)
		edit_close(&w.order.v[i]->edit);
	vec_free(&w.order);
	vec_free(&w.out);
	vec_free(&w.fix);
	vec_free(&w.live);
	vec_free(&w.mark);
	bank_free(&w.constants);
	arena_free(&w.arena);
	if (diag->errors > errors) {
		code_free(c);
		return NULL;
	}
	return c;
}

void code_free(Code *c)
{
	if (!c)
		return;
	module_free(c->module);
	arena_free(&c->arena);
	free(c);
}
