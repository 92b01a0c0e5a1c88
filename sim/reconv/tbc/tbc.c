/* Thread block compaction (Fung and Aamodt, HPCA 2011).
 *
 * A reconvergence stack for the thread block: entries (pc, rpc, lanes of all warps). All warps of an entry
 * meet at the next branch that may diverge, and at indirect calls; each path becomes an entry, whose lanes
 * are compacted into as few warps as the fullest lane column asks for: a column takes its threads by warp,
 * lowest first. At the reconvergence point the lanes of the entry below are formed anew, which gives the
 * original warps where all their lanes are there. With predict, warps pass a branch ahead of each other where
 * compaction saved nothing before (CAPRI's advance-only). While all lanes that ran wait at barriers or
 * warp-level operations, the next entry that has none of them may run.
 *
 * Counted: depth = entries of the block; pushes = entries for paths; merges = splits that come to their
 * reconvergence point; warps_formed = splits that compaction makes. */
#include "sim/reconv/common/points.h"
#include "sim/reconv/tbc/tbc.h"

static const ConfigKey params[] = {
	{ NULL, "compaction_cycles", CT_INT, 0, 10, 0, 1000, NULL, "cycles",
		"from the last warp's arrival at a branch or reconvergence point to the next issue of the "
		"warps formed (assumption)" },
	{ NULL, "predict", CT_BOOL, 0, false, 0, 1, NULL, "",
		"warps do not wait at a branch where compaction saved nothing the last time (CAPRI: Rhu and "
		"Erez, ISCA 2012)" },
};

static size_t tbc_state_size(const Config *c) { return 8; }
static size_t block_state_size(const Config *c) { return sizeof(BlockStack *); }
static size_t tbc_sm_state_size(const Config *c) { return sizeof(TbcShared); }

static int tbc_depth(const Warp *w)
{
	const BlockStack *b = tbc_stack((Warp *)w);
	return b ? b->n : 0;
}

static void tbc_launch(Warp *w, Mask lanes, uint32_t pc)
{
	BlockStack *b = tbc_stack(w);
	if (!b)
		b = tbc_stack_new(w);
	int k = reconv_index(w);
	b->warp[k] = w;
	b->e[0].pc = pc;
	b->e[0].lanes[k] = lanes;
	splits_launch(w, lanes, pc);
}

/* The split's lanes wait in the entry until all others have come. */
static void deposit_lanes(Warp *w, Split *s, Entry *e, const Part *part, int n)
{
	for (int k = 0; k < n; k++)
		e->come[reconv_index(part[k].home)] |= part[k].mask;
	if (e->ready < s->wait.known)
		e->ready = s->wait.known;
	reconv_remove(w, s);
}

static Target *target_at(Warp *w, BlockStack *b, Entry *e, const MIns *i, uint32_t pc)
{
	int k = 0;
	while (k < e->npath && e->path[k].pc != pc)
		k++;
	if (k < e->npath)
		return &e->path[k];
	if (e->npath == e->mpath)
		e->path[e->mpath++].lanes = reconv_alloc(w, sizeof(Mask) * (size_t)b->warps);
	Target fresh = { pc, e->path[e->npath].lanes };
	memset(fresh.lanes, 0, sizeof(Mask) * (size_t)b->warps);
	for (k = e->npath++; k > 0 && pc != e->path[k - 1].pc &&
		(i->kind == K_BRA ? pc == i->target : pc < e->path[k - 1].pc); k--)
		e->path[k] = e->path[k - 1];
	e->path[k] = fresh;
	return &e->path[k];
}

static void arrive_in_entry(Warp *w, Split *s);

/* The split does not wait: its lanes of the true side run on, the others wait in the entry of the false
   side. */
