/* printf of kernels: CUDA's format strings, arguments packed in memory, and the text of assertions. */
#ifndef GSIM_PRINT_H
#define GSIM_PRINT_H
#include "lib/strbuf.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct PrintBuffer {           /* what a launch has printed */
	StrBuf text;
	uint64_t limit;                /* bytes that text may have */
	uint64_t lost;           /* calls that came when it was full: they and all behind them left no text */
} PrintBuffer;

enum { PRINT_ARGS = 32 };              /* of one call at most, of 8 bytes at most */

/* One byte of a thread's generic memory. False: there is none; whoever reads has reported the fault. */
typedef struct PrintReader { void *self; bool (*byte)(void *self, uint64_t addr, uint8_t *); } PrintReader;

/* Prints the arguments as the format asks for, all or nothing; buffer NULL: nowhere. The result is the number
   of arguments taken, -1 when the format's address is 0, -2 when the format or a string is too long. Depends
   on the memory alone, not on the buffer. False: a fault. */
bool print_format(PrintBuffer *, const PrintReader *, uint64_t format, uint64_t args, int32_t *result);

/* addresses of strings */
typedef struct Assertion { uint64_t message, file, function; uint32_t line; } Assertion;
/* "file:line: function: block: [x,y,z], thread: [x,y,z] Assertion `message` failed."; false: a fault. */
bool print_assertion(const Assertion *, const PrintReader *, const uint32_t ctaid[3], const uint32_t tid[3],
	StrBuf *);
#endif
