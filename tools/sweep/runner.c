#include "tools/sweep/runner.h"
#include "isa/ir.h"
#include "lib/hash.h"
#include "sim/report/filled.h"
#include "tools/inputs.h"
#include "tools/plugins.h"
#include "tools/sweep/inputs_copy.h"
#include "tools/sweep/results.h"
#include <unistd.h>

/* A module with its workload. module NULL: it cannot be read, and diag says why. */
struct RunnerModule {
	const char *path;
	Session session;
	uint64_t text, workload;       /* hashes */
};

/* A machine file. ok false: it cannot be read, and diag says why. */
struct RunnerMachine {
	Config config;
	Diag diag;
	bool ok;
};

static uint64_t hash_of_text(const char *s, size_t n) { return hash_fnv1a(s ? s : "", s ? n : 0); }

/* ---- what is read once ---- */

/* The module's text as gsim prints it has what it imports, too. Lines that name its files are left out: a
   copy elsewhere is the same module. */
static uint64_t hash_of_module(const Module *m)
{
	StrBuf text = { 0 }, rest = { 0 };
	ir_print(m, &text);
	for (const char *s = text.s ? text.s : "", *end; *s; s = end) {
		end = s + strcspn(s, "\n");
		end += *end == '\n';
		if (strncmp(s, "file ", 5))
			sb_write(&rest, s, (size_t)(end - s));
	}
	uint64_t hash = hash_of_text(rest.s, rest.n);
	sb_free(&text);
	sb_free(&rest);
	return hash;
}

static uint64_t hash_of_workload(const char *workload, const char *module)
{
	Arena a = { 0 };
	size_t n = 0;
	const char *why, *path = workload ? workload : run_default_workload(&a, module);
	char *text = file_read(path, MOST_WORKLOAD, &n, &why);
	uint64_t hash = hash_of_text(text, n);
	free(text);
	arena_free(&a);
	return hash;
}

/* Where a file is read: itself, or its copy. */
static const char *place_of(Runner *r, const char *path)
{
	return !path || !r->plan->inputs ? path : inputs_copy_name(&r->arena, r->plan->inputs, path);
}

static const char *folder_of(Arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? arena_strndup(a, path, (size_t)(slash - path) + 1) : ".";
}

static RunnerModule *find_module(Runner *r, const Point *point)
{
	StrBuf name = { 0 };
	sb_printf(&name, "%s\n%s", point->module, point->kernels ? point->kernels : "");
	int i = strmap_get(&r->module_at, name.s);
	const char *key = i < 0 ? arena_strdup(&r->arena, name.s) : NULL;
	sb_free(&name);
	if (i >= 0)
		return r->module.v[i];
	RunnerModule *m = xcalloc(1, sizeof *m);
	Session *s = &m->session;
	m->path = arena_strdup(&r->arena, point->module);
	s->interrupted = r->interrupted;
	s->opt = (Options){ .module = place_of(r, m->path), .workload = place_of(r, r->plan->workload),
		.source = place_of(r, r->plan->source ? r->plan->source : point->kernels),
		.functional = r->plan->functional, .quiet = true, .alone = true, .sums = true, .trial = true,
		.threads = 1 };
	for (int k = 0; k < r->plan->files.n; k++)
		vec_push(&s->opt.files, r->plan->files.v[k]);
	/* what a workload loads has no copy */
	if (r->plan->inputs)
		vec_push(&s->opt.files, folder_of(&r->arena,
			r->plan->workload ? r->plan->workload : m->path));
	s->module = module_read_below(s->opt.module, s->opt.source, &s->diag);
	s->module_hash = hash_of_file(&s->diag.arena, s->opt.module);
	m->text = s->module ? hash_of_module(s->module) : 0;
	m->workload = hash_of_workload(s->opt.workload, s->opt.module);
	vec_push(&r->module, m);
	strmap_put(&r->module_at, key, r->module.n - 1);
	return m;
}

static RunnerMachine *find_machine(Runner *r, const char *file)
{
	int i = strmap_get(&r->machine_at, file);
	if (i >= 0)
		return r->machine.v[i];
	RunnerMachine *m = xcalloc(1, sizeof *m);
	const char *place = r->plan->inputs && *file ? inputs_copy_machine(&r->arena, r->plan->inputs, file)
		: file;
	config_defaults(&m->config);
	m->ok = !*file || config_load(&m->config, access(place, R_OK) ? file : place, &m->diag);
	vec_push(&r->machine, m);
	strmap_put(&r->machine_at, arena_strdup(&r->arena, file), r->machine.n - 1);
	return m;
}

