/* What a launch measured. Every counter is a row of STATS: the JSON report, the text report, gsim-compare and
   --list statistics are made from the table. Counters of cycles count SM cycles; the rest are counts unless
   the row says otherwise.

   sim/record/ defines the records of a launch: counters, their laws and diagnoses, and writes them as JSON.
   It sees sim/config/ only. */
#ifndef GSIM_STATS_H
#define GSIM_STATS_H
#include "sim/config/config.h"
#include "sim/record/places.h"

/* S(field, "json.path", how, unit, help). how: the total of several launches, or of the SMs of a launch, is
   the sum of their counters (SUM) or the largest one (MAX). */
#define STATS(S) \
	S(cycles, "cycles", SUM, "cycles", "from a launch's first block to the end of its last block and " \
		"of its last access; in total, those in which a launch ran") \
	S(program_cycles, "program_cycles", MAX, "cycles", \
		"from the host's first call to the end of the launch, or of all launches") \
	S(grid_barriers, "grid_barriers", SUM, "openings", \
		"times that a barrier of the whole grid has opened") \
	S(warp_instructions, "warp_instructions", SUM, "instructions", \
		"instructions of the module issued, once for each group of lanes") \
	S(thread_instructions, "thread_instructions", SUM, "instructions", \
		"the same, counted for each lane whose guard holds") \
	S(lanes_useful, "lanes.useful", SUM, "lanes", "lanes that executed an issued instruction") \
	S(lanes_predicated_off, "lanes.predicated_off", SUM, "lanes", "active lanes whose guard was false") \
	S(lanes_inactive, "lanes.inactive", SUM, "lanes", \
		"lanes of the warp that were not in the group issued: the sum of the next three") \
	S(lanes_no_thread, "lanes.no_thread", SUM, "lanes", "of them: the warp has no thread there") \
	S(lanes_ended, "lanes.ended", SUM, "lanes", "of them: the thread had ended") \
	S(lanes_parted, "lanes.parted", SUM, "lanes", \
		"of them: the thread was elsewhere; the place where it parted is charged (lost)") \
	S(inserted_warp, "inserted.warp_instructions", SUM, "instructions", \
		"of warp_instructions: those that passes inserted") \
	S(inserted_thread, "inserted.thread_instructions", SUM, "instructions", \
		"of thread_instructions: those that passes inserted") \
	S(inserted_values, "inserted.values", SUM, "values", \
		"by the reference interpreter alone: values that instructions which passes inserted in " \
		"kernels have computed, moves apart") \
	S(inserted_unread, "inserted.unread", SUM, "values", \
		"of these: those that their thread never read; of speculative code motion, what it " \
		"computed for nothing") \
	S(overhead_warp, "overhead.warp_instructions", SUM, "instructions", \
		"issued besides: what lowering or the mechanism added") \
	S(overhead_thread, "overhead.thread_instructions", SUM, "instructions", "the same, per lane") \
	S(overhead_off, "overhead.predicated_off", SUM, "lanes", \
		"of those issues: active lanes whose guard was false") \
	S(overhead_no_thread, "overhead.no_thread", SUM, "lanes", "of those issues: lanes without a thread") \
	S(overhead_ended, "overhead.ended", SUM, "lanes", "of those issues: lanes whose thread had ended") \
	S(overhead_parted, "overhead.parted", SUM, "lanes", \
		"of those issues: lanes whose thread was elsewhere") \
	S(branches, "divergence.branches", SUM, "branches", "conditional and indexed branches issued") \
	S(divergent_branches, "divergence.divergent_branches", SUM, "branches", \
		"of them: lanes went different ways") \
	S(pushes, "divergence.pushes", SUM, "entries", "entries pushed on the mechanism's structure") \
	S(pops, "divergence.pops", SUM, "entries", "entries popped") \
	S(max_depth, "divergence.max_depth", MAX, "entries", "largest depth of any warp's structure") \
	S(depth_sum, "divergence.depth_sum", SUM, "entries", \
		"depth summed over issued instructions; mean_depth comes from it") \
	S(spills, "divergence.spills", SUM, "chunks", "chunks moved from the structure to memory") \
	S(fills, "divergence.fills", SUM, "chunks", "chunks moved back") \
	S(reconvergences, "divergence.reconvergences", SUM, "meetings", \
		"issues in which lanes of a warp were together again that had parted") \
	S(merges, "divergence.merges", SUM, "merges", \
		"groups that became one in the mechanism's structure, as it counts them") \
	S(noop_fetches, "divergence.noop_fetches", SUM, "fetches", "blocks fetched for no lane") \
	S(slots, "issue.slots", SUM, "cycles", "scheduler-cycles") \
	S(issued, "issue.issued", SUM, "cycles", "scheduler-cycles in which something issued") \
	S(global_loads, "memory.global_loads", SUM, "instructions", "warp-level loads from global memory") \
	S(global_stores, "memory.global_stores", SUM, "instructions", "warp-level stores to global memory") \
	S(shared_accesses, "memory.shared_accesses", SUM, "instructions", \
		"warp-level accesses to shared memory") \
	S(local_accesses, "memory.local_accesses", SUM, "instructions", \
		"warp-level accesses to local memory") \
	S(nonfaulting_loads, "memory.nonfaulting.loads", SUM, "instructions", \
		"warp-level loads marked nonfaulting, of any space; the group is left out where there are " \
		"none") \
	S(nonfaulting_lanes, "memory.nonfaulting.lanes", SUM, "lanes", "lanes of these") \
	S(nonfaulting_zero_loads, "memory.nonfaulting.zero_loads", SUM, "instructions", \
		"of the loads: those with a lane whose address is not mapped, or misaligned") \
	S(nonfaulting_zero_lanes, "memory.nonfaulting.zero_lanes", SUM, "lanes", \
		"of the lanes: those whose address is not mapped, or misaligned; they get 0") \
	S(atomics, "memory.atomics", SUM, "instructions", "warp-level atomic operations on global memory") \
	S(transactions, "memory.transactions", SUM, "sectors", \
		"sectors that the coalescer asked for: of L1 where it is looked up, else of L2") \
	S(shared_conflicts, "memory.shared_conflicts", SUM, "cycles", "extra cycles for bank conflicts") \
	S(constant_misses, "memory.constant_misses", SUM, "requests", "constant cache misses") \
	S(fetch_misses, "memory.fetch_misses", SUM, "requests", "instruction cache misses") \
	S(l1_accesses, "memory.l1.accesses", SUM, "L1 sectors", "sectors looked up in L1") \
	S(l1_hits, "memory.l1.hits", SUM, "L1 sectors", "found") \
	S(l1_merges, "memory.l1.merges", SUM, "L1 sectors", "already on their way") \
	S(l1_misses, "memory.l1.misses", SUM, "L1 sectors", \
		"asked of L2, as l1.sector_bytes / l2.sector_bytes sectors each") \
	S(l1_bypasses, "memory.l1.bypasses", SUM, "sectors", "sent to L2 without a look-up") \
	S(l1_writes, "memory.l1.writes", SUM, "sectors", "written through") \
	S(l1_atomics, "memory.l1.atomics", SUM, "sectors", "atomic requests sent to L2") \
	S(l1_other, "memory.l1.other", SUM, "sectors", \
		"instruction, constant and mechanism traffic with L2") \
	S(l2_requests, "memory.l2.requests", SUM, "sectors", "asked of L2 or written to it") \
	S(l2_replies, "memory.l2.replies", SUM, "sectors", \
		"of them: answered (loads, atomics) or absorbed (stores)") \
	S(l2_hits, "memory.l2.hits", SUM, "sectors", "found in L2, or on their way to it") \
	S(l2_misses, "memory.l2.misses", SUM, "sectors", "fetched from DRAM") \
	S(l2_allocations, "memory.l2.allocations", SUM, "sectors", "written whole, without a fetch") \
	S(l2_writebacks, "memory.l2.writebacks", SUM, "sectors", "dirty sectors written to DRAM") \
	S(l2_dirtied, "memory.l2.dirtied", SUM, "sectors", \
		"clean sectors of L2 that became dirty; what was not written back is dirty still") \
	S(dram_reads, "memory.dram.reads", SUM, "sectors", "sectors read") \
	S(dram_writes, "memory.dram.writes", SUM, "sectors", "sectors written") \
	S(dram_row_hits, "memory.dram.row_hits", SUM, "sectors", "of both: in the row that was open")

