/* Keeps the order of blocks while new ones are put in: a list by block number. In the end edit_order puts the
   function's blocks in that order. */
#include "passes/transform/linearize/linearize.h"

static void link_blocks(Lin *l, Block *a, Block *b)
{
	if (a)
		l->next.v[a->id] = b;
	else
		l->first = b;
	if (b)
		l->before.v[b->id] = a;
	else
		l->last = a;
}

static void room(Lin *l, const Block *b)
{
	while (l->next.n <= b->id) {
		vec_push(&l->next, NULL);
		vec_push(&l->before, NULL);
	}
}

void place_before(Lin *l, Block *b, Block *anchor)
{
	room(l, b);
	link_blocks(l, l->before.v[anchor->id], b);
	link_blocks(l, b, anchor);
}

void place_behind(Lin *l, Block *b, Block *anchor)
{
	room(l, b);
	Block *next = anchor ? l->next.v[anchor->id] : l->first;
	link_blocks(l, anchor, b);
	link_blocks(l, b, next);
}

void place_all(Lin *l)
{
	Vec(Block *) list = { 0 };
	for (Block *b = l->first; b; b = l->next.v[b->id])
		vec_push(&list, b);
	edit_order(l->run->f, list.v, list.n);
	vec_free(&list);
}
