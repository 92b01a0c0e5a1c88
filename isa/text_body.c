#include "isa/mnemonic.h"
#include "isa/text_reader.h"
#include <string.h>

int rd_declare(Reader *r, const Token *t, Type type)
{
	if (!t->quoted && sreg_lookup(t->s, t->n) >= 0) {
		rd_fail(r, t, "%.*s is a special register: it cannot be written or declared", (int)t->n,
			t->s);
		return -1;
	}
	if (edit_find_reg(&r->edit, t->s, t->n) >= 0) {
		rd_fail(r, t, "a second register %.*s", t->n > 60 ? 60 : (int)t->n, t->s);
		return -1;
	}
	return edit_add_reg(&r->edit, t->s, t->n, type);
}

/* Reads "u32 %a, %b" behind `reg`. */
static bool read_registers(Reader *r)
{
	Type t = rd_type(r);
	if (!t)
		return false;
	do {
		Token at = r->tok;
		if (!rd_expect(r, TK_REG, "a register's name") || rd_declare(r, &at, t) < 0)
			return false;
	} while (rd_accept(r, ','));
	return true;
}

/* ---- blocks ---- */

static TextPlace token_place(Reader *r, const Token *t)
{
	if (r->own_file < 0)
		r->own_file = module_file(r->m, r->m->name);
	return (TextPlace){ r->own_file, t->line, t->col };
}

static void place_ins_at(Reader *r, Ins *i, const Token *t)
{
	TextPlace p = token_place(r, t);
	i->file = (uint16_t)p.file;
	i->line = p.line;
	i->col = p.col;
}

/* Starts a block. If the block before has not ended, a jump to the new one ends it. name NULL: the block is
   named when the function is complete. */
static Block *start_block(Reader *r, char *name, const Token *at)
{
	Block *b = edit_add_block(&r->edit, name), *before = r->b;
	b->loc = rd_loc(r, at);
	if (!name) {
		b->user = true;
		vec_push(&r->unnamed, ((Unnamed){ b, r->f->source.n }));
		vec_push(&r->f->source, "");
	}
	if (before) {
		edit_jump(&r->edit, before, NULL, b);
		place_ins_at(r, block_term(before), at);
	}
	if (r->falls)
		edit_target(&r->edit, r->falls, 1, b);
	r->falls = NULL;
	return r->b = b;
}

static bool read_label(Reader *r)
{
	Token at = r->tok;
	char *name = rd_name(r, "a label");
	rd_next(r); /* skips the colon */
	const Block *old = edit_find_block(&r->edit, name);
	if (old)
		return rd_fail(r, &at, "a second label '%.100s'; the first stands in line %d", name,
			old->loc.line);
	Block *b = start_block(r, name, &at);
	Marks marks;
	if (!rd_marks(r, &marks))
		return false;
	b->user = !marks.is_auto;
	b->marked = marks.is_marked;
	if (b->user && !b->marked)
		rd_source(r, b->label);
	b->origin = marks.origin;
	if (marks.has_loc)
		vec_push(&r->fix, ((LocFix){ NULL, 0, &b->loc, marks.loc }));
	if (marks.is_auto && marks.is_marked)
		return rd_fail(r, &marks.at, "a label is !auto or !marked, not both");
	return marks.reconverge ? rd_fail(r, &marks.at,
		"!reconverge belongs to the instruction that ends the block") : true;
}

static bool at_label(const Reader *r)
{
	const char *p = r->lex.at;
	while (p < r->lex.end && (*p == ' ' || *p == '\t'))
		p++;
	return r->tok.kind == TK_NAME && p < r->lex.end && *p == ':';
}

/* ---- targets ---- */

static bool read_target(Reader *r, Block *b, int slot)
{
	Token at = r->tok;
	char *name = rd_name(r, "a label");
	if (name)
		vec_push(&r->jump, ((Jump){ b, slot, name, rd_loc(r, &at) }));
	return name != NULL;
}

/* Reads the targets of bra: "A", or "%p, A, B"; a guarded "@%p bra A" becomes "bra %p, A, <the next
   block>". */
