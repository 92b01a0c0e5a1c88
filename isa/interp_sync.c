/* Where threads of a block meet: at block barriers, at the grid's barrier (as far as one block is concerned),
   and at operations of the threads of a warp. */
#include "isa/interp.h"
#include "lib/strbuf.h"

static const InterpStep *thread_step(const Thread *t)
{
	const InterpFrame *f = interp_top(t);
	return &f->code->step[f->pc];
}

static void pass_thread(Interp *in, Thread *t)
{
	in->changes++;
	t->state = RUNNABLE;
	interp_top(t)->pc++;
}

static int lane_of(const Interp *in, const Thread *t)
{
	return (int)(t->linear % (uint32_t)in->options->warp_size);
}

/* The thread of this lane of t's warp, or NULL. */
static Thread *fellow(Interp *in, const Thread *t, int lane)
{
	int k = (int)t->linear - lane_of(in, t) + lane;
	return lane < in->options->warp_size && k < in->nthread ? &in->thread[k] : NULL;
}

/* ---- block barriers ---- */

static void wake_at_barrier(Interp *in, int id)
{
	InterpBarrier *b = &in->barrier[id];
	for (int k = 0; k < in->nthread; k++) {
		Thread *t = &in->thread[k];
		if (t->state != AT_BARRIER || t->barrier != id)
			continue;
		const InterpStep *s = thread_step(t);
		if (s->ins->op == OP_BARRED) {
			uint64_t v = s->ins->aop == AOP_POPC ? (uint64_t)b->yes
				: s->ins->aop == AOP_AND ? b->yes == b->votes : b->yes > 0;
			interp_write(t, &s->dst[0], ins_dst_type(s->ins, 0), v);
		}
		pass_thread(in, t);
	}
	*b = (InterpBarrier){ 0 };
}

/* Opens the barrier if all live threads have arrived, or as many as its instructions named. */
static void settle_barrier(Interp *in, int id)
{
	InterpBarrier *b = &in->barrier[id];
	if (b->arrived && b->arrived >= (b->explicit_count ? b->expected : in->live))
		wake_at_barrier(in, id);
}

/* If i is an .aligned barrier instruction: another one at which threads of t's warp wait. NULL: there is
   none. */
static const Ins *aligned_elsewhere(Interp *in, const Thread *t, const Ins *i)
{
	for (int l = 0; is_aligned_barrier(i) && l < in->options->warp_size; l++) {
		const Thread *o = fellow(in, t, l);
		if (o && o->state == AT_BARRIER && thread_step(o)->ins != i &&
			is_aligned_barrier(thread_step(o)->ins))
			return thread_step(o)->ins;
	}
	return NULL;
}

bool interp_barrier(Interp *in, Thread *t, const InterpStep *s)
{
	const Ins *i = s->ins;
	if (i->op == OP_BARGRID) {
		t->state = AT_GRID;
		in->at_grid++;
		return true;
	}
	bool red = i->op == OP_BARRED;
	int counts = i->nsrc - red; /* number of operands before the predicate */
	uint32_t id = (uint32_t)interp_read(in, t, &s->src[0]);
	bool given = counts > 1 && s->src[1].kind != PL_NONE;
	uint32_t count = given ? (uint32_t)interp_read(in, t, &s->src[1]) : 0;
	char text[REFUSAL];
	const char *why = barrier_refuses(id, given ? &count : NULL, (uint32_t)in->nthread,
		in->options->warp_size, text);
	if (why) {
		interp_fault(in, t, FAULT_OPERAND, "%s", why);
		return false;
	}
	const Ins *apart = aligned_elsewhere(in, t, i);
	if (apart) {
		words_aligned(apart, text);
		interp_fault(in, t, FAULT_UNDEFINED, "%s", text);
		return false;
	}
	InterpBarrier *b = &in->barrier[id];
	if (b->arrived && (b->explicit_count != given || b->expected != (int)count)) {
		interp_fault(in, t, FAULT_OPERAND, WORDS_COUNTS, id);
		return false;
	}
	b->explicit_count = given;
	b->expected = (int)count;
	b->arrived++;
	if (red) {
		b->votes++;
		b->yes += interp_read(in, t, &s->src[i->nsrc - 1]) & 1;
	}
	if (i->op == OP_BARARRIVE) {
		pass_thread(in, t);
	} else {
		t->state = AT_BARRIER;
		t->barrier = (int)id;
	}
	settle_barrier(in, (int)id);
	return true;
}

