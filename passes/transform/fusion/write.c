#include "passes/transform/fusion/launches.h"

/* An instruction of a block's new list: the block's instruction number `ins` as it is; or, if replaced, `by`
   in the place of that one, a launch; or, if ins is -1, `by` as a new one. */
typedef struct HostItem { int ins; bool replaced; Ins by; } HostItem;
typedef Vec(HostItem) Items;

static bool stands(const Stmt *s) { return s->kind == STMT_CODE || s->kind == STMT_LAUNCH; }

static Ins moved_launch(Host *h, int stmt)
{
	Ins i = edit_copy(&h->e, &h->launch.v[h->stmt.v[stmt].launch].ins);
	i.origin = h->r->origin;
	i.mark = 0;
	return i;
}

static const Stmt *guard_of_part(const Host *h, int part)
{
	for (int s = h->part.v[part].first; s >= 0; s = h->stmt.v[s].next)
		if (h->stmt.v[s].ins >= 0)
			return &h->stmt.v[s];
	return NULL;
}

/* Adds the part's instructions to the list. New launches in a PART_GUARDED get the guard of its launches,
   those in a PART_ELSE get that guard negated. */
static void add_items(Host *h, int part, Items *list)
{
	const HostPart *p = &h->part.v[part];
	const Stmt *guard = p->kind == PART_GUARDED ? guard_of_part(h, part)
		: p->kind == PART_ELSE ? guard_of_part(h, part - 1) : NULL;
	const Block *b = h->r->f->block.v[p->block];
	for (int s = p->first; s >= 0; s = h->stmt.v[s].next) {
		const Stmt *x = &h->stmt.v[s];
		if (x->kind == STMT_BEGIN || x->kind == STMT_HOME || x->kind == STMT_GONE) {
			h->removed += x->ins >= 0;
			continue;
		}
		HostItem i = { .ins = x->ins, .replaced = x->kind == STMT_LAUNCH && x->fused };
		if (i.replaced || i.ins < 0) {
			i.by = moved_launch(h, s);
			if (guard) {
				i.by.guard = b->ins.v[guard->ins].guard;
				i.by.guard_neg = b->ins.v[guard->ins].guard_neg ^ (p->kind == PART_ELSE);
			}
			h->inserted += i.ins < 0;
		}
		vec_push(list, i);
	}
}

static bool ends_or_decides(const Ins *i) { return ins_ends(i) || ins_decides(i); }

/* Writes the list as the block's instructions. The marks of a removed instruction go to the one that stands
   next; a new instruction that is put before all others takes over the marks of the block's first one. */
static void rewrite_host_block(Host *h, Block *b, const Items *list)
{
	Rewrite w;
	int at = 0, k = 0;
	for (const Ins *i = edit_rewrite(&w, &h->e, b); i; i = edit_next(&w), k++) {
		Ins old = *i;
		int next = at;
		while (next < list->n && list->v[next].ins < 0)
			next++;
		bool stays = next < list->n ? list->v[next].ins == k : ins_ends(i);
		if (!stays)
			continue;
		for (; at < next; at++) {
			Ins by = list->v[at].by;
			if (!k && !ends_or_decides(&old)) {
				by.mark = old.mark;
				old.mark = 0;
			}
			edit_put(&w, by);
		}
		if (at < list->n && list->v[at].replaced)
			edit_put_instead(&w, list->v[at].by);
		else
			edit_put(&w, old);
		at += at < list->n;
	}
}

static void write_edge(Host *h, Block *last, int part)
{
	const HostPart *p = &h->part.v[part];
	Block *mid = NULL;
	int at = 0;
	for (int s = p->first; s >= 0; s = h->stmt.v[s].next) {
		if (!stands(&h->stmt.v[s]))
			continue;
		if (!mid)
			mid = edit_split_edge(&h->e, last, h->r->f->block.v[p->to], "_edge");
		edit_insert(&h->e, mid, at++, moved_launch(h, s));
		h->inserted++;
	}
}

static void write_start(Host *h, int part)
{
	Block *entry = h->r->f->block.v[0], *start = NULL;
	for (int s = h->part.v[part].first; s >= 0; s = h->stmt.v[s].next) {
		if (!stands(&h->stmt.v[s]))
			continue;
		if (!start) {
			start = edit_block(&h->e, spot_first(), entry->label, "_start");
			start->loc = entry->loc;
		}
		edit_append(&h->e, start, moved_launch(h, s));
		h->inserted++;
	}
	if (start)
		edit_jump(&h->e, start, block_term(start), entry);
}

/* In Host.part the parts of a block follow each other, and then come the parts of its edges. */
bool host_write(Host *h)
{
	Function *f = h->r->f;
	int n = f->block.n, *first = xcalloc((size_t)n + 1, sizeof *first);
	bool changed = false;
	for (int p = h->part.n; p-- > 0;) {
		changed |= h->part.v[p].changed;
		if (h->part.v[p].kind != PART_START)
			first[h->part.v[p].block] = p + 1;
	}
	if (changed && h->part.v[0].kind == PART_START)
		write_start(h, 0);
	for (int b = 0; changed && b < n; b++) {
		Block *block = f->block.v[b];
		Items list = { 0 };
		bool here = false;
		int p = first[b] - 1;
		for (; p >= 0 && p < h->part.n && h->part.v[p].block == b && h->part.v[p].kind != PART_EDGE;
			p++) {
			here |= h->part.v[p].changed;
			add_items(h, p, &list);
		}
		if (here)
			rewrite_host_block(h, block, &list);
		for (; p >= 0 && p < h->part.n && h->part.v[p].block == b && h->part.v[p].kind == PART_EDGE;
			p++)
			write_edge(h, block, p);
		vec_free(&list);
	}
	edit_settle(&h->e);
	free(first);
	return changed;
}
