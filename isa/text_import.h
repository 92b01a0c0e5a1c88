/* Module files that import others: import "gaussian.ptx" in the text form. */
#ifndef GSIM_TEXT_IMPORT_H
#define GSIM_TEXT_IMPORT_H
#include "isa/ir.h"
#include "lib/source.h"

enum { IMPORT_DEPTH = 8, IMPORT_FILES = 1024, TEXT_LIMIT = 512 << 20 /* bytes, of all files together */ };

/* What has been read for one module so far, over all its files, and the folder below which imports are
   read. */
typedef struct ImportReading { uint64_t bytes; int files; SourceRoot root; } ImportReading;

/* A file that is being read. by: the file that imports it; NULL: it is the one that the user named. */
typedef struct ImportSource {
	const struct ImportSource *by;
	const char *path;              /* path of the file, for messages and for places in it */
	const char *inside;            /* the path as seen from the root's folder */
	int depth;
	ImportReading *all;
} ImportSource;

/* isa/read.c: reads the file of the source, whatever its form. at: the place at which it is reported that the
   file cannot be read. NULL after errors. */
Module *source_read(const ImportSource *, Loc at, Diag *);
/* isa/text_read.c: reads a text that comes from the file of the source. source NULL: the text does not come
   from a file, and may not import anything. Returns NULL after errors. */
Module *ir_read_source(const char *text, size_t n, const char *path, const ImportSource *, Diag *);

/* isa/module_join.c: `to` takes all that `from` has, and `from` is freed. What both declare extern is one; a
   function that one of them declares and the other one defines is defined. place: where `from` is imported,
   for errors. false: reported, and `to` is of no use any more. */
bool module_join(Module *to, Module *from, Loc place, Diag *);
#endif