static bool branch_targets(Reader *r, Ins *i, Block *b)
{
	bool two = i->nsrc > 0;
	if (two && !rd_expect(r, ',', "',' and the targets"))
		return false;
	if (i->guard >= 0 && two)
		return rd_fail(r, &r->tok, "a branch has a guard or a condition, not both");
	edit_targets(&r->edit, b, NULL, two || i->guard >= 0 ? 2 : 1);
	if (!read_target(r, b, 0))
		return false;
	if (i->guard >= 0) {
		i->opd = arena_new(&r->m->arena, Opd);
		*i->opd = opd_reg(i->guard);
		i->opd->neg = i->guard_neg;
		i->nsrc = 1;
		i->guard = -1;
		i->guard_neg = 0;
		r->falls = b;
		return true;
	}
	return !two || (rd_expect(r, ',', "',' and the second target") && read_target(r, b, 1));
}

static bool indexed_targets(Reader *r, Block *b)
{
	if (!rd_expect(r, ',', "','") || !rd_expect(r, '[', "'[' and the targets"))
		return false;
	int n = 0;
	while (rd_skip_lines(r), !rd_accept(r, ']')) {
		if (n && !rd_expect(r, ',', "',' or ']'"))
			return false;
		rd_skip_lines(r);
		if (!read_target(r, b, n++))
			return false;
	}
	edit_targets(&r->edit, b, NULL, n);
	return true;
}

static const char **label_names(const Reader *r, int *n)
{
	const char **names = xcalloc((size_t)r->f->block.n, sizeof *names);
	*n = 0;
	for (int k = 0; k < r->f->block.n; k++)
		if (r->f->block.v[k]->label)
			names[(*n)++] = r->f->block.v[k]->label;
	return names;
}

static void resolve_targets(Reader *r)
{
	for (int k = 0; k < r->jump.n; k++) {
		const Jump *j = &r->jump.v[k];
		Block *to = edit_find_block(&r->edit, j->label);
		if (!to) {
			int n;
			const char **names = label_names(r, &n);
			Token t = { .kind = TK_NAME, .s = j->label, .n = strlen(j->label),
				.line = j->loc.line, .col = j->loc.col };
			rd_unknown(r, &t, "label", names, n);
			free(names);
			if (r->diag->errors - r->errors_before >= ERROR_LIMIT)
				return;
		} else if (j->slot < 0) {
			j->from->reconverge = to;
		} else if (j->slot < j->from->nsucc) {
			edit_target(&r->edit, j->from, j->slot, to);
		}
	}
}

/* ---- instructions ---- */

static bool read_mnemonic(Reader *r, Ins *i)
{
	MnemonicError e;
	Token t = r->tok;
	if (!rd_expect(r, TK_NAME, r->dst.n ? "an operation, such as mov.u32" : "an operation"))
		return false;
	if (!t.quoted && mnemonic_parse(t.s, t.n, i, &e))
		return true;
	if (t.quoted)
		return rd_fail(r, &t, "expected an operation, found a quoted name");
	const char *here = habit_mnemonic(t.s, t.n);
	if (here)
		return rd_fail(r, &t, "'%.*s' is spelt otherwise here; write: %s", t.n > 40 ? 40 : (int)t.n,
			t.s, here);
	StrBuf sb = { 0 };
	mnemonic_explain(&e, &sb);
	t.col += (int)(e.at - t.s);
	rd_fail(r, &t, "%s", sb.s);
	sb_free(&sb);
	return false;
}

static bool read_operands(Reader *r, Ins *i)
{
	i->ndst = (uint16_t)r->dst.n;
	vec_clear(&r->opd);
	for (int k = 0; k < r->dst.n; k++)
		vec_push(&r->opd, (Opd){ 0 });
	if (!rd_sources(r, i))
		return false;
	i->opd = arena_array(&r->m->arena, Opd, r->opd.n ? r->opd.n : 1);
	if (r->opd.n)
		memcpy(i->opd, r->opd.v, sizeof *i->opd * (size_t)r->opd.n);
	return rd_set_destinations(r, i);
}

/* Reverses a list of marks, which then is in the order in which they were written. */
static int reverse_marks(Function *f, int mark)
{
	int out = 0;
	while (mark) {
		int next = f->mark.v[mark].next;
		f->mark.v[mark].next = out;
		out = mark;
		mark = next;
	}
	return out;
}

