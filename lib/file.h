/* Whole files. */
#ifndef GSIM_FILE_H
#define GSIM_FILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a file into fresh memory, with a 0 byte behind the last; NULL with a reason in *why (static text) when it
   cannot be read or is larger than limit bytes: a file that has a size is refused by it, unread. */
char *file_read(const char *path, size_t limit, size_t *n, const char **why);
/* The same of an ordinary file alone: nothing else is waited for or read. */
char *file_read_ordinary(const char *path, size_t limit, size_t *n, const char **why);
bool file_same(const char *a, const char *b);  /* both paths lead to one file */
/* Why it cannot be written, as far as that shows without touching it, or NULL. */
const char *file_refuses(const char *path);
bool file_write(const char *path, const void *, size_t n, const char **why);
bool file_is_folder(const char *path);

/* ---- files that scripts name: ordinary ones in a folder or below it ---- */

/* Why a name cannot stand for a file in a folder, whether that exists or not: it is empty, absolute or has a "..". NULL: it can. */
const char *file_name_refused(const char *name);
extern const char file_absent[];               /* the reason when there is no such file */
/* Opens a file for reading; folder "" is the current one. links: symbolic links are followed. -1 with a reason (static text). */
int file_open_in(const char *folder, const char *name, bool links, uint64_t *size, const char **why);
/* All n bytes of a file that was opened so, into p; closes it. */
bool file_fill(int fd, void *p, size_t n, const char **why);
/* Writes a file, all of it or nothing. */
bool file_write_in(const char *folder, const char *name, const void *, size_t n, const char **why);
#endif
