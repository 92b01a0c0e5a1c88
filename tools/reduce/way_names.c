#include "tools/reduce/edits.h"
#include "tools/reduce/ways.h"
#include "isa/edit.h"

int whole_place(const Module *m) { return 1; }

/* ---- attributes ---- */

enum { ATTRIBUTES = 3 };               /* .maxntid, .reqntid, .minnctapersm */

int attributes_places(const Module *m) { return ATTRIBUTES * m->func.n; }

static bool drop_attribute(Function *f, int which)
{
	uint32_t *size = which ? f->reqntid : f->maxntid;
	if (which == 2) {
		bool had = f->minnctapersm != 0;
		f->minnctapersm = 0;
		return had;
	}
	bool any = size[0] || size[1] || size[2];
	size[0] = size[1] = size[2] = 0;
	return any;
}

bool attributes_drop(Module *m, int from, int to)
{
	bool any = false;
	for (int p = from; p < to && p < attributes_places(m); p++)
		any |= drop_attribute(m->func.v[p / ATTRIBUTES], p % ATTRIBUTES);
	return any;
}

/* ---- marks and places ---- */

/* The blocks there are now count as the source's. */
bool marks_reset(Module *m, int from, int to)
{
	for (int k = 0; k < m->func.n; k++) {
		Function *f = m->func.v[k];
		for (int b = 0; b < f->block.n; b++) {
			f->block.v[b]->user = !label_is_fresh(f->block.v[b]->label);
			f->block.v[b]->origin = 0;
			f->block.v[b]->reconverge = NULL;
		}
		if (f->block.n)
			function_mark_blocks(m, f);
	}
	return true;
}

static void forget_place(Ins *i)
{
	i->file = 0;
	i->origin = 0;
	i->line = i->col = i->melded = i->inlined = 0;
}

bool places_drop(Module *m, int from, int to)
{
	for (int k = 0; k < m->symbol.n; k++)
		m->symbol.v[k]->loc = (Loc){ 0 };
	for (int f = 0; f < m->func.n; f++) {
		m->func.v[f]->loc = (Loc){ 0 };
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			m->func.v[f]->block.v[b]->loc = (Loc){ 0 };
	}
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			for (int k = 0; k < m->func.v[f]->block.v[b]->ins.n; k++)
				forget_place(&m->func.v[f]->block.v[b]->ins.v[k]);
	m->file.n = 1;
	m->origin.n = 1;
	m->place.n = m->place.n ? 1 : 0;
	return true;
}

/* ---- registers ---- */

typedef struct RegisterMap { Function *f; int *to; bool find; } RegisterMap;

static void map_register(RegisterMap *map, int32_t *reg)
{
	if (map->find)
		map->to[*reg] = 1;
	else
		*reg = map->to[*reg];
}

static void map_registers(RegisterMap *map)
{
	Function *f = map->f;
	for (int k = 0; k < f->arg.n; k++)
		map_register(map, &f->arg.v[k]);
	for (int k = 0; k < f->ret.n; k++)
		map_register(map, &f->ret.v[k]);
	for (int k = 0; k < f->mark.n; k++)
		if (f->mark.v[k].value.kind == OPD_REG)
			map_register(map, &f->mark.v[k].value.id);
	for (int k = 1; k < f->lanes.n; k++)
		map_register(map, &f->lanes.v[k].reg);
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			Ins *i = &f->block.v[b]->ins.v[k];
			if (i->guard >= 0)
				map_register(map, &i->guard);
			for (int o = 0; o < i->ndst + i->nsrc; o++)
				if (i->opd[o].kind == OPD_REG)
					map_register(map, &i->opd[o].id);
		}
}

static bool drop_unnamed(Function *f)
{
	RegisterMap map = { f, xcalloc((size_t)f->reg.n + 1, sizeof *map.to), true };
	int kept = 0, before = f->reg.n;
	map_registers(&map);
	for (int r = 0; r < before; r++)
		if (map.to[r]) {
			f->reg.v[kept] = f->reg.v[r];
			map.to[r] = kept++;
		}
	map.find = false;
	map_registers(&map);
	f->reg.n = kept;
	free(map.to);
	return kept < before;
}

bool registers_drop(Module *m, int from, int to)
{
	bool any = false;
	for (int k = 0; k < m->func.n; k++)
		any |= drop_unnamed(m->func.v[k]);
	return any;
}

bool registers_rename(Module *m, int from, int to)
{
	for (int k = 0; k < m->func.n; k++)
		for (int r = 0; r < m->func.v[k]->reg.n; r++) {
			Reg *x = &m->func.v[k]->reg.v[r];
			x->name = arena_printf(&m->arena, "%%%c%d", x->type == T_PRED ? 'p'
				: type_kind[x->type] == 'F' ? 'f' : 'r', r);
		}
	return true;
}

/* The letters of a block's number: A to Z, then AA, AB, ... */
static const char *short_label(Module *m, int n)
{
	char text[16], *p = text + sizeof text;
	*--p = 0;
	for (n++; n > 0; n = (n - 1) / 26)
		*--p = (char)('A' + (n - 1) % 26);
	return arena_strdup(&m->arena, p);
}

bool labels_rename(Module *m, int from, int to)
{
	for (int k = 0; k < m->func.n; k++)
		for (int b = 0; b < m->func.v[k]->block.n; b++) {
			m->func.v[k]->block.v[b]->label = short_label(m, b);
			m->func.v[k]->block.v[b]->user = true;
		}
	return true;
}
