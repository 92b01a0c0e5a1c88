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

/* What the rate of a machine that has run for some waves may differ by, as a share, from that of one that
   has run for hundreds: an assumption, by what tools/sampling measures (doc/sampling.md). */
#define SETTLING 0.005

enum {
	LEAST_WAVES = 96,              /* a grid of fewer waves is timed whole */
	LEAST_BEGIN = 24,              /* waves that are timed at the begin, at least */
	LEAST_STRETCH = 6, MOST_STRETCH = 48, WARMING = 4,     /* waves of a stretch, and in front of it */
	/* stretches of the begin that may be timed once more, and that are, at least */
	CONTROLS = 10, LEAST_CONTROLS = 3,
	MOST_SPOTS = 28, LEAST_SPOTS = 10,     /* places where other parts may begin */
	KEPT_LINES = 4 << 20           /* of caches, kept for all of these together */
};

/* The waves at the begin. */
typedef struct Begin { const Sampling *s; uint64_t waves; } Begin;

/* What blocks [from, to) do between the place of the first of them and that of the block behind: half of
   it is theirs, half that of the wave before, which ends in this time. */
static double work_between(const Sampling *s, uint64_t from, uint64_t to)
{
	uint64_t before = from >= s->wave ? s->wave : from;
	return ((double)sampled_issues(s, from, to) +
		(double)sampled_issues(s, from - before, to - before)) / 2;
}

/* When the block gets its place, on average over as many blocks around it as a wave has. Equal blocks come
   in steps, a wave at once or nearly; where in a step a stretch begins and ends makes no difference then. */
static double place_time(const Sampling *s, const TimedPart *p, uint64_t block)
{
	double sum = 0;
	uint64_t from = block - s->wave / 2 - p->from;
	for (uint64_t i = from; i < from + s->wave; i++)
		sum += (double)(p->begin[i] - p->begin[0]);
	return (double)p->begin[0] + sum / (double)s->wave;
}

static double cycles_between(const Sampling *s, const TimedPart *p, uint64_t from, uint64_t to)
{
	return place_time(s, p, to) - place_time(s, p, from);
}

static bool has_begun(void *self, uint64_t n)
{
	const Begin *b = self;
	return n >= (b->waves + 1) * b->s->wave;
}

/* ---- where parts may begin ---- */

static uint64_t waves_of_stretch(const Sampling *s)
{
	uint64_t n = s->blocks / s->wave / 1000;
	return n < LEAST_STRETCH ? LEAST_STRETCH : n > MOST_STRETCH ? MOST_STRETCH : n & ~(uint64_t)1;
}

static uint64_t waves_at_begin(const Sampling *s)
{
	uint64_t n = s->blocks / s->wave / 8, most = 4 * waves_of_stretch(s) + 16;
	return n < LEAST_BEGIN ? LEAST_BEGIN : n > most ? most : n;
}

/* Chooses n waves by chance, one in each of n equal pieces of waves [from, to), and puts the blocks with
   which they begin into the list. */
static void choose_in(Sampling *s, uint64_t from, uint64_t to, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t first = from + (to - from) * i / n, behind = from + (to - from) * (i + 1) / n,
			chance = study_mix(study_mix(s->gpu->options.sample_seed) + (uint64_t)s->nspots);
		s->spot[s->nspots++] = (first + (behind > first ? chance % (behind - first) : 0)) * s->wave;
	}
}

/* Chooses where parts may begin: some in the begin of the grid, some between it and the end, one before
   the end. What caches hold there is kept, so there are the fewer of them the larger the caches are. */
static void choose_spots(Sampling *s)
{
	const Config *c = &s->gpu->config;
	uint64_t lines = (uint64_t)(c->l2_bytes / c->l2_line) + 1, begin = waves_at_begin(s),
		end = s->blocks / s->wave - 1 - WARMING, n = KEPT_LINES / lines;
	n = n > MOST_SPOTS ? MOST_SPOTS : n < LEAST_SPOTS ? LEAST_SPOTS : n;
	s->spot = arena_array(&s->arena, uint64_t, n + CONTROLS + 1);
	s->held = arena_array(&s->arena, MemCopy *, n + CONTROLS + 1);
	choose_in(s, begin / 4, begin - waves_of_stretch(s) - WARMING, CONTROLS);
	choose_in(s, begin - WARMING, end - waves_of_stretch(s), n);
	s->spot[s->nspots++] = end * s->wave;
}

