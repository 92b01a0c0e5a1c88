#include "passes/fit.h"
#include "passes/analyses.h"
#include "passes/transform/transform.h"

void trial_open(Trial *t, const PassRun *r)
{
	*t = (Trial){ .run = *r };
	t->run.m = module_view(r->m);
	t->run.f = view_function(t->run.m, r->f->id);
	t->run.log = NULL;
	t->run.show = NULL;
	t->run.diag = &t->none;
	function_number(t->run.f);
}

void trial_close(Trial *t)
{
	diag_free(&t->none);
	module_free(t->run.m);
}

static int pressure_with(const PassRun *r, int k, FitChanges *make, void *self)
{
	Trial t;
	trial_open(&t, r);
	make(self, &t.run, k);
	pass_apply(&pass_copy_prop, t.run.m, t.run.f, NULL, &t.none);
	int most = pressure_max(t.run.f);
	trial_close(&t);
	return most;
}

int fit_changes(const PassRun *r, int n, int limit, FitChanges *make, void *self)
{
	int low = 0, high = n;
	for (int k = n; low < high; k = low + (high - low + 1) / 2) {
		if (pressure_with(r, k, make, self) <= limit)
			low = k;
		else
			high = k - 1;
	}
	return low;
}
