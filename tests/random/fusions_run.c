/* One random host program: its runs, before and after fusion. */
#include "tests/random/differential.h"
#include "tests/random/fusions.h"
#include <stdio.h>

enum { WAYS = 4 };                     /* the reference interpreter first */
static const char *const way_name[WAYS] = { "the reference", "ipdom", "its", "tf_stack" };

typedef struct Trial {
	FusionProgram p;
	Noted noted;
	Run *want;                     /* the reference's run of the program as it is */
	FusionTally *tally;
	char *text;
	size_t room;
	bool failed;
} Trial;

/* Says what fails, the first time. */
#define FAIL(T, ...) ((T)->failed ? 0 : snprintf((T)->text, (T)->room, __VA_ARGS__), (T)->failed = true)

/* ---- runs ---- */

static Run *execute(Trial *t, const Module *m, int way, const char *after)
{
	static Config config[WAYS];    /* outlives the run */
	static bool known;
	Diag d = { 0 };
	for (int k = 0; !known && k < WAYS; k++) {
		differential_machine(&config[k]);
		must(!k || config_set_model(&config[k], way_name[k], &d));
	}
	known = true;
	RunOptions o = { .gpu = { .functional = true }, .reference = way == 0, .workload = NULL, .laws = true };
	Run *r = run_new(&config[way], m, &o, &d);
	must(r);
	run_main(r, NULL);
	t->tally->runs++;
	if (r->status != RUN_OK)
		FAIL(t, "%s, %s: the run fails: %s", after, way_name[way], r->failure);
	r->diag = NULL;
	diag_free(&d);
	return r;
}

/* All buffers that are there at the end of both, in bytes. Variables' buffers come first; modules have the same ones. */
static void same_memory(Trial *t, const Run *b, int way, const char *after)
{
	const Run *a = t->want;
	if (a->buffer.n != b->buffer.n) {
		FAIL(t, "%s, %s: %d buffers, expected %d", after, way_name[way], b->buffer.n, a->buffer.n);
		return;
	}
	for (int k = 0; k < a->buffer.n; k++) {
		const RunBuffer *x = &a->buffer.v[k], *y = &b->buffer.v[k];
		uint64_t n = x->n * (uint64_t)type_bytes(x->type), at = 0;
		const uint8_t *p = run_data(a, x), *q = run_data(b, y);
		if (!p && !q)
			continue;
		if (!p || !q || n != y->n * (uint64_t)type_bytes(y->type)) {
			FAIL(t, "%s, %s: buffer %d has another size", after, way_name[way], k);
			continue;
		}
		while (at < n && p[at] == q[at])
			at++;
		if (at < n)
			FAIL(t, "%s, %s: %s differs at byte %llu: 0x%02x, expected 0x%02x", after, way_name[way], x->name, (unsigned long long)at, q[at], p[at]);
	}
}

static bool same_configuration(const LaunchStats *a, const NotedLaunch *b)
{
	return !memcmp(a->grid, b->grid, sizeof b->grid) && !memcmp(a->block, b->block, sizeof b->block) && a->stream == b->stream;
}

/* ---- the program as it is ---- */

static void as_it_is(Trial *t, const Module *m)
{
	t->want = execute(t, m, 0, "as it is");
	if (!t->failed && t->want->launch.n != t->noted.launch.n)
		FAIL(t, "%d launches, %d in the text with notes", t->want->launch.n, t->noted.launch.n);
	for (int k = 0; k < t->noted.launch.n && !t->failed; k++)
		if (strcmp(t->want->launch.v[k]->kernel, t->noted.launch.v[k].kernel) || !same_configuration(t->want->launch.v[k], &t->noted.launch.v[k]))
			FAIL(t, "launch %d is another one in the text with notes", k);
	for (int way = 1; way < WAYS && !t->failed; way++) {
		Run *r = execute(t, m, way, "as it is");
		if (!t->noted.racy && !t->failed)
			same_memory(t, r, way, "as it is");
		run_free(r);
	}
	t->tally->launches += (uint64_t)t->noted.launch.n;
	for (int k = 1; k < t->noted.launch.n; k++) {
		const NotedLaunch *a = &t->noted.launch.v[k - 1], *b = &t->noted.launch.v[k];
		if (!memcmp(a->grid, b->grid, sizeof b->grid) && !memcmp(a->block, b->block, sizeof b->block) && a->stream == b->stream) {
			t->tally->pairs++;
			t->tally->illegal += fusion_conflict(&t->noted, k - 1, k).grid;
		}
	}
}

bool fusions_hold(uint64_t seed, FusionTally *tally, char *text, size_t n)
{
	Trial t = { .p = fusion_program(seed), .tally = tally, .text = text, .room = n };
	Diag d = { 0 };
	Module *m = ir_read(t.p.text.plain.s, t.p.text.plain.n, "random.ir", &d);
	tally->programs++;
	fusion_notes(&t.p, &t.noted);
	tally->racy += t.noted.racy;
	if (!m || !ir_verify(m, &d))
		FAIL(&t, "the program is not valid: line %d: %s", d.item.v[0].loc.line, d.item.v[0].text);
	else if (*t.noted.text)
		FAIL(&t, "%s", t.noted.text);
	else
		as_it_is(&t, m);
	if (t.want)
		run_free(t.want);
	if (m)
		module_free(m);
	diag_free(&d);
	fusion_notes_free(&t.noted);
	fusion_program_free(&t.p);
	return !t.failed;
}
