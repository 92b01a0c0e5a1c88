/* Nothing moves faster than its rate: streams through the memory system of every machine file. */
#include "tests/machines.h"
#include "tests/sim/mem/mem_rig.h"
#include <stdlib.h>


/* The machine with an L2 so small that a short stream leaves it: four sets a slice. */
static Config machine(const char *name)
{
	Config c;
	Diag d = { 0 };
	char path[512];
	snprintf(path, sizeof path, "%s/configs", getenv("srcdir") ? getenv("srcdir") : "..");
	setenv("GSIM_PATH", path, 1);
	ck_assert_msg(config_load(&c, name, &d), "%s does not load", name);
	diag_free(&d);
	c.l2_bytes = 4 * c.l2_slices * c.l2_ways * c.l2_line;
	ck_assert_msg(!config_memory_refused(&c), "%s: %s", name, config_memory_refused(&c));
	return c;
}

static const uint64_t FAR = ((uint64_t)1 << 36) + 5 * 65536;    /* the copy; away from the source's banks */

typedef enum { STORES, LOADS, COPY, MODIFY, STREAMS } Stream;
static const char *const stream_name[STREAMS] = { "stores", "loads", "a copy", "loads and stores of a line" };

typedef struct Streamer {              /* one SM's part: warp accesses to lines dealt to SMs in turn */
	SmMem *s;
	Totals st;
	Cycle now;
	int job;
	MemTicket *ticket;
} Streamer;

static bool access(Streamer *q, const Config *c, Stream what, uint64_t start, Cycle *retry)
{
	uint64_t addr[64];
	bool both = what == COPY || what == MODIFY, store = what == STORES || (both && q->job % 2);
	uint64_t bytes = (uint64_t)c->warp_size * 4, at =
		start + (uint64_t)(both ? q->job / 2 : q->job) * bytes * (uint64_t)c->sm_count;
	for (int64_t i = 0; i < c->warp_size; i++)
		addr[i] = A + at + 4 * (uint64_t)i + (what == COPY && store ? FAR : 0);
	Access a = { .kind = store ? ACC_STORE : ACC_LOAD, .space = SP_GLOBAL, .returns = !store, .bytes = 4,
		.mask = UINT64_MAX >> (64 - c->warp_size), .addr = addr };
	return smmem_access(q->s, q->now, &a, &q->st, &q->ticket[q->job], retry);
}

/* All SMs issue `jobs` accesses each, as fast as they are accepted. Everything counted, cycles until all is
   quiet. */
static Totals stream(const Config *c, Stream what, int jobs)
{
	int n = (int)c->sm_count, left = n;
	Streamer *q = xcalloc((size_t)n, sizeof *q);
	SmMem *s[256];
	Totals total = { 0 };
	MemSystem *m = mem_new(c);
	for (int i = 0; i < n; i++) {
		q[i] = (Streamer){ .s = smmem_new(c, i), .ticket = xcalloc((size_t)jobs, sizeof(MemTicket)) };
		s[i] = q[i].s;
	}
	for (Cycle end = mem_window(c); left; end += mem_window(c)) {
		int from[256];
		left = 0;
		for (int i = 0; i < n; i++) {
			from[i] = q[i].job;
			while (q[i].job < jobs && q[i].now < end) {
				Cycle retry = 0;
				if (access(&q[i], c, what, (uint64_t)i * (uint64_t)c->warp_size * 4, &retry))
					q[i].now = q[i].ticket[q[i].job++].pipe_free;
				else
					q[i].now = retry;
			}
			left += q[i].job < jobs;
		}
		mem_drain(m, s, n);
		for (int i = 0; i < n; i++)
			for (; from[i] < q[i].job; from[i]++)
				smmem_resolve(s[i], &q[i].ticket[from[i]]);
	}
	for (int i = 0; i < n; i++) {
		totals_add(&total, &q[i].st);
		smmem_free(s[i]);
		free(q[i].ticket);
	}
	total.cycles = total.quiet;
	mem_free(m);
	free(q);
	return total;
}

static int jobs_for(const Config *c)
{
	return (int)(8 * c->l2_bytes / (c->warp_size * 4 * c->sm_count)) + 100;
}

