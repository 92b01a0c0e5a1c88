/* printf of kernels: CUDA's format strings, arguments packed in memory, and the text of assertions. */
#ifndef GSIM_PRINT_H
#define GSIM_PRINT_H
#include "lib/strbuf.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct PrintBuffer {           /* what a launch has printed */
	StrBuf text;
	uint64_t limit;                /* bytes that text may have */
	/* calls of printf that found it full; they and all calls behind them have left no text */
	uint64_t lost;
} PrintBuffer;

enum { PRINT_ARGS = 32 };              /* most arguments of one call, each of 8 bytes at most */

/* Reads one byte of a thread's generic memory. False: there is none at the address; the function has reported
   the fault. */
typedef struct PrintReader { void *self; bool (*byte)(void *self, uint64_t addr, uint8_t *); } PrintReader;

/* Prints the arguments as the format asks for, all or nothing; buffer NULL: prints nowhere. *result: the
   number of arguments taken, -1 when the format's address is 0, -2 when the format or a string is too long;
   it depends on the memory alone, not on the buffer. False: a fault. */
bool print_format(PrintBuffer *, const PrintReader *, uint64_t format, uint64_t args, int32_t *result);

/* an assertion that failed: addresses of strings, and the line */
typedef struct Assertion { uint64_t message, file, function; uint32_t line; } Assertion;
/* Prints "file:line: function: block: [x,y,z], thread: [x,y,z] Assertion `message` failed."; false: a
   fault. */
bool print_assertion(const Assertion *, const PrintReader *, const uint32_t ctaid[3], const uint32_t tid[3],
	StrBuf *);
#endif
