/* Writes traces as JSON for Perfetto and chrome://tracing: a process for each SM, a thread for each warp, a
 * slice for each stay in a basic block, an instant for every other event, a counter for the depth of each
 * warp's divergence structure. A microsecond on the time line is a cycle of the machine's clock. Runs stand
 * there one after the other, and so do launches of which the trace does not tell when they started. */
#include "traces/export.h"
#include "traces/state.h"
#include <inttypes.h>
#include <string.h>

enum { PERFETTO_SCHEMA = 1 };      /* schema_version of the names and args of events */

typedef struct Track {             /* the track of a warp */
	uint32_t key;                  /* SM << 16 | warp slot */
	bool named;
	const TraceIns *block;        /* first instruction issued in the open slice; NULL: no slice is open */
	uint16_t split, depth;
	uint64_t mask, start, last;    /* last: cycle of the last issue */
} Track;

/* What a scheduler does. stream: the stream for which the scheduler's track got its name last, -1: none; why:
   the reason of the stall that is open since cycle `since`, WHY_ISSUES: none is open. */
typedef struct OpenStall { int stream; uint64_t why, since; } OpenStall;

typedef struct PerfettoState {
	bool comma;
	Vec(OpenStall) stall;          /* by SM, then scheduler */
	/* times of the launch's cycle 0, and of the cycle after its last event */
	uint64_t base, last;
	uint64_t latest;               /* time of the cycle after the latest event of all launches */
	int run;
	uint64_t run_base;             /* time of the run's cycle 0 */
	Vec(Track) track;
	int *slot;                     /* hash table of indices into track plus 1 */
	uint32_t nslot;
} PerfettoState;

static void perfetto_begin(TraceExport *t)
{
	PerfettoState *s = t->state = xcalloc(1, sizeof(PerfettoState));
	s->run = -1;
	fprintf(t->out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"schema_version\":%d},"
		"\"traceEvents\":[", PERFETTO_SCHEMA);
}

static void next_item(TraceExport *t)
{
	PerfettoState *s = t->state;
	fputs(s->comma ? ",\n" : "\n", t->out);
	s->comma = true;
}

static void write_json_string(FILE *out, const char *s)
{
	putc('"', out);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f) /* other bytes are written as Latin-1, whatever they were */
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

static void rehash(PerfettoState *s)
{
	s->nslot = s->nslot ? s->nslot * 2 : 256;
	free(s->slot);
	s->slot = xcalloc(s->nslot, sizeof *s->slot);
	for (int k = 0; k < s->track.n; k++) {
		uint32_t i = s->track.v[k].key * 2654435761u & (s->nslot - 1);
		while (s->slot[i])
			i = (i + 1) & (s->nslot - 1);
		s->slot[i] = k + 1;
	}
}

static Track *track(PerfettoState *s, const TraceEvent *e)
{
	uint32_t key = (uint32_t)e->sm << 16 | e->warp;
	if ((uint32_t)s->track.n * 2 >= s->nslot)
		rehash(s);
	uint32_t i = key * 2654435761u & (s->nslot - 1);
	for (; s->slot[i]; i = (i + 1) & (s->nslot - 1))
		if (s->track.v[s->slot[i] - 1].key == key)
			return &s->track.v[s->slot[i] - 1];
	vec_push(&s->track, ((Track){ .key = key }));
	s->slot[i] = s->track.n;
	return &vec_last(&s->track);
}

static void name_track(TraceExport *t, PerfettoState *s, Track *k, const TraceEvent *e)
{
	if (k->named)
		return;
	k->named = true;
	next_item(t);
	fprintf(t->out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"SM "
		"%d\"}},\n", e->sm + 1, e->sm);
	fprintf(t->out, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,"
		"\"args\":{\"name\":\"warp %d\"}}", e->sm + 1, e->warp, e->warp);
}

