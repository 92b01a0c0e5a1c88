#include "tools/sensitivity.h"
#include "lib/output.h"
#include "sim/config/sources.h"
#include "sim/report/filled.h"
#include "sim/report/sheet.h"
#include "tools/before_after.h"
#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOWN_ROWS = 20, MOST_CHOICES = 64 };

/* One parameter with another value. */
typedef struct Variation {
	ConfigKey key;
	char name[CONFIG_NAME];
	int64_t from, to;
	/* cycles of each side, and whether the program ended well; refused: the machine cannot have the
	   value */
	uint64_t cycles[2];
	bool ok, refused;
} Variation;

typedef struct Sensitivity {
	Session *session;
	int sides;                     /* 1 or 2 */
	const char *name[2];           /* of the sides, for reports */
	bool empty;                    /* the machine was mostly empty without variations, on some side */
	uint64_t base[2];              /* cycles of the machine as it is */
	Vec(Variation) v;
	int zeros;                     /* parameters that are 0, of which there is no half and no double */
} Sensitivity;

/* ---- what is varied ---- */

static void try_value(Sensitivity *s, const ConfigKey *key, const char *name, int64_t from, int64_t to)
{
	Variation v = { .key = *key, .from = from, .to = to };
	Config c = s->session->config;
	Diag none = { 0 };
	if (key->type == CT_INT)
		v.to = to < key->least ? key->least : to > key->most ? key->most : to;
	if (v.to == from)
		return;
	snprintf(v.name, sizeof v.name, "%s", name);
	v.refused = !config_put(&c, key, v.to, (Loc){ 0 }, &none) || !config_check(&c, &none);
	vec_push(&s->v, v);
	diag_free(&none);
}

static int count_choices(const ConfigKey *key)
{
	int n = 1;
	for (const char *p = key->choices; *p; p++)
		n += *p == '|';
	return n;
}

static void vary_key(Sensitivity *s, const ConfigKey *key, const char *name)
{
	int64_t from = config_get(&s->session->config, key);
	switch (key->type) {
	case CT_BOOL:
		try_value(s, key, name, from, !from);
		break;
	case CT_ENUM:
		for (int k = 0; k < count_choices(key) && k < MOST_CHOICES; k++)
			try_value(s, key, name, from, k);
		break;
	case CT_INT:
		s->zeros += from == 0;
		if (from) {
			try_value(s, key, name, from, from / 2);
			try_value(s, key, name, from, from * 2);
		}
	}
}

/* Is the parameter one of the list of names and groups ("l1", "dram.latency")? */
static bool is_named(const char *list, const char *name)
{
	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (!strncmp(list, name, n) && (!name[n] || name[n] == '.'))
			return true;
	}
	return false;
}

/* A mechanism that does not run has parameters that change nothing; the choice of the mechanism is the
   question itself. */
static bool is_idle(const Sensitivity *s, const ConfigKey *key, const char *name)
{
	bool used = !key->model;
	for (int i = 0; i < s->sides && key->model; i++) {
		size_t n = strlen(key->model);
		used |= !strncmp(s->name[i], key->model, n) && (!s->name[i][n] || s->name[i][n] == '(');
		used |= !strcmp(model_keys((int)s->session->config.model)->name, key->model);
	}
	return !used || !strcmp(name, "divergence.model");
}

/* Names of the list that no parameter has. */
static bool check_names(Session *s, const char *list)
{
	for (size_t n; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		const char *one = arena_strndup(&s->diag.arena, list, n);
		char whole[CONFIG_NAME], near[CONFIG_NAME];
		ConfigKey key;
		bool known = false;
		for (int i = 0; config_key(i, &key) && !known; i++)
			known = is_named(one, config_key_name(&key, whole));
		if (known)
			continue;
		config_nearest(one, near);
		diag_error(&s->diag, (Loc){ 0 }, "--sensitivity: there is no parameter or group '%s'%s%s%s",
			one, *near ? "; did you mean '" : "", near, *near ? "'?" : "");
		return false;
	}
	return true;
}

