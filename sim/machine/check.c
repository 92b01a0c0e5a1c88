/* Asserts, before and after every hook of a mechanism, what sim/reconv/seam.h promises (configure
 * --enable-checks; tests/sim/reconv/check_seam.c). The table that the core calls is the mechanism's with each
 * hook between two checks: the first, that the core calls the hook as the header says; the second, that the
 * hook leaves a sound state, above all each live lane in one place. */
#include "sim/machine/machine.h"
#include <stdio.h>

/* Reports a promise that does not hold. If the check comes before the hook, the core has broken it, else the
   mechanism. */
static _Noreturn __attribute__((format(printf, 3, 4))) void broken(const Warp *w, const char *hook,
	const char *fmt, ...)
{
	va_list ap;
	fprintf(stderr, "gsim: mechanism %s, %s, warp %d of block %llu, cycle %llu: ", w->sm->gpu->real->name,
		hook, w->index, (unsigned long long)w->cta->number, (unsigned long long)w->sm->now);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	bug("a promise of sim/reconv/seam.h does not hold");
}

#define WHEN(COND, W, HOOK, ...) ((COND) ? broken((W), (HOOK), __VA_ARGS__) : (void)0)

static const ReconvModel *real_model(const Warp *w) { return w->sm->gpu->real; }
static bool has_pc(const Warp *w, uint32_t pc) { return pc < (uint32_t)code_of(w)->n; }

/* ---- after a hook: splits, and where lanes are ---- */

static void check_split_parts(const Warp *w, const Split *s, const char *hook)
{
	Mask all = 0;
	if (!s->parts)
		return;
	WHEN(!real_model(w)->regroups, w, hook, "split %d has lanes of several warps", (int)(s - w->split));
	each_part(s, p) {
		WHEN(!p->mask || all & p->mask, w, hook, "the parts of split %d are empty or overlap",
			(int)(s - w->split));
		WHEN(!p->home->used || p->home->cta != w->cta, w, hook, "split %d has lanes of another block",
			(int)(s - w->split));
		all |= p->mask;
	}
	WHEN(all != s->mask, w, hook, "the parts of split %d do not make up its mask", (int)(s - w->split));
}

static void check_split(const Warp *w, const Split *s, const char *hook)
{
	int k = (int)(s - w->split);
	WHEN(!s->mask && !real_model(w)->runs_empty, w, hook, "split %d has no lane", k);
	WHEN(!has_pc(w, s->pc), w, hook, "split %d is at pc %u, behind the code", k, s->pc);
	WHEN(s->state > SPLIT_PARKED, w, hook, "split %d has state %d", k, s->state);
	WHEN(s->state == SPLIT_BARRIER && s->barrier > GRID_BARRIER, w, hook, "split %d waits at barrier %d",
		k, s->barrier);
	WHEN(s->wait.why >= STALL_COUNT, w, hook, "split %d waits for reason %d", k, s->wait.why);
	WHEN(s->wait.events > (uint32_t)w->sm->awaited.member.n, w, hook,
		"split %d waits for what nobody will tell", k);
	WHEN(s->wait.known >= PENDING, w, hook, "split %d is said to be ready at %llu", k,
		(unsigned long long)s->wait.known);
	check_split_parts(w, s, hook);
}

/* Adds the split's lanes to those found so far, in[slot of their home]. No lane may be found twice or have
   ended. */
static void find_lanes(Warp *w, const Split *s, Mask *in, const char *hook)
{
	Part part[64];
	int n = s->mask ? reconv_parts(w, s, part) : 0;
	for (int k = 0; k < n; k++) {
		const Warp *h = part[k].home;
		WHEN(in[h->slot] & part[k].mask, h, hook, "lanes %#llx are in two splits",
			(unsigned long long)(in[h->slot] & part[k].mask));
		WHEN(part[k].mask & ~h->live, h, hook, "lanes %#llx have ended and are in a split",
			(unsigned long long)(part[k].mask & ~h->live));
		in[h->slot] |= part[k].mask;
	}
}

