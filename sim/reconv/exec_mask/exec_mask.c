/* EXEC masks (AMD GCN): a warp has one pc and one mask of running lanes, EXEC. No hardware keeps the other
 * lanes: lowering inserts scalar operations that save masks in scalar registers and restore them, as LLVM's
 * SILowerControlFlow does for structured code; here every graph is brought into that form (exec_mask.h).
 * Vector instructions are issued whatever EXEC holds; branches are scalar and jump over code that no lane
 * runs.
 *
 * Counted: depth = saved masks with lanes in them, of all calls; a push is an empty mask that gets lanes, a
 * pop a mask whose lanes go into EXEC; a merge is lanes that come to a mask, or an EXEC, which has lanes
 * already. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/exec_mask/exec_mask.h"
#include "sim/reconv/common/splits.h"

enum { P_SKIP };
static const ConfigKey params[] = {
	{ NULL, "skip_threshold", CT_INT, 0, 12, 0, 1000, NULL, "instructions",
		"regions of fewer vector ALU instructions are issued with an empty EXEC instead of being "
		"jumped over (LLVM: "
		"amdgpu-skip-threshold, 12 by default)" },
};

/* A saved mask that has lanes: the call it belongs to, the place where its lanes go on, and its number. */
typedef struct SavedMask { uint32_t frame, pc; int32_t name; Mask mask; } SavedMask;
typedef struct Masks {
	int n;
	/* masks of the current call come last; each live lane is in one saved mask, in EXEC, or on its way
	   from one to the other */
	SavedMask saved[66];
	uint32_t frame;            /* number of calls that have not returned */
	int cap;
	uint32_t *back;            /* where these calls return to */
	uint64_t first;            /* the scalar register that xfirst writes */
} Masks;

static const OwnOp own[MASK_OPS] = {
	[OWN_XADD] = { "xadd", "--p", UNIT_CTL, false,
		"saved mask a = a | (EXEC & c); its lanes go on at b" },
	[OWN_XDROP] = { "xdrop", "-", UNIT_CTL, false, "EXEC = EXEC & ~a" },
	[OWN_XJOIN] = { "xjoin", "-", UNIT_CTL, false,
		"EXEC = EXEC | a; a is not used again before it is set" },
	[OWN_XTAKE] = { "xtake", "-", UNIT_CTL, false, "EXEC = a; a is not used again before it is set" },
	[OWN_XCLEAR] = { "xclear", "-", UNIT_CTL, false, "a = 0" },
	[OWN_XZ] = { "xz", "-", UNIT_CTL, false, "continue at a if EXEC is empty" },
	[OWN_XNZ] = { "xnz", "-", UNIT_CTL, false, "continue at a unless EXEC is empty" },
	[OWN_XFIRST] = { "xfirst", "-", UNIT_ALU, false, "a scalar = a of the first lane in EXEC" },
	[OWN_XDIFF] = { "xdiff", "---", UNIT_ALU, false,
		"saved mask a = a | lanes of EXEC whose c is not that scalar; they go on at b" },
};

static bool exec_mask_lower(LowerFn *l, Diag *diag)
{
	Arena arena = { 0 };
	MaskPlan p = { .l = l, .f = l->f, .arena = &arena, .threshold = (int)reconv_lower_param(l, P_SKIP) };
	mask_prepare(&p);
	mask_plan(&p);
	mask_place(&p);
	l->list_layout = true;         /* control falls from each stop to the next one */
	arena_free(&arena);
	return true;
}

static size_t exec_mask_state_size(const Config *c) { return sizeof(Masks); }
static int exec_mask_depth(const Warp *w) { return ((Masks *)reconv_state((Warp *)w))->n; }

static void exec_mask_launch(Warp *w, Mask lanes, uint32_t pc)
{
	Masks *k = reconv_state(w);
	k->n = 0;
	k->frame = 0;
	k->first = 0;
	splits_launch(w, lanes, pc);
}

/* ---- saved masks ---- */

static SavedMask *find_saved(Masks *k, int32_t name)
{
	for (int i = k->n - 1; i >= 0 && k->saved[i].frame == k->frame; i--)
		if (k->saved[i].name == name)
			return &k->saved[i];
	return NULL;
}

static void save_lanes(Warp *w, Split *s, Masks *k, const MIns *i, Mask m)
{
	SavedMask *x = find_saved(k, (int32_t)i->offset);
	if (!m)
		return;
	if (x) {
		x->mask |= m;
		reconv_count_merge(w, s, x->pc, x->mask);
		return;
	}
	must(k->n < (int)(sizeof k->saved / sizeof *k->saved));
	k->saved[k->n++] = (SavedMask){ k->frame, i->target, (int32_t)i->offset, m };
	reconv_count_push(w, s, i->target, m);
}

static Mask take_saved(Warp *w, Split *s, Masks *k, int32_t name)
{
	SavedMask *x = find_saved(k, name);
	if (!x)
		return 0;
	Mask m = x->mask;
	k->n--;
	memmove(x, x + 1, sizeof *x * (size_t)(&k->saved[k->n] - x));
	reconv_count_pop(w, s, s->pc, m);
	return m;
}

