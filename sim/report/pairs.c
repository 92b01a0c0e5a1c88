#include "sim/report/pairs.h"
#include "lib/hash.h"

static const JsonValue *run_at(const JsonValue *runs, int i)
{
	return runs && runs->kind == JSON_ARRAY && i < runs->n ? &runs->item[i] : NULL;
}

const char *run_passes(const JsonValue *run)
{
	const char *p = json_string(run, "passes");
	return *p ? p : "none";
}

const char *run_name(Arena *a, const JsonValue *run)
{
	return arena_printf(a, "%s, passes %s", json_string(run, "model"), run_passes(run));
}

/* Returns a name for the run that no other run of its grid has. seen: how often runs with the same mechanism
   and passes have come. */
static const char *key_of(Arena *a, StrMap *seen, const JsonValue *run)
{
	const char *name = arena_printf(a, "%s\n%s", json_string(run, "model"), run_passes(run));
	int n = strmap_get(seen, name) + 1;
	strmap_put(seen, name, n);
	return arena_printf(a, "%d %s", n, name);
}

Pairs pairs_of(const JsonValue *before, const JsonValue *after)
{
	Arena a = { 0 };
	Pairs pairs = { 0 };
	StrMap at = { 0 }, seen[2] = { { 0 }, { 0 } };
	for (int i = 0; run_at(before, i); i++) {
		strmap_put(&at, key_of(&a, &seen[0], run_at(before, i)), i);
		vec_push(&pairs, ((GridPair){ { run_at(before, i), NULL }, NULL }));
	}
	for (int i = 0; run_at(after, i); i++) {
		int k = strmap_get(&at, key_of(&a, &seen[1], run_at(after, i)));
		if (k >= 0)
			pairs.v[k].of[1] = run_at(after, i);
		else
			vec_push(&pairs, ((GridPair){ { NULL, run_at(after, i) }, NULL }));
	}
	strmap_free(&at);
	strmap_free(&seen[0]);
	strmap_free(&seen[1]);
	arena_free(&a);
	return pairs;
}

/* Where a livelock or deadlock has its lanes, as "livelock in block L (k.ir:15)"; NULL: no launch has one. */
static const char *stuck_at(Arena *a, const JsonValue *run)
{
	const JsonValue *launches = json_get(run, "launches"), *d = NULL;
	for (int i = 0; run_at(launches, i) && !d; i++)
		d = json_get(run_at(launches, i), "diagnosis");
	const JsonValue *at = json_path(d, "who.at");
	const char *kind = json_string(d, "kind"), *label = json_string(at, "label"),
		*file = json_string(at, "file");
	if (!*kind)
		return NULL;
	if (!*label)
		return arena_printf(a, "%s", kind);
	return json_number(at, "line") > 0 ? arena_printf(a, "%s in block %s (%s:%.0f)", kind, label, file,
		json_number(at, "line"))
		: arena_printf(a, "%s in block %s", kind, label);
}

const char *run_ending(const JsonValue *run)
{
	const char *status = json_string(run, "status");
	return !strcmp(status, "ok") ? "" : !strcmp(status, "bad_input") ? "bad input" : status;
}

const char *run_outcome(Arena *a, const JsonValue *run)
{
	const char *word = run_ending(run), *error = json_string(run, "error"), *stuck = stuck_at(a, run);
	if (!*word)
		return "";
	if (stuck)
		return arena_printf(a, "%s: %s", word, stuck);
	return *error ? arena_printf(a, "%s: %.*s", word, (int)strcspn(error, "\n"), error) : word;
}