/* Makes the list of inlined places of the instruction whose marks are read: its own !loc, and behind it its
   !inlined_at. 0: there are no !inlined_at. */
static int read_inlined_list(Reader *r, TextPlace own)
{
	int list = 0;
	for (int k = r->inlined.n; k; k--)
		list = module_inlined(r->m, r->inlined.v[k - 1], list);
	return list ? module_inlined(r->m, (SourcePlace){ .file = (uint16_t)own.file, .line = own.line,
		.col = own.col }, list) : 0;
}

static bool finish_ins(Reader *r, Ins *i, Block *b, const Token *at)
{
	Marks marks;
	r->at_instruction = true;
	bool ok = rd_marks(r, &marks);
	r->at_instruction = false;
	if (!ok)
		return false;
	i->origin = marks.origin;
	i->mark = reverse_marks(r->f, marks.mark);
	i->melded = module_melded(r->m, r->melded.v, r->melded.n);
	if (r->inlined.n && !marks.loc.line)
		return rd_fail(r, &marks.at, "!inlined_at needs the place of what has been inlined: !loc "
			"FILE:LINE");
	place_ins_at(r, i, at);
	if (marks.has_loc)
		vec_push(&r->fix, ((LocFix){ b, b->ins.n, NULL, marks.loc,
			read_inlined_list(r, marks.loc) }));
	if (marks.reconverge) {
		if (i->op != OP_BRX && (i->op != OP_BRA || !i->nsrc))
			return rd_fail(r, &marks.at, "!reconverge belongs to a conditional or indexed "
				"branch");
		vec_push(&r->jump, ((Jump){ b, -1, marks.reconverge, rd_loc(r, &marks.at) }));
	}
	return !(marks.is_auto || marks.is_marked) || rd_fail(r, &marks.at,
		"!auto and !marked belong to labels");
}

static Block *current_block(Reader *r, const Token *at)
{
	if (r->b)
		return r->b;
	if (!r->f->block.n || r->falls)
		return start_block(r, NULL, at);
	rd_fail(r, at, "expected a label: the block has ended, nothing can reach this instruction");
	return NULL;
}

static bool read_instruction(Reader *r)
{
	Token at = r->tok;
	Ins i = { .guard = -1 };
	Opd guard;
	vec_clear(&r->dst);
	if (rd_accept(r, '@')) {
		if (!rd_predicate(r, &guard))
			return false;
		i.guard = guard.id;
		i.guard_neg = guard.neg;
	}
	if ((rd_at(r, TK_REG) || rd_at(r, '{') || rd_at(r, '(') || rd_word(r, "_")) && !rd_destinations(r))
		return false;
	Token mnemonic = r->tok;
	if (!read_mnemonic(r, &i) || !habit_operands(r, &at, &mnemonic, &i))
		return false;
	Block *b = current_block(r, &at);
	if (!b || !read_operands(r, &i))
		return false;
	if ((i.op == OP_BRA && !branch_targets(r, &i, b)) || (i.op == OP_BRX && !indexed_targets(r, b)))
		return false;
	if (op_info[i.op].flags & OPF_TERM && i.guard >= 0)
		return rd_fail(r, &at, "%s takes no guard; branch around it", op_info[i.op].name);
	if (!finish_ins(r, &i, b, &at))
		return false;
	edit_append(&r->edit, b, i);
	if (ins_ends(&i))
		r->b = NULL;
	return true;
}

/* Declares the registers that an instruction with an error would have declared, so that no later line is
   reported for using them. Returns false. */
static bool forgive_destinations(Reader *r)
{
	for (int k = 0; k < r->dst.n; k++)
		if (r->dst.v[k].kind == TK_REG && edit_find_reg(&r->edit, r->dst.v[k].s, r->dst.v[k].n) < 0)
			rd_declare(r, &r->dst.v[k], T_NONE);
	return false;
}

/* ---- bodies ---- */

static bool starts_variable(const Reader *r)
{
	return rd_word(r, "extern") || rd_word(r, "shared") || rd_word(r, "local") || rd_word(r, "global") ||
		rd_word(r, "const");
}

