/* Kinds of hostile text for tests/fuzz.c: NULL, or what is wrong with how it was taken. They write into the current directory. */
#ifndef FUZZ_FRONT_H
#define FUZZ_FRONT_H
#include <stdbool.h>
#include <stddef.h>

const char *fuzz_config(const char *, size_t);    /* a machine file */
const char *fuzz_workload(const char *, size_t);  /* a workload of kernel loop(u64 out, u32 rounds) */
const char *fuzz_json(const char *, size_t);      /* a report for gsim-compare */
const char *fuzz_trace(const char *, size_t);     /* an unpacked trace */
bool fuzz_unpack_trace(char **, size_t *n);       /* replaces a trace by its unpacked form; false: there is nothing in it */
#endif
