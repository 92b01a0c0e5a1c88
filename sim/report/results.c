/* Whether two runs had equal results, as their reports tell. */
#include "lib/hash.h"
#include "sim/report/report.h"

/* The name of a buffer, and whether it is a variable, as a key. */
static const char *buffer_key(Arena *a, const JsonValue *b)
{
	return json_get(b, "variable") ? arena_printf(a, "v%s", json_string(b, "variable"))
		: arena_printf(a, "b%s", json_string(b, "buffer"));
}

typedef enum { RESULT_IDENTICAL, RESULT_ALIKE, RESULT_DIFFERENT, RESULT_FREED, RESULT_IGNORED,
	RESULT_OPEN } Result;

static Result compare_buffer_hashes(const JsonValue *x, const JsonValue *y)
{
	const char *how = json_string(x, "compare"), *hash[2] =
		{ json_string(x, "hash"), json_string(y, "hash") };
	if (!strcmp(how, "ignore"))
		return RESULT_IGNORED;
	if (!*hash[0] || !*hash[1])
		return *hash[0] || *hash[1] ? RESULT_DIFFERENT : RESULT_FREED;
	if (strcmp(json_string(x, "type"), json_string(y, "type")) ||
		json_number(x, "count") != json_number(y, "count"))
		return RESULT_DIFFERENT;
	if (!strcmp(hash[0], hash[1]))
		return strcmp(how, "set") ? RESULT_IDENTICAL : RESULT_ALIKE;
	return strcmp(how, "tolerance") ? RESULT_DIFFERENT : RESULT_OPEN;
}

static double bytes_of(const JsonValue *b)
{
	int bits = atoi(json_string(b, "type") + (*json_string(b, "type") != 0));
	return json_number(b, "count") * bits / 8;
}

static int anonymous(const JsonValue *list)
{
	int n = 0;
	for (int i = 0; i < list->n; i++)
		n += json_get(&list->item[i], "buffer") != NULL;
	return n;
}

const char *report_compare_results(const JsonValue *before, const JsonValue *after, RunCompared *compared)
{
	const JsonValue *a = json_get(before, "buffers"), *b = json_get(after, "buffers");
	Arena arena = { 0 };
	StrMap at = { 0 };
	bool open = false;
	*compared = (RunCompared){ 0 };
	if (!a || !b || a->kind != JSON_ARRAY || b->kind != JSON_ARRAY || (!a->n && !b->n) ||
		strcmp(json_string(before, "status"), "ok") || strcmp(json_string(after, "status"), "ok"))
		return "";
	for (int i = b->n - 1; i >= 0; i--)
		strmap_put(&at, buffer_key(&arena, &b->item[i]), i);
	compared->different += anonymous(a) != anonymous(b);
	for (int i = 0; i < a->n; i++) {
		const JsonValue *x = &a->item[i];
		int k = strmap_get(&at, buffer_key(&arena, x));
		Result r = k < 0 ? RESULT_IGNORED : compare_buffer_hashes(x, &b->item[k]);
		compared->identical += r == RESULT_IDENTICAL;
		compared->alike += r == RESULT_ALIKE;
		compared->different += r == RESULT_DIFFERENT;
		compared->freed += r == RESULT_FREED;
		compared->ignored += r == RESULT_IGNORED && k >= 0;
		compared->bytes += r == RESULT_IDENTICAL ? (uint64_t)bytes_of(x) : 0;
		open |= r == RESULT_OPEN;
	}
	strmap_free(&at);
	arena_free(&arena);
	return compared->different ? "differ" : open ? "" : "equal";
}

static bool same_setting(const JsonValue *a, const JsonValue *b, const char *key)
{
	const JsonValue *x = json_get(a, key), *y = json_get(b, key);
	if (!x || !y || x->kind != JSON_ARRAY || y->kind != JSON_ARRAY)
		return !strcmp(json_string(a, key), json_string(b, key));
	bool same = x->n == y->n;
	for (int i = 0; i < x->n && same; i++)
		same = !strcmp(json_shown(&x->item[i]), json_shown(&y->item[i]));
	return same;
}

bool report_one_program(const JsonValue *a, const JsonValue *b)
{
	return same_setting(a, b, "workload") && same_setting(a, b, "arguments") &&
		(*json_string(a, "workload") || same_setting(a, b, "module"));
}
