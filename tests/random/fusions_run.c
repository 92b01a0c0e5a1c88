/* One random host program: its runs, as it is and after fusion. */
#include "tests/random/fusions_own.h"

const char *const fusion_way[FUSION_WAYS] = { "the reference", "ipdom", "its", "tf_stack" };

/* ---- runs ---- */

Run *fusion_execute(Trial *t, const Module *m, int way, bool races, const char *after)
{
	static Config config[FUSION_WAYS];    /* outlives the run */
	static bool known;
	Diag d = { 0 };
	for (int k = 0; !known && k < FUSION_WAYS; k++) {
		differential_machine(&config[k]);
		must(!k || config_set_model(&config[k], fusion_way[k], &d));
	}
	known = true;
	RunOptions o = { .gpu = { .functional = true }, .reference = way == 0, .laws = true, .races = races,
		.race_launches = races };
	Run *r = run_new(&config[way], m, &o, &d);
	must(r);
	run_main(r, NULL);
	t->tally->runs++;
	if (r->status != RUN_OK && !r->racing)
		FAIL(t, "%s, %s: the run fails: %s", after, fusion_way[way], r->failure);
	r->diag = NULL;
	diag_free(&d);
	return r;
}

/* All buffers that are there at the end of both, in bytes. Variables' buffers come first; modules have the
   same ones. */
void fusion_same_memory(Trial *t, const Run *b, int way, const char *after)
{
	const Run *a = t->want;
	if (a->buffer.n != b->buffer.n) {
		FAIL(t, "%s, %s: %d buffers, expected %d", after, fusion_way[way], b->buffer.n, a->buffer.n);
		return;
	}
	for (int k = 0; k < a->buffer.n; k++) {
		const RunBuffer *x = &a->buffer.v[k], *y = &b->buffer.v[k];
		uint64_t n = x->n * (uint64_t)type_bytes(x->type), at = 0;
		const uint8_t *p = run_data(a, x), *q = run_data(b, y);
		if (!p && !q)
			continue;
		if (!p || !q || n != y->n * (uint64_t)type_bytes(y->type)) {
			FAIL(t, "%s, %s: buffer %d has another size", after, fusion_way[way], k);
			continue;
		}
		while (at < n && p[at] == q[at])
			at++;
		if (at < n)
			FAIL(t, "%s, %s: %s differs at byte %llu: 0x%02x, expected 0x%02x", after,
				fusion_way[way], x->name, (unsigned long long)at, q[at], p[at]);
	}
}

bool fusion_same_configuration(const LaunchStats *a, const NotedLaunch *b)
{
	return !memcmp(a->grid, b->grid, sizeof b->grid) && !memcmp(a->block, b->block, sizeof b->block) &&
		a->stream == b->stream;
}

/* ---- the program as it is ---- */

/* The detector of races against the notes: in each launch, and between it and the one before it in its
   stream. */
static void check_detector(Trial *t)
{
	for (int k = 0; k < t->noted.launch.n && !t->failed; k++) {
		const LaunchStats *l = t->want->launch.v[k];
		const NotedLaunch *x = &t->noted.launch.v[k],
			*last = l->behind ? &t->noted.launch.v[l->behind - 1] : NULL;
		if ((l->tables.races.n > 0) != x->race)
			FAIL(t, "launch %d of %s: --race-check finds %d races, the notes %s", k, x->kernel,
				l->tables.races.n, x->race ? "some" : "none");
		else if (last && !memcmp(last->grid, x->grid, sizeof x->grid) &&
			(l->nbetween > 0) != fusion_conflict(&t->noted, (int)(last - t->noted.launch.v),
			k).race)
			FAIL(t, "launches %d and %d: --race-check finds %d races, the notes %s",
				(int)(last - t->noted.launch.v), k, l->nbetween,
				l->nbetween ? "none" : "some");
	}
}

static void as_it_is(Trial *t, const Module *m)
{
	t->want = fusion_execute(t, m, 0, true, "as it is");
	if (!t->failed && t->want->launch.n != t->noted.launch.n)
		FAIL(t, "%d launches, %d in the text with notes", t->want->launch.n, t->noted.launch.n);
	for (int k = 0; k < t->noted.launch.n && !t->failed; k++)
		if (strcmp(t->want->launch.v[k]->kernel, t->noted.launch.v[k].kernel) ||
			!fusion_same_configuration(t->want->launch.v[k], &t->noted.launch.v[k]))
			FAIL(t, "launch %d is another one in the text with notes", k);
	if (!t->failed)
		check_detector(t);
	for (int way = 1; way < FUSION_WAYS && !t->failed; way++) {
		Run *r = fusion_execute(t, m, way, false, "as it is");
		if (!t->noted.racy && !t->failed)
			fusion_same_memory(t, r, way, "as it is");
		run_free(r);
	}
	t->tally->launches += (uint64_t)t->noted.launch.n;
	for (int k = 1; k < t->noted.launch.n; k++) {
		const NotedLaunch *a = &t->noted.launch.v[k - 1], *b = &t->noted.launch.v[k];
		if (!memcmp(a->grid, b->grid, sizeof b->grid) &&
			!memcmp(a->block, b->block, sizeof b->block) && a->stream == b->stream) {
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
	t.plain = m;
	tally->programs++;
	fusion_notes(&t.p, &t.noted);
	tally->racy += t.noted.racy;
	if (!m || !ir_verify(m, &d))
		FAIL(&t, "the program is not valid: line %d: %s", d.item.v[0].loc.line, d.item.v[0].text);
	else if (*t.noted.text)
		FAIL(&t, "%s", t.noted.text);
	else
		as_it_is(&t, m);
	if (!t.failed)
		fusions_after(&t, m);
	if (t.want)
		run_free(t.want);
	if (m)
		module_free(m);
	diag_free(&d);
	fusion_notes_free(&t.noted);
	fusion_program_free(&t.p);
	return !t.failed;
}
