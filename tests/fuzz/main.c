/* gsim-fuzz: the fuzz targets as a program. Under AFL++ (compiled by afl-clang-fast, started by afl-fuzz)
 * inputs come through shared memory, many to a process; otherwise from files. doc/testing.md says how to use
 * it, and tools/fuzz does. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include "lib/diag.h"
#include "lib/file.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __AFL_FUZZ_TESTCASE_LEN
__AFL_FUZZ_INIT();
#endif

static const char help[] =
	"usage: gsim-fuzz TARGET FILE...                 runs each input; names the first that shows a "
	"fault\n"
	"       gsim-fuzz TARGET                         one input from standard input; under afl-fuzz, all "
	"that it makes\n"
	"       gsim-fuzz --mutate TARGET [COUNT [SEED [CASE]]]   mutations of the seeds, or one of them\n"
	"       gsim-fuzz --smoke                        of every target, as many as the test suite tries\n"
	"       gsim-fuzz --seeds TARGET FOLDER          writes the seeds as files\n"
	"       gsim-fuzz --dictionary TARGET            prints words for afl-fuzz -x\n"
	"       gsim-fuzz --list                         prints the targets\n"
	"Seeds come from the source tree: $srcdir, or the current folder.\n"
	"Exit status: 0, 1 when an input shows a fault, 2 after a wrong argument.\n";

/* ---- one input ---- */

static long peak_mib(void)
{
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	return r.ru_maxrss >> 10;
}

/* The input in memory of just its size, so that reading behind it is seen. */
static const char *run_case(const Target *t, const char *p, size_t n)
{
	char *exact = xmalloc(n ? n : 1);
	long before = peak_mib();
	if (n)
		memcpy(exact, p, n);
	const char *bad = t->run(n ? exact : exact + 1, n);
	free(exact);
	return !bad && peak_mib() - before > CASE_MIB ? "it took too much memory" : bad;
}

/* A case that takes longer dies of SIGPROF. It is the time of this process that counts: a busy host changes
   nothing. */
static void limit_time(int seconds)
{
	struct itimerval t = { .it_value.tv_sec = seconds };
	setitimer(ITIMER_PROF, &t, NULL);
}

static int run_stdin(const Target *t)
{
	const char *bad, *why;
	size_t n;
#ifdef __AFL_FUZZ_TESTCASE_LEN
	__AFL_INIT();
	unsigned char *buf = __AFL_FUZZ_TESTCASE_BUF;
	while (__AFL_LOOP(1000))
		if ((bad = run_case(t, (const char *)buf, (size_t)__AFL_FUZZ_TESTCASE_LEN))) {
			fprintf(stderr, "gsim-fuzz: %s: %s\n", t->name, bad);
			abort();
		}
	return 0;
#endif
	char *s = file_read("/dev/stdin", MOST_BYTES, &n, &why);
	bad = s ? run_case(t, s, n) : why;
	if (bad)
		fprintf(stderr, "gsim-fuzz: %s: %s\n", t->name, bad);
	free(s);
	return bad != NULL;
}

static int run_files(const Target *t, char **path)
{
	for (; *path; path++) {
		size_t n;
		const char *why, *bad;
		char *s = file_read(*path, MOST_BYTES, &n, &why);
		if (!s) {
			fprintf(stderr, "%s: error: %s\n", *path, why);
			return 2;
		}
		limit_time(CASE_SECONDS);
		bad = run_case(t, s, n);
		limit_time(0);
		free(s);
		if (bad) {
			fprintf(stderr, "gsim-fuzz: %s %s: %s\n", t->name, *path, bad);
			return 1;
		}
	}
	return 0;
}

/* ---- mutations, in a process of their own ---- */

/* between the process that runs and its parent */
typedef struct Shared { volatile uint64_t number; char bad[200]; } Shared;

static void run_mutants(const Target *t, const Corpus *c, uint64_t seed, uint64_t from, uint64_t to,
	Shared *sh)
{
	for (uint64_t k = from; k < to; k++) {
		sh->number = k;
		Bytes b = mutant(c, seed, k);
		limit_time(CASE_SECONDS);
		const char *bad = run_case(t, b.p, b.n);
		limit_time(0);
		free(b.p);
		if (bad) {
			snprintf(sh->bad, sizeof sh->bad, "%s", bad);
			exit(1);
		}
	}
	exit(0);
}

