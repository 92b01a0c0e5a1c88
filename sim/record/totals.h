/* What a launch counted in a fixed number of totals. Every counter is a row of STATS: the JSON report, the
   text report, gsim-compare and --list statistics are made from the table. Counters of cycles count SM
   cycles; the rest are counts unless the row says otherwise.

   sim/record/ defines the records of a launch: totals, tables, their laws and diagnoses, and writes them as
   JSON. It sees sim/config/ only. */
#ifndef GSIM_TOTALS_H
#define GSIM_TOTALS_H
#include "sim/config/config.h"

/* S(field, "json.path", how, known, unit, help). how: the total of several launches, or of the SMs of a
   launch, is the sum of their counters (SUM) or the largest one (MAX). known: which runs measure it, a word
   of StatKnown without STAT_. */
#define STATS(S) \
	S(cycles, "cycles", SUM, TIMED, "cycles", \
		"from a launch's first block to the end of its last block " \
		"and of its last access; in total, those in which a launch ran") \
	S(program_cycles, "program_cycles", MAX, TIMED, "cycles", \
		"from the host's first call to the end of the launch, or of all launches") \
	S(grid_barriers, "grid_barriers", SUM, RUN, "openings", \
		"times that a barrier of the whole grid has opened") \
	S(warp_instructions, "warp_instructions", SUM, RUN, "instructions", \
		"instructions of the module issued, once for each group of lanes") \
	S(thread_instructions, "thread_instructions", SUM, ANY, "instructions", \
		"the same, counted for each lane whose guard holds") \
	S(uniform_warp, "uniform.warp_instructions", SUM, RUN, "instructions", \
		"of warp_instructions: those of the uniform datapath; the group is left out where there " \
		"are none") \
	S(lanes_useful, "lanes.useful", SUM, RUN, "lanes", "lanes that executed an issued instruction") \
	S(lanes_predicated_off, "lanes.predicated_off", SUM, RUN, "lanes", \
		"active lanes whose guard was false") \
	S(lanes_inactive, "lanes.inactive", SUM, GROUPS, "lanes", \
		"lanes of the warp that were not in the group issued: the sum of the next three") \
	S(lanes_no_thread, "lanes.no_thread", SUM, GROUPS, "lanes", "of them: the warp has no thread there") \
	S(lanes_ended, "lanes.ended", SUM, GROUPS, "lanes", "of them: the thread had ended") \
	S(lanes_parted, "lanes.parted", SUM, GROUPS, "lanes", \
		"of them: the thread was elsewhere; the place where it parted is charged (lost)") \
	S(inserted_warp, "inserted.warp_instructions", SUM, RUN, "instructions", \
		"of warp_instructions: those that passes inserted") \
	S(inserted_thread, "inserted.thread_instructions", SUM, RUN, "instructions", \
		"of thread_instructions: those that passes inserted") \
	S(inserted_values, "inserted.values", SUM, VALUES, "values", \
		"by the reference interpreter alone: values that instructions which passes inserted in " \
		"kernels have computed, moves apart") \
	S(inserted_unread, "inserted.unread", SUM, VALUES, "values", \
		"of these: those that their thread never read; of speculative code motion, what it " \
		"computed for nothing") \
	S(overhead_warp, "overhead.warp_instructions", SUM, RUN, "instructions", \
		"issued besides: what lowering or the mechanism added") \
	S(overhead_thread, "overhead.thread_instructions", SUM, RUN, "instructions", "the same, per lane") \
	S(overhead_off, "overhead.predicated_off", SUM, RUN, "lanes", \
		"of those issues: active lanes whose guard was false") \
	S(overhead_no_thread, "overhead.no_thread", SUM, GROUPS, "lanes", \
		"of those issues: lanes without a thread") \
	S(overhead_ended, "overhead.ended", SUM, GROUPS, "lanes", \
		"of those issues: lanes whose thread had ended") \
	S(overhead_parted, "overhead.parted", SUM, GROUPS, "lanes", \
		"of those issues: lanes whose thread was elsewhere") \
	S(branches, "divergence.branches", SUM, RUN, "branches", "conditional and indexed branches issued") \
	S(divergent_branches, "divergence.divergent_branches", SUM, RUN, "branches", \
		"of them: lanes went different ways") \
	S(pushes, "divergence.pushes", SUM, RUN, "entries", "entries pushed on the mechanism's structure") \
	S(pops, "divergence.pops", SUM, RUN, "entries", "entries popped") \
	S(max_depth, "divergence.max_depth", MAX, RUN, "entries", "largest depth of any warp's structure") \
	S(depth_sum, "divergence.depth_sum", SUM, RUN, "entries", \
		"depth summed over issued instructions; mean_depth comes from it") \
	S(spills, "divergence.spills", SUM, RUN, "chunks", "chunks moved from the structure to memory") \
	S(fills, "divergence.fills", SUM, RUN, "chunks", "chunks moved back") \
	S(reconvergences, "divergence.reconvergences", SUM, GROUPS, "meetings", \
		"issues in which lanes of a warp were together again that had parted") \
	S(merges, "divergence.merges", SUM, RUN, "merges", \
		"groups that became one in the mechanism's structure, as it counts them") \
	S(noop_fetches, "divergence.noop_fetches", SUM, RUN, "fetches", "blocks fetched for no lane") \
	S(slots, "issue.slots", SUM, TIMED, "cycles", "scheduler-cycles") \
	S(issued, "issue.issued", SUM, TIMED, "cycles", "scheduler-cycles in which something issued") \
	S(global_loads, "memory.global_loads", SUM, RUN, "instructions", \
		"warp-level loads from global memory") \
	S(global_stores, "memory.global_stores", SUM, RUN, "instructions", \
		"warp-level stores to global memory") \
	S(shared_accesses, "memory.shared_accesses", SUM, RUN, "instructions", \
		"warp-level accesses to shared memory") \
	S(local_accesses, "memory.local_accesses", SUM, RUN, "instructions", \
		"warp-level accesses to local memory") \
	S(nonfaulting_loads, "memory.nonfaulting.loads", SUM, RUN, "instructions", \
		"warp-level loads marked nonfaulting, of any space; the group is left out where there are " \
		"none") \
	S(nonfaulting_lanes, "memory.nonfaulting.lanes", SUM, RUN, "lanes", "lanes of these") \
	S(nonfaulting_zero_loads, "memory.nonfaulting.zero_loads", SUM, RUN, "instructions", \
		"of the loads: those with a lane whose address is not mapped, or misaligned") \
	S(nonfaulting_zero_lanes, "memory.nonfaulting.zero_lanes", SUM, RUN, "lanes", \
		"of the lanes: those whose address is not mapped, or misaligned; they get 0") \
	S(atomics, "memory.atomics", SUM, RUN, "instructions", \
		"warp-level atomic operations on global memory") \
	S(transactions, "memory.transactions", SUM, TIMED, "sectors", \
		"sectors that the coalescer asked for: of L1 where it is looked up, else of L2") \
	S(shared_conflicts, "memory.shared_conflicts", SUM, TIMED, "cycles", \
		"extra cycles for bank conflicts") \
	S(constant_misses, "memory.constant_misses", SUM, TIMED, "requests", "constant cache misses") \
	S(fetch_misses, "memory.fetch_misses", SUM, TIMED, "requests", "instruction cache misses") \
	S(l1_accesses, "memory.l1.accesses", SUM, TIMED, "L1 sectors", "sectors looked up in L1") \
	S(l1_hits, "memory.l1.hits", SUM, TIMED, "L1 sectors", "found") \
	S(l1_merges, "memory.l1.merges", SUM, TIMED, "L1 sectors", "already on their way") \
	S(l1_misses, "memory.l1.misses", SUM, TIMED, "L1 sectors", \
		"asked of L2, as l1.sector_bytes / l2.sector_bytes sectors each") \
	S(l1_bypasses, "memory.l1.bypasses", SUM, TIMED, "sectors", "sent to L2 without a look-up") \
	S(l1_writes, "memory.l1.writes", SUM, TIMED, "sectors", "written through") \
	S(l1_atomics, "memory.l1.atomics", SUM, TIMED, "sectors", "atomic requests sent to L2") \
	S(l1_other, "memory.l1.other", SUM, TIMED, "sectors", \
		"instruction, constant and mechanism traffic with L2") \
	S(l2_requests, "memory.l2.requests", SUM, L2, "sectors", "asked of L2 or written to it") \
	S(l2_replies, "memory.l2.replies", SUM, L2, "sectors", \
		"of them: answered (loads, atomics) or absorbed (stores)") \
	S(l2_hits, "memory.l2.hits", SUM, L2, "sectors", "found in L2, or on their way to it") \
	S(l2_misses, "memory.l2.misses", SUM, L2, "sectors", "fetched from DRAM") \
	S(l2_allocations, "memory.l2.allocations", SUM, L2, "sectors", "written whole, without a fetch") \
	S(l2_writebacks, "memory.l2.writebacks", SUM, L2, "sectors", "dirty sectors written to DRAM") \
	S(l2_dirtied, "memory.l2.dirtied", SUM, L2, "sectors", \
		"clean sectors of L2 that became dirty; what was not written back is dirty still") \
	S(dram_reads, "memory.dram.reads", SUM, DRAM, "sectors", "sectors read") \
	S(dram_writes, "memory.dram.writes", SUM, DRAM, "sectors", "sectors written") \
	S(dram_row_hits, "memory.dram.row_hits", SUM, DRAM, "sectors", "of both: in the row that was open")

