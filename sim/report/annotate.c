/* Source or code beside what each line did: what gsim --annotate and gsim-compare --annotate show. */
#include "sim/report/annotate.h"
#include "sim/report/by_place.h"

Annotate annotate_named(const char *what)
{
	return !what || !strcmp(what, "source") ? ANNOTATE_SOURCE : !strcmp(what, "code") ? ANNOTATE_CODE
		: ANNOTATE_NONE;
}

void report_annotate(const JsonValue *before, const JsonValue *after, Annotate what,
	const SourceRoot *sources, StrBuf *out)
{
	Listing l = { .run = { before, after }, .sources = sources };
	if (before && after && place_other_module(before, after))
		place_unite(&l.arena, l.run);
	bool known = annotate_has_code(before) || annotate_has_code(after);
	if (what == ANNOTATE_CODE && !known)
		sb_puts(out, "\nno code is in the report: it was not made with --annotate\n");
	if (known && (what == ANNOTATE_CODE || !annotate_readable(&l)))
		annotate_code(&l, out);
	else
		annotate_source(&l, out);
	sb_putc(out, '\n');
	list_print_sum(&l, out);
	vec_free(&l.line);
	arena_free(&l.arena);
}
