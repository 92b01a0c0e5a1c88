/* The machine description: one struct, filled from the defaults in config.def, a Lua file and -D overrides.

   sim/config/ describes the machine by numbers. It sees sim/sandbox/, which runs machine files; everything
   else in sim/ may see it. */
#ifndef GSIM_CONFIG_H
#define GSIM_CONFIG_H
#include "isa/ins.h"
#include "lib/hash.h"

typedef uint64_t Cycle;

/* A functional unit. count: its copies; per: PER_SM or PER_SCHEDULER; shares: 1 + the Unit whose copies it
   uses, 0 = it has its own; interval: cycles; the others: cycles until a reader of some kind has the
   result. */
typedef struct UnitConfig {
	int64_t count, per, shares, interval;
	int64_t latency, fma_latency, guard_latency, decoupled_latency;
} UnitConfig;

/* Policies of warp schedulers: X(ID, name). The parameter scheduler.policy says what they stand for
   (config.def); sim/sm/policies.c has pick_NAME, which picks a warp. */
#define SCHED_POLICIES(X) X(LRR, lrr) X(GTO, gto) X(TWO_LEVEL, two_level) X(OLDEST, oldest) \
	X(GTY, gty)
enum {
#define X(ID, NAME) SCHED_##ID,
	SCHED_POLICIES(X)
#undef X
	SCHED_COUNT
};
enum { PER_SM, PER_SCHEDULER };
enum { SPILL_MEMORY, SPILL_CONSTANT };
enum { LAYOUT_CANONICAL, LAYOUT_SOURCE };
enum { SCHEDULE_TURNS, SCHEDULE_BLOCK };
enum { BAR_ERROR, BAR_COUNT_WARP, BAR_PER_LANE, BAR_WHOLE_WARP };

/* MODEL_NAME: room for the name of a mechanism */
enum { MAX_MODELS = 32, MAX_MODEL_PARAMS = 24, MODEL_NAME = 32 };

typedef struct Config {
	int64_t warp_size, clock_mhz;
	int64_t launch_grid_barrier_block;
	int64_t launch_overhead, launch_latency, launch_dependent, launch_resident, launch_grid_barrier,
		launch_cold, launch_warm;
	int64_t sm_count, sm_max_warps, sm_max_blocks, sm_max_block, sm_registers, sm_max_regs, sm_reg_unit,
		sm_shared,
		sm_shared_unit, sm_max_shared, sm_block_launch, sm_local;
	int64_t sched_count, sched_policy, sched_width, sched_active;
	int64_t fetch_ins_bytes, fetch_bytes, fetch_line, fetch_ways, fetch_miss, fetch_redirect;
	UnitConfig unit[UNIT_COUNT];
	int64_t uniform_datapath, uniform_registers, uniform_latency;
	int64_t shared_banks, shared_bank_bytes, shared_latency, shared_conflict;
	int64_t barrier_latency, barrier_rate, barrier_warp;
	int64_t match_value, match_most, match_all, redux_add;
	int64_t fence_cta, fence_gpu, fence_sys, fence_empties_l1;
	int64_t l1_global, l1_bytes, l1_line, l1_sector, l1_ways, l1_latency, l1_mshrs, l1_merge, l1_queue;
	int64_t const_bytes, const_line, const_ways, const_latency;
	int64_t icnt_latency, icnt_width;
	int64_t l2_slices, l2_bytes, l2_line, l2_sector, l2_ways, l2_latency, l2_width, l2_atomic, l2_mshrs,
		l2_write_buffer;
	int64_t dram_channels, dram_banks, dram_row, dram_hit, dram_miss, dram_latency, dram_width;
	int64_t model, div_depth, div_chunk, div_spill, div_entry_bytes, bar_partial, late_linearize,
		guarded_exits;
	int64_t code_layout;
	int64_t functional_schedule;
	int64_t max_cycles, progress_cycles, memory_limit, print_limit;
	int64_t model_param[MAX_MODELS][MAX_MODEL_PARAMS]; /* [index of the mechanism][index in its params] */
} Config;

