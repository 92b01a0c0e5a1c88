/* printf of kernels: what it prints is what the host's printf prints for the same values; limits, errors,
   assertions. */
#include "isa/print.h"
#include "lib/arena.h"
#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a memory: what lies behind is a fault ---- */

enum { BASE = 0x1000, BYTES = 1 << 21 };
static uint8_t memory[BYTES];
static uint64_t used;

static bool byte(void *self, uint64_t addr, uint8_t *v)
{
	(void)self;
	if (addr - BASE >= used)
		return false;
	*v = memory[addr - BASE];
	return true;
}

static const PrintReader reader = { NULL, byte };

static uint64_t store(const void *p, uint64_t n)
{
	used = (used + 7) / 8 * 8;
	memcpy(memory + used, p, n);
	used += n;
	return BASE + used - n;
}

static uint64_t text(const char *s) { return store(s, strlen(s) + 1); }

/* Arguments as the compiler packs them. */
typedef struct Pack { uint8_t b[512]; uint64_t n; } Pack;

static void pack(Pack *p, uint64_t v, unsigned bytes)
{
	p->n = (p->n + bytes - 1) / bytes * bytes;
	memcpy(p->b + p->n, &v, bytes);
	p->n += bytes;
}

static uint64_t bits_of(double d)
{
	uint64_t v;
	memcpy(&v, &d, sizeof v);
	return v;
}

/* ---- random conversions ---- */

static uint64_t state;

static uint64_t next(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 29;
}

static unsigned rnd(unsigned n) { return (unsigned)(next() % n); }

typedef struct Case { char format[64], want[512]; Pack args; int n; } Case;

static const double doubles[] = { 0, -0.0, 1, -1.5, 3.14159265358979, 1e10, 1.7976931348623157e308, 5e-324,
	123456.789, 0.5, 2.5, 1e-5, 9.9999995 };

/* One conversion of random flags, width, precision, size and type, and the host's text. */
static void random_case(Case *c, uint64_t seed)
{
	static const char types[] = "diuoxXcsaAeEfFgGp";
	static const char *const sizes[] = { "", "hh", "h", "l", "ll" };
	static const char *const words[] = { "", "a", "seven", "a longer text" };
	*c = (Case){ .n = 0 };
	state = seed;
	char type = types[rnd(sizeof types - 1)];
	bool whole = strchr("diuoxX", type), real = strchr("aAeEfFgG", type);
	const char *size = whole ? sizes[rnd(5)] : "";
	char flags[8] = "", width[16] = "", precision[16] = "", host[64];
	int w = 0, prec = -1;
	for (int k = 0; k < 5; k++)
		if (!rnd(3) && (whole || real || "-+ #0"[k] == '-'))
			flags[strlen(flags)] = "-+ #0"[k];
	if (!rnd(2)) {
		w = (int)rnd(20) - 5 * !rnd(4);
		if (w < 0 || rnd(2)) {
			strcpy(width, "*");
			pack(&c->args, (uint32_t)w, 4);
			c->n++;
		} else if (w) {
			snprintf(width, sizeof width, "%d", w);
		}
	}
	if (!rnd(2) && type != 'c' && type != 'p') {
		prec = (int)rnd(12) - 3 * !rnd(4);
		if (prec < 0 || rnd(2)) {
			strcpy(precision, ".*");
			pack(&c->args, (uint32_t)prec, 4);
			c->n++;
		} else {
			snprintf(precision, sizeof precision, ".%d", prec);
		}
	}
	snprintf(c->format, sizeof c->format, "<%%%s%s%s%s%c>", flags, width, precision, size, type);
	snprintf(host, sizeof host, "<%%%s*.*%s%c>", flags, *size || !whole ? size : "", type);
	uint64_t v = next() << 31 ^ next() >> rnd(30);
	c->n++;
	if (real) {
		double d = doubles[rnd(sizeof doubles / sizeof *doubles)];
		pack(&c->args, bits_of(d), 8);
		snprintf(c->want, sizeof c->want, host, w, prec, d);
	} else if (type == 's') {
		const char *s = words[rnd(4)];
		pack(&c->args, text(s), 8);
		snprintf(c->want, sizeof c->want, host, w, prec, s);
	} else if (type == 'c' || type == 'p') {
		snprintf(host, sizeof host, "<%%%s*%c>", flags, type);
		pack(&c->args, type == 'c' ? 'a' + v % 26 : v | 1, type == 'c' ? 4 : 8);
		if (type == 'c')
			snprintf(c->want, sizeof c->want, host, w, (int)('a' + v % 26));
		else
			snprintf(c->want, sizeof c->want, host, w, (void *)(uintptr_t)(v | 1));
	} else {
		bool wide = *size == 'l';
		pack(&c->args, v, wide ? 8 : 4);
		if (wide && size[1])
			snprintf(c->want, sizeof c->want, host, w, prec, (long long)v);
		else if (wide)
			snprintf(c->want, sizeof c->want, host, w, prec, (long)v);
		else
			snprintf(c->want, sizeof c->want, host, w, prec, (int)v);
	}
}

