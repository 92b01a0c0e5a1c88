/* Writes traces as comma-separated values (RFC 4180), one event a line. */
#include "traces/export.h"
#include "lib/output.h"
#include <inttypes.h>
#include <string.h>

static void csv_begin(TraceExport *t)
{
	fputs("launch,kernel,cycle,sm,warp,split,depth,event,mask,a,b,run,stream,clock,function,block,file,"
		"line,text,added\n", t->out);
}

static void csv_put_field(FILE *out, const char *s)
{
	StrBuf field = { 0 };
	output_csv(&field, s);
	fprintf(out, ",%s", field.s);
	sb_free(&field);
}

/* Writes the run, the stream and the cycle on the run's clock; fields that the trace does not tell are
   empty. */
static void when(FILE *out, const TraceLaunch *l, uint64_t cycle)
{
	if (l->run < 0)
		fputs(",,", out);
	else
		fprintf(out, ",%d,%d", l->run, l->stream);
	if (l->run >= 0 && l->timed)
		fprintf(out, ",%" PRIu64, l->started + cycle);
	else
		putc(',', out);
}

static void csv_event(TraceExport *t, const TraceEvent *e)
{
	const TraceIns *i = trace_at_pc(e->kind) ? trace_ins(t->launch, e->a) : NULL;
	fprintf(t->out, "%d", t->launch_number);
	csv_put_field(t->out, t->launch->kernel);
	fprintf(t->out, ",%" PRIu64 ",%d,%d,%d,%d,%s,0x%" PRIx64 ",%" PRIu64 ",%" PRIu64, e->cycle, e->sm,
		e->warp, e->split, e->depth, trace_kind_name[e->kind], e->mask, e->a, e->b);
	when(t->out, t->launch, e->cycle);
	csv_put_field(t->out, i ? i->function : "");
	csv_put_field(t->out, i ? i->block : "");
	csv_put_field(t->out, i ? i->file : "");
	if (i && i->line)
		fprintf(t->out, ",%d", i->line);
	else
		putc(',', t->out);
	StrBuf b = { 0 };
	if (e->kind == TR_ENTER || e->kind == TR_REWRITE)
		trace_row_text(&b, t->launch, &e->row);
	else if (e->kind == TR_LEAVE)
		sb_puts(&b, trace_row_info[e->row.kind].name);
	csv_put_field(t->out, b.s ? b.s : e->kind == TR_STALL ? trace_reason(t->launch, e->b) : i ? i->text
		: "");
	sb_free(&b);
	csv_put_field(t->out, !i ? "" : i->overhead ? "lowering" : i->inserted ? "pass" : "");
	putc('\n', t->out);
}

static void csv_nothing(TraceExport *t) {}

const TraceExporter trace_csv = { "csv", "one event a line, for spreadsheets", csv_begin, csv_nothing,
	csv_event, csv_nothing, csv_nothing };