/* Why a scheduler issued nothing in a cycle: S(ID, "name", rank, colour, help). rank: how far a warp with
   this reason is from its next issue, 1 = nearest: a warp that waits for a unit has its operands, a warp that
   waits for operands has its instruction, and so on. If the warps of a scheduler wait for different reasons,
   the reason with the lowest rank is counted. No two reasons have the same rank. colour: in pictures. */
#define STALLS(S) \
	S(EMPTY, "no_warp", 13, "#ececec", "the scheduler has no warp (nothing resident, or all ended)") \
	S(FETCH, "instruction_fetch", 7, "#b08d57", "the next instruction is on its way from the " \
		"instruction cache") \
	S(BRANCH, "branch", 4, "#e7b416", "the front end refills after a branch") \
	S(DIVERGENCE, "divergence", 5, "#c8501e", "the divergence mechanism is busy (push, pop, spill, " \
		"fill, unwinding)") \
	S(DATA, "data", 3, "#2b8a3e", "an operand is being computed") \
	S(MEMORY, "memory", 6, "#8a2b85", "an operand is being loaded") \
	S(UNIT, "unit_busy", 1, "#8fd0c8", "the functional unit takes no instruction in this cycle") \
	S(MEMPIPE, "memory_pipe", 2, "#c77cb5", "the last access of the warp still waits for the " \
		"load/store unit") \
	S(BARRIER, "barrier", 10, "#444444", "threads wait at a block barrier") \
	S(GRID, "grid_barrier", 11, "#777777", "threads wait at a barrier of the whole grid") \
	S(WARPSYNC, "warp_sync", 9, "#ef8fa0", "lanes wait for other lanes of their warp") \
	S(SLEEP, "sleep", 8, "#b7d7a8", "nanosleep") \
	S(DRAIN, "drain", 12, "#a9b8c9", "ended warps wait for their outstanding memory accesses")

