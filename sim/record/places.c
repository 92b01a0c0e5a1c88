#include "sim/record/places.h"
#include "isa/ir.h"
#include "lib/json.h"

PlaceList place_list_of(const Module *m, int list, Arena *a)
{
	PlaceList own;
	own.v = places_list(m, list, a, &own.n);
	return place_list_copy(a, own);
}

PlaceList place_list_copy(Arena *a, PlaceList from)
{
	Loc *v = arena_array(a, Loc, from.n + 1);
	for (int k = 0; k < from.n; k++)
		v[k] = (Loc){ arena_strdup(a, from.v[k].file), from.v[k].line, from.v[k].col };
	return (PlaceList){ v, from.n };
}

void place_list_json(JsonSink *j, const char *key, PlaceList list)
{
	if (!list.n)
		return;
	j->key(j, key);
	j->begin(j, '[', true);
	for (int k = 0; k < list.n; k++) {
		j->begin(j, '{', true);
		json_put_text(j, "file", list.v[k].file);
		json_put_count(j, "line", (uint64_t)list.v[k].line);
		j->end(j);
	}
	j->end(j);
}