static void advance_alone(Warp *w, Split *s, int at, const MIns *i, const Path *p, int n)
{
	BlockStack *b = tbc_stack(w);
	Entry *e = &b->e[at];
	Part part[64], on[64];
	int nparts = reconv_parts(w, s, part), non = 0;
	uint32_t rpc;
	unsigned d;
	tbc_meeting(e, &rpc, &d);
	if (!e->advancing) {
		tbc_push(w, b, at + 1, i->fall, e->path_depth, rpc, d, NULL)->open = true;
		tbc_push(w, b, at + 2, i->target, b->e[at].path_depth, rpc, d, NULL)->open = true;
		e = &b->e[at];
		e->advancing = true;
	}
	for (int a = 0; a < n; a++)
		for (int k = 0; k < nparts; k++) {
			Mask m = part[k].mask & p[a].mask;
			b->e[p[a].pc == i->target ? at + 2 : at + 1].lanes[reconv_index(part[k].home)] |= m;
			if (m && p[a].pc == i->target)
				on[non++] = (Part){ part[k].home, m };
		}
	deposit_lanes(w, s, e, part, nparts);
	if (non) {
		Split like = { .pc = i->target, .wait = wait_until(reconv_redirect(w, i, i->target),
			STALL_BRANCH) };
		b->e[at + 2].started = true;
		Warp *holder = reconv_form(on[0].home, &like, on, non);
		arrive_in_entry(holder, &reconv_splits(holder)[*reconv_nsplit(holder) - 1]);
	}
	if (tbc_stack(w))
		tbc_settle(w, b);
}

static void gather_paths(Warp *w, Split *s, const MIns *i, const Path *p, int n, uint32_t meet,
	unsigned meet_depth)
{
	BlockStack *b = tbc_stack(w);
	Part part[64];
	int nparts = reconv_parts(w, s, part);
	int at = tbc_entry_of(b, part);
	Entry *e = &b->e[at];
	e->meet = meet;
	e->meet_depth = meet_depth;
	e->path_depth = reconv_call_depth(part[0].home, part[0].mask);
	e->at = (uint32_t)(i - reconv_code(w)->ins);
	e->splits += n;
	if (e->advancing || (i->kind == K_BRA && !e->open && !e->npath && reconv_param(w, P_PREDICT) &&
		((TbcShared *)reconv_sm_state(w))->vain[e->at])) {
		advance_alone(w, s, at, i, p, n);
		return;
	}
	for (int a = 0; a < n; a++) {
		Target *t = target_at(w, b, e, i, p[a].pc);
		for (int k = 0; k < nparts; k++)
			t->lanes[reconv_index(part[k].home)] |= part[k].mask & p[a].mask;
	}
	deposit_lanes(w, s, e, part, nparts);
	tbc_settle(w, b);
}

/* The split has come to s->pc. If its entry ends there, its lanes wait in the entry. */
static void arrive_in_entry(Warp *w, Split *s)
{
	BlockStack *b = tbc_stack(w);
	Part part[64];
	int n = reconv_parts(w, s, part);
	Entry *e = &b->e[tbc_entry_of(b, part)];
	if (s->pc != e->rpc || reconv_call_depth(part[0].home, part[0].mask) != e->rpc_depth)
		return;
	reconv_count_merge(w, s, s->pc, s->mask);
	deposit_lanes(w, s, e, part, n);
	tbc_settle(w, b);
}

static void tbc_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	if (n == 1 && !(i->flags & MI_COND)) {
		s->pc = p[0].pc;
		arrive_in_entry(w, s);
		return;
	}
	Part part[64];
	reconv_parts(w, s, part);
	unsigned d = reconv_call_depth(part[0].home, part[0].mask);
	if (i->rpc == NO_PC && d) /* the paths meet where the function returns to */
		gather_paths(w, s, i, p, n, reconv_return_pc(part[0].home, part[0].mask), d - 1);
	else
		gather_paths(w, s, i, p, n, i->rpc, d);
}

static void tbc_reach(Warp *w, Split *s) { arrive_in_entry(w, s); }

static void tbc_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	const MIns *i = reconv_ins(w, return_pc - 1);
	Part part[64];
	reconv_parts(w, s, part);
	if (i->target == NO_PC)
		gather_paths(w, s, i, p, n, return_pc, reconv_call_depth(part[0].home, part[0].mask) - 1);
	else
		s->pc = p[0].pc;
}

