/* Lists the source, line by line. */
#include "lib/hash.h"
#include "sim/report/annotate.h"

enum { MOST_SOURCE = 64 << 20, AROUND = 2, TAB = 4, MOST_TEXT = 400, MOST_REST = 3, MOST_INLINED = 6 };

/* A line of a file that did something. order: number of the file, in the order in which files come up; lines
   without a place in the source come last. */
typedef struct LinePlace { const char *file; int line, order; LineCost cost[2]; } LinePlace;
typedef struct LinePlaces { Vec(LinePlace) v; StrMap at; Arena keys; int nfiles; StrMap file; } LinePlaces;

static const JsonValue *report_table(const JsonValue *report, const char *table)
{
	const JsonValue *v = json_path(report, "total");
	v = json_get(v, table);
	return v && v->kind == JSON_ARRAY ? v : NULL;
}

/* Finds a line, or adds it. Lines without a place in the source have file "". */
static LinePlace *place_at(LinePlaces *p, const char *file, int line)
{
	int order = strmap_get(&p->file, file);
	if (order < 0)
		strmap_put(&p->file, file, order = *file ? p->nfiles++ : 1 << 30);
	const char *key = arena_printf(&p->keys, "%d\n%d", order, line);
	int k = strmap_get(&p->at, key);
	if (k < 0) {
		strmap_put(&p->at, key, k = p->v.n);
		vec_push(&p->v, ((LinePlace){ .file = file, .line = line, .order = order }));
	}
	return &p->v.v[k];
}

static int by_source_line(const void *a, const void *b)
{
	const LinePlace *x = a, *y = b;
	return x->order != y->order ? (x->order < y->order ? -1 : 1) : x->line < y->line ? -1
		: x->line > y->line;
}

/* Adds up the lines of all functions by their place, for each run. */
static void collect_lines(const Listing *l, LinePlaces *p)
{
	for (int k = 0; k < 2; k++) {
		const JsonValue *lines = report_table(l->run[k], "lines");
		for (int i = 0; lines && i < lines->n; i++) {
			const JsonValue *row = &lines->item[i];
			double line = json_number(row, "line");
			bool none = !*json_string(row, "function");
			LineCost c = cost_of(row);
			cost_add(&place_at(p, json_string(row, "file"),
				none ? 1 : line >= 1 && line < 1 << 30 ? (int)line : 0)->cost[k], &c);
		}
	}
	if (p->v.n)
		qsort(p->v.v, (size_t)p->v.n, sizeof *p->v.v, by_source_line);
}

static void free_line_places(LinePlaces *p)
{
	vec_free(&p->v);
	strmap_free(&p->at);
	strmap_free(&p->file);
	arena_free(&p->keys);
}

/* The lines of a file; line[1] is the first one. */
typedef struct FileLines { char *text; const char **line; int n; } FileLines;

/* Makes a line fit for the screen: tabs become spaces, control characters become question marks. A line of
   more than `most` bytes is cut, but not within a character of UTF-8. */
static const char *screen_text(Arena *a, const char *s, size_t n, size_t most)
{
	StrBuf out = { 0 };
	size_t i = 0;
	for (; i < n && (out.n < most || (out.n < most + MOST_REST && (s[i] & 0xc0) == 0x80)); i++)
		if (s[i] == '\t')
			do sb_putc(&out, ' '); while (out.n % TAB);
		else if (s[i] != '\r')
			sb_putc(&out, (unsigned char)s[i] < ' ' || s[i] == 127 ? '?' : s[i]);
	if (i < n)
		sb_puts(&out, " ...");
	const char *text = arena_strdup(a, out.s ? out.s : "");
	sb_free(&out);
	return text;
}

static FileLines read_source(Arena *a, const SourceRoot *sources, const char *file)
{
	FileLines s = { 0 };
	size_t n = 0, lines = 1;
	s.text = source_text(sources, file, MOST_SOURCE, &n);
	for (size_t i = 0; s.text && i < n; i++)
		lines += s.text[i] == '\n';
	if (!s.text)
		return s;
	s.line = arena_array(a, const char *, lines + 2);
	for (const char *p = s.text, *end = s.text + n; p < end;) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		stop = stop ? stop : end;
		s.line[++s.n] = screen_text(a, p, (size_t)(stop - p), MOST_TEXT);
		p = stop + 1;
	}
	return s;
}

