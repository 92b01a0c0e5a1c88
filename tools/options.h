/* The command line of gsim.

   tools/ has the programs: thin fronts over the library, and scripts. It may include every folder; nothing
   includes it. */
#ifndef GSIM_OPTIONS_H
#define GSIM_OPTIONS_H
#include "lib/arena.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "sim/report/report.h"
#include "tools/user.h"
#include <stdbool.h>

/* whether the module runs on a real GPU: --on */
typedef enum { ON_GPU_NOT, ON_GPU_TOO, ON_GPU_ALONE } OnGpu;

typedef struct Options {
	Arena arena;
	const char *module;            /* its file, also where a kernel was named */
	const char *second;            /* the other module of --before-after; NULL: there is none */
	const char *kernel;            /* --new-workload's; NULL: the only one */
	int nargs; char **args;        /* the workload's */
	UserConfig user;
	const char *config, *config_by;        /* config_by: the user's file that chose it, or NULL */
	const char *workload, *trace, *html, *list, *profile, *record, *source;
	/* the one of --list, --new-workload, --print-config and --disassemble that is given, or NULL */
	const char *show;
	const char *by;                /* what a grid has a table of, too; NULL: of nothing more */
	const char *sensitivity;       /* what is varied; "": assumptions; NULL: it is not asked for */
	/* figures, parameters and groups that are measured; "": all figures; NULL: it is not asked for */
	const char *check_machine;
	Vec(const char *) set;         /* key=value, in order */
	Vec(const char *) model, passes, stats, files, load;
	Vec(char *) split;             /* texts of `model` that were written as one list */
	bool before_after, grid, functional, reference, verify, verify_each, remarks, pass_stats, laws, races,
		no_profile, race_launches, print_config, new_workload, disassemble, alone, all, sums, quiet,
		verbose;
	bool trial;                    /* a point of gsim-sweep: a run that saves, prints and tells nothing */
	Annotate annotate;
	RunSize size;                  /* SIZE_NONE = not given */
	OnGpu on;
	int launch_seconds;            /* 0 = not given */
	double sample;                 /* by which share sampled cycles may be wrong; 0 = none are sampled */
	int sample_seed;               /* 0 = not given */
	bool bisects; int bisect;      /* passes make only so many changes */
	int threads, window, interval; /* window, interval: 0 = not given */
} Options;

/* What is to happen after the command line was read. */
typedef enum { OPT_RUN, OPT_DONE, OPT_ERROR } OptResult; /* DONE: --help or --version was printed */

typedef enum { STATS_JSON, STATS_TEXT, STATS_CSV, STATS_SVG, STATS_KINDS } StatsKind;
StatsKind stats_kind(const char *path);  /* by how its name ends; STATS_KINDS: in none of the ways known */

OptResult options_parse(Options *, int argc, char **argv);
void options_free(Options *);
void options_list(StrBuf *);           /* the table of options, as --help shows it */
bool options_lists_kernels(const Options *); /* --list kernels: of a MODULE */
bool options_lists_sizes(const Options *);   /* --list sizes: of the MODULE's workload */
bool options_lists_figures(const Options *); /* --list figures: of the machine file of --config */
#endif