static void check_held(const Warp *w, int lane, const char *hook)
{
	Held h = { NO_PC, NULL, NO_PC, 0 };
	WHEN(!real_model(w)->stuck.held || !real_model(w)->stuck.held(w, lane, &h), w, hook,
		"lane %d is in no split, and the mechanism does not hold it", lane);
	WHEN(h.pc != NO_PC && !has_pc(w, h.pc), w, hook,
		"lane %d is held until it goes on at pc %u, behind the code", lane, h.pc);
	WHEN(h.until != NO_PC && !has_pc(w, h.until), w, hook,
		"lane %d is held until others come to pc %u, behind the code", lane, h.until);
	WHEN(!h.in, w, hook, "lane %d is held in nothing", lane);
}

static void check_warp(Warp *w, Mask *in, const char *hook)
{
	int room = real_model(w)->regroups ? 2 * w->lanes.width + 2 : w->lanes.width;
	WHEN(w->nsplit < 0 || w->nsplit > room, w, hook, "there are %d splits", w->nsplit);
	WHEN(!real_model(w)->regroups && !w->live != !w->nsplit, w, hook,
		"there are %d splits of the lanes %#llx", w->nsplit, (unsigned long long)w->live);
	for (int k = 0; k < w->nsplit; k++) {
		check_split(w, &w->split[k], hook);
		find_lanes(w, &w->split[k], in, hook);
	}
}

/* Checks that each live lane of the warp, and of the warps with which it may share splits, is in one place:
   in a split, or held by the mechanism. */
static void check_lane_places(Warp *w, const char *hook)
{
	Warp *list[MOST_WARPS] = { w };
	Mask in[MOST_WARPS] = { 0 };
	int n = real_model(w)->regroups ? reconv_block_warps(w, list) : 1, l;
	for (int k = 0; k < n; k++)
		check_warp(list[k], in, hook);
	for (int k = 0; k < n; k++)
		each_lane(list[k]->live & ~in[list[k]->slot], l)
			check_held(list[k], l, hook);
}

/* ---- around a hook ---- */

static void check_member(const Warp *w, const Split *s, const char *hook)
{
	WHEN(s < w->split || s >= w->split + w->nsplit, w, hook, "the split is not one of the warp's");
}

/* Checks the masks of paths: disjoint, not empty, together the lanes that executed. Each path leads to a
   place in the code. least: the fewest paths allowed. */
static void check_paths(const Warp *w, const Split *s, const Path *p, int n, int least, const char *hook)
{
	bool empty_may = real_model(w)->runs_empty && !s->mask;
	Mask all = 0;
	WHEN(n < (empty_may ? 0 : least), w, hook, "there are %d paths", n);
	for (int k = 0; k < n; k++) {
		WHEN(!p[k].mask && !empty_may, w, hook, "path %d has no lane", k);
		WHEN(all & p[k].mask, w, hook, "lanes %#llx take two paths",
			(unsigned long long)(all & p[k].mask));
		WHEN(!has_pc(w, p[k].pc), w, hook, "path %d goes to pc %u, behind the code", k, p[k].pc);
		all |= p[k].mask;
	}
	WHEN(all != s->mask, w, hook, "the paths have the lanes %#llx, the split %#llx",
		(unsigned long long)all, (unsigned long long)s->mask);
}

/* The splits of a warp before a hook, for hooks that must leave them as they are. */
typedef struct SplitsBefore { int n; Split split[2 * 64 + 2]; } SplitsBefore;

static void remember(const Warp *w, SplitsBefore *b)
{
	b->n = w->nsplit;
	memcpy(b->split, w->split, sizeof *b->split * (size_t)b->n);
}

static void check_list(const Warp *w, const SplitsBefore *b, const char *hook)
{
	WHEN(w->nsplit != b->n, w, hook, "there were %d splits, now there are %d", b->n, w->nsplit);
	for (int k = 0; k < b->n; k++)
		WHEN(w->split[k].pc != b->split[k].pc || w->split[k].mask != b->split[k].mask ||
			w->split[k].parts != b->split[k].parts, w, hook, "split %d has moved", k);
}

static void check_unchanged(const Warp *w, const SplitsBefore *b, const char *hook)
{
	check_list(w, b, hook);
	WHEN(memcmp(w->split, b->split, sizeof *b->split * (size_t)b->n), w, hook, "a split has changed");
}

