/* Fuses what stands one behind the other in host functions of texts, and runs them. */
#ifndef GSIM_TEST_FUSE_PAIR_H
#define GSIM_TEST_FUSE_PAIR_H
#include "passes/transform/fusion/fusion.h"
#include "sim/host/run.h"
#include "isa/memory.h"
#include "tests/check.h"

/* of the last pair: why it was refused, or its verdict, whose texts are gone */
typedef struct FusedPair { int fused, refused; char why[400]; FusionVerdict verdict; } FusedPair;

/* The next launch behind instruction k of the block, if only operations on registers are between and none of
   them makes what it reads; -1. */
static inline int launch_behind(const Block *b, int k)
{
	return k + 1 < b->ins.n && b->ins.v[k + 1].op == OP_LAUNCH ? k + 1 : -1;
}

static inline void fuse_adjacent(Module *m, FusionOptions options, FusedPair *p)
{
	static const Pass pass = { .name = "fuse-adjacent" };
	Function *host = module_find_function(m, "main");
	Diag d = { 0 };
	PassRun r = { .m = m, .origin = (uint8_t)module_origin(m, "fuse-adjacent"), .diag = &d,
		.pass = &pass };
	Fusion *f = fusion_open(&r, &options);
	*p = (FusedPair){ 0 };
	function_number(host);
	for (int b = 0; b < host->block.n; b++)
		for (int k = 0; k < host->block.v[b]->ins.n; k++) {
			Block *at = host->block.v[b];
			int next = at->ins.v[k].op == OP_LAUNCH ? launch_behind(at, k) : -1;
			if (next < 0)
				continue;
			Analyses *an = analyses_open(m, host, NULL, NULL, NULL);
			if (!fusion_judge(f, an, b, next, &at->ins.v[k], &at->ins.v[next], &p->verdict)) {
				p->refused++;
				snprintf(p->why, sizeof p->why, "%s", p->verdict.why);
				analyses_close(an);
				continue;
			}
			Edit e = edit_open(m, host, r.origin);
			int before = at->ins.n;
			Ins launch = fusion_make(f, an, &e, at, next, &at->ins.v[k], &at->ins.v[next],
				&p->verdict);
			next += at->ins.n - before;
			at->ins.v[next] = launch;
			edit_remove(&e, at, k);
			edit_close(&e);
			analyses_close(an);
			p->fused++;
			k--;
		}
	fusion_close(f);
	ck_assert_msg(ir_verify(m, &d), "%s", d.item.n ? d.item.v[0].text : "");
	diag_free(&d);
}

static inline Module *read_text(const char *text)
{
	Diag d = { 0 };
	Module *m = ir_read(text, strlen(text), "test.ir", &d);
	ck_assert_msg(m != NULL, "%s", d.item.n ? d.item.v[0].text : "");
	diag_free(&d);
	return m;
}

/* The hash of all memory behind the end; model NULL: in the reference interpreter. */
static inline unsigned long long run_text(const Module *m, const char *model, const char *what)
{
	Diag d = { 0 };
	Config c;
	config_defaults(&c);
	ck_assert(!model || config_set_model(&c, model, &d));
	Run *r = run_new(&c, m, &(RunOptions){ .gpu = { .functional = true }, .reference = !model,
		.trial = true }, &d);
	RunStatus status = r ? run_module(r) : RUN_FAILED;
	ck_assert_msg(status == RUN_OK, "%s under %s: %s", what, model ? model : "the reference",
		d.item.n ? d.item.v[0].text : r ? r->failure : "");
	unsigned long long hash = memory_hash(r->memory);
	run_free(r);
	diag_free(&d);
	return hash;
}
#endif
