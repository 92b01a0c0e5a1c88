/* What gsim --sensitivity shows: a table, how often the answer holds, CSV and JSON. */
#include "lib/output.h"
#include "sim/report/sheet.h"
#include "tools/sensitivity_own.h"
#include <math.h>

enum { SHOWN_ROWS = 20 };

static bool is_measured(const Variation *v) { return v->how == VARIED_OK; }

static bool is_result(const char *results, const char *word) { return results && !strcmp(results, word); }

static double change_of(const Sensitivity *s, const Variation *v, int side)
{
	return s->base[side] ? ((double)v->cycles[side] - (double)s->base[side]) / (double)s->base[side] : 0;
}

static double most_change(const Sensitivity *s, const Variation *v)
{
	double a = fabs(change_of(s, v, 0)), b = s->sides > 1 ? fabs(change_of(s, v, 1)) : 0;
	return !is_measured(v) ? -1 : a > b ? a : b;
}

static void sort_variations(Sensitivity *s)
{
	for (int i = 1; i < s->v.n; i++)
		for (int k = i; k && most_change(s, &s->v.v[k - 1]) < most_change(s, &s->v.v[k]); k--) {
			Variation moved = s->v.v[k];
			s->v.v[k] = s->v.v[k - 1];
			s->v.v[k - 1] = moved;
		}
}

/* -1: side 0 has fewer cycles, 1: side 1 has, 0: as many */
static int order_of(const uint64_t cycles[2]) { return (cycles[0] > cycles[1]) - (cycles[0] < cycles[1]); }

static void put_value(StrBuf *b, const Variation *v, int64_t value) { config_print_value(&v->key, value, b); }

static void put_row(const Sensitivity *s, Sheet *sheet, const Variation *v)
{
	StrBuf b = { 0 };
	put_value(&b, v, v->from);
	sb_puts(&b, " -> ");
	put_value(&b, v, v->to);
	sheet_row(sheet);
	sheet_put(sheet, "%s", v->name);
	sheet_put(sheet, "%s", b.s);
	for (int i = 0; i < s->sides; i++) {
		sheet_put(sheet, "%llu", (unsigned long long)v->cycles[i]);
		sheet_put(sheet, "%+.2f %%", 100 * change_of(s, v, i));
	}
	if (s->sides > 1)
		sheet_put(sheet, "%.4f", v->cycles[0] ? (double)v->cycles[1] / (double)v->cycles[0] : 0);
	if (is_result(v->results, "differ"))
		sheet_note(sheet, "RESULTS DIFFER");
	else if (s->sides > 1 && order_of(v->cycles) != order_of(s->base))
		sheet_note(sheet, "the order turns");
	sb_free(&b);
}

static void put_table(Sensitivity *s, StrBuf *out)
{
	Sheet sheet;
	Column column[7] = { { .heading = "parameter", .left = true, .code = true },
		{ .heading = "value", .gap = 2, .left = true }, { .heading = "cycles", .gap = 2 },
		{ .heading = "change", .gap = 1 }, { .heading = "cycles", .gap = 2 },
		{ .heading = "change", .gap = 1 }, { .heading = "ratio", .gap = 2 } };
	column[2].group = column[3].group = s->name[0];
	column[4].group = column[5].group = s->sides > 1 ? s->name[1] : NULL;
	if (s->sides == 1)
		column[2].group = column[3].group = NULL;
	sheet_begin(&sheet, (ReportForm){ 0 }, column, s->sides > 1 ? 7 : 4);
	int rows = 0, hidden = 0;
	for (int i = 0; i < s->v.n; i++) {
		const Variation *v = &s->v.v[i];
		if (!is_measured(v))
			continue;
		bool turns = s->sides > 1 && (order_of(v->cycles) != order_of(s->base) ||
			is_result(v->results, "differ"));
		if (rows < SHOWN_ROWS || s->session->opt.all || turns) {
			put_row(s, &sheet, v);
			rows++;
		} else {
			hidden++;
		}
	}
	sheet_end(&sheet, NULL, true, out);
	sheet_hidden(hidden, (ReportForm){ 0 }, out);
}

