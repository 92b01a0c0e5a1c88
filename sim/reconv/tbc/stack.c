/* The stack of a thread block: its entries, what becomes of them at branches, and the warps that they are
   compacted into. */
#include "sim/reconv/tbc/tbc.h"

/* ---- entries ---- */

static Entry *insert_entry(Warp *w, BlockStack *b, int at)
{
	if (b->n == b->made) {
		b->e = reconv_grow(w, b->e, b->n, &b->cap, sizeof *b->e);
		b->made++;
		b->e[b->n].lanes = reconv_alloc(w, sizeof(Mask) * (size_t)b->warps);
		b->e[b->n].come = reconv_alloc(w, sizeof(Mask) * (size_t)b->warps);
		b->e[b->n].path = reconv_alloc(w, sizeof(Target) * 64);
	}
	Entry fresh = b->e[b->n++];
	memmove(&b->e[at + 1], &b->e[at], sizeof fresh * (size_t)(b->n - 1 - at));
	memset(fresh.lanes, 0, sizeof(Mask) * (size_t)b->warps);
	memset(fresh.come, 0, sizeof(Mask) * (size_t)b->warps);
	b->e[at] = (Entry){ .rpc = NO_PC, .lanes = fresh.lanes, .come = fresh.come, .path = fresh.path,
		.mpath = fresh.mpath, .ready = at > 0 ? b->e[at - 1].ready : 0 };
	return &b->e[at];
}

static Mask columns(const BlockStack *b, const Mask *m)
{
	Mask all = 0;
	for (int k = 0; k < b->warps; k++)
		all |= m[k];
	return all;
}

static void drop_block_entry(Warp *w, BlockStack *b, int at)
{
	Entry gone = b->e[at];
	if (at > 0 && b->e[at - 1].ready < gone.ready)
		b->e[at - 1].ready = gone.ready;
	b->n--;
	memmove(&b->e[at], &b->e[at + 1], sizeof gone * (size_t)(b->n - at));
	b->e[b->n] = gone;
	if (gone.counted)
		reconv_count_pop(w, reconv_splits(w), gone.pc, columns(b, gone.lanes));
}

int tbc_entry_of(const BlockStack *b, const Part *p)
{
	int k = b->n - 1, i = reconv_index(p->home);
	while (k > 0 && !(b->e[k].lanes[i] & p->mask))
		k--;
	return k;
}

static bool disjoint(const BlockStack *b, const Mask *x, const Mask *y)
{
	for (int k = 0; k < b->warps; k++)
		if (x[k] & y[k])
			return false;
	return true;
}

static bool is_complete_entry(const BlockStack *b, const Entry *e)
{
	for (int k = 0; k < b->warps; k++)
		if (e->lanes[k] & ~e->come[k])
			return false;
	return true;
}

/* ---- compaction ---- */

static void form_warps(Warp *w, BlockStack *b, Entry *e)
{
	Mask left[MOST_WARPS], used;
	Part part[64];
	Split like = { .pc = e->pc,
		.wait = wait_until(reconv_redirect(w, NULL, e->pc) + (Cycle)reconv_param(w, P_LATENCY),
		STALL_DIVERGENCE) };
	split_not_before(w, &like, e->ready, STALL_DIVERGENCE);
	memcpy(left, e->lanes, sizeof *left * (size_t)b->warps);
	e->started = true;
	for (int n = 1; n;) {
		n = 0;
		used = 0;
		for (int k = 0; k < b->warps; k++)
			if (left[k] & ~used) {
				part[n++] = (Part){ b->warp[k], left[k] & ~used };
				left[k] &= used;
				used |= part[n - 1].mask;
			}
		if (n) {
			reconv_form(part[0].home, &like, part, n);
			reconv_count_own(w, "warps_formed");
		}
	}
}

/* ---- branches ---- */

static int fullest_column(const BlockStack *b, const Mask *lanes)
{
	int n[64] = { 0 }, most = 0, l;
	for (int k = 0; k < b->warps; k++)
		each_lane(lanes[k], l)
			most = ++n[l] > most ? n[l] : most;
	return most;
}

/* Notes whether it was in vain that warps waited at the branch of entry e: after compaction the paths need
   `need` warps, which is no fewer than without. */
static void learn(Warp *w, const Entry *e, int need)
{
	((TbcShared *)reconv_sm_state(w))->vain[e->at] = need >= e->splits;
}

bool tbc_meeting(const Entry *e, uint32_t *rpc, unsigned *d)
{
	bool tail = e->meet == NO_PC || (e->meet == e->rpc && e->meet_depth == e->rpc_depth);
	*rpc = tail ? e->rpc : e->meet;
	*d = tail ? e->rpc_depth : e->meet_depth;
	return tail;
}