typedef enum {
#define S(ID, NAME, RANK, COLOUR, HELP) STALL_##ID,
	STALLS(S)
#undef S
	STALL_COUNT
} Stall;
extern const char *const stall_name[STALL_COUNT], *const stall_help[STALL_COUNT];

typedef struct StatInfo { const char *path; size_t offset; bool max; const char *unit, *help; } StatInfo;
extern const StatInfo stat_info[];
extern const int stat_count;
/* Figures of the rows in the lists of a report's launches and total. path: `list[].key`; NULL: the end. */
typedef struct RowStat { const char *path, *unit, *help; } RowStat;
extern const RowStat row_stats[];
int stat_better(const char *path);             /* 1: more is better, -1: less is, 0: neither */

/* Counters of an instruction. issues; useful: lanes of these issues for which the guard held; off: lanes for
   which the guard did not hold. */
typedef struct InsCount { uint64_t issues, useful, off; } InsCount;
typedef struct PartCount {
	uint64_t partings;             /* times that lanes of a warp have parted there */
	/* lane-slots charged to these partings: [0] of issues of the module's instructions, [1] of added
	   ones */
	uint64_t lost[2];
	/* cycles from each parting to the issue that has all its lanes together, except those that have
	   ended */
	uint64_t cycles;
} PartCount;
void ins_count_add(InsCount *, const InsCount *);
void part_count_add(PartCount *, const PartCount *);
static inline bool parted_any(const PartCount *p) { return p->partings || p->lost[0] || p->lost[1]; }

