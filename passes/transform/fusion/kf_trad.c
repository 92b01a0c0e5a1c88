/* kf-trad fuses two launches of one block, if the first may move down and the second up to a place between
   them where they meet. The thesis compares its passes with this one (section 5.3.1: "fuses only originally
   consecutive kernels"). */
#include "passes/transform/fusion/launches.h"

/* Fuses the launch `first` with `second`, the next launch of the part. Returns the statement of the fused
   launch; -1: they are not fused. The first launch moves down as little as possible. */
static int join_next(Host *h, int first, int second)
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
			int joined = before < 0 ? -1 : join_next(h, before, s);
			before = joined < 0 ? s : joined;
		}
	}
}
