#include "tools/check_machine.h"
#include "lib/output.h"
#include "sim/config/sources.h"
#include "tools/microbench-texts.h"
#include "tools/shares.h"
#include <lauxlib.h>
#include <lualib.h>
#include <math.h>
#include <unistd.h>

/* The texts by the names that tools/check_machine.lua knows them by. */
static const struct { const char *name; const char *const *line; } texts[] = {
	{ "microbench.lua", bench_microbench_lua }, { "machine-keys.lua", bench_machine_keys_lua },
	{ "rates.lua", table_rates_lua }, { "published.csv", table_published_csv },
	{ "microbench/flow.lua", bench_flow_lua }, { "microbench/guide.lua", bench_guide_lua },
	{ "microbench/launches.lua", bench_launches_lua }, { "microbench/memory.lua", bench_memory_lua },
	{ "microbench/operations.lua", bench_operations_lua }, { "microbench/rates.lua", bench_rates_lua },
	{ "microbench/sides.lua", bench_sides_lua }, { "microbench/workload.lua", bench_workload_lua },
};

typedef struct Checker {
	Session *session;
	lua_State *L;                  /* with what check_machine.lua returned as value 1 */
	CheckedMachine machine;
	int lanes;                     /* threads of a warp that is measured */
	int done;                      /* figures behind which the work is, for progress */
} Checker;

/* What a process says of a figure. */
typedef struct MeasuredFigure { bool measured, failed; double value; char why[1000]; } MeasuredFigure;

/* ---- what there is to measure: from Lua of this program's own ---- */

static void push_lines(lua_State *L, const char *const *line)
{
	luaL_Buffer b;
	luaL_buffinit(L, &b);
	for (; *line; line++)
		luaL_addstring(&b, *line);
	luaL_pushresult(&b);
}

static void push_texts(lua_State *L)
{
	lua_newtable(L);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		push_lines(L, texts[i].line);
		lua_setfield(L, -2, texts[i].name);
	}
}

/* A list of { name =, text = } for the machine file and those from which it derives. */
static void push_chain(lua_State *L, const MachineTexts *chain)
{
	lua_newtable(L);
	for (int i = 0; i < chain->file.n; i++) {
		const char *path = chain->file.v[i].path, *slash = strrchr(path, '/');
		const char *name = slash ? slash + 1 : path;
		size_t n = strlen(name);
		lua_newtable(L);
		lua_pushlstring(L, name, n > 4 && !strcmp(name + n - 4, ".lua") ? n - 4 : n);
		lua_setfield(L, -2, "name");
		lua_pushstring(L, chain->file.v[i].text);
		lua_setfield(L, -2, "text");
		lua_rawseti(L, -2, i + 1);
	}
}

static void push_configuration(lua_State *L, const Config *c)
{
	StrBuf b = { 0 };
	config_print(c, &b);
	lua_pushlstring(L, b.s, b.n);
	sb_free(&b);
}

/* The field of the table on top of the stack, copied; NULL: it has none. */
static const char *take_text(Checker *c, const char *name)
{
	lua_getfield(c->L, -1, name);
	const char *s = lua_tostring(c->L, -1);
	s = s ? arena_strdup(&c->session->diag.arena, s) : NULL;
	lua_pop(c->L, 1);
	return s;
}

static double take_number(Checker *c, const char *name, bool *has)
{
	int is = 0;
	lua_getfield(c->L, -1, name);
	double v = lua_tonumberx(c->L, -1, &is);
	if (has)
		*has = is && isfinite(v);
	lua_pop(c->L, 1);
	return v;
}

