/* Functional runs: results and divergence statistics without time. Blocks are resident as in a timed run.
 * Warps run one after the other, each until it waits or has issued options.turn instructions. The clock
 * counts issues of the SM. */
#include "sim/sm/sm.h"

static bool step_functional(Sm *sm, Warp *w, Split *s)
{
	Issue is;
	if (s->released) {
		int n = w->nsplit;
		split_released(sm, w, s);
		if (w->nsplit < n || s->state != SPLIT_RUN)
			return true;
	}
	if (s->parts && homes_scatter(sm, w, s))
		return true;
	is.now = sm->now;
	s->wait = wait_until(sm->now + 1, STALL_DATA);
	exec_issue(sm, w, s, &is);
	if (tracing(sm))
		tracer_cycle(sm);
	sm->now++;
	return !sm->fault.kind;
}

/* Runs a split until the list of splits changes, the split waits, or it has issued `turn` instructions;
 * by_block: or until it comes to the end of a block while other splits may want to run. Returns the number of
 * instructions issued. */
static int run_split(Sm *sm, Warp *w, int k, int turn, bool by_block)
{
	const MIns *ins = w->ins;
	const Code *code = code_of(w);
	bool straight = !by_block && !tracing(sm);
	Split *s = &w->split[k];
	int done = 0, n = w->nsplit;
	if (k == n)
		return 0;
	while (done < turn && w->nsplit == n && s->state == SPLIT_RUN) {
		uint32_t pc = s->pc;
		if (straight && straight_begins(&code->straight[pc]) && s->mask && !s->released) {
			done += exec_straight(sm, w, s, turn - done);
			if (sm->fault.kind)
				return done;
			continue;
		}
		if (!step_functional(sm, w, s))
			return done;
		done++;
		if (by_block && n > 1 && k < w->nsplit && (op_info[ins[pc].op].flags & OPF_TERM ||
			(s->pc != pc && ins[s->pc].flags & MI_BLOCK_START)))
			break;
	}
	return done;
}

/* Returns the index of the split that may run and has waited longest; -1: none may. */
static int next_in_turn(const Warp *w)
{
	int first = -1;
	for (int k = 0; k < w->nsplit; k++)
		if (w->split[k].state == SPLIT_RUN && (first < 0 || w->split[k].turn < w->split[first].turn))
			first = k;
	return first;
}

/* schedule = block: first in, first out. The split that has run and splits that are new go behind all others,
   in the list's order. */
static int run_blocks(Sm *sm, Warp *w)
{
	int done = 0;
	for (int k; done < sm->gpu->options.turn && !sm->fault.kind && w->alarm > sm->now &&
		(k = next_in_turn(w)) >= 0;) {
		uint32_t turn = w->split[k].turn;
		done += run_split(sm, w, k, sm->gpu->options.turn, true);
		for (k = 0; k < w->nsplit; k++)
			if (w->split[k].turn <= turn)
				w->split[k].turn = ++w->turns;
	}
	return done;
}

static int ring(Sm *sm, Warp *w)
{
	w->alarm = NO_ALARM;
	sm->gpu->model->times.alarm(w);
	return 1;
}

static int run_warp(Sm *sm, Warp *w)
{
	int done = 0;
	if (w->alarm <= sm->now)
		done += ring(sm, w);
	if (sm->gpu->config.functional_schedule == SCHEDULE_BLOCK)
		done += run_blocks(sm, w);
	else
		for (int k = 0; k < w->nsplit && !sm->fault.kind;) {
			int n = w->nsplit;
			if (w->split[k].state == SPLIT_RUN)
				done += run_split(sm, w, k, sm->gpu->options.turn, false);
			k += w->nsplit >= n;
		}
	if (w->ending && !sm->fault.kind) {
		warp_retire(sm, w);
		done++;
	}
	return done;
}

/* The index of the first split that may run; nsplit: none may. */
static int first_runnable(const Warp *w)
{
	int k = 0;
	while (k < w->nsplit && w->split[k].state != SPLIT_RUN)
		k++;
	return k;
}

/* The mechanism chooses the split that runs on, after every instruction or, with schedule = block, every
   basic block. */
static int ordered_round(Sm *sm)
{
	bool by_block = sm->gpu->config.functional_schedule == SCHEDULE_BLOCK;
	int done = 0;
	while (done < sm->gpu->options.turn && !sm->fault.kind) {
		Warp *list[MOST_WARPS];
		int n = 0, k;
		each_slot(&sm->used, k) {
			Warp *w = &sm->warp[k];
			if (w->ending) {
				warp_retire(sm, w);
				done++;
			} else if (first_runnable(w) < w->nsplit) {
				list[n++] = w;
			}
		}
		if (!n)
			break;
		sm->gpu->model->blocks.order(list, n);
		done += run_split(sm, list[0], first_runnable(list[0]), by_block ? sm->gpu->options.turn : 1,
			by_block);
	}
	return done;
}

/* Runs every warp once; false: no warp could run, and no time-out is to come. */
bool functional_round(Sm *sm)
{
	int done = sm->gpu->model->blocks.order ? ordered_round(sm) : 0;
	int k;
	each_slot(&sm->used, k)
		if (!sm->gpu->model->blocks.order && !sm->fault.kind)
			done += run_warp(sm, &sm->warp[k]);
	if (done || sm->fault.kind)
		return true;
	Cycle next = NO_ALARM; /* no lane can go on before a time-out */
	each_slot(&sm->used, k)
		if (sm->warp[k].alarm < next)
			next = sm->warp[k].alarm;
	if (next == NO_ALARM)
		return false;
	sm->now = next;
	return true;
}
