/* Prints modules, functions and variables as text. */
#include "isa/text_print.h"
#include <inttypes.h>

/* ---- places ---- */

typedef struct Printer {
	const Module *m;
	StrBuf *out;
	StrMap file;
	int nfiles;
	bool data, places;             /* initial data, and places in the source, are printed */
	SymbolOrder order;
} Printer;

/* Prints a place, 0:0 if it is unknown: without a mark the reader would take the place in the text. */
static void print_mark_place(const Printer *p, const char *mark, Loc l)
{
	bool known = l.file && l.line;
	if (!p->places)
		return;
	sb_printf(p->out, " %s %d:%d", mark, known ? strmap_get(&p->file, l.file) : 0, known ? l.line : 0);
	if (known && l.col)
		sb_printf(p->out, ":%d", l.col);
}

static void print_loc(const Printer *p, Loc l) { print_mark_place(p, "!loc", l); }

/* Prints where the instruction stands; for inlined code the places from the innermost line to the outermost
   call. */
static void print_ins_loc(const Printer *p, const Ins *i)
{
	const char *mark = "!loc";
	Loc l;
	if (!i->inlined)
		print_loc(p, ins_loc(p->m, i));
	for (int at = i->inlined; place_next(p->m, &at, &l); mark = "!inlined_at")
		print_mark_place(p, mark, l);
}

static void print_melded(const Printer *p, const Ins *i)
{
	Loc l;
	for (int at = i->melded; place_next(p->m, &at, &l);)
		print_mark_place(p, "!melded", l);
}

/* Prints a file with its number, if it has none yet. The files of the module come first, then those in which
   only declarations and labels stand. */
static void number_file(Printer *p, const char *file)
{
	if (!file || strmap_get(&p->file, file) >= 0)
		return;
	sb_printf(p->out, "file %d ", p->nfiles);
	text_put_quoted(file, '"', p->out);
	sb_putc(p->out, '\n');
	strmap_put(&p->file, file, p->nfiles++);
}

static void print_files(Printer *p)
{
	const Module *m = p->m;
	if (!p->places)
		return;
	for (int k = 0; k < m->file.n; k++)
		number_file(p, m->file.v[k]);
	for (int k = 0; k < m->symbol.n; k++)
		number_file(p, m->symbol.v[k]->loc.file);
	for (int k = 0; k < m->func.n; k++) {
		number_file(p, m->func.v[k]->loc.file);
		number_file(p, m->func.v[k]->refused.loc.file);
		for (int b = 0; b < m->func.v[k]->block.n; b++)
			number_file(p, m->func.v[k]->block.v[b]->loc.file);
	}
}

static void print_origin(const Printer *p, int origin)
{
	if (!origin)
		return;
	sb_puts(p->out, " !origin ");
	text_put_name(p->m->origin.v[origin], p->out);
}

/* ---- variables ---- */

static void print_shape(Type t, const char *name, bool array, uint64_t count, uint32_t align, StrBuf *out)
{
	sb_printf(out, "%s ", type_name[t]);
	text_put_name(name, out);
	if (array)
		sb_printf(out, count ? "[%" PRIu64 "]" : "[]", count);
	if (align != (uint32_t)type_bytes(t))
		sb_printf(out, " align %u", align);
}

static void print_address(const Module *m, const Reloc *x, StrBuf *out)
{
	if (x->generic)
		sb_puts(out, "generic(");
	text_put_name(x->func ? m->func.v[x->id]->name : m->symbol.v[x->id]->name, out);
	if (x->generic)
		sb_putc(out, ')');
	text_put_offset(x->addend, out);
}

static bool in_place(const Symbol *s, const Reloc *x)
{
	return type_bytes(s->type) == 8 && x->offset % 8 == 0;
}

/* The number of elements to print: up to the last that is not zero, or that an address takes. */
static uint64_t elements_used(const Symbol *s)
{
	uint64_t size = (uint64_t)type_bytes(s->type), used = s->size;
	while (used && !s->init[used - 1])
		used--;
	uint64_t n = (used + size - 1) / size;
	for (int r = 0; r < s->reloc.n; r++)
		if (in_place(s, &s->reloc.v[r]) && s->reloc.v[r].offset / 8 >= n)
			n = s->reloc.v[r].offset / 8 + 1;
	return n;
}

/* Prints initial data. Addresses stand in the place of 64-bit elements, otherwise at the end behind an
   @offset. */
static void print_data(const Module *m, const Symbol *s, StrBuf *out)
{
	uint64_t size = (uint64_t)type_bytes(s->type), n = elements_used(s);
	const char *separator = " ";
	if (!n && !s->reloc.n)
		return;
	sb_puts(out, " = {");
	int r = 0;
	for (uint64_t k = 0; k < n; k++) {
		while (r < s->reloc.n && (!in_place(s, &s->reloc.v[r]) || s->reloc.v[r].offset < k * 8))
			r++;
		sb_puts(out, separator);
		separator = ", ";
		if (r < s->reloc.n && s->reloc.v[r].offset == k * 8) {
			print_address(m, &s->reloc.v[r], out);
			continue;
		}
		uint64_t v = 0;
		memcpy(&v, s->init + k * size, size);
		text_put_value((Type)s->type, (int64_t)v, out);
	}
	for (r = 0; r < s->reloc.n; r++)
		if (!in_place(s, &s->reloc.v[r])) {
			sb_printf(out, "%s@%u ", separator, s->reloc.v[r].offset);
			separator = ", ";
			print_address(m, &s->reloc.v[r], out);
		}
	sb_puts(out, " }");
}