/* ---- notes below a line ---- */

typedef Vec(const char *) Notes;

typedef enum { REF_PARTING, REF_CODE, REF_LINE } RefKind;

/* A row of a report from which a line gets notes: a branch or another parting, the line's own row, or an
   instruction of the code. Instructions are also found by the places of what was melded with them. next: the
   next row for the same line, an index in Refs.v plus 1; 0: there is none. */
typedef struct Ref { const JsonValue *row; RefKind kind; int next; } Ref;
typedef struct Refs { StrMap first; Vec(Ref) v; Arena keys; } Refs;

static const char *place_key(Arena *a, const JsonValue *place)
{
	return arena_printf(a, "%s\n%.0f", json_string(place, "file"), json_number(place, "line"));
}

/* Puts a row in front of the rows of its line. So rows are added from the last one to the first. */
static void add_ref(Refs *r, const JsonValue *place, const JsonValue *row, RefKind kind)
{
	const char *key = place_key(&r->keys, place);
	int first = strmap_get(&r->first, key);
	vec_push(&r->v, ((Ref){ row, kind, first < 0 ? 0 : first }));
	strmap_put(&r->first, key, r->v.n);
}

static void add_code(Refs *r, const JsonValue *code)
{
	for (int i = code && code->kind == JSON_ARRAY ? code->n - 1 : -1; i >= 0; i--) {
		const JsonValue *melded = json_get(&code->item[i], "melded");
		add_ref(r, &code->item[i], &code->item[i], REF_CODE);
		for (int m = 0; melded && m < melded->n && melded->kind == JSON_ARRAY; m++)
			add_ref(r, &melded->item[m], &code->item[i], REF_CODE);
	}
}

static Refs refs_of(const JsonValue *report)
{
	static const char *const table[] = { "lines", "partings", "branches" };
	Refs r = { 0 };
	const JsonValue *kernels = json_get(report, "kernels");
	for (int i = kernels && kernels->kind == JSON_ARRAY ? kernels->n - 1 : -1; i >= 0; i--)
		add_code(&r, json_get(&kernels->item[i], "code"));
	for (int t = 0; t < 3; t++) {
		const JsonValue *rows = report_table(report, table[t]);
		for (int i = rows ? rows->n - 1 : -1; i >= 0; i--)
			add_ref(&r, &rows->item[i], &rows->item[i], t ? REF_PARTING : REF_LINE);
	}
	return r;
}

static void refs_free(Refs *r)
{
	strmap_free(&r->first);
	vec_free(&r->v);
	arena_free(&r->keys);
}

static int first_ref(Refs *r, const LinePlace *p)
{
	int first = strmap_get(&r->first, arena_printf(&r->keys, "%s\n%d", p->file, p->line));
	return first < 0 ? 0 : first;
}

static bool stands_at(const JsonValue *row, const LinePlace *p)
{
	return json_number(row, "line") == p->line && !strcmp(json_string(row, "file"), p->file);
}

/* The place of a row, as a note at place p has it: names the file only if it is another one than that of
   p. */
static const char *place_name(Arena *a, const JsonValue *row, const LinePlace *p)
{
	const char *file = json_string(row, "file"), *slash = strrchr(file, '/'),
		*line = json_shown(json_get(row, "line"));
	return strcmp(file, p->file) ? arena_printf(a, "%.60s:%s", slash ? slash + 1 : file, line)
		: arena_printf(a, "line %s", line);
}

static void note_meeting(Listing *l, StrBuf *text, const JsonValue *row, const LinePlace *p)
{
	const JsonValue *met = json_get(row, "met");
	for (int i = 0; met && i < met->n && met->kind == JSON_ARRAY; i++) {
		const JsonValue *m = &met->item[i];
		const char *label = json_string(m, "label");
		sb_printf(text, "%s%s%.60s", i ? ", " : "; ",
			*label ? "together again in " : "over as lanes ended", label);
		if (json_number(m, "line") > 0)
			sb_printf(text, " (%s)", place_name(&l->arena, m, p));
		sb_printf(text, ": %s", json_shown(json_get(m, "times")));
	}
}