/* ---- what is timed ---- */

typedef struct Plan {
	uint64_t from, to;             /* the blocks between the begin and the end */
	uint64_t stretch, warming;     /* blocks of a stretch, and blocks that are timed before it */
	Study study;                   /* its candidates are the places behind the controls */
	/* What a stretch of the begin took, as a multiple of what it took when it was timed alone: the
	   mean, and within which share the truth is with a probability of 95 %. */
	double factor, within;
	int controls;                  /* how many these were */
	double sum, squares;           /* of these multiples */
} Plan;

static Stretch stretch_of(const Sampling *s, uint64_t from, uint64_t to)
{
	return (Stretch){ .work = work_between(s, from, to), .mix = (double)(s->done[to].lanes -
		s->done[from].lanes) / (double)sampled_issues(s, from, to) };
}

/* Cuts what lies between into stretches, and makes candidates of those behind the places where parts may
   begin. */
static void make_plan(Sampling *s, uint64_t begin, Plan *p)
{
	Study *y = &p->study;
	p->warming = WARMING * s->wave;
	p->stretch = waves_of_stretch(s) * s->wave;
	p->from = begin * s->wave;
	p->to = s->spot[s->nspots - 1] + p->warming;
	y->n = (int)((p->to - p->from) / p->stretch);
	y->stretch = arena_array(&s->arena, Stretch, y->n);
	for (int i = 0; i < y->n; i++) { /* the last one has what is left over, too */
		uint64_t from = p->from + (uint64_t)i * p->stretch;
		y->stretch[i] = stretch_of(s, from, i + 1 < y->n ? from + p->stretch : p->to);
	}
	y->ncandidates = s->nspots - CONTROLS - 1;
	y->candidate = arena_array(&s->arena, Stretch, y->ncandidates);
	for (int i = 0; i < y->ncandidates; i++) {
		uint64_t from = s->spot[CONTROLS + i] + p->warming;
		y->candidate[i] = stretch_of(s, from, from + p->stretch);
	}
	study_open(y, s->gpu->options.sample_seed);
}

static double half_rate(const Sampling *s, const TimedPart *t, uint64_t from, uint64_t to)
{
	double work = work_between(s, from, to);
	return work > 0 ? cycles_between(s, t, from, to) / work : 0;
}

/* Times the stretch behind the place. */
static bool time_stretch(Sampling *s, const Plan *p, int spot, Stretch *x)
{
	uint64_t from = s->spot[spot] + p->warming, to = from + p->stretch, middle = from + p->stretch / 2;
	TimedPart t = { .from = s->spot[spot], .to = to + s->wave, .caches = s->held[spot],
		.stagger = s->stagger };
	if (!sampled_part(s, &t))
		return false;
	x->timed = true;
	x->cycles = cycles_between(s, &t, from, to);
	x->half[0] = half_rate(s, &t, from, middle);
	x->half[1] = half_rate(s, &t, middle, to);
	return true;
}

/* Times a stretch of the begin once more, alone, as those behind it will be. So it is known what a
   stretch takes in the whole run for what it takes alone: a machine that has run on for long has its
   blocks at other stages, and its caches and DRAM in other states, than a few waves bring about. */
static bool time_control(Sampling *s, const TimedPart *first, Plan *p)
{
	/* one here, one there: first every other of the places, then those between */
	int half = (CONTROLS + 1) / 2, n = p->controls, k = n < half ? 2 * n : 2 * (n - half) + 1;
	Stretch alone = { 0 };
	uint64_t from = s->spot[k] + p->warming;
	if (!time_stretch(s, p, k, &alone))
		return false;
	double f = alone.cycles > 0 ? cycles_between(s, first, from, from + p->stretch) / alone.cycles : 1;
	p->sum += f;
	p->squares += f * f;
	double m = ++p->controls, variance = m > 1 ? (p->squares - p->sum * p->sum / m) / (m - 1) : 0;
	p->factor = p->sum / m;
	p->within = variance > 0 ? study_quantile(m - 1) * sqrt(variance / m) / p->factor : 0;
	return true;
}