static Mask differing_lanes(Warp *w, const Split *s, const Masks *k, const MIns *i)
{
	Mask m = 0;
	int l;
	each_lane(s->mask, l)
		m |= (Mask)(reconv_value(w, i, l) != k->first) << l;
	return m;
}

static void exec_mask_special(Warp *w, Split *s, const MIns *i, Mask lanes)
{
	Masks *k = reconv_state(w);
	int32_t name = (int32_t)i->offset;
	SavedMask *x = find_saved(k, name);
	Mask m;
	uint32_t pc = s->pc + 1;
	switch (i->own) {
	case OWN_XADD: save_lanes(w, s, k, i, lanes); break;
	case OWN_XDROP: s->mask &= x ? ~x->mask : ~(Mask)0; break;
	case OWN_XCLEAR: must(!x); break;
	case OWN_XTAKE: s->mask = take_saved(w, s, k, name); break;
	case OWN_XJOIN:
		m = take_saved(w, s, k, name);
		if (m && s->mask)
			reconv_count_merge(w, s, s->pc, m | s->mask);
		s->mask |= m;
		break;
	case OWN_XFIRST: k->first = s->mask ? reconv_value(w, i, lowest_lane(s->mask)) : 0; break;
	case OWN_XDIFF: save_lanes(w, s, k, i, differing_lanes(w, s, k, i)); break;
	case OWN_XZ: pc = s->mask ? pc : i->target; break;
	case OWN_XNZ: pc = s->mask ? i->target : pc; break;
	default: bug("not an operation on masks");
	}
	s->pc = pc;
}

/* ---- control ---- */

static void exec_mask_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	bug("lanes part at a scalar branch");
}
static void exec_mask_reach(Warp *w, Split *s) { }

static void exec_mask_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	Masks *k = reconv_state(w);
	must(n == 1);
	k->back = reconv_grow(w, k->back, (int)k->frame, &k->cap, sizeof *k->back);
	reconv_changed(w, (int)k->frame);
	k->back[k->frame++] = return_pc;
	s->pc = p[0].pc;
}

/* All lanes of the call that have not ended return together; there may be none. */
static void exec_mask_ret(Warp *w, Split *s, const Path *p, int n)
{
	Masks *k = reconv_state(w);
	must(k->frame && (!k->n || k->saved[k->n - 1].frame < k->frame));
	s->pc = k->back[--k->frame];
	reconv_changed(w, (int)k->frame);
}

static void exec_mask_exit(Warp *w, Split *s, Mask m)
{
	s->mask &= ~m;
	s->pc++;
	if (!reconv_live(w))
		*reconv_nsplit(w) = 0;
}

static void exec_mask_show(const Warp *w, Rows *rows)
{
	const Masks *k = reconv_state((Warp *)w);
	for (int i = 0; i < k->n; i++) {
		TraceRow r = trace_row(ROW_SAVED, k->saved[i].pc, k->saved[i].mask);
		r.n = (uint32_t)k->saved[i].name;
		r.m = k->saved[i].frame;
		reconv_show(rows, &r);
	}
	for (uint32_t i = (uint32_t)reconv_show_from(rows, TABLE_GROUPS, (int)k->frame); i < k->frame; i++) {
		TraceRow r = trace_row(ROW_LINK, k->back[i], 0);
		r.n = i;
		reconv_show(rows, &r);
	}
	TraceRow r = trace_row(ROW_SCALAR, NO_PC, 0);
	r.other = k->first;
	reconv_show(rows, &r);
}

static bool exec_mask_held(const Warp *w, int lane, Held *h)
{
	const Masks *k = reconv_state((Warp *)w);
	for (int i = 0; i < k->n; i++)
		if (k->saved[i].mask >> lane & 1) {
			*h = (Held){ k->saved[i].pc, "a saved mask", k->saved[i].pc,
				reconv_splits((Warp *)w)->mask };
			return true;
		}
	return false;
}

/* Control falls through both sides. Operations, beside the one that counts as the branch: XDROP, XADD,
   XTAKE and XJOIN, and no XZ for short sides. Two of them stand for the jumps behind the sides, which this
   code does not have. */
static PartingCost exec_mask_parting(const Config *c) { return (PartingCost){ 0, 2 }; }

const ReconvModel reconv_exec_mask = {
	.name = "exec_mask",
	.help = "EXEC mask with saved masks in scalar registers (AMD GCN)",
	.spills = SPILLS_NOTHING,
	.source = "LLVM, SILowerControlFlow and StructurizeCFG; AMD, Vega Instruction Set Architecture, 2017",
	.params = params, .nparams = sizeof params / sizeof *params,
	.parting = exec_mask_parting,
	.own = own, .nown = MASK_OPS,
	.runs_empty = true,
	.lower = exec_mask_lower, .state_size = exec_mask_state_size, .launch = exec_mask_launch,
	.branch = exec_mask_branch, .reach = exec_mask_reach, .call = exec_mask_call, .ret = exec_mask_ret,
	.exit = exec_mask_exit, .special = exec_mask_special, .depth = exec_mask_depth,
	.show = exec_mask_show,
	.stuck = { .held = exec_mask_held,
		.holds = "has one pc for the wave: lanes in saved masks go on when the others come to their "
		"place, and a loop "
		"runs until none of its lanes is left in EXEC" },
};