typedef enum { CT_INT, CT_BOOL, CT_ENUM } ConfigType;
typedef struct ConfigKey {         /* one row, of config.def or of a mechanism's table */
	const char *model;        /* a mechanism's row: its name, and the whole key is model.key; else NULL */
	const char *key;
	ConfigType type;
	/* where the parameter's int64_t is in Config; for mechanisms' rows config_key fills this in */
	size_t offset;
	int64_t value, least, most;    /* default and range */
	const char *choices;       /* CT_ENUM: names separated by | */
	const char *unit, *help;
} ConfigKey;

/* An operation that a mechanism has of its own. Lowering inserts it as OP_OWN, with its number in the
   mechanism's table as Ins.mode. */
typedef struct OwnOp {
	const char *name;          /* NULL: the mechanism has no operation of this number */
	/* a letter for each source. p: a predicate; -: a block, a register or a number */
	const char *operands;
	uint8_t unit;              /* Unit */
	/* lanes that execute the operation go on elsewhere; if it has no predicate, no lane comes to the
	   instruction behind it */
	bool leaves;
	const char *meaning;       /* a, b, c: the sources; d: the destination */
} OwnOp;

/* What it costs that lanes part at a branch and meet again: cycles for which the warp issues nothing because
   of that, redirection included, and operations that the mechanism issues beside the jump behind each
   side. */
typedef struct PartingCost { int64_t cycles, operations; } PartingCost;

/* What a mechanism keeps that parameters divergence.* move to memory: nothing; a stack, whose room
   divergence.depth gives; tables, whose room its own parameters give. SPILLS_UNKNOWN: its table does not
   say. */
typedef enum { SPILLS_UNKNOWN, SPILLS_NOTHING, SPILLS_STACK, SPILLS_TABLE } ModelSpills;

/* What the configuration and the command line need to know of a mechanism. */
#define MODEL_KEYS \
	const char *name, *help; \
	const char *source;            /* the paper that the mechanism follows */ \
	const ConfigKey *params;       /* key without the mechanism's name; model and offset unused */ \
	int nparams; \
	const OwnOp *own;              /* the mechanism's own operations; NULL: it has none */ \
	int nown; \
	/* parameters, as --model takes them, under which no lane that could run waits for ever; diagnoses \
	   of a livelock try them; NULL: there are none */ \
	const char *fair; \
	ModelSpills spills; \
	/* Optional, for passes that weigh branches: a branch with two sides, none of them empty, without \
	   what spills. NULL: two redirections. */ \
	PartingCost (*parting)(const Config *);
typedef struct ModelKeys { MODEL_KEYS } ModelKeys;
/* by index in the list of mechanisms (sim/reconv/list.c); NULL past the end */
const ModelKeys *model_keys(int model);
/* To be called when a mechanism is added to that list: divergence.model may have its name from now on. */
void config_name_model(const char *name);

/* Fills in row i of all parameters, those of mechanisms included. False: i is past the end. */
bool config_key(int i, ConfigKey *);
enum { CONFIG_NAME = 96 };
const char *config_key_name(const ConfigKey *, char name[CONFIG_NAME]);  /* with the mechanism's name */
bool config_find(const char *name, ConfigKey *);
/* Do keys begin with this name and a dot? */
bool config_is_group(const char *name);
int64_t config_get(const Config *, const ConfigKey *);
void config_nearest(const char *name, char near[CONFIG_NAME]);  /* the known key most like the name, or "" */
void config_defaults(Config *);
/* why the memory system cannot be built with this configuration, or NULL; config_check calls this, too */
const char *config_memory_refused(const Config *);
/* checks rules about several parameters: e.g. line sizes are multiples of sectors */
bool config_check(const Config *, Diag *);
/* Writes into each class of operations (UNITS, isa/ins.h) what it takes from its unit: where the class says
   nothing of its own, the copies, their number, the latency and the interval of the unit. */
