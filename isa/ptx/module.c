/* A PTX file: directives of module scope. */
#include "isa/ptx/ptx.h"
#include <stdio.h>

bool ptx_error(Ptx *p, Loc loc, const char *fmt, ...)
{
	char text[501];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	diag_error(p->diag, loc, "%s", text);
	return false;
}

bool ptx_refuse(Ptx *p, Loc loc, const char *fmt, ...)
{
	char text[501];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!p->b)
		return ptx_error(p, loc, "%s", text);
	if (!p->b->refused.what)
		p->b->refused = (Refusal){ arena_strdup(&p->m->arena, text), loc };
	return false;
}

bool ptx_refuse_ins(Ptx *p, const char *fmt, ...)
{
	const PtxToken *t = p->b->word;
	char text[300];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return ptx_refuse(p, tok_loc(p, t), "%.*s is not supported by gsim: %s",
		(int)(t->n < 180 ? t->n : 180), t->s, text);
}

/* ---- places in other files ---- */

static int by_file_number(const void *a, const void *b)
{
	const FileNo *x = a, *y = b;
	return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
		: (x->name > y->name) - (x->name < y->name);
}

/* Reads all .file directives before the rest of the module, since they stand behind the functions whose .loc
   lines name files by number. */
static void find_files(Ptx *p)
{
	for (int i = 0; i + 2 < p->tok.n; i++) {
		const PtxToken *t = &p->tok.v[i];
		if (t->kind != TK_DIRECTIVE || t->n != 5 || memcmp(t->s, ".file", 5) || t[1].kind != TK_INT ||
			t[2].kind != TK_STRING)
			continue;
		vec_push(&p->file, ((FileNo){ .number = t[1].bits, .name = &t[2], .file = -1 }));
	}
	if (p->file.n)
		qsort(p->file.v, (size_t)p->file.n, sizeof *p->file.v, by_file_number);
}

/* Returns the last .file directive with this number, whose file becomes one of the module. NULL: there is
   none. */
static const FileNo *file_of(Ptx *p, uint64_t number)
{
	int low = 0, high = p->file.n;
	while (low < high) {
		int mid = (low + high) / 2;
		if (p->file.v[mid].number <= number)
			low = mid + 1;
		else
			high = mid;
	}
	FileNo *f = low ? &p->file.v[low - 1] : NULL;
	if (!f || f->number != number)
		return NULL;
	if (f->file < 0)
		f->file = module_file(p->m, arena_strndup(&p->arena, f->name->s, f->name->n));
	return f;
}

/* Reads `file line column`. to->line 0: no .file directive has that number. */
static bool place_in_file(Ptx *p, const char *behind, SourcePlace *to)
{
	uint32_t v[3];
	Loc loc = tok_here(p);
	for (int i = 0; i < 3; i++) {
		const PtxToken *t = tok(p);
		if (t->kind != TK_INT || t->bits > INT32_MAX)
			return ptx_error(p, tok_here(p), "expected a number behind %s, not %s", behind,
				tok_text(p, t));
		v[i] = (uint32_t)t->bits;
		tok_next(p);
	}
	const FileNo *file = file_of(p, v[0]);
	if (file && file->file < 0)
		return ptx_error(p, loc, "instructions of more than %d files", FILE_LIMIT - 1);
	*to = file ? (SourcePlace){ .file = (uint16_t)file->file, .line = (int)v[1], .col = (int)v[2] }
		: (SourcePlace){ 0 };
	return true;
}

/* Returns the list of places that begins with `at` and goes on with list `call`. The same arguments give the
   same list. */
static int inlined_chain(Ptx *p, SourcePlace at, int call)
{
	const char *key = arena_printf(&p->arena, "%d %d %d %d", at.file, at.line, at.col, call);
	int list = strmap_get(&p->inlined, key);
	if (list < 0)
		strmap_put(&p->inlined, key, list = module_inlined(p->m, at, call));
	return list;
}

static int places_of(const Ptx *p, int list)
{
	int n = 0;
	for (; list; list = p->m->place.v[list].next)
		n++;
	return n;
}

