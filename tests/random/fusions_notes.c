/* The accesses of every launch of a program, by running the text whose kernels note them on the reference
   interpreter. */
#include "tests/random/fusions.h"
#include <stdlib.h>

/* notes: address of the variable */
typedef struct Notes { Noted *to; uint64_t notes; Memory *memory; } Notes;

static bool note_launch(void *self, const Launch *l, int stream, Loc where, Fault *fault)
{
	Notes *n = self;
	NotedLaunch x = { .stream = stream, .first = n->to->note.n };
	uint8_t *words = memory_find(n->memory, n->notes, 8, &(const Alloc *){ NULL })->data;
	InterpOptions options = { .warp_size = 32, .max_steps = 200000 };
	uint64_t count = 0, w[4];
	(void)where;
	memcpy(words, &count, 8);
	if (!interp_launch(l, &options, fault))
		return false;
	snprintf(x.kernel, sizeof x.kernel, "%s", l->kernel->name);
	memcpy(x.grid, l->grid, sizeof x.grid);
	memcpy(x.block, l->block, sizeof x.block);
	memcpy(&count, words, 8);
	for (uint64_t k = 0; k < count; k++) {
		memcpy(w, words + 8 + 32 * k, sizeof w);
		Note a = { .addr = w[0], .bytes = (uint8_t)(w[1] >> 8), .kind = (uint8_t)w[1],
			.thread = (uint32_t)w[2], .block = (uint32_t)(w[2] >> 32), .epoch = (uint32_t)w[3] };
		if (a.kind)
			vec_push(&n->to->note, a);
	}
	x.n = n->to->note.n - x.first;
	vec_push(&n->to->launch, x);
	return true;
}

/* ---- what conflicts ---- */

static bool meet(const Note *a, const Note *b)
{
	return a->addr < b->addr + b->bytes && b->addr < a->addr + a->bytes &&
		(a->kind | b->kind) & NOTE_WRITE;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = ((const Note *)a)->addr, y = ((const Note *)b)->addr;
	return (x > y) - (x < y);
}

static void sort(Noted *n, const NotedLaunch *l)
{
	if (l->n)
		qsort(n->note.v + l->first, (size_t)l->n, sizeof *n->note.v, by_address);
}

/* Two threads of one launch, no barrier between them. Atomic operations whose results nobody reads may come
   in any order. */
static void find_races(const Noted *n, NotedLaunch *l)
{
	const Note *v = n->note.v + l->first;
	for (int i = 0; i < l->n && !l->race; i++)
		for (int j = i + 1; j < l->n && v[j].addr < v[i].addr + 8; j++) {
			if (!meet(&v[i], &v[j]) || v[i].kind & v[j].kind & NOTE_ATOMIC)
				continue;
			l->race |= v[i].block != v[j].block;
			l->racy |= v[i].block != v[j].block || (v[i].thread != v[j].thread &&
				v[i].epoch == v[j].epoch);
		}
}

FusionConflict fusion_conflict(const Noted *n, int a, int b)
{
	FusionConflict c = { 0 };
	const NotedLaunch *x = &n->launch.v[a], *y = &n->launch.v[b];
	int first = 0;
	for (int i = 0; i < x->n && !c.race; i++) {
		const Note *p = &n->note.v[x->first + i];
		while (first < y->n && n->note.v[y->first + first].addr + 8 <= p->addr)
			first++;
		for (int j = first; j < y->n && n->note.v[y->first + j].addr < p->addr + 8; j++) {
			const Note *q = &n->note.v[y->first + j];
			if (!meet(p, q) || (p->block == q->block && p->thread == q->thread))
				continue;
			c.addr = p->block != q->block || !c.grid ? p->addr : c.addr;
			c.grid |= p->block != q->block;
			c.race |= p->block != q->block && !(p->kind & q->kind & NOTE_ATOMIC);
			c.block |= p->block == q->block;
		}
	}
	return c;
}

/* ---- the run ---- */

void fusion_notes(const FusionProgram *p, Noted *n)
{
	Diag d = { 0 };
	Fault fault = { 0 };
	*n = (Noted){ 0 };
	Module *m = ir_read(p->text.noting.s, p->text.noting.n, "noting.ir", &d);
	if (!m || !ir_verify(m, &d)) {
		snprintf(n->text, sizeof n->text, "the text with notes is not valid: line %d: %s",
			d.item.v[0].loc.line, d.item.v[0].text);
	} else {
		Notes notes = { n, 0, memory_new((uint64_t)1 << 30) };
		uint64_t *symbol = xcalloc((size_t)m->symbol.n + 1, sizeof *symbol);
		must(memory_load_module(notes.memory, m, symbol));
		notes.notes = symbol[0];
		HostHooks hooks = { .self = &notes, .launch = note_launch, .max_steps = 1000000 };
		if (!host_run(m, module_find_function(m, "main"), notes.memory, symbol, &hooks, &fault))
			snprintf(n->text, sizeof n->text, "the text with notes: %.300s", fault.text);
		memory_free(notes.memory);
		free(symbol);
	}
	for (int k = 0; k < n->launch.n; k++) {
		sort(n, &n->launch.v[k]);
		find_races(n, &n->launch.v[k]);
		n->racy |= n->launch.v[k].racy;
	}
	if (m)
		module_free(m);
	diag_free(&d);
}

void fusion_notes_free(Noted *n)
{
	vec_free(&n->note);
	vec_free(&n->launch);
}
