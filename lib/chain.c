#include "lib/chain.h"
#include "lib/hash.h"
#include "lib/vec.h"
#include <string.h>

typedef Vec(int) Members;

static size_t find_link_slot(const Chains *s, int v, Chain next)
{
	struct { Chain next; long v; } key = { next, v };
	size_t i = (size_t)hash_bytes(&key, sizeof key, 0) & (size_t)(s->cap - 1);
	while (s->slot[i] && (s->slot[i]->v != v || s->slot[i]->next != next))
		i = (i + 1) & (size_t)(s->cap - 1);
	return i;
}

static void grow_chains(Chains *s)
{
	Chain *old = s->slot;
	int n = s->cap;
	s->cap = n ? n * 2 : 64;
	s->slot = arena_array(s->arena, Chain, s->cap);
	for (int i = 0; i < n; i++)
		if (old[i])
			s->slot[find_link_slot(s, old[i]->v, old[i]->next)] = old[i];
}

/* The list that has v and then the members of `next`. */
static Chain link_chain(Chains *s, int v, Chain next)
{
	if (s->n * 2 >= s->cap)
		grow_chains(s);
	size_t i = find_link_slot(s, v, next);
	if (!s->slot[i]) {
		s->slot[i] = arena_new(s->arena, ChainLink);
		*s->slot[i] = (ChainLink){ .v = v, .n = chain_count(next) + 1, .next = next };
		s->n++;
	}
	return s->slot[i];
}

/* The list that has the members m, in their order, and then those of `next`. Frees m. */
static Chain link_all(Chains *s, Members *m, Chain next)
{
	while (m->n)
		next = link_chain(s, vec_pop(m), next);
	vec_free(m);
	return next;
}

Chain chain_union(Chains *s, Chain a, Chain b)
{
	Members m = { 0 };
	while (a != b && a && b) {
		int v = a->v < b->v ? a->v : b->v;
		a = a->v == v ? a->next : a;
		b = b->v == v ? b->next : b;
		vec_push(&m, v);
	}
	return link_all(s, &m, a ? a : b);
}

Chain chain_without(Chains *s, Chain a, Chain gone)
{
	Members m = { 0 };
	while (a != gone && a && gone) {
		if (a->v < gone->v)
			vec_push(&m, a->v);
		Chain next = a->v <= gone->v ? a->next : a;
		gone = gone->v <= a->v ? gone->next : gone;
		a = next;
	}
	return link_all(s, &m, a == gone ? NULL : a);
}

Chain chain_add(Chains *s, Chain a, int v)
{
	return chain_union(s, a, link_chain(s, v, NULL));
}

Chain chain_remove(Chains *s, Chain a, int v)
{
	return chain_without(s, a, link_chain(s, v, NULL));
}

bool chain_has(Chain a, int v)
{
	while (a && a->v < v)
		a = a->next;
	return a && a->v == v;
}

int chain_only(Chain a, Chain b, int *list)
{
	int n = 0;
	while (a && a != b) {
		if (!b || a->v < b->v)
			list[n++] = a->v;
		Chain next = !b || a->v <= b->v ? a->next : a;
		b = b && b->v <= a->v ? b->next : b;
		a = next;
	}
	return n;
}
