/* its.policy=hanoi against the published mechanism (Abaie Shoushtary et al., Control Flow Management in
 * Modern GPUs, arXiv 2407.02944, section VII), which is written down here a second time, with stacks and
 * masks: the order in which paths of a warp run, and their lanes, are the same, instruction by instruction.
 *
 * What a lane executes does not depend on the order. So the run under test says what each lane executes, one
 * instruction after the other, and the stacks say who executes when. */
#include "tests/random/random_text.h"
#include "tests/sim/sm/sim_rig.h"

enum { LANES = 64, REGS = 16, NEST = 40 };
typedef struct WsEntry { uint32_t pc; uint64_t mask; } WsEntry;
typedef struct Bx { uint64_t mask; bool valid; } Bx;
/* What a lane has moved from one Bx to registers Rx; the last comes back first. */
typedef struct Saved { int n; Bx v[NEST]; } Saved;
typedef struct Hanoi {
	const Rig *r;
	uint32_t *lane[LANES];         /* the pcs of a lane's instructions, in order */
	int n[LANES], at[LANES];       /* how many; where it is */
	int nws, nrec, reconverged, swapped, moved;
	WsEntry ws[LANES];
	int rec[2 * LANES];            /* registers of the points that are to come */
	Bx b[REGS];
	uint64_t waiting, finished;
	uint32_t next;                 /* pc of what is issued next in the run */
	Saved saved[REGS][LANES];
} Hanoi;

#define each_of(M, L) for (int L = 0; L < LANES; L++) if ((M) >> L & 1)

static int first_lane(uint64_t m) { return __builtin_ctzll(m); }

/* ---- what each lane executes ---- */

static void project(Hanoi *h)
{
	for (int l = 0; l < LANES; l++)
		h->lane[l] = xcalloc((size_t)h->r->n + 1, sizeof *h->lane[l]);
	for (int i = 0; i < h->r->n; i++)
		if (h->r->e[i].kind == TR_ISSUE)
			each_of(h->r->e[i].mask, l)
				h->lane[l][h->n[l]++] = h->r->e[i].a;
}

static bool ended(const Hanoi *h, int l) { return h->at[l] >= h->n[l]; }
static uint32_t pc_of(const Hanoi *h, int l) { return h->lane[l][h->at[l]]; }

/* ---- the two stacks ---- */

static void push_path(Hanoi *h, uint32_t pc, uint64_t mask) { h->ws[h->nws++] = (WsEntry){ pc, mask }; }
static uint64_t mask_of_point(const Hanoi *h) { return h->b[h->rec[h->nrec - 1]].mask; }

/* Points at which everybody waits: their lanes become the path on top. */
static void reconverge(Hanoi *h)
{
	while (h->nrec && h->b[h->rec[h->nrec - 1]].valid && !(mask_of_point(h) & ~h->waiting)) {
		uint64_t m = mask_of_point(h);
		h->b[h->rec[--h->nrec]].valid = false;
		h->waiting &= ~m;
		if (!m)
			continue;
		h->reconverged++;
		push_path(h, pc_of(h, first_lane(m)), m);
		each_of(m, l)
			ck_assert_uint_eq(pc_of(h, l), h->ws[h->nws - 1].pc);
	}
}

/* BMOV: a mask goes from Bx, which is invalid then, to Rx, or back without lanes that have finished. The
   lanes that execute it agree on the mask. */
static void move_mask(Hanoi *h, bool away, int reg, uint64_t m)
{
	Bx *b = &h->b[reg], was = *b;
	h->moved++;
	each_of(m, l) {
		Saved *s = &h->saved[reg][l];
		ck_assert_int_lt(s->n, NEST);
		if (away)
			s->v[s->n++] = was;
		else
			*b = s->v[--s->n];
	}
	b->valid &= !away;
	b->mask &= ~h->finished;
}

/* YIELD: the two paths on top change places, if both are of the point that comes next. Where no point is to
   come, all lanes meet at the end of the warp. */
static void yield(Hanoi *h)
{
	if (h->nws < 2 || (h->nrec && !h->b[h->rec[h->nrec - 1]].valid))
		return;
	WsEntry *top = &h->ws[h->nws - 1], path = *top;
	if (h->nrec && (top->mask | top[-1].mask) & ~mask_of_point(h))
		return;
	top[0] = top[-1];
	top[-1] = path;
	h->swapped++;
}

/* Which target of the branch at pc is that place? 0, 1: the first or the second in its text; -1: a block of
   lowering, whose name is not known here. */
static int target_named(const Rig *r, uint32_t pc, uint32_t to)
{
	const char *last = strrchr(r->text[pc], ' '), *first = strchr(r->text[pc], ',');
	size_t n = strlen(r->block[to]);
	if (strncmp(r->text[pc], "bra", 3) || !first || !r->start[to])
		return -1;
	if (!strcmp(last + 1, r->block[to]))
		return 1;
	return !strncmp(first + 2, r->block[to], n) && first[2 + n] == ',' ? 0 : -1;
}

