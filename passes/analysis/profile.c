/* Profiles: what a run has counted of the source's blocks and branches, out of a report (sim/report/json.c
 * writes it). A report may be old, cut, or made by hand: a row with something else than what is expected in
 * it is an error that says where in the report it stands. */
#include "passes/analysis/profile.h"
#include "lib/json.h"
#include <inttypes.h>

typedef struct Gather {
	Arena *arena;
	Diag *diag;
	const char *path, *list;     /* list: path of keys to the list that is read, such as "total.blocks" */
	int row;
	Vec(ProfileBlock) block;
	Vec(ProfileBranch) branch;
} Gather;

static int by_block_name(const void *a, const void *b)
{
	const ProfileBlock *x = a, *y = b;
	int function = strcmp(x->function, y->function);
	return function ? function : strcmp(x->label, y->label);
}

static int by_branch(const void *a, const void *b)
{
	const ProfileBranch *x = a, *y = b;
	int function = strcmp(x->function, y->function), label = function ? 0 : strcmp(x->label, y->label);
	return function ? function : label ? label : (int)x->kind - (int)y->kind;
}

static uint64_t add_saturating(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

static void report_wrong_value(const Gather *g, const char *key, const char *want, const JsonValue *got)
{
	diag_error(g->diag, (Loc){ g->path, 1, 1 }, "%s[%d].%s: expected %s, found %.40s", g->list, g->row,
		key, want, !got ? "nothing" : got->kind == JSON_ARRAY ? "a list"
		: got->kind == JSON_OBJECT ? "an object" : *json_shown(got) ? json_shown(got) : "\"\"");
}

/* Counts are whole numbers below 2^64; those from 2^53 on are rounded. */
static uint64_t row_count(const Gather *g, const JsonValue *row, const char *key)
{
	const JsonValue *v = json_get(row, key);
	if (json_is_number(v) && v->number >= 0 && v->number < 18446744073709551616.0 &&
		v->number == (double)(uint64_t)v->number)
		return (uint64_t)v->number;
	report_wrong_value(g, key, "a count", v);
	return 0;
}

/* The text of the key. If it is not needed, the key may be absent or null ("" then): a place may not be
   known. */
static const char *row_text(const Gather *g, const JsonValue *row, const char *key, bool needed)
{
	const JsonValue *v = json_get(row, key);
	if (v && v->kind == JSON_STRING)
		return arena_strdup(g->arena, v->text);
	if (needed || (v && v->kind != JSON_NULL))
		report_wrong_value(g, key, "a text", v);
	return "";
}

/* The list at the path; NULL: there is none, with an error if something else is there. */
static const JsonValue *list_at(Gather *g, const JsonValue *run, const char *path)
{
	const JsonValue *v = json_path(run, path);
	g->list = path;
	if (v && v->kind != JSON_ARRAY)
		diag_error(g->diag, (Loc){ g->path, 1, 1 }, "%s: expected a list", path);
	return v && v->kind == JSON_ARRAY ? v : NULL;
}

static void add_profile_block(Gather *g, ProfileBlock b)
{
	if (*b.label)
		vec_push(&g->block, b);
}

/* Reads the blocks of host functions. A host function is one thread, and each execution of a block counts as
   a fetch. */
static void gather_host(Gather *g, const JsonValue *run)
{
	const JsonValue *list = list_at(g, run, "host_blocks");
	for (g->row = 0; list && g->row < list->n; g->row++) {
		const JsonValue *b = &list->item[g->row];
		uint64_t n = row_count(g, b, "executed");
		add_profile_block(g, (ProfileBlock){ row_text(g, b, "function", true),
			row_text(g, b, "label", true), n,
			n });
	}
}

static void gather_profile_blocks(Gather *g, const JsonValue *run)
{
	const JsonValue *list = list_at(g, run, "total.blocks");
	for (g->row = 0; list && g->row < list->n; g->row++) {
		const JsonValue *b = &list->item[g->row];
		add_profile_block(g, (ProfileBlock){ row_text(g, b, "function", true),
			row_text(g, b, "label", true),
			row_count(g, b, "fetches"), row_count(g, b, "threads") });
	}
}

/* Reads the branches. Returns whether the run has counted branches: one in the reference interpreter does
   not. */
static bool gather_profile_branches(Gather *g, const JsonValue *run)
{
	const JsonValue *list = list_at(g, run, "total.branches");
	for (g->row = 0; list && g->row < list->n; g->row++) {
		const JsonValue *b = &list->item[g->row], *inserted = json_get(b, "inserted"),
			*line = json_get(b, "line");
		ProfileBranch x = { .function = row_text(g, b, "function", true),
			.label = row_text(g, b, "label", true), .file = row_text(g, b, "file", false),
			.executed = row_count(g, b, "executed"), .divergent = row_count(g, b, "divergent"),
			.lanes = row_count(g, b, "lanes"), .taken = row_count(g, b, "lanes_taken") };
		if (inserted && inserted->kind == JSON_BOOL && inserted->number != 0)
			x.kind = PROFILE_INSERTED;
		else if (!strcmp(row_text(g, b, "kind", false), "decision"))
			x.kind = PROFILE_DECISION;
		x.line = json_is_number(line) && line->number >= 0 && line->number <= INT32_MAX
			? (int)line->number : 0;
		if (x.divergent > x.executed || x.taken > x.lanes)
			diag_error(g->diag, (Loc){ g->path, 1, 1 },
				"total.branches[%d]: %" PRIu64 " executions for %" PRIu64 " lanes of which %"
				PRIu64 " take the branch, %" PRIu64 " of the executions divergent: no run "
				"counts so", g->row, x.executed, x.lanes, x.taken, x.divergent);
		vec_push(&g->branch, x);
	}
	return list && strcmp(json_string(run, "mode"), "reference") != 0;
}

static void join_blocks(Profile *p, Gather *g)
{
	p->block = arena_array(g->arena, ProfileBlock, g->block.n + 1);
	if (g->block.n)
		qsort(g->block.v, (size_t)g->block.n, sizeof *g->block.v, by_block_name);
	for (int k = 0; k < g->block.n; k++) {
		ProfileBlock *b = &g->block.v[k], *last = p->n ? &p->block[p->n - 1] : NULL;
		if (last && !by_block_name(last, b)) {
			last->fetches = add_saturating(last->fetches, b->fetches);
			last->threads = add_saturating(last->threads, b->threads);
		} else {
			p->block[p->n++] = *b;
		}
	}
}

static void join_branches(Profile *p, Gather *g)
{
	p->branch = arena_array(g->arena, ProfileBranch, g->branch.n + 1);
	if (g->branch.n)
		qsort(g->branch.v, (size_t)g->branch.n, sizeof *g->branch.v, by_branch);
	for (int k = 0; k < g->branch.n; k++) {
		ProfileBranch *b = &g->branch.v[k], *last = p->nbranch ? &p->branch[p->nbranch - 1] : NULL;
		if (last && !by_branch(last, b)) {
			last->executed = add_saturating(last->executed, b->executed);
			last->divergent = add_saturating(last->divergent, b->divergent);
			last->lanes = add_saturating(last->lanes, b->lanes);
			last->taken = add_saturating(last->taken, b->taken);
		} else {
			p->branch[p->nbranch++] = *b;
		}
	}
}

/* The run of the report; of a report that compares two runs, the first one, which is without the passes. NULL
   with an error: the report has several runs. */
static const JsonValue *report_run(const JsonValue *v, const char *path, Diag *diag)
{
	if (json_get(v, "runs")) {
		diag_error(diag, (Loc){ path, 1, 1 }, "this is a report of several runs (gsim --grid); "
			"expected one of a single run (gsim --stats FILE)");
		return NULL;
	}
	return json_get(v, "before") ? json_get(v, "before") : v;
}

Profile *profile_read(Arena *a, const char *text, size_t n, const char *path, Diag *diag)
{
	Gather g = { .arena = a, .diag = diag, .path = path };
	const JsonValue *v = json_read(a, text, n, path, diag), *run = v ? report_run(v, path, diag) : NULL;
	int errors = diag->errors;
	if (!run)
		return NULL;
	Profile *p = arena_new(a, Profile);
	p->module_hash = arena_strdup(a, json_string(run, "module_hash"));
	p->passes = arena_strdup(a, json_string(run, "passes"));
	p->model = arena_strdup(a, json_string(run, "model"));
	const JsonValue *lanes = json_get(json_path(run, "configuration.values"), "warp_size");
	p->warp_size = json_is_number(lanes) && lanes->number >= 1 && lanes->number <= 64 ? (int)lanes->number
		: 0;
	gather_host(&g, run);
	gather_profile_blocks(&g, run);
	p->counts_branches = gather_profile_branches(&g, run);
	join_blocks(p, &g);
	join_branches(p, &g);
	if (!p->n && !p->nbranch && diag->errors == errors)
		diag_error(diag, (Loc){ path, 1, 1 }, "expected a report of one run (gsim --stats FILE), "
			"whose total has blocks; found none");
	vec_free(&g.block);
	vec_free(&g.branch);
	return diag->errors == errors ? p : NULL;
}

const ProfileBlock *profile_find(const Profile *p, const char *function, const char *label)
{
	ProfileBlock wanted = { function, label, 0, 0 };
	return p->n ? bsearch(&wanted, p->block, (size_t)p->n, sizeof *p->block, by_block_name) : NULL;
}

const ProfileBranch *profile_branch(const Profile *p, const char *function, const char *label,
	ProfileKind kind)
{
	ProfileBranch wanted = { .function = function, .label = label, .kind = kind };
	return p->nbranch ? bsearch(&wanted, p->branch, (size_t)p->nbranch, sizeof *p->branch, by_branch)
		: NULL;
}

bool profile_tells_idle(const char *model) { return strncmp(model, "mimd", 4) != 0; }

void profile_check(Profile *p, const char *path, const char *module, const char *module_hash, Diag *d)
{
	p->other_code = module_hash && *p->module_hash && strcmp(p->module_hash, module_hash);
	if (p->other_code)
		diag_warning(d, (Loc){ path, 0, 0 }, "the module of this report had the hash %s, %s has %s: "
			"blocks and branches are taken for the same where their names are", p->module_hash,
			module, module_hash);
	if (*p->passes)
		diag_warning(d, (Loc){ path, 0, 0 }, "this report is of a run with the passes %s: its counts "
			"are those of the code that they made", p->passes);
	if (!profile_tells_idle(p->model))
		diag_warning(d, (Loc){ path, 0, 0 }, "this report is of a run under mimd, where each fetch "
			"is for one lane: it does not say how many lanes of a warp are idle");
}
