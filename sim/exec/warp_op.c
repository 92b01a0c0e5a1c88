/* Warp-level operations: what lanes that perform one together give each other. meet.c decides which lanes
   these are. */
#include "sim/exec/internal.h"

/* The first lane of the PTX warp that the lowest lane of m is in. */
static int ptx_base_of(Mask m) { return ptx_base(lowest_lane(m)); }

/* What each lane of the group brings: the first source of its own instruction, of 32 or 64 bits. */
static void brought(const Warp *w, const Meeting *g, bool wide, uint64_t value[64])
{
	int l;
	for (int k = 0; k < g->n; k++) {
		uint32_t row = g->part[k].i->x.a;
		each_lane(g->part[k].lanes, l)
			value[l] = wide ? row64(&w->lanes, row)[l] : row32(&w->lanes, row)[l];
	}
}

static void write_word(Warp *w, const MIns *i, Mask m, uint32_t value)
{
	int l;
	if (i->x.d != NO_ROW)
		each_lane(m, l)
			row32(&w->lanes, i->x.d)[l] = value;
}

/* Sets the predicate in lanes m to the bits of `value`; pred = NO_ROW: does nothing. */
static void write_predicate(Warp *w, uint32_t pred, Mask m, Mask value)
{
	if (pred != NO_ROW)
		w->lanes.pred[pred] = (w->lanes.pred[pred] & ~m) | (value & m);
}

static void perform_shuffle(Warp *w, const Meeting *g, const MIns *i, Mask m, const uint64_t *value)
{
	Mask ok = 0;
	int l;
	each_lane(m, l) {
		bool in;
		int from = lane_shfl_source(i->x.mode, l, lane_value(w, i->x.b, l, 0),
			lane_value(w, i->x.c, l, 31), &in);
		/* if the lane `from` does not take part, the reader keeps its own value */
		if (!(g->lanes >> from & 1))
			from = l;
		if (i->x.d != NO_ROW)
			row32(&w->lanes, i->x.d)[l] = (uint32_t)value[from];
		ok |= (Mask)in << l;
	}
	write_predicate(w, i->x.d2, m, ok);
}

/* The lanes of the group that vote yes. */
static Mask votes(const Warp *w, const Meeting *g)
{
	Mask yes = 0;
	for (int k = 0; k < g->n; k++) {
		const MIns *i = g->part[k].i;
		Mask p = i->x.a == NO_ROW ? ~(Mask)0 : w->lanes.pred[i->x.a];
		yes |= (i->x.neg & NEG_A ? ~p : p) & g->part[k].lanes;
	}
	return yes;
}

static void perform_vote(Warp *w, const Meeting *g, const MIns *i, Mask m, Mask yes)
{
	bool all = yes == g->lanes, none = !yes;
	bool v = i->x.mode == MODE_ALL ? all : i->x.mode == MODE_ANY ? !none : all || none;
	if (i->x.mode == MODE_BALLOT)
		write_word(w, i, m, (uint32_t)(yes >> ptx_base_of(g->lanes)));
	else
		write_predicate(w, i->x.d, m, v ? m : 0);
}

static Mask lanes_of_value(Mask m, const uint64_t *value, uint64_t wanted)
{
	Mask same = 0;
	int l;
	each_lane(m, l)
		same |= (Mask)(value[l] == wanted) << l;
	return same;
}

static void perform_match(Warp *w, const Meeting *g, const MIns *i, Mask m, const uint64_t *value)
{
	bool all = lanes_of_value(g->lanes, value, value[lowest_lane(g->lanes)]) == g->lanes;
	int l;
	if (i->x.mode == MODE_ANY)
		each_lane(m, l)
			write_word(w, i, (Mask)1 << l, (uint32_t)(lanes_of_value(g->lanes, value,
				value[l]) >> ptx_base_of(g->lanes)));
	else
		write_word(w, i, m, all ? (uint32_t)(g->lanes >> ptx_base_of(g->lanes)) : 0);
	write_predicate(w, i->x.d2, m, all ? m : 0);
}

static uint32_t reduce_lanes(const MIns *i, Mask m, const uint64_t *value)
{
	uint64_t v = value[lowest_lane(m)];
	int l;
	each_lane(m & (m - 1), l)
		v = lane_atomic(i->aop, i->type, SP_GENERIC, v, value[l], 0);
	return (uint32_t)v;
}

/* Writes what the lanes of one instruction of the group get. */
static void receive(Warp *w, const Meeting *g, const MIns *i, Mask m, const uint64_t *value)
{
	int leader = lowest_lane(g->lanes);
	switch (i->kind) {
	case K_SHFL: perform_shuffle(w, g, i, m, value); break;
	case K_VOTE: perform_vote(w, g, i, m, value[0]); break;
	case K_MATCH: perform_match(w, g, i, m, value); break;
	case K_REDUX: write_word(w, i, m, (uint32_t)value[0]); break;
	case K_ELECT:
		write_word(w, i, m, (uint32_t)(leader % PTX_WARP));
		write_predicate(w, i->x.d2, m, (Mask)1 << leader);
		break;
	case K_ACTIVE: write_word(w, i, m, (uint32_t)(g->lanes >> ptx_base_of(g->lanes))); break;
	default: break; /* bar.warp.sync: its lanes get nothing */
	}
}

/* How many different values the lanes bring, but at most `most`. */
static int64_t different_values(Mask lanes, const uint64_t *value, int64_t most)
{
	int64_t n = 0;
	for (Mask rest = lanes; rest && n < most; n++)
		rest &= ~lanes_of_value(rest, value, value[lowest_lane(rest)]);
	return n;
}

/* By how many cycles the operation's results come later than the latency of its unit says. */
static Cycle cycles_late(const Config *c, const MIns *i, Mask lanes, const uint64_t *value)
{
	int64_t n = 0;
	if (i->kind == K_REDUX && i->aop == AOP_ADD)
		n = c->redux_add;
	if (i->kind == K_MATCH && i->x.mode == MODE_ALL)
		n = c->match_all;
	if (i->kind == K_MATCH && c->match_value)
		n += (different_values(lanes, value, c->match_most) - 1) * c->match_value;
	return (Cycle)n;
}

Cycle warp_op_perform(Warp *w, const Meeting *g)
{
	const MIns *i = g->part[0].i;
	uint64_t value[64];
	if (w->sm->gpu->watching && i->kind != K_WARPSYNC)
		livelock_exchange(w, g->lanes);
	if (i->kind == K_SHFL || i->kind == K_MATCH || i->kind == K_REDUX)
		brought(w, g, i->kind == K_MATCH && type_bits[i->type] == 64, value);
	Cycle late = cycles_late(&w->sm->gpu->config, i, g->lanes, value);
	if (i->kind == K_VOTE)
		value[0] = votes(w, g);
	if (i->kind == K_REDUX)
		value[0] = reduce_lanes(i, g->lanes, value);
	for (int k = 0; k < g->n; k++)
		receive(w, g, g->part[k].i, g->part[k].lanes, value);
	return late;
}
