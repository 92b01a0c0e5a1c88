/* Between races.c and races_find.c. */
#ifndef GSIM_RACES_OWN_H
#define GSIM_RACES_OWN_H
#include "isa/races.h"

enum { RACE_PAGE = 4096, RACE_WORDS = RACE_PAGE / 4 };
/* a word whose bytes have different sets: the rest is an index into RaceShadow.split */
#define RACE_SPLIT (1u << 31)
#define RACE_NOBODY (~(uint64_t)0)

/* An instruction that has accessed a byte, and the two smallest numbers of blocks that did so by it. */
/* block[1]: RACE_NOBODY if there is one block only */
typedef struct RaceEntry { uint32_t site; uint64_t block[2]; } RaceEntry;
typedef struct RaceSet { uint32_t first, n; } RaceSet;                 /* in Races.entry, ascending by site */

/* at: its place in the module, numbers of function, block, instruction */
typedef struct RaceSite { RaceSide where; int at[3]; bool writes, reads, atomic; } RaceSite;

/* Of a byte written: the value, and whether it is the one that was there, and the only one. */
enum { RACE_WRITTEN = 256, RACE_CHANGED = 512, RACE_SEVERAL = 1024 };

typedef struct RacePage {
	uint64_t number;               /* its address / RACE_PAGE */
	uint32_t set[RACE_WORDS];      /* by word: the number of a set, 0 = empty, or with RACE_SPLIT */
	uint16_t *value;               /* by byte: RACE_WRITTEN, ...; NULL: nothing was written */
} RacePage;

typedef struct RaceShadow {
	Vec(RacePage *) page;
	Vec(int) slot;                 /* hash table of pages: index in page + 1 */
	RacePage *last;                /* found last */
	Vec(uint32_t) split;           /* four sets each */
} RaceShadow;

typedef struct RaceKey { const void *key; int site; } RaceKey;
typedef struct RaceJoin { uint32_t a, b, ab; } RaceJoin;

struct Races {
	const Module *module;
	Vec(RaceSite) site;
	Vec(RaceKey) key;              /* hash table; key NULL: free */
	int nkeys;
	Vec(RaceSet) set;              /* [0]: empty. Every set is there once */
	Vec(RaceEntry) entry;
	Vec(uint32_t) set_slot;        /* hash table of sets, 0: free */
	RaceJoin *join;                /* unions made lately */
};

struct RaceLog {
	Races *races;
	bool keep;
	/* the set of this instruction and block alone, which was asked for last */
	int site; uint64_t block; uint32_t single;
	RaceShadow now;                /* since the last barrier of the grid */
	RaceShadow past;               /* before, if it is kept */
	RacePairs found;               /* races before it */
	uint64_t workspace;            /* of a cooperative launch, */
	/* ... the byte there with the bit that turns when the grid meets; NULL: the launch is not
	   cooperative */
	const uint8_t *counter;
	uint8_t met;                   /* the bit as it was last seen */
};

uint32_t race_join(Races *, uint32_t a, uint32_t b);           /* the union of two sets */
RacePage *race_page(RaceShadow *, uint64_t number);            /* NULL: there is none */
RacePage *race_page_new(RaceShadow *, uint64_t number);        /* makes it if need be */
/* n bytes of the word from `first` on */
void race_word_join(Races *, RaceShadow *, uint32_t *word, int first, int n, uint32_t set);
void race_shadow_free(RaceShadow *);
static inline uint32_t race_byte(const RaceShadow *s, uint32_t word, int k)
{
	return word & RACE_SPLIT ? s->split.v[(word & ~RACE_SPLIT) + (uint32_t)k] : word;
}
#endif
