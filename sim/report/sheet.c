#include "sim/report/sheet.h"
#include "lib/names.h"

enum { NOTE_LEAST = 28 };  /* if fewer columns are left for a note, only its first words are put */

/* ---- filling ---- */

/* Writes control characters as their codes, since they would break rows. A report may come from anywhere, and
   hold any text. */
static const char *printable(Arena *a, const char *s)
{
	const char *p = s;
	while (*p && (unsigned char)*p >= ' ' && *p != 127)
		p++;
	if (!*p)
		return s;
	StrBuf b = { 0 };
	for (; *s; s++)
		if ((unsigned char)*s >= ' ' && *s != 127)
			sb_putc(&b, *s);
		else
			sb_printf(&b, "\\x%02x", (unsigned char)*s);
	s = arena_strdup(a, b.s);
	sb_free(&b);
	return s;
}

void sheet_begin(Sheet *s, ReportForm form, const Column *column, int ncolumns)
{
	must(ncolumns < SHEET_COLUMNS);
	*s = (Sheet){ .form = form, .ncolumns = ncolumns };
	memcpy(s->column, column, (size_t)ncolumns * sizeof *column);
}

void sheet_row(Sheet *s)
{
	for (int i = 0; i <= s->ncolumns; i++)
		vec_push(&s->cell, "");
	s->at = s->cell.n - s->ncolumns - 1;
}

void sheet_put(Sheet *s, const char *fmt, ...)
{
	StrBuf b = { 0 };
	va_list ap;
	va_start(ap, fmt);
	sb_vprintf(&b, fmt, ap);
	va_end(ap);
	must(s->at < s->cell.n - 1);
	s->cell.v[s->at++] = printable(&s->arena, arena_strdup(&s->arena, b.s ? b.s : ""));
	sb_free(&b);
}

void sheet_note(Sheet *s, const char *text)
{
	s->cell.v[s->cell.n - 1] = printable(&s->arena, arena_strdup(&s->arena, text));
}

bool sheet_empty(const Sheet *s) { return !s->cell.n; }

static int sheet_rows(const Sheet *s) { return s->cell.n / (s->ncolumns + 1); }

static const char **sheet_row_at(const Sheet *s, int row) { return &s->cell.v[row * (s->ncolumns + 1)]; }

/* ---- text ---- */

static void put_spaces(StrBuf *out, int n)
{
	while (n-- > 0)
		sb_putc(out, ' ');
}

static void trim(StrBuf *out)
{
	while (out->n && out->s[out->n - 1] == ' ')
		out->s[--out->n] = 0;
	sb_putc(out, '\n');
}

static void put_padded_cell(StrBuf *out, const Column *c, int width, const char *text)
{
	int rest = width - names_columns(text);
	put_spaces(out, c->gap + (c->left ? 0 : rest));
	sb_puts(out, text);
	put_spaces(out, c->left ? rest : 0);
}

/* Shortens the names of a column that are wider than it may be, and returns its width. */
static int fit(Sheet *s, int column, bool headings)
{
	const Column *c = &s->column[column];
	int n = sheet_rows(s), width = c->least;
	if (headings && names_columns(c->heading) > width)
		width = names_columns(c->heading);
	if (c->most) {
		const char **name = arena_array(&s->arena, const char *, n),
			**shown = arena_array(&s->arena, const char *, n);
		for (int i = 0; i < n; i++)
			name[i] = sheet_row_at(s, i)[column];
		names_shown(&s->arena, name, n, c->most, shown);
		for (int i = 0; i < n; i++)
			sheet_row_at(s, i)[column] = shown[i];
	}
	for (int i = 0; i < n; i++)
		width = names_columns(sheet_row_at(s, i)[column]) > width
			? names_columns(sheet_row_at(s, i)[column])
			: width;
	return width;
}

static bool same_group(const Column *a, const Column *b)
{
	return a->group && b->group && !strcmp(a->group, b->group);
}

static void put_headings(const Sheet *s, const int *width, StrBuf *out)
{
	bool groups = false;
	for (int k = 0; k < s->ncolumns; k++)
		groups |= s->column[k].group != NULL;
	for (int k = 0, wide = 0; groups && k < s->ncolumns; k++) {
		const Column *c = &s->column[k];
		wide += c->gap + width[k];
		if (k + 1 < s->ncolumns && same_group(c, c + 1))
			continue;
		put_padded_cell(out, &(Column){ .left = c->left }, wide, c->group ? c->group : "");
		wide = 0;
	}
	if (groups)
		trim(out);
	for (int k = 0; k < s->ncolumns; k++)
		put_padded_cell(out, &s->column[k], width[k], s->column[k].heading);
	trim(out);
}

/* Puts the note behind a row, as far as the screen has room. If fewer than NOTE_LEAST columns are left, puts
   what stands before the first colon of the note; if it has none, all of it. */
static void put_note(StrBuf *out, size_t start, const char *note)
{
	int room = SHEET_SCREEN - (int)(out->n - start) - 2, n = (int)strlen(note);
	const char *colon = strstr(note, ": ");
	sb_puts(out, "  ");
	if (n <= room || (room < NOTE_LEAST && !colon)) {
		sb_puts(out, note);
	} else if (room < NOTE_LEAST) {
		sb_write(out, note, (size_t)(colon - note));
	} else {
		/* does not cut within a character */
		for (n = room - 3; n && ((unsigned char)note[n] & 0xC0) == 0x80;)
			n--;
		sb_printf(out, "%.*s...", n, note);
	}
}

