/* generate WHAT PROGRAM DATADIR DOCDIR VERSION: writes what is installed beside the programs and made from
   their tables of options: man, bash, zsh, fish; and help, what --help shows. generate options lists all
   options. Runs while gsim is built, on the computer that builds it; it needs nothing of the library. */
#include "tools/usage/generate.h"
#include "tools/usage/compare.h"
#include <stdio.h>
#include <string.h>

extern const UsageProgram usage_gsim, usage_opt, usage_reduce, usage_sweep, usage_trace, usage_tune;
const UsageProgram *const usage_programs[] = { &usage_gsim, &usage_compare, &usage_opt, &usage_reduce,
	&usage_sweep, &usage_trace, &usage_tune, NULL };

static void write_help(const UsageProgram *p, const UsagePlaces *places, StrBuf *out)
{
	usage_help(p, out);
}

static const struct { const char *name; void (*write)(const UsageProgram *, const UsagePlaces *, StrBuf *); }
	kinds[] = { { "man", usage_man }, { "help", write_help }, { "bash", usage_bash }, { "zsh",
		usage_zsh }, { "fish", usage_fish } };

/* A line for each option of each program: the program, the letter or -, the name. */
static void write_letters(void)
{
	for (const UsageProgram *const *p = usage_programs; *p; p++)
		for (int i = 0; i < (*p)->nrows; i++) {
			const UsageRow *r = &(*p)->row[i];
			printf("%s %c %s\n", (*p)->name, r->letter < 128 ? r->letter : '-', r->name);
		}
}

int main(int argc, char **argv)
{
	StrBuf out = { 0 };
	if (argc == 2 && !strcmp(argv[1], "options")) {
		write_letters();
		return 0;
	}
	if (argc != 6) {
		fputs("usage: generate WHAT PROGRAM DATADIR DOCDIR VERSION | generate options\n", stderr);
		return 2;
	}
	UsagePlaces places = { argv[3], argv[4], argv[5] };
	for (const UsageProgram *const *p = usage_programs; *p; p++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			if (!strcmp(kinds[k].name, argv[1]) && !strcmp((*p)->name, argv[2]))
				kinds[k].write(*p, &places, &out);
	if (!out.n) {
		fprintf(stderr, "generate: there is no %s of %s\n", argv[1], argv[2]);
		return 2;
	}
	fputs(out.s, stdout);
	sb_free(&out);
	return 0;
}
