/* Which guards stand between the units of a plan, and where each edge leads. Without options, a chain:
 *
 *   G0: if g == 0 -> unit 0; G1: if g == 1 -> unit 1; R1: if lo <= g <= 1 -> back to G_lo; ...
 *
 * The paper's section 4.2 saves guards by looking at the values of the variable on each edge. Here the saved
 * form is built at once, from nested pieces that are structured by themselves:
 *
 *   if (g == i) { unit i; all units up to e, which only threads behind unit i can want } else { all units
 *   from e on up to m, which none of these want }
 *
 *   1  m: the least value from e on that units i .. e - 1 give (O1: their edges go past guards that do not
 *      test for their values)
 *   2  e: the least value above i that threads have that do not want i (O2: guards nest)
 *   3  a guard to which only one unit leads becomes a branch on that unit's choice (O3)
 *   4  a guard that every thread passes goes, and one that no thread comes to
 *
 * The units stand in order, so that all is found in one walk over them with, for each value, the last unit
 * that has given it. */
#include "passes/transform/linearize/linearize.h"
#include "passes/analysis/tree.h"

/* A list, through Make.link, of ways out of points that will all lead to the point that comes next. The
   number of a way is 2 * point for yes, 2 * point + 1 for no; first < 0: the list is empty. */
typedef struct List { int first, last; } List;
typedef enum { NEXT, THEN, ELSE, LOOP } GuardState;
/* The walk over one row of units, from position `at` up to below hi. Only threads come there whose value was
   given by a unit >= floor; floor -1: also by the edges into the region. */
typedef struct GuardFrame {
	GuardState state;
	int at, hi, floor, loop;   /* loop: the innermost loop around the row, -1 = none */
	bool opened;               /* the loop that begins at `at` has been opened: it is `loop` */
	/* of the unit or loop that is being made at `at`: where its then part and its else part end; its
	   guard, or the point with which the loop begins; the loop, or where its part of Make.again begins;
	   what Make.last said for Make.back in front of the loop */
	int e, m, guard, inner, back;
	int log;                   /* length of Make.log in front of the unit */
	List then;                 /* ways out of the then part */
} GuardFrame;

typedef struct GivenValue { int value, unit; } GivenValue;

typedef struct Make {
	const LinPlan *plan;
	Guards *g;
	int level, back;           /* option opt; the value that stands for all values that lead backward */
	bool flat;
	/* by value: the last unit that has given the value, -2 = none. The values are the `size` leaves of a
	   tree, in which each inner node has the greatest number below it */
	int size, *last;
	/* log: for each change of `last`, what stood there before; again: values that are taken back while
	   the units of an else part are walked over, and given again behind it */
	Vec(GivenValue) log, again;
	int *seen, visit;
	Vec(int) link;             /* by way out: the next one in its list, -1 = none */
	Vec(GuardFrame) frame;
	/* ways out that lead to the next point; ways out of units that no thread comes to */
	List now, dead;
	/* by position: the loop that begins there; the innermost loop around the unit; -1 = none */
	int *loop_at, *inside;
	Tree loops;                /* loop i is node i + 1; node 0 is the region */
	/* for each loop, a list of the values that lead back within it, but within no loop inside it: by
	   loop, the first entry; by entry, the next one (-1 = none) and the value */
	int *back_first, *back_next, *back_value;
} Make;

/* ---- values ---- */

static void put_last(Make *k, int value, int unit)
{
	int i = k->size + value;
	k->last[i] = unit;
	for (i /= 2; i; i /= 2) {
		int a = k->last[2 * i], b = k->last[2 * i + 1];
		k->last[i] = a > b ? a : b;
	}
}

static void give(Make *k, int value, int unit)
{
	vec_push(&k->log, ((GivenValue){ value, k->last[k->size + value] }));
	put_last(k, value, unit);
}

/* Returns the least value >= from that was given last by a unit >= floor; k->size when there is none. */
static int next_value(const Make *k, int from, int floor)
{
	int i = k->size + from;
	while (k->last[i] < floor) {
		while (i & 1) {
			i /= 2;
			if (!i)
				return k->size;
		}
		i++;
	}
	while (i < k->size)
		i = k->last[2 * i] >= floor ? 2 * i : 2 * i + 1;
	return i - k->size;
}

static void give_all(Make *k, int unit)
{
	const PlanUnit *u = &k->plan->unit[unit];
	int from = unit == k->plan->n ? -1 : unit;
	if (!u->n && u->value[0] >= 0)
		give(k, u->value[0], from);
	for (int i = 0; i < u->n; i++) {
		int v = k->plan->edge[u->first + i].value;
		give(k, v > from ? v : k->back, from);
	}
}

/* Takes back all that units have given since the log was `mark` long. Values from m on are kept in `again`;
   returns where they begin there. */
