/* Delta debugging (Zeller, Hildebrandt: Simplifying and Isolating Failure-Inducing Input, 2002), for each way
   of changing a module: ranges of its places, at first all of them, then halves, quarters and so on. */
#include "tools/reduce/shrink.h"
#include "lib/hash.h"
#include "lib/output.h"
#include "tools/reduce/edits.h"

static const double BETWEEN_LINES = 0.1;       /* s, from one progress line to the next */

/* The texts that have been tried, as hashes; 0: the place is free. */
typedef struct TextSet { uint64_t *slot; int n, cap; } TextSet;

/* A candidate that is being tried: the range that was changed. */
typedef struct Candidate { Module *m; uint64_t text; int from, size; TrialRun run; } Candidate;

/* Where the search for a way stands: ranges of `size` places, the next one begins at `from`. */
typedef struct Search {
	Shrink *s;
	const Reduction *way;
	int n, from, size, least;
	bool plain;                    /* marks go without saying */
	TextSet *seen;
	Candidate *queue;              /* in their order; the first one is waited for */
	int nqueue;
	bool used[TRIALS_MOST];        /* by number of a candidate's file */
} Search;

ShrinkSize shrink_size(const Module *m)
{
	ShrinkSize s = { 0 };
	for (int f = 0; f < m->func.n; f++) {
		const Function *x = m->func.v[f];
		s.functions += x->block.n > 0;
		s.blocks += x->block.n;
		for (int b = 0; b < x->block.n; b++)
			s.instructions += x->block.v[b]->ins.n;
	}
	return s;
}

/* ---- texts that were tried ---- */

static void put_hash(TextSet *t, uint64_t hash)
{
	uint64_t k = hash & (uint64_t)(t->cap - 1);
	while (t->slot[k] && t->slot[k] != hash)
		k = (k + 1) & (uint64_t)(t->cap - 1);
	t->n += !t->slot[k];
	t->slot[k] = hash;
}

static void grow_set(TextSet *t)
{
	TextSet old = *t;
	t->cap = old.cap ? 2 * old.cap : 1024;
	t->n = 0;
	t->slot = xcalloc((size_t)t->cap, sizeof *t->slot);
	for (int k = 0; k < old.cap; k++)
		if (old.slot[k])
			put_hash(t, old.slot[k]);
	free(old.slot);
}

/* A hash of the module's text; never 0. */
static uint64_t hash_module(const Module *m)
{
	StrBuf text = { 0 };
	reduce_print(m, &text);
	uint64_t hash = hash_content(text.s ? text.s : "", text.n) | 1;
	sb_free(&text);
	return hash;
}

static void add_text(TextSet *t, uint64_t hash)
{
	if (2 * t->n >= t->cap)
		grow_set(t);
	put_hash(t, hash);
}

static bool has_text(const TextSet *t, uint64_t hash)
{
	uint64_t k = hash & (uint64_t)(t->cap - 1);
	while (t->slot[k] && t->slot[k] != hash)
		k = (k + 1) & (uint64_t)(t->cap - 1);
	return t->slot[k] != 0;
}

/* ---- progress ---- */

static void show_progress(void *self)
{
	Search *x = self;
	Shrink *s = x->s;
	double now = trial_now();
	if (!s->progress || now - s->shown < BETWEEN_LINES)
		return;
	ShrinkSize size = shrink_size(s->best);
	s->shown = now;
	output_printf(stderr, "\r%d instructions, %d blocks, %d functions; %d candidates, %.0f s: %s",
		size.instructions, size.blocks, size.functions, s->tried, now - s->began, x->way->name);
	fputs("\033[K", stderr);
	fflush(stderr);
}

/* ---- candidates ---- */

bool shrink_valid(const Module *m, bool undefined)
{
	Diag d = { 0 };
	bool ok = ir_verify(m, &d);
	if (ok && !undefined) {
		Module *copy = module_copy(m);
		ir_warn_undefined(copy, &d);
		module_free(copy);
		ok = !d.item.n;
	}
	diag_free(&d);
	return ok;
}

/* Is the text, as a hash, that of a module that was tried, or of one that is being tried? */
static bool is_old(const Search *x, uint64_t text)
{
	for (int k = 0; k < x->nqueue; k++)
		if (x->queue[k].text == text)
			return true;
	return has_text(x->seen, text);
}

/* The module with this range changed; NULL: there is nothing to be changed, or what comes out is no valid
   module or an old one. */
static Module *make_candidate(const Search *x, int from, int size, uint64_t *text)
{
	Module *m = module_copy(x->s->best);
	if (x->way->change(m, from, from + size)) {
		reduce_settle(m, x->plain);
		if (shrink_valid(m, x->s->undefined) && !is_old(x, *text = hash_module(m)))
			return m;
	}
	module_free(m);
	return NULL;
}

