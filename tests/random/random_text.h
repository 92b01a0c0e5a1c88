/* Kernels of random graphs as text: small, dense, without structure. For tests of mechanisms;
 * tests/random/random_kernel.h has the large ones. */
#ifndef TEST_RANDOM_TEXT_H
#define TEST_RANDOM_TEXT_H
#include "lib/strbuf.h"
#include <stdint.h>

/* POINTS: some branches ask for a random reconvergence point; INDEXED: some are indexed, with one to four
   targets, or on a constant. */
enum { GRAPH_ACYCLIC = 1, GRAPH_POINTS = 2, GRAPH_INDEXED = 4 };

static inline unsigned random_pick(uint64_t *s, unsigned n)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*s >> 33) % n;
}

/* The targets of an indexed branch: the first goes forward, and is taken from step 40 on. */
static inline void random_targets(StrBuf *b, uint64_t *x, int k, int n, unsigned kind)
{
	int count = 1 + (int)random_pick(x, 4);
	sb_printf(b, " @%%p %%a = mov.u32 0\n %%a = rem.u32 %%a, %d\n brx %%a, [B%d", count,
		k + 1 + (int)random_pick(x, (unsigned)(n - k)));
	while (--count)
		sb_printf(b, ", B%d", kind & GRAPH_ACYCLIC ? k + 1 + (int)random_pick(x, (unsigned)(n - k))
			: (int)random_pick(x, (unsigned)n));
	sb_puts(b, "]");
}

/* Kernel k(parameters), which must have u64 out: the thread's way as a number into out[tid]. Blocks B0..Bn;
   the true side goes forward, the other anywhere (forward only in an acyclic one); after 40 steps a lane
   takes true sides only, so that it ends. */
static inline char *random_graph_text(uint64_t seed, unsigned kind, const char *parameters)
{
	StrBuf b = { 0 };
	uint64_t x = seed * 77 + 5;
	int n = 4 + (int)random_pick(&x, 7);
	sb_printf(&b, "kernel k(%s) {\n reg u32 %%t, %%a, %%x, %%s\n reg u64 %%o\n reg pred %%p\n"
		"A: %%t = mov.u32 %%tid.x\n"
		" %%x = mul.lo.u32 %%t, 2654435761\n", parameters);
	for (int k = 0; k < n; k++) {
		int to = k + 1 + (int)random_pick(&x, (unsigned)(n - k));
		int other = kind & GRAPH_ACYCLIC ? k + 1 + (int)random_pick(&x, (unsigned)(n - k))
			: (int)random_pick(&x, (unsigned)n);
		unsigned shift = 7 + random_pick(&x, 20);
		const char *how = random_pick(&x, 2) ? "eq" : "ne";
		sb_printf(&b, "B%d: %%x = mad.lo.u32 %%x, 1664525, %d\n %%s = add.u32 %%s, 1\n"
			" %%a = shr.b32 %%x, %u\n %%a = and.b32 %%a, 3\n"
			" %%p = setp.%s.u32 %%a, %u\n @!%%p %%p = setp.gt.u32 %%s, 40\n", k, 12345 + 17 * k,
			shift, how, random_pick(&x, 4));
		unsigned form = kind & GRAPH_INDEXED ? random_pick(&x, 8) : 7;
		if (form < 2)
			random_targets(&b, &x, k, n, kind);
		else
			sb_printf(&b, " bra %s, B%d, B%d", form == 2 ? "1" : "%p", to, other);
		if (kind & GRAPH_POINTS && random_pick(&x, 2))
			sb_printf(&b, " !reconverge B%u", random_pick(&x, (unsigned)n + 1));
		sb_puts(&b, "\n");
	}
	sb_printf(&b, "B%d: %%o = ld.param.u64 [out]\n %%o = mad.wide.u32 %%t, 4, %%o\n"
		" st.global.u32 [%%o], %%x\n exit\n}\n", n);
	return b.s;
}
#endif
