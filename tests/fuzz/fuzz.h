/* Fuzzing: what is fed to each part of the simulator that takes input, and what must hold. One driver for
 * each target, shared by the test suite (deterministic mutations, mutate.c), by AFL++ (main.c), and by who
 * looks at a finding. */
#ifndef FUZZ_H
#define FUZZ_H
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "tests/random.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Bytes { char *p; size_t n; } Bytes;
typedef Vec(Bytes) Corpus;

/* What an input may take, host time without what other processes use. */
enum { CASE_SECONDS = 10, CASE_MIB = 600, MOST_BYTES = 1 << 20 };

typedef struct Target {
	const char *name, *help;
	const char *const *seeds;   /* folders and files of the source tree, searched below; ends with NULL */
	const char *extension;                 /* of the seeds in folders */
	/* a seed file becomes an input; may be NULL; false: it is no seed */
	bool (*prepare)(Bytes *, const char *path);
	bool (*make)(Corpus *);                /* seeds that no file holds; may be NULL */
	const char *(*run)(const char *, size_t);        /* NULL, or what is wrong */
	/* of tables, for the dictionary; may be NULL */
	void (*words)(void (*word)(void *, const char *), void *self);
	bool text;                             /* the words of the seeds belong into the dictionary, too */
	unsigned smoke;                        /* mutations that the test suite tries */
} Target;
extern const Target fuzz_targets[];            /* ends with name NULL */
const Target *fuzz_target(const char *name);   /* NULL when there is none */

/* ---- the drivers ---- */
const char *fuzz_ir(const char *, size_t);
/* IR text in a file, with others around it that it may import */
const char *fuzz_import(const char *, size_t);
const char *fuzz_ptx(const char *, size_t);
const char *fuzz_elf(const char *, size_t);
bool fuzz_make_object(Bytes *, const char *path);      /* an object file from IR text */
const char *fuzz_launch(const char *, size_t);         /* IR text whose kernels run */
const char *fuzz_reduce(const char *, size_t);         /* IR text that is made smaller */
const char *fuzz_machine(const char *, size_t);
const char *fuzz_options(const char *, size_t);        /* lines: m MECHANISM, p PIPELINE, others KEY=VALUE */
const char *fuzz_workload(const char *, size_t);
const char *fuzz_json(const char *, size_t);
const char *fuzz_trace(const char *, size_t);          /* an unpacked trace */
bool fuzz_unpack_trace(Bytes *, const char *path);
const char *fuzz_run(const char *, size_t);
bool fuzz_make_options(Corpus *);
bool fuzz_make_runs(Corpus *);

/* ---- around.c ---- */
/* The folder in which a module lies, made once for the process; NULL: it cannot be made. */
const char *around_folder(void);
bool around_holds_secret(const char *, size_t);        /* of what may not be read there */
/* What a target has done there that it may not, or NULL; the folder is then as it was, but for the file
   `own`. full: as below. */
const char *around_changed(const char *own, bool full);
/* From now on files can be written up to a kilobyte only, as on a disk that is full; or as ever again. */
void around_full_disk(bool full);

/* A file of these bytes that has a path, yet no name in any folder: nothing stays when the process dies. The
   same file each time. NULL when there can be none. */
const char *fuzz_file(const char *, size_t);
/* A number from all of the bytes: what an input does not say itself is chosen by it. */
uint32_t fuzz_hash(const char *, size_t);

/* ---- mutate.c ---- */
void corpus_read(Corpus *, const Target *, const char *srcdir);
void corpus_free(Corpus *);
/* always the same one; the first are the seeds themselves */
Bytes mutant(const Corpus *, uint64_t seed, uint64_t number);

/* ---- words.c ---- */
void fuzz_dictionary(const Target *, const Corpus *, FILE *);  /* in AFL's format */
void words_of_operations(void (*word)(void *, const char *), void *self);
void words_of_keys(void (*word)(void *, const char *), void *self);
#endif