static int free_slot(Search *x)
{
	int k = 0;
	while (x->used[k])
		k++;
	x->used[k] = true;
	return k;
}

static bool begin_candidate(Search *x, Module *m, uint64_t text, int from, int size)
{
	const char *why;
	Candidate *c = &x->queue[x->nqueue++];
	*c = (Candidate){ m, text, from, size, { 0 } };
	if (trial_begin(&c->run, x->s->test, m, free_slot(x), &why))
		return true;
	diag_error(x->s->diag, (Loc){ 0 }, "cannot begin a process: %s", why);
	return false;
}

static void drop_candidate(Search *x, int k)
{
	trial_kill(&x->queue[k].run);
	x->used[x->queue[k].run.slot] = false;
	module_free(x->queue[k].m);
	memmove(&x->queue[k], &x->queue[k + 1], sizeof *x->queue * (size_t)(x->nqueue - k - 1));
	x->nqueue--;
}

/* ---- the search ---- */

static void begin_ranges(Search *x)
{
	x->n = x->way->places(x->s->best);
	x->least = x->way->parts ? (x->n + x->way->parts - 1) / x->way->parts : 1;
	x->from = 0;
	x->size = x->n;
}

/* Moves to the next range. False: that was the last. */
static bool next_range(Search *x, int *from, int *size)
{
	while (x->size > 0 && x->from >= x->n) {
		x->size = x->size > x->least ? (x->size + 1) / 2 : 0;
		x->size = x->size && x->size < x->least ? x->least : x->size;
		x->from = 0;
	}
	*from = x->from;
	*size = x->size;
	x->from += x->size;
	return x->size > 0;
}

/* Keeps as many candidates in the queue as may run at the same time, as if none of them were interesting. */
static bool fill_queue(Search *x)
{
	int from, size;
	while (x->nqueue < x->s->processes && !*x->s->test->interrupted && next_range(x, &from, &size)) {
		uint64_t text;
		Module *m = make_candidate(x, from, size, &text);
		if (m && !begin_candidate(x, m, text, from, size))
			return false;
		show_progress(x);
	}
	return true;
}

/* The first candidate is interesting: it is the module from now on. Those behind it were made in vain, and
   count as never tried. */
static void take_first(Search *x)
{
	Candidate first = x->queue[0];
	while (x->nqueue > 1)
		drop_candidate(x, x->nqueue - 1);
	x->used[first.run.slot] = false;
	x->nqueue = 0;
	module_free(x->s->best);
	x->s->best = first.m;
	x->plain = reduce_plain(x->s->best);
	x->n = x->way->places(x->s->best);
	x->size = first.size;
	x->from = first.from;
}

static bool wait_for_first(Search *x)
{
	TrialRun *all[TRIALS_MOST];
	for (int k = 0; k < x->nqueue; k++)
		all[k] = &x->queue[k].run;
	return trial_wait(all, x->nqueue, all[0], x->s->test, show_progress, x);
}

/* Tries one way to its end. False: interrupted, or an error. *any: the module is smaller now. */
static bool try_way(Search *x, bool *any)
{
	begin_ranges(x);
	while (fill_queue(x) && x->nqueue && wait_for_first(x)) {
		const TrialRun *run = &x->queue[0].run;
		x->s->tried++;
		add_text(x->seen, x->queue[0].text);
		if (run->end == TRIAL_LOST) {
			diag_error(x->s->diag, (Loc){ x->s->test->folder, 0, 0 },
				"candidates cannot be written there");
			break;
		}
		if (run->end == TRIAL_YES) {
			take_first(x);
			*any = true;
		} else {
			drop_candidate(x, 0);
		}
	}
	while (x->nqueue)
		drop_candidate(x, 0);
	return !x->s->diag->errors && !*x->s->test->interrupted;
}

bool shrink(Shrink *s)
{
	TextSet seen = { 0 };
	Search x = { .s = s, .seen = &seen, .queue = xcalloc(TRIALS_MOST, sizeof *x.queue) };
	bool ok = true;
	add_text(&seen, hash_module(s->best));
	for (bool any = true; any && ok;) {
		any = false;
		for (int k = 0; reductions[k].name && ok; k++) {
			x.way = &reductions[k];
			x.plain = reduce_plain(s->best);
			ok = try_way(&x, &any);
		}
	}
	if (s->progress)
		fputs("\r\033[K", stderr);
	free(x.queue);
	free(seen.slot);
	return ok;
}
