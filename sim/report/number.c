/* Numbers as all reports write them. */
#include "sim/report/report.h"

const char *report_percent(char text[REPORT_PERCENT], double share)
{
	snprintf(text, REPORT_PERCENT, "%.1f %%", 100 * share);
	return text;
}

void report_shares(const uint64_t *part, int n, int *tenths)
{
	uint64_t sum = 0;
	int given = 0;
	for (int i = 0; i < n; i++)
		sum += part[i];
	for (int i = 0; i < n; i++)
		given += tenths[i] = sum ? (int)((double)part[i] * 1000.0 / (double)sum) : 0;
	/* gives the part with the largest error one tenth more, or less; of equal errors the first part has
	   it */
	while (sum && given != 1000) {
		int step = given < 1000 ? 1 : -1, best = 0;
		double most = -2000;
		for (int i = 0; i < n; i++) {
			double error = ((double)part[i] * 1000.0 / (double)sum - tenths[i]) * step;
			if (error > most && part[i] && tenths[i] + step >= 0) {
				most = error;
				best = i;
			}
		}
		tenths[best] += step;
		given += step;
	}
}

const char *report_reason(int reason, const double level[LEVEL_COUNT])
{
	static const char *const label[LEVEL_COUNT] = {
#define L(ID, NAME, HELP) [LEVEL_##ID] = "memory:" NAME,
		STALL_LEVELS(L)
#undef L
	};
	int most = -1;
	for (int k = 0; k < LEVEL_COUNT && reason == STALL_MEMORY; k++)
		if (level[k] > 0 && (most < 0 || level[k] > level[most]))
			most = k;
	return most < 0 ? stall_name[reason] : label[most];
}
