/* One module becomes part of another: its functions and variables move there, and all that is numbered within
   a module gets new numbers. */
#include "isa/text_import.h"
#include <string.h>

/* Two modules. func, symbol, string, file, origin: for each number in `from` the number in `to`. */
typedef struct Join {
	Module *to, *from;
	int *func, *symbol, *string, *file, *origin;
	int places;                    /* what is added to indices into module->place of `from` */
	bool *kept;                    /* by function of `from`: it moves to `to` */
	/* names in `to`, of functions (2 * id) and of variables (2 * id + 1); strings of `to` */
	StrMap names, texts;
	Loc place;
	Diag *diag;
} Join;

static void index_names(Join *j)
{
	for (int k = 0; k < j->to->func.n; k++)
		strmap_put(&j->names, j->to->func.v[k]->name, 2 * k);
	for (int k = 0; k < j->to->symbol.n; k++)
		if (j->to->symbol.v[k]->owner < 0)
			strmap_put(&j->names, j->to->symbol.v[k]->name, 2 * k + 1);
	for (int k = 0; k < j->to->string.n; k++)
		strmap_put(&j->texts, j->to->string.v[k], k);
}

static bool twice(Join *j, const char *name, Loc new, int old)
{
	Loc l = old & 1 ? j->to->symbol.v[old >> 1]->loc : j->to->func.v[old >> 1]->loc;
	diag_error(j->diag, j->place, "'%.100s' (%s:%d) stands in %s:%d already", name,
		new.file ? new.file : j->from->name, new.line, l.file ? l.file : j->to->name, l.line);
	return false;
}

/* Gives files, origins and strings of `from` their numbers in `to`; the same ones may be in both. false:
   reported. */
static bool place_texts(Join *j)
{
	for (int k = 0; k < j->from->file.n; k++)
		if ((j->file[k] = module_file(j->to, j->from->file.v[k])) < 0 ||
			j->to->file.n == FILE_LIMIT) {
			diag_error(j->diag, j->place, "more than %d files", FILE_LIMIT - 1);
			return false;
		}
	for (int k = 0; k < j->from->origin.n; k++) {
		j->origin[k] = module_origin(j->to, j->from->origin.v[k]);
		if (strcmp(j->to->origin.v[j->origin[k]], j->from->origin.v[k])) {
			diag_error(j->diag, j->place, "more than 254 origins");
			return false;
		}
	}
	for (int k = 0; k < j->from->string.n; k++) {
		int old = strmap_get(&j->texts, j->from->string.v[k]);
		j->string[k] = old < 0 ? j->to->string.n : old;
		if (old < 0)
			vec_push(&j->to->string, j->from->string.v[k]);
	}
	return true;
}

/* Gives functions of `from` their numbers in `to`: one that moves gets the number of the declaration that it
   replaces, or a new one; one that does not move gets that of the function of the same name. false:
   reported. */
static bool place_functions(Join *j)
{
	int next = j->to->func.n;
	for (int k = 0; k < j->from->func.n; k++) {
		const Function *f = j->from->func.v[k];
		int old = strmap_get(&j->names, f->name);
		const Function *o = old >= 0 && !(old & 1) ? j->to->func.v[old >> 1] : NULL;
		if (old >= 0 && (!o || o->kind != f->kind || (!o->declared_only && !f->declared_only)))
			return twice(j, f->name, f->loc, old);
		j->func[k] = o ? o->id : next++;
		j->kept[k] = !o || o->declared_only;
	}
	return true;
}

static bool same_extern(const Symbol *a, const Symbol *b)
{
	return a->external && b->external && a->space == b->space && a->type == b->type &&
		a->count == b->count && a->array == b->array &&
		a->align == b->align && !a->refused == !b->refused;
}

static bool place_symbols(Join *j)
{
	int next = j->to->symbol.n;
	for (int k = 0; k < j->from->symbol.n; k++) {
		const Symbol *s = j->from->symbol.v[k];
		int old = s->owner < 0 ? strmap_get(&j->names, s->name) : -1;
		if (old >= 0 && (!(old & 1) || !same_extern(j->to->symbol.v[old >> 1], s)))
			return twice(j, s->name, s->loc, old);
		j->symbol[k] = old >= 0 ? old >> 1 : next++;
	}
	return true;
}

