/* Thread block compaction (Fung and Aamodt, HPCA 2011).
 *
 * A reconvergence stack for the thread block: entries (pc, rpc, lanes of all warps). All warps of an entry meet at the next
 * branch that may diverge, and at indirect calls; each path becomes an entry, whose lanes are compacted into as few warps as
 * the fullest lane column asks for: a column takes its threads by warp, lowest first. At the reconvergence point the lanes of
 * the entry below are formed anew, which gives the original warps where all their lanes are there.
 * With predict, warps pass a branch ahead of each other where compaction saved nothing before (CAPRI's advance-only).
 * While all running lanes wait at barriers or warp-level operations, the next entry that holds none of them may run.
 *
 * Counted: depth = entries of the block; pushes = entries for paths; merges = splits that come to their reconvergence point;
 * warps_formed = splits that compaction makes. */
#include "sim/reconv/splits.h"

enum { P_LATENCY, P_PREDICT };
static const ConfigKey params[] = {
	{ NULL, "compaction_cycles", CT_INT, 0, 10, 0, 1000, NULL, "cycles",
		"from the last warp's arrival at a branch or reconvergence point to the next issue of the warps formed (assumed)" },
	{ NULL, "predict", CT_BOOL, 0, false, 0, 1, NULL, "",
		"warps do not wait at a branch where compaction saved nothing the last time (CAPRI: Rhu and Erez, ISCA 2012)" },
};

typedef struct Target { uint32_t pc; Mask *lanes; } Target; /* of one path */

typedef struct Entry {
	uint32_t pc, rpc;
	unsigned pc_depth, rpc_depth;  /* call depths there: recursion comes to the same address elsewhere */
	bool counted, started;         /* started: its lanes are in splits, or have come */
	Mask *lanes, *come;            /* by warp: lanes that have not ended; those that are at its end or at the branch */
	uint32_t meet;                 /* where paths of the branch or call that they have come to meet; NO_PC: where e does */
	unsigned meet_depth, path_depth;
	uint32_t at;                   /* that branch */
	int splits;                    /* that have come there, once for each path */
	bool advancing;                /* they did not wait: the two entries above are its paths ... */
	bool open;                     /* ... and lanes may yet come to this one */
	int npath, mpath;
	Target *path;                  /* room for 64; the first mpath have arrays */
} Entry;

typedef struct Stack {                 /* entries keep their arrays when they are popped */
	struct Stack *next;
	int n, cap, made, warps;
	Entry *e;
	Warp **warp;                   /* by index */
} Stack;

static size_t state_size(const Config *c) { return 8; }
static size_t block_state_size(const Config *c) { return sizeof(Stack *); }
typedef struct Shared { Stack *free; uint8_t *vain; } Shared; /* vain: by pc of a branch, compaction saved nothing */

static size_t sm_state_size(const Config *c) { return sizeof(Shared); }
static Stack *stack_of(Warp *w) { return *(Stack **)reconv_block_state(w); }

static int depth(const Warp *w)
{
	const Stack *b = stack_of((Warp *)w);
	return b ? b->n : 0;
}

/* ---- entries ---- */

static Entry *insert(Warp *w, Stack *b, int at)
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
		.mpath = fresh.mpath };
	return &b->e[at];
}

static Mask columns(const Stack *b, const Mask *m)
{
	Mask all = 0;
	for (int k = 0; k < b->warps; k++)
		all |= m[k];
	return all;
}

static void drop(Warp *w, Stack *b, int at)
{
	Entry gone = b->e[at];
	b->n--;
	memmove(&b->e[at], &b->e[at + 1], sizeof gone * (size_t)(b->n - at));
	b->e[b->n] = gone;
	if (gone.counted)
		reconv_count_pop(w, reconv_splits(w), gone.pc, columns(b, gone.lanes));
}

/* The entry that a lane runs in: the uppermost that has it. */
static int entry_of(const Stack *b, const Part *p)
{
	int k = b->n - 1, i = reconv_index(p->home);
	while (k > 0 && !(b->e[k].lanes[i] & p->mask))
		k--;
	return k;
}

