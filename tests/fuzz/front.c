/* Targets of the front end: machine files, options, workloads, reports. */
#include "tests/fuzz/fuzz.h"
#include "sim/config/sources.h"
#include "sim/report/condition.h"
#include "sim/report/many.h"
#include "lib/file.h"
#include "passes/analyses.h"
#include "passes/analysis/cost.h"

/* Whether a configuration that was accepted prints as one that is equal; NULL, or what is wrong. */
static const char *reload(const Config *c, const MachineTexts *texts, Diag *d)
{
	StrBuf text = { 0 };
	Config again;
	MachineMarks marks = { 0 };
	marks_read(&marks, texts);
	config_print_marked(c, &marks, &text);
	const char *path = fuzz_file(text.s, text.n), *bad = NULL;
	if (!path)
		bad = "no file for the configuration";
	else if (!config_load(&again, path, d))
		bad = "the printed configuration is refused";
	else if (memcmp(c, &again, sizeof again))
		bad = "the printed configuration is another one";
	sb_free(&text);
	marks_free(&marks);
	return bad;
}

const char *fuzz_machine(const char *s, size_t n)
{
	Diag d = { 0 };
	Config c;
	MachineTexts texts = { 0 };
	const char *path = fuzz_file(s, n), *bad = NULL;
	if (!path)
		bad = "no file for the input";
	else if (config_load_texts(&c, path, &texts, &d))
		bad = d.errors ? "accepted with errors" : reload(&c, &texts, &d);
	else if (!d.errors)
		bad = "refused without an error";
	if (!bad && !d.errors && !config_check(&c, &d) && !d.errors)
		bad = "found inconsistent without an error";
	config_free_texts(&texts);
	diag_free(&d);
	return bad;
}

/* ---- options ---- */

static const char *option(Config *c, char *line, Diag *d)
{
	int before = d->errors;
	char *value = strchr(line, '=');
	bool ok;
	if (*line == 'm') {
		ok = config_set_model(c, line + 1, d);
	} else if (*line == 'p') {
		ok = pipeline_check(line + 1, d);
	} else {
		if (value)
			*value++ = 0;
		ok = config_set(c, line, value ? value : "", d);
	}
	return ok == (d->errors == before) ? NULL : ok ? "accepted with errors" : "refused without an error";
}

const char *fuzz_options(const char *s, size_t n)
{
	Diag d = { 0 };
	Config c;
	char *text = arena_strndup(&d.arena, s, n), *line;
	const char *bad = NULL;
	config_defaults(&c);
	while (!bad && (line = strsep(&text, "\n")))
		bad = option(&c, line, &d);
	if (!bad && !config_check(&c, &d) && !d.errors)
		bad = "found inconsistent without an error";
	if (!bad)
		bad = reload(&c, &(MachineTexts){ 0 }, &d);
	diag_free(&d);
	return bad;
}

/* A few keys with their defaults at a time, and each mechanism with all of its own. */
bool fuzz_make_options(Corpus *c)
{
	ConfigKey key;
	char name[CONFIG_NAME];
	StrBuf text = { 0 };
	for (int i = 0; config_key(i, &key); i++) {
		sb_printf(&text, "%s=%lld\n", config_key_name(&key, name), (long long)key.value);
		if (i % 16 == 15) {
			vec_push(c, ((Bytes){ text.s, text.n }));
			text = (StrBuf){ 0 };
		}
	}
	sb_free(&text);
	for (int k = 0; model_keys(k); k++) {
		const ModelKeys *m = model_keys(k);
		sb_printf(&text, "m%s(", m->name);
		for (int i = 0; i < m->nparams; i++)
			sb_printf(&text, "%s%s=%lld", i ? ", " : "", m->params[i].key,
				(long long)m->params[i].value);
		sb_printf(&text, ")\nplinearize(opt=2),dce,simplify-cfg\ndivergence.model=%s\n", m->name);
		vec_push(c, ((Bytes){ text.s, text.n }));
		text = (StrBuf){ 0 };
	}
	return true;
}

/* ---- workloads ---- */

static const char loop_kernel[] =
	"global u32 table[4] = { 1, 2, 3, 4 }\n"
	"kernel loop(u64 out, u32 rounds)\n{\n"
	"\treg u32 %i, %n, %k\n\treg u64 %a\n\treg pred %p\n"
	"enter:\n\t%i = mov.u32 %tid.x\n\t%n = ld.param.u32 [rounds]\n\t%k = mov.u32 0\n\tbra body\n"
	"body:\n\t%k = add.u32 %k, 1\n\t%p = setp.lt.u32 %k, %n\n\tbra %p, body, done\n"
	"done:\n\t%a = ld.param.u64 [out]\n\t%a = mad.wide.u32 %i, 4, %a\n\tst.global.u32 [%a], %k\n\texit\n"
	"}\n";

static const char *run_text(const Module *m, const char *path, RunSize size)
{
	RunOptions options = { .gpu = { .functional = true }, .workload = path, .size = size,
		.lua_steps = 2000000, .lua_seconds = 1 };
	Diag d = { 0 };
	Config c;
	config_defaults(&c);
	c.max_cycles = 20000;
	c.memory_limit = 8 << 20;
	Run *run = run_new(&c, m, &options, &d);
	const char *bad = NULL;
	if (!run)
		bad = "the module is refused";
	else if (run_module(run) == RUN_OK && d.errors)
		bad = "accepted with errors";
	else if (run->status != RUN_OK && !d.errors)
		bad = "refused without an error";
	if (run)
		run_free(run);
	diag_free(&d);
	return bad;
}

