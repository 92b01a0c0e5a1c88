/* tools/pairs: random pairs of modules for gsim -b A B. A is a random kernel with its data and host function;
   B is what passes make of it, or has faults planted in it. Two runs of the reference interpreter say whether
   both leave the same bytes in all buffers, and gsim -b must say the same: equal with status 0; else status
   1, that results differ in the first line, and no figure that is better or worse. */
#include "lib/file.h"
#include "sim/host/run.h"
#include "tests/random.h"
#include "tests/random/differential.h"
#include "tests/random/random_pipeline.h"
#include <getopt.h>
#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_CYCLES = 200000, MACHINE_SMS = 2, MOST_TRIES = 60, ENOUGH = 20 };

typedef struct Pairs {
	const char *gsim;
	char folder[64];
	/* pairs by what the interpreter says, and those whose fault makes blocks or lanes race, so that a
	   machine need not do what the interpreter does */
	uint64_t equal, differ, broken, racy;
	uint64_t runs;
} Pairs;

/* What two runs of the interpreter say of a pair. */
typedef enum { PAIR_EQUAL, PAIR_DIFFERS, PAIR_BREAKS } PairKind;

/* ---- the second module ---- */

static const struct { uint8_t from, to; } other_op[] = { { OP_ADD, OP_SUB }, { OP_SUB, OP_ADD },
	{ OP_AND, OP_OR }, { OP_OR, OP_XOR }, { OP_XOR, OP_AND }, { OP_MIN, OP_MAX }, { OP_MAX, OP_MIN },
	{ OP_SHL, OP_SHR }, { OP_SHR, OP_SHL } };

/* Changes the instruction in one way. False: it has nothing that can be changed so. */
static bool plant_in(Block *b, Ins *i, uint64_t how)
{
	switch (how % 5) {
	case 0:
		for (size_t k = 0; k < sizeof other_op / sizeof *other_op; k++)
			if (i->op == other_op[k].from) {
				i->op = other_op[k].to;
				return true;
			}
		return false;
	case 1:
		for (int k = 0; k < i->nsrc; k++)
			if (ins_src(i, k)->kind == OPD_IMM) {
				ins_src(i, k)->imm += how >> 8 & 1 ? 1 : -1;
				return true;
			}
		return false;
	case 2:
		if (i->nsrc < 2 || opd_same(ins_src(i, 0), ins_src(i, 1)) || op_info[i->op].flags & OPF_TERM)
			return false;
		Opd first = *ins_src(i, 0);
		*ins_src(i, 0) = *ins_src(i, 1);
		*ins_src(i, 1) = first;
		return true;
	case 3:
		if (i->guard < 0)
			return false;
		i->guard_neg = !i->guard_neg;
		return true;
	default:
		if (i->op != OP_BRA || i->nsrc != 1 || b->nsucc != 2 || b->succ[0] == b->succ[1])
			return false;
		ins_src(i, 0)->neg = !ins_src(i, 0)->neg;
		return true;
	}
}

/* Changes one instruction so that the module is valid. NULL: no such change was found. */
static Module *with_fault(const Module *m, uint64_t *rng)
{
	for (int k = 0; k < MOST_TRIES; k++) {
		Module *copy = module_copy(m);
		Function *f = copy->func.v[random_next(rng) % (uint64_t)copy->func.n];
		Diag d = { 0 };
		bool good = false;
		if (f->block.n) {
			Block *b = f->block.v[random_next(rng) % (uint64_t)f->block.n];
			Ins *i = &b->ins.v[random_next(rng) % (uint64_t)b->ins.n];
			good = plant_in(b, i, random_next(rng)) && ir_verify(copy, &d);
		}
		diag_free(&d);
		if (good)
			return copy;
		module_free(copy);
	}
	return NULL;
}

/* Plants up to as many faults, each in what the one before has left: one alone often changes nothing that
   anybody reads. */
static Module *with_faults(const Module *m, uint64_t n, uint64_t *rng)
{
	Module *faulty = with_fault(m, rng), *more;
	while (faulty && --n && (more = with_fault(faulty, rng))) {
		module_free(faulty);
		faulty = more;
	}
	return faulty;
}

/* Behind random passes for half of the pairs, with faults for five in eight. */
static Module *second_module(const RandomKernel *k, uint64_t seed, uint64_t *rng)
{
	uint64_t kind = random_next(rng) % 8;
	char text[512];
	StrBuf passes = { 0 };
	Module *m = NULL;
	random_pipeline(seed, k->module, NULL, &passes);
	if (kind < 4)
		m = transformed(k->module, passes.s, text, sizeof text);
	sb_free(&passes);
	if (kind < 3)
		return m;
	Module *faulty = with_faults(m ? m : k->module, 1 + random_next(rng) % 6, rng);
	if (m)
		module_free(m);
	return faulty;
}

/* ---- the judge ---- */

