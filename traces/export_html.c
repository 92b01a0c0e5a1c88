/* Writes traces as a page: one file that holds the traces, the sources that they name, and the scripts of
   web/view/ that show both. */
#include "traces/export.h"
#include "lib/file.h"
#include "lib/json.h"
#include "traces/format.h"
#include "traces/page.h"
#include "traces/state.h"
#include "lib/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* most bytes of one source, most bytes of all together, most files */
enum { MOST_SOURCE = 1 << 20, MOST_SOURCES = 4 << 20, MOST_FILES = 64 };

static void write_lines(FILE *out, const char *const *line)
{
	for (; *line; line++)
		fputs(*line, out);
}

/* Writes JSON text inside a script element. Every < is escaped: "</script" in the text would end the element,
   and "<!--<script" would make the browser end it only with the next element. */
static void put_json(FILE *out, const StrBuf *text)
{
	for (size_t k = 0; k < text->n; k++)
		if (text->s[k] == '<')
			fputs("\\u003c", out);
		else
			putc(text->s[k], out);
}

static void put_attribute(FILE *out, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '"': fputs("&quot;", out); break;
		default: putc(*s, out);
		}
}

static void put_base64(FILE *out, const uint8_t *p, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t k = 0; k < n; k += 3) {
		uint32_t v = (uint32_t)p[k] << 16 | (k + 1 < n ? (uint32_t)p[k + 1] << 8 : 0) |
			(k + 2 < n ? p[k + 2] : 0u);
		char four[5] = { digit[v >> 18], digit[v >> 12 & 63], k + 1 < n ? digit[v >> 6 & 63] : '=',
			k + 2 < n ? digit[v & 63] : '=', 0 };
		fputs(four, out);
		if (k % 114 == 111)
			putc('\n', out);
	}
}

/* ---- the trace format, for the page's scripts, which take every number and name of the format from here
   ---- */

static void put_list(JsonSink *s, const char *key, const char *const *name, int n)
{
	s->key(s, key);
	s->begin(s, '[', true);
	for (int k = 0; k < n; k++)
		s->text(s, name[k]);
	s->end(s);
}

static void html_put_names(JsonSink *s)
{
	static const char *const flag_name[] = {
#define X(BIT, ID, NAME) [BIT] = NAME,
		TRACE_FLAGS(X)
#undef X
	};
	put_list(s, "kinds", trace_kind_name, TR_COUNT);
	put_list(s, "tables", trace_table_title, TABLE_COUNT);
	put_list(s, "flags", flag_name, (int)(sizeof flag_name / sizeof *flag_name));
	s->key(s, "rows");
	s->begin(s, '[', false);
	for (int k = 0; k < ROW_COUNT; k++) {
		const TraceRowInfo *r = &trace_row_info[k];
		s->begin(s, '{', true);
		json_put_text(s, "name", r->name);
		json_put_text(s, "rpc", r->rpc);
		json_put_text(s, "n", r->n);
		json_put_text(s, "m", r->m);
		json_put_text(s, "other", r->other);
		json_put_count(s, "table", r->table);
		s->end(s);
	}
	s->end(s);
}

/* Writes the numbers that events, rows, tables and flags have in a trace. */
static void put_numbers(JsonSink *s)
{
	s->key(s, "kind");
	s->begin(s, '{', true);
#define X(ID, NAME, HELP) json_put_count(s, #ID, TR_##ID);
	TRACE_EVENTS(X)
#undef X
	s->end(s);
	s->key(s, "row");
	s->begin(s, '{', true);
#define X(ID, TABLE, NAME, RPC, N, M, OTHER) json_put_count(s, #ID, ROW_##ID);
	TRACE_ROWS(X)
#undef X
	s->end(s);
	s->key(s, "table");
	s->begin(s, '{', true);
#define X(ID, TITLE) json_put_count(s, #ID, TABLE_##ID);
	TRACE_TABLES(X)
#undef X
	s->end(s);
	s->key(s, "flag");
	s->begin(s, '{', true);
#define X(BIT, ID, NAME) json_put_count(s, #ID, FLAG_##ID);
	TRACE_FLAGS(X)
#undef X
	s->end(s);
}

