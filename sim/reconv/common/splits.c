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
	s->why = STALL_DIVERGENCE;
}

void split_run(Warp *w, Split *s)
{
	s->state = SPLIT_RUN;
	if (s->ready < reconv_now(w) + 1)
		s->ready = reconv_now(w) + 1;
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
	Cycle ready = from->wait ? reconv_now(w) + 1 : from->ready; /* the new split need not wait for the other's memory traffic */
	*t = (Split){ .pc = p.pc, .mask = p.mask, .line = NO_PC, .ready = ready, .why = from->why };
	return t;
}

void split_redirect(Warp *w, Split *s, uint32_t pc)
{
	if (s->pc == pc)
		return;
	s->ready += (Cycle)reconv_config(w)->fetch_redirect;
	s->why = STALL_BRANCH;
}

Split *splits_part(Warp *w, Split *s, Mask m)
{
	Split *t = &reconv_splits(w)[(*reconv_nsplit(w))++];
	*t = *s;
	t->mask = m;
	s->mask &= ~m;
	return t;
}

void split_join(Split *into, const Split *s, Mask m)
{
	into->mask |= m;
	if (!s->wait) {
		split_not_before(into, s->ready, s->why);
		return;
	}
	if (!into->wait) {
		into->floor = into->ready;
		into->ready = s->ready;
		into->why = s->why;
		into->wait = s->wait;
		into->waits = s->waits;
		into->late = s->late;
	}
	split_not_before(into, s->floor, s->why);
}

void splits_take_out(Warp *w, Split *s, void *table, size_t row)
{
	int at = reconv_close_gap(w, s);
	char *gone = (char *)table + row * (size_t)at;
	memmove(gone, gone + row, row * (size_t)(*reconv_nsplit(w) - at));
}

void split_merge(Warp *w, Split *into, const Split *s, Mask m)
{
	split_join(into, s, m);
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
