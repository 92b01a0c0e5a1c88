/* One launch on the machine to compute by hand (tests/sim/sm/sim_rig.h): in which cycles warps issue, and why
   they do not. */
#ifndef TEST_SIM_PIPELINE_H
#define TEST_SIM_PIPELINE_H
#include "sim/machine/machine.h"
#include "tests/sim/sm/sim_rig.h"

#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %a, %b, %c, %d\n reg u64 %o, %w, %x\n" \
	" reg f32 %f, %g, %h, %i\n" \
	" reg pred %p, %q\n shared u32 buf[64]\nA:\n" BODY "}\n"
#define EX " exit\n"
/* out[thread of the block] = R */
#define STORE(R) " %t = mov.u32 %tid.x\n %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 4, %o\n" \
	" st.global.u32 [%o], " R "\n"

static inline void stall(const Rig *r, Stall s, uint64_t want)
{
	ck_assert_msg(r->s.totals.stalls[s] == want, "%llu cycles of stall %s; expected %llu",
		(unsigned long long)r->s.totals.stalls[s], stall_name[s], (unsigned long long)want);
}

/* The only stalls are n of one kind. */
static inline void only_stall(const Rig *r, Stall s, uint64_t n)
{
	for (int k = 0; k < STALL_COUNT; k++)
		stall(r, (Stall)k, (Stall)k == s ? n : 0);
}

/* The code lies in one line of the instruction cache. When that has come, everything is as it is without
   fetches, so much later, though windows are long now; but where a warp that waits for it gives up its place
   among the active ones. */
static inline void fetched_once(const Rig *r, const char *machine, const char *text, unsigned threads)
{
	char set[400];
	snprintf(set, sizeof set, "%s fetch.cache_bytes=1024 fetch.line_bytes=256 fetch.instruction_bytes=4 "
		"fetch.miss_cycles=100 interconnect.latency=40", machine);
	if (strstr(machine, "fetch.cache_bytes") || strstr(machine, "active_warps=1"))
		return;
	Rig *f = rig_new(set);
	rig_run(f, text, 1, threads);
	ck_assert_uint_eq(f->s.totals.fetch_misses, 1);
	ck_assert_int_eq(f->n, r->n);
	Cycle later = f->s.totals.cycles - r->s.totals.cycles;
	for (int i = 0; i < r->n; i++)
		ck_assert_msg(r->e[i].kind != TR_ISSUE || (f->e[i].kind == TR_ISSUE &&
			f->e[i].cycle == r->e[i].cycle + later && f->e[i].a == r->e[i].a &&
			f->e[i].warp == r->e[i].warp), "%s: event %d is in cycle %d, with fetches in %d",
			machine, i, (int)r->e[i].cycle, (int)f->e[i].cycle);
	for (int k = 0; k < STALL_COUNT; k++)
		ck_assert_uint_eq(f->s.totals.stalls[k], r->s.totals.stalls[k] +
			(k == STALL_FETCH ? later * (Cycle)r->c.sched_count : 0));
	rig_free(f);
}

static inline Rig *one(const char *machine, const char *text, const char *cycles)
{
	Rig *r = rig_new(machine);
	rig_run(r, text, 1, 4);
	rig_issues(r, 0, cycles);
	fetched_once(r, machine, text, 4);
	return r;
}
#endif
