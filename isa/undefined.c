/* Uses that no definition reaches: registers, and the carry flag, that are read where on no way from the
 * function's entry anything has written them. A guarded definition counts, one on some way, and a call's of
 * the carry flag: compilers rely on what the program knows of its paths.
 *
 * Only what is read in a block before it is written there is looked at, 64 registers at a time, each block
 * once for every time that its set grows: time and memory are those of the function's text for what compilers
 * and people write. */
#include "isa/effects.h"
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64, MOST = 8 };  /* bits of a set; warnings of one module, that errors keep their place */

typedef struct Place { int reg, block, ins; } Place; /* ins: of a use */

typedef struct Search {
	const Module *m;
	const Function *f;
	const Ins *i;                  /* that is looked at, and where it stands */
	int block, ins;
	/* by register: one more than the last block that writes it, as far as they have been read */
	int *written;
	bool *entry;                   /* by register: the entry or the caller writes it */
	/* use: the first of a register in a block, where nothing before it in the block writes it */
	Vec(Place) def, use, bad;
	/* by block: registers of this chunk that a definition reaches; out: those it writes itself */
	uint64_t *in, *out;
	bool *reached, *waits;         /* waits: in todo */
	int *todo, *bit;            /* bit: by register, in the sets of its chunk; -1: not looked for (yet) */
} Search;

/* Does it read nothing but the low byte? Compilers copy structures' padding, byte by byte. */
static bool reads_byte(const Ins *i, int reg)
{
	bool byte = false;
	for (int k = 0; k < i->nsrc; k++)
		if (ins_src(i, k)->kind == OPD_REG && ins_src(i, k)->id == reg &&
			!(byte = type_bits[ins_src_type(i, k)] == 8))
			return false;
	return byte;
}

static void note_use(void *self, int reg)
{
	Search *s = self;
	if (s->written[reg] == s->block + 1 || (s->entry[reg] && s->block) || reads_byte(s->i, reg))
		return;
	vec_push(&s->use, ((Place){ reg, s->block, s->ins }));
	s->written[reg] = s->block + 1; /* one report is enough; definitions are noted apart */
}

static void note_def(void *self, int reg)
{
	Search *s = self;
	if (s->entry[reg] && s->block)
		return;
	s->written[reg] = s->block + 1;
	s->entry[reg] |= s->block == 0;
	vec_push(&s->def, ((Place){ reg, s->block, 0 }));
}

static void scan(Search *s)
{
	for (s->block = 0; s->block < s->f->block.n; s->block++)
		for (s->ins = 0; s->ins < s->f->block.v[s->block]->ins.n; s->ins++) {
			s->i = &s->f->block.v[s->block]->ins.v[s->ins];
			ins_reads(s->f, s->i, note_use, s);
			ins_defs(s->f, s->i, note_def, s);
		}
}

static int by_register(const void *a, const void *b)
{
	const Place *x = a, *y = b;
	return x->reg != y->reg ? x->reg - y->reg : x->block - y->block;
}

static int by_place(const void *a, const void *b)
{
	const Place *x = a, *y = b;
	return x->block != y->block ? x->block - y->block : x->ins != y->ins ? x->ins - y->ins
		: x->reg - y->reg;
}

/* What reaches each block, from the sets that the blocks write. */
static void flow(Search *s)
{
	int n = 0;
	s->todo[n++] = 0;
	s->reached[0] = s->waits[0] = true;
	while (n) {
		int from = s->todo[--n];
		const Block *b = s->f->block.v[from];
		uint64_t set = s->in[from] | s->out[from];
		s->waits[from] = false;
		for (int k = 0; k < b->nsucc; k++) {
			int t = b->succ[k]->id;
			if (s->reached[t] && !(set & ~s->in[t]))
				continue;
			s->in[t] |= set;
			s->reached[t] = true;
			if (!s->waits[t])
				s->todo[n++] = t;
			s->waits[t] = true;
		}
	}
}

/* Uses from number u on, of 64 registers, and the definitions of these from number d on. Returns where the
   next ones' uses begin. */