static const char *verb_of(int order) { return order < 0 ? "takes fewer cycles than" : order > 0
	? "takes more cycles than" : "takes as many cycles as"; }

/* Numbers of variations. */
typedef struct Tally { int how[4], measured, holds, still, differ; } Tally;

static Tally tally_of(const Sensitivity *s)
{
	Tally t = { { 0 } };
	for (int i = 0; i < s->v.n; i++) {
		const Variation *v = &s->v.v[i];
		bool differ = is_result(v->results, "differ");
		t.how[v->how]++;
		t.differ += is_measured(v) && differ;
		t.holds += is_measured(v) && !differ && order_of(v->cycles) == order_of(s->base);
		t.still += is_measured(v) && most_change(s, v) == 0;
	}
	t.measured = t.how[VARIED_OK];
	return t;
}

/* Says whether the one still beats the other. Nothing holds of results that are not known to be equal. */
static void put_holds(const Sensitivity *s, const Tally *t, StrBuf *out)
{
	const char *plural = t->measured == 1 ? "" : "s";
	sb_printf(out, "%s %s %s (%llu and %llu)", s->name[0], verb_of(order_of(s->base)), s->name[1],
		(unsigned long long)s->base[0], (unsigned long long)s->base[1]);
	if (is_result(s->results, "equal"))
		sb_printf(out, ": this holds for %d of %d variation%s", t->holds, t->measured, plural);
	else
		sb_printf(out, "; results are unknown, as not all was compared, or nothing; the order is the "
			"same in %d of %d variation%s", t->holds, t->measured, plural);
	if (t->differ)
		sb_printf(out, "; RESULTS DIFFER in %d", t->differ);
	Arena a = { 0 };
	if (is_result(s->results, "equal") && report_left_out(&s->compared))
		sb_printf(out, "; results %s", report_results_words(&a, s->results, &s->compared));
	arena_free(&a);
	sb_putc(out, '\n');
}

static void put_verdict(const Sensitivity *s, StrBuf *out)
{
	Tally t = tally_of(s);
	sb_putc(out, '\n');
	if (s->sides > 1)
		put_holds(s, &t, out);
	sb_printf(out, "%d of %d variation%s change%s no cycles", t.still, t.measured,
		t.measured == 1 ? "" : "s", t.measured == 1 ? "s" : "");
	if (t.how[VARIED_REFUSED])
		sb_printf(out, "; %d that the machine cannot have were left out", t.how[VARIED_REFUSED]);
	if (t.how[VARIED_FAILED])
		sb_printf(out, "; the program did not end well in %d", t.how[VARIED_FAILED]);
	if (t.how[VARIED_NOT_RUN])
		sb_printf(out, "; %d were not run", t.how[VARIED_NOT_RUN]);
	if (s->zeros)
		sb_printf(out, "; %d parameter%s 0, of which there is no half", s->zeros,
			s->zeros > 1 ? "s are" : " is");
	sb_putc(out, '\n');
	if (s->empty)
		sb_puts(out, "The machine was mostly empty: on a full one caches, bandwidth, scheduler and "
			"occupancy may matter more.\n");
}

void sensitivity_text(Sensitivity *s, StrBuf *out)
{
	Tally t = tally_of(s);
	if (is_result(s->results, "differ")) {
		sb_printf(out, "RESULTS DIFFER: %s or %s is wrong, so it makes no difference which takes "
			"fewer cycles; nothing was varied\n", s->name[0], s->name[1]);
		return;
	}
	if (is_interrupted(s->session->interrupted))
		sb_printf(out, "INTERRUPTED: %d of %d variations measured\n", t.measured,
			s->v.n - t.how[VARIED_REFUSED]);
	sort_variations(s);
	put_table(s, out);
	put_verdict(s, out);
}

