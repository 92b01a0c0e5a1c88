/* Whole files. */
#ifndef GSIM_FILE_H
#define GSIM_FILE_H
#include <stdbool.h>
#include <stddef.h>

/* Reads a file into fresh memory, with a 0 byte behind the last; NULL with a reason in *why (static text) when it
   cannot be read or is larger than limit bytes. */
char *file_read(const char *path, size_t limit, size_t *n, const char **why);
/* Why it cannot be written, as far as that shows without touching it, or NULL. */
const char *file_refuses(const char *path);
bool file_write(const char *path, const void *, size_t n, const char **why);
#endif