/* The parameters of the figure on top of the stack, with the values that hold. */
static void take_keys(Checker *c, CheckedFigure *f, const Config *complete)
{
	lua_getfield(c->L, -1, "keys");
	for (int i = 1; lua_rawgeti(c->L, -1, i) == LUA_TSTRING; i++) {
		ConfigKey key;
		StrBuf value = { 0 };
		const char *name = arena_strdup(&c->session->diag.arena, lua_tostring(c->L, -1));
		must(config_find(name, &key));
		config_print_value(&key, config_get(complete, &key), &value);
		vec_push(&f->key, ((FigureKey){ name, arena_strdup(&c->session->diag.arena, value.s),
			key.unit ? key.unit : "" }));
		sb_free(&value);
		lua_pop(c->L, 1);
	}
	lua_pop(c->L, 2);
}

static void take_published(Checker *c, CheckedFigure *f)
{
	lua_getfield(c->L, -1, "published");
	for (int i = 1; lua_rawgeti(c->L, -1, i) == LUA_TTABLE; i++) {
		PublishedFigure p = { take_number(c, "value", NULL), take_text(c, "chip"),
			take_text(c, "seen"), take_text(c, "source") };
		vec_push(&f->published, p);
		lua_pop(c->L, 1);
	}
	lua_pop(c->L, 2);
}

static void take_figures(Checker *c)
{
	Config complete = c->session->config;
	config_complete_units(&complete);
	c->machine.published_of = take_text(c, "published_of");
	c->machine.rates_of = take_text(c, "rates_of");
	c->machine.capability = take_text(c, "capability");
	c->lanes = (int)take_number(c, "lanes", NULL);
	lua_getfield(c->L, -1, "rows");
	for (int i = 1; lua_rawgeti(c->L, -1, i) == LUA_TTABLE; i++) {
		CheckedFigure f = { .name = take_text(c, "figure"), .unit = take_text(c, "unit"),
			.why = take_text(c, "why") };
		f.asked = take_number(c, "asked", &f.has_asked);
		take_keys(c, &f, &complete);
		take_published(c, &f);
		vec_push(&c->machine.figure, f);
		lua_pop(c->L, 1);
	}
	lua_pop(c->L, 2);
}

/* Asks what can be measured of the session's machine. False: its file cannot be read a second time. */
static bool ask_for_figures(Checker *c)
{
	MachineTexts chain = { 0 };
	Config file;
	const char *path = c->session->opt.config;
	if (path && !config_load_texts(&file, path, &chain, &c->session->diag))
		return false;
	lua_State *L = c->L = luaL_newstate();
	must(L);
	luaL_openlibs(L);
	push_lines(L, bench_check_machine_lua);
	bool ok = !luaL_loadbufferx(L, lua_tostring(L, -1), lua_rawlen(L, -1), "@check_machine.lua", "t");
	lua_remove(L, -2);
	if (ok) {
		push_texts(L);
		push_configuration(L, &c->session->config);
		push_chain(L, &chain);
		ok = !lua_pcall(L, 3, 1, 0);
	}
	if (!ok)
		bug(lua_tostring(L, -1));
	take_figures(c);
	config_free_texts(&chain);
	return true;
}

/* ---- the choice ---- */

/* Is it the name, or that of a group: what stands in front of a dot, a slash or a blank? */
static bool is_in_group(const char *name, const char *group, size_t n)
{
	return n && !strncmp(name, group, n) && (!name[n] || strchr("./ ", name[n]));
}

static bool is_chosen(const CheckedFigure *f, const char *one, size_t n)
{
	bool chosen = is_in_group(f->name, one, n);
	for (int i = 0; i < f->key.n; i++)
		chosen |= is_in_group(f->key.v[i].name, one, n);
	return chosen;
}

static void refuse_choice(Checker *c, const char *one)
{
	Diag *d = &c->session->diag;
	char near[CONFIG_NAME];
	ConfigKey key;
	if (config_find(one, &key) || config_is_group(one)) {
		diag_error(d, (Loc){ 0 }, "--check-machine: nothing measures '%s'; without names, it "
			"shows all figures and their parameters", one);
		return;
	}
	config_nearest(one, near);
	diag_error(d, (Loc){ 0 }, "--check-machine: there is no figure, parameter or group '%s'%s%s%s; "
		"expected such as rate, latency/add.u32 or dram.latency", one,
		*near ? "; did you mean '" : "", near, *near ? "'?" : "");
}

