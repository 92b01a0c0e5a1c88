/* One SM and the memory system behind it, for the tests. */
#ifndef GSIM_MEM_RIG_H
#define GSIM_MEM_RIG_H
#include "sim/mem/internal.h"
#include "tests/random.h"
#include "tests/check.h"

enum { LANES = 32 };
#define FULL 0xffffffffu
#define A 0x100000000000u           /* an address */

TCase *mem_random_tests(void);     /* check_mem_random.c */
int mem_bench(void);

static inline Config defaults(void)
{
	Config c;
	config_defaults(&c);
	return c;
}

/* ---- one SM and the system behind it ---- */
typedef struct Rig {
	Config c;
	MemSystem *m;
	SmMem *s;
	Totals st;
	uint64_t addr[64];
	MemTicket t;
	Cycle retry;
} Rig;

static inline Rig *rig(const Config *c)
{
	Rig *r = xcalloc(1, sizeof *r);
	r->c = *c;
	r->m = mem_new(c);
	r->s = smmem_new(c, 0);
	return r;
}

static inline void drain(Rig *r)
{
	mem_drain(r->m, &r->s, 1);
}

static inline void close_rig(Rig *r)
{
	const char *law;
	drain(r);
	ck_assert_uint_le(r->st.l2_writebacks, r->st.l2_dirtied);
	ck_assert_msg(!(law = stats_memory_law(&r->st, &r->c)), "law broken: %s", law);
	ck_assert_int_eq(smmem_outstanding(r->s, UNKNOWN), 0);
	mem_free(r->m);
	smmem_free(r->s);
	free(r);
}

/* Lanes 0..n-1 at start, start + stride, ... */
static inline bool stride(Rig *r, Cycle now, AccessKind kind, Space space, uint64_t start, uint64_t step,
	int n, unsigned bytes)
{
	for (int i = 0; i < n; i++)
		r->addr[i] = start + step * (uint64_t)i;
	Access a = { .kind = kind, .space = space, .returns = true, .bytes = bytes,
		.mask = n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1, .addr = r->addr };
	return smmem_access(r->s, now, &a, &r->st, &r->t, &r->retry);
}

static inline Cycle finish(Rig *r)
{
	drain(r);
	return smmem_resolve(r->s, &r->t);
}

/* A whole warp's load of 4-byte words from a line: accepted, served, done. */
static inline Cycle load_line(Rig *r, Cycle now, uint64_t addr)
{
	ck_assert(stride(r, now, ACC_LOAD, SP_GLOBAL, addr, 4, 32, 4));
	return finish(r);
}
#endif
