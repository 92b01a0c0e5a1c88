/* Why a launch can never end: what livelock and deadlock reports say, for programs and for people. Strings and arrays live
 * in the arena of the launch's statistics. */
#ifndef GSIM_DIAGNOSIS_H
#define GSIM_DIAGNOSIS_H
#include "isa/launch.h"
#include "isa/lane.h"

typedef struct CodePlace { const char *function, *block, *file; int line; } CodePlace; /* file NULL, line 0: unknown */

typedef enum {
	STUCK_RUNS,                    /* not held back: it spins, or waits for memory */
	STUCK_BARRIER, STUCK_WARPSYNC, /* at a block barrier, at a warp-level operation */
	STUCK_HELD,                    /* the mechanism does not schedule it */
	STUCK_ENDED,
	STUCK_COUNT
} StuckHow;
extern const char *const stuck_name[STUCK_COUNT];

typedef struct StuckLanes {            /* lanes of a warp that are in the same situation */
	uint32_t block[3];
	int warp;
	Mask lanes;
	StuckHow how;
	CodePlace at;                  /* where they are, or go on */
	const char *in;                /* held: what holds them ("a stack entry"), or NULL */
	bool waits;                    /* held until `others` come to `until` */
	Mask others;
	CodePlace until;
} StuckLanes;

typedef struct StuckWord {
	Space space;                   /* global or shared */
	uint64_t address, offset, value; /* offset: in its buffer */
	unsigned bytes;
	const char *buffer;            /* or variable; may be NULL */
	int different;                 /* words that the lanes wait on */
} StuckWord;

enum { STUCK_MOST = 8 };
typedef struct Diagnosis {
	FaultKind kind;                /* FAULT_LIVELOCK, FAULT_BARRIER */
	StuckLanes who;                /* livelock: at = the branch that they come back to */
	uint64_t spinning;             /* lanes of the machine that do */
	bool reads;
	StuckWord word;                /* reads: what they wait for */
	bool written;                  /* by an atomic operation or a store that others are meant to see, in this launch */
	uint32_t thread[3];            /* written: the last thread that changed the word, */
	CodePlace by;                  /* ... where it did, */
	StuckLanes writer;             /* ... and where it is now (one lane) */
	int nheld;                     /* lanes that wait: of the warp, then of others */
	StuckLanes held[STUCK_MOST];
	uint64_t more;                 /* groups of lanes beyond these */
	uint32_t arrived, expected;    /* deadlock at a block barrier */
	const char *model, *holds;     /* the mechanism, and what it does not do, or NULL */
} Diagnosis;

struct StrBuf;
struct JsonSink;
void diagnosis_json(const Diagnosis *, struct JsonSink *);  /* sim/record/diagnosis_json.c: one object */
void diagnosis_text(const Diagnosis *, const char *kernel, struct StrBuf *);
#endif
