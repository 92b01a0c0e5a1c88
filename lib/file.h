/* Reads and writes whole files. */
#ifndef GSIM_FILE_H
#define GSIM_FILE_H
#include "lib/vec.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads a file into fresh memory, with a 0 byte behind the last; NULL with a reason in *why (static text)
   when the file cannot be read or is larger than limit bytes. A file whose size is known beforehand is
   refused without being read. */
char *file_read(const char *path, size_t limit, size_t *n, const char **why);
/* As file_read, but only an ordinary file is read. A pipe or device is an error; the program does not wait
   for it. */
char *file_read_ordinary(const char *path, size_t limit, size_t *n, const char **why);
/* Why a file of that name cannot be written, as far as can be told without opening it; NULL: no reason is
   known. */
const char *file_refuses(const char *path);
bool file_write(const char *path, const void *, size_t n, const char **why);
bool file_is_folder(const char *path);

/* ---- files that workloads, machine files, modules, reports and traces name ---- Somebody whom the user does
   not trust may have written such a name. So the file must lie in a folder that the user has named or below
   it, must be an ordinary file, no part of its name may begin with a dot, and it is opened part by part
   without following a link. The folder itself may be anything: the user chose it. */

/* Why the name may not be that of a file in a folder, whether there is such a file or not: it is empty,
   absolute, hidden or has a "..". NULL: it may. */
const char *file_name_refused(const char *name);
extern const char file_absent[];               /* the reason that is given when there is no such file */
/* Opens a file for reading; folder "" is the current one. links: symbolic links are followed. -1 with a
   reason (static text). */
int file_open_in(const char *folder, const char *name, bool links, uint64_t *size, const char **why);
/* Reads all n bytes of a file that file_open_in opened into p, and closes it. False, with a reason: it
   failed. */
bool file_fill(int fd, void *p, size_t n, const char **why);
/* As file_read, for a file that file_open_in opens without following links. */
char *file_read_in(const char *folder, const char *name, size_t limit, size_t *n, const char **why);

typedef struct FileId { dev_t device; ino_t inode; } FileId;
/* a Vec of files that this program has written; zero-initialise */
typedef struct FilesWritten { FileId *v; int n, cap; } FilesWritten;
/* Writes a file in a folder, either all n bytes or nothing, and adds it to `own`. An old file of that name is
   replaced only if it is one of `own`, or if `any` is true. False, with a reason: nothing was written. */
bool file_write_in(const char *folder, const char *name, bool any, FilesWritten *own, const void *, size_t n,
	const char **why);
#endif
