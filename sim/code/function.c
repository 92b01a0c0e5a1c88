/* Makes machine code of one function, block by block in the order of the layout. */
#include "sim/code/lower.h"

static void emit_ins(Lower *w, LowerFn *l, const Ins *i, const Block *b)
{
	if (i->op == OP_CALL)
		lower_call(w, l, i, b);
	else
		lower_plain(w, l, i, b);
}

/* Notes at the block's branch or calls, from instruction `first` on, that threads may wait for others
   there. */
static void note_waits(Lower *w, const LowerFn *l, const Block *b, int first)
{
	uint8_t where = l->may_wait[b->id];
	for (int k = first; where && k < w->out.n; k++) {
		MIns *m = &w->out.v[k];
		m->may_wait = m->kind == K_CALL ? where & WAIT_CALLS
			: (m->kind == K_BRA || m->kind == K_BRX) && where & WAIT_BRANCH;
	}
}

/* Is the last instruction before the terminator an operation of the mechanism by which all lanes leave the
   block? Then no lane reaches the terminator. */
static bool all_leave(const Code *c, const Block *b)
{
	const Ins *last = b->ins.n > 1 ? &b->ins.v[b->ins.n - 2] : NULL;
	return last && last->op == OP_OWN && !last->nsrc && c->own[last->mode].leaves;
}

typedef struct RegWriter { const Function *f; const Ins *i; bool writes; } RegWriter;

static void ask_written(void *self, int reg)
{
	RegWriter *w = self;
	w->writes |= ins_writes(w->f, w->i, reg);
}

/* Does the terminator have a mark that depends on a predicate which the instruction before it writes? Then
   that instruction cannot count the mark in place of the terminator. */
static bool needs_its_place(const Function *f, const Block *b)
{
	RegWriter w = { f, b->ins.n > 1 ? &b->ins.v[b->ins.n - 2] : NULL, false };
	if (w.i)
		mark_uses(f, block_term(b)->mark, ask_written, &w);
	return w.writes;
}

/* May the terminator be left out: a jump to the next block in the layout, unless the block has no other
   instruction, or one that no lane reaches? */
static bool jump_vanishes(const Code *c, const Function *f, const Block *b, const Block *next)
{
	const Ins *t = block_term(b);
	if (needs_its_place(f, b))
		return false;
	return all_leave(c, b) || (t->op == OP_BRA && !t->nsrc && b->succ[0] == next && b->ins.n > 1);
}

/* Is it a barrier or a warp-level operation? */
static bool meets_others(const Ins *i)
{
	return op_info[i->op].kind >= K_BAR && op_info[i->op].kind <= K_ELECT;
}

/* Emits instructions that set to 0 those registers of a called function which it may read before it has
   written them. A kernel needs none: its registers are cleared at launch. */
static void zero_undefined(Lower *w, LowerFn *l)
{
	Arena tmp = { 0 };
	Cfg *cfg = cfg_build(&tmp, l->f);
	Liveness *live = liveness_build(&tmp, cfg);
	Block *entry = l->f->block.v[0];
	BitSet argument = bs_new(&tmp, function_values(l->f));
	for (int i = 0; i < l->f->arg.n; i++)
		bs_add(argument, l->f->arg.v[i]);
	live_each(live, live->in[entry->id], v) {
		if (v == function_carry(l->f) || l->reg[v] < 0 || bs_has(argument, v))
			continue;
		Opd zero = opd_imm(0);
		if (lower_is_pred(l, v)) {
			MIns *m = lower_new(w, l, NULL, entry);
			m->op = OP_MOV;
			m->kind = KM_SREG;
			m->unit = UNIT_ALU;
			m->sreg = SREG_ZERO_PRED;
			m->x.d = lower_row(l, v);
			lower_writes(w, l, v);
			lower_finish(w, m);
		} else {
			lower_move(w, l, v, l, &zero, entry);
		}
	}
	arena_free(&tmp);
}

/* For livelock detection: lists the places of those registers that live at the end of a block and decide
   (decides.c). Returns the index of the list in Code.live. */