/* Reads "source B1, B2": the source's blocks in their order, where labels alone do not say it. */
static bool read_sources(Reader *r)
{
	do {
		Token at = r->tok;
		char *label = rd_name(r, "the label of a block of the source");
		if (!label)
			return false;
		if (strmap_get(&r->source, label) >= 0)
			return rd_fail(r, &at, "'%.100s' stands in the list of the source's blocks already",
				label);
		rd_source(r, label);
	} while (rd_accept(r, ','));
	return true;
}

static bool read_statement(Reader *r)
{
	bool labelled = at_label(r);
	while (at_label(r))
		if (!read_label(r))
			return false;
	if (labelled)
		return rd_at(r, TK_NL) || rd_at(r, '}') || read_instruction(r) || forgive_destinations(r);
	if (rd_accept_word(r, "reg"))
		return read_registers(r);
	if (rd_accept_word(r, "source"))
		return read_sources(r);
	if (starts_variable(r))
		return rd_symbol(r, r->f->id);
	return read_instruction(r) || forgive_destinations(r);
}

/* Ends the last block and names the blocks without label. */
static void close_body(Reader *r, const Token *at)
{
	Function *f = r->f;
	if (!f->block.n || r->falls)
		start_block(r, NULL, at);
	if (r->b) {
		edit_append(&r->edit, r->b, f->kind == FN_DEVICE ? edit_ret(&r->edit, NULL)
			: edit_new(&r->edit, NULL, OP_EXIT, T_NONE, 0, 0));
		place_ins_at(r, block_term(r->b), at);
	}
	for (int k = 0, fresh = 0; k < r->unnamed.n; k++) {
		Unnamed *x = &r->unnamed.v[k];
		const char *label;
		do
			label = edit_auto_label(&r->edit, &fresh);
		while (strmap_get(&r->source, label) >= 0);
		edit_label(&r->edit, x->b, label);
		f->source.v[x->source] = x->b->label;
		strmap_put(&r->source, x->b->label, x->source);
	}
}

/* Checks the names in marks: each must be the label of a block that is not !auto, or stand in a `source`
   list. */
static void check_named(Reader *r)
{
	for (int k = 0; k < r->named.n; k++) {
		const NamedSource *x = &r->named.v[k];
		const Block *b = edit_find_block(&r->edit, x->label);
		if (!b || !b->user)
			rd_fail(r, &x->at, "no block of the source is called '%.100s': expected the label of "
				"a block, or one that `source` lists", x->label);
	}
}

/* Sets the marks of the source's blocks for which the text writes none. */
static void mark_blocks(Reader *r)
{
	for (int k = 0; k < r->f->block.n; k++) {
		Block *b = r->f->block.v[k];
		if (b->user && !b->marked && b->ins.n)
			block_mark(r->f, b, rd_source(r, b->label));
		b->marked = false;
	}
}

void rd_open(Reader *r, Function *f)
{
	edit_close(&r->edit);
	r->edit = edit_open(r->m, f, 0);
	r->f = f;
}

static void enter_function(Reader *r, Function *f)
{
	rd_open(r, f);
	r->b = r->falls = NULL;
	strmap_free(&r->local);
	strmap_free(&r->source);
	vec_clear(&r->jump);
	vec_clear(&r->unnamed);
	vec_clear(&r->named);
	for (int k = 0; k < f->param.n; k++)
		strmap_put(&r->local, f->param.v[k].name, k << 1);
}

void rd_body(Reader *r, Function *f)
{
	int errors = r->diag->errors;
	enter_function(r, f);
	rd_next(r);
	for (;;) {
		rd_skip_lines(r);
		if (rd_at(r, '}') || rd_at(r, TK_END))
			break;
		if (!read_statement(r) ||
			(!rd_at(r, TK_NL) && !rd_at(r, '}') && !rd_at(r, TK_END) &&
			!rd_wanted(r, "',' or the end of the line")))
			rd_recover(r);
	}
	/* after an error, recovery may have skipped the '}' */
	if (!rd_at(r, '}') && r->diag->errors == errors)
		rd_fail(r, &r->tok, "expected '}': the body of %.100s has no end", f->name);
	close_body(r, &r->tok);
	if (r->diag->errors == errors)
		check_named(r);
	mark_blocks(r);
	resolve_targets(r);
}