/* The path on top goes to several places: the one of most lanes runs first, of equals that of a branch that
   is taken, or of several the lower address. Of two blocks of lowering nobody knows which is which, and the
   one is first that is so in the run. */
static bool runs_later(const Hanoi *h, WsEntry x, WsEntry y, uint32_t pc)
{
	int nx = __builtin_popcountll(x.mask), ny = __builtin_popcountll(y.mask);
	int tx = target_named(h->r, pc, x.pc), ty = target_named(h->r, pc, y.pc);
	if (nx != ny)
		return nx < ny;
	if (tx >= 0 || ty >= 0)
		return tx >= 0 ? tx : !ty;
	return strncmp(h->r->text[pc], "bra", 3) ? x.pc > y.pc : y.pc == h->next;
}

static void part(Hanoi *h, uint32_t pc)
{
	uint64_t left = h->ws[--h->nws].mask;
	int first = h->nws;
	while (left) {
		WsEntry x = { pc_of(h, first_lane(left)), 0 };
		each_of(left, l)
			x.mask |= (uint64_t)(pc_of(h, l) == x.pc) << l;
		left &= ~x.mask;
		int k = h->nws++;
		for (; k > first && runs_later(h, x, h->ws[k - 1], pc); k--)
			h->ws[k] = h->ws[k - 1];
		h->ws[k] = x;
	}
}

/* Lanes m of the path on top have executed their last instruction. */
static void finish(Hanoi *h, uint64_t m)
{
	h->finished |= m;
	for (int k = 0; k < REGS; k++)
		h->b[k].mask &= ~m;
	h->ws[h->nws - 1].mask &= ~m;
	h->nws -= !h->ws[h->nws - 1].mask;
}

/* The path on top executes its instruction, whose text is given. */
static void execute(Hanoi *h, uint32_t pc, uint64_t m, const char *text)
{
	int reg = 0;
	uint64_t gone = 0;
	each_of(m, l) {
		h->at[l]++;
		gone |= (uint64_t)ended(h, l) << l;
	}
	if (sscanf(text, "bssy B%d", &reg) == 1) {
		h->b[reg] = (Bx){ m, true };
		h->rec[h->nrec++] = reg;
	} else if (sscanf(text, "break B%d", &reg) == 1) {
		h->b[reg].mask &= ~m;
	} else if (sscanf(text, "bmov.clear B%d", &reg) == 1) {
		move_mask(h, true, reg, m);
	} else if (sscanf(text, "bmov B%d", &reg) == 1) {
		move_mask(h, false, reg, m);
	} else if (sscanf(text, "bsync B%d", &reg) == 1 && h->b[reg].valid && h->b[reg].mask & m) {
		ck_assert(!(m & ~h->b[reg].mask));
		h->waiting |= m;
		h->nws--;
		return;
	}
	bool again = m != gone;
	if (gone)
		finish(h, gone);
	if (again)
		part(h, pc);
	if (!strncmp(text, "yield", 5))
		yield(h);
}

static uint32_t issued_pc(const Rig *r, int i) { return (uint32_t)r->e[i].a; }

static void same_as_published(const Rig *r, const char *what, Hanoi *h)
{
	uint64_t all = 0;
	*h = (Hanoi){ .r = r };
	project(h);
	for (int l = 0; l < LANES; l++)
		all |= (uint64_t)(h->n[l] > 0) << l;
	push_path(h, pc_of(h, first_lane(all)), all);
	for (int i = 0; i < r->n; i++) {
		if (r->e[i].kind != TR_ISSUE)
			continue;
		reconverge(h);
		ck_assert_msg(h->nws > 0, "%s: nobody may run", what);
		WsEntry top = h->ws[h->nws - 1];
		ck_assert_msg(top.pc == r->e[i].a && top.mask == r->e[i].mask, "%s: event %d is pc %u (%s) "
			"for lanes %#llx; published: pc %u for %#llx", what, i, issued_pc(r, i),
			r->text[issued_pc(r, i)],
			(unsigned long long)r->e[i].mask, top.pc, (unsigned long long)top.mask);
		for (int k = i + 1; k < r->n; k++)
			if (r->e[k].kind == TR_ISSUE) {
				h->next = issued_pc(r, k);
				break;
			}
		execute(h, top.pc, top.mask, r->text[top.pc]);
	}
	reconverge(h);
	ck_assert_msg(!h->nws && h->finished == all, "%s: somebody has not ended", what);
	for (int l = 0; l < LANES; l++)
		free(h->lane[l]);
}

