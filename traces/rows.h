/* Rows of tables that show what a divergence mechanism holds at a moment, in the same form for all
 * mechanisms. A trace records how the rows change; a reader that follows the changes has the mechanism's
 * state (traces/state.h). */
#ifndef GSIM_TRACE_ROWS_H
#define GSIM_TRACE_ROWS_H
#include <stdint.h>

#define TRACE_TABLES(X) /* id, title; each warp has one of each */ \
	X(SPLITS, "splits") \
	X(HOMES, "homes of splits with lanes of several warps") \
	X(STACK, "stack, top first") \
	X(GROUPS, "groups") \
	X(QUEUE, "queue, first to run first") \
	X(REGIONS, "regions") \
	X(BARRIERS, "convergence barriers") \
	X(REGISTERS, "registers")
typedef enum {
#define X(ID, TITLE) TABLE_##ID,
	TRACE_TABLES(X)
#undef X
	TABLE_COUNT
} TraceTableKind;

/* X(id, table, name, rpc, n, m, other). The last four are the names under which the members rpc, n, m and
   other of a TraceRow are shown: NULL = rows of this kind do not use the member, "" = its number is shown
   without a name. Every row also has lanes, and a pc if it stands for a place in the code. The numbers of
   kinds of rows are part of the file format: new kinds come last, and with a new version. */
#define TRACE_ROWS(X) \
	X(SPLIT, SPLITS, "split", NULL, "barrier", NULL, "with") /* a group of lanes that may be issued */ \
	/* the lanes of a split whose registers belong to the warp in slot n */ \
	X(HOME, HOMES, "of warp", NULL, "", NULL, NULL) \
	/* the lowest row of a stack of (pc, mask, reconvergence pc): all lanes */ \
	X(BASE, STACK, "base", "until", NULL, NULL, NULL) \
	X(PATH, STACK, "path", "until", NULL, NULL, NULL)                        /* a path of a branch */ \
	/* the place at which the paths above this row meet */ \
	X(RECONVERGENCE, STACK, "reconvergence", "until", NULL, NULL, NULL) \
	X(CALLEE, STACK, "callee", "until", NULL, NULL, NULL) \
	/* lanes that go on when the callees above have returned */ \
	X(CALLER, STACK, "caller", "until", NULL, NULL, NULL) \
	X(TOKEN_SYNC, STACK, "SYNC", NULL, NULL, NULL, NULL) \
	X(TOKEN_DIV, STACK, "DIV", NULL, NULL, NULL, NULL) \
	X(TOKEN_BRK, STACK, "BRK", NULL, NULL, NULL, NULL) \
	X(TOKEN_CONT, STACK, "CONT", NULL, NULL, NULL, NULL) \
	X(TOKEN_CALL, STACK, "CALL", NULL, NULL, NULL, NULL) \
	/* a group of the list that is sorted by the mechanism's order; the first group is on top */ \
	X(LISTED, STACK, "group", NULL, "call depth", NULL, "put aside for") \
	/* the frame of a call: the lanes in this frame and in frames above */ \
	X(FRAME, STACK, "frame", NULL, NULL, NULL, NULL) \
	X(WAITING, GROUPS, "waiting", NULL, NULL, NULL, NULL) /* lanes that wait at this pc */ \
	X(SAVED, STACK, "saved mask", NULL, "", "call depth", NULL) /* pc: where its lanes go on */ \
	X(LINK, GROUPS, "return address", NULL, "call depth", NULL, NULL) \
	X(SCALAR, REGISTERS, "scalar", NULL, NULL, NULL, "value") \
	/* a split; other: lanes of the paths that run before it */ \
	X(MEMBER, GROUPS, "group", "until", "region", "order", "after") \
	/* a split that is a side of an entry of the stack */ \
	X(SIDE, STACK, "side", "until", "entry", "region", NULL) \
	/* a split that a load parted from others; pc: the branch at which it waits for them */ \
	X(FAMILY, GROUPS, "family", NULL, NULL, NULL, "with") \
	X(WAY, GROUPS, "way", NULL, NULL, NULL, NULL) /* where its lanes go behind that branch */ \
	/* lanes: those that are on their way to pc, where the region ends */ \
	X(REGION, REGIONS, "region", NULL, "", "outer", "arrived") \
	X(TURN, QUEUE, "group", NULL, NULL, NULL, "yielded") /* a split that waits for its turn to issue */ \
	X(BARRIER, BARRIERS, "barrier", NULL, "", NULL, "waiting")               /* lanes: its members */ \
	/* lanes that may still name barrier n; shown if these are not just its members */ \
	X(HOLDERS, BARRIERS, "named by", NULL, "barrier", NULL, NULL) \
	/* lanes whose register names the barrier */ \
	X(REGISTER, REGISTERS, "register", NULL, "", "barrier", NULL) \
	/* an entry of the stack that all warps of a block share: the lanes of this warp in it */ \
	X(ENTRY, STACK, "entry", "until", "", "call depth", "arrived") \
	/* lanes that have arrived at the branch of entry n, and the pc to which they go from there */ \
	X(TARGET, GROUPS, "target", NULL, "entry", NULL, NULL) \
	/* a split; FLAG_IN_MEMORY: its context is in memory, else it is in the table on the chip */ \
	X(CONTEXT, GROUPS, "context", NULL, "call depth", NULL, NULL)
typedef enum {
#define X(ID, TABLE, NAME, RPC, N, M, OTHER) ROW_##ID,
	TRACE_ROWS(X)
#undef X
	ROW_COUNT
} TraceRowKind;

#define TRACE_FLAGS(X) /* bit, id, name */ \
	/* the split may issue; its pc is that of the next instruction */ \
	X(0, RUNS, "runs") \
	X(1, PARKED, "parked") \
	X(2, AT_BARRIER, "at a barrier") \
	X(3, AT_SYNC, "at a warp-level operation") \
	/* the barrier at which the split waited has opened; the split has not stepped over it yet */ \
	X(4, RELEASED, "released") \
	/* the warp-level operation at which the split waited has let it go; the mechanism has not been told \
	   of that yet */ \
	X(5, ARRIVING, "arriving") \
	X(6, IN_MEMORY, "in memory") \
	X(7, OF_CALL, "call") \
	X(8, REJOINS, "rejoins") \
	X(9, STARTED, "started") \
	X(10, OPEN, "open") \
	X(11, ADVANCING, "advancing")
enum {
#define X(BIT, ID, NAME) FLAG_##ID = 1 << BIT,
	TRACE_FLAGS(X)
#undef X
};

#define ROW_NO_PC (~(uint32_t)0)
#define ROW_NO_SPLIT ((uint16_t)0xffff)

typedef struct TraceRow {
	uint64_t mask, other;
	uint32_t pc, rpc;              /* ROW_NO_PC: none */
	uint32_t n, m;
	/* the split that the row shows or to which it belongs; ROW_NO_SPLIT: none */
	uint16_t split;
	uint16_t flags;
	uint8_t kind;
} TraceRow;

static inline TraceRow trace_row(TraceRowKind kind, uint32_t pc, uint64_t mask)
{
	return (TraceRow){ .kind = (uint8_t)kind, .pc = pc, .rpc = ROW_NO_PC, .mask = mask,
		.split = ROW_NO_SPLIT };
}

typedef struct TraceRowInfo { const char *name, *rpc, *n, *m, *other; uint8_t table; } TraceRowInfo;
extern const TraceRowInfo trace_row_info[ROW_COUNT];
extern const char *const trace_table_title[TABLE_COUNT];
#endif
