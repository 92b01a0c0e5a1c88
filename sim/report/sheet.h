/* Tables of reports, as text or as Markdown. A table is filled row by row and written as a whole, since its
   columns are as wide as what stands in them. */
#ifndef GSIM_SHEET_H
#define GSIM_SHEET_H
#include "sim/report/report.h"

enum { SHEET_SCREEN = 100, SHEET_COLUMNS = 16 };

/* Widths and blanks count for text alone: Markdown has whole names. Columns that are not `left` are aligned
   to the right in both. */
typedef struct Column {
	/* a heading above the headings of all neighbours with the same group; NULL: none */
	const char *group;
	const char *heading;
	/* width in characters; longer names are shortened (lib/names.h); most 0: there is no limit */
	int least, most;
	int gap;                       /* number of blanks in front of the column, at least */
	bool left;
	bool code;                     /* Markdown: the cells are names of the program, put in code spans */
} Column;

typedef struct Sheet {
	Arena arena;
	ReportForm form;
	int ncolumns;
	Column column[SHEET_COLUMNS];
	Vec(const char *) cell;        /* row by row: ncolumns cells and a note in each */
	int at;                        /* index of the next cell of the last row */
} Sheet;

void sheet_begin(Sheet *, ReportForm, const Column *, int ncolumns);
void sheet_row(Sheet *);
void sheet_put(Sheet *, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* fills the next cell */
/* sets the note, which stands behind the cells of the row; text: as far as the screen has room */
void sheet_note(Sheet *, const char *);
bool sheet_empty(const Sheet *);
/* Writes the table, if it has a row, and frees it. title: NULL, or a line above it; headings: a table in text
   has a row of headings, too. */
void sheet_end(Sheet *, const char *title, bool headings, StrBuf *);

void sheet_title(StrBuf *, ReportForm, const char *);
/* puts a sentence as a line, in Markdown as a paragraph */
void sheet_line(StrBuf *, ReportForm, const char *);
/* puts a name within a sentence, in Markdown as a code span; not for cells of tables */
void sheet_code(StrBuf *, ReportForm, const char *);
/* says how many rows a short report has left out, if any */
void sheet_hidden(int rows, ReportForm, StrBuf *);
/* Shortens two names for `width` columns each, so that they still differ if they did. */
void sheet_names(Arena *, int width, const char *a, const char *b, const char *shown[2]);
#endif