void interp_grid_opens(Interp *in)
{
	for (int k = 0; k < in->nthread; k++)
		if (in->thread[k].state == AT_GRID)
			pass_thread(in, &in->thread[k]);
	in->at_grid = 0;
}

/* ---- operations of a warp's threads ---- */

static bool same_operation(const Ins *a, const Ins *b)
{
	return same_qualifiers(a->op, a->mode, a->aop, a->type) ==
		same_qualifiers(b->op, b->mode, b->aop, b->type);
}

/* Have all lanes of t's mask that have not exited come? *present: these lanes. false: one of them does not
   wait at the same operation with the same mask. */
static bool gathered(Interp *in, const Thread *t, uint32_t *present)
{
	*present = 0;
	for (int l = 0; l < PTX_WARP; l++) {
		const Thread *o = t->members >> l & 1 ? fellow(in, t, l) : NULL;
		if (!o || o->state == EXITED)
			continue;
		if (o->state != AT_WARP || o->members != t->members ||
			!same_operation(thread_step(o)->ins, thread_step(t)->ins))
			return false;
		*present |= 1u << l;
	}
	return true;
}

typedef struct ThreadMeeting {           /* what the present lanes brought */
	uint32_t present;
	Thread *thread[PTX_WARP];
	uint64_t value[PTX_WARP];
} ThreadMeeting;

static bool all_equal(const ThreadMeeting *m)
{
	int first = __builtin_ctz(m->present);
	for (int l = 0; l < PTX_WARP; l++)
		if (m->present >> l & 1 && m->value[l] != m->value[first])
			return false;
	return true;
}

static uint32_t lanes_with_value(const ThreadMeeting *m, uint64_t value)
{
	uint32_t mask = 0;
	for (int l = 0; l < PTX_WARP; l++)
		if (m->present >> l & 1 && m->value[l] == value)
			mask |= 1u << l;
	return mask;
}

static uint64_t vote_of_meeting(const ThreadMeeting *m, Mode mode)
{
	uint32_t yes = lanes_with_value(m, 1);
	switch (mode) {
	case MODE_ALL: return yes == m->present;
	case MODE_ANY: return yes != 0;
	case MODE_UNI: return yes == 0 || yes == m->present;
	default: return yes;
	}
}

static uint64_t reduce_meeting(const ThreadMeeting *m, const Ins *i)
{
	int first = __builtin_ctz(m->present);
	uint64_t v = m->value[first];
	for (int l = first + 1; l < PTX_WARP; l++)
		if (m->present >> l & 1)
			v = lane_atomic((AtomOp)i->aop, (Type)i->type, SP_GENERIC, v, m->value[l], 0);
	return v;
}

/* Gives the result of shfl to a lane. Where the lane that it reads takes no part or does not exist, it gets
   its own value. */
static void shuffle_lane(Interp *in, const ThreadMeeting *m, int lane, uint64_t *value, uint64_t *in_range)
{
	Thread *t = m->thread[lane];
	const InterpStep *s = thread_step(t);
	bool ok;
	int from = lane_shfl_source((Mode)s->ins->mode, lane, (uint32_t)interp_read(in, t, &s->src[1]),
		(uint32_t)interp_read(in, t, &s->src[2]), &ok);
	*value = m->value[m->present >> from & 1 ? from : lane];
	*in_range = ok;
}

static void meeting_result(Interp *in, const ThreadMeeting *m, int lane, uint64_t out[2])
{
	const Ins *i = thread_step(m->thread[lane])->ins;
	switch (op_info[i->op].kind) {
	case K_SHFL: shuffle_lane(in, m, lane, &out[0], &out[1]); break;
	case K_VOTE: out[0] = vote_of_meeting(m, (Mode)i->mode); break;
	case K_REDUX: out[0] = reduce_meeting(m, i); break;
	case K_ELECT:
		out[0] = (uint64_t)__builtin_ctz(m->present);
		out[1] = out[0] == (uint64_t)lane;
		break;
	case K_MATCH:
		out[1] = all_equal(m);
		out[0] = i->mode == MODE_ALL ? (out[1] ? m->present : 0)
			: lanes_with_value(m, m->value[lane]);
		break;
	default: break; /* bar.warp.sync has no result */
	}
}

static bool brings_value(const Ins *i) { return i->op != OP_BARWARP && i->op != OP_ELECT; }

