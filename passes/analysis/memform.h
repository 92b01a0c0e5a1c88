/* Forms: a constant plus coefficients times unknowns (atoms), modulo 2^bits. Each form has a number, equal
 * forms the same one. Addresses are such forms (memdep.h). */
#ifndef GSIM_MEMFORM_H
#define GSIM_MEMFORM_H
#include "lib/vec.h"
#include "passes/constants.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum { ATOM_SREG, ATOM_PARAM, ATOM_SYMBOL, ATOM_WINDOW, ATOM_VERSION, ATOM_SIGNED, ATOM_ZERO,
	ATOM_PRODUCT, ATOM_TURN } MemAtomKind;
/* who sees one value of an atom: all threads of the grid; the threads of a block; each thread has its own */
typedef enum { SHARE_GRID, SHARE_BLOCK, SHARE_THREAD } MemShare;

__extension__ typedef __int128 MemWide;

/* A term's unknown: an integer within [lo, hi]. */
typedef struct MemAtom {
	uint8_t kind, share, level;
	/* id, sub by kind. SREG: the special register. PARAM: the parameter, and bytes into it. SYMBOL: the
	   symbol. WINDOW: the space whose window of generic addresses begins here. VERSION: the version,
	   whose bits count as an unsigned number. SIGNED, ZERO: the form that is extended, with its sign or
	   with zeros. PRODUCT: two atoms. TURN: a cycle of Cfg.nest; the value is how often its header has
	   been executed since the cycle was entered, without the first time */
	int id, sub;
	MemWide lo, hi;
} MemAtom;

typedef struct MemTerm { int64_t k; int atom, pad; } MemTerm;
/* constant + sum of k * atom, modulo 2^bits; coefficients sign-extended, atoms ascending */
typedef struct MemForm {
	int64_t constant;
	int bits, n;
	MemTerm term[MEMORY_TERMS];
} MemForm;

typedef struct MemTable { int *slot, cap, n; } MemTable; /* by hash: numbers of forms, or of atoms */
typedef struct MemForms {
	Vec(MemForm) form;
	Vec(MemAtom) atom;
	MemTable forms, atoms;
	int mode;                  /* 1: extensions take their integers not to have wrapped */
} MemForms;
/* a copy of these forms and atoms, which keep their numbers */
void memforms_copy(MemForms *, const MemForm *, int nform, const MemAtom *, int natom);
void memforms_free(MemForms *);

int memform_number(MemForms *, const MemForm *);
int mematom_number(MemForms *, const MemAtom *);
int memform_constant(MemForms *, int64_t, int bits);
int memform_atom(MemForms *, int atom, int bits);

/* Arithmetic on numbers of forms; -1 stands for a value that is not known. The result is -1 when a form given
   is -1 (memform_resize takes none such), or when the sum would have more than MEMORY_TERMS terms. */
int memform_resize(MemForms *, int form, int bits);            /* modulo 2^bits */
int memform_add(MemForms *, int f, int g, int64_t k);          /* f + k * g */
int memform_scale(MemForms *, int f, int64_t k);
int memform_multiply(MemForms *, int f, int g);
/* Extends a form to more bits. A form that may wrap becomes an atom; in mode 1 it is taken not to wrap, and
   each term is extended by itself. */
int memform_extend(MemForms *, int f, int bits, bool is_signed);
/* The form with other forms in place of its atoms, those within extensions and products included. of()
   returns the form of so many bits that replaces the atom; MEMFORM_STAYS: the atom stays; MEMFORM_NONE: there
   is no form, and the answer is -1. */
enum { MEMFORM_STAYS = -1, MEMFORM_NONE = -2 };
int memform_substitute(MemForms *, int form, int (*of)(void *self, int atom, int bits), void *self);
/* does is() hold for an atom of the form, or for one within such an atom? */
bool memform_mentions(const MemForms *, int form, bool (*is)(void *self, const MemAtom *), void *self);
#endif
