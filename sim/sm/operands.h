/* When an instruction's operands are there, by the scoreboard. */
#ifndef GSIM_SM_OPERANDS_H
#define GSIM_SM_OPERANDS_H
#include "sim/machine/scoreboard.h"
#include "sim/sm/internal.h"

/* When the last operand that is computed is there, and the last one that is loaded. */
typedef struct Operands { Cycle computed, loaded; } Operands;

static inline void add_operand_ready(Operands *o, const Sm *sm, const Needed *n, Cycle entry)
{
	Cycle *last = entry_loaded(entry) ? &o->loaded : &o->computed;
	int64_t ready = needed_ready(sm, n, entry);
	*last = ready > (int64_t)*last ? (Cycle)ready : *last;
}

static inline Cycle all_there(Operands o) { return o.loaded > o.computed ? o.loaded : o.computed; }

/* True if all operands are there at cycle `at`: a fast answer, enough for most splits. If it is false,
   when_operands looks more closely: lanes may differ, or have several homes. */
static inline bool are_ready(const Sm *sm, const Warp *w, const Split *s, const MIns *i, Cycle at)
{
	int64_t latest = 0;
	for (int k = 0; k < i->nchk; k++) {
		int64_t ready = needed_ready(sm, &i->sb[k], w->ready[i->sb[k].name]);
		latest = ready > latest ? ready : latest;
	}
	return latest <= (int64_t)at && !s->parts;
}

/* When operands are there, by a scoreboard with one entry for all lanes. */
static inline Operands warp_operands(const Sm *sm, const Warp *w, const MIns *i)
{
	Operands o = { 0, 0 };
	for (int k = 0; k < i->nchk; k++)
		add_operand_ready(&o, sm, &i->sb[k], w->ready[i->sb[k].name]);
	return o;
}

/* When the operands o are there, as seen at cycle `at`. If one of them is still being loaded the reason is
   STALL_MEMORY, whatever else is missing. */
static inline When when_there(Operands o, const Split *s, Cycle at)
{
	return (When){ all_there(o), s->pc, o.loaded > at ? STALL_MEMORY : STALL_DATA };
}

/* When the split has waited for all but its data. */
static inline When when_waited(const Split *s) { return (When){ wait_end(&s->wait), s->pc, s->wait.why }; }

/* As when_there, for the operands of the split's instruction, whatever kind of scoreboard the SM has. */
When when_operands(const Sm *, const Warp *, const Split *, const MIns *, Cycle at);
#endif
