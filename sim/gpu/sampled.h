/* Sampled launches (GpuOptions.sample). A functional run of the whole grid gives results and counts, and
   tells how much each block does; timed runs of rows of its blocks, on the full machine, tell how long
   that takes. doc/sampling.md has the method. */
#ifndef GSIM_SAMPLED_H
#define GSIM_SAMPLED_H
#include "sim/gpu/clock.h"
#include "sim/gpu/gather.h"
#include "sim/gpu/run.h"

/* ---- called by a run of a grid that has a log ---- */
/* Notes what the block did that has just ended, if one has, in a functional run. */
void sampled_note_block(const Gpu *, Grid *);
/* sampled_counts.c: what a launch's instructions have counted. The first counts that are added are those
   of the functional run; of others, which are timed, only what has to do with time is added. */
typedef struct SampledCounts { Arena arena; Counts counts; bool kept; } SampledCounts;
void sampled_add_counts(SampledCounts *, const Counts *);

/* ---- called by the machine ---- */
/* Runs the queue. */
bool sampled_run(Gpu *, Failure *);

/* ---- what the files of the subject use of each other ---- */
typedef struct Sampling {
	Gpu *gpu;
	Grid *grid;                    /* the launch */
	Grid before;                   /* as it was before it ran */
	MachineClock clock;            /* likewise */
	MemoryCopy *memory;            /* likewise */
	MemCopy *caches;               /* likewise */
	uint64_t blocks, wave;         /* wave: blocks that the machine can have resident at once */
	BlockWork *done;               /* [n]: the first n blocks together, by the functional run */
	/* blocks from which on parts may be timed, in ascending order, and what caches hold there, by the
	   functional run. The last one is for the end. */
	uint64_t *spot;
	MemCopy **held;
	int nspots;
	/* when the blocks of a wave get their places in a machine at rest, after the first of them: so do
	   those with which a part begins */
	Cycle *stagger;
	SampledCounts counts;
	Totals timed;                  /* the sum of the timed parts */
	uint64_t timed_blocks, timed_issues;
	Cycle start;                   /* the cycle in which the first block begins */
	const char *differs;           /* a timed part did not do what it did in the functional run: why */
	Arena arena;
} Sampling;

/* A row of blocks that runs alone: [from, to). begin: when each became resident; end: when all was over. */
typedef struct TimedPart {
	uint64_t from, to;
	const MemCopy *caches;         /* what caches hold before it */
	const Cycle *stagger;          /* [Sampling.wave], as in BlockLog */
	Cycle *begin, start, end;
	bool (*enough)(void *self, uint64_t n);        /* as in BlockLog */
	void *self;
} TimedPart;

/* sampled_parts.c */
bool sampled_functional(Sampling *, Failure *);
/* Runs the part, on the memory from before the launch; its writes are thrown away. part->to becomes less
   where `enough` says so. False: it failed, or did not do what its blocks did in the functional run. */
bool sampled_part(Sampling *, TimedPart *);
void sampled_put_back(Sampling *);     /* memory, clock and launch become those before the launch */
static inline uint64_t sampled_issues(const Sampling *s, uint64_t from, uint64_t to)
{
	return s->done[to].issues - s->done[from].issues;
}
/* sampled_order.c: why what the kernel does may depend on the order in which its blocks run; NULL:
   nothing says so. Static buffer. */
const char *sampled_depends_on_order(const Code *);
/* sampled_counts.c: makes the statistics of the whole from counts and parts, with so many cycles. */
void sampled_compose(Sampling *, Cycle cycles);
#endif