const char *fuzz_workload(const char *s, size_t n)
{
	StrBuf path = { 0 };
	const char *why, *folder = around_folder();
	bool full = fuzz_hash(s, n) % 4 == 0;
	Diag d = { 0 };
	sb_printf(&path, "%s/w.lua", folder ? folder : "");
	Module *m = ir_read(loop_kernel, sizeof loop_kernel - 1, "loop.ir", &d);
	const char *bad = !folder || !file_write(path.s, s, n, &why) ? "no file for the input"
		: !m ? "the kernel is refused" : NULL;
	around_full_disk(full);
	if (!bad)
		bad = run_text(m, path.s, (RunSize)(fuzz_hash(s, n) / 4 % SIZES));
	around_full_disk(false);
	module_free(m);
	diag_free(&d);
	sb_free(&path);
	const char *changed = around_changed("w.lua", full);
	return bad ? bad : changed;
}

/* ---- reports ---- */

/* As a profile of a small module, whose names are those of the seeds. */
static const char *profile_of_bytes(const char *s, size_t n)
{
	static const char text[] = "kernel loop(u64 out)\n{\n	reg u32 %i\n	reg pred %p\n"
		"enter: %i = mov.u32 %tid.x\n	bra body\nbody: %i = add.u32 %i, 1\n"
		"	%p = setp.lt.u32 %i, 9\n	bra %p, body, done\ndone: exit\n}\n";
	Arena a = { 0 };
	Diag d = { 0 };
	StrBuf out = { 0 };
	Module *m = ir_read(text, sizeof text - 1, "loop.ir", &d);
	must(m && !d.errors);
	const Profile *p = profile_read(&a, s, n, "fuzz", &d);
	const char *bad = !p && !d.errors ? "a profile is refused without an error"
		: p && d.errors ? "a profile is accepted with errors" : NULL;
	if (p) {
		Analyses *an = analyses_open(m, m->func.v[0], NULL, NULL, NULL);
		an->profile = p;
		analysis_print(an, AN_uniformity, &out);
		analysis_print(an, AN_costs, &out);
		analyses_close(an);
	}
	sb_free(&out);
	module_free(m);
	diag_free(&d);
	arena_free(&a);
	return bad;
}

/* Judges a condition, which the report may bring along as text, on the report and itself. */
static void judge(const JsonValue *v)
{
	Arena a = { 0 };
	StrBuf out = { 0 };
	Condition c[3];
	const char *error, *text[] = { "cycles > 1", "kernel *: cycles > 1", json_string(v, "condition") };
	int column, n = 0;
	for (int k = 0; k < 3; k++)
		n += condition_parse(&a, text[k], &c[n], &error, &column);
	conditions_judge(c, n, &(GridPair){ { v, v }, NULL }, 1, true, &out);
	sb_free(&out);
	arena_free(&a);
}

enum { FUZZ_RUNS = 64 };

/* All runs of the report beside each other, in every form, and two copies of it. */
static void show_many(const JsonValue *v, StrBuf *out)
{
	Many m = { 0 };
	bool good = many_add_file(&m, v, "fuzz.json") && many_add_file(&m, v, "copy/fuzz.json");
	if (good && m.run.n <= FUZZ_RUNS) {
		many_settle(&m);
		many_text(&m, (ReportForm){ .full = true }, out);
		many_text(&m, (ReportForm){ .markdown = true }, out);
		many_text_by(&m, PLACE_BRANCHES, 2, (ReportForm){ .full = true }, out);
		many_csv(&m, out);
		many_json(&m, out);
	}
	many_free(&m);
}

const char *fuzz_json(const char *s, size_t n)
{
	Arena a = { 0 };
	Diag d = { 0 };
	StrBuf out = { 0 };
	const char *bad = NULL;
	const JsonValue *v = json_read(&a, s, n, "fuzz", &d);
	if (!v && d.errors != 1)
		bad = "refused without an error";
	else if (v && d.errors)
		bad = "accepted with errors";
	if (v) {
		const JsonValue *runs = json_get(v, "runs");
		const SourceRoot sources = { NULL, around_folder(), "" };
		const ReportForm text = { .full = true }, markdown = { .markdown = true };
		report_compare(v, v, NULL, text, &out);
		report_compare(json_get(v, "before"), json_get(v, "after"), v, markdown, &out);
		report_compare(v, json_get(v, "after"), v, text, &out);
		show_many(v, &out);
		const JsonValue *comparisons = json_get(v, "comparisons");
		if (comparisons && comparisons->kind == JSON_ARRAY)
			report_comparisons(comparisons, text, &out);
		judge(v);
		report_annotate(v, v, ANNOTATE_CODE, &sources, &out);
		report_annotate(v, json_get(v, "after"), ANNOTATE_SOURCE, &sources, &out);
		if (runs && runs->kind == JSON_ARRAY) {
			Pairs pairs = pairs_of(runs, runs);
			report_compare_pairs(&pairs, text, &out);
			report_compare_pairs(&pairs, markdown, &out);
			vec_free(&pairs);
			report_grid_text(runs, markdown, &out);
			report_grid_text(runs, text, &out);
			report_grid_csv(runs, &out);
			report_grid_svg(runs, &out);
		}
	}
	if (around_holds_secret(out.s, out.n))
		bad = "it shows what it may not read";
	sb_free(&out);
	diag_free(&d);
	arena_free(&a);
	return bad ? bad : profile_of_bytes(s, n);
}
