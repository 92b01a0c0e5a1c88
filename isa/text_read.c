/* Reads a module from its text. */
#include "isa/text_import.h"
#include "isa/text_reader.h"
#include <string.h>

static bool read_file_line(Reader *r)
{
	uint64_t number = 0;
	Token at = r->tok;
	if (!rd_count(r, INT32_MAX, &number, "a file number"))
		return false;
	Token path = r->tok;
	if (!rd_expect(r, TK_STRING, "the file's name in quotes"))
		return false;
	int k = rd_file(r, number), index = 0;
	if (k < r->file.n && r->file.v[k].file == (int)number)
		return rd_fail(r, &at, "file %d is declared already", (int)number);
	if (number == 0 && r->imported)
		return rd_fail(r, &at, "file 0 stands before the first import");
	if (number == 0) {
		r->own_file = strcmp(path.s, r->m->name) ? -1 : 0;
		r->m->file.v[0] = path.s;
	} else if (r->m->file.n == FILE_LIMIT - 1) { /* one more may be needed for the text itself */
		return rd_fail(r, &at, "more than %d files", FILE_LIMIT - 1);
	} else {
		index = module_file(r->m, path.s);
	}
	vec_insert(&r->file, k, ((TextPlace){ (int)number, index, 0 }));
	return true;
}

/* The folder of a path, with '/' at its end, or "". */
static const char *folder_of(Arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	return arena_strndup(a, path, slash ? (size_t)(slash - path) + 1 : 0);
}

/* Why this import is refused, as a clause for a message, or NULL. */
static const char *import_refused(const Reader *r, const char *name, const char *inside)
{
	if (!r->from)
		return "it is for module files: this text was not read from one";
	if (!*name || *name == '/')
		return "expected a path that leads from this file's folder to another file";
	for (const char *p = name; *p; p++)
		if ((unsigned char)*p < 32 || *p == 127)
			return "a path has no control characters";
	if (!inside)
		return "'..' leads out of the folder of the module that was named; --source DIR names "
			"another one";
	for (const ImportSource *s = r->from; s; s = s->by)
		if (!strcmp(s->inside, inside))
			return s == r->from ? "the file imports itself"
				: "files import each other in a circle";
	if (r->from->depth == IMPORT_DEPTH)
		return "imports lead through more than 8 files";
	if (r->from->all->files == IMPORT_FILES)
		return "more than 1024 files are read for one module";
	return NULL;
}

/* What the other file declares is known from here on as if it stood in this text. */
static bool take_over(Reader *r, Module *from, const Token *at)
{
	int func = r->m->func.n, symbol = r->m->symbol.n;
	if (!module_join(r->m, from, rd_loc(r, at), r->diag))
		return false;
	for (; func < r->m->func.n; func++)
		strmap_put(&r->func, r->m->func.v[func]->name, func);
	for (; symbol < r->m->symbol.n; symbol++) {
		const Symbol *s = r->m->symbol.v[symbol];
		if (s->owner < 0)
			strmap_put(&r->global, s->name, symbol);
		if (s->init && (r->data_bytes += s->size) > DATA_LIMIT)
			return rd_fail(r, at, "more than %d bytes of initial data", DATA_LIMIT);
	}
	return true;
}

static bool read_import(Reader *r)
{
	Token at = r->tok;
	const char *why;
	if (!rd_expect(r, TK_STRING, "a file's name in quotes"))
		return false;
	r->imported = true;
	Arena *a = &r->m->arena;
	const char *inside = r->from ? source_join(a, folder_of(a, r->from->inside), at.s) : NULL;
	if ((why = import_refused(r, at.s, inside)))
		return rd_fail(r, &at, "import: %s", why);
	r->from->all->files++;
	ImportSource source = { r->from, arena_printf(a, "%s%s", folder_of(a, r->from->path), at.s), inside,
		r->from->depth + 1, r->from->all };
	Module *from = source_read(&source, rd_loc(r, &at), r->diag);
	return from && take_over(r, from, &at);
}

static bool starts_function(const Reader *r)
{
	return rd_word(r, "kernel") || rd_word(r, "func") || rd_word(r, "host");
}