static void close_slice(TraceExport *t, PerfettoState *s, Track *k, uint64_t until)
{
	if (!k->block)
		return;
	char lanes[LANES_TEXT];
	next_item(t);
	fputs("{\"ph\":\"X\",\"name\":", t->out);
	write_json_string(t->out, *k->block->block ? k->block->block : "(no label)");
	fprintf(t->out, ",\"cat\":\"block\",\"pid\":%u,\"tid\":%u,\"ts\":%" PRIu64 ",\"dur\":%"
		PRIu64 ",\"args\":{\"lanes\":\"%s\",\"split\":%d,\"function\":", (k->key >> 16) + 1,
		k->key & 0xffff, s->base + k->start, until > k->start ? until - k->start : 0,
		trace_lanes(k->mask, t->launch->warp_size, lanes), k->split);
	write_json_string(t->out, k->block->function);
	fputs(",\"file\":", t->out);
	write_json_string(t->out, k->block->file);
	fprintf(t->out, ",\"line\":%d}}", k->block->line);
	k->block = NULL;
}

/* ---- schedulers: each has a track behind the tracks of the warps, with a slice for each span without an
   issue. Each stream has such tracks of its own, as a scheduler that has no warp of one stream may issue for
   another. ---- */

enum { SCHEDULER_TID = 1 << 16, TIDS_OF_STREAM = 64 };

static uint64_t scheduler_tid(const TraceLaunch *l, unsigned number)
{
	return SCHEDULER_TID + (uint64_t)l->stream * TIDS_OF_STREAM + number;
}

static OpenStall *stall_of(TraceExport *t, unsigned sm, unsigned number)
{
	PerfettoState *s = t->state;
	int at = (int)(sm * (unsigned)t->launch->schedulers + number);
	while (s->stall.n <= at)
		vec_push(&s->stall, ((OpenStall){ -1, WHY_ISSUES, 0 }));
	return &s->stall.v[at];
}

static void end_stall(TraceExport *t, unsigned sm, unsigned number, uint64_t until)
{
	PerfettoState *s = t->state;
	OpenStall *x = stall_of(t, sm, number);
	if (x->why != WHY_ISSUES && until > x->since) {
		next_item(t);
		fputs("{\"ph\":\"X\",\"name\":", t->out);
		write_json_string(t->out, trace_reason(t->launch, x->why));
		fprintf(t->out, ",\"cat\":\"stall\",\"pid\":%u,\"tid\":%" PRIu64 ",\"ts\":%"
			PRIu64 ",\"dur\":%" PRIu64 "}", sm + 1, scheduler_tid(t->launch, number),
			s->base + x->since, until - x->since);
	}
	x->why = WHY_ISSUES;
}

static void name_scheduler(TraceExport *t, unsigned sm, unsigned number)
{
	char stream[32] = "";
	if (t->launch->stream)
		snprintf(stream, sizeof stream, ", stream %d", t->launch->stream);
	next_item(t);
	fprintf(t->out, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%"
		PRIu64 ",\"args\":{\"name\":\"scheduler %u%s\"}}", sm + 1, scheduler_tid(t->launch, number),
		number, stream);
}

static void perfetto_stall(TraceExport *t, const TraceEvent *e)
{
	if (e->a >= (uint64_t)t->launch->schedulers)
		return;
	unsigned number = (unsigned)e->a;
	end_stall(t, e->sm, number, e->cycle);
	OpenStall *x = stall_of(t, e->sm, number);
	if (x->stream != t->launch->stream)
		name_scheduler(t, e->sm, number);
	x->stream = t->launch->stream;
	x->why = e->b;
	x->since = e->cycle;
}

static void perfetto_finish(TraceExport *t)
{
	PerfettoState *s = t->state;
	for (int i = 0; i < s->stall.n && t->launch->schedulers; i++)
		end_stall(t, (unsigned)(i / t->launch->schedulers), (unsigned)(i % t->launch->schedulers),
			s->last > s->base ? s->last - s->base : 0);
	for (int i = 0; i < s->track.n; i++)
		close_slice(t, s, &s->track.v[i], s->track.v[i].last + 1);
}