static bool choose_variations(Sensitivity *s)
{
	const char *list = s->session->opt.sensitivity;
	MachineTexts texts = { 0 };
	Config c;
	ConfigKey key;
	char name[CONFIG_NAME];
	bool ok = *list ? check_names(s->session, list)
		: config_load_texts(&c, s->session->opt.config, &texts, &s->session->diag);
	for (int i = 0; ok && config_key(i, &key); i++) {
		config_key_name(&key, name);
		bool wanted = *list ? is_named(list, name) : config_source(&texts, name).seen == SEEN_ASSUMED;
		if (wanted && !is_idle(s, &key, name))
			vary_key(s, &key, name);
	}
	config_free_texts(&texts);
	if (ok && !s->v.n)
		diag_error(&s->session->diag, (Loc){ s->session->opt.config, 0, 0 },
			"nothing can be varied: %s", *list ? "the parameters are 0 or of a mechanism that "
			"does not run" : "the machine file has no assumption that matters here; "
			"--sensitivity=KEYS names parameters");
	return ok && s->v.n;
}

/* ---- runs ---- */

/* The cycles of one side on the machine. False: the program did not end well. */
static bool measure(Sensitivity *s, int side, const Config *c, uint64_t *cycles, bool tell)
{
	const Options *o = &s->session->opt;
	Job j = { .config = *c, .second = o->second && side, .passes = before_after_passes(o, side) };
	j.model = o->model.n ? o->model.v[o->model.n > 1 ? side : 0] : NULL;
	Diag d = { 0 };
	bool ok = !j.model || config_set_model(&j.config, j.model, &d);
	if (ok) {
		job_run(s->session, &j);
		ok = j.status == RUN_OK;
		*cycles = ok ? run_counted(j.run).cycles : 0;
		Filled filled;
		s->empty |= tell && ok && run_filled(j.run, &filled) && filled.why != FILLED_WELL;
	}
	if (!ok && tell) {
		output_printf(stderr, "%s:\n", s->name[side]);
		diag_print(j.module ? &j.diag : &d, stderr);
	}
	diag_free(&d);
	if (j.module)
		job_free(s->session, &j);
	return ok;
}

static void measure_variation(Sensitivity *s, Variation *v)
{
	Config c = s->session->config;
	Diag none = { 0 };
	v->ok = config_put(&c, &v->key, v->to, (Loc){ 0 }, &none);
	for (int i = 0; i < s->sides && v->ok; i++)
		v->ok = measure(s, i, &c, &v->cycles[i], false);
	diag_free(&none);
}

typedef struct Measured { int i; bool ok; uint64_t cycles[2]; } Measured;

/* A process that measures every n-th variation from the k-th on, and writes what it found into the pipe. */
static void measure_part(Sensitivity *s, int k, int n, int to)
{
	for (int i = k; i < s->v.n && !is_interrupted(s->session->interrupted); i += n) {
		Variation *v = &s->v.v[i];
		if (v->refused)
			continue;
		measure_variation(s, v);
		Measured m = { i, v->ok, { v->cycles[0], v->cycles[1] } };
		if (write(to, &m, sizeof m) != sizeof m)
			break;
	}
}

static void take_measured(Sensitivity *s, int from)
{
	Measured m;
	ssize_t n;
	while ((n = read(from, &m, sizeof m)) == sizeof m || (n < 0 && errno == EINTR)) {
		if (n < 0)
			continue;
		s->v.v[m.i].ok = m.ok;
		memcpy(s->v.v[m.i].cycles, m.cycles, sizeof m.cycles);
	}
}

/* All variations, in as many processes as --threads says. False: there is no process. */
static bool measure_all(Sensitivity *s)
{
	int n = s->session->opt.threads, pipes[2], began = 0;
	bool ok = true;
	if (n <= 1) {
		for (int i = 0; i < s->v.n && !is_interrupted(s->session->interrupted); i++)
			if (!s->v.v[i].refused)
				measure_variation(s, &s->v.v[i]);
		return true;
	}
	ok = !pipe(pipes);
	s->session->opt.threads = 1;
	for (int k = 0; k < n && ok; k++) {
		fflush(stdout);
		pid_t pid = fork();
		if (!pid) {
			close(pipes[0]);
			measure_part(s, k, n, pipes[1]);
			_exit(0);
		}
		ok = pid > 0;
		began += ok;
	}
	if (!ok)
		diag_error(&s->session->diag, (Loc){ 0 }, "cannot begin a process: %s", strerror(errno));
	if (ok || began)
		close(pipes[1]);
	if (began)
		take_measured(s, pipes[0]);
	for (int status; began;)
		began -= wait(&status) > 0 || errno != EINTR;
	return ok;
}

