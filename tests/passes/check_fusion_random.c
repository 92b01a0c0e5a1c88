/* Verdicts of fusion against brute force: two random kernels of affine accesses, of which the test knows
 * which thread comes to which bytes. Never "may" where some byte is written by a block of one kernel and
 * touched by another block of the other; never without a barrier where that holds between threads. Where no
 * thread races with another inside a kernel, memory is what it was. Cases in which an address leaves its
 * buffer are none: verdicts take it that this does not happen. */
#include "lib/strbuf.h"
#include "tests/passes/fuse_pair.h"
#include "tests/random.h"

static uint64_t rng = 1;
static int pick(int n) { return (int)(random_next(&rng) % (unsigned)n); }

/* terms: tid.x, ctaid.x, their number in x, tid.y, ctaid.y, the turn */
enum { BYTES = 2048, HALF = 1024, ACCESSES = 3, TERMS = 6 };
static const char *const term[TERMS] = { "%tx", "%cx", "%gx", "%ty", "%cy", "%turn" };

typedef struct Access {
	bool write, is_signed;
	int size, param;
	uint32_t coefficient[TERMS], constant, mask;
	int scale, offset, guard;
} Access;
/* by parameter: which buffer, and where in it */
typedef struct Kernel { int n, turns, buffer[2], begin[2]; Access a[ACCESSES]; } Kernel;
typedef struct Program { Kernel k[2]; uint32_t grid[2], block[2]; bool known; } Program;

/* ---- making ---- */

static uint32_t coefficient(const Program *p)
{
	switch (pick(9)) {
	case 0: return (uint32_t)-1;
	case 1: return 2;
	case 2: return p->block[0];
	case 3: return p->block[0] * p->grid[0];
	case 4: return (uint32_t)pick(7) - 3;
	case 5: return p->block[0] * p->block[1];
	default: return 1;
	}
}

static Access make_access(const Program *p, int turns)
{
	static const uint32_t masks[] = { 0, 0, 0, 0, 127, 31, 63 };
	Access a = { .write = pick(2), .is_signed = pick(2), .size = 1 << pick(4), .param = pick(2),
		.mask = masks[pick(7)], .guard = pick(3) ? 0 : 1 + pick(8) };
	int first = pick(3);
	if (first)
		a.coefficient[2] = first == 1 ? 1 : coefficient(p);
	else
		a.coefficient[0] = coefficient(p), a.coefficient[1] = coefficient(p);
	if (p->block[1] > 1 || !pick(4))
		a.coefficient[3] = pick(3) ? coefficient(p) : 0;
	if (p->grid[1] > 1 || !pick(4))
		a.coefficient[4] = pick(3) ? coefficient(p) : 0;
	if (turns > 1)
		a.coefficient[5] = pick(3) ? coefficient(p) : 0;
	a.constant = !pick(3) ? (uint32_t)pick(9) - 4 : !pick(8) ? (uint32_t)0 - (uint32_t)pick(1 << 16) : 0;
	a.scale = pick(4) ? a.size : 1 << pick(4);
	a.offset = pick(4) ? 0 : pick(17) - 8;
	return a;
}

static void make(Program *p)
{
	*p = (Program){ .grid = { 1 + (uint32_t)pick(4), pick(3) ? 1 : 2 },
		.block = { 1 + (uint32_t)pick(8), pick(3) ? 1 : 1 + (uint32_t)pick(3) }, .known = pick(3) };
	for (int k = 0; k < 2; k++) {
		Kernel *x = &p->k[k];
		x->turns = pick(4) ? 1 : 2 + pick(3);
		for (int b = 0; b < 2; b++)
			x->buffer[b] = pick(2), x->begin[b] = pick(3) ? 0 : pick(2) ? HALF : 8 * pick(16);
		x->n = 1 + pick(ACCESSES);
		for (int i = 0; i < x->n; i++)
			if (i && !pick(3)) /* the same address for other bytes */
				x->a[i] = x->a[i - 1], x->a[i].size = 1 << pick(4), x->a[i].write = pick(2);
			else
				x->a[i] = make_access(p, x->turns);
		if (!k)
			continue;
		if (!pick(3)) /* the same index, so that much is safe */
			x->a[0] = p->k[0].a[0], x->a[0].write = pick(2), x->turns = p->k[0].turns;
		for (int b = 0; b < 2; b++)
			if (pick(2))
				x->buffer[b] = p->k[0].buffer[b], x->begin[b] = p->k[0].begin[b];
	}
}

/* ---- text ---- */

