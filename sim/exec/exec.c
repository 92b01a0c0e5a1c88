/* One instruction of one split: its effect on registers, control and statistics. */
#include "sim/exec/internal.h"

/* ---- statistics ---- */

/* Do the lanes go to different targets of the indexed branch? */
static bool indices_differ(Warp *w, const Split *s, const MIns *i, Mask lanes)
{
	uint32_t first = NO_PC;
	int l;
	each_lane(lanes, l) {
		uint32_t index = row32(&split_home(w, s, l)->lanes, i->x.a)[l];
		uint32_t target = index < (uint32_t)i->ntable ? i->table[index] : NO_PC;
		if (first != NO_PC && target != first)
			return true;
		first = target;
	}
	return false;
}

/* Counts an issue for those marks of the instruction that count some lanes only, or that depend on a
   value. */
static __attribute__((noinline)) void count_marks(Warp *w, Split *s, const MIns *i)
{
	const Code *c = w->share->grid->code;
	for (const CodeMark *x = &c->mark[i->mark]; x->pc == (int)s->pc; x++) {
		if (x->counted < 0)
			continue;
		Mask lanes = s->mask;
		for (int k = 0; k < x->nlanes; k++)
			lanes &= split_holds(w, s, x->lanes[k].predicate, x->lanes[k].neg);
		MarkCount *m = &w->share->marked[x->counted];
		m->issues += lanes || !x->nlanes;
		m->lanes += lane_count(lanes);
		if (x->mark.kind == MARK_BEGINS)
			continue;
		Mask taken = lanes & split_holds(w, s, x->value.predicate, x->value.neg);
		bool indexed = x->mark.value.kind == OPD_NONE && i->kind == K_BRX;
		m->divergent += indexed ? indices_differ(w, s, i, lanes) : taken && taken != lanes;
		m->taken += lane_count(taken);
	}
}

__attribute__((noinline)) void count_other(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	Share *share = w->share;
	InsCount *c = &share->count[s->pc];
	unsigned useful = lane_count(m);
	partings_issue(w, s, s->pc, (i->flags & MI_OVERHEAD) != 0);
	if (i->mark >= 0)
		count_marks(w, s, i);
	c->issues++;
	c->useful += useful;
	c->off += lane_count(s->mask) - useful;
	if (!s->mask)
		share->totals.noop_fetches += (i->flags & MI_BLOCK_START) != 0;
	share->totals.depth_sum += w->stack_depth;
	sm->issues++;
	if (tracing(sm))
		sm_trace(sm, w, s, TR_ISSUE, s->mask, s->pc, 0);
}

/* ---- control ---- */

/* The split has come to i, its new pc. The mechanism is told where lowering has asked for that. */
static inline void arrive_at_ins(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	if (must_reach(sm, w, i, s->pc)) {
		sm->gpu->model->reach(w, s);
		note_depth(sm, w);
	}
}

/* The split goes straight on to the instruction behind i. */
static inline void next(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	s->pc++;
	arrive_at_ins(sm, w, s, i + 1);
}

static void count_branch(Warp *w, const MIns *i, Mask taken, int paths)
{
	BranchCount *b = &w->share->branch[i->branch];
	b->taken += lane_count(taken);
	b->divergent += paths > 1;
}

static void take_branch_paths(Sm *sm, Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	if (sm->gpu->watching)
		livelock_watch(sm, w, s, i, p, n);
	if (n > 1)
		partings_ways(w, s, p, n);
	if (n == 1 && !sm->gpu->model->all_branches) {
		s->pc = p[0].pc;
		arrive_at_ins(sm, w, s, &w->ins[s->pc]);
		return;
	}
	sm->gpu->model->branch(w, s, i, p, n);
	note_depth(sm, w);
}

static void exec_branch(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	Path p[2];
	int n = 0;
	Mask taken = s->mask & split_holds(w, s, i->x.a, i->x.neg);
	if (taken)
		p[n++] = (Path){ i->target, taken };
	if (taken != s->mask)
		p[n++] = (Path){ i->fall, s->mask & ~taken };
	if (n == 2 && i->target == i->fall) {
		n = 1;
		p[0].mask = s->mask;
	}
	count_branch(w, i, taken, n);
	take_branch_paths(sm, w, s, i, p, n);
}

/* The lane goes to pc: with the lanes that go there already, or on a path of its own, behind the others. */
static int path_add(Path *p, int n, uint32_t pc, int lane)
{
	int k = 0;
	while (k < n && p[k].pc != pc)
		k++;
	if (k == n)
		p[n++] = (Path){ pc, 0 };
	p[k].mask |= (Mask)1 << lane;
	return n;
}

