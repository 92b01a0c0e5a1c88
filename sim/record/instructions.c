#include "sim/record/instructions.h"
#include "sim/record/put.h"

InsTable *ins_tables_find(const InsTables *t, const char *kernel)
{
	for (int i = 0; i < t->table.n; i++)
		if (!strcmp(t->table.v[i].kernel, kernel))
			return &t->table.v[i];
	return NULL;
}

void ins_stats_add(InsStats *to, const InsCount *count, const PartCount *parted,
	const uint64_t stalls[STALL_FIGURES])
{
	ins_count_add(&to->count, count);
	part_count_add(&to->parted, parted);
	for (int k = 0; k < STALL_FIGURES; k++)
		to->stalls[k] += stalls[k];
}

void ins_tables_merge(InsTables *to, InsTables *from)
{
	for (int i = 0; i < from->table.n; i++) {
		const InsTable *x = &from->table.v[i];
		InsTable *t = ins_tables_find(to, x->kernel);
		if (!t)
			vec_push(&to->table, *x);
		must(!t || t->n == x->n);
		for (int k = 0; t && k < x->n; k++)
			ins_stats_add(&t->v[k], &x->v[k].count, &x->v[k].parted, x->v[k].stalls);
	}
	arena_join(&to->arena, &from->arena);
	vec_free(&from->table);
}

void ins_tables_free(InsTables *t)
{
	vec_free(&t->table);
	arena_free(&t->arena);
}

/* Writes what the instruction is and where it comes from. */
static void json_put_origin(const InsStats *i, JsonSink *j)
{
	json_put_text(j, "function", i->function);
	if (i->label)
		json_put_text(j, "label", i->label);
	json_put_text(j, "text", i->text);
	if (i->pass)
		json_put_text(j, "pass", i->pass);
	if (i->added) {
		j->key(j, "added");
		j->boolean(j, true);
	}
	json_put_text(j, "file", i->file);
	json_put_count(j, "line", (uint64_t)i->line);
	place_list_json(j, "melded", i->melded);
	place_list_json(j, "inlined", i->inlined);
}

void ins_table_json(const InsTable *t, const LaunchStats *of, JsonSink *j)
{
	j->begin(j, '[', false);
	for (int k = 0; k < t->n; k++) {
		const InsStats *i = &t->v[k];
		j->begin(j, '{', true);
		json_put_origin(i, j);
		put_ins_count(j, &i->count, of);
		if (parted_any(&i->parted))
			put_part_count(j, &i->parted, of->timed);
		put_some_stalls(j, i->stalls);
		j->end(j);
	}
	j->end(j);
}
