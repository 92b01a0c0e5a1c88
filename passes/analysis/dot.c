/* A function's graph for Graphviz: solid edges, unstructured ones red; dashed edges to immediate
   post-dominators. */
#include "passes/analysis/dot.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/cost.h"

static void put_escaped(StrBuf *s, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			sb_putc(s, '\\');
		sb_putc(s, *text);
	}
}

/* Appends how often, as the profile has it, the source's blocks that begin in this one were fetched. */
static void put_fetches(StrBuf *s, const Function *f, const Block *b, const Profile *profile)
{
	for (int i = 0; i < b->ins.n; i++)
		for (int k = b->ins.v[i].mark; k; k = f->mark.v[k].next) {
			const Mark *x = &f->mark.v[k];
			const ProfileBlock *p = x->kind == MARK_BEGINS
				? profile_find(profile, f->name, f->source.v[x->source]) : NULL;
			if (!p)
				continue;
			put_escaped(s, p->label);
			sb_printf(s, ": %llu fetches of %.1f lanes\\l", (unsigned long long)p->fetches,
				p->fetches ? (double)p->threads / (double)p->fetches : 0.0);
		}
}

static void put_node(StrBuf *s, const Module *m, const Function *f, const Block *b, const Profile *profile,
	bool reached)
{
	sb_printf(s, "\tb%d [label=\"", b->id);
	put_escaped(s, b->label);
	sb_puts(s, "\\l");
	if (profile)
		put_fetches(s, f, b, profile);
	for (int k = 0; k < b->ins.n; k++) {
		StrBuf line = { 0 };
		ir_print_ins(m, f, b, &b->ins.v[k], &line);
		put_escaped(s, line.s ? line.s + strspn(line.s, " \t") : "");
		sb_puts(s, "\\l");
		sb_free(&line);
	}
	sb_printf(s, "\"%s%s];\n", b->user ? "" : ", style=filled, fillcolor=lightgrey",
		reached ? "" : ", color=grey");
}

static void edges(StrBuf *s, const Cfg *c, const Dom *dom, const Dom *pdom, const Loops *loops,
	const Block *b)
{
	static const char *const way[] = { "T", "F" };
	for (int k = 0; k < b->nsucc; k++) {
		sb_printf(s, "\tb%d -> b%d [", b->id, b->succ[k]->id);
		bool labelled = block_term(b)->nsrc > 0;
		if (labelled && block_term(b)->op == OP_BRA)
			sb_printf(s, "label=%s", way[k]);
		else if (labelled)
			sb_printf(s, "label=%d", k);
		if (bs_has(c->reach, b->id) && unstructured_edge(c, dom, pdom, loops, b->id, b->succ[k]->id))
			sb_printf(s, "%scolor=red, penwidth=2", labelled ? ", " : "");
		sb_puts(s, "];\n");
	}
	if (b->nsucc > 1 && pdom->idom[b->id] >= 0) {
		if (pdom->idom[b->id] == c->n)
			sb_printf(s, "\tb%d -> exit", b->id);
		else
			sb_printf(s, "\tb%d -> b%d", b->id, pdom->idom[b->id]);
		sb_puts(s, " [style=dashed, color=blue, constraint=false, tooltip=ipdom];\n");
	}
}

void cfg_dot(const Module *m, Function *f, const Profile *profile, StrBuf *s)
{
	Arena a = { 0 };
	Cfg *c = cfg_build(&a, f);
	Dom *dom = dom_build(&a, c), *pdom = pdom_build(&a, c, true);
	Loops *loops = loops_build(&a, c);
	sb_puts(s, "digraph \"");
	put_escaped(s, f->name);
	sb_printf(s, "\" {\n\t// %s; dashed: immediate post-dominators; red: unstructured edges (definition "
		"1)\n", structured(&a, c, NULL) ? "structured" : "unstructured");
	sb_puts(s, "\tnode [shape=box, fontname=monospace];\n\texit [shape=plaintext];\n");
	for (int b = 0; b < c->n; b++)
		put_node(s, m, f, f->block.v[b], profile, bs_has(c->reach, b));
	for (int b = 0; b < c->n; b++) {
		edges(s, c, dom, pdom, loops, f->block.v[b]);
		if (!f->block.v[b]->nsucc)
			sb_printf(s, "\tb%d -> exit;\n", b);
	}
	sb_puts(s, "}\n");
	arena_free(&a);
}
