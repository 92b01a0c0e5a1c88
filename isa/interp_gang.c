/* Runs all blocks of a grid at once in the reference interpreter: of a kernel with a barrier of the whole
 * grid, and of a cooperative launch. Every block is kept in memory. The blocks take turns; in each turn the
 * threads of a block have a round. When all blocks that have threads left wait at the barrier, all go on
 * behind it. */
#include "isa/interp.h"
#include "isa/races.h"

typedef struct Kept {              /* members of Interp for this block, while another block runs */
	uint32_t ctaid[3];
	Thread *thread;
	int nthread, live, at_grid;
	InterpBarrier barrier[BARRIERS];
	uint8_t *shared;
} Kept;

static void put_away(const Interp *in, Kept *b)
{
	*b = (Kept){ { in->ctaid[0], in->ctaid[1], in->ctaid[2] }, in->thread, in->nthread, in->live,
		in->at_grid, { { 0 } }, in->shared };
	memcpy(b->barrier, in->barrier, sizeof b->barrier);
}

static void take_kept_block(Interp *in, const Kept *b, uint64_t number)
{
	memcpy(in->ctaid, b->ctaid, sizeof in->ctaid);
	memcpy(in->barrier, b->barrier, sizeof in->barrier);
	in->thread = b->thread;
	in->nthread = b->nthread;
	in->live = b->live;
	in->at_grid = b->at_grid;
	in->shared = b->shared;
	in->first = (uint32_t)number * (uint32_t)b->nthread;
}

/* Are there too many blocks to keep all of them within GANG_LIMIT bytes? Then the fault is filled. */
static bool refuse_gang(Interp *in, const InterpCode *c, const Ins *barrier, uint64_t blocks)
{
	const Launch *l = in->launch;
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	uint64_t thread = sizeof(Thread) + sizeof(InterpFrame) + 4 *
		(c->words + 2 * ((uint64_t)c->npred + 1)) +
		c->local_bytes;
	uint64_t block = sizeof(Kept) + in->shared_bytes + threads * thread;
	if (blocks <= GANG_LIMIT / block)
		return false;
	if (barrier)
		in->fault->loc = ins_loc(l->module, barrier);
	fault_text(in->fault, FAULT_UNSUPPORTED, "kernel %s: %s: %llu blocks, %llu can be kept at once here, "
		"in %u bytes", l->kernel->name, barrier ? WORDS_MEETS : WORDS_COOPERATIVE,
		(unsigned long long)blocks, (unsigned long long)(GANG_LIMIT / block), GANG_LIMIT);
	return true;
}

static bool can_go_on(const Kept *b) { return b->live > b->at_grid; }

/* Gives a turn to every block that has threads which do not wait at the grid's barrier. false: a fault. */
static bool all_go_on(Interp *in, Kept *kept, uint64_t n)
{
	uint64_t before = in->changes;
	Cycling c = { 0 };
	bool ok = true;
	for (uint64_t b = 0; ok && b < n; b++) {
		if (!can_go_on(&kept[b]))
			continue;
		take_kept_block(in, &kept[b], b);
		ok = interp_round(in);
		put_away(in, &kept[b]);
	}
	for (uint64_t b = 0; ok && b < n; b++) {
		take_kept_block(in, &kept[b], b);
		interp_look(in, before, &c);
		put_away(in, &kept[b]);
	}
	return ok && !interp_livelock(in, &c);
}

static void barrier_opens(Interp *in, Kept *kept, uint64_t n)
{
	if (in->launch->races)
		race_grid_barrier(in->launch->races);
	for (uint64_t b = 0; b < n; b++) {
		take_kept_block(in, &kept[b], b);
		interp_grid_opens(in);
		put_away(in, &kept[b]);
	}
}

bool interp_gang(Interp *in, const InterpCode *c, const Ins *barrier, uint64_t blocks)
{
	uint8_t *own = in->shared;
	uint64_t n = 0;
	bool ok = !refuse_gang(in, c, barrier, blocks);
	Kept *kept = ok ? xcalloc(blocks, sizeof *kept) : NULL;
	for (; ok && n < blocks; n++) {
		in->shared = xcalloc(in->shared_bytes ? in->shared_bytes : 1, 1);
		ok = interp_block_begin(in, c, n);
		put_away(in, &kept[n]);
	}
	in->gang = true;
	for (bool live = true, go = true; ok && live;) {
		live = go = false;
		for (uint64_t b = 0; b < n; b++) {
			live |= kept[b].live > 0;
			go |= can_go_on(&kept[b]);
		}
		if (go)
			ok = all_go_on(in, kept, n);
		else if (live)
			barrier_opens(in, kept, n);
	}
	for (uint64_t b = 0; b < n; b++) {
		take_kept_block(in, &kept[b], b);
		interp_block_end(in);
		free(in->shared);
	}
	free(kept);
	in->shared = own;
	return ok;
}
