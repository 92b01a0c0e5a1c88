/* What the recorder of traces compresses, zlib inflates to the same bytes; it takes no more room than zlib
 * would grant it, and about as little as zlib's fastest level makes of events. */
#include "lib/arena.h"
#include "lib/diag.h"
#include "tests/check.h"
#include "tests/random.h"
#include "traces/deflate.h"
#include "traces/huffman.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static Deflater *deflater;
static void setup(void) { deflater = deflater_new(); }
static void teardown(void) { deflater_free(deflater); }

/* Compresses and inflates n bytes; returns how many they have become. */
static size_t there_and_back(const uint8_t *raw, size_t n)
{
	uint8_t *out = xmalloc(deflater_bound(n)), *back = xmalloc(n + 1);
	size_t stored = deflater_run(deflater, raw, n, out);
	uLongf again = (uLongf)n + 1;
	ck_assert_uint_le(stored, deflater_bound(n));
	ck_assert_uint_le(stored, compressBound((uLong)n)); /* readers refuse more */
	ck_assert_int_eq(uncompress(back, &again, out, (uLong)stored), Z_OK);
	ck_assert_uint_eq(again, n);
	ck_assert(!n || !memcmp(raw, back, n));
	free(out);
	free(back);
	return stored;
}

enum { NOISE, TWO_VALUES, SKEWED, ROWS, EQUAL, NEARLY_FAR, KINDS };

static void fill_bytes(int kind, uint8_t *p, size_t n, uint64_t *state)
{
	for (size_t k = 0; k < n; k++) {
		uint64_t r = random_next(state);
		switch (kind) {
		case NOISE: p[k] = (uint8_t)r; break;
		case TWO_VALUES: p[k] = r & 1; break;
		/* each value half as often as the one before: the longest codes there are */
		case SKEWED: p[k] = (uint8_t)__builtin_ctzll(r | (uint64_t)1 << 63); break;
		case ROWS: p[k] = (uint8_t)(r % 50 ? k % 7 : r >> 8); break;
		case EQUAL: p[k] = 3; break;
		default: p[k] = k >= 32767 && r % 5 ? p[k - 32767 + r % 2] : (uint8_t)r;
		}
	}
}

START_TEST(all_kinds_of_bytes_come_back)
{
	uint64_t state = 1;
	static uint8_t raw[200000];
	for (size_t n = 0; n < 300; n++)
		for (int kind = 0; kind < KINDS; kind++) {
			fill_bytes(kind, raw, n, &state);
			there_and_back(raw, n);
		}
	for (size_t n = 32000; n <= sizeof raw; n += 33599)
		for (int kind = 0; kind < KINDS; kind++) {
			fill_bytes(kind, raw, n, &state);
			there_and_back(raw, n);
		}
}
END_TEST

START_TEST(the_same_bytes_become_the_same)
{
	uint64_t state = 5;
	uint8_t raw[5000], first[6000], second[6000];
	fill_bytes(ROWS, raw, sizeof raw, &state);
	size_t n = deflater_run(deflater, raw, sizeof raw, first);
	for (int k = 0; k < 3; k++) { /* whatever has been compressed before */
		fill_bytes(ROWS, second, sizeof raw, &state);
		there_and_back(second, sizeof raw);
		ck_assert_uint_eq(deflater_run(deflater, raw, sizeof raw, second), n);
		ck_assert(!memcmp(first, second, n));
	}
}
END_TEST

/* Bytes as of events: short records, each like one of the last ones but for a byte or two. */
static void fill_events(uint8_t *p, size_t n, uint64_t *state)
{
	for (size_t k = 0; k < n; k++)
		p[k] = (uint8_t)random_next(state);
	for (size_t k = 256; k + 16 < n; k += 8) {
		uint64_t r = random_next(state);
		memcpy(p + k, p + k - 8 * (1 + r % 24), 8);
		if (!(r >> 8 & 3))
			p[k + (r >> 10 & 7)] = (uint8_t)(r >> 16 & 15);
	}
}

START_TEST(events_become_about_as_few_as_with_zlib)
{
	uint64_t state = 9;
	static uint8_t raw[1 << 17], out[1 << 18];
	fill_events(raw, sizeof raw, &state);
	uLongf n = sizeof out;
	ck_assert_int_eq(compress2(out, &n, raw, sizeof raw, Z_BEST_SPEED), Z_OK);
	ck_assert_uint_le(there_and_back(raw, sizeof raw), n + n / 8);
}
END_TEST

/* Counts as Fibonacci's numbers give a tree that is as deep as it has symbols: lengths have a limit. */
START_TEST(codes_keep_their_limit_and_are_complete)
{
	uint32_t count[HUFFMAN_LITERALS] = { 1, 1 }, distance[HUFFMAN_DISTANCES] = { 0 };
	for (int n = 2; n < 45; n++) {
		HuffmanLengths h;
		uint32_t used = 0;
		count[n] = count[n - 1] + count[n - 2];
		huffman_lengths(&h, count, HUFFMAN_LITERALS, distance, HUFFMAN_DISTANCES);
		for (int k = 0; k <= n; k++) {
			ck_assert_int_ge(h.literal[k], 1);
			ck_assert_int_le(h.literal[k], 15);
			ck_assert(!k || h.literal[k] <= h.literal[k - 1]);
			used += (uint32_t)1 << (15 - h.literal[k]);
		}
		ck_assert_uint_eq(used, 1 << 15);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("deflate");
	TCase *t = tcase_create("deflate");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, all_kinds_of_bytes_come_back);
	tcase_add_test(t, the_same_bytes_become_the_same);
	tcase_add_test(t, events_become_about_as_few_as_with_zlib);
	tcase_add_test(t, codes_keep_their_limit_and_are_complete);
	suite_add_tcase(s, t);
	SRunner *run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	int failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
