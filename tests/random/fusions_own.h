/* Inside the trials of random host programs. */
#ifndef GSIM_FUSIONS_OWN_H
#define GSIM_FUSIONS_OWN_H
#include "tests/random/differential.h"
#include "tests/random/fusions.h"
#include <stdio.h>

enum { FUSION_WAYS = 4 };              /* of running: the reference interpreter first */
extern const char *const fusion_way[FUSION_WAYS];

typedef struct Trial {
	FusionProgram p;
	Noted noted;
	const Module *plain;           /* the program as it is */
	Run *want;                     /* the reference's run of the program as it is */
	FusionTally *tally;
	char *text;
	size_t room;
	bool failed;
} Trial;

/* Says what fails, the first time. */
#define FAIL(T, ...) ((T)->failed ? 0 : snprintf((T)->text, (T)->room, __VA_ARGS__), (T)->failed = true)

/* fusions_run.c. races: with the detector of races, whose findings are no failure here; after: what was done
   to the module, for messages. */
Run *fusion_execute(Trial *, const Module *, int way, bool races, const char *after);
void fusion_same_memory(Trial *, const Run *, int way, const char *after);
bool fusion_same_configuration(const LaunchStats *, const NotedLaunch *);

/* fusions_after.c: the module after passes of fusion, in several pipelines. */
void fusions_after(Trial *, const Module *);
#endif