static bool disjoint(const Stack *b, const Mask *x, const Mask *y)
{
	for (int k = 0; k < b->warps; k++)
		if (x[k] & y[k])
			return false;
	return true;
}

static bool complete(const Stack *b, const Entry *e)
{
	for (int k = 0; k < b->warps; k++)
		if (e->lanes[k] & ~e->come[k])
			return false;
	return true;
}

/* ---- compaction ---- */

static void form(Warp *w, Stack *b, Entry *e)
{
	Mask left[MOST_WARPS], used;
	Part part[64];
	Split like = { .pc = e->pc, .ready = reconv_redirect(w, NULL, e->pc) + (Cycle)reconv_param(w, P_LATENCY),
		.why = STALL_DIVERGENCE };
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

static int fullest_column(const Stack *b, const Mask *lanes)
{
	int n[64] = { 0 }, most = 0, l;
	for (int k = 0; k < b->warps; k++)
		each_lane(lanes[k], l)
			most = ++n[l] > most ? n[l] : most;
	return most;
}

/* Was it worth while to wait at the branch? Its paths' lanes need as many warps as were there without compaction, or fewer. */
static void learn(Warp *w, const Stack *b, const Entry *e, const Mask *const *lanes, int n)
{
	int need = 0;
	for (int k = 0; k < n; k++)
		need += fullest_column(b, lanes[k]);
	((Shared *)reconv_sm_state(w))->vain[e->at] = need >= e->splits;
}

/* What the paths of a branch have as reconvergence point; true: it is the entry's own, which they replace. */
static bool meeting(const Entry *e, uint32_t *rpc, unsigned *d)
{
	bool tail = e->meet == NO_PC || (e->meet == e->rpc && e->meet_depth == e->rpc_depth);
	*rpc = tail ? e->rpc : e->meet;
	*d = tail ? e->rpc_depth : e->meet_depth;
	return tail;
}

static Entry *push(Warp *w, Stack *b, int at, uint32_t pc, unsigned d, uint32_t rpc, unsigned rpc_depth, const Mask *lanes)
{
	Entry *p = insert(w, b, at);
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

/* The last warp of an entry whose warps did not wait for each other has come to the branch. */
static void close(Warp *w, Stack *b, int at)
{
	Entry *e = &b->e[at];
	uint32_t rpc;
	unsigned d;
	bool tail = meeting(e, &rpc, &d);
	learn(w, b, e, (const Mask *const[]){ b->e[at + 1].lanes, b->e[at + 2].lanes }, 2);
	b->e[at + 1].open = b->e[at + 2].open = false;
	memset(e->come, 0, sizeof *e->come * (size_t)b->warps);
	e->advancing = e->started = false;
	e->splits = 0;
	e->pc = rpc;
	e->pc_depth = d;
	if (tail)
		drop(w, b, at);
}

/* All have come to a branch: paths become entries above e, the first one on top. */
static void part_ways(Warp *w, Stack *b, int at)
{
	Entry *e = &b->e[at], from = *e;
	int n = e->npath, above = at + 1;
	uint32_t rpc;
	unsigned d;
	const Mask *lanes[64];
	bool tail = meeting(e, &rpc, &d);
	for (int k = 0; k < n; k++)
		lanes[k] = from.path[k].lanes;
	learn(w, b, e, lanes, n);
	e->npath = e->splits = 0;
	e->started = false;
	memset(e->come, 0, sizeof *e->come * (size_t)b->warps);
	e->pc = n == 1 ? from.path[0].pc : rpc;
	e->pc_depth = n == 1 ? from.path_depth : d;
	if (n == 1) /* nothing diverges: the same lanes go on */
		return;
	for (int k = n - 1; k >= 0; k--)
		if (from.path[k].pc != rpc || from.path_depth != d)
			push(w, b, above++, from.path[k].pc, from.path_depth, rpc, d, lanes[k]);
	if (tail)
		drop(w, b, at);
}

static bool busy(Warp *w)
{
	Warp *list[MOST_WARPS];
	int n = reconv_block_warps(w, list);
	for (int k = 0; k < n; k++)
		if (splits_running(list[k]) >= 0)
			return true;
	return false;
}

/* The uppermost entry that has not begun and none of whose lanes are above it; -1: none. */
static int next_entry(const Stack *b)
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

/* Lanes have come somewhere, ended or begun to wait: what is complete ends, and what may run is formed. */
static void settle(Warp *w, Stack *b)
{
	for (int k = b->n - 1; k >= 0; k--) {
		if (b->e[k].open || !complete(b, &b->e[k]))
			continue;
		if (b->e[k].advancing)
			close(w, b, k);
		else if (b->e[k].npath && columns(b, b->e[k].lanes))
			part_ways(w, b, k);
		else
			drop(w, b, k);
		k = b->n;
	}
	while (!busy(w)) {
		int k = next_entry(b);
		if (k < 0)
			break;
		if (b->e[k].pc != b->e[k].rpc || b->e[k].pc_depth != b->e[k].rpc_depth) {
			form(w, b, &b->e[k]);
			break;
		}
		drop(w, b, k); /* it stands at its own end */
	}
	if (!b->n) {
		Shared *sh = reconv_sm_state(w);
		b->next = sh->free;
		sh->free = b;
		*(Stack **)reconv_block_state(w) = NULL;
	}
}

/* ---- events ---- */

static Stack *stack_new(Warp *w)
{
	Shared *sh = reconv_sm_state(w);
	Stack *b = sh->free;
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
	*(Stack **)reconv_block_state(w) = b;
	insert(w, b, 0)->started = true;
	return b;
}

static void launch(Warp *w, Mask lanes, uint32_t pc)
{
	Stack *b = stack_of(w);
	if (!b)
		b = stack_new(w);
	int k = reconv_index(w);
	b->warp[k] = w;
	b->e[0].pc = pc;
	b->e[0].lanes[k] = lanes;
	splits_launch(w, lanes, pc);
}

/* The split's lanes wait in the entry until all others have come. */
static void deposit(Warp *w, Split *s, Entry *e, const Part *part, int n)
{
	for (int k = 0; k < n; k++)
		e->come[reconv_index(part[k].home)] |= part[k].mask;
	reconv_remove(w, s);
}

static Target *target(Warp *w, Stack *b, Entry *e, const MIns *i, uint32_t pc)
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
	for (k = e->npath++; k > 0 && pc != e->path[k - 1].pc && (i->kind == K_BRA ? pc == i->target : pc < e->path[k - 1].pc); k--)
		e->path[k] = e->path[k - 1];
	e->path[k] = fresh;
	return &e->path[k];
}

static void arrive(Warp *w, Split *s);

/* The warp does not wait: its lanes of the true side run on, the others are for later. */
static void advance(Warp *w, Split *s, int at, const MIns *i, const Path *p, int n)
{
	Stack *b = stack_of(w);
	Entry *e = &b->e[at];
	Part part[64], on[64];
	int nparts = reconv_parts(w, s, part), non = 0;
	uint32_t rpc;
	unsigned d;
	meeting(e, &rpc, &d);
	if (!e->advancing) {
		push(w, b, at + 1, i->fall, e->path_depth, rpc, d, NULL)->open = true;
		push(w, b, at + 2, i->target, b->e[at].path_depth, rpc, d, NULL)->open = true;
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
	deposit(w, s, e, part, nparts);
	if (non) {
		Split like = { .pc = i->target, .ready = reconv_redirect(w, i, i->target), .why = STALL_BRANCH };
		b->e[at + 2].started = true;
		Warp *holder = reconv_form(on[0].home, &like, on, non);
		arrive(holder, &reconv_splits(holder)[*reconv_nsplit(holder) - 1]);
	}
	if (stack_of(w))
		settle(w, b);
}

static void gather(Warp *w, Split *s, const MIns *i, const Path *p, int n, uint32_t meet, unsigned meet_depth)
{
	Stack *b = stack_of(w);
	Part part[64];
	int nparts = reconv_parts(w, s, part);
	int at = entry_of(b, part);
	Entry *e = &b->e[at];
	e->meet = meet;
	e->meet_depth = meet_depth;
	e->path_depth = reconv_call_depth(part[0].home, part[0].mask);
	e->at = (uint32_t)(i - reconv_code(w)->ins);
	e->splits += n;
	if (e->advancing || (i->kind == K_BRA && !e->open && !e->npath && reconv_param(w, P_PREDICT) &&
		((Shared *)reconv_sm_state(w))->vain[e->at])) {
		advance(w, s, at, i, p, n);
		return;
	}
	for (int a = 0; a < n; a++) {
		Target *t = target(w, b, e, i, p[a].pc);
		for (int k = 0; k < nparts; k++)
			t->lanes[reconv_index(part[k].home)] |= part[k].mask & p[a].mask;
	}
	deposit(w, s, e, part, nparts);
	settle(w, b);
}

/* The split stands at s->pc: is that where its entry ends? */
static void arrive(Warp *w, Split *s)
{
	Stack *b = stack_of(w);
	Part part[64];
	int n = reconv_parts(w, s, part);
	Entry *e = &b->e[entry_of(b, part)];
	if (s->pc != e->rpc || reconv_call_depth(part[0].home, part[0].mask) != e->rpc_depth)
		return;
	reconv_count_merge(w, s, s->pc, s->mask);
	deposit(w, s, e, part, n);
	settle(w, b);
}

static void branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	if (n == 1 && !(i->flags & MI_COND)) {
		s->pc = p[0].pc;
		arrive(w, s);
		return;
	}
	Part part[64];
	reconv_parts(w, s, part);
	unsigned d = reconv_call_depth(part[0].home, part[0].mask);
	if (i->rpc == NO_PC && d) /* they meet where the function returns to */
		gather(w, s, i, p, n, reconv_return_pc(part[0].home, part[0].mask), d - 1);
	else
		gather(w, s, i, p, n, i->rpc, d);
}

static void reach(Warp *w, Split *s) { arrive(w, s); }

static void call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	const MIns *i = reconv_ins(w, return_pc - 1);
	Part part[64];
	reconv_parts(w, s, part);
	if (i->target == NO_PC)
		gather(w, s, i, p, n, return_pc, reconv_call_depth(part[0].home, part[0].mask) - 1);
	else
		s->pc = p[0].pc;
}

