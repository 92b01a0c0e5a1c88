/* Which blocks of a sampled launch are timed, and what follows for the whole.
 *
 * The time of a grid is the time until its last blocks have their places, and what these take. The first
 * waves are timed from the begin until the machine has come to rest. From there to the last waves,
 * stretches of blocks are chosen; each is timed on the machine with some waves before it, which bring it
 * to rest, and a stretch takes from the cycle in which its first block gets its place to that of the
 * first block behind it. The last waves are timed likewise, to the very end. */
#include "sim/gpu/sampled.h"
#include "isa/print.h"
#include "lib/interrupt.h"
#include "sim/sample/study.h"
#include "sim/sm/sm.h"
#include <math.h>

enum {
	LEAST_WAVES = 48,              /* a grid of fewer waves is timed whole */
	LEAST_BEGIN = 6,               /* waves at the begin, at least */
	LEAST_STRETCH = 4,             /* waves of a stretch, at least */
	MOST_WARMING = 12
};

/* How the waves at the begin go. */
typedef struct Begin {
	const Sampling *s;
	const TimedPart *part;
	uint64_t most;                 /* waves, at most */
	double error;
	uint64_t waves;                /* waves that are over */
	bool rests;                    /* the machine has come to rest */
} Begin;

/* What blocks [from, to) do between the place of the first of them and that of the block behind: half of
   it is theirs, half that of the wave before, which ends in this time. */
static double work_between(const Sampling *s, uint64_t from, uint64_t to)
{
	uint64_t before = from >= s->wave ? s->wave : from;
	return ((double)sampled_issues(s, from, to) +
		(double)sampled_issues(s, from - before, to - before)) / 2;
}

static double cycles_between(const TimedPart *p, uint64_t from, uint64_t to)
{
	return (double)(p->begin[to - p->from] - p->begin[from - p->from]);
}

/* cycles of an issue, in waves [from, to) */
static double rate_of(const Sampling *s, const TimedPart *p, uint64_t from, uint64_t to)
{
	double work = work_between(s, from * s->wave, to * s->wave);
	return work > 0 ? cycles_between(p, from * s->wave, to * s->wave) / work : 0;
}

static bool has_begun(void *self, uint64_t n)
{
	Begin *b = self;
	const Sampling *s = b->s;
	if ((n - 1) % s->wave || n == 1)
		return false;
	uint64_t k = b->waves = (n - 1) / s->wave, last = k / 2 < 4 ? 4 : k / 2 & ~(uint64_t)1;
	if (k < LEAST_BEGIN)
		return false;
	double early = rate_of(s, b->part, k - last, k - last / 2),
		late = rate_of(s, b->part, k - last / 2, k);
	b->rests = fabs(early - late) <= b->error / 2 * late;
	return b->rests || k >= b->most;
}

/* After how many waves the machine may be taken to rest. *rest: how far its rate is then from that at the end
   of the begin, as a share. */
static uint64_t waves_to_rest(const Begin *b, uint64_t stretch, double error, double *rest)
{
	uint64_t k = b->waves, half = k / 2;
	double last = rate_of(b->s, b->part, half, k);
	for (uint64_t w = 2; w < half; w++) {
		uint64_t to = w + stretch < k ? w + stretch : k;
		*rest = last > 0 ? fabs(rate_of(b->s, b->part, w, to) / last - 1) : 0;
		if (*rest <= error / 4)
			return w;
	}
	return half < MOST_WARMING ? half : MOST_WARMING;
}

/* ---- what is timed ---- */

typedef struct Plan {
	uint64_t from, to;             /* the blocks between the begin and the end */
	uint64_t stretch, warming;     /* blocks of a stretch, and blocks that are timed before it */
	Study study;
} Plan;