static void put_sheet_text(Sheet *s, const char *title, bool headings, StrBuf *out)
{
	int width[SHEET_COLUMNS];
	for (int k = 0; k < s->ncolumns; k++)
		width[k] = fit(s, k, headings);
	if (title)
		sheet_title(out, s->form, title);
	if (headings)
		put_headings(s, width, out);
	for (int i = 0; i < sheet_rows(s); i++) {
		const char **cell = sheet_row_at(s, i), *note = cell[s->ncolumns];
		size_t start = out->n;
		int n = s->ncolumns;
		while (n && !*cell[n - 1])
			n--;
		for (int k = 0; k < n; k++)
			put_padded_cell(out, &s->column[k], width[k], cell[k]);
		if (*note)
			put_note(out, start, note);
		trim(out);
	}
}

/* ---- Markdown ---- */

/* Puts a code span. Its fence has one backquote more than the longest row of them in the text. In a table a
   bar ends a cell, also in a code span, unless a backslash is before the bar. */
static void put_span(StrBuf *out, const char *text, bool table)
{
	int fence = 1;
	for (const char *p = text; *p; p += *p != 0) {
		int run = (int)strspn(p, "`");
		fence = run >= fence ? run + 1 : fence;
		p += run;
	}
	bool pad = *text == '`' || *text == ' ' || (*text && text[strlen(text) - 1] == '`');
	for (int i = 0; i < fence; i++)
		sb_putc(out, '`');
	sb_puts(out, pad ? " " : "");
	for (; *text; text++) {
		if (*text == '|' && table)
			sb_putc(out, '\\');
		sb_putc(out, *text);
	}
	sb_puts(out, pad ? " " : "");
	for (int i = 0; i < fence; i++)
		sb_putc(out, '`');
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Puts text that is no code: characters with a meaning in Markdown get a backslash. An underscore within a
   word has no meaning. */
static void put_plain(StrBuf *out, const char *text)
{
	text += strspn(text, " ");
	for (const char *p = text; *p; p++) {
		if (*p == '_' ? p == text || !is_word(p[-1]) || !is_word(p[1])
			: strchr("\\`*[]<>#|~&", *p) != NULL)
			sb_putc(out, '\\');
		sb_putc(out, *p);
	}
}

static void put_cells(const Sheet *s, const char *const *cell, bool notes, StrBuf *out)
{
	sb_putc(out, '|');
	for (int k = 0; k < s->ncolumns; k++) {
		sb_putc(out, ' ');
		if (s->column[k].code && *cell[k])
			put_span(out, cell[k], true);
		else
			put_plain(out, cell[k]);
		sb_puts(out, " |");
	}
	if (notes) {
		sb_putc(out, ' ');
		if (*cell[s->ncolumns])
			put_span(out, cell[s->ncolumns], true);
		sb_puts(out, " |");
	}
	sb_putc(out, '\n');
}

static void put_markdown(Sheet *s, const char *title, StrBuf *out)
{
	bool notes = false;
	for (int i = 0; i < sheet_rows(s); i++)
		notes |= *sheet_row_at(s, i)[s->ncolumns] != 0;
	if (title)
		sheet_title(out, s->form, title);
	else if (out->n)
		sb_putc(out, '\n');
	sb_putc(out, '|');
	for (int k = 0; k < s->ncolumns; k++) {
		const Column *c = &s->column[k];
		sb_putc(out, ' ');
		put_plain(out, c->group ? c->group : "");
		sb_puts(out, c->group && *c->group && *c->heading ? " " : "");
		put_plain(out, c->heading);
		sb_puts(out, " |");
	}
	sb_puts(out, notes ? "  |\n|" : "\n|");
	for (int k = 0; k < s->ncolumns; k++)
		sb_puts(out, s->column[k].left ? "---|" : "---:|");
	sb_puts(out, notes ? "---|\n" : "\n");
	for (int i = 0; i < sheet_rows(s); i++)
		put_cells(s, sheet_row_at(s, i), notes, out);
}

void sheet_end(Sheet *s, const char *title, bool headings, StrBuf *out)
{
	if (!sheet_empty(s) && s->form.markdown)
		put_markdown(s, title, out);
	else if (!sheet_empty(s))
		put_sheet_text(s, title, headings, out);
	vec_free(&s->cell);
	arena_free(&s->arena);
}

/* ---- what stands around tables ---- */

void sheet_title(StrBuf *out, ReportForm form, const char *title)
{
	sb_puts(out, out->n ? "\n" : "");
	if (form.markdown)
		sb_puts(out, "### ");
	(form.markdown ? put_plain : sb_puts)(out, title);
	sb_puts(out, form.markdown ? "\n\n" : "\n");
}

void sheet_line(StrBuf *out, ReportForm form, const char *text)
{
	sb_puts(out, form.markdown && out->n ? "\n" : "");
	(form.markdown ? put_plain : sb_puts)(out, text);
	sb_putc(out, '\n');
}

void sheet_code(StrBuf *out, ReportForm form, const char *name)
{
	Arena a = { 0 };
	name = printable(&a, name);
	if (form.markdown && *name)
		put_span(out, name, false);
	else
		sb_puts(out, name);
	arena_free(&a);
}

void sheet_hidden(int rows, ReportForm form, StrBuf *out)
{
	char text[60];
	snprintf(text, sizeof text, "%s%d more " REPORT_ALL, form.markdown ? "" : "  ", rows);
	if (rows)
		sheet_line(out, form, text);
}

/* Shortens two names for `width` columns, so that they still differ if they did. */
void sheet_names(Arena *a, int width, const char *x, const char *y, const char *shown[2])
{
	names_shown(a, (const char *const[]){ x, y }, 2, width, shown);
}