static void put_sizes(JsonSink *s)
{
	static const struct { const char *name; uint32_t value; } size[] = {
		{ "version", TRACE_VERSION }, { "oldest_version", OLDEST_VERSION },
		{ "header_bytes", HEADER_BYTES }, { "chunk_bytes", CHUNK_BYTES },
		{ "events_raw", EVENTS_RAW }, { "launch_raw", LAUNCH_RAW }, { "index_raw", INDEX_RAW },
		{ "ins_bytes", INS_BYTES }, { "most_ins", MOST_INS },
		{ "deflate_ratio", DEFLATE_RATIO }, { "most_sms", MOST_SMS }, { "most_lanes", MOST_LANES },
		{ "most_schedulers", MOST_SCHEDULERS },
		{ "most_reasons", MOST_REASONS }, { "tag_kind", TAG_KIND }, { "kind_follows", KIND_FOLLOWS },
		{ "same_cycle", TAG_SAME_CYCLE },
		{ "same_warp", TAG_SAME_WARP }, { "same_mask", TAG_SAME_MASK },
		{ "same_split", TAG_SAME_SPLIT }, { "contexts", CONTEXTS },
		{ "contexts_of_sm", CONTEXTS_OF_SM },
		{ "context_kinds", CONTEXT_KINDS }, { "block_start", INS_BLOCK_START },
		{ "branch", INS_BRANCH }, { "overhead", INS_OVERHEAD }, { "inserted", INS_INSERTED },
		{ "launch_chunk", CHUNK_LAUNCH }, { "events_chunk", CHUNK_EVENTS },
		{ "state_chunk", CHUNK_STATE }, { "index_chunk", CHUNK_INDEX }, { "end_chunk", CHUNK_END },
		{ "no_split", ROW_NO_SPLIT }, { "no_pc", ROW_NO_PC }, { "why_issues", WHY_ISSUES },
		{ "grid_barrier", TRACE_GRID_BARRIER }, { "lanes_group", LANES_GROUP },
	};
	for (size_t k = 0; k < sizeof size / sizeof *size; k++)
		json_put_count(s, size[k].name, size[k].value);
	s->key(s, "magic");
	s->begin(s, '[', true);
	for (const char *p = TRACE_MAGIC; *p; p++)
		s->count(s, (uint8_t)*p);
	s->end(s);
}

static void put_format(FILE *out)
{
	StrBuf text = { 0 };
	JsonText t;
	json_text(&t, &text);
	t.sink.begin(&t.sink, '{', false);
	html_put_names(&t.sink);
	put_numbers(&t.sink);
	put_sizes(&t.sink);
	t.sink.end(&t.sink);
	fputs("const FORMAT = ", out);
	put_json(out, &text);
	fputs(";\n", out);
	sb_free(&text);
}

/* ---- sources ---- */

typedef struct PageSources {
	const SourceRoot *root;
	Arena arena;
	StrMap seen;
	StrBuf text;
	JsonText json;
	size_t bytes;
} PageSources;

/* A trace may come from anybody, and a page may go to anybody: only what looks like a source of kernels is
   put into it. */
static bool is_kernel_source(const char *path)
{
	static const char *const end[] = { ".ir", ".ptx", ".cu", ".cuh", ".cl", ".h", ".hpp" };
	size_t n = strlen(path);
	for (size_t k = 0; k < sizeof end / sizeof *end; k++)
		if (n > strlen(end[k]) && !strcmp(path + n - strlen(end[k]), end[k]))
			return true;
	return false;
}

static void add_source(PageSources *s, const char *path)
{
	size_t n;
	if (!is_kernel_source(path) || strmap_get(&s->seen, path) >= 0 || s->seen.n >= MOST_FILES)
		return;
	char *text = source_text(s->root, path, MOST_SOURCE, &n);
	strmap_put(&s->seen, arena_strdup(&s->arena, path), 1);
	if (text && s->bytes + n <= MOST_SOURCES) {
		json_put_text(&s->json.sink, path, text);
		s->bytes += n;
	}
	free(text);
}

static void add_launch_sources(PageSources *s, const TraceLaunch *l)
{
	for (int i = 0; i < l->nins; i++)
		if (!i || l->ins[i].file != l->ins[i - 1].file)
			add_source(s, l->ins[i].file);
}