START_TEST(conversions)
{
	for (uint64_t seed = 0; seed < 20000; seed++) {
		Case c;
		int32_t n;
		PrintBuffer b = { .limit = 1 << 20 };
		used = 0;
		random_case(&c, seed);
		uint64_t args = store(c.args.b, c.args.n), format = text(c.format);
		ck_assert(print_format(&b, &reader, format, args, &n));
		ck_assert_msg(!strcmp(b.text.s, c.want), "%s (seed %llu): '%s', the host prints '%s'",
			c.format, (unsigned long long)seed, b.text.s, c.want);
		ck_assert_int_eq(n, c.n);
		sb_free(&b.text);
	}
}
END_TEST

/* ---- one call ---- */

static int32_t call(PrintBuffer *b, const char *format, const Pack *p, bool ok)
{
	int32_t n = 12345;
	used = 0;
	uint64_t args = store(p->b, p->n);
	ck_assert(print_format(b, &reader, format ? text(format) : 0, args, &n) == ok);
	return n;
}

#define PRINTS(RESULT, WANT, FORMAT, PACK) do { \
	PrintBuffer b_ = { .limit = 1 << 20 }; \
	ck_assert_int_eq(call(&b_, FORMAT, PACK, true), RESULT); \
	ck_assert_str_eq(b_.text.s ? b_.text.s : "", WANT); \
	sb_free(&b_.text); \
} while (0)

START_TEST(corners)
{
	Pack none = { .n = 0 }, many = { .n = 0 }, mixed = { .n = 0 }, null = { .n = 0 };
	char format[128] = "", want[256] = "";
	PRINTS(0, "", "", &none);
	PRINTS(0, "100% sure", "100%% sure", &none);
	PRINTS(-1, "", NULL, &none);
	PRINTS(0, "%", "%", &none);
	PRINTS(0, "%q %n %lq %5", "%q %n %lq %5", &none);
	for (int k = 0; k < 40; k++) {
		pack(&many, (uint64_t)k, 4);
		strcat(format, "%d");
		snprintf(want + strlen(want), sizeof want - strlen(want), k < 32 ? "%d" : "%%d", k);
	}
	PRINTS(32, want, format, &many);
	pack(&mixed, 1, 4); /* 8-byte arguments are aligned */
	pack(&mixed, bits_of(2.5), 8);
	pack(&mixed, 3, 4);
	pack(&mixed, (uint64_t)-4, 8);
	PRINTS(4, "1 2.500000 3 -4", "%d %f %d %lld", &mixed);
	pack(&null, 0, 8);
	pack(&null, 0, 8);
	PRINTS(2, "(null) (nil)", "%s %p", &null);
	PRINTS(1, "|  (null)||", "|%8s||", &null);
}
END_TEST

