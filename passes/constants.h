/* The numbers by which passes and analyses decide, and the bounds behind which they give up: guesses, each
 * with its unit and its reason. Options of passes have theirs as defaults. What other values would do is in
 * doc/measured-constants.md; tools/sweep-constants measures it, with copies of this file in which one line
 * `#define NAME number` has another number. Numbers that follow from the machine or from PTX are no guesses,
 * and stand where they are used. */
#ifndef GSIM_CONSTANTS_H
#define GSIM_CONSTANTS_H

/* ---- loops ---- */

/* turns: how often a loop is assumed to turn where nobody knows, for the weight of a block and for the time
   of a loop. So many that the inner loop counts more than what is around it, and so few that what is around
   it still counts. */
#define LOOP_TURNS 10
/* levels: loops deeper in each other weigh no more. The weight of six, 2^18, leaves room in 64 bits for the
   sum of all costs of a function. */
#define LOOP_LEVELS 6
/* turns: how many become one where unroll is not told. Of four turns three need no test then; further turns
   save little more, and the code grows by as much for each. */
#define UNROLL_TURNS 4
/* instructions that a loop has after it is unrolled: of 8 bytes each they take 3 KiB of an instruction cache,
   which has 8 KiB or more in the machines here. */
#define UNROLL_LOOP 400
/* instructions that unroll adds to a function: ten such loops */
#define UNROLL_GROWTH 4000
/* versions from which the condition of a branch is computed when turns are counted: conditions of loops that
   count need some ten */
#define COUNT_VERSIONS 200
/* versions computed while the turns of one loop are counted: more turns seldom fit UNROLL_LOOP */
#define COUNT_STEPS (1 << 14)
/* instructions of a loop's header that loop-rotate copies: a test with what it reads, and a way of the text
   that stays short */
#define ROTATE_SIZE 16

/* ---- memory ---- */

/* questions about pairs of accesses, for each instruction of the function, that a pass asks. Without a bound
   they would grow with the square of its length. */
#define MEMORY_QUESTIONS 64
/* versions times spots: facts by side of a branch in forward-stores are made up to so many, since each costs
   a bit in every block */
#define FORWARD_SIDES 4096
/* values of an unknown that are tried one by one when two accesses are compared; steps of one comparison */
#define MEMORY_VALUES 8
#define MEMORY_STEPS 400
/* terms of the form of an address: indices of three dimensions, the base, and turns of the loops around */
#define MEMORY_TERMS 8
/* levels of products and extensions within each other in the form of an address */
#define MEMORY_LEVELS 4
/* accesses next to one in doubt, before and behind it in the order of addresses, between which it may lie */
#define SAFE_NEAREST 8

/* ---- rounds and searches ---- */

/* rounds of code motion, and of the queries that speculate: in each moves what the one before has made
   movable. They end by themselves where nothing moves. */
#define MOTION_ROUNDS 16
/* steps of the search for answers to queries, for each instruction, in each round */
#define QUERY_STEPS 32
/* turns of a loop that a query goes back: by as many as a stencil of three points in a row reads its array
   again */
#define QUERY_SHIFTS 2
/* copies, one of the other, behind which the value of a version is looked for */
#define QUERY_COPIES 16
/* instructions that an address takes that is made anew for a load; depth of the search for them; how many
   loads are tried for an example. More would cost what the load saves. */
#define ADDRESS_INSTRUCTIONS 12
#define ADDRESS_DEPTH 8
#define ADDRESS_LOADS 4
/* the cost of one place of a computation in the cut of sparse code motion, and how many cycles around a place
   add to it, each four times what the one outside it adds. The sum of what cycles add should stay below the
   cost of a place, so that fewer places come first. */
#define CUT_PLACE (1 << 20)
#define CUT_LEVELS 8
/* rounds in which main exits are looked for, so that no graph takes too long */
#define EXIT_ROUNDS 16
/* nodes looked at, for each node of a graph, in search of the smallest entries of cycles with several: a
   tangle as deep as it is large would take the square */
