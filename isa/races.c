#include "isa/launch.h"
#include "isa/races_own.h"

enum { JOINS = 1 << 16 };

/* ---- sets of entries ---- */

static uint32_t fold_hash(uint64_t h)
{
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

static const RaceEntry *set_entries(const Races *r, uint32_t set) { return r->entry.v + r->set.v[set].first; }

static bool same_entries(const RaceEntry *a, const RaceEntry *b, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (a[k].site != b[k].site || a[k].block[0] != b[k].block[0] ||
			a[k].block[1] != b[k].block[1])
			return false;
	return true;
}

static uint32_t hash_race_entry(const RaceEntry *e, uint32_t n)
{
	uint64_t h = n;
	for (uint32_t k = 0; k < n; k++) {
		h = (h ^ e[k].site) * 0xff51afd7ed558ccdu;
		h = (h ^ h >> 29 ^ e[k].block[0]) * 0xc4ceb9fe1a85ec53u;
		h = (h ^ h >> 31 ^ e[k].block[1]) * 0xff51afd7ed558ccdu;
	}
	return fold_hash(h);
}

static void put_slot(Races *r, uint32_t set)
{
	uint32_t mask = (uint32_t)r->set_slot.n - 1, at =
		hash_race_entry(set_entries(r, set), r->set.v[set].n) & mask;
	while (r->set_slot.v[at])
		at = (at + 1) & mask;
	r->set_slot.v[at] = set;
}

static void more_slots(Races *r)
{
	int n = r->set_slot.n ? r->set_slot.n * 2 : 1024;
	vec_reserve(&r->set_slot, n);
	r->set_slot.n = n;
	memset(r->set_slot.v, 0, sizeof *r->set_slot.v * (size_t)n);
	for (int k = 1; k < r->set.n; k++)
		put_slot(r, (uint32_t)k);
}

/* The number of the set that has the entries from `first` to the end of Races.entry. They stay there only if
   the set is a new one. */
static uint32_t intern(Races *r, uint32_t first)
{
	uint32_t n = (uint32_t)r->entry.n - first, mask = (uint32_t)r->set_slot.n - 1;
	const RaceEntry *e = r->entry.v + first;
	for (uint32_t at = hash_race_entry(e, n) & mask; r->set_slot.v[at]; at = (at + 1) & mask) {
		uint32_t set = r->set_slot.v[at];
		if (r->set.v[set].n == n && same_entries(set_entries(r, set), e, n)) {
			r->entry.n = (int)first;
			return set;
		}
	}
	must((uint32_t)r->set.n < RACE_SPLIT - 1);
	vec_push(&r->set, ((RaceSet){ first, n }));
	if (r->set.n * 2 > r->set_slot.n)
		more_slots(r);
	else
		put_slot(r, (uint32_t)r->set.n - 1);
	return (uint32_t)r->set.n - 1;
}

static uint32_t single_entry_set(Races *r, int site, uint64_t block)
{
	uint32_t first = (uint32_t)r->entry.n;
	vec_push(&r->entry, ((RaceEntry){ (uint32_t)site, { block, RACE_NOBODY } }));
	return intern(r, first);
}

static void take_block(RaceEntry *e, uint64_t block)
{
	if (block < e->block[0]) {
		e->block[1] = e->block[0];
		e->block[0] = block;
	} else if (block != e->block[0] && block < e->block[1]) {
		e->block[1] = block;
	}
}

static uint32_t unite_sets(Races *r, uint32_t a, uint32_t b)
{
	RaceSet x = r->set.v[a], y = r->set.v[b];
	uint32_t first = (uint32_t)r->entry.n, i = 0, k = 0;
	vec_reserve(&r->entry, r->entry.n + (int)(x.n + y.n));
	const RaceEntry *e = r->entry.v + x.first, *f = r->entry.v + y.first;
	while (i < x.n || k < y.n) {
		bool left = k == y.n || (i < x.n && e[i].site <= f[k].site),
			right = i == x.n || (k < y.n && f[k].site <= e[i].site);
		RaceEntry u = left ? e[i++] : f[k];
		if (left && right) {
			take_block(&u, f[k].block[0]);
			take_block(&u, f[k].block[1]);
		}
		k += right;
		vec_push(&r->entry, u);
	}
	return intern(r, first);
}

uint32_t race_join(Races *r, uint32_t a, uint32_t b)
{
	if (a == b || !b)
		return a;
	if (!a)
		return b;
	RaceJoin *j = &r->join[fold_hash((uint64_t)a << 32 | b) % JOINS];
	if (j->a != a || j->b != b)
		*j = (RaceJoin){ a, b, unite_sets(r, a, b) };
	return j->ab;
}

/* ---- shadows of memory ---- */

RacePage *race_page(RaceShadow *s, uint64_t number)
{
	if (s->last && s->last->number == number)
		return s->last;
	uint32_t mask = (uint32_t)s->slot.n - 1;
	for (uint32_t at = fold_hash(number) & mask; s->slot.n && s->slot.v[at]; at = (at + 1) & mask)
		if (s->page.v[s->slot.v[at] - 1]->number == number)
			return s->last = s->page.v[s->slot.v[at] - 1];
	return NULL;
}

static void put_page(RaceShadow *s, int k)
{
	uint32_t mask = (uint32_t)s->slot.n - 1, at = fold_hash(s->page.v[k]->number) & mask;
	while (s->slot.v[at])
		at = (at + 1) & mask;
	s->slot.v[at] = k + 1;
}

RacePage *race_page_new(RaceShadow *s, uint64_t number)
{
	RacePage *p = race_page(s, number);
	if (p)
		return p;
	p = xcalloc(1, sizeof *p);
	p->number = number;
	vec_push(&s->page, p);
	if (s->page.n * 2 <= s->slot.n) {
		put_page(s, s->page.n - 1);
		return s->last = p;
	}
	int n = s->slot.n ? s->slot.n * 2 : 64;
	vec_reserve(&s->slot, n);
	s->slot.n = n;
	memset(s->slot.v, 0, sizeof *s->slot.v * (size_t)n);
	for (int k = 0; k < s->page.n; k++)
		put_page(s, k);
	return s->last = p;
}

void race_shadow_free(RaceShadow *s)
{
	for (int k = 0; k < s->page.n; k++) {
		free(s->page.v[k]->value);
		free(s->page.v[k]);
	}
	vec_free(&s->page);
	vec_free(&s->slot);
	vec_free(&s->split);
	s->last = NULL;
}

void race_word_join(Races *r, RaceShadow *s, uint32_t *word, int first, int n, uint32_t set)
{
	if (!(*word & RACE_SPLIT)) {
		uint32_t both = race_join(r, *word, set), of[4] = { *word, *word, *word, *word };
		if (both == *word || n == 4) {
			*word = both;
			return;
		}
		*word = (uint32_t)s->split.n | RACE_SPLIT;
		for (int k = 0; k < 4; k++)
			vec_push(&s->split, of[k]);
	}
	uint32_t *byte = s->split.v + (*word & ~RACE_SPLIT);
	for (int k = first; k < first + n; k++)
		byte[k] = race_join(r, byte[k], set);
}

/* ---- a run ---- */

Races *races_new(const Module *m)
{
	Races *r = xcalloc(1, sizeof *r);
	r->module = m;
	vec_push(&r->set, (RaceSet){ 0 });
	more_slots(r);
	r->join = xcalloc(JOINS, sizeof *r->join);
	return r;
}

void races_free(Races *r)
{
	if (!r)
		return;
	vec_free(&r->site);
	vec_free(&r->key);
	vec_free(&r->set);
	vec_free(&r->entry);
	vec_free(&r->set_slot);
	free(r->join);
	free(r);
}

RaceLog *race_open(Races *r, bool keep)
{
	RaceLog *l = xcalloc(1, sizeof *l);
	*l = (RaceLog){ .races = r, .keep = keep, .site = -1 };
	return l;
}

void race_forget(RaceLog *l)
{
	l->met = 0;
	race_shadow_free(&l->now);
	race_shadow_free(&l->past);
	vec_free(&l->found);
}

void race_close(RaceLog *l)
{
	if (!l)
		return;
	race_forget(l);
	free(l);
}

/* ---- instructions ---- */

static RaceKey *find_key(Races *r, const void *key)
{
	uint32_t mask = (uint32_t)r->key.n - 1, at = fold_hash((uint64_t)(uintptr_t)key) & mask;
	while (r->key.v[at].key && r->key.v[at].key != key)
		at = (at + 1) & mask;
	return &r->key.v[at];
}

int race_site(RaceLog *l, const void *key)
{
	const RaceKey *k = l->races->key.n ? find_key(l->races, key) : NULL;
	return k && k->key ? k->site : -1;
}

static void put_key(Races *r, RaceKey k)
{
	if (r->nkeys * 2 >= r->key.n) {
		int n = r->key.n, more = n ? n * 2 : 64;
		RaceKey *old = r->key.v;
		r->key.v = xcalloc((size_t)more, sizeof *old);
		r->key.n = r->key.cap = more;
		for (int i = 0; i < n; i++)
			if (old[i].key)
				*find_key(r, old[i].key) = old[i];
		free(old);
	}
	*find_key(r, k.key) = k;
	r->nkeys++;
}

/* Makes the site of an instruction: its place in the module, and how it accesses memory. */
static RaceSite make_site(const Module *m, const Ins *ins)
{
	OpKind kind = (OpKind)op_info[ins->op].kind;
	RaceSite s = { .writes = kind != K_LD, .reads = kind != K_ST,
		.atomic = kind == K_ATOM && ins->scope != SCOPE_CTA };
	for (int f = 0; f < m->func.n; f++)
		for (int b = 0; b < m->func.v[f]->block.n; b++) {
			const Block *x = m->func.v[f]->block.v[b];
			if (x->ins.n && ins >= x->ins.v && ins < x->ins.v + x->ins.n) {
				s.where = (RaceSide){ m->func.v[f], x, ins, 0 };
				memcpy(s.at, (int[3]){ f, b, (int)(ins - x->ins.v) }, sizeof s.at);
				return s;
			}
		}
	bug("an instruction that is none of the module accesses global memory");
}

int race_site_add(RaceLog *l, const void *key, const Ins *ins)
{
	Races *r = l->races;
	int k = 0;
	while (k < r->site.n && r->site.v[k].where.ins != ins)
		k++;
	if (k == r->site.n)
		vec_push(&r->site, make_site(r->module, ins));
	put_key(r, (RaceKey){ key, k });
	return k;
}

/* ---- accesses ---- */

static void note_value(uint16_t *v, uint8_t before, uint8_t now)
{
	if (!(*v & RACE_WRITTEN))
		*v = (uint16_t)(RACE_WRITTEN | (now == before ? 0 : RACE_CHANGED) | now);
	else if ((uint8_t)*v != now)
		*v |= RACE_SEVERAL;
}

static void note_values(RacePage *p, unsigned offset, unsigned size, const uint8_t *before,
	const uint8_t *now)
{
	if (!p->value)
		p->value = xcalloc(RACE_PAGE, sizeof *p->value);
	for (unsigned k = 0; k < size; k++)
		if (now)
			note_value(&p->value[offset + k], before[k], now[k]);
		else
			p->value[offset + k] |= RACE_WRITTEN | RACE_CHANGED | RACE_SEVERAL;
}

void race_workspace(RaceLog *l, uint64_t addr, const uint8_t *bytes)
{
	l->workspace = addr;
	l->counter = bytes + 7;
	l->met = 0;
}

/* Is the access one to the workspace? If the grid has met since the last access, this access comes behind the
   meeting, which is noted first. */
static bool in_workspace(RaceLog *l, uint64_t addr)
{
	uint8_t met = *l->counter >> 7;
	if (met != l->met)
		race_grid_barrier(l);
	l->met = met;
	return addr - l->workspace < WORKSPACE_BYTES;
}

void race_note(RaceLog *l, int site, uint64_t block, uint64_t addr, unsigned size, const uint8_t *before,
	const uint8_t *now)
{
	Races *r = l->races;
	if (l->counter && in_workspace(l, addr))
		return;
	if (l->site != site || l->block != block) {
		l->site = site;
		l->block = block;
		l->single = single_entry_set(r, site, block);
	}
	/* an access is aligned: it lies in one page */
	RacePage *p = race_page_new(&l->now, addr / RACE_PAGE);
	unsigned offset = (unsigned)(addr % RACE_PAGE);
	if (r->site.v[site].writes)
		note_values(p, offset, size, before, now);
	if (size < 4)
		race_word_join(r, &l->now, &p->set[offset / 4], (int)(offset % 4), (int)size, l->single);
	for (unsigned k = 0; k + 4 <= size; k += 4)
		race_word_join(r, &l->now, &p->set[(offset + k) / 4], 0, 4, l->single);
}