/* How gsim runs a pair, besides by the interpreter. */
typedef struct PairWay { const char *model; bool functional; } PairWay;
static const PairWay ways[] = { { "its", false }, { "ipdom", true }, { "tf_stack", false } };
enum { WAYS = sizeof ways / sizeof *ways };

/* Runs the text; way NULL: by the interpreter. */
static Run *run_text(const char *text, const PairWay *way, Module **m, Diag *d)
{
	static Config config[1 + WAYS];        /* outlive the runs */
	Config *c = &config[way ? 1 + (way - ways) : 0];
	config_defaults(c);
	must(config_set_model(c, way ? way->model : "ipdom", d));
	c->sm_count = MACHINE_SMS;
	c->max_cycles = MOST_CYCLES;
	RunOptions o = { .gpu = { .functional = way && way->functional }, .reference = !way };
	*m = ir_read(text, strlen(text), "pair.ir", d);
	must(*m);
	Run *r = run_new(c, *m, &o, d);
	must(r);
	run_main(r, NULL);
	return r;
}

static bool same_bytes(const Run *a, const Run *b)
{
	bool same = a->buffer.n == b->buffer.n;
	for (int k = 0; k < a->buffer.n && same; k++) {
		const RunBuffer *x = &a->buffer.v[k], *y = &b->buffer.v[k];
		uint64_t n = x->n * (uint64_t)type_bytes(x->type);
		same = x->how == COMPARE_IGNORE || (n == y->n * (uint64_t)type_bytes(y->type) &&
			!memcmp(run_data(a, x), run_data(b, y), n));
	}
	return same;
}

/* What the interpreter says; *racy: the machine does something else with the second module. */
static PairKind judge_pair(const char *a, const char *b, const PairWay *way, bool *racy)
{
	const char *text[3] = { a, b, b };
	Module *m[3];
	Run *r[3];
	Diag d = { 0 };
	for (int k = 0; k < 3; k++)
		r[k] = run_text(text[k], k < 2 ? NULL : way, &m[k], &d);
	PairKind kind = r[0]->status != RUN_OK || r[1]->status != RUN_OK ? PAIR_BREAKS
		: same_bytes(r[0], r[1]) ? PAIR_EQUAL : PAIR_DIFFERS;
	*racy = r[1]->status != r[2]->status || (r[1]->status == RUN_OK && !same_bytes(r[1], r[2]));
	for (int k = 0; k < 3; k++) {
		run_free(r[k]);
		module_free(m[k]);
	}
	diag_free(&d);
	return kind;
}

/* ---- gsim ---- */

