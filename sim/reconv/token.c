/* The token stack of Tesla to Pascal (patents US7353369 and US8312254 as read by Bialas and Strzelecki,
 * Benchmarking the cost of thread divergence in CUDA, sections III and IV, Algorithms 1 and 2).
 *
 * SSY, PBK and PCNT push a token (active mask, kind, place); a divergent branch pushes the lanes that do not
 * take it as a DIV token and follows the others; SYNC pops a token, whose lanes and place become current;
 * BRK, CONT, RET and EXIT strip their lanes from the tokens above the one that the lanes leave for. Tokens
 * left without lanes are popped, too.
 *
 * Counted: depth = tokens (the running mask is none); pushes and pops = tokens. An indexed branch pushes one
 * DIV token for each further target. common/place.c decides where SSY, SYNC and the others stand. */
#include "sim/code/lower_fn.h"
#include "sim/reconv/common/place.h"
#include "sim/reconv/common/splits.h"

enum { P_UNWIND, P_PUSH, P_SPILL, P_FILL, P_CODEGEN };
enum { SSY_DIV, PBK_BRK };
static const ConfigKey params[] = {
	{ NULL, "unwind_cycles", CT_INT, 0, 1, 1, 1000, NULL, "cycles",
		"from the issue of an instruction that pops a token to the warp's next issue, all included "
		"(assumption; 32 on Kepler, 26 on Maxwell: Bialas and Strzelecki, 2015)" },
	{ NULL, "push_cycles", CT_INT, 0, 0, 0, 1000, NULL, "cycles",
		"added to a branch that pushes (Bialas and Strzelecki, 2015: nothing)" },
	{ NULL, "spill_push", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"added to a push that spills (divergence.spill = constant; assumption; 42 on Kepler: Bialas "
		"and Strzelecki, 2015)" },
	{ NULL, "reload_pop", CT_INT, 0, 40, 0, 10000, NULL, "cycles",
		"added to a pop that fills (divergence.spill = constant; assumption; 42 on Kepler: Bialas "
		"and Strzelecki, 2015)" },
	{ NULL, "loop_codegen", CT_ENUM, 0, SSY_DIV, 0, 1, "ssy_div|pbk_brk", "",
		"loops as SSY with divergent branches, or as PBK and PCNT with predicated BRK and CONT" },
};

typedef enum { TOK_SYNC, TOK_DIV, TOK_BRK, TOK_CONT, TOK_CALL } StackTokenKind;
typedef struct StackToken { Mask mask; uint32_t pc; uint8_t kind; } StackToken;
typedef struct Tokens { StackSpill spill; int n, cap; StackToken *t; } Tokens;

static size_t token_state_size(const Config *c) { return sizeof(Tokens); }
static int token_depth(const Warp *w) { return ((Tokens *)reconv_state((Warp *)w))->n; }

static const OwnOp own[TOKEN_OPS] = {
	[OWN_SSY] = { "ssy", "-", UNIT_CTL, false, "push a synchronisation token" },
	[OWN_PBK] = { "pbk", "-", UNIT_CTL, false, "push a break token" },
	[OWN_PCNT] = { "pcnt", "-", UNIT_CTL, false, "push a continue token" },
	[OWN_SYNC] = { "sync", "p", UNIT_CTL, true, "pop a token: its lanes and place become current" },
	[OWN_BRK] = { "brk", "p", UNIT_CTL, true, "lanes leave for the nearest break token" },
	[OWN_CONT] = { "cont", "p", UNIT_CTL, true, "lanes leave for the nearest continue token" },
};

static bool token_lower(LowerFn *l, Diag *diag)
{
	bool frames = reconv_lower_param(l, P_CODEGEN) == PBK_BRK;
	return place_tokens(l, &(PlaceStyle){ .frames = frames, .predicate = frames }, diag);
}

