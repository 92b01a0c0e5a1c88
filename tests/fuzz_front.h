/* Kinds of hostile text for tests/fuzz.c: NULL, or what is wrong with how it was taken. They write into the current directory. */
#ifndef FUZZ_FRONT_H
#define FUZZ_FRONT_H
#include <stddef.h>

const char *fuzz_config(const char *, size_t);    /* a machine file */
const char *fuzz_workload(const char *, size_t);  /* a workload of kernel loop(u64 out, u32 rounds) */
const char *fuzz_json(const char *, size_t);      /* a report for gsim-compare */
#endif