static int chunk(Search *s, int u, int *d)
{
	int bits = 0, end = u, nblock = s->f->block.n;
	memset(s->in, 0, sizeof *s->in * (size_t)nblock);
	memset(s->out, 0, sizeof *s->out * (size_t)nblock);
	memset(s->reached, 0, sizeof *s->reached * (size_t)nblock);
	for (; end < s->use.n; end++) {
		bool first = end == u || s->use.v[end].reg != s->use.v[end - 1].reg;
		if (first && bits == CHUNK)
			break;
		bits += first;
		s->bit[s->use.v[end].reg] = bits - 1;
	}
	for (; *d < s->def.n && s->def.v[*d].reg <= s->use.v[end - 1].reg; ++*d) {
		const Place *x = &s->def.v[*d];
		if (s->bit[x->reg] >= 0)
			s->out[x->block] |= (uint64_t)1 << s->bit[x->reg];
	}
	flow(s);
	for (int k = u; k < end; k++) {
		const Place *x = &s->use.v[k];
		bool again = s->bad.n && vec_last(&s->bad).reg == x->reg;
		if (!again && s->reached[x->block] && !(s->in[x->block] >> s->bit[x->reg] & 1))
			vec_push(&s->bad, *x);
	}
	return end;
}

static void search(Search *s)
{
	size_t nreg = (size_t)function_values(s->f), nblock = (size_t)s->f->block.n;
	s->written = xcalloc(nreg, sizeof *s->written);
	s->entry = xcalloc(nreg, sizeof *s->entry);
	s->bit = xmalloc(sizeof *s->bit * nreg);
	s->in = xcalloc(nblock, sizeof *s->in);
	s->out = xcalloc(nblock, sizeof *s->out);
	s->reached = xcalloc(nblock, sizeof *s->reached);
	s->waits = xcalloc(nblock, sizeof *s->waits);
	s->todo = xcalloc(nblock, sizeof *s->todo);
	for (size_t r = 0; r < nreg; r++)
		s->bit[r] = -1;
	for (int k = 0; k < s->f->arg.n; k++) {
		s->written[s->f->arg.v[k]] = 1;
		s->entry[s->f->arg.v[k]] = true;
	}
	scan(s);
	if (s->use.n)
		qsort(s->use.v, (size_t)s->use.n, sizeof *s->use.v, by_register);
	if (s->def.n)
		qsort(s->def.v, (size_t)s->def.n, sizeof *s->def.v, by_register);
	for (int u = 0, d = 0; u < s->use.n;)
		u = chunk(s, u, &d);
	if (s->bad.n)
		qsort(s->bad.v, (size_t)s->bad.n, sizeof *s->bad.v, by_place);
}

static void free_search(Search *s)
{
	void *all[] = { s->written, s->entry, s->bit, s->in, s->out, s->reached, s->waits, s->todo };
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		free(all[k]);
	vec_free(&s->def);
	vec_free(&s->use);
	vec_free(&s->bad);
}

static void warn(const Search *s, const Place *x, Diag *diag)
{
	Loc loc = ins_loc(s->m, &s->f->block.v[x->block]->ins.v[x->ins]);
	if (!loc.file)
		loc.file = s->m->name;
	if (x->reg == function_carry(s->f))
		diag_warning(diag, loc, "%.100s: the carry flag is read, but no path from the entry sets it",
			s->f->name);
	else
		diag_warning(diag, loc, "%.100s: %.100s is read, but no path from the entry gives it a value",
			s->f->name, s->f->reg.v[x->reg].name);
}

void ir_warn_undefined(Module *m, Diag *diag)
{
	int found = 0;
	for (int k = 0; k < m->func.n; k++) {
		Search s = { .m = m, .f = m->func.v[k] };
		if (!s.f->block.n)
			continue;
		function_number(m->func.v[k]);
		search(&s);
		for (int i = 0; i < s.bad.n && found + i < MOST; i++)
			warn(&s, &s.bad.v[i], diag);
		found += s.bad.n;
		free_search(&s);
	}
	if (found > MOST)
		diag_warning(diag, (Loc){ m->name, 0, 0 }, "%d more registers are read to which no path "
			"gives a value", found - MOST);
}
