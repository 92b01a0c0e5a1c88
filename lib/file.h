/* Whole files. */
#ifndef GSIM_FILE_H
#define GSIM_FILE_H
#include "lib/vec.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads a file into fresh memory, with a 0 byte behind the last; NULL with a reason in *why (static text)
   when it cannot be read or is larger than limit bytes: a file that has a size is refused by it, unread. */
char *file_read(const char *path, size_t limit, size_t *n, const char **why);
/* The same of an ordinary file alone: nothing else is waited for or read. */
char *file_read_ordinary(const char *path, size_t limit, size_t *n, const char **why);
/* Why it cannot be written, as far as that shows without touching it, or NULL. */
const char *file_refuses(const char *path);
bool file_write(const char *path, const void *, size_t n, const char **why);
bool file_is_folder(const char *path);

/* ---- files that others name: workloads, machine files, modules, reports, traces ---- Somebody else may have
   written the name. What it leads to lies in a folder that the user has named or below it, is an ordinary
   file, has no name that begins with a dot in any part, and is reached part by part without following a link.
   The folder itself may be anything: the user chose it. */

/* Why a name cannot stand for a file in a folder, whether that exists or not: it is empty, absolute, hidden
   or has a "..". NULL: it can. */
const char *file_name_refused(const char *name);
extern const char file_absent[];               /* the reason when there is no such file */
/* Opens a file for reading; folder "" is the current one. links: symbolic links are followed. -1 with a
   reason (static text). */
int file_open_in(const char *folder, const char *name, bool links, uint64_t *size, const char **why);
/* All n bytes of a file that was opened so, into p; closes it. */
bool file_fill(int fd, void *p, size_t n, const char **why);
/* As file_read, of such a file. */
char *file_read_in(const char *folder, const char *name, size_t limit, size_t *n, const char **why);

typedef struct FileId { dev_t device; ino_t inode; } FileId;
/* a Vec: files that were written here; zero-initialise */
typedef struct FilesWritten { FileId *v; int n, cap; } FilesWritten;
/* Writes a file, all of it or nothing. What stands there is replaced only if it is one of `own`, or with
   `any`; `own` then has the new one. */
bool file_write_in(const char *folder, const char *name, bool any, FilesWritten *own, const void *, size_t n,
	const char **why);
#endif
