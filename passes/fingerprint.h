/* What a function says, as two numbers: they are equal before and after a pass that changed nothing. */
#ifndef GSIM_FINGERPRINT_H
#define GSIM_FINGERPRINT_H
#include "isa/ir.h"

/* graph: blocks and edges alone */
typedef struct Fingerprint { unsigned long long code, graph; } Fingerprint;
Fingerprint fingerprint(const Function *);
#endif