/* Cuts what lies between into stretches; blocks that are left over go to the end. False: it is too little. */
static bool make_plan(Sampling *s, const Begin *b, Plan *p, double *rest)
{
	uint64_t stretch = b->waves / 4 > LEAST_STRETCH ? b->waves / 4 : LEAST_STRETCH;
	p->warming = waves_to_rest(b, stretch, b->error, rest) * s->wave;
	p->stretch = stretch * s->wave;
	p->from = b->waves * s->wave;
	uint64_t end = (s->blocks / s->wave - 1) * s->wave;
	if (end <= p->from)
		return false;
	p->study.n = (int)((end - p->from) / p->stretch);
	p->to = p->from + (uint64_t)p->study.n * p->stretch;
	if (p->study.n < 8)
		return false;
	p->study.stretch = arena_array(&s->arena, Stretch, p->study.n);
	for (int i = 0; i < p->study.n; i++) {
		uint64_t from = p->from + (uint64_t)i * p->stretch, to = from + p->stretch;
		p->study.stretch[i].work = work_between(s, from, to);
		p->study.stretch[i].mix = (double)(s->done[to].lanes - s->done[from].lanes) /
			(double)sampled_issues(s, from, to);
	}
	study_open(&p->study, s->gpu->options.sample_seed);
	return true;
}

static double half_rate(const Sampling *s, const TimedPart *t, uint64_t from, uint64_t to)
{
	double work = work_between(s, from, to);
	return work > 0 ? cycles_between(t, from, to) / work : 0;
}

static bool time_stretch(Sampling *s, Plan *p, int i)
{
	Stretch *x = &p->study.stretch[i];
	uint64_t from = p->from + (uint64_t)i * p->stretch, to = from + p->stretch,
		middle = from + p->stretch / 2;
	TimedPart t = { .from = from - p->warming, .to = to + 1 };
	if (!sampled_part(s, &t))
		return false;
	x->timed = true;
	x->cycles = cycles_between(&t, from, to);
	x->half[0] = half_rate(s, &t, from, middle);
	x->half[1] = half_rate(s, &t, middle, to);
	return true;
}

/* ---- the launch ---- */

static const char *no_sampling(const Gpu *g, const Grid *x, uint64_t wave)
{
	static _Thread_local char text[160];
	const char *order;
	if (x->together)
		return x->code->meeting ? "its blocks meet at a barrier of the whole grid"
			: "it is cooperative: all its blocks run at once";
	if (g->config.launch_warm)
		return "launch.warm asks for a run before the measured one";
	if (g->options.trace || g->options.intervals || g->options.instructions || x->launch->races)
		return "what is recorded needs every block";
	if (x->ctas < LEAST_WAVES * wave) {
		snprintf(text, sizeof text, "%llu blocks are fewer than %d times the %llu that the machine "
			"holds",
			(unsigned long long)x->ctas, LEAST_WAVES, (unsigned long long)wave);
		return text;
	}
	if ((order = sampled_depends_on_order(x->code)))
		return order;
	return NULL;
}

/* Times the end. Returns its cycles, from the place of its first block on; less than 0: it failed. */
static double time_end(Sampling *s, const Plan *p)
{
	TimedPart t = { .from = p->to - p->warming, .to = s->blocks };
	return sampled_part(s, &t) ? (double)(t.end - t.begin[p->to - t.from]) : -1;
}

/* Estimates the cycles of the launch. Returns why it cannot; NULL: they are in its statistics. */
static const char *estimate_launch(Sampling *s)
{
	double error = s->gpu->options.sample, rest = 0;
	TimedPart first = { .to = s->blocks, .enough = has_begun };
	Begin b = { .s = s, .part = &first, .error = error, .most = s->blocks / s->wave / 12 };
	b.most = b.most < 8 ? 8 : b.most;
	first.self = &b;
	Plan p = { 0 };
	if (!sampled_part(s, &first))
		return s->differs;
	s->start = first.start;
	if (!make_plan(s, &b, &p, &rest))
		return "the machine needs too many of its waves to come to rest";
	double begin = (double)(first.begin[p.from] - first.start),
		wave = cycles_between(&first, p.from - s->wave, p.from), end, half = 0, bias = 0, cycles = 0;
	for (Estimate e;;) {
		e = study_estimate(&p.study);
		if (e.known) {
			end = wave;
			cycles = begin + e.cycles + end;
			half = sqrt(e.half * e.half + 0.09 * wave * wave);
			bias = e.trend + rest / 2 * e.cycles;
			if (half + bias <= error * cycles)
				break;
		}
		int next = study_next(&p.study);
		if (next < 0 || s->timed_blocks > s->blocks / 3)
			return "its strata vary too much: a third of its blocks did not suffice";
		if (!time_stretch(s, &p, next))
			return s->differs;
	}
	end = time_end(s, &p);
	if (end < 0)
		return s->differs;
	cycles += end - wave;
	sampled_compose(s, (Cycle)(cycles + 0.5));
	s->grid->stats->totals.sample_squares = half * half;
	s->grid->stats->totals.sample_bias = bias;
	return NULL;
}