/* Where partings ended: the block in which the lanes issued together again. */
typedef struct MeetStats {
	/* function and label of the block as it ran; label NULL: the lanes met nowhere, but ended until one
	   group was left */
	const char *function, *label;
	/* place of the first instruction of the block at which lanes met; NULL, 0: it has none in the
	   source */
	const char *file; int line;
	uint64_t times;
} MeetStats;
typedef struct Meets { MeetStats *v; int n; } Meets;   /* a row for each block, the most frequent first */
/* Adds the rows of the second list to those of `to`. New rows and their texts are copied into the arena. */
void meets_add(Arena *, Meets *to, const Meets *);

/* What is counted for a mark that holds for some lanes only, or decides by a value (isa/ir.h). */
typedef struct MarkCount {
	uint64_t issues;               /* issues in which the mark held for some lanes */
	uint64_t lanes;                /* lanes for which it held, in all of these issues */
	/* marks of decisions: issues in which lanes decided differently; lanes that take the branch */
	uint64_t divergent, taken;
} MarkCount;

typedef struct BlockStats {
	const char *function, *label;
	/* where the block's first instruction stands in the source; NULL, 0: not known, or no instruction
	   is left at which the block begins */
	const char *file;
	int line;
	uint64_t fetches;      /* issues at which the source's block begins (isa/ir.h), once for each split */
	uint64_t threads;              /* lanes in these issues */
} BlockStats;

typedef enum { PART_BRANCH, PART_INDEXED, PART_CALL, PART_RETURN, PART_LOAD, PART_YIELD, PART_DECISION,
	PART_COUNT } PartKind;
extern const char *const part_name[PART_COUNT];

/* An instruction at which lanes may part: a branch of the module, or another instruction at which lanes have
   parted. Or, with PART_DECISION, the instruction that decides in place of a branch that a pass has removed;
   lanes do not part there. */
typedef struct BranchStats {
	PartKind kind;
	bool source;                   /* branches: it decides what a branch of the source decided */
	/* label: where `source` is true, label of the source's block that has the branch; else of the block
	   in which the instruction stands */
	const char *function, *label, *file;
	int line;
	PlaceList inlined;             /* if the instruction was inlined: its list of places (isa/ir.h) */
	/* branches only: issues; issues in which lanes went different ways; lanes in all issues; lanes that
	   took the branch */
	uint64_t executed, divergent;
	uint64_t lanes, lanes_taken;
	PartCount parted;
	Meets met;                     /* where these partings ended: the times add up to parted.partings */
} BranchStats;

typedef struct LineStats {             /* instructions of one place in the source */
	const char *function, *file;   /* function NULL: counts that belong to no instruction */
	int line;                      /* 0: instructions that come from no place in the source */
	PlaceList inlined;   /* innermost places of other functions' code that was inlined there, each once */
	InsCount count[2];             /* [0] of the module's instructions, [1] of added ones */
	InsCount inserted;             /* the part of count[0] that passes inserted */
	PartCount parted;
	uint64_t stalls[STALL_COUNT];
} LineStats;

/* One of two accesses that race (isa/races.h), or would race if two launches were one: its instruction, and a
   thread block that executed it. */
typedef struct RaceEnd {
	/* file NULL, line 0: the instruction has no place in the source */
	const char *function, *label, *file;
	int line;
	const char *access;            /* "reads", "writes", or "updates" for an atomic access */
	uint64_t block;                /* linear number of the thread block */
	PlaceList inlined;             /* if the instruction was inlined: its list of places (isa/ir.h) */
} RaceEnd;
typedef struct RaceStats {
	RaceEnd end[2];
	/* bytes for which both instructions race; for how many of these the order of the two
	   accesses makes no difference */
	uint64_t bytes, same;
	/* buffer and offset in bytes of the first of these bytes, for which end[].block holds; NULL: it lies
	   in no buffer of the host */
	const char *buffer;
	uint64_t offset;
} RaceStats;

