/* Copies of what the points of a plan read: the plan, modules with what they import, workloads, machine files
   and plug-ins. Files that workloads load are not known before they run, and have no copies. */
#ifndef GSIM_SWEEP_INPUTS_COPY_H
#define GSIM_SWEEP_INPUTS_COPY_H
#include "tools/sweep/table.h"

/* Copies the inputs of the points into a folder, which it makes. False: something cannot be read or
   written. */
bool inputs_copy(const Sweep *, const char *folder, Diag *);
/* The name of the copy of a file: "a/b.ir" is "FOLDER/here/a/b.ir", "../b.ir" "FOLDER/up/b.ir", and "/a/b.ir"
   "FOLDER/root/a/b.ir". */
const char *inputs_copy_name(Arena *, const char *folder, const char *path);
/* Where a file is read: its copy, if there is one; folder may be NULL. */
const char *inputs_copy_or_itself(Arena *, const char *folder, const char *path);
/* The name of the copy of a machine file. */
const char *inputs_copy_machine(Arena *, const char *folder, const char *machine);
/* The name of the file that has the name of the file that a kernel's name means. */
const char *inputs_copy_module(Arena *, const char *folder, const char *name);
/* The text with names of originals in place of those of copies. */
const char *inputs_original(Arena *, const char *folder, const char *text);
bool copy_file(const char *from, const char *to, int mode, Diag *);
/* Makes the folders of a path's file. */
bool make_folders(const char *path, Diag *);
#endif