static void exec_brx(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	Path p[64];
	int n = 0, l;
	each_lane(s->mask, l) {
		Warp *h = split_home(w, s, l);
		uint32_t index = row32(&h->lanes, i->x.a)[l];
		if (index >= (uint32_t)i->ntable) {
			sm_fault(sm, h, i, FAULT_BRANCH, l, WORDS_INDEX, index, i->ntable);
			return;
		}
		n = path_add(p, n, i->table[index], l);
	}
	for (int a = 1; a < n; a++) /* in order of address: the lowest first, whatever lane asked first */
		for (int b = a; b > 0 && p[b].pc < p[b - 1].pc; b--) {
			Path t = p[b];
			p[b] = p[b - 1];
			p[b - 1] = t;
		}
	count_branch(w, i, s->mask, n);
	take_branch_paths(sm, w, s, i, p, n);
}

static void grow_return_stack(Warp *w, uint32_t depth)
{
	if (depth < w->ret_cap)
		return;
	uint32_t cap = w->ret_cap ? w->ret_cap * 2 : 8;
	if (!w->ret_cap) {
		w->sp = xcalloc((size_t)w->lanes.width, sizeof *w->sp);
		w->depth = xcalloc((size_t)w->lanes.width, sizeof *w->depth);
	}
	w->ret = xrealloc(w->ret, sizeof *w->ret * cap * 2 * (size_t)w->lanes.width);
	w->ret_cap = cap;
}

enum { MOST_CALLS = 65536 };

/* The lane's register holds no address that this call can go to. */
static void no_callee(Sm *sm, Warp *h, const MIns *i, int lane, const Fault *why)
{
	if (sm->fault.kind)
		return;
	sm_fault(sm, h, i, why->kind, lane, "%s", why->text);
	sm->fault.loc = why->loc.file ? why->loc : sm->fault.loc;
}

/* Writes the paths on which the lanes go: all to one callee, or each to the function whose address it holds.
   Returns the number of paths, 0 after a fault. */
static int paths_of_call(Sm *sm, Warp *w, Split *s, const MIns *i, Path *p)
{
	const Code *c = code_of(w);
	int n = 0, l;
	if (i->target != NO_PC) {
		p[0] = (Path){ i->target, s->mask };
		return 1;
	}
	each_lane(s->mask, l) {
		Warp *h = split_home(w, s, l);
		uint64_t v = i->flags & MI_ADDR64 ? row64(&h->lanes, i->x.a)[l] : row32(&h->lanes, i->x.a)[l];
		Fault why;
		const Function *f = call_target(c->module, i->src, v, &why);
		if (!f) {
			no_callee(sm, h, i, l, &why);
			return 0;
		}
		must(c->stub[f->id] != NO_PC);
		n = path_add(p, n, c->stub[f->id], l);
	}
	return n;
}

static void exec_call(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	int l, W = w->lanes.width;
	const Code *c = code_of(w);
	Path p[64];
	if (!s->mask) {
		next(sm, w, s, i);
		return;
	}
	int n = paths_of_call(sm, w, s, i, p);
	if (!n)
		return;
	uint32_t callee_frame = c->frame_of[c->ins[p[0].pc].function->id];
	each_lane(s->mask, l) {
		Warp *h = split_home(w, s, l);
		uint32_t d = h->depth[l], sp = h->sp[l] + i->frame;
		if ((int64_t)sp + callee_frame > sm->gpu->config.sm_local || d >= MOST_CALLS) {
			sm_fault(sm, h, i, FAULT_LOCAL, l, WORDS_CALLS, (int)d, (unsigned long long)sp,
				(unsigned long long)sm->gpu->config.sm_local);
			return;
		}
		grow_return_stack(h, d);
		h->ret[(size_t)(d * 2) * W + l] = s->pc + 1;
		h->ret[(size_t)(d * 2 + 1) * W + l] = i->frame;
		h->depth[l]++;
		h->sp[l] = sp;
	}
	if (n > 1)
		partings_ways(w, s, p, n);
	sm->gpu->model->call(w, s, p, n, s->pc + 1);
	note_depth(sm, w);
}

/* Lanes m of the split, not all, have ended. The others go on behind the instruction. */
static void others_go_on(Sm *sm, Warp *w, Split *s, Mask m)
{
	const ReconvModel *model = sm->gpu->model;
	int lane = lowest_lane(s->mask & ~m);
	uint32_t pc = ++s->pc;
	if (model->some_exit)
		model->some_exit(w, s, m);
	else
		reconv_shed(w, s, m);
	for (int k = 0; k < w->nsplit && !model->regroups; k++) /* the hook may have moved the split */
		if (w->split[k].mask >> lane & 1)
			s = &w->split[k];
	if (s->pc == pc)
		arrive_at_ins(sm, w, s, &w->ins[pc]);
}

