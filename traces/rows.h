/* What a divergence mechanism holds at a moment, as rows of tables: the same form for all mechanisms. A trace
 * records how the rows change; a reader that follows the changes has the mechanism's state
 * (traces/state.h). */
#ifndef GSIM_TRACE_ROWS_H
#define GSIM_TRACE_ROWS_H
#include <stdint.h>

#define TRACE_TABLES(X) /* id, title; of each warp */ \
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

/* id, table, name; the names of the row's rpc, n, m and other: NULL = it has none, "" = a number without a
   name. Every row also has lanes, and a pc if it is at a place. The numbers of rows are part of the file
   format: new rows come last, and with a new version. */
#define TRACE_ROWS(X) \
	X(SPLIT, SPLITS, "split", NULL, "barrier", NULL, "with") /* a group of lanes that may be issued */ \
	/* lanes of a split whose registers are that warp's */ \
	X(HOME, HOMES, "of warp", NULL, "", NULL, NULL) \
	/* stack of (pc, mask, reconvergence pc): all lanes */ \
	X(BASE, STACK, "base", "until", NULL, NULL, NULL) \
	X(PATH, STACK, "path", "until", NULL, NULL, NULL)                        /* a path of a branch */ \
	/* where the paths above it meet */ \
	X(RECONVERGENCE, STACK, "reconvergence", "until", NULL, NULL, NULL) \
	X(CALLEE, STACK, "callee", "until", NULL, NULL, NULL) \
	/* lanes that go on when the callees above have returned */ \
	X(CALLER, STACK, "caller", "until", NULL, NULL, NULL) \
	X(TOKEN_SYNC, STACK, "SYNC", NULL, NULL, NULL, NULL) \
	X(TOKEN_DIV, STACK, "DIV", NULL, NULL, NULL, NULL) \
	X(TOKEN_BRK, STACK, "BRK", NULL, NULL, NULL, NULL) \
	X(TOKEN_CONT, STACK, "CONT", NULL, NULL, NULL, NULL) \
	X(TOKEN_CALL, STACK, "CALL", NULL, NULL, NULL, NULL) \
	/* a group of the sorted list; the first of the order is on top */ \
	X(LISTED, STACK, "group", NULL, "call depth", NULL, "put aside for") \
	/* a call's frame: the lanes in it and in frames above */ \
	X(FRAME, STACK, "frame", NULL, NULL, NULL, NULL) \
	X(WAITING, GROUPS, "waiting", NULL, NULL, NULL, NULL) /* lanes that wait at this pc */ \
	X(SAVED, STACK, "saved mask", NULL, "", "call depth", NULL) /* pc: where its lanes are taken up */ \
	X(LINK, GROUPS, "return address", NULL, "call depth", NULL, NULL) \
	X(SCALAR, REGISTERS, "scalar", NULL, NULL, NULL, "value") \
	/* a split; after: lanes that go first */ \
	X(MEMBER, GROUPS, "group", "until", "region", "order", "after") \
	/* a split that is a side of an entry of the stack */ \
	X(SIDE, STACK, "side", "until", "entry", "region", NULL) \
	/* a split that a load parted from others; pc: the branch at which it waits for them */ \
	X(FAMILY, GROUPS, "family", NULL, NULL, NULL, "with") \
	X(WAY, GROUPS, "way", NULL, NULL, NULL, NULL) /* where lanes of a family go behind that branch */ \
	X(REGION, REGIONS, "region", NULL, "", "outer", "arrived") /* lanes: those on their way to pc */ \
	X(TURN, QUEUE, "group", NULL, NULL, NULL, "yielded") /* a split that is ready */ \
	X(BARRIER, BARRIERS, "barrier", NULL, "", NULL, "waiting")               /* lanes: its members */ \
	/* lanes that may still name it, where they are not its members */ \
	X(HOLDERS, BARRIERS, "named by", NULL, "barrier", NULL, NULL) \
	/* lanes whose register names the barrier */ \
	X(REGISTER, REGISTERS, "register", NULL, "", "barrier", NULL) \
	/* this warp's lanes in an entry of its block's stack */ \
	X(ENTRY, STACK, "entry", "until", "", "call depth", "arrived") \
	/* where lanes that have arrived at a branch go */ \
	X(TARGET, GROUPS, "target", NULL, "entry", NULL, NULL) \
	/* a split; in the table on chip, or in memory */ \
	X(CONTEXT, GROUPS, "context", NULL, "call depth", NULL, NULL)
typedef enum {
#define X(ID, TABLE, NAME, RPC, N, M, OTHER) ROW_##ID,
	TRACE_ROWS(X)
#undef X
	ROW_COUNT
} TraceRowKind;

#define TRACE_FLAGS(X) /* bit, id, name */ \
	X(0, RUNS, "runs")                  /* it may issue; its pc is the next instruction */ \
	X(1, PARKED, "parked") \
	X(2, AT_BARRIER, "at a barrier") \
	X(3, AT_SYNC, "at a warp-level operation") \
	X(4, RELEASED, "released")          /* its barrier has opened, and it has yet to step over it */ \
	/* a warp-level operation has let it go; the mechanism has yet to hear of it */ \
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
	uint16_t split;                /* the split that the row shows or belongs to; ROW_NO_SPLIT */
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
