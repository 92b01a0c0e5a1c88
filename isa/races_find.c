/* Finds the races of a launch by the sets that its bytes have. */
#include "isa/races_own.h"

const char *race_verb(const Ins *i)
{
	OpKind kind = (OpKind)op_info[i->op].kind;
	return kind == K_LD ? "reads" : kind == K_ST ? "writes" : "updates";
}

/* ---- two entries ---- */

static bool sites_conflict(const RaceSite *a, const RaceSite *b)
{
	return (a->writes || b->writes) && !(a->atomic && b->atomic);
}

/* The smallest two blocks, one of each entry, that are different (any: that may be the same); false: there
   are none. */
static bool blocks(const RaceEntry *a, const RaceEntry *b, bool any, uint64_t of[2])
{
	of[0] = a->block[0];
	of[1] = b->block[0];
	if (any || of[0] != of[1])
		return true;
	if (b->block[1] != RACE_NOBODY)
		of[1] = b->block[1];
	else
		of[0] = a->block[1];
	return of[0] != RACE_NOBODY;
}

/* ---- pairs ---- */

static int order_sites(const RaceSite *a, const RaceSite *b)
{
	for (int k = 0; k < 3; k++)
		if (a->at[k] != b->at[k])
			return a->at[k] < b->at[k] ? -1 : 1;
	return 0;
}

typedef struct FoundRace { const RaceSite *site[2]; RacePair pair; } FoundRace;
typedef struct RaceSearch { Races *races; bool between, any; Vec(FoundRace) found; } RaceSearch;

/* numbers of bytes with the same set: of all; of those to which one value alone was written; of those of them
   that had this value before. addr: the smallest address */
typedef struct RaceTally { uint64_t bytes, one, unchanged, addr; } RaceTally;

static void find_pair(RaceSearch *w, const RaceEntry *a, const RaceEntry *b, const RaceTally *t)
{
	const RaceSite *x = &w->races->site.v[a->site], *y = &w->races->site.v[b->site];
	uint64_t number[2];
	if (!sites_conflict(x, y))
		return;
	if (!w->between && order_sites(x, y) > 0) {
		find_pair(w, b, a, t);
		return;
	}
	if (!blocks(a, b, w->any, number))
		return;
	FoundRace f = { { x, y }, { { x->where, y->where }, t->bytes,
		x->reads || y->reads ? t->unchanged : t->one, t->addr } };
	for (int k = 0; k < 2; k++)
		f.pair.side[k].number = number[k];
	vec_push(&w->found, f);
}

/* Finds all races of bytes that have these sets, one of each launch; within one launch both are the same
   set. */
static void find_races_in(RaceSearch *w, uint32_t first, uint32_t second, const RaceTally *t)
{
	const RaceSet a = w->races->set.v[first], b = w->races->set.v[second];
	const RaceEntry *e = w->races->entry.v;
	for (uint32_t i = 0; i < a.n; i++)
		for (uint32_t k = w->between ? 0 : i; k < b.n; k++)
			find_pair(w, e + a.first + i, e + b.first + k, t);
}

static int by_race_place(const void *a, const void *b)
{
	const FoundRace *x = a, *y = b;
	for (int k = 0; k < 2; k++) {
		int c = order_sites(x->site[k], y->site[k]);
		if (c)
			return c;
	}
	return x->pair.addr < y->pair.addr ? -1 : x->pair.addr > y->pair.addr;
}

/* Appends what was found, each pair of instructions once; the numbers of bytes of equal pairs are added
   up. */
static void put_found(RaceSearch *w, RacePairs *out)
{
	int first = out->n;
	if (w->found.n)
		qsort(w->found.v, (size_t)w->found.n, sizeof *w->found.v, by_race_place);
	for (int k = 0; k < w->found.n; k++) {
		const RacePair *p = &w->found.v[k].pair;
		RacePair *last = out->n > first ? &vec_last(out) : NULL;
		if (!last || last->side[0].ins != p->side[0].ins || last->side[1].ins != p->side[1].ins) {
			vec_push(out, *p);
			continue;
		}
		last->bytes += p->bytes;
		last->same += p->same;
	}
	vec_free(&w->found);
}

/* ---- one launch ---- */

static void count_byte(RaceTally *t, uint64_t addr, uint16_t value)
{
	bool one = value & RACE_WRITTEN && !(value & RACE_SEVERAL);
	t->addr = t->bytes && t->addr < addr ? t->addr : addr;
	t->bytes++;
	t->one += one;
	t->unchanged += one && !(value & RACE_CHANGED);
}

