/* Compares the results that two runs of one workload left in their buffers. */
#include "lib/hash.h"
#include "sim/host/run.h"
#include "sim/host/value.h"
#include <math.h>

const char *const compare_how_name[COMPARE_HOWS] = { "exact", "set", "tolerance", "ignore" };

typedef struct RunPair { const char *name[2]; Diag *diag; } RunPair;

static bool exact(const RunBuffer *b, const uint8_t *x, const uint8_t *y, uint64_t i)
{
	size_t n = (size_t)type_bytes(b->type);
	return !memcmp(x + i * n, y + i * n, n);
}

static bool close_enough(const RunBuffer *b, const uint8_t *x, const uint8_t *y, uint64_t i)
{
	if (exact(b, x, y, i))
		return true;
	double v = value_real(b->type, x, i), w = value_real(b->type, y, i);
	if (isnan(v) || isnan(w))
		return isnan(v) && isnan(w);
	double size = fabs(v) > fabs(w) ? fabs(v) : fabs(w);
	return fabs(v - w) <= b->tolerance * (size > 1 ? size : 1);
}

static void show_element(char *text, size_t n, const RunBuffer *b, const uint8_t *data, uint64_t i)
{
	if (type_kind[b->type] == 'F')
		snprintf(text, n, "%.9g", value_real(b->type, data, i));
	else if (type_kind[b->type] == 'S')
		snprintf(text, n, "%lld", (long long)value_integer(b->type, data, i));
	else
		snprintf(text, n, "%llu", (unsigned long long)value_integer(b->type, data, i));
}

static bool compare_elements(const RunPair *p, const RunBuffer *b, const uint8_t *x, const uint8_t *y)
{
	uint64_t bad = 0, first = 0;
	for (uint64_t i = 0; i < b->n; i++)
		if (b->how == COMPARE_TOLERANCE ? !close_enough(b, x, y, i) : !exact(b, x, y, i))
			if (!bad++)
				first = i;
	if (!bad)
		return true;
	char v[40], w[40];
	show_element(v, sizeof v, b, x, first);
	show_element(w, sizeof w, b, y, first);
	diag_error(p->diag, (Loc){ 0 }, "%s (%s[%llu]): element %llu is %s %s, %s %s; %llu elements differ",
		b->name, type_name[b->type], (unsigned long long)b->n, (unsigned long long)first, v,
		p->name[0], w, p->name[1], (unsigned long long)bad);
	return false;
}

static int by_bits(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static uint64_t *sorted(const RunBuffer *b, const uint8_t *data)
{
	size_t size = (size_t)type_bytes(b->type);
	uint64_t *v = xcalloc(b->n, sizeof *v);
	for (uint64_t i = 0; i < b->n; i++)
		memcpy(&v[i], data + i * size, size);
	qsort(v, b->n, sizeof *v, by_bits);
	return v;
}

static bool compare_sets(const RunPair *p, const RunBuffer *b, const uint8_t *x, const uint8_t *y)
{
	uint64_t *v = sorted(b, x), *w = sorted(b, y), i = 0;
	while (i < b->n && v[i] == w[i])
		i++;
	free(v);
	free(w);
	if (i < b->n)
		diag_error(p->diag, (Loc){ 0 }, "%s (%s[%llu]): the values differ, whatever their order, %s "
			"and %s", b->name, type_name[b->type], (unsigned long long)b->n, p->name[0],
			p->name[1]);
	return i == b->n;
}

/* Compares buffer x of run a with buffer y of run b. y NULL: run b has no such variable, or fewer buffers;
   nothing is compared. */
static bool compare_buffer(const RunPair *p, const Run *a, const RunBuffer *x, const Run *b,
	const RunBuffer *y, RunCompared *n)
{
	const uint8_t *v = run_data(a, x), *w = y ? run_data(b, y) : NULL;
	if (!y)
		return true;
	if (x->how == COMPARE_IGNORE) {
		n->ignored++;
		return true;
	}
	if (!v || !w) { /* a buffer that the host has freed is no result */
		n->freed++;
		if (v || w)
			diag_error(p->diag, (Loc){ 0 }, "%s (%s[%llu]): freed %s, not %s", x->name,
				type_name[x->type], (unsigned long long)x->n, p->name[v != NULL],
				p->name[v == NULL]);
		return !v && !w;
	}
	if (x->type != y->type || x->n != y->n) {
		diag_error(p->diag, (Loc){ 0 }, "%s: %s[%llu] %s, %s[%llu] %s", x->name, type_name[x->type],
			(unsigned long long)x->n, p->name[0], type_name[y->type], (unsigned long long)y->n,
			p->name[1]);
		n->different++;
		return false;
	}
	uint64_t bytes = x->n * (uint64_t)type_bytes(x->type);
	bool identical = !memcmp(v, w, bytes);
	bool same = identical || (x->how == COMPARE_SET ? compare_sets(p, x, v, w)
		: compare_elements(p, x, v, w));
	n->identical += identical;
	n->alike += same && !identical;
	n->different += !same;
	n->bytes += identical ? bytes : 0;
	return same;
}

/* A run's buffers and variables by their names; if several have the same name, the first one. of[1] has the
   variables of the module, of[0] the buffers. */
typedef struct BufferNames { StrMap of[2]; } BufferNames;

static BufferNames buffer_names(const Run *r)
{
	BufferNames n = { 0 };
	for (int k = r->buffer.n - 1; k >= 0; k--)
		strmap_put(&n.of[r->buffer.v[k].symbol], r->buffer.v[k].name, k);
	return n;
}

bool run_same(const Run *a, const Run *b, const char *name_a, const char *name_b, RunCompared *compared,
	Diag *diag)
{
	RunCompared unasked = { 0 };
	BufferNames names = buffer_names(b);
	RunPair p = { { name_a, name_b }, diag };
	bool same = true;
	if (a->nanonymous != b->nanonymous) {
		diag_error(diag, (Loc){ 0 }, "%d buffers %s, %d %s", a->nanonymous, name_a, b->nanonymous,
			name_b);
		same = false;
	}
	for (int i = 0; i < a->buffer.n; i++) {
		const RunBuffer *x = &a->buffer.v[i];
		int k = strmap_get(&names.of[x->symbol], x->name);
		same &= compare_buffer(&p, a, x, b, k < 0 ? NULL : &b->buffer.v[k],
			compared ? compared : &unasked);
	}
	strmap_free(&names.of[0]);
	strmap_free(&names.of[1]);
	return same;
}

bool run_hash_buffer(const Run *run, const RunBuffer *b, uint64_t *hash)
{
	const uint8_t *data = b->how == COMPARE_IGNORE ? NULL : run_data(run, b);
	if (!data)
		return false;
	if (b->how == COMPARE_SET) {
		uint64_t *v = sorted(b, data);
		*hash = hash_content(v, b->n * sizeof *v);
		free(v);
	} else {
		*hash = hash_content(data, b->n * (size_t)type_bytes(b->type));
	}
	return true;
}

uint64_t run_hash_results(const Run *run)
{
	uint64_t all = 0, hash;
	for (int i = 0; i < run->buffer.n; i++) {
		const RunBuffer *b = &run->buffer.v[i];
		if (b->how == COMPARE_TOLERANCE || !run_hash_buffer(run, b, &hash))
			continue;
		uint64_t both[2] = { all, hash };
		all = hash_content(both, sizeof both);
	}
	return all;
}