/* Reads the whole trace and adds the sources that it names. False: the trace is damaged. */
static bool collect_sources(PageSources *s, const char *path, Diag *d)
{
	TraceReader *r = trace_open(path, d);
	TraceEvent e;
	const TraceLaunch *l;
	int k = -1;
	while (r && (k = trace_next(r, &e, &l)) > 0)
		if (k == 2)
			add_launch_sources(s, l);
	if (r)
		trace_reader_free(r);
	return !k;
}

/* ---- the page ---- */

static void put_trace(FILE *out, const char *name, const uint8_t *p, size_t n)
{
	fputs("<script type=\"application/x-gsim-trace\" data-name=\"", out);
	put_attribute(out, name);
	fputs("\">\n", out);
	put_base64(out, p, n);
	fputs("</script>\n", out);
}

static void put_traces(FILE *out, const char *const *name, int n, uint8_t *const *bytes, const size_t *size)
{
	for (int k = 0; k < n; k++)
		put_trace(out, name[k], bytes[k], size[k]);
}

static const char *const *const reader[] = { page_trace_js, page_state_js, page_survey_js, page_paint_js,
	page_reader_js, NULL };
static const char *const *const script[] = { page_draw_js, page_graph_js, page_figures_js, page_code_js,
	page_view_js, page_page_js, NULL };

static void put_files(FILE *out, const char *const *const *file)
{
	for (; *file; file++)
		write_lines(out, *file);
}

typedef struct Page {
	FILE *out;
	PageSources *sources;
	const char *const *name;
	uint8_t *const *bytes;
	const size_t *size;
	int n;
} Page;

static void put_part(const Page *p, const char *name, size_t n)
{
#define IS(NAME) (n == sizeof NAME - 1 && !memcmp(name, NAME, n))
	if (IS("STYLE"))
		write_lines(p->out, page_page_css);
	else if (IS("SOURCES"))
		put_json(p->out, &p->sources->text);
	else if (IS("TRACES"))
		put_traces(p->out, p->name, p->n, p->bytes, p->size);
	else if (IS("FORMAT"))
		put_format(p->out);
	else if (IS("COMMON"))
		write_lines(p->out, page_common_js);
	else if (IS("READER"))
		put_files(p->out, reader);
	else if (IS("SCRIPT"))
		put_files(p->out, script);
#undef IS
}

/* Writes a line of the page's frame. @NAME@ in the line stands for a part of the page, which is written
   there. */
static void put_frame(const Page *p, const char *line)
{
	const char *at, *end;
	while ((at = strchr(line, '@')) && (end = strchr(at + 1, '@'))) {
		fwrite(line, 1, (size_t)(at - line), p->out);
		put_part(p, at + 1, (size_t)(end - at - 1));
		line = end + 1;
	}
	fputs(line, p->out);
}

bool trace_html(const char *const *path, const char *const *name, int n, const SourceRoot *root, FILE *out,
	Diag *d)
{
	PageSources s = { .root = root };
	uint8_t *bytes[TRACE_HTML_MOST] = { 0 };
	size_t size[TRACE_HTML_MOST];
	bool ok = true, all = true;
	json_text(&s.json, &s.text);
	s.json.sink.begin(&s.json.sink, '{', false);
	for (int k = 0; k < n; k++) {
		const char *why;
		all &= collect_sources(&s, path[k], d);
		bytes[k] = (uint8_t *)file_read(path[k], TRACE_HTML_BYTES, &size[k], &why);
		if (!bytes[k])
			diag_error(d, (Loc){ path[k], 0, 0 }, "cannot put the trace into a page: %s", why);
		ok &= bytes[k] != NULL;
	}
	s.json.sink.end(&s.json.sink);
	Page page = { out, &s, name, bytes, size, n };
	for (const char *const *line = page_page_html; ok && *line; line++)
		put_frame(&page, *line);
	for (int k = 0; k < n; k++)
		free(bytes[k]);
	strmap_free(&s.seen);
	sb_free(&s.text);
	arena_free(&s.arena);
	return ok && all;
}

bool trace_html_file(const char *const *path, const char *const *name, int n, const SourceRoot *root,
	const char *output, Diag *d)
{
	FILE *out = output ? fopen(output, "w") : stdout;
	bool ok = out && trace_html(path, name, n, root, out, d);
	if (!out || (output && (ferror(out) | fclose(out)))) {
		diag_error(d, (Loc){ output, 0, 0 }, "cannot write: %s", strerror(errno));
		ok = false;
	}
	return ok;
}