static bool read_item(Reader *r)
{
	if (rd_accept_word(r, "file"))
		return read_file_line(r);
	if (rd_accept_word(r, "import"))
		return read_import(r) || (r->lacks = true, false);
	if (rd_space(r) != SP_GENERIC)
		return rd_symbol(r, -1);
	if (!rd_word(r, "extern"))
		return rd_function(r, false);
	Lexer saved = r->lex;
	Token tok = r->tok;
	rd_next(r);
	if (starts_function(r))
		return rd_function(r, true);
	r->lex = saved;
	r->tok = tok;
	return rd_symbol(r, -1);
}

static void first_pass(Reader *r)
{
	for (;;) {
		rd_skip_lines(r);
		if (rd_at(r, TK_END))
			return;
		if (!read_item(r) || (!rd_at(r, TK_NL) && !rd_at(r, TK_END) &&
			!rd_wanted(r, "the end of the line")))
			rd_recover(r);
	}
}

static void second_pass(Reader *r)
{
	for (int k = 0; k < r->later.n; k++) {
		Later *l = &r->later.v[k];
		r->lex = l->lex;
		if (l->f) {
			rd_body(r, l->f);
			continue;
		}
		r->tok = l->tok;
		if (rd_data(r, l->symbol) && !rd_at(r, TK_NL) && !rd_at_mark(r) && !rd_at(r, TK_END))
			rd_wanted(r, "the end of the line");
	}
}

/* Sets places to what !loc says; up to now they were places in the text, for messages. */
static void set_places(Reader *r)
{
	for (int k = 0; k < r->fix.n; k++) {
		const LocFix *x = &r->fix.v[k];
		if (x->loc) {
			*x->loc = x->place.line ? (Loc){ r->m->file.v[x->place.file], x->place.line,
				x->place.col } : (Loc){ NULL, 0, 0 };
			continue;
		}
		Ins *i = &x->block->ins.v[x->index];
		if (x->inlined) {
			ins_place_inlined(r->m, i, x->inlined);
			continue;
		}
		i->file = (uint16_t)x->place.file;
		i->line = x->place.line;
		i->col = x->place.col;
	}
}

/* Removes the text's own path from the files of the module when every instruction says that it comes from
   another file. */
static void drop_unused_own_file(Reader *r)
{
	if (r->own_file <= 0 || r->own_file != r->m->file.n - 1)
		return;
	for (int k = 1; k < r->m->place.n; k++)
		if (r->m->place.v[k].file == r->own_file)
			return;
	for (int k = 0; k < r->m->func.n; k++) {
		const Function *f = r->m->func.v[k];
		for (int b = 0; b < f->block.n; b++)
			for (int i = 0; i < f->block.v[b]->ins.n; i++)
				if (f->block.v[b]->ins.v[i].file == r->own_file)
					return;
	}
	r->m->file.n--; /* nothing is added to the list behind this */
}

static void free_reader(Reader *r)
{
	strmap_free(&r->func);
	strmap_free(&r->global);
	strmap_free(&r->string);
	edit_close(&r->edit);
	strmap_free(&r->local);
	strmap_free(&r->source);
	vec_free(&r->file);
	vec_free(&r->later);
	vec_free(&r->fix);
	vec_free(&r->jump);
	vec_free(&r->named);
	vec_free(&r->unnamed);
	vec_free(&r->dst);
	vec_free(&r->opd);
	vec_free(&r->melded);
	vec_free(&r->inlined);
}

Module *ir_read_source(const char *text, size_t n, const char *path, const ImportSource *source, Diag *diag)
{
	Module *m = module_new(path);
	Reader r = { .m = m, .from = source, .diag = diag, .errors_before = diag->errors };
	r.lex = (Lexer){ text, text, text + n, text, 1, m->name, &m->arena, diag };
	rd_next(&r);
	first_pass(&r);
	if (!r.lacks)
		second_pass(&r);
	bool ok = diag->errors == r.errors_before && ir_verify(m, diag);
	if (ok) {
		set_places(&r);
		drop_unused_own_file(&r);
	}
	free_reader(&r);
	if (ok)
		return m;
	module_free(m);
	return NULL;
}

Module *ir_read(const char *text, size_t n, const char *path, Diag *diag)
{
	return ir_read_source(text, n, path, NULL, diag);
}
