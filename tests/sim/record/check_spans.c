/* Intervals as they are kept: whatever is counted when, and in what order, they are as long as they have to
 * be and lose nothing; and by hand, what each cycle of small kernels has. */
#include "sim/machine/machine.h"
#include "sim/record/intervals.h"
#include "tests/random.h"
#include "tests/sim/sm/sim_rig.h"

typedef struct Happening { Cycle cycle; uint64_t n; } Happening;
enum { HAPPENINGS = 400 };

static uint64_t below(uint64_t *random, uint64_t n) { return random_next(random) % n; }

/* The least length, of asked, twice it, ..., with which the span is no more intervals than there may be. */
static Cycle length_for(const Happening *h, int n, Cycle asked)
{
	Cycle first = h[0].cycle, last = h[0].cycle, length = asked;
	for (int i = 1; i < n; i++) {
		first = h[i].cycle < first ? h[i].cycle : first;
		last = h[i].cycle > last ? h[i].cycle : last;
	}
	while (last / length - first / length >= INTERVALS_MOST)
		length *= 2;
	return length;
}

static void count_all(Intervals *v, const Happening *h, int n, int step)
{
	for (int i = 0; i < n; i++)
		intervals_at(v, h[(i * step + n - 1) % n].cycle)->issued += h[(i * step + n - 1) % n].n;
}

static void compare(Intervals *v, const Happening *h, int n)
{
	uint64_t sum = 0, want = 0;
	ck_assert_uint_eq(v->cycles, length_for(h, n, v->asked));
	ck_assert_int_le(v->n, INTERVALS_MOST);
	ck_assert_int_le(v->cap, INTERVALS_MOST);
	for (int k = 0; k < v->n; k++)
		sum += v->row[k].issued;
	for (int i = 0; i < n; i++) {
		uint64_t in = 0, number = h[i].cycle / v->cycles;
		want += h[i].n;
		for (int j = 0; j < n; j++)
			in += h[j].cycle / v->cycles == number ? h[j].n : 0;
		ck_assert_uint_eq(v->row[number - v->first].issued, in);
	}
	ck_assert_uint_eq(sum, want);
}

static void count_in_any_order(int seed)
{
	static const uint64_t spans[] = { 1, 7, INTERVALS_MOST, INTERVALS_MOST + 1, 1000000, 100000000,
		(uint64_t)1 << 40 };
	static const int steps[] = { 1, HAPPENINGS - 1, 7, 101 }; /* forwards, backwards, across */
	static Happening h[HAPPENINGS];
	uint64_t r = (uint64_t)seed, span = spans[seed % 7], begin = below(&r, 3) ? below(&r, 1000000) : 0;
	for (int i = 0; i < HAPPENINGS; i++)
		h[i] = (Happening){ begin + below(&r, span), below(&r, 5) };
	h[0].cycle = begin + span - 1;
	for (int k = 0; k < 4; k++) {
		Intervals *v = intervals_new(1 + below(&r, 12));
		count_all(v, h, HAPPENINGS, steps[k]);
		compare(v, h, HAPPENINGS);
		intervals_free(v);
	}
}

START_TEST(counts_in_any_order)
{
	for (int seed = 1; seed <= 28; seed++)
		count_in_any_order(seed);
}
END_TEST

/* A warm-up that has failed keeps what it has counted: in one length or the other, nothing is lost. */
static void merge(int seed)
{
	static Happening h[HAPPENINGS];
	uint64_t r = (uint64_t)seed;
	for (int i = 0; i < HAPPENINGS; i++)
		h[i] = (Happening){ below(&r, seed % 2 ? 200000 : 20000) +
			(i < HAPPENINGS / 2 ? 0 : 50000 * (uint64_t)seed), 1 + below(&r, 9) };
	Intervals *all = intervals_new(1), *part = intervals_new(1);
	count_all(all, h, HAPPENINGS / 2, 1);
	count_all(part, h + HAPPENINGS / 2, HAPPENINGS - HAPPENINGS / 2, 1);
	intervals_merge(all, part);
	compare(all, h, HAPPENINGS);
	intervals_free(all);
	intervals_free(part);
}

START_TEST(merged)
{
	for (int seed = 0; seed < 8; seed++)
		merge(seed);
}
END_TEST

START_TEST(cycles_of_launches)
{
	static const Cycle span[][2] = { { 5, 6 }, { 6, 6 }, { 1000, 1000000 }, { 3, 2000003 },
		{ 0, 100000000 } };
	Cycle cycles = 0;
	uint64_t slots = 0, empty = 0, want = 0;
	Intervals *v = intervals_new(1);
	for (int i = 0; i < 5; i++) {
		intervals_run(v, span[i][0], span[i][1], 8);
		want += span[i][1] - span[i][0];
	}
	for (int k = 0; k < v->n; k++) {
		cycles += v->row[k].cycles;
		slots += v->row[k].slots;
		empty += v->row[k].stalls[STALL_EMPTY];
	}
	ck_assert_uint_eq(cycles, want);
	ck_assert_uint_eq(slots, 8 * want);
	ck_assert_uint_eq(empty, 8 * want);
	/* of 100,000,000 cycles the intervals that are no more than 32768 */
	ck_assert_uint_eq(v->cycles, 4096);
	intervals_free(v);
}
END_TEST

/* ---- by hand ---- */

#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %x\n reg u64 %o\n reg pred %p\nA:" BODY "}\n"