static void write_access(const Access *a, int n, StrBuf *t)
{
	char guard[20] = "";
	sb_printf(t, "\t%%j = mov.u32 %u\n", a->constant);
	for (int k = 0; k < TERMS; k++)
		if (a->coefficient[k])
			sb_printf(t, "\t%%j = mad.lo.u32 %s, %u, %%j\n", term[k], a->coefficient[k]);
	if (a->mask)
		sb_printf(t, "\t%%j = and.b32 %%j, %u\n", a->mask);
	if (a->guard) {
		snprintf(guard, sizeof guard, "@%%p%d ", n);
		sb_printf(t, "\t%%p%d = setp.lt.u32 %%tx, %d\n", n, a->guard);
	}
	sb_printf(t, "\t%%o = mul.wide.%s %%j, %d\n\t%%q = add.u64 %%b%d, %%o\n",
		a->is_signed ? "s32" : "u32", a->scale, a->param);
	const char *reg = a->size == 8 ? "%w" : "%v";
	if (a->write)
		sb_printf(t, "\t%sst.global.u%d [%%q%+d], %s\n", guard, 8 * a->size, a->offset, reg);
	else
		sb_printf(t, "\t%s%s = ld.global.u%d [%%q%+d]\n\t%s = add.u%d %s, 5\n", guard, reg,
			8 * a->size, a->offset, reg, a->size == 8 ? 64 : 32, reg);
}

static void write_kernel(const Kernel *x, int k, StrBuf *t)
{
	sb_printf(t, "kernel k%d(u64 a, u64 b) {\n\treg u32 %%v\n\treg u64 %%w\n\t%%tx = mov.u32 %%tid.x\n"
		"\t%%cx = mov.u32 %%ctaid.x\n\t%%n = mov.u32 %%ntid.x\n\t%%gx = mad.lo.u32 %%cx, %%n, %%tx\n"
		"\t%%ty = mov.u32 %%tid.y\n"
		"\t%%cy = mov.u32 %%ctaid.y\n\t%%b0 = ld.param.u64 [a]\n\t%%b1 = ld.param.u64 [b]\n"
		"\t%%turn = mov.u32 0\n\t%%v = mad.lo.u32 %%cy, 100, %%gx\n\t%%v = mad.lo.u32 %%ty, 10, %%v\n"
		"\t%%w = cvt.u64.u32 %%v\n"
		"\tbra LOOP\nLOOP:\n", k);
	for (int i = 0; i < x->n; i++)
		write_access(&x->a[i], i, t);
	sb_printf(t, "\t%%turn = add.u32 %%turn, 1\n\t%%more = setp.lt.u32 %%turn, %d\n"
		"\tbra %%more, LOOP, END\nEND:\n\texit\n}\n", x->turns);
}

static void write_program(const Program *p, StrBuf *t)
{
	write_kernel(&p->k[0], 1, t);
	write_kernel(&p->k[1], 2, t);
	sb_printf(t, "host main() {\n\t%%x0 = alloc.u64 %d\n\t%%x1 = alloc.u64 %d\n\t%%c = alloc.u64 16\n"
		"\tfill.u8 %%x0, 3, %d\n", BYTES, BYTES, BYTES);
	for (int k = 0; k < 4; k++) {
		uint32_t v = k < 2 ? p->grid[k] : p->block[k - 2];
		if (p->known)
			sb_printf(t, "\t%%g%d = mov.u32 %u\n", k, v);
		else
			sb_printf(t, "\tst.global.u32 [%%c+%d], %u\n\t%%g%d = ld.global.u32 [%%c+%d]\n",
				4 * k, v, k, 4 * k);
	}
	for (int k = 0; k < 2; k++)
		for (int b = 0; b < 2; b++)
			if (p->k[k].begin[b])
				sb_printf(t, "\t%%a%d%d = add.u64 %%x%d, %d\n", k, b, p->k[k].buffer[b],
					p->k[k].begin[b]);
			else
				sb_printf(t, "\t%%a%d%d = mov.u64 %%x%d\n", k, b, p->k[k].buffer[b]);
	for (int k = 0; k < 2; k++)
		sb_printf(t, "\tlaunch k%d, (%%g0, %%g1, 1), (%%g2, %%g3, 1), 0, (%%a%d0, %%a%d1)\n", k + 1,
			k, k);
	sb_puts(t, "\texit\n}\n");
}

/* ---- brute force ---- */

/* by byte: a thread or block from 1 on; whether there are others */
typedef struct Touch { int reader, writer; bool readers, writers; } Touch;
typedef struct Touches { Touch block[2][BYTES], thread[2][BYTES]; } Touches; /* by buffer */
typedef struct Facts { bool outside, misaligned; Touches of[2]; } Facts;

static void note(Touch *t, bool write, int who)
{
	int *first = write ? &t->writer : &t->reader;
	bool *others = write ? &t->writers : &t->readers;
	*others |= *first && *first != who;
	*first = *first ? *first : who;
}

static void note_access(const Program *p, const Kernel *x, const Access *a, const uint32_t *value, int block,
	int thread, Facts *f, Touches *to)
{
	uint32_t j = a->constant;
	(void)p;
	if (a->guard && value[0] >= (uint32_t)a->guard)
		return;
	for (int k = 0; k < TERMS; k++)
		j += a->coefficient[k] * value[k];
	j = a->mask ? j & a->mask : j;
	int64_t at = x->begin[a->param] + (a->is_signed ? (int64_t)(int32_t)j : (int64_t)j) * a->scale +
		a->offset;
	if (at < 0 || at + a->size > BYTES) {
		f->outside = true;
		return;
	}
	f->misaligned |= at % a->size != 0;
	for (int k = 0; k < a->size; k++) {
		note(&to->block[x->buffer[a->param]][at + k], a->write, block);
		note(&to->thread[x->buffer[a->param]][at + k], a->write, thread);
	}
}

