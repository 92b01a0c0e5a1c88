#include "lib/diag.h"
#include "lib/output.h"
#include <stdlib.h>
#include <string.h>

typedef enum { ERROR, WARNING, REMARK } DiagKind;

static void add_message(Diag *d, Loc loc, DiagKind kind, const char *fmt, va_list ap)
{
	d->errors += kind == ERROR;
	d->remarks += kind == REMARK;
	if (kind != REMARK && d->item.n - d->remarks >= (d->limit ? d->limit : 20))
		return;
	va_list aq;
	va_copy(aq, ap);
	int n = vsnprintf(NULL, 0, fmt, aq);
	va_end(aq);
	char *text = arena_alloc(&d->arena, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	if (loc.file)
		loc.file = arena_strdup(&d->arena, loc.file);
	vec_push(&d->item, ((DiagItem){ loc, text, kind == WARNING, kind == REMARK }));
}

void diag_error(Diag *d, Loc loc, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	add_message(d, loc, ERROR, fmt, ap);
	va_end(ap);
}

void diag_warning(Diag *d, Loc loc, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	add_message(d, loc, WARNING, fmt, ap);
	va_end(ap);
}

void diag_remark(Diag *d, Loc loc, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	add_message(d, loc, REMARK, fmt, ap);
	va_end(ap);
}

void diag_print(const Diag *d, FILE *f)
{
	int shown = 0;
	for (int i = 0; i < d->item.n; i++) {
		const DiagItem *it = &d->item.v[i];
		if (it->loc.file)
			output_printf(f, "%s:", it->loc.file);
		if (it->loc.line)
			output_printf(f, "%d:", it->loc.line);
		if (it->loc.line && it->loc.col)
			output_printf(f, "%d:", it->loc.col);
		output_puts(f, it->loc.file ? " " : "");
		output_printf(f, "%s: %s\n", it->warning ? "warning" : it->remark ? "remark" : "error",
			it->text);
		shown += !it->warning && !it->remark;
	}
	if (d->errors > shown)
		output_printf(f, "error: %d more errors not shown\n", d->errors - shown);
}

const char *diag_first(const Diag *d)
{
	for (int i = 0; i < d->item.n; i++)
		if (!d->item.v[i].warning && !d->item.v[i].remark)
			return d->item.v[i].text;
	return NULL;
}

void diag_free(Diag *d)
{
	vec_free(&d->item);
	arena_free(&d->arena);
	*d = (Diag){ 0 };
}

void bug_(const char *file, int line, const char *what)
{
	fprintf(stderr, "gsim: internal error at %s:%d: %s\n", file, line, what);
	abort();
}