static void perfetto_launch(TraceExport *t)
{
	PerfettoState *s = t->state;
	const TraceLaunch *l = t->launch;
	if (l->run != s->run)
		s->run_base = s->latest;
	s->run = l->run;
	s->base = s->last = l->run >= 0 && l->timed ? s->run_base + l->started : s->latest;
	for (int i = 0; i < s->track.n; i++)
		s->track.v[i].depth = 0;
	next_item(t);
	fputs("{\"ph\":\"i\",\"s\":\"g\",\"pid\":0,\"tid\":0,\"name\":", t->out);
	write_json_string(t->out, l->kernel);
	fprintf(t->out, ",\"cat\":\"launch\",\"ts\":%" PRIu64 ",\"args\":{\"launch\":%d,\"model\":", s->base,
		t->launch_number);
	write_json_string(t->out, l->model);
	fputs(",\"machine\":", t->out);
	write_json_string(t->out, l->machine);
	if (*l->configuration) {
		fputs(",\"configuration\":", t->out);
		write_json_string(t->out, l->configuration);
		fputs(",\"changed\":", t->out);
		write_json_string(t->out, l->changed);
		fputs(",\"passes\":", t->out);
		write_json_string(t->out, l->passes);
	}
	if (l->run >= 0)
		fprintf(t->out, ",\"run\":%d,\"stream\":%d", l->run, l->stream);
	if (l->run >= 0 && l->timed)
		fprintf(t->out, ",\"started\":%" PRIu64, l->started);
	fputs("}}", t->out);
}

static void issue(TraceExport *t, PerfettoState *s, Track *k, const TraceEvent *e)
{
	const TraceIns *i = trace_ins(t->launch, e->a);
	if (k->block && (!i || i->block_start || k->split != e->split || k->mask != e->mask ||
		strcmp(i->block, k->block->block) || strcmp(i->function, k->block->function)))
		close_slice(t, s, k, e->cycle > k->last ? e->cycle : k->last);
	if (!k->block && i) {
		k->block = i;
		k->start = e->cycle;
		k->split = e->split;
		k->mask = e->mask;
	}
	k->last = e->cycle;
}

static void perfetto_event(TraceExport *t, const TraceEvent *e)
{
	PerfettoState *s = t->state;
	if (e->kind == TR_ENTER || e->kind == TR_REWRITE || e->kind == TR_LEAVE)
		return;
	if (e->kind == TR_STALL) {
		perfetto_stall(t, e);
		return;
	}
	if (e->kind == TR_ISSUE && t->launch->schedulers)
		end_stall(t, e->sm, (unsigned)(e->warp % t->launch->schedulers), e->cycle);
	Track *k = track(s, e);
	name_track(t, s, k, e);
	uint64_t behind = s->base + e->cycle + 1;
	s->last = behind > s->last ? behind : s->last;
	s->latest = behind > s->latest ? behind : s->latest;
	if (e->kind == TR_ISSUE) {
		issue(t, s, k, e);
	} else {
		char lanes[LANES_TEXT];
		next_item(t);
		fprintf(t->out, "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"%s\",\"cat\":\"event\",\"pid\":%d,"
			"\"tid\":%d,\"ts\":%" PRIu64 ",\"args\":{\"lanes\":\"%s\",\"a\":%" PRIu64 ",\"b\":%"
			PRIu64 "}}", trace_kind_name[e->kind], e->sm + 1, e->warp, s->base + e->cycle,
			trace_lanes(e->mask, t->launch->warp_size, lanes), e->a, e->b);
	}
	if (e->depth != k->depth && e->kind != TR_RETURN) {
		k->depth = e->depth;
		next_item(t);
		fprintf(t->out, "{\"ph\":\"C\",\"name\":\"depth of warp %d\",\"pid\":%d,\"ts\":%"
			PRIu64 ",\"args\":{\"entries\":%d}}", e->warp, e->sm + 1, s->base + e->cycle,
			e->depth);
	}
}

static void perfetto_end(TraceExport *t)
{
	PerfettoState *s = t->state;
	fputs("\n]}\n", t->out);
	vec_free(&s->track);
	vec_free(&s->stall);
	free(s->slot);
	free(s);
}

const TraceExporter trace_perfetto = { "perfetto", "JSON for ui.perfetto.dev and chrome://tracing",
	perfetto_begin, perfetto_launch, perfetto_event, perfetto_finish, perfetto_end };
