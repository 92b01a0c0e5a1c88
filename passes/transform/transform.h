/* The tables of all passes; each pass has a file or a folder.

   passes/transform/ may include passes/, isa/ and lib/. */
#ifndef GSIM_TRANSFORM_H
#define GSIM_TRANSFORM_H
#include "passes/pass.h"

#define PASS(NAME) extern const Pass pass_##NAME;
#include "passes/transform/passes.def"
#undef PASS
#endif
