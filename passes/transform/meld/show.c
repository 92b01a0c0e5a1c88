/* Shows people what melding does: before two subgraphs become one, the blocks of both sides with their
 * instructions side by side. Between them stands = where two instructions become one, # where two could and
 * it would cost more than it saves, < and > where one stays on its side. */
#include "passes/transform/meld/meld.h"
#include "lib/strbuf.h"

/* most and least columns of the left side; a longer text shifts the right side of its line */
enum { WIDEST = 72, NARROWEST = 24 };

typedef struct MeldSheet {
	const Meld *w;
	const MeldRegion *r;
	const Stretch *s;
	StrBuf *out;
	int width;
} MeldSheet;

static void show_line(MeldSheet *t, int indent, const char *left, const char *sign, const char *right)
{
	sb_printf(t->out, "    %*s%-*s %s%s%s\n", indent, "", t->width - indent, left, sign,
		*right ? " " : "", right);
}

/* Writes what stands at the end of the block on that side: its last instruction; or, where the side's threads
   pass through the form of the other side's region, where they go on. */
static void end_text(const MeldSheet *t, const BlockPair *p, int side, StrBuf *text)
{
	const Block *own = p->b[side], *form = p->b[1 - side];
	if (own && p->takes[side] == OWN_BRANCH) {
		ir_print_ins(t->w->r->m, t->w->f, own, block_term(own), text);
		sb_puts(text, side == 1 && p->swapped ? " (the other way around)" : "");
	} else if (p->comes[side]) {
		int next = p->succ[p->takes[side]];
		const Block *to = next == LEAVES ? NULL : t->s->pair.v[next].b[1 - side];
		sb_printf(text, "(%s%s)", to ? "always goes on to where the other side has "
			: "always goes out", to ? to->label : "");
	} else {
		sb_puts(text, form ? "" : "(none)");
	}
}

static void show_texts(MeldSheet *t, StrBuf *text, const char *sign)
{
	show_line(t, 2, text[0].s, sign, text[1].s);
	sb_free(&text[0]);
	sb_free(&text[1]);
}

static void show_item(MeldSheet *t, const BlockPair *p, const int *at, bool apart)
{
	StrBuf text[2] = { { 0 }, { 0 } };
	for (int s = 0; s < 2; s++) {
		sb_puts(&text[s], "");
		if (at[s] >= 0)
			ir_print_ins(t->w->r->m, t->w->f, p->b[s], &p->b[s]->ins.v[at[s]], &text[s]);
	}
	show_texts(t, text, apart ? "#" : at[0] >= 0 && at[1] >= 0 ? "=" : at[0] >= 0 ? "<" : ">");
}

static void show_pair(MeldSheet *t, const BlockPair *p)
{
	const char *label[2];
	for (int s = 0; s < 2; s++)
		label[s] = p->b[s] ? p->b[s]->label : p->comes[s] ? "(no code: threads pass)"
			: "(no thread comes here)";
	show_line(t, 0, label[0], " ", label[1]);
	for (const AlignedItem *i = p->item; i < p->item + p->n; i++)
		show_item(t, p, i->at, i->apart);
	StrBuf end[2] = { { 0 }, { 0 } };
	for (int s = 0; s < 2; s++)
		end_text(t, p, s, &end[s]);
	show_texts(t, end, !p->comes[0] ? ">" : !p->comes[1] ? "<" : "=");
}

/* Returns how many columns the left side takes. */
static int left_width(const MeldSheet *t)
{
	size_t width = NARROWEST;
	for (int k = 0; k < t->s->pair.n; k++) {
		const BlockPair *p = &t->s->pair.v[k];
		for (int i = 0; i < (p->b[0] ? p->b[0]->ins.n : 1); i++) {
			StrBuf text = { 0 };
			if (p->b[0] && i + 1 < p->b[0]->ins.n)
				ir_print_ins(t->w->r->m, t->w->f, p->b[0], &p->b[0]->ins.v[i], &text);
			else
				end_text(t, p, 0, &text);
			width = text.n + 2 > width ? text.n + 2 : width;
			sb_free(&text);
		}
	}
	return width < WIDEST ? (int)width : WIDEST;
}

void meld_show(const Meld *w, const MeldRegion *r, const Stretch *s)
{
	MeldSheet t = { .w = w, .r = r, .s = s, .out = w->r->show };
	if (!t.out)
		return;
	const char *c = w->f->reg.v[ins_src(block_term(r->e), 0)->id].name;
	t.width = left_width(&t);
	show_line(&t, 0, arena_printf(&w->r->m->arena, "threads with %s", c), "|",
		arena_printf(&w->r->m->arena, "threads with !%s", c));
	for (int p = 0; p < s->pair.n; p++)
		show_pair(&t, &s->pair.v[p]);
}
