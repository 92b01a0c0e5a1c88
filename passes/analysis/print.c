#include "passes/analysis/print.h"

const char *print_label(const Cfg *c, int b)
{
	return b < 0 ? "-" : b >= c->n ? "(exit)" : c->f->block.v[b]->label;
}

void print_blocks(const Cfg *c, BitSet set, StrBuf *s)
{
	bs_each(set, b)
		sb_printf(s, " %s", print_label(c, b));
}

void print_regs(const Cfg *c, BitSet set, StrBuf *s)
{
	bs_each(set, r)
		sb_printf(s, " %s", function_value_name(c->f, r));
}

void cfg_print(const Cfg *c, const Cfg *same, StrBuf *s)
{
	for (int i = 0; i < c->nreach; i++) {
		const Block *b = c->rpo[i];
		sb_printf(s, "  %s:", b->label);
		for (int k = 0; k < b->nsucc; k++)
			sb_printf(s, " %s", b->succ[k]->label);
		if (bs_has(c->fatal, b->id))
			sb_puts(s, " (aborts)");
		sb_puts(s, "\n");
	}
	for (int b = 0; b < c->n; b++)
		if (!bs_has(c->reach, b))
			sb_printf(s, "  %s: cannot be reached\n", print_label(c, b));
}

static void print_tree(const Cfg *c, const Dom *d, StrBuf *s)
{
	for (int i = 0; i < c->nreach; i++)
		sb_printf(s, "  %s: %s\n", c->rpo[i]->label, print_label(c, d->idom[c->rpo[i]->id]));
}

void dom_print(const Cfg *c, const Dom *d, StrBuf *s) { print_tree(c, d, s); }
void pdom_print(const Cfg *c, const Dom *d, StrBuf *s) { print_tree(c, d, s); }

void loops_print(const Cfg *c, const Loops *l, StrBuf *s)
{
	if (!l->n)
		sb_puts(s, "  none\n");
	Arena tmp = { 0 };
	const IntList *exits = loop_exits(&tmp, c, l);
	for (int i = 0; i < l->n; i++) {
		const Loop *p = &l->loop[i];
		sb_printf(s, "  %*s%s%s:", 2 * (p->depth - 1), "", print_label(c, p->header),
			p->reducible ? "" : " (irreducible)");
		print_blocks(c, loop_blocks(&tmp, c, p), s);
		sb_puts(s, "; back from");
		for (int k = 0; k < p->latch.n; k++)
			sb_printf(s, " %s", print_label(c, p->latch.v[k]));
		sb_puts(s, "; on to");
		for (int k = 0; k < exits[i].n; k++)
			sb_printf(s, " %s", print_label(c, exits[i].v[k]));
		sb_puts(s, "\n");
	}
	arena_free(&tmp);
}

void structure_print(const Cfg *c, const Structure *x, StrBuf *s)
{
	sb_puts(s, x->structured ? "  structured" : "  unstructured; reduction stops at");
	if (!x->structured)
		print_blocks(c, x->residue, s);
	sb_puts(s, "\n");
}

static void print_apart(const Cfg *c, const Uniformity *u, StrBuf *s)
{
	Arena tmp = { 0 };
	sb_puts(s, "  blocks to which some may come alone:");
	print_blocks(c, uniformity_apart(&tmp, c, u), s);
	sb_puts(s, "\n");
	arena_free(&tmp);
}

void uniformity_print(const Cfg *c, const Uniformity *u, StrBuf *s)
{
	UniWhy *why = uniformity_why_open(c, u);
	for (int i = 0; i < c->nreach; i++) {
		const Block *b = c->rpo[i];
		if (b->nsucc < 2)
			continue;
		sb_printf(s, "  %s: %s", b->label, u->divergent[b->id] ? "divergent; by " : "uniform");
		if (u->divergent[b->id])
			uniformity_why(why, b->id, s);
		sb_putc(s, '\n');
	}
	uniformity_why_close(why);
	uniformity_print_regs(c, u, s);
	if (u->options.scope != UNI_WARP)
		print_apart(c, u, s);
}

void uniformity_print_regs(const Cfg *c, const Uniformity *u, StrBuf *s)
{
	sb_puts(s, "  registers that may differ:");
	print_regs(c, u->regs, s);
	sb_puts(s, "\n");
}