/* ---- the hooks ---- */

static void checked_launch(Warp *w, Mask lanes, uint32_t pc)
{
	WHEN(w->nsplit || w->live != lanes || !lanes || !has_pc(w, pc), w, "before launch",
		"lanes %#llx begin at pc %u", (unsigned long long)lanes, pc);
	real_model(w)->launch(w, lanes, pc);
	check_lane_places(w, "after launch");
}

static void checked_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	check_member(w, s, "before branch");
	check_paths(w, s, p, n, real_model(w)->all_branches ? 1 : 2, "before branch");
	real_model(w)->branch(w, s, i, p, n);
	check_lane_places(w, "after branch");
}

static void checked_reach(Warp *w, Split *s)
{
	check_member(w, s, "before reach");
	WHEN(!(w->ins[s->pc].flags & MI_REACH), w, "before reach", "pc %u is no marked place", s->pc);
	real_model(w)->reach(w, s);
	check_lane_places(w, "after reach");
}

static void checked_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	check_member(w, s, "before call");
	check_paths(w, s, p, n, 1, "before call");
	WHEN(!has_pc(w, return_pc), w, "before call", "it returns to pc %u, behind the code", return_pc);
	real_model(w)->call(w, s, p, n, return_pc);
	check_lane_places(w, "after call");
}

static void checked_ret(Warp *w, Split *s, const Path *p, int n)
{
	check_member(w, s, "before ret");
	check_paths(w, s, p, n, 1, "before ret");
	real_model(w)->ret(w, s, p, n);
	check_lane_places(w, "after ret");
}

static void checked_exit(Warp *w, Split *s, Mask lanes)
{
	Part part[64];
	int n = reconv_parts(w, s, part);
	check_member(w, s, "before exit");
	WHEN(lanes != s->mask, w, "before exit", "lanes %#llx of %#llx end", (unsigned long long)lanes,
		(unsigned long long)s->mask);
	for (int k = 0; k < n; k++)
		WHEN(part[k].mask & part[k].home->live, w, "before exit", "lanes that end are alive");
	real_model(w)->exit(w, s, lanes);
	check_lane_places(w, "after exit");
}

static void checked_some_exit(Warp *w, Split *s, Mask lanes)
{
	check_member(w, s, "before some_exit");
	WHEN(!lanes || lanes & ~s->mask || lanes == s->mask, w, "before some_exit",
		"lanes %#llx of %#llx end", (unsigned long long)lanes, (unsigned long long)s->mask);
	real_model(w)->some_exit(w, s, lanes);
	check_lane_places(w, "after some_exit");
}

static void checked_special(Warp *w, Split *s, const MIns *i, Mask lanes)
{
	check_member(w, s, "before special");
	WHEN(lanes & ~s->mask || i != &w->ins[s->pc] || i->kind != K_RECONV, w, "before special",
		"it is not the split's operation");
	real_model(w)->special(w, s, i, lanes);
	check_lane_places(w, "after special");
}

static int checked_depth(const Warp *w)
{
	int n = real_model(w)->depth(w);
	WHEN(n < 0, w, "after depth", "it is %d", n);
	return n;
}

static bool checked_gather(Warp *w, Split *s, Mask want)
{
	SplitsBefore b;
	check_member(w, s, "before gather");
	WHEN(!(want & ~s->mask) || want & ~w->live, w, "before gather", "lanes %#llx are wanted",
		(unsigned long long)want);
	remember(w, &b);
	bool aside = real_model(w)->sync.gather(w, s, want);
	if (!aside)
		check_unchanged(w, &b, "after gather");
	check_lane_places(w, "after gather");
	return aside;
}

static void checked_wait(Warp *w, Split *s)
{
	check_member(w, s, "before wait");
	WHEN(s->state != SPLIT_BARRIER && s->state != SPLIT_WARPSYNC, w, "before wait",
		"the split has state %d", s->state);
	real_model(w)->sync.wait(w, s);
	check_lane_places(w, "after wait");
}