/* Adds a note on a place where lanes part: how often they did, what it cost, and where they met. */
static void note_parting(Listing *l, Notes *notes, const LinePlace *p, const JsonValue *row)
{
	if (!(json_number(row, "partings") > 0 || json_number(row, "lost") > 0))
		return;
	StrBuf text = { 0 };
	sb_printf(&text, "%s of %.60s", json_string(row, "kind"), json_string(row, "label"));
	if (json_get(row, "executed"))
		sb_printf(&text, ", executed %s", json_shown(json_get(row, "executed")));
	sb_printf(&text, ", partings %s: %s lane-slots lost", json_shown(json_get(row, "partings")),
		json_shown(json_get(row, "lost")));
	if (json_is_number(json_get(row, "cycles")))
		sb_printf(&text, ", %s cycles apart", json_shown(json_get(row, "cycles")));
	note_meeting(l, &text, row, p);
	vec_push(notes, screen_text(&l->arena, text.s, text.n, MOST_SOURCE));
	sb_free(&text);
}

/* Has the text not been said before? Remembers the text. */
static bool is_new(StrMap *said, const char *text)
{
	bool is = strmap_get(said, text) < 0;
	strmap_put(said, text, 1);
	return is;
}

/* Adds notes on an instruction that stands at place p, or was melded with one that does: the pass that
   inserted the instruction, and the other places with which it was melded. */
static void note_passes(Listing *l, Notes *notes, StrMap *said, const LinePlace *p, const JsonValue *row)
{
	const JsonValue *melded = json_get(row, "melded");
	const char *pass = json_string(row, "pass"), *text =
		arena_printf(&l->arena, "inserted by %.60s", pass);
	if (*pass && stands_at(row, p) && is_new(said, text))
		vec_push(notes, text);
	for (int m = 0; melded && m < melded->n && melded->kind == JSON_ARRAY; m++) {
		const JsonValue *other = &melded->item[m], *to = stands_at(row, p) ? other
			: stands_at(other, p) ? row : NULL;
		if (!to)
			continue;
		text = stands_at(to, p) ? "melded: instructions of the line that stood on different paths "
			"are one"
			: arena_printf(&l->arena, to == row ? "melded into what %s did"
			: "melded: it also does what %s did", place_name(&l->arena, to, p));
		if (is_new(said, text))
			vec_push(notes, text);
	}
}

/* Adds a note on functions that were inlined at the line: where their code stands in the source. */
static void note_inlined(Listing *l, Notes *notes, const JsonValue *inlined, const LinePlace *p)
{
	StrBuf text = { 0 };
	for (int k = 0; inlined && inlined->kind == JSON_ARRAY && k < inlined->n && k < MOST_INLINED; k++)
		sb_printf(&text, "%s%s", k ? ", " : "inlined: ", place_name(&l->arena, &inlined->item[k], p));
	if (!text.n)
		return;
	if (inlined->n > MOST_INLINED)
		sb_printf(&text, ", %d more", inlined->n - MOST_INLINED);
	vec_push(notes, screen_text(&l->arena, text.s, text.n, MOST_SOURCE));
	sb_free(&text);
}

static void note_run(Listing *l, Notes *notes, const LinePlace *p, Refs *r)
{
	StrMap said = { 0 };
	for (int k = first_ref(r, p); k; k = r->v.v[k - 1].next) {
		const Ref *ref = &r->v.v[k - 1];
		if (ref->kind == REF_CODE)
			note_passes(l, notes, &said, p, ref->row);
		else if (ref->kind == REF_LINE)
			note_inlined(l, notes, json_get(ref->row, "inlined"), p);
		else
			note_parting(l, notes, p, ref->row);
	}
	strmap_free(&said);
}

static bool has_note(const Notes *notes, const char *text)
{
	for (int i = 0; i < notes->n; i++)
		if (!strcmp(notes->v[i], text))
			return true;
	return false;
}

