/* Records a workload's calls as a host function in the text of the module: one statement after the other,
   except that sequences of statements that repeat exactly become loops. */
#ifndef GSIM_RECORD_HOST_H
#define GSIM_RECORD_HOST_H
#include "isa/launch.h"
#include "lib/diag.h"
#include "lib/strbuf.h"

typedef struct Recorder Recorder;
struct Run;

Recorder *record_open(const struct Run *);
/* here and below, the recorder may be NULL: nothing is recorded */
void record_close(Recorder *);
/* Records that the host has made a buffer; buffer: its index in run->buffer. */
void record_buffer(Recorder *, int buffer);
/* Records that the host has written n bytes of elements of the type, at an offset in bytes of a buffer; data:
   these bytes. */
void record_write(Recorder *, int buffer, Type, uint64_t offset, const uint8_t *data, uint64_t n);
void record_launch(Recorder *, const Launch *, int stream, Loc where);
/* Records gpu.wait(first, second), or without `wait` gpu.record(first, second). */
void record_order(Recorder *, bool wait, int first, int second);
void record_sync(Recorder *);                               /* the host waits for all launches */
/* the host empties caches: only warns, as there is no such statement */
void record_flush(Recorder *, Loc where);
/* Writes the module's text with the recording as its host function main. False: something that the workload
   did cannot be recorded; diag has errors. */
bool record_finish(Recorder *, StrBuf *, Diag *);
#endif
