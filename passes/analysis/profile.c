#include "passes/analysis/cost.h"
#include "lib/json.h"

static int by_name(const void *a, const void *b)
{
	const ProfileBlock *x = a, *y = b;
	int function = strcmp(x->function, y->function);
	return function ? function : strcmp(x->label, y->label);
}

typedef struct Gather { Arena *arena; Vec(ProfileBlock) block; const char *hash, *passes, *model; } Gather;

/* Blocks of a host function: it is one thread, and a fetch is what that executes. */
static void gather_host(Gather *g, const JsonValue *blocks)
{
	for (int k = 0; blocks && blocks->kind == JSON_ARRAY && k < blocks->n; k++) {
		const JsonValue *b = &blocks->item[k];
		uint64_t n = json_is_number(json_get(b, "executed")) && json_number(b, "executed") >= 0 ? (uint64_t)json_number(b, "executed") : 0;
		if (*json_string(b, "label"))
			vec_push(&g->block, ((ProfileBlock){ arena_strdup(g->arena, json_string(b, "function")), arena_strdup(g->arena, json_string(b, "label")), n, n }));
	}
}

/* The blocks of all launches: of the run, or of the run before where a report compares two. */
static void gather(Gather *g, const JsonValue *v)
{
	const JsonValue *run = json_get(v, "before") ? json_get(v, "before") : v, *blocks = json_get(json_get(run, "total"), "blocks");
	gather_host(g, json_get(run, "host_blocks"));
	g->hash = arena_strdup(g->arena, json_string(run, "module_hash"));
	g->passes = arena_strdup(g->arena, json_string(run, "passes"));
	g->model = arena_strdup(g->arena, json_string(run, "model"));
	for (int k = 0; blocks && blocks->kind == JSON_ARRAY && k < blocks->n; k++) {
		const JsonValue *b = &blocks->item[k];
		if (json_is_number(json_get(b, "fetches")) && json_number(b, "fetches") >= 0 && json_number(b, "threads") >= 0 && *json_string(b, "label"))
			vec_push(&g->block, ((ProfileBlock){ arena_strdup(g->arena, json_string(b, "function")), arena_strdup(g->arena, json_string(b, "label")),
				(uint64_t)json_number(b, "fetches"), (uint64_t)json_number(b, "threads") }));
	}
}

Profile *profile_read(Arena *a, const char *text, size_t n, const char *path, Diag *diag)
{
	Gather g = { .arena = a };
	const JsonValue *v = json_read(a, text, n, path, diag);
	if (!v)
		return NULL;
	gather(&g, v);
	if (!g.block.n) {
		diag_error(diag, (Loc){ path, 1, 1 }, "expected a report of one run (gsim --stats FILE), whose total has blocks; found none");
		vec_free(&g.block);
		return NULL;
	}
	Profile *p = arena_new(a, Profile);
	p->module_hash = g.hash;
	p->passes = g.passes;
	p->model = g.model;
	p->block = arena_array(a, ProfileBlock, g.block.n);
	qsort(g.block.v, (size_t)g.block.n, sizeof *g.block.v, by_name);
	for (int k = 0; k < g.block.n; k++) {
		ProfileBlock *b = &g.block.v[k], *last = p->n ? &p->block[p->n - 1] : NULL;
		if (last && !by_name(last, b)) {
			last->fetches += b->fetches;
			last->threads += b->threads;
		} else {
			p->block[p->n++] = *b;
		}
	}
	vec_free(&g.block);
	return p;
}

const ProfileBlock *profile_find(const Profile *p, const char *function, const char *label)
{
	ProfileBlock wanted = { function, label, 0, 0 };
	return bsearch(&wanted, p->block, (size_t)p->n, sizeof *p->block, by_name);
}
