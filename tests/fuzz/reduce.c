/* The target `reduce`: what gsim-reduce makes of IR text. Each of its ways changes some range of places;
   whatever comes out, the verifier looks at it, and what that takes prints as a text that reads back. */
#include "tests/fuzz/fuzz.h"
#include "isa/ir.h"
#include "tools/reduce/edits.h"

static uint32_t next_choice(uint32_t *h)
{
	*h = *h * 1664525 + 1013904223;
	return *h >> 8;
}

static const char *prints(const Module *m)
{
	StrBuf text = { 0 };
	Diag d = { 0 };
	sb_puts(&text, "");
	reduce_print(m, &text);
	Module *again = ir_read(text.s, text.n, "again", &d);
	const char *bad = again ? NULL : "what a way leaves prints as a text that cannot be read";
	if (again)
		module_free(again);
	diag_free(&d);
	sb_free(&text);
	return bad;
}

/* Changes some range. *m: the module, or what comes out where that is valid. */
static const char *change(Module **m, const Reduction *way, uint32_t *h)
{
	int n = way->places(*m);
	if (n <= 0)
		return n ? "a way has fewer than no places" : NULL;
	int from = (int)(next_choice(h) % (uint32_t)n), most = n - from;
	int size = next_choice(h) % 2 ? 1 : 1 + (int)(next_choice(h) % (uint32_t)most);
	Module *to = module_copy(*m);
	Diag d = { 0 };
	const char *bad = NULL;
	bool plain = reduce_plain(*m), valid = way->change(to, from, from + size);
	if (valid)
		reduce_settle(to, plain);
	valid = valid && ir_verify(to, &d);
	if (valid)
		bad = prints(to);
	diag_free(&d);
	module_free(valid ? *m : to);
	*m = valid ? to : *m;
	return bad;
}

const char *fuzz_reduce(const char *s, size_t n)
{
	Diag d = { 0 };
	Module *m = ir_read(s, n, "fuzz", &d);
	const char *bad = NULL;
	uint32_t h = fuzz_hash(s, n);
	for (int k = 0; m && reductions[k].name && !bad; k++) {
		bad = change(&m, &reductions[k], &h);
		if (bad)
			fprintf(stderr, "way %d, %s: %s\n", k, reductions[k].name, bad);
	}
	if (m)
		module_free(m);
	diag_free(&d);
	return bad;
}
