/* The plan of a sweep: axes with their values, and the points that they span.

   An axis is something that varies: the module, the machine, the mechanism, the pipeline, the arguments
   of the workload, its size, a parameter of the machine, or a variable, whose values stand in the
   others' texts as {NAME}. A point has one value of each axis. Points are numbered from 0, the value of
   the last axis changing fastest, and are made when they are asked for, so that a plan of very many
   takes no memory. */
#ifndef GSIM_SWEEP_PLAN_H
#define GSIM_SWEEP_PLAN_H
#include "lib/diag.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "sim/host/run.h"
#include "sim/sandbox/sandbox.h"

/* in the order of the columns of tables; AXIS_VARIABLE and AXIS_PARAMETER in the order in which they are
   given */
typedef enum { AXIS_MODULE, AXIS_MACHINE, AXIS_MECHANISM, AXIS_PASSES, AXIS_ARGUMENTS, AXIS_SIZE,
	AXIS_PARAMETER, AXIS_VARIABLE } AxisKind;

typedef struct Axis {
	AxisKind kind;
	const char *name;              /* of the column: "module", "l1.bytes", "n" */
	Vec(const char *) value;
	/* of AXIS_MODULE: those values, from the first one on, that a plan's file names; they may lead
	   nowhere but below its folder */
	int first_planned, planned;
	int function;  /* a function of Lua that gives the only value of a point, in the registry; 0: none */
} Axis;

enum { PLAN_MOST_AXES = 64, PLAN_MOST_ARGUMENTS = 256 };
/* Most points of a plan, and most values of an axis. */
enum { PLAN_MOST_POINTS = 10000000, PLAN_MOST_VALUES = 1000000 };

/* What a value of AXIS_MODULE means: a file, how tables call it, and the folder of kernels, if it is one. */
typedef struct PlanModule { const char *file, *shown, *folder; } PlanModule;

/* What all points of a plan have in common stands here, too. */
typedef struct Plan {
	Arena arena;
	Sandbox lua;                   /* has `when` and the functions of axes; lua.L NULL: there are none */
	Vec(Axis) axis;                /* sorted by kind once plan_complete was called */
	const char *file;              /* of the plan; NULL: there is none */
	const char *folder;            /* that of the file, "" or with a slash at its end */
	int when;                      /* a function of Lua in the registry, 0: every point is wanted */
	const char *workload;          /* NULL: each module's own */
	Vec(const char *) files, load; /* folders for the workload's files; plug-ins */
	const char *source;
	const char *inputs;            /* copies of files stand here (tools/sweep/inputs_copy.h), or NULL */
	Vec(const char *) statistic;   /* columns of tables; empty: the usual ones */
	bool functional;
	Vec(PlanModule) module;        /* those that plan_module has found so far, by value */
	StrMap module_at;
	uint64_t points;               /* the product of the axes; `when` may refuse some */
} Plan;

/* A point: its value on each axis, with variables put in, and what they mean, of the module the file. It
   lives as long as its arena. */
typedef struct Point {
	uint64_t number;
	const char *value[PLAN_MOST_AXES];
	const char *module, *machine, *mechanism, *passes;  /* machine, mechanism: "" = the default */
	const char *kernels; /* the folder of kernels in which the module was found by its name, or NULL */
	int nargs;
	char **args;
	RunSize size;                  /* SIZE_NONE: none is asked for */
} Point;

/* The axis of that kind and name; it is added if there is none. */
Axis *plan_axis(Plan *, AxisKind, const char *name);
/* Adds the values that a text names: "a,b,c", where commas in brackets divide nothing, "from:to",
   "from:to:step" and "from:to:*factor" with decimal numbers. whole: the text is one value. what: for
   messages, such as "--set l1.bytes". False: the text is wrong. */
bool plan_values(Plan *, Axis *, const char *text, const char *what, Diag *);
/* Puts arguments of a workload into one text, as values of AXIS_ARGUMENTS are. */
const char *plan_arguments(Arena *, char *const *args, int n);
/* The arguments of such a text; returns how many there are, at most PLAN_MOST_ARGUMENTS. */
int plan_split_arguments(Arena *, const char *value, char **args);
/* tools/sweep/plan_lua.c: reads a plan from a Lua file, and a condition from the command line. */
bool plan_read(Plan *, const char *path, Diag *);
bool plan_when(Plan *, const char *expression, Diag *);
/* A size of workloads by its name; SIZE_NONE: an error, in diag. */
RunSize plan_size(const char *name, Diag *);
/* Orders the axes, counts points and checks names in braces. False: something is missing or wrong. */
bool plan_complete(Plan *, Diag *);
void plan_free(Plan *);

/* Makes point number i. False: an error, in diag. *wanted false: `when` refuses the point. */
bool plan_point(Plan *, uint64_t i, Arena *, Point *, bool *wanted, Diag *);
/* tools/sweep/plan_lua.c, for plan_point: what functions of Lua say of a point. */
bool plan_derive(Plan *, Point *, Arena *, Diag *);
bool plan_wants(Plan *, const Point *, bool *wanted, Diag *);

/* tools/sweep/modules.c, for plan_point: planned: a plan's file names the module, which leads nowhere but
   below its folder, or to a kernel. NULL: it may not be read, and diag says why. */
const PlanModule *plan_module(Plan *, const char *value, bool planned, Diag *);

/* The arguments as a person writes them, with blanks between. */
const char *plan_shown(Arena *, const Axis *, const char *value);
/* The command that runs the point by itself. */
void plan_command(const Plan *, const Point *, StrBuf *);
/* A text as a shell takes it: quoted if need be. */
void put_shell_word(StrBuf *, const char *);
#endif
