/* Functional runs: results and divergence statistics without time. Blocks are resident as in a timed run; warps take
 * turns, each runs until it waits or its turn is over. The clock counts issues of the SM. */
#include "sim/machine.h"

enum { TURN = 2000 };

static bool step(Sm *sm, Warp *w, Split *s)
{
	Issue is = { .now = sm->now };
	if (s->released) {
		int n = w->nsplit;
		split_released(sm, w, s);
		if (w->nsplit < n || s->state != SPLIT_RUN)
			return true;
	}
	exec_issue(sm, w, s, &is);
	sm->now++;
	return !sm->fault.kind;
}

/* Runs one split; with schedule = block to the end of its basic block. Returns instructions executed. */
static int run_split(Sm *sm, Warp *w, int k, int turn)
{
	bool by_block = sm->gpu->config.functional_schedule == SCHEDULE_BLOCK;
	int done = 0, n = w->nsplit;
	while (done < turn && k < w->nsplit && w->nsplit == n && w->split[k].state == SPLIT_RUN) {
		uint32_t pc = w->split[k].pc;
		if (!step(sm, w, &w->split[k]))
			return done;
		done++;
		if (by_block && n > 1 && op_info[sm->gpu->cur->ins[pc].op].flags & OPF_TERM)
			break;
	}
	return done;
}

static int run_warp(Sm *sm, Warp *w)
{
	int done = 0;
	for (int k = 0; k < w->nsplit && !sm->fault.kind;) {
		int n = w->nsplit;
		done += run_split(sm, w, k, TURN);
		k += w->nsplit >= n;
	}
	if (w->ending && !sm->fault.kind) {
		warp_retire(sm, w);
		done++;
	}
	return done;
}

/* One turn of every warp; false when nothing could move. */
bool functional_round(Sm *sm)
{
	int done = 0;
	for (int k = 0; k < sm->nwarps && !sm->fault.kind; k++)
		if (sm->warp[k].used)
			done += run_warp(sm, &sm->warp[k]);
	return done > 0;
}
