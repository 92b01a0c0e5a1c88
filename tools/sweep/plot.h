/* Pictures of a sweep, as SVG. One column of the table goes along x, one gives series of a colour each, and a
   statistic goes along y; every combination of what else varies has a panel of its own. */
#ifndef GSIM_SWEEP_PLOT_H
#define GSIM_SWEEP_PLOT_H
#include "tools/sweep/table.h"

typedef enum { PLOT_LINES, PLOT_BARS, PLOT_HEAT, PLOT_KINDS } PlotKind;
extern const char *const plot_kind_name[PLOT_KINDS];

/* What is shown where; names of columns, NULL: chosen by what varies. The best value of each panel has a
   mark. */
typedef struct PlotChoice { PlotKind kind; bool given; const char *x, *series, *y; } PlotChoice;

/* False: a column is not known, nothing varies, or there would be too many panels; diag says which. */
bool sweep_plot(const Sweep *, const PlotChoice *, StrBuf *, Diag *);
#endif