void runner_free(Runner *r)
{
	for (int i = 0; i < r->module.n; i++) {
		Session *s = &r->module.v[i]->session;
		if (s->module)
			module_free(s->module);
		free(s->workload);
		vec_free(&s->written);
		vec_free(&s->opt.files);
		diag_free(&s->diag);
		free(r->module.v[i]);
	}
	for (int i = 0; i < r->machine.n; i++) {
		diag_free(&r->machine.v[i]->diag);
		free(r->machine.v[i]);
	}
	vec_free(&r->module);
	vec_free(&r->machine);
	strmap_free(&r->module_at);
	strmap_free(&r->machine_at);
	arena_free(&r->arena);
}

/* The effective configuration of a point: the machine file's, with its parameters, then its mechanism. */
bool runner_config(Runner *r, const Point *point, Config *c, Diag *diag)
{
	RunnerMachine *m = find_machine(r, point->machine);
	*c = m->config;
	for (int i = 0; i < m->diag.item.n; i++)
		if (!m->diag.item.v[i].warning)
			diag_error(diag, m->diag.item.v[i].loc, "%s", m->diag.item.v[i].text);
	if (!m->ok)
		return false;
	for (int i = 0; i < r->plan->axis.n; i++)
		if (r->plan->axis.v[i].kind == AXIS_PARAMETER &&
			!config_set(c, r->plan->axis.v[i].name, point->value[i], diag))
			return false;
	return (!*point->mechanism || config_set_model(c, point->mechanism, diag)) && config_check(c, diag);
}

/* ---- the key ---- */

static void put_part(StrBuf *b, const char *name, const char *value)
{
	sb_printf(b, "%s %zu %s\n", name, strlen(value), value);
}

void runner_key(Runner *r, const Point *point, char key[POINT_KEY])
{
	const RunnerModule *m = find_module(r, point);
	StrBuf b = { 0 };
	Diag none = { 0 };
	Config c;
	int nplugins;
	const ReportPlugin *plugin = plugins_loaded(&nplugins);
	sb_printf(&b, "gsim %s\nmodule %016llx\nworkload %016llx\n", GSIM_RELEASE,
		(unsigned long long)m->text, (unsigned long long)m->workload);
	if (!m->session.module)
		put_part(&b, "unread", point->module);
	if (runner_config(r, point, &c, &none)) {
		sb_printf(&b, "configuration %016llx\n", (unsigned long long)config_hash(&c));
	} else {
		/* such a point fails; it still differs from others that do */
		put_part(&b, "machine", point->machine);
		put_part(&b, "mechanism", point->mechanism);
		for (int i = 0; i < r->plan->axis.n; i++)
			if (r->plan->axis.v[i].kind == AXIS_PARAMETER)
				put_part(&b, r->plan->axis.v[i].name, point->value[i]);
	}
	put_part(&b, "passes", point->passes);
	for (int i = 0; i < point->nargs; i++)
		put_part(&b, "argument", point->args[i]);
	if (point->size)
		put_part(&b, "size", run_size_name[point->size]);
	for (int i = 0; i < nplugins; i++)
		put_part(&b, "plug-in", plugin[i].hash);
	sb_puts(&b, r->plan->functional ? "functional\n" : "timed\n");
	uint64_t first = hash_of_text(b.s, b.n);
	/* a second hash, which does not follow from the first, since it begins in another state */
	StrBuf again = { 0 };
	sb_printf(&again, "%016llx\n%s", (unsigned long long)first, b.s);
	snprintf(key, POINT_KEY, "%016llx%016llx", (unsigned long long)first,
		(unsigned long long)hash_of_text(again.s, again.n));
	sb_free(&again);
	sb_free(&b);
	diag_free(&none);
}

/* ---- records ---- */

static void begin_record(const Plan *p, const Point *point, const char *key, JsonSink *j)
{
	j->begin(j, '{', true);
	json_put_text(j, "key", key);
	json_put_count(j, "schema_version", RECORD_SCHEMA);
	j->key(j, "point");
	j->begin(j, '{', true);
	Arena a = { 0 };
	for (int i = 0; i < p->axis.n; i++)
		json_put_text(j, p->axis.v[i].name, plan_shown(&a, &p->axis.v[i], point->value[i]));
	arena_free(&a);
	j->end(j);
}