/* Runs gsim -b A B; the exit status, and its standard output in out. */
static int run_gsim(Pairs *p, const PairWay *way, StrBuf *out)
{
	char command[512], line[4096];
	snprintf(command, sizeof command, "'%s' -D limits.max_cycles=%d -D sm.count=%d -m %s %s -b '%s/a.ir' "
		"'%s/b.ir' 2>/dev/null </dev/null", p->gsim, MOST_CYCLES, MACHINE_SMS, way ? way->model
		: "ipdom", !way ? "--reference" : way->functional ? "--functional" : "", p->folder,
		p->folder);
	FILE *from = popen(command, "r");
	must(from);
	while (fgets(line, sizeof line, from))
		sb_puts(out, line);
	int status = pclose(from);
	p->runs++;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool has_line_end(const char *text, const char *word)
{
	size_t n = strlen(word);
	for (const char *at = text; (at = strstr(at, word)); at += n)
		if (at[n] == '\n' && at > text && at[-1] == ' ')
			return true;
	return false;
}

/* What is wrong with what gsim says, or NULL. */
static const char *wrong_about(PairKind kind, int status, const char *out)
{
	bool first = !strncmp(out, "RESULTS DIFFER", 14), equal = strstr(out, "; results equal\n") ||
		strstr(out, "; results equal (");
	bool judged = has_line_end(out, "better") || has_line_end(out, "worse");
	switch (kind) {
	case PAIR_EQUAL:
		return status ? "equal results do not give status 0" : !equal ? "equal results are not said"
			: first ? "equal results are said to differ" : NULL;
	case PAIR_DIFFERS:
		return status != 1 ? "different results do not give status 1"
			: !first ? "that results differ is not the first line"
			: equal ? "different results are said to be equal"
			: judged ? "figures are judged though results differ" : NULL;
	default:
		return !status ? "a module that does not end well gives status 0"
			: equal ? "results of a module that does not end well are said to be equal"
			: judged ? "figures of a module that does not end well are judged" : NULL;
	}
}

static void write_module_text(const Pairs *p, const char *name, const StrBuf *text)
{
	char path[128];
	const char *why;
	snprintf(path, sizeof path, "%s/%s.ir", p->folder, name);
	must(file_write(path, text->s, text->n, &why));
}

/* Keeps a pair about which gsim is wrong. */
static void keep_pair(uint64_t seed, const StrBuf *a, const StrBuf *b)
{
	char path[64];
	const char *why;
	snprintf(path, sizeof path, "random-pair-%" PRIu64 "-a.ir", seed);
	if (file_write(path, a->s, a->n, &why))
		printf("  written to %s and -b.ir\n", path);
	snprintf(path, sizeof path, "random-pair-%" PRIu64 "-b.ir", seed);
	file_write(path, b->s, b->n, &why);
}

/* Tries the pair on the interpreter and, unless it races, on a mechanism. */
static bool try_gsim(Pairs *p, uint64_t seed, PairKind kind, const PairWay *way, bool racy)
{
	for (int k = 0; k < 2 - racy; k++) {
		StrBuf out = { 0 };
		int status = run_gsim(p, k ? way : NULL, &out);
		const char *wrong = wrong_about(kind, status, out.s ? out.s : "");
		if (wrong)
			printf("seed %" PRIu64 ", %s: status %d: %s\n", seed, k ? way->model : "reference",
				status, wrong);
		sb_free(&out);
		if (wrong)
			return false;
	}
	return true;
}

static bool pair_holds(Pairs *p, uint64_t seed)
{
	RandomParams params = RANDOM_DEFAULTS(seed);
	uint64_t rng = seed * 31 + 7;
	RandomKernel *k = random_kernel_new(&params);
	Module *second = second_module(k, seed, &rng);
	StrBuf a = { 0 }, b = { 0 };
	bool racy = false, good = true;
	if (second) {
		Job job = { k, k->module, { k->grid[0], k->grid[1], k->grid[2] } };
		job_print(&job, "", &a);
		job.module = second;
		job_print(&job, "", &b);
		write_module_text(p, "a", &a);
		write_module_text(p, "b", &b);
		const PairWay *way = &ways[seed % WAYS];
		PairKind kind = judge_pair(a.s, b.s, way, &racy);
		p->equal += kind == PAIR_EQUAL;
		p->differ += kind == PAIR_DIFFERS;
		p->broken += kind == PAIR_BREAKS;
		p->racy += racy;
		good = try_gsim(p, seed, kind, way, racy);
		if (!good)
			keep_pair(seed, &a, &b);
		module_free(second);
	}
	sb_free(&a);
	sb_free(&b);
	random_kernel_free(k);
	return good;
}

/* ---- the command line ---- */

static bool number(const char *s, uint64_t *out)
{
	char *end;
	*out = strtoull(s, &end, 0);
	return *s >= '0' && *s <= '9' && !*end;
}

static int check(Pairs *p, uint64_t seed, uint64_t count)
{
	uint64_t failed = 0, k = 0;
	snprintf(p->folder, sizeof p->folder, "/tmp/gsim-pairs-XXXXXX");
	must(mkdtemp(p->folder));
	for (; p->equal + p->differ + p->broken < count && failed < ENOUGH; k++) {
		failed += !pair_holds(p, seed + k);
		fflush(stdout);
	}
	char path[128];
	for (const char *name = "ab"; *name; name++) {
		snprintf(path, sizeof path, "%s/%c.ir", p->folder, *name);
		unlink(path);
	}
	rmdir(p->folder);
	printf("%" PRIu64 " pairs: %" PRIu64 " equal, %" PRIu64 " differ, %" PRIu64 " do not end well; %"
		PRIu64 " race; %" PRIu64 " runs of gsim, %" PRIu64 " failed\n", p->equal + p->differ +
		p->broken, p->equal, p->differ, p->broken, p->racy, p->runs, failed);
	return failed != 0;
}

static const char help[] =
	"pairs [options]: random pairs of modules; gsim -b must say of their results what the reference\n"
	"interpreter says. Pairs that it is wrong about are left in the current folder.\n"
	"  --count N   pairs; default: 200\n"
	"  --seed S    seed of the first; default: 1\n"
	"  --gsim FILE the program; default: ./gsim\n";

int main(int argc, char **argv)
{
	static const struct option options[] = { { "count", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 's' }, { "gsim", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 } };
	Pairs p = { .gsim = "./gsim" };
	uint64_t count = 200, seed = 1;
	bool ok = true;
	for (int c; ok && (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
		switch (c) {
		case 'c': ok = number(optarg, &count); break;
		case 's': ok = number(optarg, &seed); break;
		case 'g': p.gsim = optarg; break;
		case 'h': fputs(help, stdout); return 0;
		default: fputs("usage: pairs [options]; --help says more\n", stderr); return 2;
		}
	if (!ok || optind < argc || access(p.gsim, X_OK)) {
		fprintf(stderr, "pairs: wrong argument '%s'; --help says more\n", !ok ? argv[optind - 1]
			: optind < argc ? argv[optind] : p.gsim);
		return 2;
	}
	return check(&p, seed, count);
}
