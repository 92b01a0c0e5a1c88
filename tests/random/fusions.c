/* fusions: random host programs before and after fusion of kernels. */
#include "lib/file.h"
#include "tests/random/fusions.h"
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
	"usage: fusions [options]\n"
	"Random host programs over random kernels, as they are and after fusion of kernels: the same memory "
	"under the reference interpreter and three mechanisms,\n"
	"never more launches, and no launches fused of which one block depends on another, as the accesses "
	"of the run show; --race-check finds these and no others.\n"
	"      --count N        programs (200)\n"
	"      --seed S         number of the first; the next ones follow (1)\n"
	"      --why            remarks of passes, too: how often each was made\n"
	"      --print          only print program S\n"
	"Exit status: 0 when all holds, 1 when not, 2 after a wrong argument.\n";

static bool number(const char *s, uint64_t *out)
{
	char *end;
	*out = strtoull(s, &end, 0);
	return *s >= '0' && *s <= '9' && !*end;
}

static void keep(uint64_t seed)
{
	char path[64];
	const char *why;
	FusionProgram p = fusion_program(seed);
	snprintf(path, sizeof path, "random-fusion-%" PRIu64 ".ir", seed);
	if (file_write(path, p.text.plain.s, p.text.plain.n, &why))
		printf("  written to %s\n", path);
	fusion_program_free(&p);
}

static int check(uint64_t seed, uint64_t count, bool why)
{
	enum { ENOUGH = 20 };
	uint64_t failed = 0;
	FusionTally t = { 0 };
	char text[2400];
	for (uint64_t k = 0; k < count && failed < ENOUGH; k++)
		if (!fusions_hold(seed + k, &t, text, sizeof text)) {
			printf("seed %" PRIu64 ": %s\n", seed + k, text);
			keep(seed + k);
			fflush(stdout);
			failed++;
		}
	fusion_tally_print(&t, why);
	printf("%" PRIu64 " launches; of %" PRIu64 " pairs with equal configurations %"
		PRIu64 " with a conflict between blocks\n", t.launches, t.pairs, t.illegal);
	printf("%" PRIu64 " programs, %" PRIu64 " of them racy, %" PRIu64 " runs, %" PRIu64 " failed%s\n",
		t.programs, t.racy, t.runs, failed, failed == ENOUGH ? " (stopped)" : "");
	fusion_tally_free(&t);
	return failed != 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "count", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 's' }, { "print", no_argument, NULL, 'p' },
		{ "why", no_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' }, { NULL, 0, NULL, 0 } };
	uint64_t count = 200, seed = 1;
	bool ok = true, print = false, why = false;
	for (int c; ok && (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
		switch (c) {
		case 'c': ok = number(optarg, &count); break;
		case 's': ok = number(optarg, &seed); break;
		case 'p': print = true; break;
		case 'w': why = true; break;
		case 'h': fputs(help, stdout); return 0;
		default: fputs("usage: fusions [options]; --help says more\n", stderr); return 2;
		}
	if (!ok || optind < argc) {
		fprintf(stderr, "fusions: wrong argument '%s'; --help says more\n",
			argv[ok ? optind : optind - 1]);
		return 2;
	}
	if (print) {
		FusionProgram p = fusion_program(seed);
		fputs(p.text.plain.s, stdout);
		fusion_program_free(&p);
		return 0;
	}
	return check(seed, count, why);
}
