#include "passes/options.h"

void pass_assumptions(PassRun *r, const int64_t count[MEM_ASSUMPTIONS])
{
	for (int k = 0; k < MEM_ASSUMPTIONS; k++)
		if (count[k])
			pass_assumption(r, mem_assumption[k], count[k]);
}
