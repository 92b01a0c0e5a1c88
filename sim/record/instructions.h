/* What each instruction of each kernel did, added up over the kernel's launches. Instructions are those that
   ran, after passes and lowering, in the order of the code. The tables are kept only if the run asks for
   them. The rows of a kernel add up to the totals of its launches, except that stalls that belong to no
   instruction have no row. */
#ifndef GSIM_INSTRUCTIONS_H
#define GSIM_INSTRUCTIONS_H
#include "lib/vec.h"
#include "sim/record/stats.h"

typedef struct InsStats {
	const char *function, *text;
	/* label of the block that begins with this instruction; NULL: none does */
	const char *label;
	const char *pass;              /* name of the pass that inserted the instruction, or NULL */
	bool added;                    /* lowering or the mechanism added it: it counts as overhead */
	const char *file; int line;    /* the instruction's place in the source; NULL, 0: none */
	/* melded: other places of the source for which the instruction stands, too; inlined: if it was
	   inlined, its list of places (isa/ir.h) */
	PlaceList melded, inlined;
	InsCount count;
	PartCount parted;
	uint64_t stalls[STALL_FIGURES];
} InsStats;

typedef struct InsTable { const char *kernel; int n; InsStats *v; } InsTable;
/* zero-initialise; the tables are in the order in which their kernels were launched first */
typedef struct InsTables { Arena arena; Vec(InsTable) table; } InsTables;

InsTable *ins_tables_find(const InsTables *, const char *kernel); /* NULL: the kernel has not been launched */
void ins_stats_add(InsStats *, const InsCount *, const PartCount *, const uint64_t stalls[STALL_FIGURES]);
void ins_tables_merge(InsTables *to, InsTables *from); /* adds from's figures to those of to; empties from */
void ins_tables_free(InsTables *);
struct JsonSink;
/* Writes the rows as an array of objects. of: statistics of a launch of the kernel, which say what this kind
   of run measures. */
void ins_table_json(const InsTable *, const LaunchStats *of, struct JsonSink *);
#endif