/* Drops the figures that the list of figures, parameters and groups does not name; an empty list names
   all. */
static bool choose_figures(Checker *c, const char *list)
{
	CheckedMachine *m = &c->machine;
	bool *keep = xcalloc((size_t)m->figure.n, 1), all = !*list;
	int kept = 0;
	for (size_t n; *list; list += n + (list[n] == ',')) {
		bool some = false;
		n = strcspn(list, ",");
		for (int i = 0; i < m->figure.n; i++) {
			bool chosen = is_chosen(&m->figure.v[i], list, n);
			keep[i] |= chosen;
			some |= chosen;
		}
		if (some)
			continue;
		refuse_choice(c, arena_strndup(&c->session->diag.arena, list, n));
		free(keep);
		return false;
	}
	for (int i = 0; i < m->figure.n; i++) {
		CheckedFigure f = m->figure.v[i];
		if (f.why)
			f.key.n = 0; /* they are those of what the machine does not have */
		if (all || keep[i]) {
			m->figure.v[kept++] = f;
		} else {
			vec_free(&f.key);
			vec_free(&f.published);
		}
	}
	m->figure.n = kept;
	free(keep);
	return true;
}

/* ---- measurements ---- */

/* A module with the kernels that the figure needs. */
static Module *module_for(Checker *c, const CheckedFigure *f, Diag *diag)
{
	size_t n;
	lua_getfield(c->L, 1, "module_of");
	lua_pushstring(c->L, f->name);
	lua_call(c->L, 1, 1);
	const char *text = lua_tolstring(c->L, -1, &n);
	Module *m = module_read_text(text, n, "microbench.ptx", NULL, diag);
	lua_pop(c->L, 1);
	return m;
}

/* What the workload printed: "figure,unit,value". */
static void read_printed(const char *printed, MeasuredFigure *m)
{
	const char *comma = strrchr(printed, ',');
	m->value = comma ? strtod(comma + 1, NULL) : NAN;
	m->measured = isfinite(m->value);
	if (!m->measured)
		snprintf(m->why, sizeof m->why, "the machine takes no time for what is measured");
}

static void run_figure(Checker *c, const CheckedFigure *f, const Module *module, Diag *diag,
	MeasuredFigure *m)
{
	char *printed = NULL, *lanes = arena_printf(&diag->arena, "lanes=%d", c->lanes);
	char *argument[2] = { arena_printf(&diag->arena, "=%s", f->name), lanes };
	size_t n = 0;
	FILE *out = open_memstream(&printed, &n);
	must(out);
	lua_getfield(c->L, 1, "workload");
	RunOptions options = { .gpu = { .threads = 1, .interrupted = c->session->interrupted },
		.workload = "microbench.lua", .workload_text = lua_tostring(c->L, -1), .nargs = 2,
		.args = argument, .print = out, .trial = true };
	Run *run = run_new(&c->session->config, module, &options, diag);
	RunStatus status = run ? run_module(run) : RUN_BAD_INPUT;
	fclose(out);
	m->failed = status == RUN_FAILED;
	if (status == RUN_OK)
		read_printed(printed, m);
	if (run)
		run_free(run);
	lua_pop(c->L, 1);
	free(printed);
}

/* Why the run failed, without the name of the benchmark's kernel, which nobody knows. */
static void take_reason(const Diag *diag, MeasuredFigure *m)
{
	const char *why = diag_first(diag), *name = "kernel ", *colon;
	if (!why)
		return;
	if (!strncmp(why, name, strlen(name)) && (colon = strstr(why, ": ")))
		why = colon + 2;
	snprintf(m->why, sizeof m->why, "%.*s", (int)strcspn(why, "\n"), why);
}

