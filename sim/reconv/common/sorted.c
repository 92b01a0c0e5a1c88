/* A sorted list of groups as the state of a warp. */
#include "sim/reconv/common/sorted.h"
#include "sim/reconv/common/splits.h"

size_t sorted_size(const Config *c) { return sizeof(Sorted); }
int sorted_depth(const Warp *w) { return ((Sorted *)reconv_state((Warp *)w))->n; }

static bool group_runs_before(const Listed *a, const Listed *b)
{
	return a->depth != b->depth ? a->depth > b->depth : a->pc < b->pc;
}

static void insert_group(Warp *w, Split *s, Sorted *k, Listed g, const SortedRules *r)
{
	int at = k->n;
	while (at > 0 && group_runs_before(&k->g[at - 1], &g))
		at--;
	reconv_delay(w, s, r->insert * (Cycle)(k->n - at));
	if (at > 0 && k->g[at - 1].pc == g.pc && k->g[at - 1].depth == g.depth) {
		k->g[at - 1].mask |= g.mask;
		reconv_count_merge(w, s, g.pc, k->g[at - 1].mask);
		return;
	}
	if (r->stack)
		reconv_spill_push(w, s, &k->spill, r->spill);
	memmove(&k->g[at + 1], &k->g[at], sizeof *k->g * (size_t)(k->n - at));
	k->g[at] = g;
	k->n++;
	reconv_count_push(w, s, g.pc, g.mask);
}

static void take_out_running(Warp *w, Split *s, Sorted *k, bool counted, const SortedRules *r)
{
	if (r->stack)
		reconv_spill_pop(w, s, &k->spill, r->fill);
	k->n--;
	memmove(&k->g[k->run], &k->g[k->run + 1], sizeof *k->g * (size_t)(k->n - k->run));
	if (counted)
		reconv_count_pop(w, s, s->pc, s->mask);
}

void sorted_launch(Warp *w, Mask lanes, uint32_t pc)
{
	Sorted *k = reconv_state(w);
	k->n = 1;
	k->run = 0;
	k->spill = (StackSpill){ .resident = 1 };
	k->g[0] = (Listed){ .pc = pc, .mask = lanes };
	splits_launch(w, lanes, pc);
}

void sorted_move(Warp *w, Split *s, const Path *p, int n, const SortedRules *r)
{
	Sorted *k = reconv_state(w);
	uint32_t depth = r->by_depth ? reconv_call_depth(w, s->mask) : 0;
	take_out_running(w, s, k, true, r);
	for (int a = 0; a < n; a++)
		insert_group(w, s, k, (Listed){ .pc = p[a].pc, .depth = depth, .mask = p[a].mask }, r);
}

void sorted_exit(Warp *w, Split *s, const SortedRules *r)
{
	Sorted *k = reconv_state(w);
	k->g[k->run].mask = s->mask = 0;
	take_out_running(w, s, k, k->n > 1, r);
}

void sorted_some_exit(Warp *w, Split *s, Mask m)
{
	Sorted *k = reconv_state(w);
	reconv_shed(w, s, m);
	k->g[k->run].mask = s->mask;
}

void sorted_select(Warp *w, Split *s, int at, const SortedRules *r)
{
	Sorted *k = reconv_state(w);
	if (!k->n) {
		*reconv_nsplit(w) = 0;
		return;
	}
	if (r->stack)
		reconv_spill_top(w, s, &k->spill, r->fill);
	k->run = at < 0 ? k->n - 1 : at;
	s->pc = k->g[k->run].pc;
	s->mask = k->g[k->run].mask;
}

void sorted_show(const Warp *w, Rows *rows)
{
	const Sorted *k = reconv_state((Warp *)w);
	for (int i = 0; i < k->n; i++) {
		TraceRow r = trace_row(ROW_LISTED, k->g[i].pc, k->g[i].mask);
		r.n = k->g[i].depth;
		r.other = k->g[i].want;
		r.flags = reconv_flag(i < k->spill.spilled, FLAG_IN_MEMORY);
		if (i == k->run)
			reconv_show_split(w, reconv_splits((Warp *)w), &r);
		reconv_show(rows, &r);
	}
}

/* A group waits for all groups before it in the order; a group that has been put aside waits for the lanes in
   its `want`. */
bool sorted_held(const Warp *w, int lane, Held *h)
{
	const Sorted *k = reconv_state((Warp *)w);
	Mask front = 0;
	for (int i = k->n - 1; i >= 0; i--) {
		const Listed *g = &k->g[i];
		if (i != k->run && g->mask >> lane & 1) {
			*h = g->want ? (Held){ g->pc, "the list of groups, put aside at a barrier or "
				"warp-level operation,", g->pc,
				g->want & reconv_live(w) & ~g->mask } : (Held){ g->pc, "the list of groups",
				g->pc, front };
			return true;
		}
		front |= g->mask;
	}
	return false;
}
