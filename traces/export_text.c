/* Writes traces as aligned text, one event a line. */
#include "traces/export.h"
#include "lib/strbuf.h"
#include <inttypes.h>

/* The width of the column of lanes, in characters: at least what a warp of 8 takes. */
static int lanes_column(const TraceLaunch *l)
{
	int width = trace_lanes_width(l->warp_size);
	return width > LANES_GROUP ? width : LANES_GROUP;
}

static void text_launch(TraceExport *t)
{
	const TraceLaunch *l = t->launch;
	fprintf(t->out, "launch %d: kernel %s, grid (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "), block (%"
		PRIu32 ", %" PRIu32 ", %" PRIu32 "), machine %s, model %s, %d SMs, warps of %d\n",
		t->launch_number, l->kernel, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
		l->block[2], l->machine, l->model, l->sms, l->warp_size);
	trace_when(l, t->out);
	trace_settings(l, t->out);
	fprintf(t->out, "%8s %3s %4s %5s %5s %-15s %-*s\n", "cycle", "sm", "warp", "split", "depth", "event",
		lanes_column(l), "lanes");
}

static void print_ins_place(FILE *out, const TraceIns *i, uint64_t pc)
{
	fprintf(out, "%4" PRIu64, pc);
	if (i)
		fprintf(out, " %s", i->block);
}

static void print_issue(FILE *out, const TraceIns *i, uint64_t pc)
{
	print_ins_place(out, i, pc);
	if (!i)
		return;
	fprintf(out, ": %s", i->text);
	if (*i->file && i->line)
		fprintf(out, "  // %s:%d", i->file, i->line);
	if (i->overhead || i->inserted)
		fputs(i->overhead ? "  (added by lowering)" : "  (inserted by a pass)", out);
}

static void print_state_row(FILE *out, const TraceLaunch *l, const TraceEvent *e)
{
	StrBuf b = { 0 };
	trace_row_text(&b, l, &e->row);
	fprintf(out, "%4" PRIu64 " %s", e->b, b.s);
	sb_free(&b);
}

static void text_event(TraceExport *t, const TraceEvent *e)
{
	char lanes[LANES_TEXT];
	bool no_lanes = e->kind == TR_BLOCK_START || e->kind == TR_BLOCK_END || e->kind == TR_STALL ||
		e->kind == TR_LEAVE || e->kind == TR_WARP_END;
	const TraceIns *i = trace_at_pc(e->kind) ? trace_ins(t->launch, e->a) : NULL;
	char split[8] = "-";
	if (e->split != ROW_NO_SPLIT)
		snprintf(split, sizeof split, "%d", e->split);
	fprintf(t->out, "%8" PRIu64 " %3d %4d %5s %5d %-15s %-*s ", e->cycle, e->sm, e->warp, split, e->depth,
		trace_kind_name[e->kind], lanes_column(t->launch),
		no_lanes ? "" : trace_lanes(e->mask, t->launch->warp_size, lanes));
	switch (e->kind) {
	case TR_ISSUE:
		print_issue(t->out, i, e->a);
		break;
	case TR_PUSH: case TR_POP:
		print_ins_place(t->out, i, e->a);
		break;
	case TR_SPILL: case TR_FILL:
		fprintf(t->out, "%4" PRIu64 " entries", e->a);
		break;
	case TR_RECONVERGE:
		print_ins_place(t->out, i, e->a);
		fprintf(t->out, ", %" PRIu64 " groups", e->b);
		break;
	case TR_BARRIER_WAIT: case TR_BARRIER_RELEASE:
		if (e->a == TRACE_GRID_BARRIER)
			fprintf(t->out, "the grid's barrier, %" PRIu64 " threads", e->b);
		else
			fprintf(t->out, "barrier %" PRIu64 ", %" PRIu64 " threads", e->a, e->b);
		break;
	case TR_MEMORY:
		fprintf(t->out, "0x%" PRIx64 ", %" PRIu64 " sectors", e->a, e->b);
		break;
	case TR_BLOCK_START:
		fprintf(t->out, "thread block %" PRIu64 ", %" PRIu64 " threads", e->a, e->b);
		break;
	case TR_BLOCK_END:
		fprintf(t->out, "thread block %" PRIu64, e->a);
		break;
	case TR_EXIT:
		print_ins_place(t->out, i, e->a);
		fprintf(t->out, ", %" PRIu64 " lanes left", e->b);
		break;
	case TR_ENTER: case TR_REWRITE:
		print_state_row(t->out, t->launch, e);
		break;
	case TR_LEAVE:
		fprintf(t->out, "%4" PRIu64 " %s, %" PRIu64 " rows", e->b, trace_row_info[e->row.kind].name,
			e->a);
		break;
	case TR_STALL:
		fprintf(t->out, "scheduler %" PRIu64 ", %s", e->a, trace_reason(t->launch, e->b));
		break;
	case TR_RETURN:
		print_ins_place(t->out, i, e->a);
		fprintf(t->out, ", made in cycle %" PRIu64, e->b);
		break;
	case TR_WARP_START: case TR_WARP_END:
		fprintf(t->out, "thread block %" PRIu64 ", warp %" PRIu64, e->a, e->b);
		break;
	}
	putc('\n', t->out);
}

static void text_nothing(TraceExport *t) {}

const TraceExporter trace_text = { "text", "one event a line (default)", text_nothing, text_launch,
	text_event, text_nothing, text_nothing };