static void report(const Target *t, const Corpus *c, uint64_t seed, const Shared *sh, int status)
{
	char path[128];
	const char *why;
	Bytes b = mutant(c, seed, sh->number);
	snprintf(path, sizeof path, "fuzz-%s-%llu-%llu", t->name, (unsigned long long)seed,
		(unsigned long long)sh->number);
	if (!file_write(path, b.p, b.n, &why))
		fprintf(stderr, "%s: error: %s\n", path, why);
	free(b.p);
	fprintf(stderr, "gsim-fuzz: %s case %llu: %s (gsim-fuzz %s %s shows it again)\n", t->name,
		(unsigned long long)sh->number, *sh->bad ? sh->bad
		: WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF ? "it took too long"
		: "the process died", t->name, path);
}

static int mutate_target(const Target *t, const char *srcdir, uint64_t seed, uint64_t from, uint64_t to)
{
	Corpus c = { 0 };
	corpus_read(&c, t, srcdir);
	if (!c.n) {
		fprintf(stderr, "gsim-fuzz: no seeds for %s in %s; $srcdir names the source tree\n", t->name,
			srcdir);
		return 2;
	}
	Shared *sh = mmap(NULL, sizeof *sh, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(sh != MAP_FAILED);
	pid_t pid = fork();
	must(pid >= 0);
	if (!pid)
		run_mutants(t, &c, seed, from, to, sh);
	int status;
	must(waitpid(pid, &status, 0) == pid);
	bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (!ok)
		report(t, &c, seed, sh, status);
	munmap(sh, sizeof *sh);
	corpus_free(&c);
	return !ok;
}

/* ---- for tools/fuzz ---- */

static int write_seeds(const Target *t, const char *srcdir, const char *folder)
{
	Corpus c = { 0 };
	int status = 0;
	corpus_read(&c, t, srcdir);
	for (int k = 0; k < c.n && !status; k++) {
		StrBuf path = { 0 };
		const char *why;
		sb_printf(&path, "%s/seed-%04d", folder, k);
		if (!file_write(path.s, c.v[k].p, c.v[k].n, &why)) {
			fprintf(stderr, "%s: error: %s\n", path.s, why);
			status = 2;
		}
		sb_free(&path);
	}
	corpus_free(&c);
	return status;
}

static int print_dictionary(const Target *t, const char *srcdir)
{
	Corpus c = { 0 };
	corpus_read(&c, t, srcdir);
	fuzz_dictionary(t, &c, stdout);
	corpus_free(&c);
	return 0;
}

static int list(void)
{
	for (const Target *t = fuzz_targets; t->name; t++)
		printf("%-10s %s\n", t->name, t->help);
	return 0;
}

static int smoke(const char *srcdir)
{
	int status = 0;
	for (const Target *t = fuzz_targets; t->name; t++)
		status |= mutate_target(t, srcdir, 1, 0, t->smoke);
	return status;
}

static int usage(void)
{
	fputs(help, stderr);
	return 2;
}

static uint64_t number(char **argv, int argc, int k, uint64_t otherwise)
{
	return k < argc ? strtoull(argv[k], NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir"), *what = argc > 1 ? argv[1] : "";
	bool option = !strncmp(what, "--", 2);
	const Target *t = argc > 1 + option ? fuzz_target(argv[1 + option]) : NULL;
	if (!srcdir)
		srcdir = ".";
	if (!strcmp(what, "--list"))
		return list();
	if (!strcmp(what, "--smoke"))
		return smoke(srcdir);
	if (!strcmp(what, "--help"))
		return fputs(help, stdout) < 0;
	if (!t)
		return usage();
	if (!option)
		return argc > 2 ? run_files(t, argv + 2) : run_stdin(t);
	if (!strcmp(what, "--dictionary"))
		return print_dictionary(t, srcdir);
	if (!strcmp(what, "--seeds") && argc == 4)
		return write_seeds(t, srcdir, argv[3]);
	if (!strcmp(what, "--mutate")) {
		uint64_t n = number(argv, argc, 3, t->smoke), seed = number(argv, argc, 4, 1),
			from = number(argv, argc, 5, 0);
		return mutate_target(t, srcdir, seed, from, argc > 5 ? from + 1 : n);
	}
	return usage();
}
