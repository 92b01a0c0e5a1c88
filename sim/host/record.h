/* A workload's calls as a host function of the module's text: straight on, with what repeats exactly rolled
   into loops. */
#ifndef GSIM_RECORD_HOST_H
#define GSIM_RECORD_HOST_H
#include "isa/launch.h"
#include "lib/diag.h"
#include "lib/strbuf.h"

typedef struct Recorder Recorder;
struct Run;

Recorder *record_open(const struct Run *);
void record_close(Recorder *);               /* may be NULL; so may the recorder below: nothing is recorded */
void record_buffer(Recorder *, int buffer);                 /* made now; its place in run->buffer */
/* The host has written n bytes at the offset; data: what is there now. type: of the elements. */
void record_write(Recorder *, int buffer, Type, uint64_t offset, const uint8_t *data, uint64_t n);
void record_launch(Recorder *, const Launch *, int stream, Loc where);
void record_order(Recorder *, bool wait, int first, int second); /* record and wait, with their operands */
void record_sync(Recorder *);                               /* the host waits for all launches */
void record_flush(Recorder *, Loc where);                   /* of caches: no statement says so */
/* The module with the host function main. False: something cannot be said, with errors in diag. */
bool record_finish(Recorder *, StrBuf *, Diag *);
#endif