static void end_record(JsonSink *j, StrBuf *record)
{
	j->end(j);
	while (record->n && (record->s[record->n - 1] == '\n' || record->s[record->n - 1] == '}')) {
		bool brace = record->s[record->n - 1] == '}';
		record->s[--record->n] = 0;
		if (brace)
			break;
	}
	results_seal(record);
}

void runner_put_lost(const Plan *p, const Point *point, const char *key, const char *status, const char *why,
	StrBuf *record)
{
	JsonText t;
	json_text(&t, record);
	begin_record(p, point, key, &t.sink);
	json_put_text(&t.sink, "status", status);
	json_put_text(&t.sink, "message", why);
	end_record(&t.sink, record);
}

/* The first error, with its place. */
static const char *first_message(Arena *a, const Diag *d)
{
	for (int i = 0; i < d->item.n; i++) {
		const DiagItem *e = &d->item.v[i];
		if (e->warning || e->remark)
			continue;
		if (!e->loc.file)
			return e->text;
		if (!e->loc.line)
			return arena_printf(a, "%s: %s", e->loc.file, e->text);
		return arena_printf(a, "%s:%d: %s", e->loc.file, e->loc.line, e->text);
	}
	return NULL;
}

/* The files that the workload has loaded, each with a hash of its content. */
static void put_loaded_files(const Plan *p, const Run *run, Arena *a, JsonSink *j)
{
	if (!run->loaded.n)
		return;
	j->key(j, "files");
	j->begin(j, '[', true);
	for (int i = 0; i < run->loaded.n; i++) {
		const LoadedFile *f = &run->loaded.v[i];
		j->begin(j, '{', true);
		json_put_text(j, "file", p->inputs ? inputs_original(a, p->inputs, f->path) : f->path);
		json_put_text(j, "hash", arena_printf(a, "%016llx", (unsigned long long)f->hash));
		j->end(j);
	}
	j->end(j);
}

static void put_record(const Plan *p, const Point *point, const char *key, const Job *job, const Diag *unread,
	StrBuf *record)
{
	static const char *const status[] = { "ok", "failed", "bad input", "interrupted" };
	JsonText t;
	Arena a = { 0 };
	json_text(&t, record);
	JsonSink *j = &t.sink;
	begin_record(p, point, key, j);
	json_put_text(j, "status", status[job->status]);
	const char *message = job->status == RUN_OK ? NULL : first_message(&a, unread ? unread : &job->diag);
	json_put_text(j, "message", message && p->inputs ? inputs_original(&a, p->inputs, message) : message);
	if (job->run)
		put_loaded_files(p, job->run, &a, j);
	if (job->run && job->status == RUN_OK) {
		char hash[17];
		snprintf(hash, sizeof hash, "%016llx", (unsigned long long)run_hash_results(job->run));
		json_put_text(j, "results", hash);
	}
	if (job->run && run_launches(job->run)) {
		j->key(j, "statistics");
		j->begin(j, '{', true);
		json_put_count(j, "launches", run_launches(job->run));
		stats_json_measured(run_total(job->run), j);
		j->end(j);
		filled_json(job->run, j);
	}
	end_record(j, record);
	arena_free(&a);
}

bool runner_run(Runner *r, const Point *point, const char *key, StrBuf *record)
{
	Session *s = &find_module(r, point)->session;
	Job job = { .passes = point->passes, .model = *point->mechanism ? point->mechanism : NULL };
	s->opt.config = *point->machine ? point->machine : NULL;
	s->opt.nargs = point->nargs;
	s->opt.args = point->args;
	s->opt.size = point->size;
	s->file = find_machine(r, point->machine)->config;
	s->made_for = NULL;
	if (!s->module || !runner_config(r, point, &job.config, &job.diag)) {
		job.status = RUN_BAD_INPUT;
		put_record(r->plan, point, key, &job, s->module ? NULL : &s->diag, record);
		diag_free(&job.diag);
		return true;
	}
	job_run(s, &job);
	bool whole = job.status != RUN_INTERRUPTED;
	if (whole)
		put_record(r->plan, point, key, &job, NULL, record);
	job_free(s, &job);
	return whole;
}
