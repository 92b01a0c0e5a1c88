/* What races.c and races_find.c share. */
#ifndef GSIM_RACES_OWN_H
#define GSIM_RACES_OWN_H
#include "isa/races.h"

enum { RACE_PAGE = 4096, RACE_WORDS = RACE_PAGE / 4 };
/* set in a word whose bytes have different sets: its other bits are an index into RaceShadow.split */
#define RACE_SPLIT (1u << 31)
#define RACE_NOBODY (~(uint64_t)0)

/* A site that has accessed a byte, and the two smallest numbers of blocks that accessed the byte there. */
/* block[1]: RACE_NOBODY if there is one block only */
typedef struct RaceEntry { uint32_t site; uint64_t block[2]; } RaceEntry;
/* n entries in Races.entry from `first` on, ascending by site */
typedef struct RaceSet { uint32_t first, n; } RaceSet;

/* where, at: its place in the module; at has the numbers of function, block and instruction */
typedef struct RaceSite { RaceSide where; int at[3]; bool writes, reads, atomic; } RaceSite;

/* What is known of a byte that was written: the value written first in bits 0 to 7, and these flags: it was
   written; the value differs from the one that was there; not all writes wrote this value. */
enum { RACE_WRITTEN = 256, RACE_CHANGED = 512, RACE_SEVERAL = 1024 };

typedef struct RacePage {
	uint64_t number;               /* address of the page / RACE_PAGE */
	/* by word: the number of a set, 0 = the empty one; with RACE_SPLIT an index */
	uint32_t set[RACE_WORDS];
	uint16_t *value;               /* by byte: RACE_WRITTEN, ...; NULL: nothing was written */
} RacePage;

typedef struct RaceShadow {
	Vec(RacePage *) page;
	Vec(int) slot;                 /* hash table of pages: index in page + 1 */
	RacePage *last;                /* the page that was found last */
	Vec(uint32_t) split;           /* sets of the bytes of split words, four for each word */
} RaceShadow;

typedef struct RaceKey { const void *key; int site; } RaceKey;
typedef struct RaceJoin { uint32_t a, b, ab; } RaceJoin;

struct Races {
	const Module *module;
	Vec(RaceSite) site;
	Vec(RaceKey) key;              /* hash table; key NULL: free */
	int nkeys;
	Vec(RaceSet) set;              /* [0] is the empty set; every set is there once */
	Vec(RaceEntry) entry;
	Vec(uint32_t) set_slot;        /* hash table of sets, 0: free */
	RaceJoin *join;                /* a cache of unions made lately */
};

struct RaceLog {
	Races *races;
	bool keep;
	/* `single` is the set of this site and this block alone, kept from the access noted last */
	int site; uint64_t block; uint32_t single;
	RaceShadow now;                /* accesses since the last barrier of the grid */
	RaceShadow past;               /* accesses before that barrier, if `keep` */
	RacePairs found;               /* races found before that barrier */
	uint64_t workspace;            /* address of a cooperative launch's workspace */
	/* the byte of the workspace whose top bit turns when the grid meets; NULL: the launch is not
	   cooperative */
	const uint8_t *counter;
	uint8_t met;                   /* this bit, 0 or 1, as it was last seen */
};

uint32_t race_join(Races *, uint32_t a, uint32_t b);           /* the union of two sets */
RacePage *race_page(RaceShadow *, uint64_t number);            /* NULL: there is none */
RacePage *race_page_new(RaceShadow *, uint64_t number);        /* makes the page if there is none */
/* adds the set to the sets of n bytes of the word, from byte `first` on */
void race_word_join(Races *, RaceShadow *, uint32_t *word, int first, int n, uint32_t set);
void race_shadow_free(RaceShadow *);
static inline uint32_t race_byte(const RaceShadow *s, uint32_t word, int k)
{
	return word & RACE_SPLIT ? s->split.v[(word & ~RACE_SPLIT) + (uint32_t)k] : word;
}
#endif
