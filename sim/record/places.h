/* Lists of places in the source, as the records of a launch keep them. */
#ifndef GSIM_PLACES_H
#define GSIM_PLACES_H
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/strbuf.h"

struct JsonSink;
struct Module;

typedef struct PlaceList { const Loc *v; int n; } PlaceList;     /* without files or lines that are unknown */

/* of Module.place (isa/ir.h); the texts are copied */
PlaceList place_list_of(const struct Module *, int list, Arena *);
PlaceList place_list_copy(Arena *, PlaceList);
/* "key": [ { "file", "line" } ]; nothing for an empty list */
void place_list_json(struct JsonSink *, const char *key, PlaceList);
#endif