START_TEST(limits)
{
	PrintBuffer b = { .limit = 10 };
	Pack p = { .n = 0 };
	pack(&p, 1000000000, 4);
	pack(&p, 1000000000, 4);
	ck_assert_int_eq(call(&b, "12345678", &p, true), 0);
	ck_assert_int_eq(call(&b, "abc", &p, true), 0);          /* 11 bytes: all or nothing */
	ck_assert_int_eq(call(&b, "a", &p, true), 0);            /* behind a lost one */
	ck_assert_str_eq(b.text.s, "12345678");
	ck_assert_uint_eq(b.lost, 2);
	sb_free(&b.text);
	b = (PrintBuffer){ .limit = 1000 };
	pack(&p, bits_of(1), 8);
	ck_assert_int_eq(call(&b, "%*d", &p, true), 2);          /* no memory of a gigabyte */
	ck_assert_int_eq(call(&b, "%.*f", &p, true), 2);
	ck_assert_int_eq(call(&b, "%999999999999999d", &p, true), 1);
	ck_assert_uint_eq(b.lost, 3);
	ck_assert(!b.text.n);
	ck_assert_int_eq(call(NULL, "%d", &p, true), 1);         /* nowhere */
	char *large = xmalloc(BYTES);
	memset(large, 'x', BYTES);
	large[(1 << 16) + 10] = 0;
	b = (PrintBuffer){ .limit = 1 << 30 };
	ck_assert_int_eq(call(&b, large, &p, true), -2);         /* a format of more than 64 KiB */
	large[(1 << 16) + 10] = 'x';
	large[(1 << 20) + 10] = 0;
	Pack s = { .n = 0 };
	used = 8;
	pack(&s, text(large), 8);
	int32_t n;
	uint64_t args = store(s.b, s.n);
	ck_assert(print_format(&b, &reader, text("%s"), args, &n)); /* a string of more than 1 MiB */
	ck_assert_int_eq(n, -2);
	ck_assert(print_format(&b, &reader, text("%.7s"), args, &n));
	ck_assert_int_eq(n, 1);
	ck_assert_str_eq(b.text.s, "xxxxxxx");
	ck_assert(!b.lost);
	sb_free(&b.text);
	free(large);
}
END_TEST

START_TEST(faults)
{
	PrintBuffer b = { .limit = 1000 };
	Pack p = { .n = 0 };
	int32_t n;
	pack(&p, 0x999999, 8);
	call(&b, "text %s", &p, false);
	call(NULL, "text %s", &p, false);                        /* the same without a buffer, */
	b.lost = 1;
	call(&b, "text %s", &p, false);                          /* and when it is full */
	b.lost = 0;
	used = 0;
	uint64_t format = store("no end", 6);
	ck_assert(!print_format(&b, &reader, format, 0, &n));
	used = 0;
	ck_assert(!print_format(&b, &reader, text("%d"), 0, &n)); /* no arguments */
	ck_assert(!b.text.n && !b.lost);
	sb_free(&b.text);
}
END_TEST

START_TEST(assertions)
{
	const uint32_t block[3] = { 1, 2, 3 }, thread[3] = { 4, 5, 6 };
	StrBuf out = { 0 };
	used = 0;
	Assertion a = { .message = text("a < b"), .file = text("k.cu"), .function = text("void k(int)"),
		.line = 17 };
	ck_assert(print_assertion(&a, &reader, block, thread, &out));
	ck_assert_str_eq(out.s, "k.cu:17: void k(int): block: [1,2,3], thread: [4,5,6] Assertion `a < b` "
		"failed.");
	a.message = 5;
	ck_assert(!print_assertion(&a, &reader, block, thread, &out));
	sb_free(&out);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("print");
	TCase *t = tcase_create("print");
	tcase_add_test(t, conversions);
	tcase_add_test(t, corners);
	tcase_add_test(t, limits);
	tcase_add_test(t, faults);
	tcase_add_test(t, assertions);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
