#include "traces/export.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include <string.h>

int trace_kind(const char *name, size_t n)
{
	for (int k = 0; k < TR_COUNT; k++)
		if (!strncmp(trace_kind_name[k], name, n) && !trace_kind_name[k][n])
			return k;
	return -1;
}

const TraceIns *trace_ins(const TraceLaunch *l, uint64_t pc) { return pc < (uint64_t)l->nins ? &l->ins[pc] : NULL; }

const char *trace_reason(const TraceLaunch *l, uint64_t why)
{
	return why < (uint64_t)l->nreasons ? l->reason[why] : why == UINT16_MAX ? "chooses" : "?";
}

bool trace_at_pc(int kind)
{
	return kind == TR_ISSUE || kind == TR_PUSH || kind == TR_POP || kind == TR_RECONVERGE || kind == TR_EXIT || kind == TR_ENTER ||
		kind == TR_REWRITE || kind == TR_RETURN;
}

char *trace_lanes(uint64_t mask, int warp_size, char buf[24])
{
	if (warp_size > 8) {
		snprintf(buf, 24, "%0*llx", (warp_size + 3) / 4, (unsigned long long)mask);
		return buf;
	}
	for (int i = 0; i < warp_size; i++)
		buf[i] = mask >> i & 1 ? '1' : '.';
	buf[warp_size] = 0;
	return buf;
}

static bool passes(const TraceFilter *f, const TraceEvent *e)
{
	return f->kinds >> e->kind & 1 && (f->sm < 0 || e->sm == f->sm) && (f->warp < 0 || e->warp == f->warp)
		&& e->cycle >= f->from && e->cycle <= f->to;
}

/* The kernels of a trace, each once, in the order of their first launches. */
typedef struct Kernels { Arena arena; StrMap map; StrBuf list; } Kernels;

enum { MOST_LISTED = 20 };

static void note_kernel(Kernels *s, const char *kernel)
{
	if (strmap_get(&s->map, kernel) >= 0)
		return;
	strmap_put(&s->map, arena_strdup(&s->arena, kernel), s->map.n);
	if (s->map.n <= MOST_LISTED)
		sb_printf(&s->list, "%s%s", s->map.n > 1 ? ", " : "", kernel);
}

static bool kernel_found(Kernels *s, const char *kernel, Diag *diag)
{
	bool found = !kernel || strmap_get(&s->map, kernel) >= 0;
	if (!found && !s->map.n)
		diag_error(diag, (Loc){ 0 }, "the trace has no launch of kernel '%s', nor of another", kernel);
	else if (!found)
		diag_error(diag, (Loc){ 0 }, "the trace has no launch of kernel '%s'; it has launches of %s%s", kernel, s->list.s,
			s->map.n > MOST_LISTED ? ", ..." : "");
	strmap_free(&s->map);
	sb_free(&s->list);
	arena_free(&s->arena);
	return found;
}

bool trace_export(TraceReader *r, const TraceExporter *x, const TraceFilter *f, FILE *out, Diag *diag)
{
	TraceExport t = { .out = out, .launch_number = -1 };
	const TraceLaunch *next;
	TraceEvent e;
	Kernels kernels = { 0 };
	bool wanted = false;
	int k;
	x->begin(&t);
	while ((k = trace_next(r, &e, &next)) > 0) {
		if (k == 1) {
			if (wanted && passes(f, &e))
				x->event(&t, &e);
			continue;
		}
		if (wanted)
			x->finish(&t);
		t.launch = next;
		t.launch_number++;
		note_kernel(&kernels, next->kernel);
		wanted = (!f->kernel || !strcmp(f->kernel, next->kernel)) && (f->launch < 0 || f->launch == t.launch_number);
		if (wanted)
			x->launch(&t);
	}
	if (wanted)
		x->finish(&t);
	x->end(&t);
	bool found = kernel_found(&kernels, k == 0 ? f->kernel : NULL, diag);
	if (fflush(out) || ferror(out)) {
		diag_error(diag, (Loc){ 0 }, "the output could not be written");
		return false;
	}
	return k == 0 && found;
}

void trace_settings(const TraceLaunch *l, FILE *out)
{
	if (*l->configuration)
		fprintf(out, "  configuration %s%s%s\n", l->configuration, *l->changed ? ", changed: " : "", l->changed);
	if (*l->passes)
		fprintf(out, "  passes %s\n", l->passes);
}
