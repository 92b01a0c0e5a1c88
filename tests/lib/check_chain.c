/* Sets that share: against sets of bits, in random sequences of operations. */
#include "lib/bitset.h"
#include "lib/chain.h"
#include <check.h>

enum { MEMBERS = 40, SETS = 12, STEPS = 5000 };

static unsigned state;

static int pick(int n)
{
	state = state * 1103515245 + 12345;
	return (int)(state >> 8) % n;
}

static bool same(Chain c, BitSet s)
{
	int at = 0, left = chain_count(c);
	bool ok = left == bs_count(s);
	chain_each(c, link) {
		ok &= link->v == bs_next(s, at) && link->n == left--;
		at = link->v + 1;
	}
	for (int v = 0; v < MEMBERS; v++)
		ok &= chain_has(c, v) == bs_has(s, v);
	return ok;
}

static void without(BitSet d, BitSet s)
{
	bs_each(s, v)
		bs_del(d, v);
}

START_TEST(sets_of_bits)
{
	Arena a = { 0 };
	Chains all = { .arena = &a };
	Chain c[SETS] = { 0 };
	BitSet s[SETS];
	state = (unsigned)_i;
	for (int k = 0; k < SETS; k++)
		s[k] = bs_new(&a, MEMBERS);
	for (int step = 0; step < STEPS; step++) {
		int to = pick(SETS), from = pick(SETS), v = pick(MEMBERS), list[MEMBERS];
		BitSet only = bs_new(&a, MEMBERS);
		switch (pick(4)) {
		case 0: c[to] = chain_add(&all, c[to], v); bs_add(s[to], v); break;
		case 1: c[to] = chain_remove(&all, c[to], v); bs_del(s[to], v); break;
		case 2: c[to] = chain_union(&all, c[to], c[from]); bs_union(s[to], s[from]); break;
		default:
			bs_copy(only, s[from]);
			c[to] = chain_without(&all, c[to], c[from]);
			without(s[to], only);
			break;
		}
		ck_assert_msg(same(c[to], s[to]), "step %d: another set", step);
		ck_assert_msg((c[to] == c[from]) == bs_equal(s[to], s[from]),
			"step %d: equal sets, and not the same list", step);
		bs_copy(only, s[to]);
		without(only, s[from]);
		int n = chain_only(c[to], c[from], list);
		bool right = n == bs_count(only);
		for (int k = 0; k < n; k++)
			right &= bs_has(only, list[k]) && (!k || list[k - 1] < list[k]);
		ck_assert_msg(right, "step %d: members of the first set alone", step);
	}
	arena_free(&a);
}
END_TEST

/* Many sets, each with one member more in front than the one before, take memory for as many members. */
START_TEST(what_is_equal_is_shared)
{
	enum { MANY = 300000 };
	Arena a = { 0 };
	Chains all = { .arena = &a };
	Chain c = NULL, was = NULL;
	bool shared = true;
	for (int v = MANY; v-- > 0; was = c) {
		c = chain_add(&all, was, v);
		shared &= c->next == was;
	}
	ck_assert(shared);
	ck_assert_int_eq(chain_count(c), MANY);
	ck_assert_uint_lt(a.total, (size_t)MANY * 200);
	arena_free(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("chain");
	TCase *t = tcase_create("chain");
	tcase_add_loop_test(t, sets_of_bits, 0, 8);
	tcase_add_test(t, what_is_equal_is_shared);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