/* Ends lanes m of the split; m is not empty. */
static void end_lanes(Sm *sm, Warp *w, Split *s, Mask m)
{
	Part part[64];
	Cta *cta = w->cta;
	int n = reconv_parts(w, s, part);
	for (int k = 0; k < n; k++) {
		part[k].mask &= m;
		if (!part[k].mask)
			continue;
		part[k].home->live &= ~part[k].mask;
		partings_end_lanes(part[k].home, part[k].mask);
	}
	cta->live -= lane_count(m);
	sm->last_progress = sm->now;
	if (tracing(sm))
		sm_trace(sm, w, s, TR_EXIT, m, s->pc, lane_count(w->live));
	if (m == s->mask)
		sm->gpu->model->exit(w, s, m);
	else
		others_go_on(sm, w, s, m);
	note_depth(sm, w);
	for (int k = 0; k < n; k++)
		if (part[k].mask && part[k].home->live)
			warpsync_recheck(sm, part[k].home);
		else if (part[k].mask)
			warp_end_check(sm, part[k].home);
	barrier_thread_exit(sm, cta);
}

/* Ends the split's lanes; of an exit under a guard, which stands for a branch, those for which the guard
   holds. */
static void exec_exit(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	Mask m = s->mask;
	if (i->op == OP_EXITIF) {
		m &= split_holds(w, s, i->x.a, i->x.neg);
		count_branch(w, i, i->x.mode == EXIT_TAKEN ? m : s->mask & ~m, 1 + (m && m != s->mask));
	}
	if (m)
		end_lanes(sm, w, s, m);
	else if (i->op == OP_EXITIF)
		next(sm, w, s, i);
	else                           /* the split has no lane: the mechanism says where to go on */
		sm->gpu->model->exit(w, s, 0);
}

static void exec_ret(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	Path p[64];
	int n = 0, l, W = w->lanes.width;
	if (i->function->kind == FN_KERNEL) {
		exec_exit(sm, w, s, i);
		return;
	}
	each_lane(s->mask, l) {
		Warp *h = split_home(w, s, l);
		uint32_t d = --h->depth[l];
		h->sp[l] -= h->ret[(size_t)(d * 2 + 1) * W + l];
		n = path_add(p, n, h->ret[(size_t)(d * 2) * W + l], l);
	}
	if (n > 1)
		partings_ways(w, s, p, n);
	sm->gpu->model->ret(w, s, p, n);
	note_depth(sm, w);
}

/* ---- any instruction ---- */

static void sleep_lanes(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	uint32_t most = 0;
	int l;
	each_lane(m, l) {
		uint32_t ns = row32(&split_home(w, s, l)->lanes, i->x.a)[l];
		if (ns > most)
			most = ns;
	}
	if (most > 1000000)
		most = 1000000;
	Cycle cycles = (Cycle)most * (Cycle)sm->gpu->config.clock_mhz / 1000;
	wait_not_before(&s->wait, sm->now + cycles, STALL_SLEEP, sm->now);
}

/* Executes an operation of the mechanism's own, for the lanes whose predicate holds. It may stand for a
   branch of the program, and lanes may go back to a loop's header by it. */
static void exec_special(Sm *sm, Warp *w, Split *s, const MIns *i)
{
	Mask all = s->mask, lanes = all & split_holds(w, s, i->x.a, i->x.neg);
	uint32_t pc = s->pc;
	if (i->branch >= 0)
		count_branch(w, i, i->x.neg ? all & ~lanes : lanes, 1 + (lanes && lanes != all));
	if (i->branch >= 0 && sm->gpu->watching)
		livelock_watch(sm, w, s, i, (Path[]){ { i->target, lanes }, { pc + 1, all & ~lanes } }, 2);
	sm->gpu->model->special(w, s, i, lanes);
	note_depth(sm, w);
	if (sm->gpu->watching && s < w->split + w->nsplit && s->state == SPLIT_RUN && s->pc <= pc &&
		s->mask == all)
		livelock_watch(sm, w, s, i, &(Path){ s->pc, all }, 1);
}

/* Lanes of several homes: the lane function is called for each home. */
static void exec_by_home(const Split *s, const MIns *i, Mask m)
{
	each_part(s, p)
		if (p->mask & m)
			i->x.fn(&i->x, &p->home->lanes, p->mask & m);
}

