/* Lists the code of kernels as it ran, instruction by instruction. Of two runs, an instruction that both have
   stands once; one that only one of them has is marked as in a diff. */
#include "lib/diff.h"
#include "sim/report/annotate.h"

static const JsonValue *kernel_code(const JsonValue *report, const char *kernel)
{
	const JsonValue *kernels = json_get(report, "kernels");
	for (int i = 0; kernels && i < kernels->n; i++)
		if (!strcmp(json_string(&kernels->item[i], "kernel"), kernel)) {
			const JsonValue *code = json_get(&kernels->item[i], "code");
			return code && code->kind == JSON_ARRAY ? code : NULL;
		}
	return NULL;
}

bool annotate_has_code(const JsonValue *report)
{
	const JsonValue *kernels = json_get(report, "kernels");
	for (int i = 0; kernels && i < kernels->n; i++)
		if (json_get(&kernels->item[i], "code"))
			return true;
	return false;
}

/* ---- what both have ---- */

/* index of an instruction in each of the two codes; -1: this code does not have the instruction */
typedef struct InsMatch { int at[2]; } InsMatch;
typedef Vec(InsMatch) Matches;

static int code_rows(const JsonValue *code) { return code ? code->n : 0; }

/* The texts by which the rows of a code are compared: function and instruction. */
static const char **texts_of(Arena *a, const JsonValue *code)
{
	const char **text = arena_array(a, const char *, code_rows(code) + 1);
	for (int i = 0; i < code_rows(code); i++)
		text[i] = arena_printf(a, "%s\n%s", json_string(&code->item[i], "function"),
			json_string(&code->item[i], "text"));
	return text;
}

static void match_rows(const JsonValue *const code[2], Matches *list)
{
	Arena tmp = { 0 };
	int n = code_rows(code[0]), m = code_rows(code[1]);
	bool *gone = arena_array(&tmp, bool, n + 1), *come = arena_array(&tmp, bool, m + 1);
	diff_lines(texts_of(&tmp, code[0]), n, texts_of(&tmp, code[1]), m, gone, come);
	for (int i = 0, j = 0; i < n || j < m;) {
		bool first = i < n && gone[i], second = !first && j < m && come[j];
		vec_push(list, ((InsMatch){ { second ? -1 : i, first ? -1 : j } }));
		i += !second;
		j += !first;
	}
	arena_free(&tmp);
}

/* ---- rows ---- */

/* Appends where the instruction comes from, if that is not the source alone. */
static void put_ins_origin(const JsonValue *row, StrBuf *text)
{
	const JsonValue *melded = json_get(row, "melded"), *inlined = json_get(row, "inlined");
	if (*json_string(row, "pass"))
		sb_printf(text, "   // inserted by %.60s", json_string(row, "pass"));
	if (json_get(row, "added"))
		sb_puts(text, "   // added by lowering or the mechanism");
	for (int k = 0; melded && k < melded->n && melded->kind == JSON_ARRAY; k++)
		sb_printf(text, "%s%s", k ? ", " : "   // melded with line ",
			json_shown(json_get(&melded->item[k], "line")));
	for (int k = 0; inlined && k < inlined->n && inlined->kind == JSON_ARRAY; k++) {
		const char *file = json_string(&inlined->item[k], "file"), *slash = strrchr(file, '/');
		sb_printf(text, "%s%.60s:%s", k ? ", at " : "   // inlined: ", slash ? slash + 1 : file,
			json_shown(json_get(&inlined->item[k], "line")));
	}
}

static void list_ins(Listing *l, const JsonValue *const code[2], const InsMatch *p)
{
	LineCost cost[2] = { 0 };
	const JsonValue *row = NULL;
	for (int k = 0; k < 2; k++) {
		const JsonValue *x = p->at[k] >= 0 ? &code[k]->item[p->at[k]] : NULL;
		if (!x)
			continue;
		row = x;
		cost[k] = cost_of(x);
		if (json_get(x, "added")) {
			cost[k].overhead = cost[k].issued;
			cost[k].issued = cost[k].lanes = 0;
		} else if (*json_string(x, "pass")) {
			cost[k].inserted = cost[k].issued;
		}
	}
	StrBuf text = { 0 };
	if (*json_string(row, "label"))
		list_note(l, "%s.%s:", json_string(row, "function"), json_string(row, "label"));
	if (!l->run[1])
		sb_printf(&text, "%5d  ", p->at[0]);
	sb_printf(&text, "%s   %s", !l->run[1] ? "" : p->at[0] < 0 ? "+" : p->at[1] < 0 ? "-" : " ",
		json_string(row, "text"));
	put_ins_origin(row, &text);
	list_cost(l, cost, (int)json_number(row, "line"), arena_strdup(&l->arena, text.s));
	sb_free(&text);
}

static void put_kernel(Listing *l, const char *kernel, StrBuf *out)
{
	const JsonValue *code[2] = { kernel_code(l->run[0], kernel), kernel_code(l->run[1], kernel) };
	Matches list = { 0 };
	if (!code[0] && !code[1])
		return;
	sb_printf(out, "\ncode of kernel %s\n", kernel);
	match_rows(code, &list);
	for (int i = 0; i < list.n; i++)
		list_ins(l, code, &list.v[i]);
	vec_free(&list);
	list_print(l, out);
}

/* Lists the stalls that belong to no instruction. */
static void list_rest(Listing *l, StrBuf *out)
{
	LineCost cost[2] = { 0 };
	for (int k = 0; k < 2; k++) {
		const JsonValue *lines = json_path(l->run[k], "total.lines");
		for (int i = 0; lines && i < lines->n; i++)
			if (!*json_string(&lines->item[i], "function"))
				cost[k] = cost_of(&lines->item[i]);
	}
	if (cost_stalls(&cost[0]) + cost_stalls(&cost[1]) == 0)
		return;
	sb_puts(out, "\nof no instruction\n");
	list_cost(l, cost, 0, "(the scheduler had no warp)");
	list_print(l, out);
}

void annotate_code(Listing *l, StrBuf *out)
{
	const JsonValue *kernels = json_get(l->run[0], "kernels"), *others = json_get(l->run[1], "kernels");
	for (int i = 0; kernels && i < kernels->n; i++)
		put_kernel(l, json_string(&kernels->item[i], "kernel"), out);
	for (int i = 0; others && i < others->n; i++)
		if (!kernel_code(l->run[0], json_string(&others->item[i], "kernel")))
			put_kernel(l, json_string(&others->item[i], "kernel"), out);
	list_rest(l, out);
}