static void ret(Warp *w, Split *s, const Path *p, int n)
{
	must(n == 1);
	s->pc = p[0].pc;
	arrive(w, s);
}

static void lanes_exit(Warp *w, Split *s, Mask m)
{
	Stack *b = stack_of(w);
	Part part[64];
	int n = reconv_parts(w, s, part);
	reconv_remove(w, s);
	for (int x = 0; x < b->n; x++)
		for (int k = 0; k < n; k++)
			b->e[x].lanes[reconv_index(part[k].home)] &= ~part[k].mask;
	settle(w, b);
}

static void waits(Warp *w, Split *s) { settle(w, stack_of(w)); }

/* In the topmost entry that has the lane: it goes on when those of the entry above have come to their end. */
static bool held(const Warp *w, int lane, Held *h)
{
	const Stack *b = stack_of((Warp *)w);
	int at = reconv_index(w);
	for (int i = b ? b->n - 1 : -1; i >= 0; i--) {
		const Entry *e = &b->e[i], *above = i + 1 < b->n ? e + 1 : NULL;
		if (!(e->lanes[at] >> lane & 1))
			continue;
		*h = (Held){ e->pc, "an entry of the block's stack", above ? above->rpc : NO_PC, above ? above->lanes[at] : 0 };
		return true;
	}
	return false;
}

const ReconvModel reconv_tbc = {
	.name = "tbc",
	.help = "thread block compaction",
	.source = "Fung and Aamodt, Thread Block Compaction for Efficient SIMT Control Flow, HPCA 2011",
	.params = params, .nparams = sizeof params / sizeof *params,
	.sync_waits = true, .lane_scoreboard = true, .regroups = true, .all_branches = true,
	.lower = reconv_lower_ipdom, .state_size = state_size, .sm_state_size = sm_state_size,
	.block_state_size = block_state_size, .launch = launch, .branch = branch, .reach = reach, .call = call, .ret = ret,
	.exit = lanes_exit, .depth = depth, .held = held,
	.holds = "runs the top entry of the block's stack only; one below waits until the lanes above have come to its reconvergence point or ended", .wait = waits,
};
