/* Results of a sweep: a folder of files that are only appended to, with a record of a point in each line, as
   JSON. Every process writes a file of its own, so that nobody waits for anybody, whoever runs them and
   where. A line that was not written to its end is no record.

   {"key": "...", "point": {"module": "...", ...}, "status": "ok", "message": null,
    "files": [{"file": "...", "hash": "..."}], "results": "...", "statistics": {...}, "check": "..."}
   status: ok, failed (the simulated program failed), bad input, crashed or timed out (the process that ran
   the point). files: those that the workload loaded; once one of them has another content, or cannot be
   read, the line counts no longer. check: a hash of the line in front of it; a line that does not have it is
   no record. */
#ifndef GSIM_SWEEP_RESULTS_H
#define GSIM_SWEEP_RESULTS_H
#include "lib/diag.h"
#include "lib/hash.h"
#include "lib/json.h"
#include "tools/sweep/runner.h"

/* Where the record of a point lies. said: a hash of how it ended and of what was measured. */
typedef struct RecordPlace { char key[POINT_KEY]; bool ok; int file; uint64_t offset, said; uint32_t bytes; }
	RecordPlace;

typedef struct FileNow { char hash[17]; } FileNow;     /* of a file's content; "": it cannot be read */

/* What lies in a folder of results; zero-initialise. Records stay in their files. */
typedef struct Results {
	Arena arena;
	const char *folder;
	Vec(const char *) file;        /* names in the folder, sorted */
	Vec(RecordPlace) record;       /* sorted by key, one of each: one that is ok, if there is one */
	int broken;                    /* lines that are no records */
	int outdated;                  /* records of files that have another content now */
	Vec(FileNow) now;              /* of the files that records name */
	StrMap now_at;                 /* place in `now`, by the file's path */
	int disagree;                  /* points with two records that are ok and say different things */
} Results;

/* Reads the folder, which is made if it is not there. False: it cannot be. */
bool results_open(Results *, const char *folder, Diag *);
/* Reads the files again, after others have written. */
bool results_reload(Results *, Diag *);
const RecordPlace *results_find(const Results *, const char *key);    /* NULL: there is none */
/* The record's line, from malloc; NULL: its file has gone. */
char *results_read(const Results *, const RecordPlace *);
void results_free(Results *);

/* A new file of the folder, for the records of this process. -1: there is none, and diag says why. */
int results_create(const char *folder, Diag *);
/* Ends a record, which lacks its last brace, with its check and a newline. */
void results_seal(StrBuf *record);
/* Appends a record at once. */
bool results_append(int fd, const StrBuf *record);
#endif