static Rig *run_hanoi(const char *set, const char *text, unsigned lanes, const char *what, Hanoi *h)
{
	char all[300];
	snprintf(all, sizeof all, "warp_size=%u divergence.model=its its.policy=hanoi "
		"its.yield_patience=0 %s", lanes, set);
	Rig *r = rig_new(all);
	rig_try(r, text, 1, lanes);
	rig_laws(r);
	same_as_published(r, what, h);
	return r;
}

static void run_published(const char *set, const char *text, unsigned lanes, const char *what, Hanoi *h)
{
	Rig *r = run_hanoi(set, text, lanes, what, h);
	rig_reference(r, text, 1, lanes);
	rig_free(r);
}

/* ---- tests ---- */

START_TEST(random_graphs)
{
	static const char *const sets[] = { "", "its.registers=1", "its.registers=2 its.yield=loops",
		"its.yield=loops" };
	static const unsigned lanes[] = { 32, 64, 8 };
	int swapped = 0, moved = 0, reconverged = 0;
	for (uint64_t seed = 1; seed < 91; seed++) {
		char what[80];
		Hanoi h;
		char *text = random_graph_text(seed, (unsigned)(seed % 8), "u64 out");
		snprintf(what, sizeof what, "seed %d, set %d", (int)seed, (int)(seed / 8 % 4));
		run_published(sets[seed / 8 % 4], text, lanes[seed % 3], what, &h);
		swapped += h.swapped;
		moved += h.moved;
		reconverged += h.reconverged;
		free(text);
	}
	ck_assert_int_gt(swapped, 100);
	ck_assert_int_gt(moved, 100);
	ck_assert_int_gt(reconverged, 500);
}
END_TEST

#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %a, %b, %x, %s\n reg u64 %o\n reg pred %p\n" \
	"A: %t = mov.u32 %tid.x\n %o = ld.param.u64 [out]\n" BODY "}\n"
#define END " %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n"
#define LESS(A, B, T, F) " %p = setp.lt.u32 " A ", " B "\n bra %p, " T ", " F "\n"

/* A function whose lanes return apart, called from both sides of an if and from itself; a nest of loops that
   lanes leave from inside, by two exits. */
START_TEST(calls_and_exits)
{
	static const char *const texts[] = {
		"func f(u32 %n) -> (u32 %r) {\n reg pred %p\nB: %p = setp.lt.u32 %n, 3\n bra %p, C, D\n"
		"C: %r = mov.u32 7\n ret\nD: %r = and.b32 %n, 1\n %p = setp.ne.u32 %r, 0\n bra %p, E, G\n"
		"E: %r = add.u32 %n, 5\n ret\nG: %n = shr.b32 %n, 1\n (%r) = call f, (%n)\n"
		" %r = mad.lo.u32 %r, 3, %n\n ret\n}\n"
		K(LESS("%t", "5", "T", "F") "T: (%x) = call f, (%t)\n bra J\n"
		"F: %a = mul.lo.u32 %t, 6\n (%x) = call f, (%a)\n bra J\nJ: %x = add.u32 %x, 1\n" END),
		K(" bra H\nH: %s = mov.u32 0\n %a = add.u32 %a, 1\n" LESS("%t", "%a", "X", "I")
		"I: %s = add.u32 %s, 1\n %b = add.u32 %s, %t\n %b = and.b32 %b, 7\n %x = add.u32 %x, %b\n"
		" %p = setp.eq.u32 %b, 5\n bra %p, Y, M\nM: %b = and.b32 %x, 3\n %p = setp.eq.u32 %b, 2\n"
		" bra %p, H, N\nN:" LESS("%s", "6", "I", "H")
		"X: %x = add.u32 %x, 100\n bra Z\nY: %x = add.u32 %x, 200\n bra Z\n"
		"Z: %x = mul.lo.u32 %x, 3\n" END),
	};
	static const char *const sets[] = { "", "its.registers=1", "its.registers=2 its.yield=loops" };
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
		for (size_t x = 0; x < sizeof sets / sizeof *sets; x++)
			for (unsigned lanes = 4; lanes <= 64; lanes *= 2) {
				Hanoi h;
				run_published(sets[x], texts[k], lanes, sets[x], &h);
				ck_assert_int_gt(h.reconverged, 0);
			}
}
END_TEST

static unsigned issues_with(const Rig *r, const char *op)
{
	unsigned n = 0;
	for (int i = 0; i < r->n; i++)
		n += r->e[i].kind == TR_ISSUE && strstr(r->text[r->e[i].a], op);
	return n;
}

/* The lock of the paper's figures 3 and 7: lanes that have it and give it back meet the others behind that,
   in the middle of a block, and what follows is executed once. A lane that gets the lock goes on when the
   others yield. */
