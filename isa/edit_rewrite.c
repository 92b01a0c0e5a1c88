/* Writes a block's list of instructions anew. */
#include "isa/edit.h"

const Ins *edit_rewrite(Rewrite *w, Edit *e, Block *b)
{
	*w = (Rewrite){ .e = e, .b = b, .n = b->ins.n };
	w->old = xmalloc(sizeof *w->old * (size_t)(w->n + 1));
	if (w->n)
		memcpy(w->old, b->ins.v, sizeof *w->old * (size_t)w->n);
	b->ins.n = 0;
	return edit_next(w);
}

const Ins *edit_next(Rewrite *w)
{
	Function *f = w->e->f;
	w->lost = function_marks(f, w->lost, w->held);
	w->held = 0;
	if (w->at < w->n) {
		w->held = w->old[w->at].mark;
		return &w->old[w->at++];
	}
	if (w->lost && w->b->ins.n)
		vec_last(&w->b->ins).mark = function_marks(f, vec_last(&w->b->ins).mark, w->lost);
	free(w->old);
	if (w->changed || w->b->ins.n != w->n)
		edit_touch_code(w->e->f);
	return NULL;
}

void edit_put(Rewrite *w, Ins i)
{
	if (w->held && i.mark == w->held)
		w->held = 0;
	if (w->lost) {
		i.mark = function_marks(w->e->f, w->lost, i.mark);
		w->lost = 0;
	}
	w->changed = w->changed || w->b->ins.n >= w->n || !ins_equal(&i, &w->old[w->b->ins.n]);
	vec_push(&w->b->ins, i);
}

/* The marks stay at the new instruction: at the next one they would read the registers that the new one has
   written. */
void edit_put_instead(Rewrite *w, Ins i)
{
	i.mark = w->held;
	edit_put(w, i);
}

void edit_put_marked(Rewrite *w, Ins i)
{
	w->held = 0;
	edit_put(w, i);
}