static void note_thread(const Program *p, int k, uint32_t cx, uint32_t cy, uint32_t tx, uint32_t ty, Facts *f)
{
	int block = (int)(cy * p->grid[0] + cx) + 1, thread =
		(block - 1) * (int)(p->block[0] * p->block[1]) + (int)(ty * p->block[0] + tx) + 1;
	for (int turn = 0; turn < p->k[k].turns; turn++)
		for (int i = 0; i < p->k[k].n; i++)
			note_access(p, &p->k[k], &p->k[k].a[i],
				(uint32_t[TERMS]){ tx, cx, cx * p->block[0] + tx, ty, cy, (uint32_t)turn },
				block, thread, f, &f->of[k]);
}

static void brute_force(const Program *p, Facts *f)
{
	*f = (Facts){ 0 };
	for (int k = 0; k < 2; k++)
		for (uint32_t cy = 0; cy < p->grid[1]; cy++)
			for (uint32_t cx = 0; cx < p->grid[0]; cx++)
				for (uint32_t ty = 0; ty < p->block[1]; ty++)
					for (uint32_t tx = 0; tx < p->block[0]; tx++)
						note_thread(p, k, cx, cy, tx, ty, f);
}

static bool differ(int a, bool many_a, int b, bool many_b) { return a && b && (a != b || many_a || many_b); }

static bool meet(const Touch *a, const Touch *b)
{
	return differ(a->writer, a->writers, b->writer, b->writers) ||
		differ(a->writer, a->writers, b->reader, b->readers) ||
		differ(a->reader, a->readers, b->writer, b->writers);
}

/* Blocks, threads, of the two kernels, or of one with itself. */
static bool blocks_meet(const Facts *f)
{
	bool found = false;
	for (int b = 0; b < 2; b++)
		for (int k = 0; k < BYTES; k++)
			found |= meet(&f->of[0].block[b][k], &f->of[1].block[b][k]);
	return found;
}

static bool threads_meet(const Facts *f, int first, int second)
{
	bool found = false;
	for (int b = 0; b < 2; b++)
		for (int k = 0; k < BYTES; k++)
			found |= meet(&f->of[first].thread[b][k], &f->of[second].thread[b][k]);
	return found;
}

/* ---- the test ---- */

static struct { int cases, free, fused, unbarred, run, illegal; } count;

static void try_program(const Program *p, const Facts *f)
{
	static const char *const models[] = { "ipdom", "its", "tf_stack" };
	StrBuf t = { 0 };
	write_program(p, &t);
	Module *m = read_text(t.s), *fused = module_copy(m);
	FusedPair pair;
	fuse_adjacent(fused, (FusionOptions){ 0 }, &pair);
	bool conflict = blocks_meet(f), apart = threads_meet(f, 0, 1);
	count.cases++;
	count.illegal += conflict;
	count.free += !conflict;
	count.fused += pair.fused;
	ck_assert_msg(!pair.fused || !conflict, "fused, though blocks meet:\n%s", t.s);
	ck_assert_msg(!pair.fused || !apart || pair.verdict.between == FUSION_BLOCK,
		"no barrier, though threads meet:\n%s", t.s);
	count.unbarred += pair.fused && pair.verdict.between == FUSION_NOTHING;
	if (pair.fused && !f->misaligned && !threads_meet(f, 0, 0) && !threads_meet(f, 1, 1)) {
		const char *model = models[pick(3)];
		count.run++;
		ck_assert_msg(run_text(fused, NULL, "fused") == run_text(m, NULL, "apart"),
			"other memory in the reference interpreter:\n%s", t.s);
		ck_assert_msg(run_text(fused, model, "fused") == run_text(m, model, "apart"),
			"other memory under %s:\n%s", model, t.s);
	}
	sb_free(&t);
	module_free(fused);
	module_free(m);
}

START_TEST(random_pairs)
{
	static Facts f;
	const char *more = getenv("FUSION_CASES");
	int cases = more ? atoi(more) : 1500;
	rng = getenv("FUSION_SEED") ? (uint64_t)atoll(getenv("FUSION_SEED")) : 1;
	while (count.cases < cases) {
		Program p;
		make(&p);
		brute_force(&p, &f);
		if (!f.outside)
			try_program(&p, &f);
	}
	if (getenv("VERBOSE"))
		fprintf(stderr, "%d pairs: %d in which blocks meet; of the %d others %d are fused, %d of "
			"them without a barrier; %d were run\n", count.cases, count.illegal, count.free,
			count.fused, count.unbarred, count.run);
	ck_assert(count.illegal > cases / 10 && count.fused > cases / 20 && count.unbarred > cases / 50 &&
		count.run > cases / 100);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("fusion of random kernels");
	TCase *t = tcase_create("pairs");
	tcase_add_test(t, random_pairs);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
