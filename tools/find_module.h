/* Modules as a command line names them: files, or kernels that came with gsim, by their names alone. */
#ifndef GSIM_FIND_MODULE_H
#define GSIM_FIND_MODULE_H
#include "lib/diag.h"
#include "lib/strbuf.h"

/* The file that `name` means. A file of that name comes first, then, where the name has no ending, one in the
   same place with .ir, .ptx or .gso, of which there may be one. Behind these, kernels: in the folders of
   $GSIM_PATH, their folders kernels/, and kernels/ beside those that are called configs; among the installed
   ones; and in ./kernels. There, short_circuit is short_circuit/short_circuit.ir, rather than .ptx,
   bench/blocks is bench/blocks.ptx, and so is blocks, since no other folder has one. *folder is the
   folder of such a kernel, below which it imports; NULL for a file. NULL with an error: there is none, or
   several. */
const char *find_module_file(Arena *, const char *name, const char **folder, Diag *);
/* As find_module_file, but for kernels alone. */
const char *find_kernel_file(Arena *, const char *name, const char **folder, Diag *);
enum { MODULE_ENDINGS = 3 };
extern const char *const module_ending[MODULE_ENDINGS]; /* with their dots, in the order of preference */
/* Every kernel that can be named so, and its file, a line each. False: no folder has any. */
bool list_kernel_files(StrBuf *);
/* Where kernels are looked for, for messages. */
extern const char *const list_kernel_folders;
#endif