/* ANY: every run. RUN: every run but those in the reference interpreter, to which alone VALUES belong.
   GROUPS: as RUN; but figures about lanes that an issue of their warp leaves out are not defined under a
   mechanism that gives every lane issue slots of its own (own_slots). TIMED: timed runs; so L2 and DRAM,
   which the memory system behind the SMs counts. */
typedef enum { STAT_ANY, STAT_RUN, STAT_VALUES, STAT_GROUPS, STAT_TIMED, STAT_L2, STAT_DRAM } StatKnown;
typedef struct StatInfo {
	const char *path;
	size_t offset;                 /* of its counter in Totals */
	bool max;
	StatKnown known;
	const char *unit, *help;
} StatInfo;
extern const StatInfo stat_info[];
extern const int stat_count;

/* Why a scheduler issued nothing in a cycle: S(ID, "name", rank, colour, help). rank: how far a warp with
   this reason is from its next issue, 1 = nearest: a warp that waits for a unit has its operands, a warp that
   waits for operands has its instruction, and so on. If the warps of a scheduler wait for different reasons,
   the reason with the lowest rank is counted. No two reasons have the same rank. colour: in pictures. */
#define STALLS(S) \
	S(EMPTY, "no_warp", 14, "#ececec", "the scheduler has no warp (nothing resident, or all ended)") \
	S(FETCH, "instruction_fetch", 8, "#b08d57", "the next instruction is on its way from the " \
		"instruction cache") \
	S(BRANCH, "branch", 4, "#e7b416", "the front end refills after a branch") \
	S(DIVERGENCE, "divergence", 5, "#c8501e", "the divergence mechanism is busy (push, pop, spill, " \
		"fill, unwinding)") \
	S(DATA, "data", 3, "#2b8a3e", "an operand is being computed") \
	S(MEMORY, "memory", 6, "#8a2b85", "an operand is being loaded") \
	S(UNIT, "unit_busy", 1, "#8fd0c8", "the functional unit takes no instruction in this cycle") \
	S(MEMPIPE, "memory_pipe", 2, "#c77cb5", "the last access of the warp still waits for the " \
		"load/store unit") \
	S(BARRIER, "barrier", 11, "#444444", "threads wait at a block barrier") \
	S(GRID, "grid_barrier", 12, "#777777", "threads wait at a barrier of the whole grid") \
	S(WARPSYNC, "warp_sync", 10, "#ef8fa0", "lanes wait for other lanes of their warp") \
	S(SLEEP, "sleep", 9, "#b7d7a8", "nanosleep") \
	S(DRAIN, "drain", 13, "#a9b8c9", "ended warps wait for their outstanding memory accesses") \
	S(FENCE, "fence", 7, "#5a6fb0", "a fence waits for the accesses that it orders")

