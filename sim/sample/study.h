/* How long a grid takes whose blocks are timed in part: stratified sampling with a ratio estimator.

   The grid's blocks stand in the order in which they get their places. What is estimated is the time from
   the place of one block to that of another one; these times add up to the time of the whole. A stretch is a
   row of blocks. Its work is known, from a functional run; its cycles are known where it was timed.

   sim/sample/ knows numbers only: no machine, no blocks. */
#ifndef GSIM_STUDY_H
#define GSIM_STUDY_H
#include <stdbool.h>
#include <stdint.h>

typedef struct Stretch {
	double work;                   /* issues: cycles are nearly in proportion to them */
	double mix;                    /* lanes that executed in an issue, on average */
	uint64_t key;                  /* of the stretches of a stratum that with the least is timed first */
	int stratum;
	bool timed;
	double cycles;                 /* if timed */
	double half[2];                /* the cycles of its first and of its second half, by work of 1 each */
} Stretch;

enum { MOST_STRATA = 6 };

typedef struct Study {
	Stretch *stretch;              /* all of them; none is timed */
	int n;
	Stretch *candidate;            /* some, chosen by chance, as long as these: they may be timed */
	int ncandidates;
	int strata;
	bool by_mix;                   /* strata differ in the mix; else in the work */
	double least[MOST_STRATA];     /* of what the stratum's stretches have, the least */
} Study;

typedef struct Estimate {
	bool known;                    /* every stratum has enough stretches that were timed */
	double cycles;                 /* of all stretches */
	/* With a probability of 95 % they differ from the truth by less than `half`, because others were not
	   timed; and by about `trend`, because the machine had not come to rest when its time was taken. */
	double half, trend;
	int timed;
} Estimate;

/* Sorts stretches and candidates into strata, alike in work and mix, and gives each candidate its key. */
void study_open(Study *, uint64_t seed);
uint64_t study_mix(uint64_t);   /* a number that looks like chance, and is the same each time */
Estimate study_estimate(const Study *);
/* The candidate to be timed next: one of the stratum whose timing makes the interval narrower by most; -1:
   all have been. */
int study_next(const Study *);
double study_quantile(double freedom);   /* 97.5 % of Student's distribution */
#endif