void config_complete_units(Config *);
/* Checks the range and sets the value; where: the place for messages. */
bool config_put(Config *, const ConfigKey *, int64_t value, Loc where, Diag *);
bool config_put_name(Config *, const ConfigKey *, const char *choice, Loc where, Diag *);
/* Sets a key as -D does. */
bool config_set(Config *, const char *key, const char *value, Diag *);
/* Sets the mechanism and its parameters as --model does: NAME or NAME(key=value, ...); a key with a dot is a
   whole key. */
bool config_set_model(Config *, const char *spec, Diag *);
/* sim/config/machine_file.c: reads a whole configuration from a machine file, with derive(), over the
   defaults. The file is looked for as given, then in $GSIM_PATH, then in the data directory. The caller calls
   config_check, after config_set. */
bool config_load(Config *, const char *file, Diag *);
/* The same, and keeps the texts of all files that were read: the machine file itself, then those from which
   it derives. The texts may be NULL; the caller frees them. */
typedef struct MachineText {
	const char *path, *text;
	StrMap line;                   /* lines of values by their keys, as config_find_lines has them */
} MachineText;
/* What a machine file, by its number in `file`, has said of a figure by source(): at that place. */
typedef struct SaidSource { int file; const char *key, *comment, *path; int line; } SaidSource;
typedef struct MachineTexts { Arena arena; Vec(MachineText) file; Vec(SaidSource) said; } MachineTexts;
bool config_load_texts(Config *, const char *file, MachineTexts *, Diag *);
void config_free_texts(MachineTexts *);
/* sim/config/lines_of_keys.c: the line of a machine file's text where "a.b.c" gets its value, `a = { ... b =
   { ... c =`. The last one when there are several; 0 when the text has none of this form. */
int config_line(const char *text, const char *name);
/* The same of all names in the text that are assigned to, keys or not; their copies are in the arena. */
void config_find_lines(const char *text, Arena *, StrMap *);

/* sim/config/costs.c: tables for passes: what instructions cost on this machine, and for how many threads,
   registers and so on it has room */
struct CostTable;
struct CostTable config_costs(const Config *);
struct MachineLimits;
struct MachineLimits config_limits(const Config *);

/* sim/config/transform.c: runs a pipeline of passes on the module, with these tables of the machine. profile
   and log may be NULL. False: the text is wrong or a pass failed, and diag says why. */
struct Module;
struct Profile;
struct PassLog;
bool config_transform(const Config *, struct Module *, const char *passes, const struct Profile *,
	struct PassLog *, Diag *);

struct StrBuf;
/* sim/config/needs.c: Can the parameter change what a run on this machine, with its mechanism, computes or
   measures? False: it cannot, and why, if not NULL, gets the reason: "under ipdom (only its reads it)". What
   is not known to have no effect has one. MACHINE_ANY: nothing is known of the run, whose passes may weigh
   what it does not read itself; MACHINE_REFERENCE: by the reference interpreter. */
typedef enum { MACHINE_ANY, MACHINE_TIMED, MACHINE_FUNCTIONAL, MACHINE_REFERENCE } MachineRun;
bool config_has_effect(const Config *, const ConfigKey *, MachineRun, struct StrBuf *why);

/* sim/config/print.c */
void config_print(const Config *, struct StrBuf *); /* a machine file that gives exactly this configuration */
void config_print_value(const ConfigKey *, int64_t, struct StrBuf *);  /* the value as -D takes it */
void config_print_choices(const ConfigKey *, struct StrBuf *);         /* "a, b or c" */
/* A hash of every key with its value, mechanisms' included: equal configurations have equal hashes on every
   host. */
uint64_t config_hash(const Config *);
enum { CONFIG_HASH = 17 };
const char *config_hash_text(const Config *, char text[CONFIG_HASH]);  /* 16 hexadecimal digits */
/* Finds the next key, from number *i on, whose value differs between the two; *i moves behind that key.
   False: there is none. */
bool config_change(const Config *from, const Config *to, int *i, ConfigKey *);
/* Writes all keys whose values differ, with the values of `to`: "key=value key=value". */
void config_changes(const Config *from, const Config *to, struct StrBuf *);
#endif
