/* What the parts of gsim --sensitivity share: tools/sensitivity.c runs, tools/sensitivity_report.c shows. */
#ifndef GSIM_SENSITIVITY_OWN_H
#define GSIM_SENSITIVITY_OWN_H
#include "tools/job.h"

/* NOT_RUN: an interrupt came before, or its process ended; REFUSED: the machine cannot have the value;
   FAILED: the program did not end well. */
typedef enum { VARIED_NOT_RUN, VARIED_OK, VARIED_FAILED, VARIED_REFUSED } Varied;

/* One parameter with another value. */
typedef struct Variation {
	ConfigKey key;
	char name[CONFIG_NAME];
	int64_t from, to;
	uint64_t cycles[2];            /* of each side */
	Varied how;
	const char *results;           /* of two sides, as run_results says, once both have ended well */
} Variation;

typedef struct Sensitivity {
	Session *session;
	int sides;                     /* 1 or 2 */
	const char *name[2];           /* of the sides, for reports */
	bool empty;                    /* the machine was mostly empty without variations, on some side */
	uint64_t base[2];              /* cycles of the machine as it is */
	const char *results;           /* of two sides there, as run_results says */
	RunCompared compared;          /* what they are of */
	Vec(Variation) v;
	int zeros;                     /* parameters that are 0, of which there is no half and no double */
} Sensitivity;

/* The report as text, and the files of --stats. False: one cannot be written, with errors in the session's
   diag. */
void sensitivity_text(Sensitivity *, StrBuf *);
bool sensitivity_files(const Sensitivity *, const StrBuf *text);
#endif