/* ---- moving ---- */

static void renumber_operand(const Join *j, Opd *o)
{
	if (o->kind == OPD_SYM)
		o->id = j->symbol[o->id];
	else if (o->kind == OPD_FUNC)
		o->id = j->func[o->id];
	else if (o->kind == OPD_STR)
		o->id = j->string[o->id];
}

static void renumber_function(const Join *j, Function *f)
{
	for (int b = 0; b < f->block.n; b++) {
		f->block.v[b]->origin = (uint8_t)j->origin[f->block.v[b]->origin];
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			Ins *i = &f->block.v[b]->ins.v[k];
			i->file = (uint16_t)j->file[i->file];
			i->origin = (uint8_t)j->origin[i->origin];
			i->melded += i->melded ? j->places : 0;
			i->inlined += i->inlined ? j->places : 0;
			for (int o = 0; o < i->ndst + i->nsrc; o++)
				renumber_operand(j, &i->opd[o]);
		}
	}
}

static void move_places(Join *j)
{
	Module *to = j->to;
	if (!to->place.n && j->from->place.n)
		vec_push(&to->place, (SourcePlace){ 0 });
	j->places = to->place.n - 1;
	for (int k = 1; k < j->from->place.n; k++) {
		SourcePlace p = j->from->place.v[k];
		p.file = (uint16_t)j->file[p.file];
		p.next += p.next ? j->places : 0;
		vec_push(&to->place, p);
	}
}

/* Moves functions to `to`. One that `to` only declares changes places with its definition, and is freed with
   `from`. */
static void move_functions(Join *j)
{
	for (int k = 0; k < j->from->func.n; k++) {
		Function *f = j->from->func.v[k];
		if (!j->kept[k])
			continue;
		f->id = j->func[k];
		renumber_function(j, f);
		if (f->id < j->to->func.n) {
			j->from->func.v[k] = j->to->func.v[f->id];
			j->to->func.v[f->id] = f;
		} else {
			vec_push(&j->to->func, f);
			j->from->func.v[k] = NULL;
		}
	}
	int n = 0;
	for (int k = 0; k < j->from->func.n; k++)
		if (j->from->func.v[k])
			j->from->func.v[n++] = j->from->func.v[k];
	j->from->func.n = n;
}

static void move_symbols(Join *j)
{
	for (int k = 0; k < j->from->symbol.n; k++) {
		Symbol *s = j->from->symbol.v[k];
		if (j->symbol[k] < j->to->symbol.n)
			continue; /* both declare it extern: there is no data to move */
		s->owner = s->owner < 0 ? -1 : j->func[s->owner];
		for (int r = 0; r < s->reloc.n; r++)
			s->reloc.v[r].id = s->reloc.v[r].func ? j->func[s->reloc.v[r].id]
				: j->symbol[s->reloc.v[r].id];
		vec_push(&j->to->symbol, s);
	}
	j->from->symbol.n = 0;
}

static int *new_numbers(int n) { return xcalloc((size_t)n + 1, sizeof(int)); }

bool module_join(Module *to, Module *from, Loc place, Diag *diag)
{
	Join j = { .to = to, .from = from, .func = new_numbers(from->func.n),
		.symbol = new_numbers(from->symbol.n),
		.string = new_numbers(from->string.n),
		.file = new_numbers(from->file.n), .origin = new_numbers(from->origin.n),
		.kept = xcalloc((size_t)from->func.n + 1, sizeof(bool)),
		.place = place, .diag = diag };
	index_names(&j);
	bool ok = place_texts(&j) && place_functions(&j) && place_symbols(&j);
	if (ok) {
		move_places(&j);
		move_functions(&j);
		move_symbols(&j);
	}
	arena_join(&to->arena, &from->arena);
	module_free(from);
	strmap_free(&j.names);
	strmap_free(&j.texts);
	free(j.func);
	free(j.symbol);
	free(j.string);
	free(j.file);
	free(j.origin);
	free(j.kept);
	return ok;
}
