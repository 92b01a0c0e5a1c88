#include "sim/reconv/common/regions.h"
#include "sim/reconv/common/splits.h"

/* ---- the table of regions ---- */

static int member_index(const Warp *w, const Split *s) { return (int)(s - reconv_splits((Warp *)w)); }

/* If the table on chip is full, the region that has not been used for longest goes to memory. */
static void spill_oldest_region(Warp *w, Regions *k, Split *s)
{
	int first = 0;
	if (!k->most || k->resident < k->most)
		return;
	for (int i = 1; i < k->resident; i++)
		if (k->r[k->here[i]].touched < k->r[k->here[first]].touched)
			first = i;
	int oldest = k->here[first];
	k->r[oldest].spilled = true;
	reconv_changed(w, oldest);
	k->here[first] = k->here[--k->resident];
	reconv_spill_entry(w, s, 64 + oldest, k->spill_cycles);
}

static void comes_on_chip(Regions *k, int i)
{
	if (k->most)
		k->here[k->resident] = i;
	k->resident++;
}

static void leaves_chip(Regions *k, int i)
{
	int at = 0;
	k->resident--;
	while (k->most && k->here[at] != i)
		at++;
	if (k->most)
		k->here[at] = k->here[k->resident];
}

static void touch_region(Warp *w, Regions *k, Split *s, int i)
{
	Region *e = &k->r[i];
	e->touched = ++k->touches;
	reconv_changed(w, i);
	if (!e->spilled)
		return;
	spill_oldest_region(w, k, s);
	e->spilled = false;
	comes_on_chip(k, i);
	reconv_fill_entry(w, s, 64 + i, k->fill_cycles);
}

/* i: the branch or call that opens the region. */
static int open_region(Warp *w, Regions *k, Split *s, const MIns *i, uint32_t pc)
{
	const Member *g = &k->member[member_index(w, s)];
	Region e = { .pc = pc, .outer = g->region, .level = g->level, .pending = s->mask,
		.call = i->kind == K_CALL, .may_wait = i->may_wait };
	int at = k->packed;
	while (at < k->n && k->r[at].used)
		at++;
	if (at == k->n) {
		k->r = reconv_grow(w, k->r, k->n, &k->cap, sizeof *k->r);
		k->n++;
	}
	spill_oldest_region(w, k, s);
	e.used = true;
	e.touched = ++k->touches;
	k->r[at] = e;
	k->packed = at + 1;
	reconv_changed(w, at);
	comes_on_chip(k, at);
	return at;
}

static void close_region(Warp *w, Regions *k, int i)
{
	k->packed = i < k->packed ? i : k->packed;
	reconv_changed(w, i);
	if (!k->r[i].spilled)
		leaves_chip(k, i);
	k->waiting -= k->r[i].arrived != 0;
	k->r[i].used = false;
	while (!k->r[k->n - 1].used) /* ends at r[0]: the outermost region is never closed */
		k->n--;
}

/* ---- the splits ---- */

Split *regions_add(Warp *w, Regions *k, int region, Path p, const Split *from)
{
	Split *t = splits_add(w, p, from);
	k->member[member_index(w, t)] = (Member){ .region = region, .order = ++k->orders,
		.since = reconv_now(w) };
	return t;
}

static void take_member_out(Warp *w, Regions *k, Split *s)
{
	splits_take_out(w, s, k->member, sizeof *k->member);
}

void regions_drop(Warp *w, Regions *k, Split *s)
{
	Path gone = { s->pc, s->mask };
	take_member_out(w, k, s);
	reconv_count_pop(w, s, gone.pc, gone.mask);
}

/* A group of the region, other than `but`, that stands at pc and may go on from there. NULL: there is none,
   or groups do not merge (Regions.merge). */
static Split *split_standing(Warp *w, const Regions *k, int region, uint32_t pc, const Split *but)
{
	Split *all = reconv_splits(w);
	for (int i = 0; k->merge && i < *reconv_nsplit(w); i++)
		if (&all[i] != but && split_meets(&all[i], pc) && all[i].state == SPLIT_RUN &&
			k->member[i].region == region)
			return &all[i];
	return NULL;
}

