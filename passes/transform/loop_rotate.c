/* loop-rotate: makes a loop that tests at its top test at its bottom, with a copy of the test on the way in.
 *
 * requires  loops
 * keeps     the loop's blocks, with their labels; the old header comes to stand behind the last block that
 *           goes back
 * breaks    everything made from the graph
 *
 * The header is copied; all ways into the loop lead to the copy, and the ways back to the header itself,
 * which is the loop's last block then. A turn executes one jump less. Left alone: loops with several ways in,
 * loops that leave at the bottom already, headers with operations that threads execute together or with calls
 * (those who enter and those who go on would no longer meet in them), loops in which a thread may wait for
 * what others do (likewise; passes/analysis/waits.h), and headers larger than `size`. */
#include "isa/edit.h"
#include "passes/analyses.h"
#include "passes/constants.h"
#include "passes/transform/transform.h"

typedef struct Rotate {
	PassRun *r;
	Edit e;
	Arena arena;
	const Cfg *c;
	const Loops *loops;
	const Waits *waits;
	/* by block: its copy in front of the loop, or NULL; the map that edit_clone uses */
	Block **copy, **map;
	BitSet named;                  /* reconvergence points that the source asks for */
	/* the headers that have been rotated, and behind which block each will stand */
	Vec(Block *) header, last;
} Rotate;

static bool leaves_loop(const Rotate *w, const Loop *l, int b)
{
	const IntList *s = &w->c->graph->succ[b];
	for (int k = 0; k < s->n; k++)
		if (!loop_has(w->c, l, s->v[k]))
			return true;
	return false;
}

static bool stays_in_loop(const Rotate *w, const Loop *l, int b)
{
	const IntList *s = &w->c->graph->succ[b];
	for (int k = 0; k < s->n; k++)
		if (loop_has(w->c, l, s->v[k]) && s->v[k] != l->header)
			return true;
	return false;
}

/* Returns why the loop stays as it is, or NULL. */
static const char *refuse_rotation(Rotate *w, const Loop *l)
{
	WaitPlace wait;
	const Block *h = w->r->f->block.v[l->header];
	if (!l->reducible)
		return "it has several ways in";
	if (!leaves_loop(w, l, l->header) || !stays_in_loop(w, l, l->header))
		return "it does not test at its top";
	for (int k = 0; k < l->latch.n; k++)
		if (leaves_loop(w, l, l->latch.v[k]))
			return "it tests at its bottom";
	if (waits_within(w->waits, (int)(l - w->loops->loop), &wait))
		return waits_text(&w->arena, &wait);
	if (bs_has(w->named, h->id))
		return "a branch asks to reconverge at its top";
	if (h->ins.n - 1 > w->r->option[0].number)
		return "its header is larger than size allows";
	for (int k = 0; k < h->ins.n; k++) {
		Effects e = ins_effects(analysis_effects(w->r->an), &h->ins.v[k]);
		if (e.convergent || op_info[h->ins.v[k].op].kind == K_CALL)
			return "its header has operations that threads execute together";
	}
	return NULL;
}

/* Rotates the loop. Where the header of another loop leads into this one, a copy of that header does
   so, too. */
static void rotate(Rotate *w, const Loop *l)
{
	Block *h = w->r->f->block.v[l->header], *copy;
	const IntList *pred = &w->c->graph->pred[h->id];
	int last = 0;
	edit_clone(&w->e, spot_before(h), &h, 1, w->map, NULL, "_enter");
	copy = w->copy[h->id] = w->map[h->id];
	w->map[h->id] = NULL;
	for (int k = 0; k < pred->n; k++) {
		if (loop_has(w->c, l, pred->v[k]))
			continue;
		edit_retarget(&w->e, w->r->f->block.v[pred->v[k]], h, copy);
		if (w->copy[pred->v[k]])
			edit_retarget(&w->e, w->copy[pred->v[k]], h, copy);
	}
	for (int k = 0; k < l->latch.n; k++)
		last = l->latch.v[k] > last ? l->latch.v[k] : last;
	vec_push(&w->header, h);
	vec_push(&w->last, w->r->f->block.v[last]);
}

/* A copy has its header's place in the text, which matters where that is the function's entry; the header now
   goes behind the last block that goes back. Inner loops come first: that block may be the header of one. */
static void move_headers(Rotate *w)
{
	while (w->header.n)
		edit_move(&w->e, vec_pop(&w->header), spot_behind(vec_pop(&w->last)));
}

static bool run(PassRun *r)
{
	Rotate w = { .r = r, .e = edit_open(r->m, r->f, r->origin), .c = analysis_cfg(r->an),
		.loops = analysis_loops(r->an) };
	w.waits = analysis_waits(r->an);
	w.copy = arena_array(&w.arena, Block *, w.c->n);
	w.map = arena_array(&w.arena, Block *, w.c->n);
	w.named = edit_named(&w.arena, r->f);
	for (int i = 0; i < w.loops->n; i++) {
		const Loop *l = &w.loops->loop[i];
		const Block *h = r->f->block.v[l->header];
		const char *why = refuse_rotation(&w, l);
		if (why)
			pass_remark(r, h->loc, "the loop at %s stays: %s", h->label, why);
		else if (pass_may_change(r, h->loc, "the loop at %s rotated", h->label))
			rotate(&w, l);
	}
	int rotated = w.header.n;
	move_headers(&w);
	edit_close(&w.e);
	vec_free(&w.header);
	vec_free(&w.last);
	arena_free(&w.arena);
	pass_count(r, "loops rotated", rotated);
	return rotated > 0;
}

static const PassOption options[] = {
	{ "size", ROTATE_SIZE, 0, 1000, "instructions that a header may have", PASS_NUMBER, NULL },
};

const Pass pass_loop_rotate = {
	.name = "loop-rotate",
	.idle = "no loop tests at its top",
	.help = "test loops at the bottom, behind a copy of the test in front of them",
	.options = options, .noptions = 1,
	.function = run,
};