typedef enum {
#define S(ID, NAME, RANK, COLOUR, HELP) STALL_##ID,
	STALLS(S)
#undef S
	STALL_COUNT
} Stall;
extern const char *const stall_name[STALL_COUNT], *const stall_help[STALL_COUNT];

/* The parts of STALL_MEMORY, by what has served the access whose data come last of those that the instruction
   waits for: L(ID, "name", help). If the run ends before that is known, the cycles are in no part. */
#define STALL_LEVELS(L) \
	L(L1, "l1", "the data were in L1") \
	L(L2, "l2", "the data were in L2, or beyond L1 no look-up has missed") \
	L(DRAM, "dram", "the data came from DRAM, or were on their way from there to L2") \
	L(ATOMIC, "atomic", "an atomic operation on global memory gave the value back") \
	L(SHARED, "shared", "shared memory, atomic operations on it too") \
	L(CONSTANT, "constant", "the constant cache, its misses and parameters too") \
	L(STORE, "store", "what is printed is being stored")

typedef enum {
#define L(ID, NAME, HELP) LEVEL_##ID,
	STALL_LEVELS(L)
#undef L
	LEVEL_COUNT
} MemoryLevel;
extern const char *const level_name[LEVEL_COUNT], *const level_help[LEVEL_COUNT];
/* Scheduler-cycles by reason, and behind them those of STALL_MEMORY by level, STALL_COUNT + LEVEL_... */
enum { STALL_FIGURES = STALL_COUNT + LEVEL_COUNT };