/* Split t takes in lanes m of s. From now on t waits only for lanes for which both splits waited: otherwise
   it might wait for lanes that it takes in. */
static void merge_into(Warp *w, Regions *k, Split *t, const Split *s, Mask m)
{
	k->member[member_index(w, t)].before &= k->member[member_index(w, s)].before;
	split_merge(w, t, s, m);
}

/* Split s goes on at p.pc with lanes p.mask. If another group of the region stands there, the lanes join that
   group, and s is taken out. */
static void move_split(Warp *w, Regions *k, Split *s, int region, Path p)
{
	Split *t = split_standing(w, k, region, p.pc, s);
	if (!t) {
		s->pc = p.pc;
		s->mask = p.mask;
		k->member[member_index(w, s)].region = region;
		return;
	}
	merge_into(w, k, t, s, p.mask);
	take_member_out(w, k, s);
	reconv_count_pop(w, s, p.pc, p.mask);
}

/* ---- meeting ---- */

/* Lanes that are in no split, the place and region in which they go on, and the cycle before which they do
   not. */
typedef struct Landing { Path p; int region, level; Cycle ready; uint8_t why; } Landing;

/* The lanes of x have come to the point of their region. True: all its other lanes had come before, and x is
   now all of them, which go on. If the outer region has the same point, they then arrive at that region's
   point, too. */
static bool arrive_at_point(Warp *w, Regions *k, Split *s, Landing *x)
{
	x->ready = s->wait.known;      /* other lanes need not wait for memory traffic of this split */
	x->why = s->wait.why;
	for (int i = x->region;; i = k->r[i].outer) {
		Region *e = &k->r[i];
		if (e->ready < x->ready) {
			e->ready = x->ready;
			e->why = x->why;
		}
		if (!(e->pending & ~x->p.mask) && x->p.mask & s->mask)
			/* this comes before touch_region, whose memory traffic the split waits for besides */
			split_not_before(w, s, e->ready, e->why);
		touch_region(w, k, s, i);
		k->waiting += !e->arrived;
		e->since = reconv_now(w);
		e->pending &= ~x->p.mask;
		e->arrived |= x->p.mask;
		if (e->pending)
			return false;
		*x = (Landing){ { e->pc, e->arrived }, e->outer, e->level, e->ready, e->why };
		bool call = e->call, on = k->r[e->outer].pc == e->pc && !k->r[e->outer].call;
		close_region(w, k, i);
		if (!call)
			reconv_count_merge(w, s, x->p.pc, x->p.mask);
		if (!on)
			return true;
	}
}

/* The lanes of split s have left it. The lanes of x take their place in s; if x has none, s is taken out. */
static void replace_split(Warp *w, Regions *k, Split *s, const Landing *x)
{
	if (x->p.mask) {
		Member *g = &k->member[member_index(w, s)];
		*g = (Member){ .region = x->region, .level = x->level, .spilled = g->spilled,
			.order = ++k->orders, .since = g->since };
		split_not_before(w, s, x->ready, x->why);
		move_split(w, k, s, x->region, x->p);
		return;
	}
	if (*reconv_nsplit(w) > 1)
		regions_drop(w, k, s);
	else
		take_member_out(w, k, s);
}

static void add_landing(Warp *w, Regions *k, const Landing *x, const Split *from)
{
	Split *t = regions_add(w, k, x->region, x->p, from);
	k->member[member_index(w, t)].level = x->level;
	split_not_before(w, t, x->ready, x->why);
	reconv_count_push(w, t, x->p.pc, x->p.mask);
}

static void meet_at_point(Warp *w, Regions *k, Split *s)
{
	Landing x = { .p = { s->pc, s->mask }, .region = k->member[member_index(w, s)].region };
	if (!arrive_at_point(w, k, s, &x))
		x.p.mask = 0;
	replace_split(w, k, s, &x);
}

