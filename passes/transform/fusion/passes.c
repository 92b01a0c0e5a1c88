/* kf-trad, bkf, fkf, kfcm: fewer launches (Fukuhara, doctoral thesis 2023, chapter 5).
 *
 * requires  host functions; kernels as they will be launched
 * keeps     what is launched on every way through a host function, in an order that respects dependences; no
 *           way has more launches than before
 * breaks    everything made from host functions; fused kernels are added, and those of them that are no
 *           longer launched, because they were fused again, are removed
 *
 * kf-trad fuses launches of one block. bkf hoists a launch if that brings it behind another one with which it
 * can be fused, and puts a launch by itself on the other ways; fkf in the same manner sinks a launch before
 * another one; kfcm does what bkf does, and what fkf does where bkf finds nothing to fuse. A launch that is
 * hoisted to be fused elsewhere may leave a launch behind with which it could have been fused in its block;
 * so kfcm begins with what kf-trad does, and then has on no way more launches than kf-trad. */
#include "passes/transform/fusion/clean.h"
#include "passes/transform/fusion/launches.h"
#include "passes/transform/transform.h"

enum { GRID_BARRIER, NO_GRID_SYNC, NO_WRAP, SAME_KERNEL };
static const PassOption options[] = {
	[GRID_BARRIER] = { "grid-barrier", 0, 0, 1, "1: where all blocks are resident at once, a barrier of "
		"the grid may stand between two kernels", .kind = PASS_NUMBER },
	[NO_GRID_SYNC] = { "assume-no-grid-sync", 0, 0, 1,
		"1: dependences between different blocks are taken not to matter, as the thesis does; "
		"results may be wrong", .kind = PASS_NUMBER },
	[NO_WRAP] = { "assume-no-wrap", 0, 0, 1, "1: index computations are taken not to wrap around",
		.kind = PASS_NUMBER },
	[SAME_KERNEL] = { "same-kernel", 0, 0, 1, "1: two launches of one kernel are fused, too",
		.kind = PASS_NUMBER },
};

static bool judge_pair(void *self, Analyses *host, int block, int ins, const Ins *first, const Ins *second,
	FusionVerdict *v)
{
	return fusion_judge(self, host, block, ins, first, second, v);
}

static Ins make_pair(void *self, Analyses *host, Edit *e, Block *b, int ins, const Ins *first,
	const Ins *second, const FusionVerdict *v)
{
	return fusion_make(self, host, e, b, ins, first, second, v);
}

/* Runs a step once on the host function. True: launches were fused, and the function is written anew. If none
   was fused, launches that were only moved stay where they were in the function. */
static bool fusion_round(PassRun *r, const Joiner *joiner, int phases, Host *h)
{
	Analyses *an = analyses_open(r->m, r->f, NULL, r->cost, r->limits);
	host_open(h, r, an, *joiner);
	if (phases)
		host_kfcm(h, (KfPhases)phases);
	else
		host_kf_trad(h);
	bool fused = h->fusions && host_write(h);
	analyses_close(an);
	return fused;
}

bool host_fuse(PassRun *r, const Joiner *joiner, int phases)
{
	bool any = false;
	for (bool fused = true; fused;) {
		Host h;
		fused = fusion_round(r, joiner, phases, &h);
		pass_count(r, "launches fused", h.fusions);
		pass_count(r, "launches inserted", h.inserted);
		pass_count(r, "launches removed", h.removed);
		any |= fused;
		host_close(&h);
	}
	return any;
}

/* Removes the kernels from number `first` on that no function below `first` launches or names: they were made
   on the way to larger ones. Returns how many of the functions below number `n` are left. */
static int drop_unlaunched(Module *m, int first, int n)
{
	Arena tmp = { 0 };
	BitSet used = bs_new(&tmp, m->func.n), gone = bs_new(&tmp, m->func.n),
		symbols = bs_new(&tmp, m->symbol.n);
	int left = n;
	for (int k = 0; k < first; k++)
		module_uses(m, k, used, symbols);
	for (int k = first; k < m->func.n; k++)
		if (!bs_has(used, k)) {
			bs_add(gone, k);
			left -= k < n;
		}
	module_drop_functions(m, gone);
	arena_free(&tmp);
	return left;
}