static int take_back(Make *k, int mark, int m)
{
	int start = k->again.n;
	k->visit++;
	while (k->log.n > mark) {
		GivenValue x = vec_pop(&k->log);
		if (x.value >= m && k->seen[x.value] != k->visit) {
			k->seen[x.value] = k->visit;
			vec_push(&k->again, ((GivenValue){ x.value, k->last[k->size + x.value] }));
		}
		put_last(k, x.value, x.unit);
	}
	return start;
}

static void give_again(Make *k, int start)
{
	while (k->again.n > start) {
		GivenValue x = vec_pop(&k->again);
		if (k->last[k->size + x.value] < x.unit)
			give(k, x.value, x.unit);
	}
}

/* ---- points ---- */

static int point(Make *k, Point p)
{
	p.chosen = p.yes = p.no = -1;
	vec_push(&k->g->point, p);
	vec_push(&k->link, -1);
	vec_push(&k->link, -1);
	return k->g->point.n - 1;
}

static List way_list(int out) { return (List){ out, out }; }

static List join_lists(Make *k, List a, List b)
{
	k->link.v[a.last] = b.first;
	return (List){ a.first, b.last };
}

/* Makes all ways of the list lead to point `to`. alone: no other way will lead there. If the only way then
   comes from a unit whose last branch chooses between two values, of which the guard lets one pass, that
   branch decides the guard (Point.chosen). */
static void lead_ways(Make *k, List w, int to, bool alone)
{
	if (w.first < 0)
		return;
	Point *t = &k->g->point.v[to], *from = &k->g->point.v[w.first / 2];
	const PlanUnit *u = &k->plan->unit[from->unit];
	if (alone && w.first == w.last && from->kind == UNIT && k->level >= 3 && t->kind != UNIT &&
		t->kind != AFTER && u->chooses && u->chooses->nsucc == 2 &&
		ins_src(block_term(u->chooses), 0)->kind == OPD_REG &&
		point_covers(t, u->value[0]) != point_covers(t, u->value[1]))
		t->chosen = from->unit;
	for (int o = w.first; o >= 0; o = k->link.v[o])
		*(o & 1 ? &k->g->point.v[o / 2].no : &k->g->point.v[o / 2].yes) = to;
}

/* ---- the walk ---- */

/* Returns where a piece of the row that begins at f->at and may not go beyond t ends: at t; or, when t lies
   within a loop that begins behind f->at, where that loop begins. */
static int end_at(const Make *k, const GuardFrame *f, int t)
{
	/* a piece with an endless unit among others would not end in one place */
	int hi = f->at < k->plan->endless ? k->plan->endless : f->at + 1;
	hi = hi < f->hi ? hi : f->hi;
	if (t >= hi)
		return hi;
	int depth = k->loops.node[f->loop + 1].depth, in = k->inside[t] + 1;
	if (k->loops.node[in].depth <= depth)
		return t;
	return k->plan->loop[tree_at(&k->loops, in, depth + 1) - 1].lo;
}

static void enter_frame(Make *k, int at, int hi, int floor, int loop, bool opened)
{
	vec_push(&k->frame, ((GuardFrame){ .state = NEXT, .at = at, .hi = hi, .floor = floor, .loop = loop,
		.opened = opened }));
}

static void open_guard_loop(Make *k, GuardFrame *f, int loop)
{
	const PlanLoop *p = &k->plan->loop[loop];
	f->inner = loop;
	f->guard = k->g->point.n;
	f->back = k->last[k->size + k->back];
	f->state = LOOP;
	for (int i = k->back_first[loop]; i >= 0; i = k->back_next[i])
		if (k->last[k->size + k->back_value[i]] < p->lo)
			give(k, k->back_value[i], p->lo);
	enter_frame(k, p->lo, p->hi + 1, f->floor, loop, true);
}

static void close_loop(Make *k, GuardFrame *f)
{
	const PlanLoop *p = &k->plan->loop[f->inner];
	/* is no thread on its way back to a unit in front of the loop? */
	bool below = k->level >= 4 && !p->passed && f->back < f->floor;
	int r = point(k, (Point){ .kind = BACK, .unit = p->hi, .lo = p->lo, .hi = p->hi, .below = below });
	lead_ways(k, k->now, r, true);
	k->g->point.v[r].yes = f->guard;
	k->now = way_list(2 * r + 1);
	if (!p->passed)
		give(k, k->back, f->back);
	f->at = p->hi + 1;
	f->state = NEXT;
}

/* Makes unit f->at, with a guard unless all threads that come there want the unit, and begins the walk over
   the units that nest in the guard. */
