/* Writes rows of a mechanism's state as text. */
#include "traces/export.h"
#include "lib/strbuf.h"
#include <inttypes.h>

static const char *const flag_name[] = {
#define X(BIT, ID, NAME) [BIT] = NAME,
	TRACE_FLAGS(X)
#undef X
};

void trace_place(StrBuf *b, const TraceLaunch *l, uint64_t pc)
{
	const TraceIns *i = trace_ins(l, pc);
	sb_printf(b, "%" PRIu64, pc);
	if (i)
		sb_printf(b, " %s", i->block);
}

static void put_trace_lanes(StrBuf *b, const TraceLaunch *l, uint64_t mask)
{
	char buf[LANES_TEXT];
	sb_puts(b, trace_lanes(mask, l->warp_size, buf));
}

/* Adds a number of a row, behind its name `label`, if `shown` is true and the name is not empty. The number
   of a barrier is shown only for a split that waits at one. */
static void show_number(StrBuf *b, const char *label, uint32_t n, bool shown)
{
	if (label && *label && shown)
		sb_printf(b, ", %s %" PRIu32, label, n);
}

void trace_row_text(StrBuf *b, const TraceLaunch *l, const TraceRow *r)
{
	const TraceRowInfo *x = &trace_row_info[r->kind];
	sb_puts(b, x->name);
	if (x->n && !*x->n)
		sb_printf(b, " %" PRIu32, r->n);
	if (r->pc != ROW_NO_PC) {
		sb_putc(b, ' ');
		trace_place(b, l, r->pc);
	}
	if (x->rpc && r->rpc != ROW_NO_PC) {
		sb_printf(b, ", %s ", x->rpc);
		trace_place(b, l, r->rpc);
	}
	show_number(b, x->n, r->n, r->kind != ROW_SPLIT || r->flags & FLAG_AT_BARRIER);
	show_number(b, x->m, r->m, true);
	if (x->other && r->other && r->kind == ROW_SCALAR) {
		sb_printf(b, ", %s 0x%" PRIx64, x->other, r->other);
	} else if (x->other && r->other) {
		sb_printf(b, ", %s ", x->other);
		put_trace_lanes(b, l, r->other);
	}
	for (int k = 0; k < (int)(sizeof flag_name / sizeof *flag_name); k++)
		if (r->flags >> k & 1)
			sb_printf(b, ", %s", flag_name[k]);
	if (r->split != ROW_NO_SPLIT && r->kind != ROW_SPLIT)
		sb_printf(b, ", split %d", r->split);
}
