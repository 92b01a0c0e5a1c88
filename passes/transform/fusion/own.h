/* What the files of fusion share. */
#ifndef GSIM_FUSION_OWN_H
#define GSIM_FUSION_OWN_H
#include "passes/transform/fusion/fusion.h"
#include "passes/transform/fusion/values.h"

/* Two kernels to be fused, and what is known from the host function of their launches. */
typedef struct Couple {
	const Function *kernel[2];
	const Ins *launch[2];
	HostPlace place;               /* where both launches are taken to stand */
	MemFacts facts;                /* extents of grid and block; 0 where the launches have no number */
	int64_t warp_size;             /* threads of a warp of the machine */
	/* by parameter of the kernel: number of the fused kernel's parameter that gets its value; parameters
	   that get the same value share one */
	int *param[2];
	/* number of the fused kernel's parameters, without the one that begin_given adds */
	int nparam;
	/* the kernel uses dynamic shared memory: that whose size is given at the launch */
	bool dynamic[2];
	/* if both kernels use dynamic shared memory: bytes from the begin of the first one's to the begin of
	   the second one's */
	uint32_t begin;
	/* that distance is no number: the fused kernel gets it as its last parameter */
	bool begin_given;
	uint32_t begin_align;          /* alignment of the second one's dynamic shared memory, in bytes */
	/* the kernel of the two that may wait for other blocks of its grid; NULL: neither may */
	const Function *waits;
	FusionBetween between;
	int barrier;                   /* number of the block barrier at the join */
} Couple;

typedef struct Fused {
	Function *f;
	/* blocks that stand before the join in the function's list belong to the first body, those behind it
	   to the second one */
	Block *join;
} Fused;
/* Adds the fused kernel to the module, which may be a view (module_view). */
Fused fusion_build(Module *, uint8_t origin, const Couple *, Arena *);

/* ---- bodies.c: looks at what the bodies do, whatever global memory they touch. Returns NULL, or why the
   kernels are not fused: a clause in the arena. Sets dynamic, begin, begin_given, begin_align, waits and
   barrier. ---- */
const char *bodies_refuse(Couple *, Module *, EffectCache *, Arena *);

/* ---- depend.c ---- */
typedef struct Dependence {
	/* a thread may touch in the second body what a thread of another block touches in the first body, and
	   one of the two writes */
	bool between_blocks;
	/* the same, for two threads of one block */
	bool in_block;
	Loc at[2];                     /* places of the two accesses of the first dependence between blocks */
	const char *why;               /* a clause about that dependence */
	unsigned assumed;              /* MEM_* assumptions on which the answers rest */
} Dependence;
void depend_find(Module *, const EffectTable *, const Couple *, const Fused *, unsigned allow, Dependence *,
	Arena *);
#endif
