/* What the instructions of each kernel did, as they ran: after passes and lowering, in the order of the code,
   added up over the kernel's launches. Kept only where a run asks for it. The rows of a kernel add up to its
   launches' totals, but for stalls that belong to no instruction. */
#ifndef GSIM_INSTRUCTIONS_H
#define GSIM_INSTRUCTIONS_H
#include "lib/vec.h"
#include "sim/record/stats.h"

typedef struct InsStats {
	const char *function, *text;
	const char *label;             /* of the block that begins with it, or NULL */
	const char *pass;              /* that inserted it, or NULL */
	bool added;                    /* by lowering or the mechanism: counted as overhead */
	const char *file; int line;    /* its place in the source; NULL, 0: none */
	/* other places of the source for which it stands, too; of inlined code: its list (isa/ir.h) */
	PlaceList melded, inlined;
	InsCount count;
	PartCount parted;
	uint64_t stalls[STALL_COUNT];
} InsStats;

typedef struct InsTable { const char *kernel; int n; InsStats *v; } InsTable;
/* zero-initialise; tables in the order of first launches */
typedef struct InsTables { Arena arena; Vec(InsTable) table; } InsTables;

InsTable *ins_tables_find(const InsTables *, const char *kernel);        /* NULL: it has not been launched */
void ins_stats_add(InsStats *, const InsCount *, const PartCount *, const uint64_t stalls[STALL_COUNT]);
void ins_tables_merge(InsTables *to, InsTables *from); /* adds figures of the same code; from is left empty */
void ins_tables_free(InsTables *);
struct JsonSink;
/* The rows as an array of objects. */
/* of: a launch of the kernel, for what is known */
void ins_table_json(const InsTable *, const LaunchStats *of, struct JsonSink *);
#endif
