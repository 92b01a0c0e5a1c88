#include "sim/report/intervals.h"
#include "lib/output.h"

/* ---- one interval after the other ---- */

static Cycle launch_end(const LaunchStats *l) { return l->started + l->totals.cycles; }

static int by_launch_start(const Run *run, int a, int b)
{
	Cycle x = run->launch.v[a]->started, y = run->launch.v[b]->started;
	return x != y ? (x < y ? -1 : 1) : a - b;
}

/* Inserts a launch in the order of starts. Few launches have to be moved, since most start in the order of
   their calls. */
static void insert_by_start(IntervalWalk *w, int launch)
{
	vec_push(&w->order, launch);
	for (int k = w->order.n - 1; k > 0 && by_launch_start(w->run, w->order.v[k - 1], launch) > 0; k--) {
		w->order.v[k] = w->order.v[k - 1];
		w->order.v[k - 1] = launch;
	}
}

void walk_open(IntervalWalk *w, const Run *run, const Intervals *v)
{
	*w = (IntervalWalk){ .run = run, .intervals = v };
	for (int i = 0; i < run->launch.n; i++)
		if (run->launch.v[i]->totals.cycles)
			insert_by_start(w, i);
}

static void launches_between(IntervalWalk *w, Cycle from, Cycle to)
{
	int n = 0;
	for (int i = 0; i < w->launch.n; i++)
		if (launch_end(w->run->launch.v[w->launch.v[i]]) > from)
			w->launch.v[n++] = w->launch.v[i];
	w->launch.n = n;
	for (; w->next < w->order.n && w->run->launch.v[w->order.v[w->next]]->started < to; w->next++) {
		int launch = w->order.v[w->next];
		if (launch_end(w->run->launch.v[launch]) <= from)
			continue;
		vec_push(&w->launch, launch);
		for (int k = w->launch.n - 1; k > 0 && w->launch.v[k - 1] > launch; k--) {
			w->launch.v[k] = w->launch.v[k - 1];
			w->launch.v[k - 1] = launch;
		}
	}
}

bool walk_next(IntervalWalk *w)
{
	const Intervals *v = w->intervals;
	while (w->at < v->n && !interval_any(&v->row[w->at]))
		w->at++;
	if (w->at == v->n)
		return false;
	w->count = &v->row[w->at];
	w->from = (v->first + (uint64_t)w->at++) * v->cycles;
	launches_between(w, w->from, w->from + v->cycles);
	return true;
}

void walk_close(IntervalWalk *w)
{
	vec_free(&w->order);
	vec_free(&w->launch);
}

/* The kernel of the k-th launch of this interval; NULL: an earlier one of these launches has the same
   kernel. */
static const char *new_kernel(const IntervalWalk *w, int k)
{
	const char *name = w->run->launch.v[w->launch.v[k]]->kernel;
	for (int i = 0; i < k; i++)
		if (!strcmp(w->run->launch.v[w->launch.v[i]]->kernel, name))
			return NULL;
	return name;
}

/* ---- JSON ---- */

/* a column of the table; COUNTS + i: the one of figure i */
typedef enum { FROM, LAUNCHES, KERNELS, COUNTS } IntervalColumn;

static void put_column(Run *run, const char *key, int column, JsonSink *j)
{
	IntervalWalk w;
	j->key(j, key);
	j->begin(j, '[', true);
	walk_open(&w, run, run->intervals);
	while (walk_next(&w)) {
		if (column == FROM)
			j->count(j, w.from);
		if (column >= COUNTS)
			j->count(j, interval_get(w.count, column - COUNTS));
		if (column != LAUNCHES && column != KERNELS)
			continue;
		j->begin(j, '[', true);
		for (int k = 0; k < w.launch.n; k++)
			if (column == LAUNCHES)
				j->count(j, (uint64_t)w.launch.v[k] + 1);
			else if (new_kernel(&w, k))
				j->text(j, new_kernel(&w, k));
		j->end(j);
	}
	walk_close(&w);
	j->end(j);
}

void report_intervals(Run *run, JsonSink *j)
{
	const LaunchStats *total = run_total(run);
	FigurePath path;
	j->key(j, "intervals");
	j->begin(j, '{', false);
	json_put_count(j, "asked", run->intervals->asked);
	json_put_count(j, "cycles", run->intervals->cycles);
	put_column(run, "from", FROM, j);
	put_column(run, "launches", LAUNCHES, j);
	put_column(run, "kernels", KERNELS, j);
	j->key(j, "counts");
	j->begin(j, '{', false);
	for (int i = 0; i < INTERVAL_FIGURES; i++)
		if (interval_figure(total, i, &path))
			put_column(run, path.text, COUNTS + i, j);
	j->end(j);
	j->end(j);
}

/* ---- CSV ---- */

/* Does the table have a column for figure i? Yes, if one of the runs has the figure. */
static bool in_table(const LaunchStats *const *total, int n, int i, FigurePath *path)
{
	bool any = false;
	for (int k = 0; k < n; k++)
		any |= interval_figure(total[k], i, path);
	return any;
}

static void put_interval_row(const IntervalWalk *w, const char *run, const LaunchStats *const *total, int n,
	int own, StrBuf *out)
{
	FigurePath path;
	StrBuf kernels = { 0 };
	if (run)
		sb_printf(out, "%s,", run);
	sb_printf(out, "%llu,%llu,", (unsigned long long)w->from,
		(unsigned long long)(w->from + w->intervals->cycles));
	for (int k = 0; k < w->launch.n; k++)
		sb_printf(out, "%s%d", k ? " " : "", w->launch.v[k] + 1);
	sb_putc(out, ',');
	for (int k = 0; k < w->launch.n; k++)
		if (new_kernel(w, k))
			sb_printf(&kernels, "%s%s", kernels.n ? " " : "", new_kernel(w, k));
	output_csv(out, kernels.s ? kernels.s : "");
	sb_free(&kernels);
	for (int i = 0; i < INTERVAL_FIGURES; i++) {
		if (!in_table(total, n, i, &path))
			continue;
		sb_putc(out, ',');
		if (interval_figure(total[own], i, &path))
			sb_printf(out, "%llu", (unsigned long long)interval_get(w->count, i));
	}
	sb_putc(out, '\n');
}

void report_intervals_csv(const Timed *timed, int n, StrBuf *out)
{
	const LaunchStats *total[2];
	FigurePath path;
	must(n <= 2);
	for (int k = 0; k < n; k++)
		total[k] = run_total(timed[k].run);
	sb_printf(out, "%sfrom,to,launches,kernels", n > 1 ? "run," : "");
	for (int i = 0; i < INTERVAL_FIGURES; i++)
		if (in_table(total, n, i, &path))
			sb_printf(out, ",%s", path.text);
	sb_putc(out, '\n');
	for (int k = 0; k < n; k++) {
		IntervalWalk w;
		walk_open(&w, timed[k].run, timed[k].run->intervals);
		while (walk_next(&w))
			put_interval_row(&w, n > 1 ? timed[k].name : NULL, total, n, k, out);
		walk_close(&w);
	}
}
