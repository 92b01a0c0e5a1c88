/* Making a kernel that shows a difference small. */
#include "tests/random/differential.h"
#include "lib/strbuf.h"
#include <inttypes.h>

typedef struct Search {
	Job *job;
	const Config *config;
	const Way *way, *other;
	Module *best;                  /* still shows it */
} Search;

static bool verified(const Module *m)
{
	Diag d = { 0 };
	bool ok = ir_verify(m, &d);
	diag_free(&d);
	return ok;
}

/* Has a pipeline been refused because a list names a block that the smaller kernel has no more? */
static bool misses_label(const char *text)
{
	return strstr(text, "has a block `") || strstr(text, "no loop begins at the block") ||
		strstr(text, "that can be reached in");
}

/* Does the way agree with the reference on the module m, or can it not be asked of m? want: the reference's
   outcome on m before the passes. */
static bool agrees(const Search *s, const Module *m, const Way *way, const Outcome *want)
{
	char text[256];
	Module *t = transformed_for(s->config, m, way->passes, text, sizeof text);
	if (!t)
		return misses_label(text);
	Job j = *s->job;
	j.module = t;
	bool ok = way_agrees(&j, s->config, way, want, NULL, NULL, text, sizeof text);
	module_free(t);
	return ok;
}

static bool shows(const Search *s, const Module *m)
{
	Outcome want;
	Job j = *s->job;
	j.module = m;
	if (!verified(m))
		return false;
	outcome_reference(&j, (int)s->config->warp_size, &want);
	bool yes = want.how == RAN_WELL && (!s->other || agrees(s, m, s->other, &want)) &&
		!agrees(s, m, s->way, &want);
	outcome_free(&want);
	return yes;
}

/* Takes the module when it still shows the difference, frees it when not. */
static bool keep(Search *s, Module *m)
{
	if (!shows(s, m)) {
		module_free(m);
		return false;
	}
	module_free(s->best);
	s->best = m;
	return true;
}

/* ---- what may be left out ---- */

/* Instructions are numbered through the module. Removes those from..to-1 that are neither terminators nor
   such that hold threads together: without them a kernel would race. Returns how many went. */
static int remove_range(Module *m, int from, int to)
{
	int n = 0, removed = 0;
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++) {
			Block *x = m->func.v[f]->block.v[b];
			int kept = 0;
			for (int k = 0; k < x->ins.n; k++, n++) {
				const OpInfo *o = &op_info[x->ins.v[k].op];
				bool fixed = o->flags & (OPF_TERM | OPF_FATAL) ||
					(o->flags & OPF_CONV && o->kind != K_CALL);
				if (n >= from && n < to && !fixed)
					removed++;
				else
					x->ins.v[kept++] = x->ins.v[k];
			}
			x->ins.n = kept;
		}
	return removed;
}

static int count(const Module *m)
{
	int n = 0;
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++)
			n += m->func.v[f]->block.v[b]->ins.n;
	return n;
}

static bool remove_instructions(Search *s)
{
	bool any = false;
	for (int size = (count(s->best) + 1) / 2; size; size /= 2)
		for (int from = 0; from < count(s->best);) {
			Module *m = module_copy(s->best);
			bool less = remove_range(m, from, from + size);
			if (!less)
				module_free(m);
			if (less && keep(s, m))
				any = true;
			else
				from += size;
		}
	return any;
}

static void drop_unreachable(Module *m, Function *f)
{
	Arena tmp = { 0 };
	function_number(f);
	bool *seen = arena_array(&tmp, bool, f->block.n);
	Block **stack = arena_array(&tmp, Block *, f->block.n + 1);
	int n = 0, kept = 0;
	stack[n++] = f->block.v[0];
	seen[0] = true;
	while (n) {
		Block *b = stack[--n];
		for (int k = 0; k < b->nsucc; k++)
			if (!seen[b->succ[k]->id]) {
				seen[b->succ[k]->id] = true;
				stack[n++] = b->succ[k];
			}
	}
	for (int k = 0; k < f->block.n; k++) {
		Block *point = f->block.v[k]->reconverge;
		if (point && !seen[point->id])
			f->block.v[k]->reconverge = NULL;
		if (seen[k])
			f->block.v[kept++] = f->block.v[k];
		else
			vec_free(&f->block.v[k]->ins);
	}
	f->block.n = kept;
	function_number(f);
	arena_free(&tmp);
}

