/* Why a launch can never end: the content of livelock and deadlock reports, for programs and for people.
 * Strings and arrays live in the arena of the launch's statistics. */
#ifndef GSIM_DIAGNOSIS_H
#define GSIM_DIAGNOSIS_H
#include "isa/launch.h"
#include "isa/lane.h"
#include "sim/record/places.h"

/* file NULL, line 0: unknown; inlined: if the code was inlined, its list of places (isa/ir.h) */
typedef struct CodePlace { const char *function, *block, *file; int line; PlaceList inlined; } CodePlace;

typedef enum {
	STUCK_RUNS,                    /* nothing holds the lanes back: they spin, or wait for memory */
	STUCK_BARRIER, STUCK_WARPSYNC, /* the lanes wait at a block barrier, at a warp-level operation */
	STUCK_GRID,                    /* the lanes wait at the barrier of the grid */
	STUCK_HELD,                    /* the mechanism does not schedule the lanes */
	STUCK_ENDED,
	STUCK_COUNT
} StuckHow;
extern const char *const stuck_name[STUCK_COUNT];

typedef struct StuckLanes {            /* lanes of a warp that are in the same situation */
	uint32_t block[3];
	int warp;
	Mask lanes;
	StuckHow how;
	CodePlace at;                  /* where the lanes are, or where they go on when they are let run */
	const char *in;                /* STUCK_HELD: what holds them ("a stack entry"), or NULL */
	bool waits;                    /* the lanes are held until the lanes `others` come to `until` */
	Mask others;
	CodePlace until;
} StuckLanes;

typedef struct StuckWord {
	Space space;                   /* global or shared */
	uint64_t address, offset, value; /* offset: bytes from its buffer's begin */
	unsigned bytes;
	const char *buffer;            /* the buffer or variable that the word is in; NULL: it is in none */
	int different;                 /* number of words on which the lanes wait */
} StuckWord;

enum { STUCK_MOST = 8 };
typedef struct Diagnosis {
	FaultKind kind;                /* FAULT_LIVELOCK, FAULT_BARRIER */
	/* the lanes reported; livelock: at = the branch to which they come back */
	StuckLanes who;
	uint64_t spinning;             /* lanes of the whole machine that spin */
	bool reads;                    /* lanes that spin read memory on their way */
	StuckWord word;                /* reads: the word whose change the lanes wait for */
	/* in this launch the word was changed by an atomic operation or a store that others are meant to
	   see */
	bool written;
	uint32_t thread[3];            /* written: the last thread that changed the word, */
	CodePlace by;                  /* ... the instruction with which it did, */
	StuckLanes writer;             /* ... and the situation of that thread now (one lane) */
	int nheld;                     /* entries of held: lanes that wait, those of the warp first */
	StuckLanes held[STUCK_MOST];
	uint64_t more;                 /* groups of lanes that found no place in held */
	/* blocks of the grid; blocks that have not begun; blocks that have begun and not ended */
	uint64_t blocks, unbegun, resident;
	const char *limit;             /* what leaves no room for more blocks (Grid.limit) */
	/* in a deadlock at a barrier: threads that have arrived, threads for which the barrier waits */
	uint32_t arrived, expected;
	/* the mechanism, and why it may hold lanes for ever (StuckHooks.holds), or NULL */
	const char *model, *holds;
} Diagnosis;

struct StrBuf;
struct JsonSink;
void diagnosis_json(const Diagnosis *, struct JsonSink *);  /* sim/record/diagnosis_json.c: one object */
void diagnosis_text(const Diagnosis *, const char *kernel, struct StrBuf *);
#endif
