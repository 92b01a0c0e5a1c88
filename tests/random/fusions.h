/* Random host programs over random kernels, for fusion of kernels.
 *
 * Each program is two texts that do the same: one for passes and runs, and one whose kernels note every
 * access to device memory. What launches depend on is read off the notes, by brute force: it rests on no
 * analysis. */
#ifndef GSIM_FUSIONS_H
#define GSIM_FUSIONS_H
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "sim/host/run.h"

enum { FUSION_KERNELS = 6, FUSION_BUFFERS = 6, FUSION_BYTES = 2048, FUSION_THREADS = 96,
	FUSION_NOTES = 24000 };

/* The two texts while they are made: plain, and with notes. */
typedef struct FusionText { StrBuf plain, noting; } FusionText;

typedef struct FusionKernel {
	char name[8];                  /* k0, k1, ...: no name is another's beginning behind `_` */
	int buffers;                   /* parameters p0, p1, ...; behind them n and k */
	bool plane;                    /* it is meant for grids and blocks with y, too */
	bool dynamic;                  /* it uses dynamic shared memory, four bytes for each thread */
} FusionKernel;

typedef struct FusionProgram {
	uint64_t seed;
	FusionText text;
	FusionKernel kernel[FUSION_KERNELS];
	int nkernel;
} FusionProgram;

uint64_t fusion_random(uint64_t *state, unsigned n); /* 0 .. n - 1 */
/* Appends kernel number k to the texts. tests/random/fusions_kernel.c */
FusionKernel fusion_kernel(FusionText *, int k, uint64_t *rng);
/* tests/random/fusions_program.c; the caller frees. */
FusionProgram fusion_program(uint64_t seed);
void fusion_program_free(FusionProgram *);

/* ---- what launches do, by brute force: tests/random/fusions_notes.c ---- */

typedef enum { NOTE_READ = 1, NOTE_WRITE = 2, NOTE_ATOMIC = 4 } NoteKind;
/* epoch: barriers that the thread has passed */
typedef struct Note { uint64_t addr; uint8_t bytes, kind; uint32_t block, thread, epoch; } Note;

typedef struct NotedLaunch {
	char kernel[8];
	uint32_t grid[3], block[3];
	int stream;
	int first, n;                  /* its notes */
	bool racy;                     /* its own result may depend on the order of its threads */
	bool race;                     /* of different blocks; two atomic operations do not race */
} NotedLaunch;

typedef struct Noted {
	Vec(Note) note;
	Vec(NotedLaunch) launch;
	bool racy;                     /* some launch is */
	char text[400];                /* why the program did not run; "" */
} Noted;

void fusion_notes(const FusionProgram *, Noted *);
void fusion_notes_free(Noted *);

/* Of launches a and b: a byte that one block of the one writes is touched by another block of the other
   (race: not by two atomic operations); and the same for two threads of one block. */
typedef struct FusionConflict { bool grid, race, block; uint64_t addr; } FusionConflict;
FusionConflict fusion_conflict(const Noted *, int a, int b);

/* ---- tests/random/fusions_run.c ---- */

/* Each program comes through these pipelines; what stands behind and before them, and options, are random in
   the last three. */
typedef enum { FUSION_TRAD, FUSION_BKF, FUSION_FKF, FUSION_KFCM, FUSION_OPTIONS, FUSION_NO_GRID_SYNC,
	FUSION_AMONG, FUSION_VARIANTS } FusionVariant;
typedef struct FusionCount { const char *text; uint64_t n; } FusionCount; /* text: of the heap */

typedef struct FusionTally {
	/* racy: the result depends on the order of threads, so memory is not compared */
	uint64_t programs, racy, runs;
	uint64_t launches;             /* executed, of the programs as they are */
	/* launches one behind the other with equal configuration; of them those with a conflict between
	   blocks */
	uint64_t pairs, illegal;

	struct FusionWayTally {
		uint64_t programs, changed;    /* fused: at least one pair in the text */
		uint64_t executed, fused;      /* launches after fusion; of them those of fused kernels */
		uint64_t whole;         /* fused launches of kernels that have all accesses of their bodies */
		uint64_t before;               /* launches of the same programs as they are */
		/* fused launches whose bodies conflict: only with a barrier of the grid, or where no
		   dependence is assumed */
		uint64_t conflicts;
		uint64_t barriers;             /* fused launches that have barriers of the grid */
		/* fused launches in which --race-check finds races that neither launch has by itself */
		uint64_t races;
		/* those in which it finds none, though the launches conflict: accesses for nobody have been
		   removed */
		uint64_t missed;
	} by[FUSION_VARIANTS];
	StrMap what, why;             /* position in count, by what passes say that they did, and by remark */
	Vec(FusionCount) count;
} FusionTally;
void fusion_count(FusionTally *, const char *what, uint64_t n);
void fusion_count_remark(FusionTally *, const char *pass, const char *text);
void fusion_tally_print(const FusionTally *, bool why); /* why: the remarks, too */
void fusion_tally_free(FusionTally *);

/* Program number `seed`. False: text says what does not hold. */
bool fusions_hold(uint64_t seed, FusionTally *, char *text, size_t n);
#endif