/* Puts the notes below a line. A note that both runs have stands once. */
static void put_notes(Listing *l, const LinePlace *p, Refs refs[2])
{
	Notes notes[2] = { { 0 } };
	for (int k = 0; k < 2; k++)
		note_run(l, &notes[k], p, &refs[k]);
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < notes[k].n; i++) {
			bool both = has_note(&notes[!k], notes[k].v[i]);
			if (!both || !k)
				list_note(l, "^ %s%s", !l->run[1] || both ? "" : k ? "after: " : "before: ",
					notes[k].v[i]);
		}
	vec_free(&notes[0]);
	vec_free(&notes[1]);
}

/* ---- files ---- */

static const LineCost nothing[2];

/* Puts lines `from` to `to` - 1, which did nothing. Those that are more than AROUND lines away from a line
   that did something are left out, unless it is a single line. first, last: no line before them, or behind
   them, did something. */
static void put_between(Listing *l, const FileLines *s, int from, int to, bool first, bool last)
{
	int begin = first ? to - AROUND : from, end = last ? from + AROUND : to;
	bool all = !first && !last && to - from <= 2 * AROUND + 1;
	for (int k = from > 1 ? from : 1; k < to && k <= s->n; k++) {
		if (all || (!first && k < from + AROUND) || (!last && k >= to - AROUND) ||
			(first && k >= begin) || (last && k < end))
			list_cost(l, nothing, k, s->line[k]);
		else if (!first && k == from + AROUND)
			list_note(l, "...");
	}
}

static void put_file(Listing *l, const LinePlaces *p, Refs refs[2], int from, int to, StrBuf *out)
{
	const char *file = p->v.v[from].file;
	FileLines s = { 0 };
	if (*file)
		s = read_source(&l->arena, l->sources, file);
	file = screen_text(&l->arena, file, strlen(file), MOST_SOURCE);
	if (*file && s.text && p->v.v[to - 1].line > s.n)
		sb_printf(out, "\n%s: ends at line %d, before the last one of the module: it is not what the "
			"module was made from\n", file, s.n);
	else if (*file)
		sb_printf(out, "\n%s%s\n", file, s.text ? ""
			: ": is not to be read here, so its lines stand without their text (--source DIR "
			"names its folder)");
	else
		sb_puts(out, "\nof no place in the source\n");
	for (int i = from, next = 1; i < to; i++) {
		const LinePlace *x = &p->v.v[i];
		put_between(l, &s, next, x->line, i == from, false);
		list_cost(l, x->cost, *file ? x->line : 0, *file
			? (s.text && x->line <= s.n ? s.line[x->line] : "")
			: x->line ? "(no instruction: the scheduler had no warp)"
			: "(instructions that lowering, the mechanism or passes added)");
		put_notes(l, x, refs);
		next = x->line + 1;
		if (i + 1 == to && s.text)
			put_between(l, &s, next, s.n + 1, false, true);
	}
	list_print(l, out);
	free(s.text);
}

void annotate_source(Listing *l, StrBuf *out)
{
	LinePlaces p = { 0 };
	Refs refs[2] = { refs_of(l->run[0]), refs_of(l->run[1]) };
	collect_lines(l, &p);
	for (int i = 0, to; i < p.v.n; i = to) {
		for (to = i; to < p.v.n && p.v.v[to].order == p.v.v[i].order; to++)
			;
		put_file(l, &p, refs, i, to, out);
	}
	refs_free(&refs[0]);
	refs_free(&refs[1]);
	free_line_places(&p);
}

/* Can some file of the source be read? The text of the module itself counts only if the lines name no other
   file: instructions to which the compiler gave no place have theirs in the module, too. */
bool annotate_readable(const Listing *l)
{
	const char *module = json_string(l->run[0], "module");
	LinePlaces p = { 0 };
	bool own = false, others = false, any = false;
	collect_lines(l, &p);
	for (int i = 0; i < p.v.n && !any; i++) {
		const char *file = p.v.v[i].file;
		size_t n;
		if (!*file || (i && p.v.v[i - 1].order == p.v.v[i].order))
			continue;
		char *text = source_text(l->sources, file, MOST_SOURCE, &n);
		bool is_module = !strcmp(file, module);
		own |= is_module && text;
		others |= !is_module;
		any |= !is_module && text;
		free(text);
	}
	free_line_places(&p);
	return others ? any : own;
}
