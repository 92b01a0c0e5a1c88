/* When an instruction's operands are there, by the scoreboard. */
#ifndef GSIM_SM_OPERANDS_H
#define GSIM_SM_OPERANDS_H
#include "sim/sm/internal.h"

/* When the last operand that is computed is there, and the last one that is loaded. */
typedef struct Operands { Cycle computed, loaded; } Operands;

static inline void add_operand_ready(Operands *o, Cycle ready)
{
	Cycle *last = ready & 1 ? &o->loaded : &o->computed;
	*last = ready >> 1 > *last ? ready >> 1 : *last;
}

static inline Cycle all_there(Operands o) { return o.loaded > o.computed ? o.loaded : o.computed; }

/* True if all operands are there at cycle `at`: a fast answer, enough for most splits. If it is false,
   when_operands looks more closely: lanes may differ, or have several homes. */
static inline bool are_ready(const Warp *w, const Split *s, const MIns *i, Cycle at)
{
	Cycle latest = 0;
	for (int k = 0; k < i->nchk; k++)
		latest = w->ready[i->sb[k]] > latest ? w->ready[i->sb[k]] : latest;
	return latest >> 1 <= at && !s->parts;
}

/* When operands are there, by a scoreboard with one entry for all lanes. */
static inline Operands warp_operands(const Warp *w, const MIns *i)
{
	Operands o = { 0, 0 };
	for (int k = 0; k < i->nchk; k++)
		add_operand_ready(&o, w->ready[i->sb[k]]);
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
