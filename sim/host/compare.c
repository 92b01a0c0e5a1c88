/* Compares the results that two runs of one workload left in their buffers. */
#include "lib/hash.h"
#include "sim/host/run.h"
#include "sim/host/value.h"
#include <math.h>

const char *const compare_how_name[COMPARE_HOWS] = { "exact", "set", "tolerance", "ignore" };

const char *run_results(const RunCompared *c)
{
	return c->different ? "differ" : c->alone || !(c->identical + c->alike) ? "unknown" : "equal";
}

bool run_names_result(const char *name)
{
	return (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || !strncmp(name, "_Z", 2);
}

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

static uint64_t bytes_in_all(const RunBuffer *b) { return b->n * (uint64_t)type_bytes(b->type); }

/* Can the two be compared element by element? Compilers declare one variable as u32[1], b8[4] or f32. */
static bool same_elements(const RunBuffer *x, const RunBuffer *y)
{
	return x->n == y->n && type_bytes(x->type) == type_bytes(y->type);
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
		n->different += v || w;
		if (v || w)
			diag_error(p->diag, (Loc){ 0 }, "%s (%s[%llu]): freed %s, not %s", x->name,
				type_name[x->type], (unsigned long long)x->n, p->name[v != NULL],
				p->name[v == NULL]);
		return !v && !w;
	}
	uint64_t bytes = bytes_in_all(x);
	bool identical = bytes == bytes_in_all(y) && !memcmp(v, w, bytes);
	if (!identical && !same_elements(x, y)) {
		diag_error(p->diag, (Loc){ 0 }, "%s: the bytes differ: it is %s[%llu] %s, %s[%llu] %s",
			x->name, type_name[x->type], (unsigned long long)x->n, p->name[0],
			type_name[y->type], (unsigned long long)y->n, p->name[1]);
		n->different++;
		return false;
	}
	const RunBuffer *as = type_kind[y->type] == 'F' && y->how == x->how ? y : x; /* f32 beside b32 */
	bool same = identical || (x->how == COMPARE_SET ? compare_sets(p, x, v, w)
		: compare_elements(p, as, v, w));
	n->identical += identical;
	n->alike += same && !identical;
	n->different += !same;
	n->bytes += identical ? bytes : 0;
	return same;
}

/* How many variables of the run may hold results, and have no counterpart in the other run, whose names are
   given. */
static int count_alone(const Run *run, const StrMap *other)
{
	int n = 0;
	for (int i = 0; i < run->buffer.n; i++) {
		const RunBuffer *b = &run->buffer.v[i];
		n += b->symbol && b->how != COMPARE_IGNORE && run_names_result(b->name) &&
			strmap_get(other, b->name) < 0;
	}
	return n;
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
	RunCompared unasked = { 0 }, *n = compared ? compared : &unasked;
	BufferNames of_a = buffer_names(a), of_b = buffer_names(b);
	RunPair p = { { name_a, name_b }, diag };
	bool same = true;
	if (a->nanonymous != b->nanonymous) {
		diag_error(diag, (Loc){ 0 }, "%d buffers %s, %d %s", a->nanonymous, name_a, b->nanonymous,
			name_b);
		n->different++;
		same = false;
	}
	for (int i = 0; i < a->buffer.n; i++) {
		const RunBuffer *x = &a->buffer.v[i];
		int k = strmap_get(&of_b.of[x->symbol], x->name);
		same &= compare_buffer(&p, a, x, b, k < 0 ? NULL : &b->buffer.v[k], n);
	}
	n->alone += count_alone(a, &of_b.of[1]) + count_alone(b, &of_a.of[1]);
	for (int k = 0; k < 2; k++) {
		strmap_free(&of_a.of[k]);
		strmap_free(&of_b.of[k]);
	}
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

static uint64_t join_hashes(uint64_t a, uint64_t b)
{
	return hash_content((uint64_t[]){ a, b }, 2 * sizeof a);
}

bool run_hash_workload(const Run *run, const Module *source, uint64_t *hash)
{
	*hash = run->workload_file ? run->workload_text_hash : 0;
	for (int i = 0; i < run->loaded.n; i++)
		*hash = join_hashes(*hash, run->loaded.v[i].hash);
	for (int i = 0; i < source->func.n && run->host; i++) {
		StrBuf text = { 0 };
		if (source->func.v[i]->kind == FN_HOST)
			ir_print_function(source, source->func.v[i], &text);
		*hash = text.n ? join_hashes(*hash, hash_content(text.s, text.n)) : *hash;
		sb_free(&text);
	}
	return run->workload_file || run->host;
}

uint64_t run_hash_results(const Run *run)
{
	uint64_t all = 0, hash;
	for (int i = 0; i < run->buffer.n; i++) {
		const RunBuffer *b = &run->buffer.v[i];
		if (b->how == COMPARE_TOLERANCE || !run_hash_buffer(run, b, &hash))
			continue;
		all = join_hashes(all, hash);
	}
	return all;
}