static const char *call_key(Ptx *p, SourcePlace at)
{
	return arena_printf(&p->arena, "%d %d %d", at.file, at.line, at.col);
}

/* Notes where the code behind a .loc was inlined. The .loc names one call only. Through which further calls
   that call was inlined, the last .loc of the place of the call has said before. */
static void set_inlined(Ptx *p, SourcePlace at, SourcePlace call)
{
	int known = strmap_get(&p->call_at, call_key(p, call));
	bool inlined = at.line && call.line;
	if (inlined)
		p->loc_inlined = inlined_chain(p, at, known > 0 && places_of(p, known) < INLINED_LIMIT ? known
			: inlined_chain(p, call, 0));
	if (at.line)
		strmap_put(&p->call_at, call_key(p, at), p->loc_inlined);
}

/* Reads .loc file line column [, function_name label [+ offset], inlined_at file line column]. */
bool ptx_loc(Ptx *p)
{
	SourcePlace at, call = { 0 };
	int line = tok(p)->line;
	tok_next(p);
	if (!place_in_file(p, ".loc", &at))
		return false;
	while (tok_accept(p, ',')) {
		if (tok_is_word(p, "inlined_at")) {
			tok_next(p);
			if (!place_in_file(p, "inlined_at", &call))
				return false;
		}
		while (tok(p)->line == line && (tok(p)->kind == TK_WORD || tok(p)->kind == TK_INT ||
			tok_is(p, '+')))
			tok_next(p);
	}
	p->loc_file = at.file;
	p->loc_line = at.line;
	p->loc_col = at.col;
	p->loc_inlined = 0;
	set_inlined(p, at, call);
	return true;
}

/* ---- .version .target .address_size ---- */

static bool read_ptx_version(Ptx *p)
{
	const PtxToken *t = tok(p);
	double d;
	memcpy(&d, &t->bits, sizeof d);
	if (t->kind != TK_F64 || d < 1 || d >= 100)
		return ptx_error(p, tok_here(p), "expected a version such as 7.5, not %s", tok_text(p, t));
	p->version = (int)(d * 10 + 0.5);
	tok_next(p);
	return true;
}

static bool read_ptx_target(Ptx *p)
{
	do {
		const PtxToken *t = tok(p);
		char *name = tok_name(p);
		if (!name)
			return false;
		int sm = 0;
		if (!strncmp(name, "sm_", 3) || !strncmp(name, "compute_", 8))
			sm = atoi(strchr(name, '_') + 1);
		else if (strcmp(name, "debug") && strcmp(name, "texmode_unified") &&
			strcmp(name, "texmode_independent") && strcmp(name, "map_f64_to_f32"))
			return ptx_error(p, tok_loc(p, t), "unknown target '%s'", name);
		if (!strcmp(name, "map_f64_to_f32"))
			return ptx_error(p, tok_loc(p, t), "target map_f64_to_f32 is not supported");
		if (sm)
			p->sm = sm;
	} while (tok_accept(p, ','));
	return true;
}

static bool address_size(Ptx *p)
{
	const PtxToken *t = tok(p);
	if (t->kind != TK_INT || t->bits != 64)
		return ptx_error(p, tok_here(p), t->kind == TK_INT && t->bits == 32 ?
				 ".address_size 32 is not supported: addresses have 64 bits in "
				 "gsim" : "expected .address_size 64");
	p->address_size = 64;
	tok_next(p);
	return true;
}

/* ---- the rest ---- */

/* Skips .section name { ... }: debugging information. */
static bool section(Ptx *p)
{
	while (!tok_is(p, '{') && tok(p)->kind != TK_EOF)
		tok_next(p);
	if (tok(p)->kind == TK_EOF)
		return ptx_error(p, tok_here(p), ".section without a body");
	tok_skip_braces(p);
	return true;
}

static bool file(Ptx *p) /* Checks .file number "name" [, time, size]; find_files has read it. */
{
	const PtxToken *t = tok_ahead(p, 0), *name = tok_ahead(p, 1);
	if (t->kind != TK_INT || name->kind != TK_STRING)
		return ptx_error(p, tok_here(p), "expected a number and a name behind .file");
	p->at += 2;
	while (tok_accept(p, ','))
		tok_next(p);
	return true;
}