static bool run_whole(Gpu *g, Grid *x, const char *why, Failure *out)
{
	char *text = why ? arena_strdup(g->out, why) : NULL;
	bool ok = run_timed(g, out);
	x->stats->whole = text;
	return ok;
}

/* The machine's clock behind a launch that was sampled. */
static void end_launch(Sampling *s)
{
	Gpu *g = s->gpu;
	const Totals *t = &s->grid->stats->totals;
	sampled_set_clock(g, &s->clock);
	g->busy = s->clock.busy + t->cycles;
	g->empty = s->clock.empty + t->stalls[STALL_EMPTY];
	g->busy_until = g->ended = g->last_gone = s->start + t->cycles;
	g->host = g->host > g->ended ? g->host : g->ended;
	s->grid->begun = true;
}

static const char *try_sampling(Sampling *s, Failure *out)
{
	PrintBuffer *print = s->grid->launch->print;
	size_t printed = print ? print->text.n : 0;
	uint64_t lost = print ? print->lost : 0;
	if (!sampled_functional(s, out))
		return "its functional run, a block after the other, did not come to its end";
	MemoryCopy *after = memory_copy(s->gpu->memory);
	const char *why = print && (print->text.n != printed || print->lost != lost) ? "it prints"
		: estimate_launch(s);
	if (!why)
		memory_put_back(s->gpu->memory, after);
	memory_copy_free(after);
	if (why && print) {
		print->text.n = printed;
		print->lost = lost;
		if (print->text.s)
			print->text.s[printed] = 0;
	}
	return why;
}

/* Runs the one launch in the queue. */
static bool run_launch_sampled(Gpu *g, Failure *out)
{
	const char *what;
	Grid *x = g->queue.v[0];
	uint64_t wave = (uint64_t)(sm_capacity(&g->config, x, &what) * g->config.sm_count);
	const char *why = no_sampling(g, x, wave);
	if (why)
		return run_whole(g, x, why, out);
	Sampling s = { .gpu = g, .grid = x, .before = *x, .clock = sampled_clock(g), .blocks = x->ctas,
		.wave = wave, .memory = memory_copy(g->memory),
		.caches = mem_copy(g->mem, g->smmem, (int)g->config.sm_count) };
	s.done = xcalloc(x->ctas + 1, sizeof *s.done);
	why = try_sampling(&s, out);
	bool stop = is_interrupted(g->options.interrupted), ok = !why;
	if (!why)
		end_launch(&s);
	else if (!stop)
		sampled_put_back(&s);
	memory_copy_free(s.memory);
	mem_copy_free(s.caches);
	free(s.done);
	arena_free(&s.arena);
	arena_free(&s.counts.arena);
	*out = why ? (Failure){ .grid = x } : (Failure){ 0 };
	return ok || (!stop && run_whole(g, x, why, out));
}

bool sampled_run(Gpu *g, Failure *out)
{
	int n = g->queue.n;
	Grid **all = g->queue.v;
	bool ok = true, serial = true;
	for (int i = 0; i < n; i++)
		serial = serial && !all[i]->stream;
	if (!serial)
		return run_whole(g, all[0], "launches of several streams share the machine", out);
	g->queue.n = 1;
	for (int i = 0; ok && i < n; i++) {
		g->queue.v = &all[i];
		ok = run_launch_sampled(g, out);
	}
	g->queue.v = all;
	g->queue.n = n;
	return ok;
}
