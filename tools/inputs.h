/* What the programs read besides the module. */
#ifndef GSIM_INPUTS_H
#define GSIM_INPUTS_H
#include "lib/diag.h"
#include "passes/analysis/cost.h"

const char *hash_of_file(Arena *, const char *path);   /* 16 hexadecimal digits; NULL: it cannot be read */
/* The profile that passes get. NULL with an error where it cannot be had; a warning where it speaks of
   another file than the module (module_hash NULL: nobody knows), whose other_code it sets then. */
Profile *profile_of_file(Arena *, const char *path, const char *module, const char *module_hash, Diag *);
#endif
