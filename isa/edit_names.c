/* Names of blocks and registers. */
#include "isa/edit_own.h"

static void note_label(Edit *e, Block *b)
{
	strmap_put(&e->label, b->label, e->named.n);
	vec_push(&e->named, b);
}

static bool label_taken(Edit *e, const char *label) { return edit_find_block(e, label) != NULL; }

Block *edit_find_block(Edit *e, const char *label)
{
	for (int k = 0; k < e->f->block.n && !e->knows_labels; k++)
		if (e->f->block.v[k]->label)
			note_label(e, e->f->block.v[k]);
	e->knows_labels = true;
	int k = strmap_get(&e->label, label);
	return k < 0 ? NULL : e->named.v[k];
}

void edit_label(Edit *e, Block *b, const char *label)
{
	b->label = label;
	if (e->knows_labels)
		note_label(e, b);
	edit_touch_graph(e->f);
}

const char *edit_auto_label(Edit *e, int *k)
{
	const char *label;
	do
		label = arena_printf(&e->m->arena, "bb%d", (*k)++);
	while (label_taken(e, label));
	return label;
}

const char *edit_fresh_label(Edit *e, const char *base, const char *tail)
{
	const char *first = arena_printf(&e->m->arena, "%s%s", base, tail), *label = first;
	if (!label_taken(e, first))
		return first;
	int k = strmap_get(&e->last, first);
	if (k < 0)
		k = 1;
	do
		label = arena_printf(&e->m->arena, "%s%d", first, ++k);
	while (label_taken(e, label));
	strmap_put(&e->last, first, k);
	return label;
}

int edit_find_reg(Edit *e, const char *name, size_t n)
{
	for (; e->nreg < e->f->reg.n; e->nreg++)
		strmap_put(&e->reg, e->f->reg.v[e->nreg].name, e->nreg);
	return strmap_getn(&e->reg, name, n);
}

static int append_reg(Edit *e, const char *name, Type type)
{
	vec_push(&e->f->reg, ((Reg){ name, (uint8_t)type }));
	return e->f->reg.n - 1;
}

int edit_add_reg(Edit *e, const char *name, size_t n, Type type)
{
	return append_reg(e, arena_strndup(&e->m->arena, name, n), type);
}

int edit_reg(Edit *e, const char *base, Type type)
{
	const char *stem = arena_printf(&e->m->arena, "%%%s", base), *name;
	int k = strmap_get(&e->last, stem);
	k = k < 0 ? 0 : k;
	do
		name = arena_printf(&e->m->arena, "%s%d", stem, ++k);
	while (edit_find_reg(e, name, strlen(name)) >= 0);
	strmap_put(&e->last, stem, k);
	return append_reg(e, name, type);
}

int edit_temp(Edit *e, Type type)
{
	const char *name;
	int k = e->f->reg.n;
	do
		name = arena_printf(&e->m->arena, "%%t%d", k++);
	while (edit_find_reg(e, name, strlen(name)) >= 0);
	return append_reg(e, name, type);
}
