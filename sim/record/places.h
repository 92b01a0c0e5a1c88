/* Lists of places in the source, as the records of a launch keep them. */
#ifndef GSIM_PLACES_H
#define GSIM_PLACES_H
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/strbuf.h"

struct JsonSink;
struct Module;

typedef struct PlaceList { const Loc *v; int n; } PlaceList;     /* places whose file and line are known */

/* The list with this number in Module.place (isa/ir.h). All texts are copied into the arena. */
PlaceList place_list_of(const struct Module *, int list, Arena *);
PlaceList place_list_copy(Arena *, PlaceList);
/* Writes "key": [ { "file", "line" } ]; writes nothing if the list is empty. */
void place_list_json(struct JsonSink *, const char *key, PlaceList);
#endif