static void meet_at_operation(Interp *in, Thread *t, uint32_t present)
{
	ThreadMeeting m = { .present = present };
	uint64_t out[PTX_WARP][2] = { { 0 } };
	for (int l = 0; l < PTX_WARP; l++) {
		if (!(present >> l & 1))
			continue;
		m.thread[l] = fellow(in, t, l);
		const InterpStep *s = thread_step(m.thread[l]);
		if (brings_value(s->ins))
			m.value[l] = lane_extend(ins_src_type(s->ins, 0),
				interp_read(in, m.thread[l], &s->src[0]));
	}
	for (int l = 0; l < PTX_WARP; l++)
		if (present >> l & 1)
			meeting_result(in, &m, l, out[l]);
	for (int l = 0; l < PTX_WARP; l++) {
		if (!(present >> l & 1))
			continue;
		const InterpStep *s = thread_step(m.thread[l]);
		for (int k = 0; k < s->ins->ndst && k < 2; k++)
			interp_write(m.thread[l], &s->dst[k], ins_dst_type(s->ins, k), out[l][k]);
		pass_thread(in, m.thread[l]);
	}
}

/* The number of the source that names the lanes which take part, or -1: it was left out. */
static int mask_operand(const Ins *i)
{
	int k = i->op == OP_SHFL ? 3 : i->op == OP_BARWARP || i->op == OP_ELECT ? 0 : 1;
	return k < i->nsrc ? k : -1;
}

/* Does the thread wait for one that waits for it, at an operation at which they cannot meet? Then neither
   ever goes on: the fault is filled. */
static bool waits_crossed(Interp *in, const Thread *t)
{
	char text[REFUSAL];
	for (int l = 0; l < PTX_WARP; l++) {
		const Thread *o = t->members >> l & 1 ? fellow(in, t, l) : NULL;
		if (!o || o->state != AT_WARP || !(o->members >> lane_of(in, t) & 1))
			continue;
		if (o->members == t->members && same_operation(thread_step(o)->ins, thread_step(t)->ins))
			continue;
		words_crossed(t->members, l, thread_step(o)->ins, o->members, text);
		interp_fault(in, t, FAULT_UNDEFINED, "%s", text);
		return true;
	}
	return false;
}

bool interp_warp(Interp *in, Thread *t, const InterpStep *s)
{
	int k = mask_operand(s->ins);
	uint32_t all = ~0u >> (PTX_WARP - in->options->warp_size), present;
	uint32_t mask = k < 0 || s->src[k].kind == PL_NONE ? all : (uint32_t)interp_read(in, t, &s->src[k]);
	char text[REFUSAL];
	const char *why = mask_refuses(mask, lane_of(in, t), text);
	if (why) {
		interp_fault(in, t, FAULT_OPERAND, "%s", why);
		return false;
	}
	t->members = mask & all;
	t->state = AT_WARP;
	if (waits_crossed(in, t))
		return false;
	if (gathered(in, t, &present))
		meet_at_operation(in, t, present);
	return true;
}

/* ---- the end of a thread, and of all progress ---- */

void interp_exit(Interp *in, Thread *t)
{
	uint32_t present;
	t->state = EXITED;
	in->changes++;
	in->live--;
	for (int id = 0; id < BARRIERS; id++)
		if (!in->barrier[id].explicit_count)
			settle_barrier(in, id);
	for (int l = 0; l < PTX_WARP; l++) {
		Thread *o = fellow(in, t, l);
		if (o && o->state == AT_WARP && o->members >> lane_of(in, t) & 1 && gathered(in, o, &present))
			meet_at_operation(in, o, present);
	}
}

void interp_deadlock(Interp *in)
{
	StrBuf s = { 0 };
	const Thread *first = NULL;
	int more = 0, listed = 0;
	for (int k = 0; k < in->nthread; k++) {
		const Thread *t = &in->thread[k];
		if (t->state == EXITED)
			continue;
		if (!first)
			first = t;
		if (listed == 4) {
			more++;
			continue;
		}
		const Ins *i = thread_step(t)->ins;
		sb_printf(&s, "%sthread (%u,%u,%u) waits at %s", listed++ ? "; " : "", t->tid[0], t->tid[1],
			t->tid[2], op_info[i->op].name);
		if (t->state == AT_BARRIER)
			sb_printf(&s, " %d", t->barrier);
		else if (t->state == AT_WARP)
			sb_printf(&s, " for lanes 0x%x", t->members);
		if (i->line)
			sb_printf(&s, " in line %d", i->line);
	}
	if (more)
		sb_printf(&s, "; %d more", more);
	interp_fault(in, first, FAULT_BARRIER, "%d of %d threads have not ended and none can go on: %s",
		in->live, in->nthread, s.s);
	sb_free(&s);
}
