/* Keeps where the blocks of a function are to stand, while new ones are put in: a list linked by the blocks'
   numbers, which begins as the function's own when somebody first asks or says something of it. */
#include "isa/edit_own.h"

static bool is_open(const Edit *e) { return e->order.block.n > 0; }
static EditStand *stand(Edit *e, const Block *b) { return &e->order.block.v[b->id]; }

/* The neighbours of b. NULL stands for what is in front of the first block and behind the last. */
static Block **block_in_front(Edit *e, const Block *b) { return b ? &stand(e, b)->before : &e->order.last; }
static Block **behind(Edit *e, const Block *b) { return b ? &stand(e, b)->behind : &e->order.first; }

static void link_blocks(Edit *e, Block *a, Block *b)
{
	*behind(e, a) = b;
	*block_in_front(e, b) = a;
}

/* Puts b, which stands nowhere, right behind a. */
static void put_block_behind(Edit *e, Block *a, Block *b)
{
	Block *next = *behind(e, a);
	link_blocks(e, a, b);
	link_blocks(e, b, next);
	e->order.n++;
}

static void note_put(Edit *e, Block *at, Block *b)
{
	stand(e, at)->put = b;
	stand(e, b)->at = at;
}

static void take_block_out(Edit *e, Block *b)
{
	EditStand *x = stand(e, b);
	link_blocks(e, x->before, x->behind);
	if (x->at && stand(e, x->at)->put == b)
		stand(e, x->at)->put = NULL;
	x->at = NULL;
	e->order.n--;
	e->order.changed = true;
}

static void open_order(Edit *e)
{
	int n = is_open(e) ? 0 : e->f->block.n;
	for (int k = 0; k < n; k++)
		vec_push(&e->order.block, (EditStand){ 0 });
	for (int k = 0; k < n; k++)
		put_block_behind(e, e->order.last, e->f->block.v[k]);
}

static void close_order(Edit *e)
{
	vec_free(&e->order.block);
	e->order = (EditOrder){ 0 };
}

void edit_order_add(Edit *e, Block *b)
{
	if (!is_open(e))
		return;
	must(b->id == e->order.block.n);
	vec_push(&e->order.block, (EditStand){ 0 });
	put_block_behind(e, e->order.last, b);
}

void edit_order_split(Edit *e, Block *b, Block *rest)
{
	open_order(e);
	take_block_out(e, rest);
	put_block_behind(e, b, rest);
	if (stand(e, b)->put)
		note_put(e, rest, stand(e, b)->put);
	note_put(e, b, rest);
}

/* The last of the blocks that were put behind b, or behind one of these, and so on; b itself, if there are
   none. */
static Block *last_put(Edit *e, Block *b)
{
	while (stand(e, b)->put)
		b = stand(e, b)->put;
	return b;
}

void edit_move(Edit *e, Block *b, BlockSpot s)
{
	open_order(e);
	take_block_out(e, b);
	if (!s.at) {
		put_block_behind(e, s.side == SPOT_BEFORE ? NULL : e->order.last, b);
	} else if (s.side != SPOT_BEHIND) {
		put_block_behind(e, s.side == SPOT_BEFORE ? *block_in_front(e, s.at) : s.at, b);
	} else {
		put_block_behind(e, last_put(e, s.at), b);
		note_put(e, s.at, b);
	}
}

void edit_drop(Edit *e, Block *b)
{
	open_order(e);
	take_block_out(e, b);
	vec_free(&b->ins);
}

Block *edit_first(Edit *e)
{
	open_order(e);
	return e->order.first;
}

Block *edit_last(Edit *e)
{
	open_order(e);
	return e->order.last;
}

Block *edit_before(Edit *e, const Block *b)
{
	open_order(e);
	return stand(e, b)->before;
}

static void set_blocks(Edit *e)
{
	function_number(e->f);
	edit_touch_graph(e->f);
	close_order(e);
}

void edit_settle(Edit *e)
{
	if (!e->order.changed) {
		close_order(e);
		return;
	}
	/* nobody but this Edit has added blocks in the meantime, or removed any */
	must(e->order.block.n == e->f->block.n);
	int n = 0;
	for (Block *b = e->order.first; b; b = stand(e, b)->behind)
		e->f->block.v[n++] = b;
	must(n == e->order.n);
	e->f->block.n = n;
	set_blocks(e);
}

void edit_order(Edit *e, Block *const *list, int n)
{
	e->f->block.n = 0;
	for (int k = 0; k < n; k++)
		vec_push(&e->f->block, list[k]);
	set_blocks(e);
}
