/* Inside the properties: a kernel and its runs. */
#ifndef GSIM_PROPERTIES_CASE_H
#define GSIM_PROPERTIES_CASE_H
#include "tests/random/properties.h"
#include <stdio.h>

enum { ANY, NO_CALLS, ACYCLIC, GRAPH, GRAPH_DAG, ARMS }; /* classes of kernels */
enum { HAS_CALLS = 1 << ANY | 1 << ARMS, FLOW = 1 << NO_CALLS | 1 << ACYCLIC | 1 << GRAPH | 1 << GRAPH_DAG,
	DAG = 1 << ACYCLIC | 1 << GRAPH_DAG,
	ALL = HAS_CALLS | FLOW };
enum { RUNS_MOST = 64 };

typedef struct Run {                   /* of the kernel under one mechanism */
	const char *model, *set;       /* set: "key=value" or "" */
	Probe probe;
	Outcome outcome;
	uint64_t fetches, threads, most; /* of all blocks; most: of one */
} Run;

typedef struct Case {
	uint64_t seed;
	RandomKernel *k;
	Outcome want;
	int n;
	Run run[RUNS_MOST];
	char *text;                    /* what fails */
	size_t room;
	uint64_t extra;                /* runs besides */
	bool failed;
} Case;

static inline unsigned long long ll(uint64_t v) { return v; }

/* Says what fails, the first time. */
#define FAIL(C, ...) ((C)->failed ? 0 : snprintf((C)->text, (C)->room, __VA_ARGS__), (C)->failed = true)

int model_index(const char *name);
/* Under the mechanism with the setting, once; NULL: it refuses the kernel, or a run has failed. */
const Run *case_run(Case *, const char *model, const char *set);

/* ---- properties_window.c ---- */
void windows(Case *);

/* ---- properties_text.c ---- */
void text_order(Case *);

/* ---- properties_places.c ---- */
void places(Case *);

/* ---- properties_passes.c ---- */
void sources(Case *);
void melding(Case *);
void again(Case *);
void cost(Case *);
void accesses(Case *);
#endif
