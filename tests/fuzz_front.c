#include "tests/fuzz_front.h"
#include "lib/file.h"
#include "sim/report.h"
#include <sys/stat.h>
#include <unistd.h>

static const char file[] = "gsim-fuzz-front.lua", directory[] = "gsim-fuzz-front";

static const char *write_text(const char *path, const char *s, size_t n)
{
	const char *why;
	return file_write(path, s, n, &why) ? NULL : "the input cannot be written";
}

static const char *reload(const Config *c, Diag *d)
{
	StrBuf text = { 0 };
	Config again;
	config_print(c, &text);
	const char *bad = write_text(file, text.s, text.n);
	if (!bad && !config_load(&again, file, d))
		bad = "the printed configuration is refused";
	else if (!bad && memcmp(c, &again, sizeof again))
		bad = "the printed configuration is another one";
	sb_free(&text);
	return bad;
}

const char *fuzz_config(const char *s, size_t n)
{
	Diag d = { 0 };
	Config c;
	const char *bad = write_text(file, s, n);
	if (!bad && config_load(&c, file, &d))
		bad = d.errors ? "accepted with errors" : reload(&c, &d);
	else if (!bad && !d.errors)
		bad = "refused without an error";
	unlink(file);
	diag_free(&d);
	return bad;
}

static const char loop_kernel[] =
	"global u32 table[4] = { 1, 2, 3, 4 }\n"
	"kernel loop(u64 out, u32 rounds)\n{\n"
	"\treg u32 %i, %n, %k\n\treg u64 %a\n\treg pred %p\n"
	"enter:\n\t%i = mov.u32 %tid.x\n\t%n = ld.param.u32 [rounds]\n\t%k = mov.u32 0\n\tbra body\n"
	"body:\n\t%k = add.u32 %k, 1\n\t%p = setp.lt.u32 %k, %n\n\tbra %p, body, done\n"
	"done:\n\t%a = ld.param.u64 [out]\n\t%a = mad.wide.u32 %i, 4, %a\n\tst.global.u32 [%a], %k\n\texit\n}\n";

static const char *run_text(const Module *m, const char *path)
{
	RunOptions options = { .gpu = { .functional = true }, .workload = path, .lua_steps = 2000000, .lua_seconds = 1 };
	Diag d = { 0 };
	Config c;
	config_defaults(&c);
	c.max_cycles = 20000;
	c.memory_limit = 64 << 20;
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
	char path[64];
	Diag d = { 0 };
	snprintf(path, sizeof path, "%s/w.lua", directory);
	mkdir(directory, 0777);
	const char *bad = write_text(path, s, n);
	Module *m = ir_read(loop_kernel, sizeof loop_kernel - 1, "loop.ir", &d);
	if (!m)
		bad = "the kernel is refused";
	if (!bad)
		bad = run_text(m, path);
	module_free(m);
	diag_free(&d);
	unlink(path);
	rmdir(directory);
	return bad;
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
		report_compare(v, v, "", true, &out);
		report_compare(json_get(v, "before"), json_get(v, "after"), json_string(v, "results"), false, &out);
		if (runs && runs->kind == JSON_ARRAY) {
			report_compare_grids(runs, runs, false, &out);
			report_grid_text(runs, &out);
			report_grid_csv(runs, &out);
			report_grid_svg(runs, &out);
		}
	}
	sb_free(&out);
	diag_free(&d);
	arena_free(&a);
	return bad;
}
