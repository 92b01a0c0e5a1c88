/* Melded code before it is made: the blocks of both sides with their instructions side by side. Between them stands = where they become one, < and > where
 * one stays alone. */
#include "passes/transform/meld/meld.h"
#include "lib/strbuf.h"

enum { WIDTH = 44 };

static void show_line(StrBuf *out, int indent, const char *left, const char *sign, const char *right)
{
	sb_printf(out, "    %*s%-*s %s%s%s\n", indent, "", WIDTH - indent, left, sign, *right ? " " : "", right);
}

static void show_item(const Meld *w, const BlockPair *p, const int *at, StrBuf *out)
{
	StrBuf text[2] = { { 0 }, { 0 } };
	for (int s = 0; s < 2; s++) {
		sb_puts(&text[s], "");
		if (at[s] >= 0)
			ir_print_ins(w->r->m, w->f, p->b[s], &p->b[s]->ins.v[at[s]], &text[s]);
	}
	show_line(out, 2, text[0].n ? text[0].s : "", at[0] >= 0 && at[1] >= 0 ? "=" : at[0] >= 0 ? "<" : ">", text[1].n ? text[1].s : "");
	sb_free(&text[0]);
	sb_free(&text[1]);
}

static void show_pair(const Meld *w, const BlockPair *p, StrBuf *out)
{
	const char *label[2];
	for (int s = 0; s < 2; s++)
		label[s] = p->b[s] ? p->b[s]->label : p->comes[s] ? "(on the way)" : "(does not come here)";
	show_line(out, 0, label[0], " ", label[1]);
	for (int k = 0; k < p->n; k++) {
		const Item *i = &p->item[k];
		if (!i->apart) {
			show_item(w, p, i->at, out);
			continue;
		}
		show_item(w, p, (int[]){ i->at[0], NO_INS }, out);
		show_item(w, p, (int[]){ NO_INS, i->at[1] }, out);
	}
	int end[2];
	for (int s = 0; s < 2; s++)
		end[s] = p->b[s] ? p->b[s]->ins.n - 1 : NO_INS;
	show_item(w, p, end, out);
}

void meld_show(const Meld *w, const MeldRegion *r, StrBuf *out)
{
	for (int k = 0; k < r->stretch.n; k++) {
		const Stretch *s = &r->stretch.v[k];
		sb_printf(out, "  the branch of %s: %d %%; %d instructions stand for two, %d for one; %lld cycles become %lld\n", r->e->label, s->percent, s->pairs,
			s->alone, (long long)s->before, (long long)s->after);
		for (int p = 0; p < s->pair.n; p++)
			show_pair(w, &s->pair.v[p], out);
	}
}