static bool linkage(Ptx *p, bool *external)
{
	bool any = false;
	for (;; any = true) {
		if (tok_accept_directive(p, ".extern"))
			*external = true;
		else if (!tok_accept_directive(p, ".visible") && !tok_accept_directive(p, ".weak") &&
			 !tok_accept_directive(p, ".common"))
			return any;
	}
}

static bool directive(Ptx *p)
{
	static const struct { const char *name; bool (*read)(Ptx *); } simple[] = {
		{ ".version", read_ptx_version }, { ".target", read_ptx_target },
		{ ".address_size", address_size },
		{ ".section", section },
		{ ".file", file }
	};
	static const struct { const char *name; Space space; } spaces[] = {
		{ ".global", SP_GLOBAL }, { ".const", SP_CONST }, { ".shared", SP_SHARED },
		{ ".local", SP_LOCAL }
	};
	bool external = false;
	if (!linkage(p, &external))
		for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
			if (tok_accept_directive(p, simple[i].name))
				return simple[i].read(p);
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (tok_accept_directive(p, spaces[i].name))
			return ptx_variable(p, spaces[i].space, external);
	if (tok_accept_directive(p, ".tex"))
		return ptx_texture(p, external);
	if (tok_accept_directive(p, ".reg"))
		return ptx_registers(p);
	if (tok_accept_directive(p, ".entry"))
		return ptx_function(p, true);
	if (tok_accept_directive(p, ".func"))
		return ptx_function(p, false);
	if (tok_is_directive(p, ".loc"))
		return ptx_loc(p);
	if (tok_is_directive(p, ".pragma")) {
		tok_skip_statement(p);
		return true;
	}
	if (tok_is_directive(p, ".alias"))
		return ptx_alias(p);
	return ptx_error(p, tok_here(p), "expected a directive of module scope, not %s", tok_text(p, tok(p)));
}

/* Goes on after an error: skips tokens up to where the next declaration may begin, which is behind a ';' or a
   body, or at a directive that begins a line. */
static void recover(Ptx *p, int from)
{
	if (p->at == from)
		tok_next(p);
	for (; tok(p)->kind != TK_EOF && !tok_accept(p, ';'); tok_next(p)) {
		if (tok(p)->kind == TK_DIRECTIVE && p->tok.v[p->at - 1].line < tok(p)->line)
			return;
		if (tok_is(p, '{')) {
			tok_skip_braces(p);
			return;
		}
	}
}

static void read_module(Ptx *p)
{
	Loc start = tok_here(p);
	bool head = tok_is_directive(p, ".version");
	int errors = p->diag->errors;
	if (!head)
		ptx_error(p, start, "a PTX file begins with .version");
	while (head && tok(p)->kind != TK_EOF) {
		int from = p->at;
		if (!tok_accept(p, ';') && !directive(p))
			recover(p, from);
	}
	if (head && !p->sm)
		ptx_error(p, start, "the file has no .target");
	ptx_resolve_aliases(p);
	ptx_resolve_inits(p);
	if (p->diag->errors == errors)
		ptx_runtime_calls(p);
	ptx_pass_module_regs(p);
}

Module *ptx_read(const char *text, size_t n, const char *path, Diag *diag)
{
	Ptx p = { .m = module_new(path), .diag = diag };
	int errors = diag->errors;
	if (ptx_lex(&p, text, n)) {
		find_files(&p);
		read_module(&p);
	}
	if (diag->errors == errors)
		ir_verify(p.m, diag);
	if (diag->errors > errors) {
		module_free(p.m);
		p.m = NULL;
	}
	vec_free(&p.tok);
	vec_free(&p.file);
	vec_free(&p.fix);
	vec_free(&p.alias);
	strmap_free(&p.funcs);
	strmap_free(&p.symbols);
	strmap_free(&p.reg_name);
	strmap_free(&p.call_at);
	strmap_free(&p.inlined);
	strmap_free(&p.reg_range);
	vec_free(&p.module_reg);
	vec_free(&p.reg_use);
	vec_free(&p.range);
	arena_free(&p.arena);
	return p.m;
}
