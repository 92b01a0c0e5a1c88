/* Events between streams, by which launches in one stream wait for earlier launches in another one, like
   CUDA's cudaEventRecord and cudaStreamWaitEvent. Numbers of streams and events are within STREAM_LIMIT and
   EVENT_LIMIT (isa/ir.h). */
#ifndef GSIM_WAITS_H
#define GSIM_WAITS_H
#include "sim/machine/machine.h"

/* Records the event: it comes when all launches queued in the stream so far have ended; stream 0: those of
   every stream. */
void waits_record(Gpu *, int event, int stream);
/* Launches that are queued in the stream from now on wait for the event as it was recorded last. An event
   that has not been recorded has come. */
void waits_wait(Gpu *, int stream, int event);
/* Called when a grid is queued: adds the grids for which its stream waits to its own list (Grid.events). The
   stream waits for none of them any more. */
void waits_take(Gpu *, Grid *);
void waits_clear(Gpu *);           /* all queued launches have ended: forgets waits and events */
void waits_free(Gpu *);
#endif
