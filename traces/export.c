#include "traces/export.h"
#include <inttypes.h>
#include <string.h>

int trace_kind(const char *name, size_t n)
{
	for (int k = 0; k < TR_COUNT; k++)
		if (!strncmp(trace_kind_name[k], name, n) && !trace_kind_name[k][n])
			return k;
	return -1;
}

const TraceIns *trace_ins(const TraceLaunch *l, uint64_t pc)
{
	return pc < (uint64_t)l->nins ? &l->ins[pc] : NULL;
}

const char *trace_reason(const TraceLaunch *l, uint64_t why)
{
	return why < (uint64_t)l->nreasons ? l->reason[why] : why == UINT16_MAX ? "chooses" : "?";
}

bool trace_at_pc(int kind)
{
	return kind == TR_ISSUE || kind == TR_PUSH || kind == TR_POP || kind == TR_RECONVERGE ||
		kind == TR_EXIT || kind == TR_ENTER ||
		kind == TR_REWRITE || kind == TR_RETURN;
}

char *trace_lanes(uint64_t mask, int warp_size, char buf[LANES_TEXT])
{
	char *p = buf;
	for (int i = 0; i < warp_size; i++) {
		if (i && i % LANES_GROUP == 0)
			*p++ = '\'';
		*p++ = mask >> i & 1 ? '1' : '.';
	}
	*p = 0;
	return buf;
}

int trace_lanes_width(int warp_size) { return warp_size + (warp_size - 1) / LANES_GROUP; }

static bool passes(const TraceFilter *f, const TraceEvent *e)
{
	return f->kinds >> e->kind & 1 && (f->sm < 0 || e->sm == f->sm) && (f->warp < 0 || e->warp == f->warp)
		&& e->cycle >= f->from && e->cycle <= f->to;
}

enum { MOST_LISTED = 20 };

bool trace_asked(TraceAsked *a, const TraceFilter *f, const TraceLaunch *l, int64_t number)
{
	bool kernel = !f->kernel || !strcmp(f->kernel, l->kernel),
		wanted = kernel && (f->launch < 0 || f->launch == number);
	a->launches = number + 1;
	a->found |= wanted;
	if (f->launch == number)
		a->of = arena_strdup(&a->arena, l->kernel);
	if (strmap_get(&a->kernels, l->kernel) < 0) {
		strmap_put(&a->kernels, arena_strdup(&a->arena, l->kernel), a->kernels.n);
		if (a->kernels.n <= MOST_LISTED)
			sb_printf(&a->list, "%s%s", a->kernels.n > 1 ? ", " : "", l->kernel);
	}
	return wanted;
}

bool trace_asked_found(const TraceAsked *a, const TraceFilter *f, Diag *diag)
{
	if (a->found || (!f->kernel && f->launch < 0))
		return true;
	if (f->launch >= a->launches)
		diag_error(diag, (Loc){ 0 }, "the trace has no launch %" PRId64 "; it has %"
			PRId64 " launch%s, counted from 0", f->launch, a->launches,
			a->launches == 1 ? "" : "es");
	else if (f->launch >= 0)
		diag_error(diag, (Loc){ 0 }, "launch %" PRId64 " of the trace is of kernel '%s', not of '%s'",
			f->launch, a->of, f->kernel);
	else if (!a->launches)
		diag_error(diag, (Loc){ 0 }, "the trace has no launch of kernel '%s', nor of another",
			f->kernel);
	else
		diag_error(diag, (Loc){ 0 }, "the trace has no launch of kernel '%s'; it has launches of "
			"%s%s", f->kernel, a->list.s, a->kernels.n > MOST_LISTED ? ", ..." : "");
	return false;
}

void trace_asked_free(TraceAsked *a)
{
	strmap_free(&a->kernels);
	sb_free(&a->list);
	arena_free(&a->arena);
}

typedef struct Exporting {
	TraceExport t;
	const TraceExporter *x;
	const TraceFilter *f;
	TraceAsked asked;
} Exporting;

/* Exports the launch with its events, if the filter asks for it. skip: reads no farther than the filter's
   last cycle. Returns what trace_next gave last, and the next launch in *next. */
static int export_launch(Exporting *p, TraceReader *r, const TraceLaunch *l, int number, bool skip,
	const TraceLaunch **next)
{
	TraceEvent e;
	int k = 1;
	p->t.launch = l;
	p->t.launch_number = number;
	bool wanted = trace_asked(&p->asked, p->f, l, number);
	if (wanted)
		p->x->launch(&p->t);
	else if (skip)
		return k;
	while ((k = trace_next(r, &e, next)) == 1 && !(skip && l->timed && e.cycle > p->f->to))
		if (wanted && passes(p->f, &e))
			p->x->event(&p->t, &e);
	if (wanted)
		p->x->finish(&p->t);
	return k;
}

static int export_in_order(Exporting *p, TraceReader *r)
{
	TraceEvent e;
	const TraceLaunch *next;
	int k = trace_next(r, &e, &next);
	for (int number = 0; k > 0; number++)
		k = export_launch(p, r, next, number, false, &next);
	return k;
}

static int export_by_index(Exporting *p, TraceReader *r, int64_t launches)
{
	const TraceLaunch *next;
	int k = 0;
	for (int64_t n = 0; n < launches && k >= 0; n++) {
		if (p->f->launch >= 0 && p->f->launch != n)
			continue;
		const TraceLaunch *l = trace_seek_events(r, (uint64_t)n, p->f->from);
		k = l ? export_launch(p, r, l, (int)n, true, &next) : -1;
	}
	p->asked.launches = launches;
	return k;
}

static bool asks_for_some(const TraceFilter *f)
{
	return f->kernel || f->launch >= 0 || f->from > 0 || f->to < UINT64_MAX;
}

bool trace_export(TraceReader *r, const TraceExporter *x, const TraceFilter *f, FILE *out, Diag *diag)
{
	Exporting p = { .t = { .out = out }, .x = x, .f = f };
	int64_t launches = asks_for_some(f) ? trace_launches(r) : -1;
	x->begin(&p.t);
	int k = launches < 0 ? export_in_order(&p, r) : export_by_index(&p, r, launches);
	x->end(&p.t);
	bool ok = k >= 0 && trace_asked_found(&p.asked, f, diag);
	trace_asked_free(&p.asked);
	return ok;
}

void trace_when(const TraceLaunch *l, FILE *out)
{
	if (l->run < 0)
		return;
	fprintf(out, "  run %d, stream %d", l->run, l->stream);
	if (l->timed)
		fprintf(out, ", started in cycle %" PRIu64 " of the run", l->started);
	putc('\n', out);
}

void trace_settings(const TraceLaunch *l, FILE *out)
{
	if (*l->configuration)
		fprintf(out, "  configuration %s%s%s\n", l->configuration, *l->changed ? ", changed: " : "",
			l->changed);
	if (*l->passes)
		fprintf(out, "  passes %s\n", l->passes);
}
