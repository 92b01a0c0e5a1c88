/* Files that modules, reports and traces name: sources of lines, and modules that are imported. They are read
   below one folder, which the user has named: that of the module on the command line, or that of --source;
   and as lib/file.h says of files that others name. */
#ifndef GSIM_SOURCE_H
#define GSIM_SOURCE_H
#include "lib/arena.h"
#include <stddef.h>

typedef struct SourceRoot {
	const char *module;       /* the file that the user named, which is read as it is named; NULL: none */
	const char *folder;            /* "" is the current one; NULL: nothing but the module is read */
	/* the module's folder as seen from `folder`: "" or with '/' at its end; "" also where it lies
	   elsewhere */
	const char *at;
} SourceRoot;

/* folder: of --source; NULL: the module's. */
SourceRoot source_root(Arena *, const char *module, const char *folder);
/* The text of a source into fresh memory; NULL: there is none that may be read, or it is no text. A compiler
   may have written the name in another folder: as many of its last parts count as lead to a file. */
char *source_text(const SourceRoot *, const char *name, size_t limit, size_t *n);
/* The file `name` as seen from the folder `from`, without "." and ".."; NULL: it leads out of where `from`
   begins, or is absolute. */
const char *source_join(Arena *, const char *from, const char *name);
#endif
