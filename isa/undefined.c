/* Warns of registers, and of the carry flag, that are read where nothing has written them on any way from the
 * function's entry. A definition is enough if it has a guard, if it lies on one way of several, or, for the
 * carry flag, if it is a call: compilers rely on what the program knows of its paths.
 *
 * Only reads of a register in a block that has not written it before are looked at, 64 registers at a time,
 * and each block once for every time that its set grows. So for what compilers and people write, time and
 * memory are proportional to the function's text. */
#include "isa/effects.h"
#include <stdlib.h>
#include <string.h>

/* CHUNK: registers in a set, one bit each; MOST: warnings of one module at most, to leave room for errors */
enum { CHUNK = 64, MOST = 8 };

typedef struct UsePlace { int reg, block, ins; } UsePlace; /* ins: for a use only */

typedef struct UndefinedSearch {
	const Module *m;
	const Function *f;
	const Ins *i;                  /* the instruction that is looked at, and where it stands */
	int block, ins;
	/* by register: one more than the number of the last block looked at that writes it or has a noted use
	   of it; 0: none */
	int *written;
	bool *entry;                   /* by register: the entry or the caller writes it */
	/* use: the first read of a register in a block, if nothing before it in the block writes the
	   register; bad: uses that no definition reaches */
	Vec(UsePlace) def, use, bad;
	/* by block, as bits: in: registers of this chunk that a definition reaches; out: those that the block
	   writes itself */
	uint64_t *in, *out;
	bool *reached, *waits;         /* by block: the flow has come to it; it is in todo */
	/* todo: numbers of blocks; bit: by register, its bit in the sets of its chunk, -1: it is not looked
	   for (yet) */
	int *todo, *bit;
} UndefinedSearch;

/* Does the instruction read nothing but the register's low byte? Such reads are not noted: compilers copy the
   padding of structures byte by byte. */
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
	UndefinedSearch *s = self;
	if (s->written[reg] == s->block + 1 || (s->entry[reg] && s->block) || reads_byte(s->i, reg))
		return;
	vec_push(&s->use, ((UsePlace){ reg, s->block, s->ins }));
	s->written[reg] = s->block + 1; /* one report is enough; definitions are noted apart */
}

static void note_written(void *self, int reg)
{
	UndefinedSearch *s = self;
	if (s->entry[reg] && s->block)
		return;
	s->written[reg] = s->block + 1;
	s->entry[reg] |= s->block == 0;
	vec_push(&s->def, ((UsePlace){ reg, s->block, 0 }));
}

static void scan_registers(UndefinedSearch *s)
{
	for (s->block = 0; s->block < s->f->block.n; s->block++)
		for (s->ins = 0; s->ins < s->f->block.v[s->block]->ins.n; s->ins++) {
			s->i = &s->f->block.v[s->block]->ins.v[s->ins];
			ins_reads(s->f, s->i, note_use, s);
			ins_defs(s->f, s->i, note_written, s);
		}
}

static int by_register(const void *a, const void *b)
{
	const UsePlace *x = a, *y = b;
	return x->reg != y->reg ? x->reg - y->reg : x->block - y->block;
}

static int by_use_place(const void *a, const void *b)
{
	const UsePlace *x = a, *y = b;
	return x->block != y->block ? x->block - y->block : x->ins != y->ins ? x->ins - y->ins
		: x->reg - y->reg;
}

/* Fills `in`: the registers that a definition reaches at the begin of each block, from what the blocks
   write. */
static void flow_definitions(UndefinedSearch *s)
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

/* Looks at the uses from number u on, of at most 64 registers, and at the definitions of these from number *d
   on. Returns the number of the first use of the next registers. */
static int chunk(UndefinedSearch *s, int u, int *d)
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
		const UsePlace *x = &s->def.v[*d];
		if (s->bit[x->reg] >= 0)
			s->out[x->block] |= (uint64_t)1 << s->bit[x->reg];
	}
	flow_definitions(s);
	for (int k = u; k < end; k++) {
		const UsePlace *x = &s->use.v[k];
		bool again = s->bad.n && vec_last(&s->bad).reg == x->reg;
		if (!again && s->reached[x->block] && !(s->in[x->block] >> s->bit[x->reg] & 1))
			vec_push(&s->bad, *x);
	}
	return end;
}

static void search_undefined(UndefinedSearch *s)
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
	scan_registers(s);
	if (s->use.n)
		qsort(s->use.v, (size_t)s->use.n, sizeof *s->use.v, by_register);
	if (s->def.n)
		qsort(s->def.v, (size_t)s->def.n, sizeof *s->def.v, by_register);
	for (int u = 0, d = 0; u < s->use.n;)
		u = chunk(s, u, &d);
	if (s->bad.n)
		qsort(s->bad.v, (size_t)s->bad.n, sizeof *s->bad.v, by_use_place);
}

static void free_search(UndefinedSearch *s)
{
	void *all[] = { s->written, s->entry, s->bit, s->in, s->out, s->reached, s->waits, s->todo };
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		free(all[k]);
	vec_free(&s->def);
	vec_free(&s->use);
	vec_free(&s->bad);
}

static void warn(const UndefinedSearch *s, const UsePlace *x, Diag *diag)
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
		UndefinedSearch s = { .m = m, .f = m->func.v[k] };
		if (!s.f->block.n)
			continue;
		function_number(m->func.v[k]);
		search_undefined(&s);
		for (int i = 0; i < s.bad.n && found + i < MOST; i++)
			warn(&s, &s.bad.v[i], diag);
		found += s.bad.n;
		free_search(&s);
	}
	if (found > MOST)
		diag_warning(diag, (Loc){ m->name, 0, 0 }, "%d more registers are read to which no path "
			"gives a value", found - MOST);
}
