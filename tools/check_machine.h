/* gsim --check-machine: what micro-benchmarks measure of a machine, beside what its file asks for and what
   has been published. */
#ifndef GSIM_CHECK_MACHINE_H
#define GSIM_CHECK_MACHINE_H
#include "tools/job.h"

/* Somebody's figure for a chip. seen: P, S or assumption, as in machine files. */
typedef struct PublishedFigure { double value; const char *chip, *seen, *source; } PublishedFigure;
/* A parameter on which a figure hangs, and its value. unit: "" of what has none. */
typedef struct FigureKey { const char *name, *value, *unit; } FigureKey;

typedef struct CheckedFigure {
	const char *name, *unit;
	Vec(FigureKey) key;
	Vec(PublishedFigure) published;
	/* what follows from the parameters alone */
	bool has_asked; double asked;
	bool measured; double value;
	/* a kernel or its process did not end well; else, the machine cannot do what is not measured */
	bool failed;
	const char *why;               /* not measured: why; NULL: it was not come to */
} CheckedFigure;

typedef struct CheckedMachine {
	const char *config;            /* the machine file; NULL: there is none */
	/* the machines of which published figures are, and whose compute capability has the guide's rates;
	   NULL: there are none */
	const char *published_of, *rates_of, *capability;
	Vec(CheckedFigure) figure;
	int measured;                  /* how many of them are */
} CheckedMachine;

int check_machine_run(Session *);      /* an exit status */

/* tools/check_machine_report.c */
void check_machine_text(const CheckedMachine *, StrBuf *);
void check_machine_csv(const CheckedMachine *, StrBuf *);
void check_machine_json(const CheckedMachine *, StrBuf *);
#endif
