/* gsim-opt: a module in, passes, a module out as text or as an ELF object. */
#include "config.h"
#include "lib/file.h"
#include "lib/strbuf.h"
#include "passes/analysis/dot.h"
#include "passes/pass.h"
#include "tools/usage.h"
#include <stdio.h>

static const char usage[] =
	"usage: gsim-opt [options] MODULE          MODULE: .ir, .ptx, or an ELF object (.gso)\n"
	"  -p, --passes LIST    passes to run: 'linearize,dce'; none is the default\n"
	"  -o, --output FILE    where the module goes: an ELF object when FILE ends in .gso, else IR ('-' = standard output,\n"
	"                       the default)\n"
	"      --cfg FUNCTION   write that function's graph for Graphviz instead of the module\n"
	"      --dump           print the module after each pass on standard error\n"
	"      --list           the passes and their options\n"
	"      --help, --version\n"
	"exit status: 0; 2 usage, bad input or a pass that failed\n";

enum { OPT_CFG = 256, OPT_DUMP, OPT_LIST, OPT_HELP, OPT_VERSION };
static const struct option options[] = {
	{ "passes", required_argument, NULL, 'p' }, { "output", required_argument, NULL, 'o' },
	{ "cfg", required_argument, NULL, OPT_CFG }, { "dump", no_argument, NULL, OPT_DUMP },
	{ "list", no_argument, NULL, OPT_LIST }, { "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION }, { 0 }
};

typedef struct Job { const char *passes, *output, *cfg, *module; bool dump; } Job;

static void list_passes(void)
{
	StrBuf s = { 0 };
	pass_list(&s);
	fputs(s.s, stdout);
	sb_free(&s);
}

static void dump(void *self, const Module *m, const char *pass, bool changed)
{
	StrBuf s = { 0 };
	ir_print(m, &s);
	fprintf(stderr, "// after %s\n%s", pass, s.s ? s.s : "");
	sb_free(&s);
}

static bool produce(const Job *job, const Module *m, StrBuf *s, Diag *d)
{
	if (!job->cfg) {
		ir_print(m, s);
		return true;
	}
	Function *f = module_find_function(m, job->cfg);
	if (f && f->block.n) {
		cfg_dot(m, f, s);
		return true;
	}
	const char **names = xcalloc((size_t)m->func.n + 1, sizeof *names);
	for (int i = 0; i < m->func.n; i++)
		names[i] = m->func.v[i]->name;
	const char *near = nearest_name(job->cfg, names, m->func.n);
	if (f && f->refused.what)
		diag_error(d, f->refused.loc, "%s is refused: it has no graph: %s", job->cfg, f->refused.what);
	else if (f)
		diag_error(d, f->loc, "%s is declared only: it has no graph", job->cfg);
	else
		diag_error(d, (Loc){ "--cfg", 0, 0 }, "no function `%s` in %s%s%s", job->cfg, m->name, near ? "; the nearest is " : "",
			near ? near : "");
	free(names);
	return false;
}

static bool deliver(const Job *job, const StrBuf *s, Diag *d)
{
	const char *why = NULL;
	if (!job->output || !strcmp(job->output, "-")) {
		if (fwrite(s->s ? s->s : "", 1, s->n, stdout) == s->n && fflush(stdout) == 0)
			return true;
		diag_error(d, (Loc){ "standard output", 0, 0 }, "cannot be written");
		return false;
	}
	if (file_write(job->output, s->s ? s->s : "", s->n, &why))
		return true;
	diag_error(d, (Loc){ job->output, 0, 0 }, "cannot be written: %s", why);
	return false;
}

static bool names_object(const Job *job)
{
	size_t n = job->output ? strlen(job->output) : 0;
	return n > 4 && !strcmp(job->output + n - 4, ".gso");
}

static bool work(const Job *job, Diag *d)
{
	if (!pipeline_check(job->passes, d))
		return false;
	Module *m = module_read(job->module, d);
	if (!m)
		return false;
	StrBuf s = { 0 };
	bool ok = pipeline_run(m, job->passes, &(PassHost){ .after = job->dump ? dump : NULL }, d);
	if (ok && names_object(job))
		ok = elf_write(m, job->output, d);
	else
		ok = ok && produce(job, m, &s, d) && deliver(job, &s, d);
	sb_free(&s);
	module_free(m);
	return ok;
}

int main(int argc, char **argv)
{
	Job job = { .passes = "" };
	uint64_t given = 0;
	opterr = 0;
	for (int c; (c = getopt_long(argc, argv, ":p:o:", options, NULL)) != -1;) {
		if (usage_twice("gsim-opt", options, c, &given))
			return 2;
		switch (c) {
		case 'p': job.passes = optarg; break;
		case 'o': job.output = optarg; break;
		case OPT_CFG: job.cfg = optarg; break;
		case OPT_DUMP: job.dump = true; break;
		case OPT_LIST: list_passes(); return 0;
		case OPT_HELP: printf("%s", usage); return 0;
		case OPT_VERSION: printf("gsim-opt " PACKAGE_VERSION "\n"); return 0;
		default: return usage_option("gsim-opt", argv, options, c);
		}
	}
	if (optind + 1 != argc)
		return usage_wrong("gsim-opt", optind == argc ? "expected a MODULE" : "one MODULE at a time: ", optind == argc ? "" : argv[optind + 1]);
	job.module = argv[optind];
	if (job.cfg && names_object(&job))
		return usage_wrong("gsim-opt", "--cfg writes a graph; an object is expected in --output ", job.output);
	Diag d = { 0 };
	bool ok = work(&job, &d);
	diag_print(&d, stderr);
	diag_free(&d);
	return ok ? 0 : 2;
}
