/* When an instruction's operands are there, by the scoreboard. */
#ifndef GSIM_SM_OPERANDS_H
#define GSIM_SM_OPERANDS_H
#include "sim/machine/scoreboard.h"
#include "sim/sm/internal.h"

static inline void add_operand_ready(Operands *o, const Sm *sm, const Needed *n, Cycle entry)
{
	int64_t ready = needed_ready(sm, n, entry), loaded = entry_loaded(entry) ? ready : 0;
	int64_t computed = loaded ? 0 : ready;
	o->computed = computed > (int64_t)o->computed ? (Cycle)computed : o->computed;
	o->loaded = loaded > (int64_t)o->loaded ? (Cycle)loaded : o->loaded;
}

static inline Cycle all_there(Operands o) { return o.loaded > o.computed ? o.loaded : o.computed; }

/* The cycle from which on every reader has all that the instruction needs: a fast answer, which is enough for
   most instructions; warp_operands and when_operands look more closely. */
static inline Cycle all_surely_there(const Warp *w, const MIns *i)
{
	Cycle latest = 0;
	for (int k = 0; k < i->nchk; k++) {
		Cycle entry = w->ready[i->sb[k].name];
		latest = entry > latest ? entry : latest;
	}
	return entry_cycle(latest);
}

/* When operands are there, by a scoreboard with one entry for all lanes. What is there by cycle `at` is left
   out. */
static inline Operands warp_operands(const Sm *sm, const Warp *w, const MIns *i, Cycle at)
{
	Operands o = { 0, 0 };
	for (const Needed *n = i->sb, *end = n + i->nchk; n < end; n++) {
		Cycle entry = w->ready[n->name];
		if (entry_cycle(entry) > at)
			add_operand_ready(&o, sm, n, entry);
	}
	return o;
}

/* As warp_operands, for lanes m, by a scoreboard with entries for groups of lanes. */
Operands operands_of_lanes(const Sm *, const Warp *, Mask m, const MIns *, Cycle at);

/* As warp_operands, for a split with parts. */
Operands operands_of_homes(const Sm *, const Split *, const MIns *, Cycle at);

/* As warp_operands, for a split whose lanes belong to the warp, whatever kind of scoreboard the SM has. */
static inline Operands split_operands(const Sm *sm, const Warp *w, const Split *s, const MIns *i, Cycle at)
{
	return sm->lane_scoreboard ? operands_of_lanes(sm, w, s->mask, i, at) : warp_operands(sm, w, i, at);
}

/* As split_operands, for the instruction that follows the one that the split has issued last. All others of
   the warp are parked. The answer is kept until the next issue: what comes later from memory is not there
   earlier than it says. */
static inline Operands next_operands(const Sm *sm, Warp *w, const Split *s, const MIns *i)
{
	if (w->next.computed == NEVER)
		w->next = s->parts ? operands_of_homes(sm, s, i, sm->now) : split_operands(sm, w, s, i,
			sm->now);
	return w->next;
}

/* When the operands o are there, as seen at cycle `at`. If one of them is still being loaded the reason is
   STALL_MEMORY, whatever else is missing. */
static inline When when_there(Operands o, const Split *s, Cycle at)
{
	return (When){ all_there(o), s->pc, o.loaded > at ? STALL_MEMORY : STALL_DATA };
}

/* When the split has waited for all but its data. */
static inline When when_waited(const Split *s) { return (When){ wait_end(&s->wait), s->pc, s->wait.why }; }

/* Is the reason for which the split waits from cycle `from` on the same in whichever cycle somebody looks? A
   load whose end is pending comes behind the window's end (`until`). */
static inline bool same_reason(Operands o, Cycle from, Cycle until)
{
	return o.loaded <= from || o.computed <= (o.loaded < until ? o.loaded : until);
}

/* After an issue: until when the split that goes on with instruction i sleeps, whose operands are there as o
   says. See sleep_after_issue. */
static inline When when_after_issue(const Sm *sm, const Split *s, const MIns *i, Operands o)
{
	Cycle next = sm->now + 1;
	When t = when_waited(s);
	if (s->line == i->line && t.cycle == next && next < sm->until && all_there(o) > next &&
		same_reason(o, next, sm->until))
		t = when_there(o, s, next);
	return t;
}

/* As when_there, for the operands of the split's instruction, whatever kind of scoreboard the SM has. */
When when_operands(const Sm *, const Warp *, const Split *, const MIns *, Cycle at);
/* As when_operands, at the present cycle; the split keeps the answer (Split.operands). */
When when_operands_now(const Sm *, const Warp *, Split *, const MIns *);
#endif
