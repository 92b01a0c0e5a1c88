#include "sim/reconv/common/splits.h"

void splits_launch(Warp *w, Mask lanes, uint32_t pc)
{
	*reconv_splits(w) = (Split){ .pc = pc, .mask = lanes, .line = NO_PC };
	*reconv_nsplit(w) = 1;
}

int splits_depth(const Warp *w) { return *reconv_nsplit((Warp *)w); }

int splits_running(Warp *w)
{
	each_split(w, s)
		if (s->state == SPLIT_RUN)
			return (int)(s - reconv_splits(w));
	return -1;
}

Mask splits_waiting(Warp *w)
{
	Mask m = 0;
	each_split(w, s)
		m |= split_waits(s) ? s->mask : 0;
	return m;
}

void split_park(Split *s)
{
	s->state = SPLIT_PARKED;
	s->wait.why = STALL_DIVERGENCE;
}

void split_not_before(Warp *w, Split *s, Cycle c, uint8_t why)
{
	wait_not_before(&s->wait, c, why, reconv_now(w));
}

void split_run(Warp *w, Split *s)
{
	s->state = SPLIT_RUN;
	split_not_before(w, s, reconv_now(w) + 1, STALL_DIVERGENCE);
}

void split_permit(Warp *w, Split *s, bool may)
{
	if (s->state == SPLIT_RUN && !may)
		split_park(s);
	else if (s->state == SPLIT_PARKED && may)
		split_run(w, s);
}

Split *splits_add(Warp *w, Path p, const Split *from)
{
	Split *t = &reconv_splits(w)[(*reconv_nsplit(w))++];
	/* the new split need not wait for memory traffic of the split `from` */
	SplitWait wait = wait_until(from->wait.known, from->wait.why);
	*t = (Split){ .pc = p.pc, .mask = p.mask, .line = NO_PC, .wait = wait };
	return t;
}

void split_redirect(Warp *w, Split *s, uint32_t pc)
{
	if (s->pc == pc)
		return;
	wait_delay(reconv_events(w), &s->wait, (Cycle)reconv_config(w)->fetch_redirect, reconv_now(w));
	s->wait.why = STALL_BRANCH;
}

Split *splits_part(Warp *w, Split *s, Mask m)
{
	Split *t = &reconv_splits(w)[(*reconv_nsplit(w))++];
	*t = *s;
	t->mask = m;
	s->mask &= ~m;
	return t;
}

void split_join(Warp *w, Split *into, const Split *s, Mask m)
{
	into->mask |= m;
	wait_join(reconv_events(w), &into->wait, &s->wait, reconv_now(w));
}

void splits_take_out(Warp *w, Split *s, void *table, size_t row)
{
	int at = reconv_close_gap(w, s);
	char *gone = (char *)table + row * (size_t)at;
	memmove(gone, gone + row, row * (size_t)(*reconv_nsplit(w) - at));
}

void split_merge(Warp *w, Split *into, const Split *s, Mask m)
{
	split_join(w, into, s, m);
	reconv_count_merge(w, into, into->pc, into->mask);
}

void paths_sort(const Path *p, int n, int *order, int (*key)(Mask))
{
	for (int a = 1; a < n; a++) {
		int x = order[a], b = a;
		for (; b > 0 && key(p[order[b - 1]].mask) > key(p[x].mask); b--)
			order[b] = order[b - 1];
		order[b] = x;
	}
}
