/* Tables of reports, as text or as Markdown. A table is filled row by row and written as a whole, since its
   columns are as wide as what stands in them. */
#ifndef GSIM_SHEET_H
#define GSIM_SHEET_H
#include "sim/report/report.h"

enum { SHEET_SCREEN = 100, SHEET_COLUMNS = 16 };

/* What follows of a column counts for text alone, `code` apart: Markdown has whole names, and numbers in
   columns to the right. */
typedef struct Column {
	const char *group;        /* a heading above those of neighbours that have the same one; NULL: none */
	const char *heading;
	int least, most;     /* width; longer names are shortened (lib/names.h); most 0: as wide as need be */
	int gap;                       /* blanks before it, at least */
	bool left;
	bool code;                     /* Markdown: a name out of the program, which is shown as it is */
} Column;

typedef struct Sheet {
	Arena arena;
	ReportForm form;
	int ncolumns;
	Column column[SHEET_COLUMNS];
	Vec(const char *) cell;        /* row by row; ncolumns and a note each */
	int at;                        /* the next cell of the last row */
} Sheet;

void sheet_begin(Sheet *, ReportForm, const Column *, int ncolumns);
void sheet_row(Sheet *);
void sheet_put(Sheet *, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* the row's next cell */
/* what stands behind the row's cells; text: as far as the screen has room */
void sheet_note(Sheet *, const char *);
bool sheet_empty(const Sheet *);
/* Writes the table, if it has a row, and frees it. title: NULL, or a line above it; headings: text too has a
   row of them. */
void sheet_end(Sheet *, const char *title, bool headings, StrBuf *);

void sheet_title(StrBuf *, ReportForm, const char *);
void sheet_line(StrBuf *, ReportForm, const char *); /* a sentence of ours: a line, in Markdown a paragraph */
/* a name within a sentence; Markdown: outside of tables */
void sheet_code(StrBuf *, ReportForm, const char *);
/* says how many rows a short report has left out, if any */
void sheet_hidden(int rows, ReportForm, StrBuf *);
/* Two names of which each is to fit into `width` columns. */
void sheet_names(Arena *, int width, const char *a, const char *b, const char *shown[2]);
#endif