static void print_refused(const char *what, StrBuf *out)
{
	sb_puts(out, "refused ");
	text_put_quoted(what, '"', out);
}

static void print_symbol(const Printer *p, const Symbol *s)
{
	sb_puts(p->out, s->external ? "extern " : "");
	sb_printf(p->out, "%s ", space_name[s->space]);
	print_shape((Type)s->type, s->name, s->array, s->count, s->align, p->out);
	if (s->init && p->data)
		print_data(p->m, s, p->out);
	if (s->refused) {
		sb_putc(p->out, ' ');
		print_refused(s->refused, p->out);
	}
	print_loc(p, s->loc);
	sb_putc(p->out, '\n');
}

static void print_symbols(const Printer *p, int owner, const char *indent)
{
	for (int k = p->order.first[owner + 1]; k < p->order.first[owner + 2]; k++) {
		sb_puts(p->out, indent);
		print_symbol(p, p->m->symbol.v[p->order.id[k]]);
	}
}

/* ---- functions ---- */

static void print_args(const Function *f, const int *v, int n, StrBuf *out)
{
	sb_putc(out, '(');
	for (int k = 0; k < n; k++) {
		sb_printf(out, "%s%s ", k ? ", " : "", type_name[f->reg.v[v[k]].type]);
		text_put_register(f->reg.v[v[k]].name, out);
	}
	sb_putc(out, ')');
}

static void print_params(const Function *f, StrBuf *out)
{
	sb_putc(out, '(');
	for (int k = 0; k < f->param.n; k++) {
		const Param *p = &f->param.v[k];
		sb_puts(out, k ? ", " : "");
		print_shape((Type)p->type, p->name, p->array, p->count, p->align, out);
		if (p->pointer)
			sb_printf(out, " ptr(%s, %u)", space_name[p->space], p->points_align);
	}
	sb_putc(out, ')');
}

/* Prints reads(f32 %a, u32 %b), or the same with `writes`. */
static void print_touched(const Function *f, bool writes, StrBuf *out)
{
	const char *separator = writes ? " writes(" : " reads(", *end = "";
	for (int k = 0; k < f->touch.n; k++) {
		const LuaTouch *t = &f->touch.v[k];
		if (!(writes ? t->writes : t->reads))
			continue;
		sb_printf(out, "%s%s ", separator, type_name[t->type]);
		text_put_register(f->reg.v[f->arg.v[t->arg]].name, out);
		separator = ", ";
		end = ")";
	}
	sb_puts(out, end);
}

void ir_print_signature(const Function *f, StrBuf *out)
{
	text_put_name(f->name, out);
	if (f->kind == FN_KERNEL)
		print_params(f, out);
	else
		print_args(f, f->arg.v, f->arg.n, out);
	if (f->ret.n) {
		sb_puts(out, " -> ");
		print_args(f, f->ret.v, f->ret.n, out);
	}
	if (f->maxntid[0])
		sb_printf(out, " maxntid(%u, %u, %u)", f->maxntid[0], f->maxntid[1], f->maxntid[2]);
	if (f->reqntid[0])
		sb_printf(out, " reqntid(%u, %u, %u)", f->reqntid[0], f->reqntid[1], f->reqntid[2]);
	if (f->minnctapersm)
		sb_printf(out, " minnctapersm(%u)", f->minnctapersm);
	print_touched(f, false, out);
	print_touched(f, true, out);
}

static void print_header(const Printer *p, const Function *f)
{
	static const char *const words[] = { "kernel", "func", "host" };
	sb_printf(p->out, "\n%s%s ", f->declared_only ? "extern " : "", words[f->kind]);
	ir_print_signature(f, p->out);
	print_loc(p, f->loc);
	sb_putc(p->out, '\n');
}

static void print_registers(const Function *f, StrBuf *out)
{
	enum { PER_LINE = 16 };
	bool *declared = xcalloc((size_t)f->reg.n, sizeof *declared);
	for (int k = 0; k < f->arg.n; k++)
		declared[f->arg.v[k]] = true;
	for (int k = 0; k < f->ret.n; k++)
		declared[f->ret.v[k]] = true;
	int type = T_NONE, n = 0;
	for (int k = 0; k < f->reg.n; k++) {
		if (declared[k])
			continue;
		if (n && (f->reg.v[k].type != type || n % PER_LINE == 0)) {
			sb_putc(out, '\n');
			n = 0;
		}
		type = f->reg.v[k].type;
		sb_printf(out, n ? ", " : "\treg %s ", type_name[type]);
		text_put_register(f->reg.v[k].name, out);
		n++;
	}
	if (n)
		sb_putc(out, '\n');
	free(declared);
}

