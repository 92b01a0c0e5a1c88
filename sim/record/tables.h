/* The tables of a launch's statistics: each has a row for each place of the code. When launches are added up,
   rows of the same place become one; which rows these are, and how they are merged, is said for each kind of
   row in sim/record/tables.c, once. */
#ifndef GSIM_TABLES_H
#define GSIM_TABLES_H
#include "lib/hash.h"
#include "lib/vec.h"
#include "sim/record/places.h"
#include "sim/record/totals.h"

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
	uint64_t stalls[STALL_FIGURES];
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

/* T(name, type of a row, how its rows are merged) */
#define TABLES(T) \
	T(blocks, BlockStats, block_rows) \
	T(branches, BranchStats, branch_rows) \
	T(partings, BranchStats, branch_rows)  /* other instructions at which lanes have parted */ \
	T(lines, LineStats, line_rows) \
	T(races, RaceStats, race_rows)

typedef struct Tables {
#define T(NAME, ROW, KIND) struct { ROW *v; int n; } NAME;
	TABLES(T)
#undef T
} Tables;

/* A table to which others are added. since: for each row, the number of the launch that brought it. */
typedef struct RowSum { void *v; int n, cap; Vec(uint64_t) since; StrMap at; } RowSum;
/* Zero-initialise, but for the arena, which must live as long as the sums. */
typedef struct TableSums {
	Arena *arena;                  /* has the texts and lists to which rows point */
	Arena keys;
#define T(NAME, ROW, KIND) RowSum NAME;
	TABLES(T)
#undef T
} TableSums;

/* Adds the tables of a launch. launch: its number; those of later calls must not be smaller. */
void tables_add(TableSums *, const Tables *, uint64_t launch);
/* Adds n sums, with new rows in the order in which the launches have brought them. */
void tables_join(TableSums *to, TableSums *const *from, int n);
Tables tables_of(const TableSums *);     /* the sums so far; valid until the next one is added */
void tables_free(TableSums *);
#endif
