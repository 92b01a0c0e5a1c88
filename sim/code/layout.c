/* The layout: the order of a function's blocks by address. It is the canonical order (canonical.c), in which
 * blocks that mechanisms have added have found their places, unless the mechanism prescribes another order or
 * code.layout = source. Loops are not turned so that the test comes last: the jump at the end of each turn
 * would vanish, but a jump would be needed in front of the loop. */
#include "passes/analysis/analysis.h"
#include "sim/code/lower.h"
#include <stdlib.h>

void lower_layout(LowerFn *l)
{
	Function *f = l->f;
	function_number(f);
	Cfg *cfg = cfg_build(l->arena, f);
	bool as_listed = l->list_layout || (!l->priority_layout && l->config->code_layout == LAYOUT_SOURCE);
	l->nlayout = 0;
	l->layout = arena_array(l->arena, Block *, f->block.n);
	for (int k = 0; k < (as_listed ? f->block.n : cfg->nreach); k++) {
		Block *b = as_listed ? f->block.v[k] : cfg->rpo[k];
		if (cfg->rpo_index[b->id] >= 0)
			l->layout[l->nlayout++] = b;
	}
}

/* A block and where it stands in the text; for a block that lowering has added, the block in front of it. */
typedef struct TextPlace { Block *b; int text, at; } TextPlace;

static int by_text(const void *x, const void *y)
{
	const TextPlace *a = x, *b = y;
	return a->text != b->text ? (a->text > b->text) - (a->text < b->text)
		: (a->at > b->at) - (a->at < b->at);
}

void lower_text_order(LowerFn *l)
{
	Function *f = l->f;
	l->list_layout = true;
	if (!l->ntext || l->config->code_layout == LAYOUT_SOURCE) /* the list has this order already */
		return;
	Arena tmp = { 0 };
	int n = f->block.n;
	TextPlace *place = arena_array(&tmp, TextPlace, n);
	Block **order = arena_array(&tmp, Block *, n);
	for (int k = 0; k < n; k++)
		f->block.v[k]->id = -1;
	for (int k = 0; k < l->ntext; k++)
		l->text[k]->id = k;
	for (int k = 0, text = -1; k < n; k++) {
		Block *b = f->block.v[k];
		text = b->id >= 0 ? b->id : text;
		place[k] = (TextPlace){ b, text, k };
	}
	qsort(place, (size_t)n, sizeof *place, by_text);
	for (int k = 0; k < n; k++)
		order[k] = place[k].b;
	edit_order(&l->edit, order, n);
	function_number(f);
	arena_free(&tmp);
}
