#include "sim/gpu/waits.h"

/* An event comes when, of the first `before` grids of the queue, those of the stream have ended (stream 0:
   all of them); before 0: it has come. */
typedef struct StreamEvent { int stream, before; } StreamEvent;
typedef struct StreamWaits {
	StreamEvent event[EVENT_LIMIT];
	/* the grids for which the next grid of the stream waits, besides those before it in the stream */
	struct { Vec(Grid *) grid; } stream[STREAM_LIMIT + 1];
} StreamWaits;

static StreamWaits *waits_of(Gpu *g)
{
	if (!g->waits)
		g->waits = xcalloc(1, sizeof *g->waits);
	return g->waits;
}

void waits_record(Gpu *g, int event, int stream)
{
	waits_of(g)->event[event] = (StreamEvent){ stream, g->queue.n };
}

/* Lists only grids whose end implies that of all others. For an event of one stream that is the latest grid
   of that stream or of the default stream. For an event of stream 0 it is the latest grid of each stream,
   back to the latest grid of the default stream, which ends after all older ones. */
void waits_wait(Gpu *g, int stream, int event)
{
	StreamWaits *w = waits_of(g);
	const StreamEvent *e = &w->event[event];
	bool seen[STREAM_LIMIT + 1] = { false };
	if (!stream)               /* the default stream waits for all grids anyway */
		return;
	for (int i = e->before - 1; i >= 0; i--) {
		Grid *x = g->queue.v[i];
		if ((e->stream && x->stream && x->stream != e->stream) || seen[x->stream])
			continue;
		seen[x->stream] = true;
		vec_push(&w->stream[stream].grid, x);
		if (!x->stream || e->stream)
			return;
	}
}

void waits_take(Gpu *g, Grid *x)
{
	for (int i = 0; g->waits && i < g->waits->stream[x->stream].grid.n; i++)
		vec_push(&x->events, g->waits->stream[x->stream].grid.v[i]);
	if (g->waits)
		vec_clear(&g->waits->stream[x->stream].grid);
}

void waits_clear(Gpu *g)
{
	for (int i = 0; g->waits && i <= STREAM_LIMIT; i++)
		vec_clear(&g->waits->stream[i].grid);
	for (int i = 0; g->waits && i < EVENT_LIMIT; i++)
		g->waits->event[i] = (StreamEvent){ 0 };
}

void waits_free(Gpu *g)
{
	for (int i = 0; g->waits && i <= STREAM_LIMIT; i++)
		vec_free(&g->waits->stream[i].grid);
	free(g->waits);
}