/* The figure in each interval, as text. */
static void figure_is(const Rig *r, size_t offset, const char *want)
{
	char got[400] = "";
	size_t at = 0;
	for (int k = 0; k < r->intervals->n; k++)
		at += (size_t)snprintf(got + at, sizeof got - at, "%s%llu", k ? " " : "",
			(unsigned long long)*(const uint64_t *)((const char *)&r->intervals->row[k] +
			offset));
	ck_assert_msg(!strcmp(got, want), "figure at %zu: %s, expected %s", offset, got, want);
}
#define IS(R, FIELD, WANT) figure_is(R, offsetof(Interval, FIELD), WANT)

static Rig *over_time(const char *machine, Cycle length, const char *text, unsigned grid, unsigned block)
{
	Rig *r = rig_new(machine);
	r->intervals = intervals_new(length);
	rig_run(r, text, grid, block);
	return r;
}

/* It happens once, in that interval. */
static void first_is(const Rig *r, size_t offset, Cycle want)
{
	for (int k = 0; k < r->intervals->n; k++) {
		uint64_t n = *(const uint64_t *)((const char *)&r->intervals->row[k] + offset);
		ck_assert_msg(n == ((Cycle)k == want), "figure at %zu: %llu in interval %d, expected 1 in "
			"%llu", offset, (unsigned long long)n, k, (unsigned long long)want);
	}
	ck_assert_uint_lt(want, (uint64_t)r->intervals->n);
}

static void over(Rig *r)
{
	intervals_free(r->intervals);
	rig_free(r);
}

/* One warp issues in cycles 0, 1 and 51; it sleeps from 2 to 50, which the machine jumps over, and all is
   over with cycle 51. */
START_TEST(a_jump_is_divided)
{
	const char *text = K(" %t = mov.u32 %tid.x\n nanosleep.u32 50\n exit\n");
	Rig *r = over_time("clock_mhz=1000", 10, text, 1, 3);
	ck_assert_uint_eq(r->s.totals.cycles, 52);
	IS(r, cycles, "10 10 10 10 10 2");
	IS(r, issued, "2 0 0 0 0 1");
	IS(r, warp_instructions, "2 0 0 0 0 1");
	IS(r, lanes_useful, "6 0 0 0 0 3");
	IS(r, lanes_no_thread, "2 0 0 0 0 1");
	IS(r, stalls[STALL_SLEEP], "8 10 10 10 10 1");
	IS(r, stalls[STALL_EMPTY], "0 0 0 0 0 0");
	IS(r, resident, "10 10 10 10 10 2");
	over(r);
	r = over_time("clock_mhz=1000", 100, text, 1, 3); /* one that holds the whole run */
	IS(r, cycles, "52");
	IS(r, stalls[STALL_SLEEP], "49");
	over(r);
	r = over_time("clock_mhz=1000", 26, text, 1, 3); /* the last one ends with the run */
	IS(r, issued, "2 1");
	IS(r, stalls[STALL_SLEEP], "24 25");
	over(r);
}
END_TEST

static int most_kept;
static void count_kept(Sm *sm) { most_kept = sm->sampled.n > most_kept ? sm->sampled.n : most_kept; }

/* Windows are long here, and a sleep is many intervals, which are alike: few are kept at a time. */
START_TEST(a_long_wait_is_kept_as_one)
{
	tracer_watch = count_kept;
	Rig *r = over_time("clock_mhz=1000 interconnect.latency=2000", 1,
		K(" %t = mov.u32 %tid.x\n nanosleep.u32 5000\n exit\n"), 1, 3);
	tracer_watch = NULL;
	ck_assert_int_eq(r->intervals->n, 5002);
	ck_assert_int_le(most_kept, 8);
	over(r);
}
END_TEST

/* Lanes 0 and 1 go one way, the others the other: those that parted are lost in the cycles in which the
   others issue. */
START_TEST(lost_lanes_in_their_cycles)
{
	Rig *r = over_time("clock_mhz=1000", 1, K(" %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 2\n"
		" bra %p, B, J\nB: %x = mov.u32 1\n bra J\nJ: exit\n"), 1, 4);
	IS(r, warp_instructions, "1 1 1 1 1");
	IS(r, lanes_useful, "4 4 4 2 4");
	IS(r, lanes_parted, "0 0 0 2 0");
	IS(r, divergent_branches, "0 0 1 0 0");
	over(r);
}
END_TEST

/* The load issues in cycle 1, and takes the port until 2 (so it is at L2 in 12), the slice until 13 and 20
   cycles more, then the bus of DRAM in 38, the row having taken 5; the answer takes the port in 39, and 10
   cycles more: 49 is the last of its way. */
START_TEST(a_load_on_its_way)
{
	Rig *r = over_time("interconnect.latency=10 l2.latency=20 dram.row_hit=5 dram.row_miss=5", 1,
		K(" %o = ld.param.u64 [out]\n %x = ld.global.u32 [%o]\n exit\n"), 1, 1);
	first_is(r, offsetof(Interval, transactions), 1);
	first_is(r, offsetof(Interval, l1_bypasses), 1);
	first_is(r, offsetof(Interval, l2_requests), 12);
	first_is(r, offsetof(Interval, l2_misses), 12);
	first_is(r, offsetof(Interval, dram_reads), 38);
	first_is(r, offsetof(Interval, l2_replies), 49);
	over(r);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = { counts_in_any_order, merged, cycles_of_launches, a_jump_is_divided,
		a_long_wait_is_kept_as_one, lost_lanes_in_their_cycles, a_load_on_its_way };
	return rig_suite("figures over time", tests, sizeof tests / sizeof *tests);
}