#define NEST_LOOKS 16
/* steps for each block in which names of successors are carried from a branch to where they meet. Behind them
   the dominance frontier answers, in linear time, and names more blocks than need be. */
#define JOIN_STEPS 64
/* blocks at which threads end for which post-dominators of their own are made, each in linear time; where
   there are more, turns of every cycle around a branch between such ends count as mixed */
#define JOIN_ENDS 16
/* steps of the search for what decides when threads leave a loop, for each instruction of the function. Where
   they do not do, threads count as waiting there. */
#define WAIT_STEPS 128
/* turns: a loop that threads leave by a counter alone, after more than so many turns, counts as one in which
   they wait. A bound on a search is smaller as a rule, and one on waiting larger. */
#define WAIT_TURNS (1 << 20)

/* ---- sizes of what is guarded, merged, melded or copied ---- */

/* instructions of an arm that if-convert puts under a guard: as many as cost about what a branch and a jump
   do. Where there is a profile, it has to say so, too. */
#define GUARD_SIZE 8
/* instructions that a common tail needs: one already saves one for every warp that parts */
#define TAIL_SIZE 1
/* percent of their cycles that two subgraphs must save at best: the paper's 0.2 */
#define MELD_THRESHOLD 20
/* blocks of an arm that meld looks at; the same of branch-fusion, which takes arms of one block alone, and
   needs to see that there is a second */
#define MELD_BLOCKS 256
#define BRANCH_FUSION_BLOCKS 8
/* cells of an alignment's table, which has one of four bytes for two instructions: 1 MiB */
#define MELD_CELLS (1 << 18)
/* cells for which two subgraphs count that are aligned, since they are compared block by block */
#define MELD_SUBGRAPH_CELLS 16
/* blocks that all rounds of meld go through together: a bound on time where every round melds little */
#define MELD_WORK (1 << 17)
/* points of an alignment's score for a cycle saved. Operands that are the same give one point each, and so
   decide where two alignments save as much. */
#define MELD_CLOSENESS 16
/* cycles that an instruction costs an alignment which is left alone between others: a branch around it */
#define MELD_GAP 2
/* steps of the comparison of two subgraphs for each block: with swapped branches it could take 2^blocks */
#define MELD_STEPS 8
/* pairs of subgraphs that are compared once more with branches swapped, only to say in a remark that swap=1
   would help */
#define MELD_SWAPPED 64
/* blocks of a loop whose turns are timed for each stretch that is melded in it */
#define MELD_LOOP 256
/* units of a region whose order comes from latencies: each step looks at all that may be next */
#define INTERLEAVE_UNITS 256
/* registers that interleave may add: half of the 32 of each of 2048 threads with a file of 65,536, so that a
   kernel which uses its share loses at most a third of its warps */
#define INTERLEAVE_REGISTERS 16
/* percent of the instructions before, and blocks, that copying may make of an unstructured function */
#define STRUCTURIZE_GROWTH 1000
#define STRUCTURIZE_BLOCKS 100000

/* ---- fusion of kernels ---- */

/* instructions of two kernels together, and kernels of which both are made. Each launch of a row is judged
   with all those before it, so that without these the time for a row would grow with the cube of its
   length. */
#define FUSION_INSTRUCTIONS 2048
#define FUSION_BODIES 64
/* pairs of accesses, one of each body, that are asked about; with more, the bodies count as dependent */
#define FUSION_PAIRS 200000
/* steps back through the host function's versions in search of a number; at a phi, half of those left */
#define FUSION_DEPTH 64
/* rounds of fused bodies' cleaning, and turns of the clean-ups in each, which end earlier as a rule */
#define FUSION_ROUNDS 4
#define FUSION_CLEANUPS 16
/* registers that a kernel may take beyond those that live at once: the share 1/N of these, and so many more,
   for pairs that find no aligned place and for what mechanisms add. The estimate has to be one from above:
   fkf may put blocks beside each other that wait for each other only if all of them are resident. */
#define FUSION_REGISTER_SHARE 4
#define FUSION_REGISTERS_MORE 8
#endif