/* Every branch in turn: always to one of its targets. */
static bool straighten(Search *s)
{
	bool any = false;
	for (int f = 0; f < s->best->func.n; f++)
		for (int b = 0; b < s->best->func.v[f]->block.n; b++)
			for (int k = 0; k < s->best->func.v[f]->block.v[b]->nsucc; k++) {
				const Block *old = s->best->func.v[f]->block.v[b];
				if (old->nsucc < 2 && !block_term(old)->nsrc)
					break;
				Module *m = module_copy(s->best);
				Block *x = m->func.v[f]->block.v[b], *to = x->succ[k];
				x->ins.n--;
				block_jump(m, x, to);
				x->reconverge = NULL;
				*block_term(x) = (Ins){ .op = OP_BRA, .guard = -1,
					.file = s->best->func.v[f]->block.v[b]->ins.v[x->ins.n - 1].file,
					.line = 1, .opd = block_term(x)->opd };
				drop_unreachable(m, m->func.v[f]);
				if (keep(s, m)) {
					any = true;
					break;
				}
			}
	return any;
}

static Ins *nth(Module *m, int n)
{
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++) {
			Block *x = m->func.v[f]->block.v[b];
			if (n < x->ins.n)
				return &x->ins.v[n];
			n -= x->ins.n;
		}
	return NULL;
}

/* The instruction without its guard, or with the second of its results left out. */
static bool plainer(Ins *i, int way)
{
	if (way == 0 && i->guard >= 0) {
		i->guard = -1;
		i->guard_neg = 0;
		return true;
	}
	if (way == 1 && i->ndst == 2 && strstr(op_info[i->op].operands, "p?:")) {
		i->opd[1] = i->opd[0];
		i->opd++;
		i->ndst = 1;
		return true;
	}
	return false;
}

static bool simplify_instructions(Search *s)
{
	bool any = false;
	for (int n = 0; nth(s->best, n); n++)
		for (int way = 0; way < 2; way++) {
			Module *m = module_copy(s->best);
			if (!plainer(nth(m, n), way))
				module_free(m);
			else if (keep(s, m))
				any = true;
		}
	return any;
}

/* Every reconvergence point in turn. */
static bool drop_points(Search *s)
{
	bool any = false;
	for (int f = 0; f < s->best->func.n; f++)
		for (int b = 0; b < s->best->func.v[f]->block.n; b++) {
			if (!s->best->func.v[f]->block.v[b]->reconverge)
				continue;
			Module *m = module_copy(s->best);
			m->func.v[f]->block.v[b]->reconverge = NULL;
			any |= keep(s, m);
		}
	return any;
}

/* A block whose only successor has no other way in takes its instructions. */
static bool join_blocks(Search *s)
{
	Module *m = module_copy(s->best);
	bool any = false;
	for (int f = 0; f < m->func.n; f++) {
		Function *fn = m->func.v[f];
		for (int b = 0; b < fn->block.n; b++) {
			Block *x = fn->block.v[b], *y = x->nsucc == 1 ? x->succ[0] : NULL;
			int ways = 0;
			for (int k = 0; y && k < fn->block.n; k++)
				for (int e = 0; e < fn->block.v[k]->nsucc; e++)
					ways += fn->block.v[k]->succ[e] == y;
			if (ways != 1 || y == x || y == fn->block.v[0])
				continue;
			x->ins.n--;
			for (int k = 0; k < y->ins.n; k++)
				vec_push(&x->ins, y->ins.v[k]);
			x->nsucc = y->nsucc;
			x->succ = y->succ;
			x->reconverge = y->reconverge;
			y->nsucc = 0;
			drop_unreachable(m, fn);
			any = true;
			b = -1;
		}
	}
	if (any)
		return keep(s, m);
	module_free(m);
	return false;
}

