/* Reads files that modules, reports and traces name: sources of lines, and modules that are imported. They
   are read only below one folder that the user has named: the folder of the module on the command line, or
   that of --source. The rules of lib/file.h for files that others name hold for them. */
#ifndef GSIM_SOURCE_H
#define GSIM_SOURCE_H
#include "lib/arena.h"
#include <stddef.h>

typedef struct SourceRoot {
	const char *module;       /* the file that the user named, which is read as it is named; NULL: none */
	const char *folder;            /* "" is the current one; NULL: nothing but the module is read */
	/* the module's folder as seen from `folder`: "" or with '/' at its end; "" also if it does not lie
	   below `folder` */
	const char *at;
} SourceRoot;

/* folder: the folder of --source; NULL: sources are read below the module's folder. */
SourceRoot source_root(Arena *, const char *module, const char *folder);
/* Reads the text of a source into fresh memory. NULL: there is none that may be read, or it is no text. Since
   a compiler may have written the name on another machine or in another folder, first the whole name is
   tried, then the name without its first part, and so on, until one leads to a file, each below the folder
   and beside the module. */
char *source_text(const SourceRoot *, const char *name, size_t limit, size_t *n);
/* The file `name` as seen from the folder `from`, without "." and ".."; NULL: it leads out of where `from`
   begins, or is absolute. */
const char *source_join(Arena *, const char *from, const char *name);
#endif