static void checked_resume(Warp *w, Split *s)
{
	SplitsBefore b;
	check_member(w, s, "before resume");
	WHEN(s->state != SPLIT_RUN, w, "before resume", "the split has state %d", s->state);
	remember(w, &b);
	real_model(w)->sync.resume(w, s);
	check_list(w, &b, "after resume");
	check_lane_places(w, "after resume");
}

static void checked_met(Warp *w, uint32_t pc, Mask lanes)
{
	Mask there = 0;
	for (int k = 0; k < w->nsplit; k++)
		if (w->split[k].pc == pc && w->split[k].state != SPLIT_BARRIER &&
			w->split[k].state != SPLIT_WARPSYNC)
			there |= w->split[k].mask;
	WHEN(!lanes || lanes & ~there, w, "before met", "lanes %#llx are not at pc %u",
		(unsigned long long)(lanes & ~there), pc);
	real_model(w)->sync.met(w, pc, lanes);
	check_lane_places(w, "after met");
}

static bool checked_stall(Warp *w, Split *s, Stall why, Cycle until)
{
	SplitsBefore b;
	check_member(w, s, "before stall");
	WHEN(s->state != SPLIT_RUN || until <= w->sm->now, w, "before stall", "it may issue at %llu",
		(unsigned long long)until);
	remember(w, &b);
	bool changed = real_model(w)->times.stall(w, s, why, until);
	if (!changed)
		check_unchanged(w, &b, "after stall");
	check_lane_places(w, "after stall");
	return changed;
}

static void checked_known(Warp *w, Split *s)
{
	SplitsBefore b;
	check_member(w, s, "before known");
	remember(w, &b);
	real_model(w)->times.known(w, s);
	check_unchanged(w, &b, "after known");
}

static void checked_loaded(Warp *w, Split *s, const MIns *i, Mask hits, Mask misses)
{
	check_member(w, s, "before loaded");
	WHEN(!hits || !misses || hits & misses || (hits | misses) & ~s->mask, w, "before loaded",
		"lanes %#llx hit, %#llx miss", (unsigned long long)hits, (unsigned long long)misses);
	WHEN(i->kind != K_LD || w->ins[s->pc].flags & MI_REACH, w, "before loaded",
		"the split is not behind a load");
	real_model(w)->times.loaded(w, s, i, hits, misses);
	check_lane_places(w, "after loaded");
}

static Split *checked_candidate(Warp *w, int n)
{
	Split *s = real_model(w)->pairs.candidate(w, n);
	if (s)
		check_member(w, s, "after candidate");
	check_lane_places(w, "after candidate");
	return s;
}

static Split *checked_partner(Warp *w, Mask lanes, int n, Warp **of)
{
	Split *s = real_model(w)->pairs.partner(w, lanes, n, of);
	if (!s)
		return NULL;
	check_member(*of, s, "after partner");
	WHEN((*of)->sched != w->sched, w, "after partner", "it is another scheduler's");
	WHEN(*of == w && s->mask & lanes, w, "after partner", "lanes %#llx would issue twice",
		(unsigned long long)(s->mask & lanes));
	return s;
}

static void checked_alarm(Warp *w)
{
	WHEN(w->alarm != NO_ALARM, w, "before alarm", "it is asked for again");
	real_model(w)->times.alarm(w);
	check_lane_places(w, "after alarm");
}

static void checked_order(Warp **list, int n)
{
	const Warp *w = list[0];
	uint8_t is[MOST_WARPS] = { 0 };
	for (int k = 0; k < n; k++)
		is[list[k]->slot] = 1;
	real_model(w)->blocks.order(list, n);
	for (int k = 0; k < n; k++) {
		WHEN(!is[list[k]->slot], w, "after order", "warp in slot %d stands there twice, or was not "
			"asked for", list[k]->slot);
		is[list[k]->slot] = 0;
		check_lane_places(list[k], "after order");
	}
}

void gpu_check_model(Gpu *g)
{
	const ReconvModel *m = g->real = g->model;
	g->checked = *m;
#define CHECKED(MEMBER, NAME) g->checked.MEMBER = m->MEMBER ? checked_##NAME : NULL;
	RECONV_EVENTS(CHECKED)
#undef CHECKED
	g->model = &g->checked;
}
