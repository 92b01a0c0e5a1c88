/* kf-trad: launches of one block, between which nothing is that neither of them may pass. The thesis compares
   with this (section 5.3.1: "fuses only originally consecutive kernels"). */
#include "passes/transform/fusion/launches.h"

/* The launch that `first` and `second`, the next one of the part, become; -1: none. The first sinks as little
   as possible. */
static int join(Host *h, int first, int second)
{
	FusionVerdict v;
	int one = h->stmt.v[first].launch, two = h->stmt.v[second].launch, last = h->stmt.v[second].prev;
	while (last != first && host_passes(h, two, last))
		last = h->stmt.v[last].prev;
	for (int s = h->stmt.v[first].next; last != first; s = h->stmt.v[s].next) {
		if (!host_passes(h, one, s))
			return -1;
		if (s == last)
			break;
	}
	if (last == first) {
		if (!host_may_join(h, first, one, two, &v))
			return -1;
		host_take(h, second);
	} else if (h->stmt.v[last].next == second) {
		if (!host_may_join(h, second, one, two, &v))
			return -1;
		host_take(h, first);
		first = second;
	} else {
		int between = host_put_behind(h, last, one);
		if (!host_may_join(h, between, one, two, &v)) {
			h->stmt.v[between].kind = STMT_GONE;
			return -1;
		}
		host_take(h, first);
		host_take(h, second);
		first = between;
	}
	host_join(h, first, one, two, &v);
	return first;
}

void host_kf_trad(Host *h)
{
	for (int p = 0; p < h->part.n; p++) {
		int before = -1;
		for (int s = h->part.v[p].first, next; s >= 0; s = next) {
			next = h->stmt.v[s].next;
			if (h->stmt.v[s].kind != STMT_LAUNCH)
				continue;
			int joined = before < 0 ? -1 : join(h, before, s);
			before = joined < 0 ? s : joined;
		}
	}
}