static void print_predicate(const Function *f, int reg, bool neg, StrBuf *out)
{
	sb_puts(out, neg ? "!" : "");
	text_put_register(f->reg.v[reg].name, out);
}

static void print_marks(const Function *f, int mark, StrBuf *out)
{
	for (; mark; mark = f->mark.v[mark].next) {
		const Mark *x = &f->mark.v[mark];
		sb_puts(out, x->kind == MARK_BEGINS ? " !begins " : " !decides ");
		text_put_name(f->source.v[x->source], out);
		if (x->value.kind != OPD_NONE)
			sb_puts(out, " by ");
		if (x->value.kind == OPD_REG)
			print_predicate(f, x->value.id, x->value.neg, out);
		else if (x->value.kind == OPD_IMM)
			sb_putc(out, x->value.imm ? '1' : '0');
		for (int k = x->lanes; k; k = f->lanes.v[k].next) {
			sb_puts(out, k == x->lanes ? " for " : ", ");
			print_predicate(f, f->lanes.v[k].reg, f->lanes.v[k].neg, out);
		}
	}
}

/* Are the source's blocks, in their order, just those whose labels stand in the text without marks, and does
   no mark name one before its label? Then they need not be listed. */
static bool sources_in_order(const Function *f)
{
	int n = 0;
	for (int k = 0; k < f->block.n; k++) {
		int first, last, source = block_plain_marks(f, f->block.v[k], &first, &last);
		if (source >= 0 && source != n++)
			return false;
		for (int i = 0; i < f->block.v[k]->ins.n; i++)
			for (int m = f->block.v[k]->ins.v[i].mark; m; m = f->mark.v[m].next)
				if (f->mark.v[m].source >= n)
					return false;
	}
	return n == f->source.n;
}

static void print_source_blocks(const Function *f, StrBuf *out)
{
	enum { PER_LINE = 16 };
	if (sources_in_order(f))
		return;
	for (int k = 0; k < f->source.n; k++) {
		sb_puts(out, k % PER_LINE ? ", " : k ? "\n\tsource " : "\tsource ");
		text_put_name(f->source.v[k], out);
	}
	sb_putc(out, '\n');
}

static void print_block(const Printer *p, const Function *f, const Block *b)
{
	StrBuf *out = p->out;
	int first, last;
	bool plain = block_plain_marks(f, b, &first, &last) >= 0;
	text_put_name(b->label, out);
	sb_putc(out, ':');
	if (!b->user)
		sb_puts(out, " !auto");
	else if (!plain)
		sb_puts(out, " !marked");
	print_origin(p, b->origin);
	print_loc(p, b->loc);
	sb_putc(out, '\n');
	for (int k = 0; k < b->ins.n; k++) {
		const Ins *i = &b->ins.v[k];
		sb_putc(out, '\t');
		ir_print_ins(p->m, f, b, i, out);
		print_ins_loc(p, i);
		print_melded(p, i);
		print_origin(p, i->origin);
		print_marks(f, !plain ? i->mark : k == b->ins.n - 1 ? last : k ? i->mark : first, out);
		if (b->reconverge && k == b->ins.n - 1) {
			sb_puts(out, " !reconverge ");
			text_put_name(b->reconverge->label, out);
		}
		sb_putc(out, '\n');
	}
}

static void print_function(const Printer *p, const Function *f)
{
	print_header(p, f);
	if (f->declared_only)
		return;
	if (f->refused.what) {
		print_refused(f->refused.what, p->out);
		print_loc(p, f->refused.loc);
		sb_putc(p->out, '\n');
		return;
	}
	sb_puts(p->out, "{\n");
	print_registers(f, p->out);
	print_source_blocks(f, p->out);
	print_symbols(p, f->id, "\t");
	for (int k = 0; k < f->block.n; k++)
		print_block(p, f, f->block.v[k]);
	sb_puts(p->out, "}\n");
}

static void print_module(const Module *m, StrBuf *out, bool data, bool places)
{
	Printer p = { .m = m, .out = out, .data = data, .places = places };
	print_files(&p);
	p.order = symbol_order(m);
	print_symbols(&p, -1, "");
	for (int k = 0; k < m->func.n; k++)
		print_function(&p, m->func.v[k]);
	symbol_order_free(&p.order);
	strmap_free(&p.file);
}

void ir_print_function(const Module *m, const Function *f, StrBuf *out)
{
	Printer p = { .m = m, .out = out, .data = true, .places = true, .order = symbol_order(m) };
	for (int k = 0; k < m->file.n; k++)
		strmap_put(&p.file, m->file.v[k], p.nfiles++);
	print_function(&p, f);
	strmap_free(&p.file);
	symbol_order_free(&p.order);
}

void ir_print(const Module *m, StrBuf *out) { print_module(m, out, true, true); }
void ir_print_without_data(const Module *m, StrBuf *out) { print_module(m, out, false, true); }
void ir_print_without_places(const Module *m, StrBuf *out) { print_module(m, out, true, false); }