static void exec_data(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m, Issue *is)
{
	exec_memory(sm, w, s, i, m, is);
	count_issue(sm, w, s, i, m);
	if (is->lanes)
		sm_trace(sm, w, s, TR_MEMORY, is->lanes, is->lowest, is->sectors);
	if (is->hits && is->misses && !(i[1].flags & MI_REACH)) {
		s->pc++;
		sm->gpu->model->times.loaded(w, s, i, is->hits, is->misses);
		note_depth(sm, w);
		return;
	}
	if (is->queued && !(i[1].flags & MI_REACH)) {
		s->pc++;
		lsu_wait(sm, w, s);
		return;
	}
	next(sm, w, s, i);
}

static void exec_special_registers(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	if (!s->parts)
		exec_sreg(sm, w, i, m);
	else
		each_part(s, p)
			exec_sreg(sm, p->home, i, p->mask & m);
	next(sm, w, s, i);
}

void exec_control(Sm *sm, Warp *w, Split *s, const MIns *i, Mask m)
{
	switch (i->kind) {
	case K_BRA:
		if (i->flags & MI_COND)
			exec_branch(sm, w, s, i);
		else
			take_branch_paths(sm, w, s, i, &(Path){ i->target, s->mask }, 1);
		break;
	case K_BRX: exec_brx(sm, w, s, i); break;
	case K_CALL: exec_call(sm, w, s, i); break;
	case K_RET: exec_ret(sm, w, s, i); break;
	case K_EXIT: exec_exit(sm, w, s, i); break;
	case K_TRAP:
		if (m)
			sm_fault(sm, split_home(w, s, lowest_lane(m)), i, FAULT_TRAP, lowest_lane(m),
				WORDS_TRAP);
		else
			next(sm, w, s, i);
		break;
	case K_RECONV: exec_special(sm, w, s, i); break;
	case K_ASSERT:
		if (m)
			exec_assertion(sm, split_home(w, s, lowest_lane(m)), i, lowest_lane(m));
		else
			next(sm, w, s, i);
		break;
	case K_PRINT:
		exec_print(sm, w, s, i, m);
		next(sm, w, s, i);
		break;
	case K_SLEEP:
		sleep_lanes(sm, w, s, i, m);
		next(sm, w, s, i);
		break;
	case K_FENCE:
		exec_fence(sm, w, s, i, m);
		next(sm, w, s, i);
		break;
	default: next(sm, w, s, i); break;
	}
}

void exec_issue(Sm *sm, Warp *w, Split *s, Issue *is)
{
	const MIns *i = &w->ins[s->pc];
	Mask m = s->mask;
	if (i->guard >= 0)
		m &= split_holds(w, s, (uint32_t)i->guard, i->flags & MI_GUARD_NEG);
	is->executing = m;
	switch (i->kind) {
	case K_ALU:
		count_issue(sm, w, s, i, m);
		if (m && !s->parts)
			i->x.fn(&i->x, &w->lanes, m);
		else if (m)
			exec_by_home(s, i, m);
		next(sm, w, s, i);
		break;
	case KM_SREG:
		count_issue(sm, w, s, i, m);
		exec_special_registers(sm, w, s, i, m);
		break;
	case K_LD: case K_ST: case K_ATOM:
		exec_data(sm, w, s, i, m, is);
		break;
	case K_BAR: {
		BarrierOperands o;
		if (!exec_barrier_fits(sm, w, i, m, &o) || exec_put_aside(sm, w, s, i, m))
			return;
		count_issue(sm, w, s, i, m);
		exec_barrier(sm, w, s, i, m, &o);
		break;
	}
	case K_WARPSYNC: case K_SHFL: case K_VOTE: case K_MATCH: case K_ACTIVE: case K_REDUX: case K_ELECT:
		if (!exec_together_fits(sm, w, i, m) || exec_put_aside(sm, w, s, i, m))
			return;
		count_issue(sm, w, s, i, m);
		is->late = exec_warp_op(sm, w, s, i, m);
		break;
	default:
		count_issue(sm, w, s, i, m);
		exec_control(sm, w, s, i, m);
		break;
	}
}

void exec_access(Sm *sm, Warp *w, Mask lanes, uint32_t pc, Issue *is)
{
	const MIns *i = &w->ins[pc];
	Split all = { .pc = pc, .mask = lanes };
	Mask m = i->guard < 0 ? lanes : lanes & split_holds(w, &all, (uint32_t)i->guard,
		i->flags & MI_GUARD_NEG);
	exec_memory(sm, w, &all, i, m, is);
	for (int k = 0; k < w->nsplit; k++) {
		Split *s = &w->split[k];
		if (!(s->mask & lanes))
			continue;
		count_issue(sm, w, s, i, s->mask & m);
		if (is->lanes)
			sm_trace(sm, w, s, TR_MEMORY, is->lanes, is->lowest, is->sectors);
		is->lanes = 0; /* the splits make one access together, which is traced once */
		next(sm, w, s, i);
	}
}
