/* Events between streams: what is launched in one stream waits for what has been launched in another. Like
   CUDA's cudaEventRecord and cudaStreamWaitEvent. Numbers are within STREAM_LIMIT and EVENT_LIMIT
   (isa/ir.h). */
#ifndef GSIM_WAITS_H
#define GSIM_WAITS_H
#include "sim/machine/machine.h"

/* the event comes when all that has been queued in the stream has ended; stream 0: all of every stream */
void waits_record(Gpu *, int event, int stream);
/* what is queued in the stream from now on waits for the event as it is now; one not recorded has come */
void waits_wait(Gpu *, int stream, int event);
void waits_take(Gpu *, Grid *);                     /* for a grid that is queued: what its stream waits for */
void waits_clear(Gpu *);                               /* all that was queued has ended */
void waits_free(Gpu *);
#endif
