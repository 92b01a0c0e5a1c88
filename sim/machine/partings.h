/* When lanes of a warp part and meet, and to which instruction each lane is charged that does not execute.
 *
 * All this is derived only from issues, the ways that branches, calls and returns send lanes, and the ends of
 * lanes, so the rules are the same under every mechanism. Lanes part at the last instruction that they
 * execute in one issue. If this is a branch, call or return that has sent them all the same way, they part at
 * the instruction to which it has sent them, which they execute apart. They meet when they issue together
 * again. A group is the lanes of a warp that have not parted since they were last together. Groups are the
 * leaves of a tree, partings its inner nodes, with the groups that came apart there below them: two groups
 * last parted at the lowest node above both. Groups that meet become one, in the place of that one of them
 * that parted last; the others leave their places. A node with one branch left is removed: its lanes are
 * together again, have parted later, or have ended.
 *
 * An issue has a slot for each lane of the warp. A slot without an executing lane is charged to one cause: no
 * thread there; the thread has ended; its guard is false; or the parting at which the slot's lane and the
 * group that issues came apart last. In an issue for no lane, a slot is charged to the instruction that its
 * lane executed last. In an issue for lanes of several warps, the slots without a lane belong to the warp
 * that has the most lanes in the issue; of equal ones, to the first warp of the block.
 *
 * An issue is counted in its group only. A node's count of issues is charged to the node above, and added to
 * the count there, only when a mask on the way to the root changes: so an issue and a parting take the same
 * time at every depth of the tree, and a meeting goes up no further than the lowest node above both
 * groups. */
#ifndef GSIM_PARTINGS_H
#define GSIM_PARTINGS_H
#include "sim/reconv/seam.h"

/* lane-slots in which no thread could execute: none was started there, or it has ended */
typedef struct NobodyCount { uint64_t no_thread, ended; } NobodyCount;
/* divergent: issues whose lanes went different ways; taken: lanes that went to the true side */
typedef struct BranchCount { uint64_t divergent, taken; } BranchCount;

/* times: how many partings ended with an issue at pc, or with NO_PC because lanes ended. next: the next row
   for partings at the same place, counted from 1; 0: none */
typedef struct MeetCount { uint32_t pc; int next; uint64_t times; } MeetCount;

typedef struct Group {                 /* a node of the tree */
	Mask lanes;                    /* its lanes that have not ended */
	unsigned n;                    /* the number of lanes */
	/* pc of the group's last issue; in an inner node, of the issue at which its lanes parted */
	uint32_t pc;
	Cycle cycle;                   /* the cycle of the issue to which pc belongs */
	/* the cycle in which a branch, call or return last sent its lanes different ways; NEVER: none has */
	Cycle ways;
	/* issues not charged to the node above yet: [0] of the module's instructions, [1] of added ones */
	uint64_t issues[2];
	/* nodes, NO_GROUP = none; below: the first of its branches; next: the next branch of the node
	   above */
	uint8_t above, below, next;
} Group;

typedef struct Partings Partings;

void partings_equip(Warp *);                    /* makes the tree's memory, once for each warp slot */
void partings_start(Warp *, Mask lanes, uint32_t pc);
/* counts an issue of the split at pc; added: the instruction is none of the module */
void partings_issue(Warp *, const Split *, uint32_t pc, bool added);
/* Counts issues of the split at the instructions from pc to `last`, one a cycle from now on: n[0] of the
   module's and n[1] of added ones. */
void partings_run(Warp *, const Split *, uint32_t pc, const uint64_t n[2], uint32_t last);
/* As partings_issue, where the split has at least one lane, all of this warp, and they are those of
   Warp.group. */
static inline void group_issue(Group *g, uint32_t pc, Cycle now, bool added)
{
	g->issues[added]++;
	g->pc = pc;
	g->cycle = now;
}
/* As partings_run, with the same condition; end: the cycle of the issue at `last`. */
static inline void group_issues(Group *g, uint32_t last, Cycle end, const uint64_t n[2])
{
	g->issues[0] += n[0];
	g->issues[1] += n[1];
	g->pc = last;
	g->cycle = end;
}
/* notes that the split's lanes, which have just issued, go n ways */
void partings_ways(Warp *, const Split *, const Path *, int n);
void partings_end_lanes(Warp *, Mask);          /* notes that the lanes have issued their last instruction */
void partings_settle(Warp *);                   /* charges all issues so far */
void partings_close(Warp *);             /* the warp has ended: charges the issues that are not charged yet */
#endif
