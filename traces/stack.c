/* Writes the state of mechanisms at the end of a cycle as text. */
#include "traces/export.h"
#include "traces/state.h"
#include "lib/strbuf.h"
#include <inttypes.h>
#include <string.h>

typedef struct StackPicture {
	FILE *out;
	const TraceFilter *f;
	const TraceLaunch *launch;
	int64_t number;                /* the launch's number */
	uint64_t cycle, last;          /* the cycle that was asked for; the cycle of the last event seen */
	TraceState state;
	int shown;                     /* number of launches shown */
	TraceAsked asked;
} StackPicture;

/* ---- text ---- */

static void draw_row(const StackPicture *p, int place, const TraceRow *r)
{
	char lanes[LANES_TEXT];
	StrBuf b = { 0 };
	const TraceIns *i = trace_ins(p->launch, r->pc);
	trace_row_text(&b, p->launch, r);
	fprintf(p->out, "    %3d  %s  %s", place, trace_lanes(r->mask, p->launch->warp_size, lanes), b.s);
	if (i && *i->file && i->line)
		fprintf(p->out, "  // %s:%d", i->file, i->line);
	putc('\n', p->out);
	sb_free(&b);
}

static void warp(const StackPicture *p, const TraceWarp *w)
{
	char lanes[LANES_TEXT], ended[LANES_TEXT];
	fprintf(p->out, "SM %d, warp %d: thread block %" PRIu64 ", warp %" PRIu64 " of it, lanes %s", w->sm,
		w->slot, w->block, w->index, trace_lanes(w->lanes, p->launch->warp_size, lanes));
	if (w->ended)
		fprintf(p->out, ", ended %s", trace_lanes(w->ended, p->launch->warp_size, ended));
	fprintf(p->out, ", depth %d\n", w->depth);
	for (int t = 0; t < TABLE_COUNT; t++) {
		const TraceRowVec *v = &w->table[t];
		if (v->n)
			fprintf(p->out, "  %s\n", trace_table_title[t]);
		for (int k = 0; k < v->n; k++) {
			int place = t == TABLE_STACK ? v->n - 1 - k : k;
			draw_row(p, place, &v->v[place]);
		}
	}
}

static void put_scheduler(const StackPicture *p, const TraceScheduler *s)
{
	if (s->why == WHY_ISSUES)
		fprintf(p->out, "SM %d, scheduler %d: issues\n", s->sm, s->number);
	else
		fprintf(p->out, "SM %d, scheduler %d: %s, since cycle %" PRIu64 "\n", s->sm, s->number,
			trace_reason(p->launch, s->why), s->since);
}

static int by_warp_slot(const void *a, const void *b)
{
	const TraceWarp *x = *(TraceWarp *const *)a, *y = *(TraceWarp *const *)b;
	return x->sm != y->sm ? x->sm - y->sm : x->slot - y->slot;
}

static void show_state(StackPicture *p)
{
	const TraceFilter *f = p->f;
	const TraceState *t = &p->state;
	Vec(const TraceWarp *) list = { 0 };
	fprintf(p->out, "launch %" PRId64 ": kernel %s, model %s, cycle %" PRIu64 "\n", p->number,
		p->launch->kernel, p->launch->model, p->cycle);
	trace_when(p->launch, p->out);
	for (int k = 0; k < t->scheduler.n && p->launch->timed; k++) {
		const TraceScheduler *s = &t->scheduler.v[k];
		if ((f->sm < 0 || s->sm == f->sm) && (f->warp < 0 ||
			f->warp % p->launch->schedulers == s->number))
			put_scheduler(p, s);
	}
	for (int k = 0; k < t->warp.n; k++) {
		const TraceWarp *w = &t->warp.v[k];
		if (w->used && (f->sm < 0 || w->sm == f->sm) && (f->warp < 0 || w->slot == f->warp))
			vec_push(&list, w);
	}
	if (list.n)
		qsort(list.v, (size_t)list.n, sizeof *list.v, by_warp_slot);
	for (int k = 0; k < list.n; k++)
		warp(p, list.v[k]);
	if (!list.n)
		fputs("no warp is there\n", p->out);
	vec_free(&list);
	p->shown++;
}

/* ---- following the events ---- */

static bool is_asked(StackPicture *p) { return trace_asked(&p->asked, p->f, p->launch, p->number); }

/* Follows a launch's events from its begin, or from a state whose last event was in cycle `last`, to the end
   of the cycle that was asked for, and writes the state there. skip: reads no events after that cycle.
   Returns what trace_next returned last, and the next launch in *next. */
static int follow_launch(StackPicture *p, TraceReader *r, uint64_t last, const TraceLaunch **next, bool skip,
	Diag *diag)
{
	TraceEvent e;
	int k;
	trace_state_clear(&p->state);
	p->state.schedulers = p->launch->schedulers;
	while ((k = trace_next(r, &e, next)) == 1) {
		last = e.cycle > last ? e.cycle : last;
		if (e.cycle > p->cycle && p->launch->timed && skip)
			break;
		if (e.cycle <= p->cycle && !trace_state_event(&p->state, &e)) {
			diag_error(diag, (Loc){ 0 }, "launch %" PRId64 ", cycle %"
				PRIu64 ": an event that contradicts those before it", p->number, e.cycle);
			return -1;
		}
	}
	p->last = last > p->last ? last : p->last;
	if (k >= 0 && last >= p->cycle)
		show_state(p);
	return k;
}

/* Reads launches one after another, and passes over those that are not wanted. */
static int show_in_order(StackPicture *p, TraceReader *r, Diag *diag)
{
	TraceEvent e;
	const TraceLaunch *next = NULL;
	int k = trace_next(r, &e, &next);
	while (k > 0) {
		if (k == 1) {
			k = trace_next(r, &e, &next);
			continue;
		}
		p->launch = next;
		p->number++;
		k = is_asked(p) ? follow_launch(p, r, 0, &next, false, diag) : 1;
	}
	return k;
}

static int by_index(StackPicture *p, TraceReader *r, int64_t launches, Diag *diag)
{
	int k = 0;
	for (int64_t n = 0; n < launches && k >= 0; n++) {
		const TraceLaunch *next;
		uint64_t reached;
		if (p->f->launch >= 0 && p->f->launch != n)
			continue;
		p->number = n;
		p->launch = trace_seek(r, (uint64_t)n, p->cycle, &reached);
		if (!p->launch)
			return -1;
		if (is_asked(p))
			k = follow_launch(p, r, reached, &next, true, diag);
	}
	p->asked.launches = launches;
	return k;
}

bool trace_stack(TraceReader *r, const TraceFilter *f, uint64_t cycle, FILE *out, Diag *diag)
{
	StackPicture p = { .out = out, .f = f, .number = -1, .cycle = cycle };
	if (trace_version(r) < 3) {
		diag_error(diag, (Loc){ 0 }, "a trace of format version %d does not tell the state of "
			"mechanisms; version 3 does: record it again", trace_version(r));
		return false;
	}
	int64_t launches = trace_launches(r);
	int errors = diag->errors;
	int k = launches < 0 ? show_in_order(&p, r, diag) : by_index(&p, r, launches, diag);
	trace_state_free(&p.state);
	if (k >= 0 && trace_asked_found(&p.asked, f, diag) && !p.shown)
		diag_error(diag, (Loc){ 0 }, "no launch that was asked for has an event in or behind cycle %"
			PRIu64 "; the last is in cycle %" PRIu64, cycle, p.last);
	trace_asked_free(&p.asked);
	return diag->errors == errors && k >= 0;
}
