/* What a launch measured: totals, which are a fixed number of counters, and tables, which have a row for each
   place of the code. */
#ifndef GSIM_STATS_H
#define GSIM_STATS_H
#include "sim/record/tables.h"
#include "sim/record/totals.h"

typedef struct LaunchStats {
	const char *kernel;            /* all strings belong to the module or the arena of the run */
	uint32_t grid[3], block[3];
	int stream;                    /* 0: the default one */
	/* timed runs: the cycle in which the host called, and the cycle in which the first block began;
	   cycles are counted from the host's first call on */
	uint64_t called, started;
	bool timed, completed;         /* functional runs have no cycles and no stalls */
	/* every lane had issue slots of its own (ReconvModel.own_slots): utilisation is not defined */
	bool own_slots;
	bool reference;              /* run by the reference interpreter: only thread_instructions is known */
	bool races_checked;
	/* GpuOptions.sample: why the launch was timed whole nevertheless; NULL: it was not, or nobody
	   asked for less */
	const char *whole;
	int warp_size;
	uint64_t static_instructions, static_blocks, registers;
	uint64_t uniform_registers;    /* that a warp has for values of the uniform datapath */
	/* bytes of the kernel's frame, of each thread, that hold values for which there are no registers */
	uint64_t spilled;
	double occupancy;              /* resident warps / most warps an SM can hold */
	const char *occupancy_limit;   /* "warps", "blocks", "registers", "shared memory", "grid" */
	Totals totals;
	Tables tables;
	/* number, from 1, of the launch before this one in its stream, with which the accesses of this one
	   were compared; 0: they were not compared */
	int behind;
	int nbetween;                  /* pairs of accesses that would race if both launches were one */
	RaceStats *between_stats;
	/* why the launch can never end (sim/record/diagnosis.h), or NULL */
	const struct Diagnosis *diagnosis;
} LaunchStats;

/* Figures of the rows in the lists of a report's launches and total. path: `list[].key`; NULL: the end. */
typedef struct RowStat { const char *path, *unit, *help; } RowStat;
extern const RowStat row_stats[];
int stat_better(const char *path);             /* 1: more is better, -1: less is, 0: neither */
bool stat_known(const LaunchStats *, int i);               /* false: this kind of run does not measure it */

/* sim/record/json.c: stats_json writes a launch as one object; the others write keys of such an object: its
   counters, what its code takes, its tables of blocks, branches and lines. */
struct JsonSink;
void stats_json(const LaunchStats *, struct JsonSink *);
void stats_json_measured(const LaunchStats *, struct JsonSink *);
void stats_json_static(const LaunchStats *, struct JsonSink *);   /* the key `static` */
void stats_json_tables(const LaunchStats *, struct JsonSink *);
/* sim/record/races.c: races of the launch; writes nothing if the run did not look for them */
void stats_json_races(const LaunchStats *, struct JsonSink *);

/* GpuOptions.sample: by how much the cycles may be wrong with a probability of 5 %; 0: they are measured */
double stats_within(const Totals *);
uint64_t stats_low(const Totals *);    /* the least that the cycles may be then */
double stats_utilization(const LaunchStats *);
double stats_mean_depth(const LaunchStats *);
/* sim/record/laws.c. The conservation laws, for every launch that has ended: NULL when they hold, else a
   sentence that says which one does not (static buffer). */
const char *stats_conservation(const LaunchStats *, const Config *);
const char *stats_memory_law(const Totals *, const Config *);  /* the laws of the memory system alone */
/* the law that nothing moves faster than its rate */
const char *stats_rate_law(const Totals *, const Config *);
#endif