static void search_launch(RaceSearch *w, const RaceShadow *s)
{
	RaceTally *tally = xcalloc((size_t)w->races->set.n, sizeof *tally);
	for (int n = 0; n < s->page.n; n++) {
		const RacePage *p = s->page.v[n];
		for (int k = 0; k < RACE_PAGE; k++) {
			uint32_t set = race_byte(s, p->set[k / 4], k % 4);
			if (set)
				count_byte(&tally[set], p->number * RACE_PAGE + (uint64_t)k,
					p->value ? p->value[k] : 0);
		}
	}
	for (int k = 1; k < w->races->set.n; k++)
		if (tally[k].bytes)
			find_races_in(w, (uint32_t)k, (uint32_t)k, &tally[k]);
	free(tally);
}

/* Adds the pairs that were found before the last barrier of the grid: the races of a launch are those before,
   between and after its barriers. */
static void found_before(RaceSearch *w, const RaceLog *l)
{
	for (int k = 0; k < l->found.n; k++) {
		const RaceSite *of[2] = { NULL, NULL };
		for (int i = 0; i < w->races->site.n; i++)
			for (int side = 0; side < 2; side++)
				if (w->races->site.v[i].where.ins == l->found.v[k].side[side].ins)
					of[side] = &w->races->site.v[i];
		vec_push(&w->found, ((FoundRace){ { of[0], of[1] }, l->found.v[k] }));
	}
}

void races_find(RaceLog *l, RacePairs *out)
{
	RaceSearch w = { .races = l->races };
	search_launch(&w, &l->now);
	found_before(&w, l);
	put_found(&w, out);
}

/* ---- barriers of the grid ---- */

/* Adds the accesses since the last barrier of the grid to those before it. */
static void move_to_past(RaceLog *l)
{
	for (int n = 0; n < l->now.page.n; n++) {
		const RacePage *p = l->now.page.v[n];
		RacePage *to = race_page_new(&l->past, p->number);
		for (int k = 0; k < RACE_PAGE; k++)
			race_word_join(l->races, &l->past, &to->set[k / 4], k % 4, 1,
				race_byte(&l->now, p->set[k / 4], k % 4));
	}
}

void race_grid_barrier(RaceLog *l)
{
	RacePairs all = { 0 };
	races_find(l, &all);
	vec_free(&l->found);
	l->found.v = all.v;
	l->found.n = all.n;
	l->found.cap = all.cap;
	if (l->keep)
		move_to_past(l);
	race_shadow_free(&l->now);
}

/* ---- two launches ---- */

typedef struct SetPair { uint32_t set[2]; RaceTally tally; } SetPair;

static bool same_sets(const SetPair *a, const SetPair *b)
{
	return a->set[0] == b->set[0] && a->set[1] == b->set[1];
}

static uint32_t whole_set(RaceLog *l, const RacePage *now, const RacePage *past, int k)
{
	uint32_t a = now ? race_byte(&l->now, now->set[k / 4], k % 4) : 0,
		b = past ? race_byte(&l->past, past->set[k / 4], k % 4) : 0;
	return race_join(l->races, a, b);
}

typedef struct Pages { const RacePage *now, *past; } Pages;

static Pages pages_of(RaceLog *l, uint64_t number)
{
	return (Pages){ race_page(&l->now, number), race_page(&l->past, number) };
}

void races_between(RaceLog *first, RaceLog *second, bool any, RacePairs *out)
{
	RaceSearch w = { .races = first->races, .between = true, .any = any };
	Vec(SetPair) all = { 0 };
	Vec(uint64_t) number = { 0 };
	for (int n = 0; n < first->now.page.n; n++)
		vec_push(&number, first->now.page.v[n]->number);
	for (int n = 0; n < first->past.page.n; n++)
		if (!race_page(&first->now, first->past.page.v[n]->number))
			vec_push(&number, first->past.page.v[n]->number);
	for (int n = 0; n < number.n; n++) {
		Pages a = pages_of(first, number.v[n]), b = pages_of(second, number.v[n]);
		for (int k = 0; k < RACE_PAGE && (b.now || b.past); k++) {
			uint64_t addr = number.v[n] * RACE_PAGE + (uint64_t)k;
			SetPair x = { { whole_set(first, a.now, a.past, k),
				whole_set(second, b.now, b.past, k) }, { .bytes = 1, .addr = addr } };
			SetPair *last = all.n ? &vec_last(&all) : NULL;
			if (last && same_sets(last, &x)) {
				last->tally.bytes++;
				last->tally.addr = addr < last->tally.addr ? addr : last->tally.addr;
			} else if (x.set[0] && x.set[1])
				vec_push(&all, x);
		}
	}
	for (int k = 0; k < all.n; k++)
		find_races_in(&w, all.v[k].set[0], all.v[k].set[1], &all.v[k].tally);
	vec_free(&all);
	vec_free(&number);
	put_found(&w, out);
}