static void push_token(Warp *w, Split *s, Tokens *k, StackTokenKind kind, Mask m, uint32_t pc)
{
	k->t = reconv_grow(w, k->t, k->n, &k->cap, sizeof *k->t);
	reconv_spill_push(w, s, &k->spill, (Cycle)reconv_param(w, P_SPILL));
	reconv_changed(w, k->n);
	k->t[k->n++] = (StackToken){ m, pc, kind };
	reconv_count_push(w, s, pc, m);
}

/* Pops tokens until one has lanes, which then run from its place; each pop takes unwind_cycles. If no token
   is left, the warp has no split any more. */
static void unwind(Warp *w, Split *s, Tokens *k)
{
	Cycle unwind = (Cycle)reconv_param(w, P_UNWIND);
	for (bool first = true; k->n; first = false) {
		StackToken t = k->t[k->n - 1];
		Mask m = t.mask & reconv_live(w);
		if (first)
			reconv_distance(w, s, unwind);
		else
			reconv_delay(w, s, unwind);
		reconv_spill_pop(w, s, &k->spill, (Cycle)reconv_param(w, P_FILL));
		reconv_changed(w, --k->n);
		reconv_count_pop(w, s, t.pc, m);
		if (m) {
			if (t.kind != TOK_DIV && t.kind != TOK_CALL && (m & (m - 1)))
				reconv_count_merge(w, s, t.pc, m);
			s->pc = t.pc;
			s->mask = m;
			return;
		}
	}
	*reconv_nsplit(w) = 0;
}

/* Lanes m leave for the nearest token of the kind: takes them out of every token above that one. */
static void strip_tokens(Warp *w, Tokens *k, StackTokenKind kind, Mask m)
{
	for (int i = k->n - 1; i >= 0 && k->t[i].kind != kind; i--) {
		k->t[i].mask &= ~m;
		reconv_changed(w, i);
	}
}

static void lanes_leave(Warp *w, Split *s, Tokens *k, Mask m)
{
	s->mask &= ~m;
	if (s->mask)
		s->pc++;
	else
		unwind(w, s, k);
}

static void token_launch(Warp *w, Mask lanes, uint32_t pc)
{
	Tokens *k = reconv_state(w);
	k->n = 0;
	k->spill = (StackSpill){ 0 };
	splits_launch(w, lanes, pc);
}

static void token_branch(Warp *w, Split *s, const MIns *i, const Path *p, int n)
{
	Tokens *k = reconv_state(w);
	for (int a = n - 1; a >= 1; a--)
		push_token(w, s, k, TOK_DIV, p[a].mask, p[a].pc);
	reconv_delay(w, s, (Cycle)reconv_param(w, P_PUSH));
	s->pc = p[0].pc;
	s->mask = p[0].mask;
}

static void token_special(Warp *w, Split *s, const MIns *i, Mask m)
{
	Tokens *k = reconv_state(w);
	switch (i->own) {
	case OWN_SSY: case OWN_PBK: case OWN_PCNT:
		push_token(w, s, k, i->own == OWN_SSY ? TOK_SYNC : i->own == OWN_PBK ? TOK_BRK : TOK_CONT,
			s->mask, i->target);
		s->pc++;
		break;
	case OWN_SYNC:
		lanes_leave(w, s, k, m);
		break;
	case OWN_BRK: case OWN_CONT:
		strip_tokens(w, k, i->own == OWN_BRK ? TOK_BRK : TOK_CONT, m);
		lanes_leave(w, s, k, m);
		break;
	default:
		bug("not a token operation");
	}
}

static void token_reach(Warp *w, Split *s) { }

static void token_call(Warp *w, Split *s, const Path *p, int n, uint32_t return_pc)
{
	Tokens *k = reconv_state(w);
	push_token(w, s, k, TOK_CALL, s->mask, return_pc);
	for (int a = n - 1; a >= 1; a--)
		push_token(w, s, k, TOK_DIV, p[a].mask, p[a].pc);
	s->pc = p[0].pc;
	s->mask = p[0].mask;
}