/* Fuses launches in all host functions, then cleans up the kernels made for that. Functions below number
   `first` are the source's. True: some launches were fused. */
static bool fuse_all(PassRun *r, const FusionOptions *o, int phases, int first, StrMap *said)
{
	bool changed = false;
	int n = r->m->func.n;
	Fusion *f = fusion_open(r, o);
	for (int k = 0; k < n; k++) {
		r->f = r->m->func.v[k];
		if (r->f->kind == FN_HOST && r->f->block.n)
			changed |= host_fuse(r, &(Joiner){ f, judge_pair, make_pair, said }, phases);
	}
	r->f = NULL;
	fusion_close(f);
	if (changed)
		fusion_clean(r, drop_unlaunched(r->m, first, n), o);
	return changed;
}

const KfSteps kf_trad_steps = { 1, { 0 } }, bkf_steps = { 1, { KF_HOIST } }, fkf_steps = { 1, { KF_SINK } },
	kfcm_steps = { 2, { 0, KF_HOIST | KF_SINK } };

static bool has_host_function(const Module *m)
{
	for (int k = 0; k < m->func.n; k++)
		if (m->func.v[k]->kind == FN_HOST && m->func.v[k]->block.n)
			return true;
	return false;
}

/* Repeats each step until it fuses nothing: a kernel that was cleaned up touches less memory, and may be
   fused where it could not be before. */
static bool run_kernel_fusion(PassRun *r, const KfSteps *steps)
{
	FusionOptions o = { .grid_barrier = r->option[GRID_BARRIER].number,
		.assume_no_grid_sync = r->option[NO_GRID_SYNC].number,
		.assume_no_wrap = r->option[NO_WRAP].number, .same_kernel = r->option[SAME_KERNEL].number };
	bool changed = false;
	int first = r->m->func.n;
	StrMap said = { 0 }, bodies = { 0 };
	o.bodies = &bodies;
	if (!has_host_function(r->m))
		pass_remark(r, (Loc){ r->m->name, 0, 0 }, "the module has no host function; launches of a "
			"workload in Lua are not seen by passes (gsim --record-host makes a host function of "
			"one)");
	for (int k = 0; k < steps->n; k++)
		while (fuse_all(r, &o, steps->phases[k], first, &said))
			changed = true;
	strmap_free(&said);
	strmap_free(&bodies);
	return changed;
}

static bool run_trad(PassRun *r) { return run_kernel_fusion(r, &kf_trad_steps); }
static bool run_bkf(PassRun *r) { return run_kernel_fusion(r, &bkf_steps); }
static bool run_fkf(PassRun *r) { return run_kernel_fusion(r, &fkf_steps); }
static bool run_kfcm(PassRun *r) { return run_kernel_fusion(r, &kfcm_steps); }

enum { NOPTIONS = sizeof options / sizeof *options };

const Pass pass_kf_trad = {
	.name = "kf-trad",
	.idle = "no two launches may become one",
	.help = "kernels fused where a host function launches one behind the other in one block",
	.options = options,
	.noptions = NOPTIONS,
	.module = run_trad,
};

const Pass pass_bkf = {
	.name = "bkf",
	.idle = "no two launches may become one",
	.help = "kernels fused after launches in host functions were hoisted behind others",
	.options = options,
	.noptions = NOPTIONS,
	.module = run_bkf,
};

const Pass pass_fkf = {
	.name = "fkf",
	.idle = "no two launches may become one",
	.help = "kernels fused after launches in host functions were sunk before others",
	.options = options,
	.noptions = NOPTIONS,
	.module = run_fkf,
};

const Pass pass_kfcm = {
	.name = "kfcm",
	.idle = "no two launches may become one",
	.help = "kernels fused by code motion in host functions: bkf, and fkf where that fuses nothing",
	.options = options,
	.noptions = NOPTIONS,
	.module = run_kfcm,
};