/* Lanes m of s will not come to the points of their region and of the regions around that, up to `last`,
   which is not one of these. Returns the lanes that waited for lanes m alone and now go on. At most one
   region has such lanes, for these are pending in the regions around it. */
static Landing leave_regions(Warp *w, Regions *k, Split *s, int last, Mask m)
{
	Landing x = { 0 };
	for (int i = k->member[member_index(w, s)].region, outer; i != last; i = outer) {
		Region *e = &k->r[i];
		outer = e->outer;
		e->pending &= ~m;
		reconv_changed(w, i);
		if (e->pending || x.p.mask)
			continue;
		if (e->arrived)
			x = (Landing){ .p = { e->pc, e->arrived }, .region = i };
		else
			close_region(w, k, i);
	}
	if (x.p.mask && !arrive_at_point(w, k, s, &x))
		x.p.mask = 0;
	return x;
}

void regions_release(Warp *w, Regions *k, int region)
{
	Region *e = &k->r[region];
	/* where add_landing will add the split; memory traffic of the table comes before, and is charged to
	   that place */
	Split *next = &reconv_splits(w)[*reconv_nsplit(w)];
	Landing x = { { e->pc, e->arrived }, e->outer, e->level, e->ready, e->why };
	e->arrived = 0;
	e->ready = 0;
	k->waiting--;
	reconv_changed(w, region);
	*next = (Split){ .wait = wait_until(reconv_now(w) + 1, STALL_DIVERGENCE) };
	split_not_before(w, next, x.ready, x.why);
	if (k->r[x.region].pc == x.p.pc && !k->r[x.region].call && !arrive_at_point(w, k, next, &x))
		return;
	add_landing(w, k, &x, next);
}

void regions_last_resort(Warp *w, Regions *k)
{
	Mask wanted = 0;
	each_split(w, s) {
		if (!split_waits(s))
			return;
		wanted |= s->state == SPLIT_WARPSYNC ? s->sync_mask : 0;
	}
	for (int i = 1; i < k->n; i++)
		if (k->r[i].used && k->r[i].arrived & wanted) {
			regions_release(w, k, i);
			return;
		}
}

/* ---- events ---- */

void regions_launch(Warp *w, Regions *k, Mask lanes, uint32_t pc)
{
	k->n = k->resident = k->waiting = 0;
	k->orders = k->touches = 0;
	k->packed = 1;
	k->r = reconv_grow(w, k->r, k->n, &k->cap, sizeof *k->r);
	k->r[k->n++] = (Region){ .pc = NO_PC, .outer = 0, .pending = lanes, .used = true };
	*reconv_nsplit(w) = 0;
	regions_add(w, k, 0, (Path){ pc, lanes }, &(Split){ 0 });
}

static void add_path(Warp *w, Regions *k, int region, Path p, const Split *s, uint32_t fall)
{
	Split *t = split_standing(w, k, region, p.pc, s);
	if (t) {
		merge_into(w, k, t, s, p.mask);
		return;
	}
	t = regions_add(w, k, region, p, s);
	split_redirect(w, t, fall);
	reconv_count_push(w, t, p.pc, p.mask);
}

static void part_split(Warp *w, Regions *k, Split *s, int region, const Path *p, int n, uint32_t fall)
{
	const Region *e = &k->r[region];
	Path first = { 0 };
	uint32_t meeting = e->call ? NO_PC : e->pc;
	k->member[member_index(w, s)].order = ++k->orders;
	for (int a = 0; a < n; a++) {
		if (p[a].pc == meeting) {
			Landing x = { .p = p[a], .region = region };
			must(!arrive_at_point(w, k, s, &x)); /* the lanes of the other paths have not come */
		} else if (!first.mask) {
			first = p[a];
		} else {
			add_path(w, k, region, p[a], s, fall);
		}
	}
	move_split(w, k, s, region, first);
}