Entry *tbc_push(Warp *w, BlockStack *b, int at, uint32_t pc, unsigned d, uint32_t rpc, unsigned rpc_depth,
	const Mask *lanes)
{
	Entry *p = insert_entry(w, b, at);
	if (lanes)
		memcpy(p->lanes, lanes, sizeof *p->lanes * (size_t)b->warps);
	p->pc = pc;
	p->pc_depth = d;
	p->rpc = rpc;
	p->rpc_depth = rpc_depth;
	p->counted = true;
	reconv_count_push(w, reconv_splits(w), pc, columns(b, p->lanes));
	return p;
}

/* The last warp of an entry whose warps did not wait for each other has come to the branch: no more lanes
   come to the entries of the two paths, and the entry itself goes on where the paths meet, or is dropped. */
static void close_entry(Warp *w, BlockStack *b, int at)
{
	Entry *e = &b->e[at];
	uint32_t rpc;
	unsigned d;
	bool tail = tbc_meeting(e, &rpc, &d);
	learn(w, e, fullest_column(b, b->e[at + 1].lanes) + fullest_column(b, b->e[at + 2].lanes));
	b->e[at + 1].open = b->e[at + 2].open = false;
	memset(e->come, 0, sizeof *e->come * (size_t)b->warps);
	e->advancing = e->started = false;
	e->splits = 0;
	e->pc = rpc;
	e->pc_depth = d;
	if (tail)
		drop_block_entry(w, b, at);
}

/* All lanes of the entry have come to a branch: its paths become entries above it, the first one on top. */
static void part_block_entry(Warp *w, BlockStack *b, int at)
{
	Entry *e = &b->e[at], from = *e;
	int n = e->npath, above = at + 1, need = 0;
	uint32_t rpc;
	unsigned d;
	bool tail = tbc_meeting(e, &rpc, &d);
	for (int k = 0; k < n; k++)
		need += fullest_column(b, from.path[k].lanes);
	learn(w, e, need);
	e->npath = e->splits = 0;
	e->started = false;
	memset(e->come, 0, sizeof *e->come * (size_t)b->warps);
	e->pc = n == 1 ? from.path[0].pc : rpc;
	e->pc_depth = n == 1 ? from.path_depth : d;
	if (n == 1) /* nothing diverges: the same lanes go on */
		return;
	for (int k = n - 1; k >= 0; k--)
		if (from.path[k].pc != rpc || from.path_depth != d)
			tbc_push(w, b, above++, from.path[k].pc, from.path_depth, rpc, d, from.path[k].lanes);
	if (tail)
		drop_block_entry(w, b, at);
}

static bool some_warp_runs(Warp *w)
{
	Warp *list[MOST_WARPS];
	int n = reconv_block_warps(w, list);
	for (int k = 0; k < n; k++)
		if (splits_running(list[k]) >= 0)
			return true;
	return false;
}

/* The uppermost entry that has not begun, and of whose lanes none are in an entry above; -1: none. */
static int next_entry(const BlockStack *b)
{
	for (int k = b->n - 1; k >= 0; k--) {
		bool free = !b->e[k].started && !b->e[k].open;
		for (int x = k + 1; x < b->n && free; x++)
			free = disjoint(b, b->e[k].lanes, b->e[x].lanes);
		if (free)
			return k;
	}
	return -1;
}

void tbc_settle(Warp *w, BlockStack *b)
{
	for (int k = b->n - 1; k >= 0; k--) {
		if (b->e[k].open || !is_complete_entry(b, &b->e[k]))
			continue;
		if (b->e[k].advancing)
			close_entry(w, b, k);
		else if (b->e[k].npath && columns(b, b->e[k].lanes))
			part_block_entry(w, b, k);
		else
			drop_block_entry(w, b, k);
		k = b->n;
	}
	while (!some_warp_runs(w)) {
		int k = next_entry(b);
		if (k < 0)
			break;
		if (b->e[k].pc != b->e[k].rpc || b->e[k].pc_depth != b->e[k].rpc_depth) {
			form_warps(w, b, &b->e[k]);
			break;
		}
		drop_block_entry(w, b, k); /* the entry is at its rpc */
	}
	if (!b->n) {
		TbcShared *sh = reconv_sm_state(w);
		b->next = sh->free;
		sh->free = b;
		*(BlockStack **)reconv_block_state(w) = NULL;
	}
}

BlockStack *tbc_stack_new(Warp *w)
{
	TbcShared *sh = reconv_sm_state(w);
	BlockStack *b = sh->free;
	const Config *c = reconv_config(w);
	if (!sh->vain)
		sh->vain = reconv_alloc(w, (size_t)reconv_code(w)->n);
	if (b) {
		sh->free = b->next;
	} else {
		b = reconv_alloc(w, sizeof *b);
		b->warps = (int)((c->sm_max_block + c->warp_size - 1) / c->warp_size);
		b->warp = reconv_alloc(w, sizeof *b->warp * (size_t)b->warps);
	}
	*(BlockStack **)reconv_block_state(w) = b;
	insert_entry(w, b, 0)->started = true;
	return b;
}
