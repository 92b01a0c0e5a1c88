/* Forms: a constant plus coefficients times unknowns (atoms), modulo 2^bits, by number: equal forms have one
 * number. What addresses are made of (memdep.h). */
#ifndef GSIM_MEMFORM_H
#define GSIM_MEMFORM_H
#include "lib/vec.h"
#include <stdbool.h>
#include <stdint.h>

enum { MEM_TERMS = 8, MEM_LEVEL = 4 };

typedef enum { ATOM_SREG, ATOM_PARAM, ATOM_SYMBOL, ATOM_WINDOW, ATOM_VERSION, ATOM_SIGNED, ATOM_ZERO,
	ATOM_PRODUCT, ATOM_TURN } MemAtomKind;
/* one value for all threads of the grid; of a block; for each thread its own */
typedef enum { SHARE_GRID, SHARE_BLOCK, SHARE_THREAD } MemShare;

__extension__ typedef __int128 MemWide;

/* A term's unknown: an integer within [lo, hi]. */
typedef struct MemAtom {
	uint8_t kind, share, level;
	/* SREG: which. PARAM: which, and bytes into it. SYMBOL: which. WINDOW: of which space. VERSION: its
	   bits as an unsigned number. SIGNED, ZERO: form id, extended. PRODUCT: of two atoms. TURN: how often
	   the header of that cycle (Cfg.nest) has been executed since the cycle was entered, without the
	   first time */
	int id, sub;
	MemWide lo, hi;
} MemAtom;

typedef struct MemTerm { int64_t k; int atom, pad; } MemTerm;
/* constant + sum of k * atom, modulo 2^bits; coefficients sign-extended, atoms ascending */
typedef struct MemForm {
	int64_t constant;
	int bits, n;
	MemTerm term[MEM_TERMS];
} MemForm;

typedef struct MemTable { int *slot, cap, n; } MemTable; /* of numbers of things, by hash */
typedef struct MemForms {
	Vec(MemForm) form;
	Vec(MemAtom) atom;
	MemTable forms, atoms;
	int mode;                  /* 1: extensions take it that narrow integers have not wrapped */
} MemForms;
/* these, with the numbers that they have there */
void memforms_copy(MemForms *, const MemForm *, int nform, const MemAtom *, int natom);
void memforms_free(MemForms *);

int memform_number(MemForms *, const MemForm *);
int mematom_number(MemForms *, const MemAtom *);
int memform_constant(MemForms *, int64_t, int bits);
int memform_atom(MemForms *, int atom, int bits);

/* Of -1, and where the sum has more than MEM_TERMS terms: -1. */
int memform_resize(MemForms *, int form, int bits);            /* modulo 2^bits */
int memform_add(MemForms *, int f, int g, int64_t k);          /* f + k * g */
int memform_scale(MemForms *, int f, int64_t k);
int memform_multiply(MemForms *, int f, int g);
/* A form of fewer bits as one of more. Where it may wrap it is an atom; mode 1 takes it that it does not, and
   extends term by term. */
int memform_extend(MemForms *, int f, int bits, bool is_signed);
/* The form with other forms in place of atoms, those in extensions and products, too. of: the atom's form of
   so many bits; -1: it stays; -2: there is none, and the answer is -1. */
enum { MEMFORM_STAYS = -1, MEMFORM_NONE = -2 };
int memform_substitute(MemForms *, int form, int (*of)(void *self, int atom, int bits), void *self);
/* some atom, or one within it, is so */
bool memform_mentions(const MemForms *, int form, bool (*is)(void *self, const MemAtom *), void *self);
#endif
