/* Two hashes of what a function contains: a pass that changes nothing leaves both as they were. */
#ifndef GSIM_FINGERPRINT_H
#define GSIM_FINGERPRINT_H
#include "isa/ir.h"

/* graph: of blocks, with their labels, and edges; code: of instructions and the number of registers */
typedef struct Fingerprint { unsigned long long code, graph; } Fingerprint;
Fingerprint fingerprint(const Function *);
#endif