START_TEST(a_lock)
{
	for (unsigned lanes = 4; lanes <= 64; lanes *= 4) {
		Hanoi h;
		Rig *r = run_hanoi("", K(" bra L\nL: %a = atom.global.cas.b32 [%o+8000], 0, 1\n"
			" %p = setp.ne.u32 %a, 0\n bra %p, L, C\n"
			"C: %x = ld.volatile.global.u32 [%o+8004]\n %x = add.u32 %x, 1\n"
			" st.volatile.global.u32 [%o+8004], %x\n"
			" %a = atom.global.exch.b32 [%o+8000], 0\n %x = mul.lo.u32 %x, 17\n" END), lanes,
			"lock", &h);
		ck_assert_uint_eq(r->out[2001], lanes);
		ck_assert_uint_eq(issues_with(r, "atom.global.exch"), lanes);
		ck_assert_uint_eq(issues_with(r, "mul.lo"), 1);
		ck_assert_uint_eq(issues_with(r, "mad.wide"), 1);
		ck_assert_int_gt(h.swapped, 0);
		rig_free(r);
	}
}
END_TEST

/* Lanes wait for what siblings do, on either side. */
START_TEST(a_producer)
{
	static const char *const sides[] = { "W", "P" };
	for (int k = 0; k < 4; k++) {
		char text[1000];
		Hanoi h;
		snprintf(text, sizeof text, "kernel k(u64 out) {\n reg u32 %%t, %%a, %%x\n reg u64 %%o\n"
			" reg pred %%p\nA: %%t = mov.u32 %%tid.x\n %%o = ld.param.u64 [out]\n"
			" %%p = setp.lt.u32 %%t, %d\n bra %%p, %s, %s\n"
			"W: %%a = ld.volatile.global.u32 [%%o+8000]\n %%p = setp.eq.u32 %%a, 0\n"
			" bra %%p, W, J\nP: st.volatile.global.u32 [%%o+8000], 1\n bra J\n"
			"J: %%x = add.u32 %%t, 3\n" "%s}\n", k < 2 ? 1 : 7, sides[k % 2], sides[1 - k % 2],
			" %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n");
		Rig *r = run_hanoi("", text, 8, "producer", &h);
		ck_assert_uint_eq(rig_fetches(r, "J"), 1);
		rig_free(r);
	}
}
END_TEST

/* Lanes 1 and 0 part inside the true side, and lane 0 waits there for lanes 2 and 3. They are not of the
   barrier of lanes 0 and 1, so a YIELD finds no sibling once lane 1 waits at it: as published, lane 0 goes
   round for ever. */
START_TEST(a_yield_without_a_sibling)
{
	const char *text = K(LESS("%t", "2", "T", "F") "T:" LESS("%t", "1", "W", "S")
		"W: %a = ld.volatile.global.u32 [%o+8000]\n %p = setp.eq.u32 %a, 0\n bra %p, W, I\n"
		"S: st.global.u32 [%o+8008], 1\n bra I\nI: %x = add.u32 %x, 1\n bra J\n"
		"F: st.volatile.global.u32 [%o+8000], 1\n bra J\nJ: %x = add.u32 %x, 2\n" END);
	static const char *const alone[] = { "its.yield_patience=0", "its.yield_patience=5", "" };
	for (int k = 0; k < 3; k++) {
		char set[120];
		snprintf(set, sizeof set, "divergence.model=its its.policy=hanoi %s", alone[k]);
		Rig *r = rig_new(set);
		rig_try(r, text, 1, 4);
		ck_assert_int_eq(r->ok, k > 0);
		if (r->ok) {
			rig_laws(r);
			ck_assert_uint_eq(issues_with(r, "yield"), k == 1 ? 5 : 100);
		}
		rig_free(r);
	}
}
END_TEST

/* Groups of one size: the side that is taken first; else the larger one. */
START_TEST(most_lanes_first)
{
	static const char *const path[] = { "A:f F:e T:1 J:f", "A:f T:3 F:c J:f", "A:f T:7 F:8 J:f" };
	for (int k = 0; k < 3; k++) {
		char text[600];
		snprintf(text, sizeof text, "kernel k(u64 out) {\n reg u32 %%t, %%x\n reg u64 %%o\n"
			" reg pred %%p\nA: %%t = mov.u32 %%tid.x\n %%p = setp.le.u32 %%t, %d\n"
			" bra %%p, T, F\nT: %%x = add.u32 %%x, 5\n bra J\nF: %%x = add.u32 %%x, 6\n bra J\n"
			"J: %%o = ld.param.u64 [out]\n %s}\n", k,
			" %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o], %x\n exit\n");
		rig_free(rig_four("divergence.model=its its.policy=hanoi", text, path[k]));
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { random_graphs, calls_and_exits, a_lock, a_producer,
		a_yield_without_a_sibling, most_lanes_first };
	return rig_suite("hanoi", tests, sizeof tests / sizeof *tests);
}
