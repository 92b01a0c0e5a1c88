/* Adds what a launch's instructions did to the table of its kernel. */
#include "lib/strbuf.h"
#include "sim/gpu/gather.h"
#include "sim/record/instructions.h"

static const char *ins_text(const Code *c, int pc, Arena *a)
{
	StrBuf text = { 0 };
	code_print_ins(c, (uint32_t)pc, &text);
	const char *s = arena_strdup(a, text.s ? text.s : "");
	sb_free(&text);
	return s;
}

static InsStats ins_at(const Code *c, int pc, Arena *a)
{
	const MIns *m = &c->ins[pc];
	Loc loc = m->src ? ins_loc(c->module, m->src) : (Loc){ 0 };
	bool placed = loc.file && loc.line > 0;
	InsStats s = { .function = arena_strdup(a, m->function->name), .text = ins_text(c, pc, a),
		.label = !pc || m->from != m[-1].from || m->flags & MI_BLOCK_START
		? arena_strdup(a, m->from->label) : NULL,
		.pass = m->flags & MI_INSERTED ? arena_strdup(a, c->module->origin.v[m->src->origin]) : NULL,
		.added = m->flags & MI_OVERHEAD, .file = placed ? arena_strdup(a, loc.file) : NULL,
		.line = placed ? loc.line : 0 };
	if (m->src) {
		s.melded = place_list_of(c->module, m->src->melded, a);
		s.inlined = place_list_of(c->module, m->src->inlined, a);
	}
	return s;
}

/* The table of the code's kernel, made if there is none yet. All launches of a kernel run the same code. */
static InsTable *kernel_table(InsTables *t, const Code *c)
{
	InsTable *x = ins_tables_find(t, c->kernel->name);
	if (x)
		return x;
	vec_push(&t->table, ((InsTable){ arena_strdup(&t->arena, c->kernel->name), c->n,
		arena_array(&t->arena, InsStats, c->n + 1) }));
	x = &vec_last(&t->table);
	for (int pc = 0; pc < c->n; pc++)
		x->v[pc] = ins_at(c, pc, &t->arena);
	return x;
}

void gather_instructions(const Counts *all, InsTables *t)
{
	InsTable *x = kernel_table(t, all->code);
	must(x->n == all->code->n);
	for (int pc = 0; pc < x->n; pc++)
		ins_stats_add(&x->v[pc], &all->count[pc], &all->parted[pc], &all->stalls[pc * STALL_FIGURES]);
}
