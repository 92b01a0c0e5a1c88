/* What the files of fusion share. */
#ifndef GSIM_FUSION_OWN_H
#define GSIM_FUSION_OWN_H
#include "passes/transform/fusion/fusion.h"
#include "passes/transform/fusion/values.h"

/* Two kernels to be fused, and what the host says of their launches. */
typedef struct Couple {
	const Function *kernel[2];
	const Ins *launch[2];
	HostPlace place;
	MemFacts facts;                /* grid and block, where the host's are numbers */
	/* by the kernel's parameter: that of the fused kernel; parameters that get the same value are one */
	int *param[2];
	int nparam;
	bool dynamic[2];               /* the kernel uses the shared memory whose size is given at launch */
	/* where that of the second one begins, counted from where that of the first one does: a number, */
	uint32_t begin;
	bool begin_given;              /* or the last parameter of the fused kernel */
	uint32_t begin_align;
	const Function *waits;         /* one that may wait for other blocks of its own; NULL: neither does */
	FusionBetween between;
	int barrier;                   /* number of the block barrier */
} Couple;

typedef struct Fused {
	Function *f;
	/* blocks before it in the function's list are of the first body, those behind it of the second one */
	Block *join;
} Fused;
/* Adds the fused kernel to the module, or to a view of it. */
Fused fusion_build(Module *, uint8_t origin, const Couple *, Arena *);

/* ---- bodies.c: what the bodies do, whatever memory they touch. Each returns NULL, or why the kernels are
   not fused: a clause in the arena. ---- */
const char *bodies_refuse(Couple *, const Module *, Arena *);

/* ---- depend.c ---- */
typedef struct Dependence {
	/* some block's second body may touch what another block's first body touches, and one of them
	   writes */
	bool between_blocks;
	bool in_block;               /* so may it what another thread of its own block's first body touches */
	Loc at[2];                     /* of the first dependence between blocks */
	const char *why;               /* a clause about it */
	unsigned assumed;              /* MEM_* that the answers rest on */
} Dependence;
void depend_find(Module *, const EffectTable *, const Couple *, const Fused *, unsigned allow, Dependence *,
	Arena *);
#endif
