/* What a picture of a sweep shows: values by panel, series and place along x. */
#ifndef GSIM_SWEEP_PLOT_DATA_H
#define GSIM_SWEEP_PLOT_DATA_H
#include "tools/sweep/plot.h"

/* The different values of a column, in the order of the plan. folder: how many characters the folders have
   that are in front of each value; pictures leave them out. */
typedef struct PlotColumn {
	const char *name;
	Vec(const char *) value;
	StrMap at;
	bool numeric;
	size_t folder;
} PlotColumn;

enum { PLOT_MOST_PANELS = 60, PLOT_MOST_SERIES = 24, PLOT_MOST_CELLS = 1000000 };

typedef struct PlotData {
	Arena arena;
	PlotKind kind;
	const char *y;
	int better;                    /* 1: more of y is better, -1: less is, 0: neither */
	PlotColumn *column;            /* one for each axis */
	const PlotColumn *x, *series;  /* series NULL: there is one alone */
	PlotColumn panel;
		/* "a.ir, volta.lua, dram.latency=200"; one "" if nothing else varies */
	double *value;                 /* NAN: there is none */
} PlotData;

bool plot_collect(PlotData *, const Sweep *, const PlotChoice *, Diag *);
void plot_data_free(PlotData *, int naxes);
int plot_series(const PlotData *);
double plot_value(const PlotData *, int panel, int series, int x);
/* the value of a column as a picture shows it */
static inline const char *plot_shown(const PlotColumn *c, int i) { return c->value.v[i] + c->folder; }
/* The best value of the panel, which may stand in several places; NAN: none is better, or there is none. */
double plot_best(const PlotData *, int panel);
/* the least and the largest value of a panel; -1: of all. False: there is none. */
bool plot_range(const PlotData *, int panel, double *least, double *most);
#endif
