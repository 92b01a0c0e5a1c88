/* Lists the places in the source from which instructions of the machine code come, each place once. */
#include "sim/code/lower.h"

typedef struct LineRow { CodeLine line; int function, pc; } LineRow;

static int by_code_place(const void *a, const void *b)
{
	const LineRow *x = a, *y = b;
	if (x->function != y->function)
		return x->function - y->function;
	int files = x->line.file == y->line.file ? 0 : strcmp(x->line.file ? x->line.file : "",
		y->line.file ? y->line.file : "");
	if (files || x->line.line != y->line.line)
		return files ? files : x->line.line < y->line.line ? -1 : 1;
	return x->pc - y->pc;
}

static bool is_same_row(const LineRow *a, const LineRow *b)
{
	LineRow x = *b;
	x.pc = a->pc;
	return by_code_place(a, &x) == 0;
}

/* The list is in the order of function, file and line. Instructions that do not come from the source have
   line 0 and no file. */
void lower_lines(Code *c)
{
	LineRow *row = xcalloc((size_t)c->n + 1, sizeof *row);
	c->line = arena_array(&c->arena, CodeLine, c->n + 1);
	c->line_of = arena_array(&c->arena, int, c->n + 1);
	for (int i = 0; i < c->n; i++) {
		const MIns *m = &c->ins[i];
		Loc loc = m->src ? ins_loc(c->module, m->src) : (Loc){ 0 };
		row[i] = (LineRow){ { m->function, loc.line > 0 ? loc.file : NULL,
			loc.line > 0 ? loc.line : 0 },
			m->function->id, i };
	}
	qsort(row, (size_t)c->n, sizeof *row, by_code_place);
	for (int i = 0; i < c->n; i++) {
		if (!i || !is_same_row(&row[i - 1], &row[i]))
			c->line[c->nline++] = row[i].line;
		c->line_of[row[i].pc] = c->nline - 1;
	}
	free(row);
}