/* By how much the estimate may be wrong: by chance, with a probability of 5 %, and besides. */
typedef struct Bounds { double half, bias; } Bounds;

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
	if ((order = sampled_depends_on_order(x->code)))
		return order;
	if (g->options.sample <= SETTLING)
		return "no interval is that narrow: what the machine has run before counts for 0.5 %";
	if (x->ctas < LEAST_WAVES * wave) {
		snprintf(text, sizeof text, "%llu blocks are fewer than %d times the %llu that the machine "
			"holds",
			(unsigned long long)x->ctas, LEAST_WAVES, (unsigned long long)wave);
		return text;
	}
	return NULL;
}

/* The blocks with which a part begins get their places as far apart as those of the last wave of the
   begin. */
static void stagger_blocks(Sampling *s, const TimedPart *first, uint64_t last)
{
	s->stagger = arena_array(&s->arena, Cycle, s->wave);
	for (uint64_t i = 0; i < s->wave; i++)
		s->stagger[i] = first->begin[last - s->wave + i] - first->begin[last - s->wave];
}

/* Times the end. Returns its cycles, from the place of its first block on; less than 0: it failed. */
static double time_end(Sampling *s, const Plan *p)
{
	int last = s->nspots - 1;
	TimedPart t = { .from = s->spot[last], .to = s->blocks, .caches = s->held[last],
		.stagger = s->stagger };
	return sampled_part(s, &t) ? ((double)t.end - place_time(s, &t, p->to)) : -1;
}

/* Times stretches until the interval of the whole is narrow enough. Returns why it cannot be; NULL:
   *cycles are those up to the end, *half and *bias make the interval. */
static const char *time_between(Sampling *s, const TimedPart *first, Plan *p, double *cycles, Bounds *i)
{
	double error = s->gpu->options.sample, begin = place_time(s, first, p->from) - (double)first->start,
		wave = cycles_between(s, first, p->from - s->wave, p->from);
	while (s->timed_blocks <= s->blocks / 2) {
		Estimate e = study_estimate(&p->study);
		bool control = p->controls < LEAST_CONTROLS;
		if (e.known && !control) {
			double factor = p->within * e.cycles, end = wave / 4;
			*cycles = begin + e.cycles * p->factor;
			i->half = sqrt(e.half * e.half + factor * factor + end * end);
			i->bias = SETTLING * e.cycles;
			if (i->half + i->bias <= error * (*cycles + wave))
				return NULL;
		}
		int next = study_next(&p->study);
		control = control || (p->controls < CONTROLS && e.known && p->within * e.cycles > e.half);
		if (!control && next < 0)
			break;
		if (control ? !time_control(s, first, p)
			: !time_stretch(s, p, CONTROLS + next, &p->study.candidate[next]))
			return s->differs;
	}
	return "its strata vary too much: half of its blocks did not suffice";
}

/* Estimates the cycles of the launch. Returns why it cannot; NULL: they are in its statistics. */
static const char *estimate_launch(Sampling *s)
{
	Begin b = { s, waves_at_begin(s) };
	TimedPart first = { .to = s->blocks, .enough = has_begun, .self = &b, .caches = s->caches };
	Plan p = { 0 };
	Bounds i = { 0 };
	double cycles = 0;
	if (!sampled_part(s, &first))
		return s->differs;
	s->start = first.start;
	make_plan(s, b.waves, &p);
	stagger_blocks(s, &first, p.from);
	const char *why = time_between(s, &first, &p, &cycles, &i);
	if (why)
		return why;
	double end = time_end(s, &p);
	if (end < 0)
		return s->differs;
	sampled_compose(s, (Cycle)(cycles + end + 0.5));
	s->grid->stats->totals.sample_squares = i.half * i.half;
	s->grid->stats->totals.sample_bias = i.bias;
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
	machine_turn_back(g, &s->clock);
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
	Sampling s = { .gpu = g, .grid = x, .before = *x, .clock = machine_clock(g), .blocks = x->ctas,
		.wave = wave, .memory = memory_copy(g->memory),
		.caches = mem_copy(g->mem, g->smmem, (int)g->config.sm_count) };
	s.done = xcalloc(x->ctas + 1, sizeof *s.done);
	choose_spots(&s);
	why = try_sampling(&s, out);
	bool stop = is_interrupted(g->options.interrupted), ok = !why;
	if (!why)
		end_launch(&s);
	else if (!stop)
		sampled_put_back(&s);
	memory_copy_free(s.memory);
	mem_copy_free(s.caches);
	for (int i = 0; i < s.nspots; i++)
		if (s.held[i])
			mem_copy_free(s.held[i]);
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