enum { MODEL_STATS = 8 };
/* max: the total of several launches or SMs is the largest value; else it is the sum */
typedef struct ModelStat { const char *key; uint64_t value; bool max; } ModelStat;

typedef struct Totals {
#define S(FIELD, ...) uint64_t FIELD;
	STATS(S)
#undef S
	/* cycle in which the last of the launch's traffic was done: answers, acknowledgements of stores,
	   writes to DRAM */
	Cycle quiet;
	uint64_t stalls[STALL_FIGURES];
	uint64_t active_lanes[65];     /* issues by number of active lanes */
	/* threads that ended at a guarded exit, which is one instruction for a branch and an exit of the
	   source */
	uint64_t ended_at_branches;
	/* Timed runs: how much of the machine the grid could use (sim/report/filled.h). sms_used: SMs that
	   had a block of it, of several launches the most. The other two are scheduler-cycles: times the
	   share of the machine's room for blocks that the grid fills, and times the share of schedulers to
	   which it brings a warp. */
	uint64_t sms_used, room_slots, reached_slots;
	int nmodel;
	ModelStat model[MODEL_STATS];    /* the mechanism's own counters; their keys stand under divergence */
	uint64_t launches;             /* how many launches were added up */
	/* GpuOptions.sample: launches of which a part was timed; blocks of these, and those of them that
	   were timed. The cycles are an estimate then. With a probability of 95 % the truth differs from
	   it by less than the root of `squares`, the sum of the squares of what each launch's may differ
	   by, and `bias` together. */
	uint64_t sampled, sampled_blocks, timed_blocks;
	double sample_squares, sample_bias;
	double seconds;                /* host time */
} Totals;

void totals_add(Totals *to, const Totals *);     /* adds the second's counters, as sums or maxima */
uint64_t stat_get(const Totals *, int i);                  /* by index in stat_info */
/* All figures of launches that have a name, those of stat_info, then the reasons for stalls and the
   levels of memory, by number.
   NULL: i is past the end. */
const StatInfo *figure_info(int i);
#endif