static void measure_figure(void *context, int i, void *result)
{
	Checker *c = context;
	const CheckedFigure *f = &c->machine.figure.v[i];
	MeasuredFigure *m = result;
	Diag diag = { 0 };
	*m = (MeasuredFigure){ 0 };
	if (f->why)
		return;
	Module *module = module_for(c, f, &diag);
	if (module) {
		run_figure(c, f, module, &diag, m);
		module_free(module);
	}
	if (!m->measured && !*m->why)
		take_reason(&diag, m);
	diag_free(&diag);
}

static void take_measured_figure(void *context, int i, const void *result)
{
	Checker *c = context;
	CheckedFigure *f = &c->machine.figure.v[i];
	const MeasuredFigure *m = result;
	f->measured = m->measured;
	f->value = m->value;
	c->machine.measured += m->measured;
	c->done++;
	if (!m->measured && *m->why && !is_interrupted(c->session->interrupted)) {
		f->why = arena_strdup(&c->session->diag.arena, m->why);
		f->failed = m->failed;
	}
	if (c->session->terminal)
		fprintf(stderr, "\r\033[Kfigure %d of %d", c->done, c->machine.figure.n);
}

/* ---- the report ---- */

static bool write_files(Checker *c, const StrBuf *text)
{
	const Options *o = &c->session->opt;
	bool ok = true;
	for (int i = 0; i < o->stats.n && ok; i++) {
		StrBuf made = { 0 };
		StatsKind kind = stats_kind(o->stats.v[i]);
		const char *why;
		if (kind == STATS_CSV)
			check_machine_csv(&c->machine, &made);
		else if (kind != STATS_TEXT)
			check_machine_json(&c->machine, &made);
		const StrBuf *b = kind == STATS_TEXT ? text : &made;
		if (!strcmp(o->stats.v[i], "-"))
			output_puts(stdout, b->s);
		else if (!(ok = file_write(o->stats.v[i], b->s, b->n, &why)))
			diag_error(&c->session->diag, (Loc){ o->stats.v[i], 0, 0 }, "cannot be written: %s",
				why);
		sb_free(&made);
	}
	return ok;
}

/* Says of figures whose process somebody has ended that it did. */
static void tell_lost(Checker *c)
{
	for (int i = 0; i < c->machine.figure.n && !is_interrupted(c->session->interrupted); i++) {
		CheckedFigure *f = &c->machine.figure.v[i];
		if (f->measured || f->why)
			continue;
		f->why = "the process that was to measure it has ended";
		f->failed = true;
	}
}

static bool has_failed(const CheckedMachine *m)
{
	bool failed = false;
	for (int i = 0; i < m->figure.n; i++)
		failed |= m->figure.v[i].failed;
	return failed;
}

static int measure_and_report(Checker *c)
{
	Shares work = { .context = c, .pieces = c->machine.figure.n, .bytes = sizeof(MeasuredFigure),
		.make = measure_figure, .take = take_measured_figure,
		.interrupted = c->session->interrupted };
	StrBuf text = { 0 };
	bool ok = shares_make(&work, c->session->opt.threads, &c->session->diag);
	if (c->session->terminal)
		fprintf(stderr, "\r\033[K");
	tell_lost(c);
	check_machine_text(&c->machine, &text);
	if (!c->session->opt.quiet && !job_stats_to_output(c->session))
		output_puts(stdout, text.s);
	ok &= write_files(c, &text);
	sb_free(&text);
	return !ok ? RUN_BAD_INPUT : has_failed(&c->machine) ? RUN_FAILED : RUN_OK;
}

int check_machine_run(Session *session)
{
	Checker c = { .session = session, .machine = { .config = session->opt.config } };
	int status = RUN_BAD_INPUT;
	session->terminal = isatty(2) && !session->opt.quiet;
	if (ask_for_figures(&c) && choose_figures(&c, session->opt.check_machine))
		status = measure_and_report(&c);
	for (int i = 0; i < c.machine.figure.n; i++) {
		vec_free(&c.machine.figure.v[i].key);
		vec_free(&c.machine.figure.v[i].published);
	}
	vec_free(&c.machine.figure);
	if (c.L)
		lua_close(c.L);
	return status;
}