static const char *status_word(const Variation *v)
{
	static const char *const word[] = { [VARIED_NOT_RUN] = "not run", [VARIED_OK] = "ok",
		[VARIED_FAILED] = "failed", [VARIED_REFUSED] = "refused" };
	return is_measured(v) && is_result(v->results, "differ") ? "results differ" : word[v->how];
}

static void put_csv(const Sensitivity *s, StrBuf *out)
{
	sb_puts(out, "parameter,from,to,status");
	for (int i = 0; i < s->sides; i++) {
		StrBuf name = { 0 };
		sb_printf(&name, s->sides > 1 ? "cycles %s" : "cycles", s->name[i]);
		sb_putc(out, ',');
		output_csv(out, name.s);
		sb_free(&name);
	}
	sb_putc(out, '\n');
	for (int i = -1; i < s->v.n; i++) {
		const Variation *v = i < 0 ? NULL : &s->v.v[i];
		const uint64_t *cycles = v ? v->cycles : s->base;
		if (v) {
			sb_printf(out, "%s,", v->name);
			put_value(out, v, v->from);
			sb_putc(out, ',');
			put_value(out, v, v->to);
		} else {
			sb_puts(out, ",,");
		}
		sb_printf(out, ",%s", v ? status_word(v) : is_result(s->results, "differ") ? "results differ"
			: "ok");
		for (int k = 0; k < s->sides; k++)
			if (!v || is_measured(v))
				sb_printf(out, ",%llu", (unsigned long long)cycles[k]);
			else
				sb_putc(out, ',');
		sb_putc(out, '\n');
	}
}

static void put_json(const Sensitivity *s, StrBuf *out)
{
	JsonText t;
	json_text(&t, out);
	JsonSink *j = &t.sink;
	j->begin(j, '{', false);
	json_put_count(j, "schema_version", REPORT_SCHEMA);
	json_put_text(j, "module", s->session->opt.module);
	json_put_text(j, "config", s->session->opt.config);
	j->key(j, "sides");
	j->begin(j, '[', false);
	for (int i = 0; i < s->sides; i++) {
		j->begin(j, '{', true);
		json_put_text(j, "name", s->name[i]);
		json_put_count(j, "cycles", s->base[i]);
		j->end(j);
	}
	j->end(j);
	json_put_text(j, "results", s->results);
	j->key(j, "variations");
	j->begin(j, '[', false);
	for (int i = 0; i < s->v.n; i++) {
		const Variation *v = &s->v.v[i];
		StrBuf from = { 0 }, to = { 0 };
		put_value(&from, v, v->from);
		put_value(&to, v, v->to);
		j->begin(j, '{', true);
		json_put_text(j, "parameter", v->name);
		json_put_text(j, "from", from.s);
		json_put_text(j, "to", to.s);
		json_put_text(j, "status", status_word(v));
		j->key(j, "cycles");
		j->begin(j, '[', true);
		for (int k = 0; k < s->sides && is_measured(v); k++)
			j->count(j, v->cycles[k]);
		j->end(j);
		j->end(j);
		sb_free(&from);
		sb_free(&to);
	}
	j->end(j);
	j->end(j);
}

bool sensitivity_files(const Sensitivity *s, const StrBuf *text)
{
	const Options *o = &s->session->opt;
	bool ok = true;
	for (int i = 0; i < o->stats.n && ok; i++) {
		StrBuf made = { 0 };
		StatsKind kind = stats_kind(o->stats.v[i]);
		const char *why;
		if (kind == STATS_CSV)
			put_csv(s, &made);
		else if (kind != STATS_TEXT)
			put_json(s, &made);
		const StrBuf *b = kind == STATS_TEXT ? text : &made;
		if (!strcmp(o->stats.v[i], "-"))
			output_puts(stdout, b->s);
		else if (!(ok = file_write(o->stats.v[i], b->s, b->n, &why)))
			diag_error(&s->session->diag, (Loc){ o->stats.v[i], 0, 0 }, "cannot be written: %s",
				why);
		sb_free(&made);
	}
	return ok;
}
