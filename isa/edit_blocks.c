/* Makes blocks, and changes which block leads to which. */
#include "isa/edit_own.h"

static Block *add_edit_block(Edit *e, const char *label)
{
	Block *b = arena_new(&e->m->arena, Block);
	b->id = e->f->block.n;
	b->origin = e->origin;
	vec_push(&e->f->block, b);
	edit_order_add(e, b);
	if (label)
		edit_label(e, b, label);
	return b;
}

Block *edit_add_block(Edit *e, const char *label)
{
	edit_touch_graph(e->f);
	return add_edit_block(e, label ? arena_strdup(&e->m->arena, label) : NULL);
}

Block *edit_block(Edit *e, BlockSpot s, const char *base, const char *tail)
{
	Block *b = add_edit_block(e, edit_fresh_label(e, base, tail));
	if (s.at || s.side == SPOT_BEFORE)
		edit_move(e, b, s);
	return b;
}

void edit_move_last(Edit *e, int at)
{
	must(!e->order.block.n);
	Block *b = vec_pop(&e->f->block);
	vec_insert(&e->f->block, at, b);
	edit_touch_graph(e->f);
}

void edit_targets(Edit *e, Block *b, Block *const *list, int n)
{
	b->nsucc = n;
	b->succ = arena_array(&e->m->arena, Block *, n ? n : 1);
	if (list && n)
		memcpy(b->succ, list, sizeof *list * (size_t)n);
	edit_touch_graph(e->f);
}

void edit_target(Edit *e, Block *b, int k, Block *to)
{
	b->succ[k] = to;
	edit_touch_graph(e->f);
}

void edit_retarget(Edit *e, Block *b, const Block *from, Block *to)
{
	for (int k = 0; k < b->nsucc; k++)
		if (b->succ[k] == from)
			edit_target(e, b, k, to);
}

Block *edit_split_edge(Edit *e, Block *b, Block *s, const char *tail)
{
	Block *mid = edit_block(e, spot_behind(b), b->label, tail);
	mid->loc = b->loc;
	edit_jump(e, mid, block_term(b), s);
	edit_retarget(e, b, s, mid);
	return mid;
}

void edit_move_rest(Edit *e, Block *b, int at, Block *to)
{
	for (int k = at; k < b->ins.n; k++)
		vec_push(&to->ins, b->ins.v[k]);
	b->ins.n = at;
	to->nsucc = b->nsucc;
	to->succ = b->succ;
	to->reconverge = b->reconverge;
	b->nsucc = 0;
	b->succ = NULL;
	b->reconverge = NULL;
	edit_touch_graph(e->f);
}

Block *edit_split_block(Edit *e, Block *b, int at, const char *tail)
{
	Block *rest = edit_block(e, spot_last(), b->label, tail);
	edit_order_split(e, b, rest);
	rest->loc = b->loc;
	rest->origin = b->origin;
	edit_move_rest(e, b, at, rest);
	edit_jump(e, b, &rest->ins.v[0], rest);
	return rest;
}

void edit_merge(Edit *e, Block *b, Block *s)
{
	must(block_jumps(b) && b->succ[0] == s && b != s);
	s->ins.v[0].mark = function_marks(e->f, vec_pop(&b->ins).mark, s->ins.v[0].mark);
	edit_move_rest(e, s, 0, b);
	edit_append(e, s, ins_make(e->m, OP_EXIT, T_NONE, 0, 0));
}