static void drop_registers(Module *m)
{
	for (int f = 0; f < m->func.n; f++) {
		Function *fn = m->func.v[f];
		int *map = xcalloc((size_t)fn->reg.n + 1, sizeof *map), kept = 0;
		for (int k = 0; k < fn->arg.n; k++)
			map[fn->arg.v[k]] = 1;
		for (int k = 0; k < fn->ret.n; k++)
			map[fn->ret.v[k]] = 1;
		for (int pass = 0; pass < 2; pass++) {
			for (int b = 0; b < fn->block.n; b++)
				for (int k = 0; k < fn->block.v[b]->ins.n; k++) {
					Ins *i = &fn->block.v[b]->ins.v[k];
					if (i->guard >= 0 && !pass)
						map[i->guard] = 1;
					else if (i->guard >= 0)
						i->guard = map[i->guard];
					for (int o = 0; o < i->ndst + i->nsrc; o++)
						if (i->opd[o].kind == OPD_REG && !pass)
							map[i->opd[o].id] = 1;
						else if (i->opd[o].kind == OPD_REG)
							i->opd[o].id = map[i->opd[o].id];
				}
			for (int r = 0; !pass && r < fn->reg.n; r++)
				if (map[r]) {
					fn->reg.v[kept] = fn->reg.v[r];
					map[r] = kept++;
				}
		}
		for (int k = 0; k < fn->arg.n; k++)
			fn->arg.v[k] = map[fn->arg.v[k]];
		for (int k = 0; k < fn->ret.n; k++)
			fn->ret.v[k] = map[fn->ret.v[k]];
		fn->reg.n = kept;
		free(map);
	}
}

static void fewer_blocks(Search *s)
{
	uint32_t grid = s->job->grid[0];
	for (s->job->grid[0] = 1; s->job->grid[0] < grid && !shows(s, s->best);)
		s->job->grid[0]++;
}

Module *minimized(Job *j, const Config *c, const Way *way, const Way *other)
{
	Search s = { j, c, way, other, module_copy(j->module) };
	if (!shows(&s, s.best))
		return s.best;
	fewer_blocks(&s);
	for (bool more = true; more;) {
		more = straighten(&s);
		more |= remove_instructions(&s);
		more |= simplify_instructions(&s);
		more |= drop_points(&s);
		more |= join_blocks(&s);
	}
	Module *m = module_copy(s.best);
	drop_registers(m);
	if (!keep(&s, m))
		return s.best;
	return s.best;
}

/* ---- as a text of its own ---- */

static void print_words(const char *name, const uint8_t *p, int n, StrBuf *out)
{
	sb_printf(out, "global u32 %s[%d] = {", name, n / 4);
	for (int i = 0; i < n; i += 4)
		sb_printf(out, "%s0x%x", i ? i % 32 ? ", " : ",\n\t" : "\n\t",
			(unsigned)p[i] | (unsigned)p[i + 1] << 8 | (unsigned)p[i + 2] << 16 |
			(unsigned)p[i + 3] << 24);
	sb_puts(out, " }\n");
}

void job_print(const Job *j, const char *comment, StrBuf *out)
{
	const RandomKernel *k = j->shape;
	sb_puts(out, comment);
	ir_print(j->module, out);
	sb_putc(out, '\n');
	print_words("random_in", k->in, RANDOM_IN_BYTES, out);
	print_words("random_acc", k->acc, RANDOM_ACC_BYTES, out);
	sb_printf(out, "\nhost main()\n{\n\treg u64 %%in, %%acc, %%out\nstart:\n\t%%in = mov.u64 random_in\n"
		"\t%%acc = mov.u64 random_acc\n"
		"\t%%out = alloc.u64 %" PRIu32 "\n\tlaunch %s, (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "), (%"
		PRIu32 ", %" PRIu32 ", %" PRIu32
		"), %" PRIu32 ", (%%in, %%out, %%acc, %" PRIu32 ")\n\texit\n}\n", k->out_bytes,
		k->kernel->name, j->grid[0], j->grid[1],
		j->grid[2], k->block[0], k->block[1], k->block[2], k->dynamic_shared, k->n);
}