/* ---- the report ---- */

static double change_of(const Sensitivity *s, const Variation *v, int side)
{
	return s->base[side] ? ((double)v->cycles[side] - (double)s->base[side]) / (double)s->base[side] : 0;
}

static double most_change(const Sensitivity *s, const Variation *v)
{
	double a = fabs(change_of(s, v, 0)), b = s->sides > 1 ? fabs(change_of(s, v, 1)) : 0;
	return v->refused || !v->ok ? -1 : a > b ? a : b;
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
	if (s->sides > 1 && order_of(v->cycles) != order_of(s->base))
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
		if (!v->ok || v->refused)
			continue;
		bool turns = s->sides > 1 && order_of(v->cycles) != order_of(s->base);
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

static void put_verdict(const Sensitivity *s, StrBuf *out)
{
	int measured = 0, holds = 0, refused = 0, failed = 0, still = 0;
	for (int i = 0; i < s->v.n; i++) {
		const Variation *v = &s->v.v[i];
		refused += v->refused;
		failed += !v->refused && !v->ok;
		measured += v->ok && !v->refused;
		holds += v->ok && !v->refused && order_of(v->cycles) == order_of(s->base);
		still += v->ok && !v->refused && most_change(s, v) == 0;
	}
	sb_putc(out, '\n');
	if (s->sides > 1)
		sb_printf(out, "%s %s %s (%llu and %llu): this holds for %d of %d variations\n", s->name[0],
			verb_of(order_of(s->base)), s->name[1], (unsigned long long)s->base[0],
			(unsigned long long)s->base[1], holds, measured);
	sb_printf(out, "%d of %d variations change no cycles", still, measured);
	if (refused)
		sb_printf(out, "; %d that the machine cannot have were left out", refused);
	if (failed)
		sb_printf(out, "; the program did not end well in %d", failed);
	if (s->zeros)
		sb_printf(out, "; %d parameter%s 0, of which there is no half", s->zeros,
			s->zeros > 1 ? "s are" : " is");
	sb_putc(out, '\n');
	if (s->empty)
		sb_puts(out, "mostly empty: on a full machine caches, bandwidth, scheduler and occupancy may "
			"matter more\n");
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
		sb_printf(out, ",%s", !v || v->ok ? "ok" : v->refused ? "refused" : "failed");
		for (int k = 0; k < s->sides; k++)
			if (!v || v->ok)
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
		json_put_text(j, "status", v->ok ? "ok" : v->refused ? "refused" : "failed");
		j->key(j, "cycles");
		j->begin(j, '[', true);
		for (int k = 0; k < s->sides && v->ok; k++)
			j->count(j, v->cycles[k]);
		j->end(j);
		j->end(j);
		sb_free(&from);
		sb_free(&to);
	}
	j->end(j);
	j->end(j);
}

static bool write_files(const Sensitivity *s, const StrBuf *text)
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

static void name_sides(Sensitivity *s)
{
	const Options *o = &s->session->opt;
	s->sides = o->before_after || o->model.n > 1 ? 2 : 1;
	s->name[0] = o->second ? o->module : o->before_after ? "before" : o->model.n ? o->model.v[0]
		: model_keys((int)s->session->config.model)->name;
	s->name[1] = o->second ? o->second : o->before_after ? "after" : o->model.n > 1 ? o->model.v[1] : "";
}

int sensitivity_run(Session *session)
{
	Sensitivity s = { .session = session };
	StrBuf text = { 0 };
	int status = RUN_BAD_INPUT;
	session->opt.trial = session->opt.sums = true;
	name_sides(&s);
	bool ok = choose_variations(&s);
	for (int i = 0; i < s.sides && ok; i++) {
		ok = measure(&s, i, &session->config, &s.base[i], true);
		status = ok ? RUN_BAD_INPUT : RUN_FAILED;
	}
	if (ok && measure_all(&s)) {
		sort_variations(&s);
		put_table(&s, &text);
		put_verdict(&s, &text);
		if (!session->opt.quiet && !job_stats_to_output(session))
			output_puts(stdout, text.s);
		status = write_files(&s, &text) ? RUN_OK : RUN_BAD_INPUT;
	}
	sb_free(&text);
	vec_free(&s.v);
	return status;
}