void regions_branch(Warp *w, Regions *k, Split *s, const MIns *i, const Path *p, int n)
{
	int region = k->member[member_index(w, s)].region;
	const Region *e = &k->r[region];
	if (i->rpc != NO_PC && (e->call || i->rpc != e->pc))
		region = open_region(w, k, s, i, i->rpc);
	else
		k->r[region].may_wait |= i->may_wait;
	part_split(w, k, s, region, p, n, s->pc + 1);
}

void regions_reach(Warp *w, Regions *k, Split *s)
{
	int region = k->member[member_index(w, s)].region;
	const Region *e = &k->r[region];
	if (!e->call && e->pc == s->pc)
		meet_at_point(w, k, s);
	else if (k->merge)
		move_split(w, k, s, region, (Path){ s->pc, s->mask });
}

void regions_call(Warp *w, Regions *k, Split *s, const Path *p, int n, uint32_t return_pc)
{
	part_split(w, k, s, open_region(w, k, s, reconv_ins(w, s->pc), return_pc), p, n, NO_PC);
}

void regions_ret(Warp *w, Regions *k, Split *s, const Path *p, int n)
{
	must(n == 1);
	int call = k->member[member_index(w, s)].region;
	while (!k->r[call].call)
		call = k->r[call].outer;
	Landing others = leave_regions(w, k, s, call, s->mask), x = { .p = p[0], .region = call };
	if (others.p.mask)
		add_landing(w, k, &others, s);
	if (!arrive_at_point(w, k, s, &x))
		x.p.mask = 0;
	replace_split(w, k, s, &x);
}

void regions_exit(Warp *w, Regions *k, Split *s, Mask m)
{
	k->r[0].pending &= ~m;
	reconv_changed(w, 0);
	Landing others = leave_regions(w, k, s, 0, m);
	replace_split(w, k, s, &others);
}

/* No region closes: the lanes of s that go on are pending in every region in which lanes m were. */
void regions_some_exit(Warp *w, Regions *k, Split *s, Mask m)
{
	reconv_shed(w, s, m);
	for (int i = k->member[member_index(w, s)].region; i; i = k->r[i].outer)
		k->r[i].pending &= ~m;
	k->r[0].pending &= ~m;
	reconv_changed(w, 0);
}

int regions_on_chip(Warp *w, const Regions *k)
{
	int n = 0;
	for (int i = 0; i < *reconv_nsplit(w); i++)
		n += !k->member[i].spilled;
	return n;
}

void regions_show(const Regions *k, Rows *rows)
{
	for (int i = reconv_show_from(rows, TABLE_REGIONS, k->packed); i < k->n; i++) {
		const Region *e = &k->r[i];
		TraceRow r = trace_row(ROW_REGION, e->pc, e->pending);
		r.other = e->arrived;
		r.n = (uint32_t)i;
		r.m = (uint32_t)e->outer;
		r.flags = reconv_flag(e->call, FLAG_OF_CALL) | reconv_flag(e->spilled, FLAG_IN_MEMORY);
		if (e->used)
			reconv_show(rows, &r);
	}
}

void regions_show_groups(const Warp *w, const Regions *k, Rows *rows)
{
	each_split((Warp *)w, s) {
		const Member *g = &k->member[member_index(w, s)];
		TraceRow r = trace_row(ROW_MEMBER, NO_PC, s->mask);
		r.rpc = k->r[g->region].pc;
		r.split = (uint16_t)member_index(w, s);
		r.n = (uint32_t)g->region;
		r.m = g->order;
		r.other = g->before;
		r.flags = reconv_flag(g->spilled, FLAG_IN_MEMORY);
		reconv_show(rows, &r);
	}
	regions_show(k, rows);
}

bool regions_held(const Regions *k, int lane, Held *h, const char *else_in)
{
	for (int i = 1; i < k->n; i++)
		if (k->r[i].used && k->r[i].arrived >> lane & 1) {
			*h = (Held){ k->r[i].pc, "a reconvergence entry", k->r[i].pc, k->r[i].pending };
			return true;
		}
	h->in = else_in;
	return true;
}
