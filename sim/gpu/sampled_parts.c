/* The runs of a sampled launch: the functional one, block by block, and the timed ones of rows of blocks. */
#include "sim/gpu/sampled.h"
#include "isa/print.h"
#include "sim/gpu/streams.h"
#include "sim/sm/sm.h"

void sampled_note_block(const Gpu *g, Grid *x)
{
	const Share *h = x->share[0];
	if (!g->sm[0].freed.n || !x->log->done)
		return;
	BlockWork now = { 0 };
	uint64_t issues = 0, lanes = 0;        /* of straight code, which is not in `count` yet */
	for (int pc = 0; pc < x->code->n; pc++) {
		issues += h->straight ? h->straight[pc].issues : 0;
		lanes += h->straight ? h->straight[pc].lanes : 0;
		now.issues += h->count[pc].issues + issues;
		now.lanes += h->count[pc].useful + lanes;
	}
	BlockLog *log = x->log;
	log->done[x->next_cta] = now;
	while (log->kept < log->nkeep && log->keep_at[log->kept] <= x->next_cta)
		log->keep[log->kept++] = mem_copy(g->mem, g->smmem, (int)g->config.sm_count);
}

void sampled_put_back(Sampling *s)
{
	const LaunchStats *stats = s->grid->stats;
	memory_put_back(s->gpu->memory, s->memory);
	machine_turn_back(s->gpu, &s->clock);
	mem_put_back(s->gpu->mem, s->gpu->smmem, (int)s->gpu->config.sm_count, s->caches);
	*s->grid = s->before;
	*s->grid->stats = (LaunchStats){ .stream = stats->stream };
}

bool sampled_functional(Sampling *s, Failure *out)
{
	Gpu *g = s->gpu;
	BlockLog log = { .done = s->done, .counts = &s->counts, .keep_at = s->spot, .nkeep = s->nspots,
		.keep = s->held };
	s->grid->log = &log;
	g->options.functional = g->touches = true;
	bool ok = run_functional(g, out);
	g->options.functional = g->touches = false;
	s->grid->log = NULL;
	return ok;
}

/* Adds what the part has counted. False: its blocks did something else than in the functional run. */
static bool add_part(Sampling *s, const TimedPart *p, const LaunchStats *st)
{
	const Totals *t = &st->totals;
	uint64_t issues = t->warp_instructions + t->overhead_warp,
		lanes = t->thread_instructions + t->overhead_thread;
	totals_add(&s->timed, t);
	s->timed_blocks += p->to - p->from;
	s->timed_issues += issues;
	if (issues == sampled_issues(s, p->from, p->to) &&
		lanes == s->done[p->to].lanes - s->done[p->from].lanes)
		return true;
	s->differs = "its blocks did not do in time what they did in the functional run: what they "
		"do depends on which comes first";
	return false;
}

bool sampled_part(Sampling *s, TimedPart *p)
{
	Gpu *g = s->gpu;
	Failure failure = { 0 };
	LaunchStats stats = { 0 };
	Grid y = s->before, *one = &y, **queue = g->queue.v;
	Arena *out = g->out, own = { 0 };
	p->begin = arena_array(&s->arena, Cycle, p->to - p->from);
	BlockLog log = { .first = p->from, .begin = p->begin, .enough = p->enough, .self = p->self,
		.stagger = p->stagger, .nstagger = s->wave,
		.counts = &s->counts };
	memory_put_back(g->memory, s->memory);
	/* the instruction caches have the code once the first part has run */
	mem_put_back(g->mem, g->smmem, p->from ? 0 : (int)g->config.sm_count, p->caches);
	machine_turn_back(g, &s->clock);
	y.stats = &stats;
	y.next_cta = p->from;
	y.ctas = p->to;
	y.log = &log;
	g->queue.v = &one;
	g->out = &own;
	bool ok = run_timed(g, &failure);
	g->queue.v = queue;
	g->out = out;
	p->start = y.begin;
	p->end = y.end;
	p->to = y.ctas;
	if (!ok)
		s->differs = failure.fault.kind ? "a part of its blocks did not run to its end alone"
			: "it was interrupted";
	ok = ok && add_part(s, p, &stats);
	arena_free(&own);
	return ok;
}