static int list_places(Lower *w, LowerFn *l, const IntList *decide)
{
	uint16_t *names = arena_array(&w->code->arena, uint16_t, decide->n * 2 + 1);
	int n = 0;
	for (int k = 0; k < decide->n; k++) {
		int v = decide->v[k];
		/* livelock detection always compares the carry flag */
		if (v == function_carry(l->f) || l->reg[v] < 0)
			continue;
		names[n++] = (uint16_t)lower_place(l, v);
		if (!lower_is_pred(l, v) && lower_is_wide(l, v))
			names[n++] = (uint16_t)(lower_place(l, v) + 1);
	}
	vec_push(&w->live, ((LiveList){ names, n }));
	return w->live.n - 1;
}

static void put_mark(Lower *w, const LowerFn *l, const Mark *x, int pc)
{
	CodeMark m = { .pc = pc, .mark = *x, .function = l->f,
		.counted = x->lanes || x->value.kind == OPD_REG ? w->code->ncounted++ : -1 };
	for (int k = x->lanes; k; k = l->f->lanes.v[k].next)
		m.nlanes++;
	CodeLanes *lanes = arena_array(&w->code->arena, CodeLanes, m.nlanes + 1);
	for (int k = x->lanes, n = 0; k; k = l->f->lanes.v[k].next, n++)
		lanes[n] = (CodeLanes){ lower_row(l, l->f->lanes.v[k].reg), l->f->lanes.v[k].neg };
	m.lanes = lanes;
	m.value = x->value.kind == OPD_REG ? (CodeLanes){ lower_row(l, x->value.id), x->value.neg }
		: (CodeLanes){ NO_ROW, x->value.kind == OPD_IMM && !x->value.imm };
	vec_push(&w->mark, m);
}

/* Gives a list of marks to the instruction at pc. mark: the first one, an index into Function.mark; 0:
   none. */
static void put_marks(Lower *w, const LowerFn *l, int mark, int pc)
{
	for (; mark; mark = l->f->mark.v[mark].next)
		put_mark(w, l, &l->f->mark.v[mark], pc);
}

void lower_function(Lower *w, LowerFn *l)
{
	Cfg *cfg = cfg_build(&w->arena, l->f);
	const IntList *decide = lower_deciding(&w->arena, l->f, cfg, liveness_build(&w->arena, cfg));
	w->code->entry[l->f->id] = (uint32_t)w->out.n;
	l->block_pc = arena_array(&w->arena, uint32_t, l->f->block.n);
	if (l->f->kind == FN_DEVICE)
		zero_undefined(w, l);
	for (int k = 0; k < l->nlayout; k++) {
		const Block *b = l->layout[k];
		int start = w->out.n;
		l->block_pc[b->id] = (uint32_t)start;
		int n = b->ins.n - jump_vanishes(w->code, l->f, b,
			k + 1 < l->nlayout ? l->layout[k + 1] : NULL);
		for (int i = 0; i < n; i++) {
			int first = w->out.n;
			emit_ins(w, l, &b->ins.v[i], b);
			put_marks(w, l, b->ins.v[i].mark, first);
			note_waits(w, l, b, first);
			if ((l->reach_all || (l->reach_behind_sync && i && meets_others(&b->ins.v[i - 1]))) &&
				w->out.n > first)
				w->out.v[first].flags |= MI_REACH;
		}
		/* the jump was left out: the instruction before it, which is issued as often, gets its
		   marks */
		if (n < b->ins.n && w->out.n > start)
			put_marks(w, l, block_term(b)->mark, w->out.n - 1);
		if (w->out.n > start && (vec_last(&w->out).kind == K_BRA || vec_last(&w->out).kind == K_BRX))
			vec_last(&w->out).live = list_places(w, l, &decide[b->id]);
		for (int k = start, at = -1; k < w->out.n; k++)
			if (w->out.v[k].kind == K_RECONV)
				w->out.v[k].live = at = at < 0 ? list_places(w, l, &decide[b->id]) : at;
		if (w->out.n == start)
			continue;
		put_marks(w, l, b->begins, start);
		if (l->reach[b->id])
			w->out.v[start].flags |= MI_REACH;
		if (l->reach_from[b->id] >= 0)
			vec_push(&w->fix, ((LowerFix){ .ins = start, .l = l,
				.to = l->f->block.v[l->reach_from[b->id]], .kind = FIX_RPC }));
		if (b->origin != ORIGIN_LOWER) {
			w->out.v[start].flags |= MI_BLOCK_START;
			w->out.v[start].block = w->code->nblock++;
		}
	}
}
