#include "passes/registers.h"
#include "passes/analyses.h"
#include "passes/analysis/cost.h"
#include "passes/analysis/limits.h"
#include "passes/fit.h"
#include <math.h>

/* What a function needs. words: registers of 32 bits that live at once; warps: how many can be resident with
   so many each; cost: as cost_function counts. */
typedef struct Needs { int64_t words, warps; double cost; } Needs;

static Needs needs_of(const PassRun *r, Function *f)
{
	int64_t words = limits_words(f);
	return (Needs){ words, limits_warps(limits_of(r->limits), words), (double)cost_function(r->cost, f) };
}

/* Runs the pass on a copy of the function and finds out what the result needs. Returns false when the pass
   changes nothing. */
static bool try_pass(const PassRun *r, Needs *after)
{
	Trial t;
	trial_open(&t, r);
	t.run.an = analyses_open(t.run.m, t.run.f, NULL, r->cost, r->limits);
	bool changed = r->pass->function(&t.run);
	analyses_close(t.run.an);
	if (changed)
		*after = needs_of(r, t.run.f);
	trial_close(&t);
	return changed;
}

static bool spills(const PassRun *r, const Needs *before, const Needs *after)
{
	return after->words > before->words && after->words > limits_of(r->limits)->thread_registers;
}

static bool worth(const PassRun *r, const Needs *before, const Needs *after)
{
	if (spills(r, before, after))
		return false;
	return after->warps >= before->warps || after->cost * sqrt((double)before->warps) < before->cost *
		sqrt((double)after->warps);
}

static int pressure_option(const Pass *p)
{
	for (int k = 0; k < p->noptions; k++)
		if (!strcmp(p->options[k].name, "max-pressure"))
			return k;
	return -1;
}

static void refuse_result(PassRun *r, const Needs *before, const Needs *after)
{
	const MachineLimits *m = limits_of(r->limits);
	if (spills(r, before, after))
		pass_remark(r, r->f->loc, "left alone: %lld registers in place of %lld would live at once, "
			"and a thread has %lld: values would be spilled", (long long)after->words,
			(long long)before->words, (long long)m->thread_registers);
	else
		pass_remark(r, r->f->loc, "left alone: with %lld registers in place of %lld, %lld warps "
			"would be resident in place of %lld, and that is worth more than the cost, %.0f in "
			"place of %.0f", (long long)after->words, (long long)before->words,
			(long long)after->warps, (long long)before->warps, after->cost, before->cost);
}

bool registers_allow(PassRun *r, PassValue values[PASS_OPTIONS])
{
	const MachineLimits *m = limits_of(r->limits);
	int k = pressure_option(r->pass);
	Needs after;
	/* the user has set a limit of registers, or switched it off */
	if (k >= 0 && r->option[k].number >= 0)
		return true;
	if (!try_pass(r, &after)) /* what the function needs is counted only where something has changed */
		return true;
	Needs before = needs_of(r, r->f);
	if (worth(r, &before, &after))
		return true;
	if (k >= 0) {
		int64_t now = pressure_max(r->f), room = now + limits_room(m, before.words) - before.words;
		memcpy(values, r->option, sizeof *values * (size_t)r->pass->noptions);
		values[k].number = room > now ? room : now;
		r->option = values;
		if (!try_pass(r, &after) || worth(r, &before, &after))
			return true;
	}
	refuse_result(r, &before, &after);
	return false;
}

void registers_tell(PassRun *r, int64_t before)
{
	int64_t after = limits_words(r->f), most = limits_of(r->limits)->thread_registers;
	if (after > before && after > most)
		pass_remark(r, r->f->loc, "%lld registers in place of %lld live at once now, and a thread "
			"has %lld: values will be spilled", (long long)after, (long long)before,
			(long long)most);
}
