/* Whether two runs had equal results, as their reports tell. */
#include "lib/hash.h"
#include "sim/report/report.h"
#include <limits.h>

/* The name of a buffer, and whether it is a variable, as a key. */
static const char *buffer_key(Arena *a, const JsonValue *b)
{
	return json_get(b, "variable") ? arena_printf(a, "v%s", json_string(b, "variable"))
		: arena_printf(a, "b%s", json_string(b, "buffer"));
}

typedef enum { RESULT_IDENTICAL, RESULT_ALIKE, RESULT_DIFFERENT, RESULT_FREED, RESULT_IGNORED,
	RESULT_OPEN } Result;

static int element_bits(const JsonValue *b)
{
	return atoi(json_string(b, "type") + (*json_string(b, "type") != 0));
}

static double bytes_of(const JsonValue *b) { return json_number(b, "count") * element_bits(b) / 8; }

static Result compare_buffer_hashes(const JsonValue *x, const JsonValue *y)
{
	const char *how = json_string(x, "compare"), *hash[2] =
		{ json_string(x, "hash"), json_string(y, "hash") };
	if (!strcmp(how, "ignore"))
		return RESULT_IGNORED;
	if (!*hash[0] || !*hash[1])
		return *hash[0] || *hash[1] ? RESULT_DIFFERENT : RESULT_FREED;
	if (bytes_of(x) != bytes_of(y))
		return RESULT_DIFFERENT;
	if (!strcmp(hash[0], hash[1]))
		return strcmp(how, "set") ? RESULT_IDENTICAL : RESULT_ALIKE;
	/* a hash of a set is of its sorted elements, which others of another size may be in another order */
	bool open = !strcmp(how, "tolerance") || (!strcmp(how, "set") && element_bits(x) != element_bits(y));
	return open ? RESULT_OPEN : RESULT_DIFFERENT;
}

static int anonymous(const JsonValue *list)
{
	int n = 0;
	for (int i = 0; i < list->n; i++)
		n += json_get(&list->item[i], "buffer") != NULL;
	return n;
}

static StrMap keys_of(Arena *a, const JsonValue *list)
{
	StrMap at = { 0 };
	for (int i = list->n - 1; i >= 0; i--)
		strmap_put(&at, buffer_key(a, &list->item[i]), i);
	return at;
}

/* How many variables of the list may hold results, and have no counterpart in the other list. */
static int count_alone(Arena *a, const JsonValue *list, const StrMap *other)
{
	int n = 0;
	for (int i = 0; i < list->n; i++) {
		const JsonValue *b = &list->item[i];
		n += json_get(b, "variable") && strcmp(json_string(b, "compare"), "ignore") &&
			run_names_result(json_string(b, "variable")) &&
			strmap_get(other, buffer_key(a, b)) < 0;
	}
	return n;
}

static const JsonValue *buffers_of(const JsonValue *report)
{
	const JsonValue *list = json_get(report, "buffers");
	return list && list->kind == JSON_ARRAY && !strcmp(json_string(report, "status"), "ok") ? list : NULL;
}

static void add_result(RunCompared *to, Result r, const JsonValue *buffer)
{
	to->identical += r == RESULT_IDENTICAL;
	to->alike += r == RESULT_ALIKE;
	to->different += r == RESULT_DIFFERENT;
	to->freed += r == RESULT_FREED;
	to->ignored += r == RESULT_IGNORED;
	to->bytes += r == RESULT_IDENTICAL ? (uint64_t)bytes_of(buffer) : 0;
}

const char *report_compare_results(const JsonValue *before, const JsonValue *after, RunCompared *compared)
{
	const JsonValue *a = buffers_of(before), *b = buffers_of(after);
	Arena arena = { 0 };
	bool open = false;
	*compared = (RunCompared){ 0 };
	if (!a || !b || !report_one_program(before, after))
		return "";
	StrMap at[2] = { keys_of(&arena, a), keys_of(&arena, b) };
	compared->different += anonymous(a) != anonymous(b);
	for (int i = 0; i < a->n; i++) {
		int k = strmap_get(&at[1], buffer_key(&arena, &a->item[i]));
		Result r = k < 0 ? RESULT_OPEN : compare_buffer_hashes(&a->item[i], &b->item[k]);
		add_result(compared, r, &a->item[i]);
		open |= k >= 0 && r == RESULT_OPEN;
	}
	compared->alone = count_alone(&arena, a, &at[1]) + count_alone(&arena, b, &at[0]);
	strmap_free(&at[0]);
	strmap_free(&at[1]);
	arena_free(&arena);
	return open && !compared->different ? "" : run_results(compared);
}

const JsonValue *report_both(Arena *a, const JsonValue *before, const JsonValue *after)
{
	RunCompared compared;
	const char *results = report_compare_results(before, after, &compared);
	StrBuf text = { 0 };
	JsonText t;
	Diag none = { 0 };
	if (!*results)
		return NULL;
	json_text(&t, &text);
	t.sink.begin(&t.sink, '{', false);
	json_put_text(&t.sink, "results", results);
	report_compared(&compared, &t.sink);
	t.sink.end(&t.sink);
	const JsonValue *v = json_read(a, text.s, text.n, "results", &none);
	must(v);
	sb_free(&text);
	diag_free(&none);
	return v;
}

/* A number of the report as a count; 0 if it is no number from 0 to `most`. */
static uint64_t count_within(const JsonValue *v, const char *key, double most)
{
	double n = json_number(v, key);
	return n >= 0 && n <= most ? (uint64_t)n : 0;
}

RunCompared report_read_compared(const JsonValue *both)
{
	const JsonValue *v = json_get(both, "compared");
	return (RunCompared){ .identical = (int)count_within(v, "identical", INT_MAX),
		.alike = (int)count_within(v, "alike", INT_MAX),
		.different = (int)count_within(v, "different", INT_MAX),
		.freed = (int)count_within(v, "freed", INT_MAX),
		.ignored = (int)count_within(v, "ignored", INT_MAX),
		.alone = (int)count_within(v, "alone", INT_MAX),
		.bytes = count_within(v, "bytes", 1e18) };
}

const char *report_results_of(const JsonValue *both)
{
	const char *results = json_string(both, "results");
	RunCompared compared = report_read_compared(both);
	return strcmp(results, "equal") ? results : run_results(&compared);
}

int report_left_out(const RunCompared *c) { return c->ignored + c->freed; }

const char *report_results_words(Arena *a, const char *results, const RunCompared *c)
{
	int compared = c->identical + c->alike, left = report_left_out(c);
	if (!strcmp(results, "equal") && left)
		return arena_printf(a, "equal (%d of %d buffers compared)", compared, compared + left);
	return strcmp(results, "unknown") ? *results ? results : "not compared"
		: c->identical + c->alike ? "unknown: only a part was compared"
		: "unknown: nothing was compared";
}

static bool same_arguments(const JsonValue *a, const JsonValue *b)
{
	const JsonValue *x = json_get(a, "arguments"), *y = json_get(b, "arguments");
	bool same = x && y && x->kind == JSON_ARRAY && y->kind == JSON_ARRAY && x->n == y->n;
	for (int i = 0; same && i < x->n; i++)
		same = !strcmp(json_shown(&x->item[i]), json_shown(&y->item[i]));
	return same;
}

bool report_one_program(const JsonValue *a, const JsonValue *b)
{
	const char *hash = json_string(a, "workload_hash");
	return *hash && !strcmp(hash, json_string(b, "workload_hash")) && same_arguments(a, b);
}