enum { MODEL_STATS = 8 };
/* max: the total of several launches or SMs is the largest value; else it is the sum */
typedef struct ModelStat { const char *key; uint64_t value; bool max; } ModelStat;

typedef struct LaunchStats {
	const char *kernel;            /* all strings belong to the module or the arena of the run */
	uint32_t grid[3], block[3];
	int stream;                    /* 0: the default one */
	uint64_t launches;             /* 1, or how many launches were added up in this record */
	/* timed runs: the cycle in which the host called, and the cycle in which the first block began;
	   cycles are counted from the host's first call on */
	uint64_t called, started;
	bool timed, completed;         /* functional runs have no cycles and no stalls */
	/* every lane had issue slots of its own (ReconvModel.own_slots): utilisation is not defined */
	bool own_slots;
	bool reference;              /* run by the reference interpreter: only thread_instructions is known */
	int warp_size;
#define S(FIELD, ...) uint64_t FIELD;
	STATS(S)
#undef S
	/* cycle in which the last of the launch's traffic was done: answers, acknowledgements of stores,
	   writes to DRAM */
	Cycle quiet;
	uint64_t stalls[STALL_COUNT];
	uint64_t active_lanes[65];     /* issues by number of active lanes */
	uint64_t static_instructions, static_blocks, registers;
	/* threads that ended at a guarded exit, which is one instruction for a branch and an exit of the
	   source */
	uint64_t ended_at_branches;
	/* bytes of the kernel's frame, of each thread, that hold values for which there are no registers */
	uint64_t spilled;
	double occupancy;              /* resident warps / most warps an SM can hold */
	const char *occupancy_limit;   /* "warps", "blocks", "registers", "shared memory", "grid" */
	int nblocks, nbranches, npartings, nlines;
	BlockStats *block_stats;
	BranchStats *branch_stats;
	BranchStats *parting_stats;    /* other instructions at which lanes have parted */
	LineStats *line_stats;
	bool races_checked;
	int nraces;
	RaceStats *race_stats;
	/* number, from 1, of the launch before this one in its stream, with which the accesses of this one
	   were compared; 0: they were not compared */
	int behind;
	int nbetween;                  /* pairs of accesses that would race if both launches were one */
	RaceStats *between_stats;
	int nmodel;
	ModelStat model[MODEL_STATS];    /* the mechanism's own counters; their keys stand under divergence */
	/* why the launch can never end (sim/record/diagnosis.h), or NULL */
	const struct Diagnosis *diagnosis;
	double seconds;                /* host time */
} LaunchStats;

/* sim/record/json.c: stats_json writes a launch as one object; the others write keys of such an object: its
   counters, what its code takes, its tables of blocks, branches and lines. */
struct JsonSink;
void stats_json(const LaunchStats *, struct JsonSink *);
void stats_json_measured(const LaunchStats *, struct JsonSink *);
void stats_json_static(const LaunchStats *, struct JsonSink *);   /* the key `static` */
void stats_json_tables(const LaunchStats *, struct JsonSink *);
/* sim/record/races.c: races of the launch; writes nothing if the run did not look for them */
void stats_json_races(const LaunchStats *, struct JsonSink *);

uint64_t stat_get(const LaunchStats *, int i);              /* by index in stat_info */
bool stat_known(const LaunchStats *, int i);               /* false: this kind of run does not measure it */
/* Adds a launch's counters to a total, as sums or maxima. The tables of blocks, branches and lines are not
   added. */
void stats_add(LaunchStats *total, const LaunchStats *);
double stats_utilization(const LaunchStats *);
double stats_mean_depth(const LaunchStats *);
/* sim/record/laws.c. The conservation laws, for every launch that has ended: NULL when they hold, else a
   sentence that says which one does not (static buffer). */
const char *stats_conservation(const LaunchStats *, const Config *);
const char *stats_memory_law(const LaunchStats *, const Config *);  /* the laws of the memory system alone */
/* the law that nothing moves faster than its rate */
const char *stats_rate_law(const LaunchStats *, const Config *);
#endif