static void begin_unit(Make *k, GuardFrame *f)
{
	int i = f->at;
	if (k->level >= 4 && k->last[k->size + i] < f->floor) {
		List out = way_list(2 * point(k, (Point){ .kind = UNIT, .unit = i }));
		k->dead = k->dead.first < 0 ? out : join_lists(k, k->dead, out);
		f->at = i + 1;
		return;
	}
	bool all = k->level >= 4 && next_value(k, i + 1, f->floor) > k->back;
	f->guard = -1;
	if (!all) {
		f->guard = point(k, (Point){ .kind = GUARD, .unit = i, .lo = i, .hi = i });
		lead_ways(k, k->now, f->guard, !f->opened);
		k->now = way_list(2 * f->guard);
	}
	int u = point(k, (Point){ .kind = UNIT, .unit = i });
	f->e = k->level >= 2 && !k->flat && !all ? end_at(k, f, next_value(k, i + 1, f->floor)) : i + 1;
	lead_ways(k, k->now, u, false);
	k->now = way_list(2 * u);
	f->log = k->log.n;
	give_all(k, i);
	f->opened = false;
	if (all) {
		f->at = i + 1;
		f->floor = i;
		return;
	}
	f->state = THEN;
	if (f->e > i + 1)
		enter_frame(k, i + 1, f->e, i, f->loop, false);
}

static void end_then(Make *k, GuardFrame *f)
{
	f->then = k->now;
	f->m = k->level >= 1 && !k->flat ? end_at(k, f, next_value(k, f->e, f->at)) : f->e;
	if (f->m <= f->e) {
		k->now = join_lists(k, f->then, way_list(2 * f->guard + 1));
		f->at = f->e;
		f->state = NEXT;
		return;
	}
	f->state = ELSE;
	f->inner = take_back(k, f->log, f->m);
	k->now = way_list(2 * f->guard + 1);
	enter_frame(k, f->e, f->m, f->floor, f->loop, false);
}

static void end_else(Make *k, GuardFrame *f)
{
	give_again(k, f->inner);
	k->now = join_lists(k, f->then, k->now);
	f->at = f->m;
	f->state = NEXT;
}

static void step_frame(Make *k)
{
	GuardFrame *f = &vec_last(&k->frame);
	if (f->state == THEN)
		end_then(k, f);
	else if (f->state == ELSE)
		end_else(k, f);
	else if (f->state == LOOP)
		close_loop(k, f);
	else if (f->at >= f->hi)
		(void)vec_pop(&k->frame);
	else if (k->loop_at[f->at] >= 0 && !f->opened)
		open_guard_loop(k, f, k->loop_at[f->at]);
	else
		begin_unit(k, f);
}

/* ---- what the walk needs ---- */

static void prepare_loops(Make *k, Arena *a)
{
	const LinPlan *p = k->plan;
	int nedges = 0, around = -1, next = 0, n = 0;
	k->loop_at = arena_array(a, int, p->n + 1);
	k->inside = arena_array(a, int, p->n + 1);
	k->loops = tree_new(a, p->nloop + 1);
	tree_root(&k->loops, 0);
	for (int i = 0; i < p->nloop; i++)
		tree_add(&k->loops, i + 1, p->loop[i].parent + 1, 0);
	for (int i = 0; i < p->n; i++) {
		while (around >= 0 && p->loop[around].hi < i)
			around = p->loop[around].parent;
		bool begins = next < p->nloop && p->loop[next].lo == i;
		k->loop_at[i] = begins ? next : -1;
		if (begins)
			around = next++;
		k->inside[i] = around;
		nedges += p->unit[i].n;
	}
	k->back_first = arena_array(a, int, p->nloop + 1);
	k->back_next = arena_array(a, int, nedges + 1);
	k->back_value = arena_array(a, int, nedges + 1);
	for (int i = 0; i < p->nloop; i++)
		k->back_first[i] = -1;
	for (int i = 0; i < p->n; i++)
		for (int j = 0; j < p->unit[i].n; j++) {
			int v = p->edge[p->unit[i].first + j].value;
			if (v > i)
				continue;
			int loop = tree_common(&k->loops, k->inside[i] + 1, k->inside[v] + 1) - 1;
			k->back_value[n] = v;
			k->back_next[n] = k->back_first[loop];
			k->back_first[loop] = n++;
		}
}

void guards_make(const LinPlan *p, int level, bool flat, Guards *g)
{
	Arena a = { 0 };
	Make k = { .plan = p, .g = g, .level = level, .flat = flat, .back = p->n + 2, .size = 1,
		.dead = { -1, -1 } };
	while (k.size < p->n + 4)
		k.size *= 2;
	k.last = arena_array(&a, int, 2 * k.size);
	k.seen = arena_array(&a, int, p->n + 3);
	for (int i = 0; i < 2 * k.size; i++)
		k.last[i] = -2;
	*g = (Guards){ 0 };
	prepare_loops(&k, &a);
	g->start = point(&k, (Point){ .kind = UNIT, .unit = p->n });
	k.now = way_list(2 * g->start);
	give_all(&k, p->n);
	enter_frame(&k, 0, p->n, -1, -1, false);
	while (k.frame.n)
		step_frame(&k);
	g->after = point(&k, (Point){ .kind = AFTER });
	lead_ways(&k, k.now, g->after, false);
	lead_ways(&k, k.dead, g->after, false);
	vec_free(&k.log);
	vec_free(&k.again);
	vec_free(&k.link);
	vec_free(&k.frame);
	arena_free(&a);
}