START_TEST(streams_keep_the_rates)
{
	const char *name = machine_files[_i / STREAMS];
	Config c = machine(name);
	Stream what = (Stream)(_i % STREAMS);
	uint64_t jobs = (uint64_t)jobs_for(&c), stored = jobs * (uint64_t)(c.sm_count * c.warp_size * 4);
	Totals s = stream(&c, what, (int)jobs);
	uint64_t moved = (s.dram_reads + s.dram_writes) * (uint64_t)c.l2_sector;
	Cycle least = moved / (uint64_t)(c.dram_channels * c.dram_width);
	ck_assert_msg(s.cycles >= least, "%s, %s: %llu bytes of DRAM in %llu cycles", name, stream_name[what],
		(unsigned long long)moved, (unsigned long long)s.cycles);
	/* nor much slower, where an SM can issue so much: long rows, and banks enough */
	ck_assert_msg(s.cycles <= least + least / 2 + 1000 || s.cycles <= jobs + 1000,
		"%s, %s: %llu cycles, where DRAM needs %llu", name, stream_name[what],
		(unsigned long long)s.cycles, (unsigned long long)least);
	const char *law = stats_rate_law(&s, &c), *memory = stats_memory_law(&s, &c);
	ck_assert_msg(!law && !memory, "%s, %s: %s", name, stream_name[what], law ? law : memory);
	if (what == STORES) { /* all that was stored became dirty in L2; some of it is in DRAM */
		ck_assert_uint_eq(s.l2_dirtied * (uint64_t)c.l2_sector, stored);
		ck_assert_uint_le(s.dram_writes, s.l2_dirtied);
	}
}
END_TEST

/* The law can fail: half the time is too little for what fills the bus, the slices or the ports. */
START_TEST(rate_laws_can_fail)
{
	Config c = machine("volta.lua");
	c.sm_count = 4;
	int64_t *rate[] = { &c.dram_width, &c.l2_width, &c.icnt_width };
	for (int k = 0; k < 3; k++)
		for (int what = STORES; what <= LOADS; what++) {
			int64_t usual = *rate[k];
			*rate[k] = k == 2 ? 8 : 1;
			Totals s = stream(&c, (Stream)what, 2000);
			ck_assert_ptr_null(stats_rate_law(&s, &c));
			s.cycles /= 2;
			ck_assert_msg(stats_rate_law(&s, &c) != NULL, "rate %d, %s", k, stream_name[what]);
			*rate[k] = usual;
		}
}
END_TEST

/* Of each machine and stream: half of a rate takes no less time, and a longer latency at least 97 % of the
   time. */
START_TEST(more_never_takes_less)
{
	Config c = machine(machine_files[_i / STREAMS]), d = c;
	Stream what = (Stream)(_i % STREAMS);
	Cycle usual = stream(&c, what, jobs_for(&c) / 4).cycles;
	int64_t *rate[] = { &d.dram_width, &d.l2_width, &d.icnt_width };
	for (size_t k = 0; k < sizeof rate / sizeof *rate; k++, d = c) {
		*rate[k] /= 2;
		Cycle slow = stream(&d, what, jobs_for(&c) / 4).cycles;
		ck_assert_msg(slow >= usual, "%s, %s: %llu cycles, %llu with half of rate %d",
			machine_files[_i / STREAMS], stream_name[what], (unsigned long long)usual,
			(unsigned long long)slow, (int)k);
	}
	int64_t *latency[] = { &d.l1_latency, &d.icnt_latency, &d.l2_latency, &d.dram_latency, &d.dram_miss,
		&d.dram_hit };
	for (size_t k = 0; k < sizeof latency / sizeof *latency; k++, d = c) {
		Cycle before = usual;
		for (int step = 0; step < 3; step++) {
			int64_t more = 1 + *latency[k] / 3;
			*latency[k] += more;
			d.dram_miss += latency[k] == &d.dram_hit ? more : 0;     /* it contains the access */
			Cycle slow = stream(&d, what, jobs_for(&c) / 4).cycles;
			ck_assert_msg(slow >= before - before * 3 / 100,
				"%s, %s: %llu cycles, then %llu with a longer latency %d",
				machine_files[_i / STREAMS], stream_name[what], (unsigned long long)before,
				(unsigned long long)slow, (int)k);
			before = slow;
		}
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("rates of the memory system");
	TCase *t = tcase_create("rates");
	tcase_add_loop_test(t, streams_keep_the_rates, 0, MACHINE_FILES * STREAMS);
	tcase_add_test(t, rate_laws_can_fail);
	tcase_add_loop_test(t, more_never_takes_less, 0, MACHINE_FILES * STREAMS);
	suite_add_tcase(s, t);
	return s;
}

int main(void)
{
	SRunner *r = srunner_create(suite());
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