static void tbc_ret(Warp *w, Split *s, const Path *p, int n)
{
	must(n == 1);
	s->pc = p[0].pc;
	arrive_in_entry(w, s);
}

/* No entry becomes complete by this: each that has lanes m has the lanes of s that go on, too. */
static void tbc_some_exit(Warp *w, Split *s, Mask m)
{
	BlockStack *b = tbc_stack(w);
	Part part[64];
	int n = reconv_parts(w, s, part);
	for (int x = 0; x < b->n; x++)
		for (int k = 0; k < n; k++)
			b->e[x].lanes[reconv_index(part[k].home)] &= ~(part[k].mask & m);
	reconv_shed(w, s, m);
}

static void tbc_exit(Warp *w, Split *s, Mask m)
{
	BlockStack *b = tbc_stack(w);
	Part part[64];
	int n = reconv_parts(w, s, part);
	reconv_remove(w, s);
	for (int x = 0; x < b->n; x++)
		for (int k = 0; k < n; k++)
			b->e[x].lanes[reconv_index(part[k].home)] &= ~part[k].mask;
	tbc_settle(w, b);
}

static void tbc_wait(Warp *w, Split *s) { tbc_settle(w, tbc_stack(w)); }

/* Rows: the entries with lanes of this warp. */
static void tbc_show(const Warp *w, Rows *rows)
{
	const BlockStack *b = tbc_stack((Warp *)w);
	int at = reconv_index(w);
	for (int i = 0; b && i < b->n; i++) {
		const Entry *e = &b->e[i];
		TraceRow r = trace_row(ROW_ENTRY, e->pc, e->lanes[at]);
		r.rpc = e->rpc;
		r.n = (uint32_t)i;
		r.m = e->pc_depth;
		r.other = e->come[at];
		r.flags = reconv_flag(e->started, FLAG_STARTED) | reconv_flag(e->open, FLAG_OPEN) |
			reconv_flag(e->advancing, FLAG_ADVANCING);
		if (r.mask | r.other)
			reconv_show(rows, &r);
		for (int k = 0; k < e->npath; k++) {
			TraceRow t = trace_row(ROW_TARGET, e->path[k].pc, e->path[k].lanes[at]);
			t.n = (uint32_t)i;
			if (t.mask)
				reconv_show(rows, &t);
		}
	}
}

/* The topmost entry that has the lane holds it until the lanes of the entry above have come to their rpc. */
static bool tbc_held(const Warp *w, int lane, Held *h)
{
	const BlockStack *b = tbc_stack((Warp *)w);
	int at = reconv_index(w);
	for (int i = b ? b->n - 1 : -1; i >= 0; i--) {
		const Entry *e = &b->e[i], *above = i + 1 < b->n ? e + 1 : NULL;
		if (!(e->lanes[at] >> lane & 1))
			continue;
		*h = (Held){ e->pc, "an entry of the block's stack", above ? above->rpc : NO_PC,
			above ? above->lanes[at] : 0 };
		return true;
	}
	return false;
}

const ReconvModel reconv_tbc = {
	.name = "tbc",
	.help = "thread block compaction",
	.spills = SPILLS_NOTHING,
	.source = "Fung and Aamodt, Thread Block Compaction for Efficient SIMT Control Flow, HPCA 2011",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true, .regroups = true, .all_branches = true,
	.lower = reconv_lower_ipdom, .state_size = tbc_state_size,
	.launch = tbc_launch, .branch = tbc_branch, .reach = tbc_reach, .call = tbc_call, .ret = tbc_ret,
	.exit = tbc_exit, .some_exit = tbc_some_exit, .depth = tbc_depth, .show = tbc_show,
	.sync = { .wait = tbc_wait },
	.blocks = { .sm_state_size = tbc_sm_state_size, .block_state_size = block_state_size },
	.stuck = { .held = tbc_held,
		.holds = "runs the top entry of the block's stack only; one below waits until the lanes "
		"above have come to its reconvergence point or ended" },
};