static void token_ret(Warp *w, Split *s, const Path *p, int n)
{
	Tokens *k = reconv_state(w);
	strip_tokens(w, k, TOK_CALL, s->mask);
	lanes_leave(w, s, k, s->mask);
}

static void token_exit(Warp *w, Split *s, Mask m)
{
	s->mask = 0;
	unwind(w, s, reconv_state(w));
}

/* Where the lane of token i goes on. If the token's place is a SYNC, the lane goes on at the place of the
   next token below that has the lane, and so on. */
static uint32_t token_goes_on(const Warp *w, const Tokens *k, int i, int lane)
{
	uint32_t pc = k->t[i].pc;
	while (--i >= 0 && reconv_ins(w, pc)->op == OP_OWN && reconv_ins(w, pc)->own == OWN_SYNC)
		if (k->t[i].mask >> lane & 1)
			pc = k->t[i].pc;
	return pc;
}

static void token_show(const Warp *w, Rows *rows)
{
	static const uint8_t kind[] = { [TOK_SYNC] = ROW_TOKEN_SYNC, [TOK_DIV] = ROW_TOKEN_DIV,
		[TOK_BRK] = ROW_TOKEN_BRK,
		[TOK_CONT] = ROW_TOKEN_CONT, [TOK_CALL] = ROW_TOKEN_CALL };
	const Tokens *k = reconv_state((Warp *)w);
	for (int i = reconv_show_from(rows, TABLE_STACK, k->n); i < k->n; i++) {
		TraceRow r = trace_row(kind[k->t[i].kind], k->t[i].pc, k->t[i].mask);
		r.flags = reconv_flag(i < k->spill.spilled, FLAG_IN_MEMORY);
		reconv_show(rows, &r);
	}
}

/* The topmost token that has the lane holds it until the token is popped. */
static bool token_held(const Warp *w, int lane, Held *h)
{
	static const char *const kind[] = { [TOK_SYNC] = "a SYNC token", [TOK_DIV] = "a DIV token",
		[TOK_BRK] = "a BRK token",
		[TOK_CONT] = "a CONT token", [TOK_CALL] = "a CALL token" };
	const Tokens *k = reconv_state((Warp *)w);
	Mask above = reconv_splits((Warp *)w)->mask;
	for (int i = k->n - 1; i >= 0; above |= k->t[i--].mask)
		if (k->t[i].mask >> lane & 1) {
			*h = (Held){ token_goes_on(w, k, i, lane), kind[k->t[i].kind], NO_PC, above };
			return true;
		}
	return false;
}

/* A push at the branch, which jumps, and a pop at the end of each side; one SSY and two SYNCs. */
static PartingCost token_parting(const Config *c)
{
	const int64_t *p = c->model_param[c->model];
	return (PartingCost){ c->fetch_redirect + p[P_PUSH] + 2 * (p[P_UNWIND] - 1), 3 };
}

const ReconvModel reconv_token = {
	.name = "token",
	.help = "token stack of Tesla to Pascal: SSY, PBK, PCNT, SYNC, BRK, CONT",
	.spills = SPILLS_STACK,
	.source = "US patents 7353369 and 8312254; Bialas and Strzelecki, Benchmarking the cost of thread "
	"divergence in CUDA, 2015",
	.params = params, .nparams = sizeof params / sizeof *params,
	.parting = token_parting,
	.own = own, .nown = TOKEN_OPS,
	.lower = token_lower, .state_size = token_state_size, .launch = token_launch, .branch = token_branch,
	.reach = token_reach, .call = token_call, .ret = token_ret, .exit = token_exit,
	.special = token_special, .depth = token_depth, .show = token_show,
	.stuck = { .held = token_held,
		.holds = "takes up the lanes of a token when it is popped only, after the lanes that run "
		"have come to their SYNC or ended" },
};
