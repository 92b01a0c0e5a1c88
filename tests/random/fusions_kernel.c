/* Random kernels whose accesses follow patterns of the thread's number, with barriers, atomics, loops and
   early returns. */
#include "tests/random.h"
#include "tests/random/fusions.h"

/* ---- the two texts ---- */

typedef struct Gen {
	FusionText *t;
	uint64_t *rng;
	FusionKernel *k;
	int label, reg;                /* numbers of the next ones */
	bool returns;                  /* some threads of a block may have ended */
	/* by buffer: bytes of its elements; own: the pattern in which buffer 0 is written. Seldom another one
	   is taken, for then threads race. */
	int bytes[3], own;
	int depth;                     /* of branches that lanes take alone */
} Gen;

static int pick(Gen *g, int n) { return (int)fusion_random(g->rng, (unsigned)n); }
static bool chance(Gen *g, int percent) { return pick(g, 100) < percent; }

__attribute__((format(printf, 2, 3))) static void put(Gen *g, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	sb_vprintf(&g->t->plain, fmt, ap);
	sb_vprintf(&g->t->noting, fmt, again);
	va_end(again);
	va_end(ap);
}

/* Notes an access of so many bytes at %aADDR + offset; guard NULL: of every thread that comes here. */
static void note(Gen *g, int addr, int offset, int bytes, int kind, const char *guard)
{
	StrBuf *s = &g->t->noting;
	int r = g->reg++;
	sb_printf(s, "\t%%at%d = add.u64 %%a%d, %d\n\t%%slot%d = atom.global.add.u64 [notes], 1\n"
		"\t%%slot%d = mad.lo.u64 %%slot%d, 32, %%notes\n", r, addr, offset, r, r, r);
	sb_printf(s, "\t%%what%d = mov.u64 %d\n", r, bytes << 8 | kind);
	if (guard)
		sb_printf(s, "\t%%what%d = selp.u64 %%what%d, 0, %s\n", r, r, guard);
	sb_printf(s, "\tst.global.u64 [%%slot%d+8], %%at%d\n\tst.global.u64 [%%slot%d+16], %%what%d\n"
		"\tst.global.u64 [%%slot%d+24], %%who\n\tst.global.u64 [%%slot%d+32], %%epoch\n", r, r, r, r,
		r, r);
}

/* ---- addresses ---- */

enum { RACE = 1 };                     /* of a hundred accesses so many may race */

static int pick_bytes(Gen *g)
{
	static const int bytes[] = { 1, 2, 4, 4, 4, 4, 4, 8 };
	return bytes[pick(g, 8)];
}

static int bytes_of(Gen *g, int buffer) { return chance(g, RACE) ? pick_bytes(g) : g->bytes[buffer]; }

typedef enum { SAME, NEXT, BEFORE, REVERSED, TWICE, TURNED, NEXT_BLOCK, ONE, OF_BLOCK, PATTERNS } Pattern;

/* Register %x: the index of an element for thread %i. */
static int index_of(Gen *g, Pattern p)
{
	int r = g->reg++;
	switch (p) {
	case NEXT: put(g, "\t%%x%d = add.u32 %%i, 1\n", r); break;
	case BEFORE: put(g, "\t%%x%d = max.u32 %%i, 1\n\t%%x%d = sub.u32 %%x%d, 1\n", r, r, r); break;
	case REVERSED: put(g, "\t%%x%d = sub.u32 %%all, 1\n\t%%x%d = sub.u32 %%x%d, %%i\n", r, r, r); break;
	case TWICE: put(g, "\t%%x%d = mad.lo.u32 %%i, 2, %d\n", r, pick(g, 2)); break;
	case TURNED:
		put(g, "\t%%x%d = sub.u32 %%size, 1\n\t%%x%d = sub.u32 %%x%d, %%t\n"
			"\t%%x%d = mad.lo.u32 %%c, %%size, %%x%d\n", r, r, r, r, r);
		break;
	case NEXT_BLOCK: put(g, "\t%%x%d = add.u32 %%i, %%size\n", r); break;
	case ONE: put(g, "\t%%x%d = mov.u32 %d\n", r, pick(g, 40)); break;
	case OF_BLOCK: put(g, "\t%%x%d = mov.u32 %%c\n", r); break;
	default: put(g, "\t%%x%d = mov.u32 %%i\n", r); break;
	}
	return r;
}

/* Register %a: the address of that element behind %pB. The offset stands in the access. */
static int address(Gen *g, int buffer, const char *index, int bytes)
{
	int r = g->reg++, shift = bytes == 8 ? 3 : bytes / 2;
	switch (pick(g, 4)) {
	case 0:
		put(g, "\t%%o%d = shl.b32 %s, %d\n\t%%w%d = cvt.u64.u32 %%o%d\n"
			"\t%%a%d = add.u64 %%p%d, %%w%d\n", r, index, shift, r, r, r, buffer, r);
		break;
	case 1:
		put(g, "\t%%w%d = cvt.s64.s32 %s\n\t%%w%d = shl.b64 %%w%d, %d\n"
			"\t%%a%d = add.s64 %%p%d, %%w%d\n", r, index, r, r, shift, r, buffer, r);
		break;
	default: put(g, "\t%%a%d = mad.wide.u32 %s, %d, %%p%d\n", r, index, bytes, buffer); break;
	}
	return r;
}

/* ---- accesses of the value %v ---- */

static void load(Gen *g, int addr, int offset, int bytes)
{
	int r = g->reg++;
	note(g, addr, offset, bytes, NOTE_READ, NULL);
	switch (bytes) {
	case 1: case 2:
		put(g, "\treg u16 %%b%d\n\t%%b%d = ld.global.u%d [%%a%d+%d]\n"
			"\t%%l%d = cvt.u32.u16 %%b%d\n", r, r, 8 * bytes, addr, offset, r, r);
		break;
	case 8:
		put(g, "\t%%b%d = ld.global.u64 [%%a%d+%d]\n\t%%l%d = cvt.u32.u64 %%b%d\n", r, addr, offset,
			r, r);
		break;
	default: put(g, "\t%%l%d = ld.global.u32 [%%a%d+%d]\n", r, addr, offset); break;
	}
	put(g, "\t%%v = mad.lo.u32 %%v, %d, %%l%d\n", 1 + 2 * pick(g, 3), r);
}

static void store(Gen *g, int addr, int offset, int bytes, const char *guard)
{
	int r = g->reg++;
	char when[16] = "";
	if (guard)
		snprintf(when, sizeof when, "@%s ", guard);
	note(g, addr, offset, bytes, NOTE_WRITE, guard);
	switch (bytes) {
	case 1: case 2:
		put(g, "\t%%b%d = cvt.u16.u32 %%v\n\t%sst.global.u%d [%%a%d+%d], %%b%d\n", r, when,
			8 * bytes, addr, offset, r);
		break;
	case 8:
		put(g, "\t%%b%d = cvt.u64.u32 %%v\n\t%sst.global.u64 [%%a%d+%d], %%b%d\n", r, when, addr,
			offset, r);
		break;
	default: put(g, "\t%sst.global.u32 [%%a%d+%d], %%v\n", when, addr, offset); break;
	}
}

static void from(Gen *g, int buffer, Pattern p)
{
	char index[16];
	if (!buffer && !chance(g, RACE)) {
		if ((g->own == ONE || g->own == OF_BLOCK) && g->k->buffers == 1)
			return; /* all would read what one writes */
		if (g->own == ONE || g->own == OF_BLOCK)
			buffer = 1;
		else
			p = (Pattern)g->own;
	}
	int bytes = bytes_of(g, buffer);
	snprintf(index, sizeof index, "%%x%d", index_of(g, p));
	int addr = address(g, buffer, index, bytes);
	load(g, addr, buffer && chance(g, 15) ? bytes * pick(g, 3) : 0, bytes);
}

/* Only one thread, or one of a block, writes what all would write. */
static void to(Gen *g, int buffer, Pattern p, const char *guard)
{
	char index[16], own[16];
	int r = g->reg++, bytes = bytes_of(g, buffer);
	snprintf(index, sizeof index, "%%x%d", index_of(g, p));
	snprintf(own, sizeof own, "%%q%d", r);
	if (p == ONE || p == OF_BLOCK)
		put(g, "\t%s = setp.eq.u32 %s, 0\n", own, p == ONE ? "%i" : "%t");
	int addr = address(g, buffer, index, bytes);
	store(g, addr, chance(g, RACE) ? bytes : 0, bytes, p == ONE || p == OF_BLOCK ? own : guard);
}

static int any_buffer(Gen *g) { return pick(g, g->k->buffers); }

static void read_part(Gen *g)
{
	Pattern p = chance(g, 55) ? SAME : (Pattern)pick(g, PATTERNS);
	from(g, any_buffer(g), p);
}

static void write_part(Gen *g)
{
	Pattern p = (Pattern)(chance(g, RACE) ? pick(g, PATTERNS) : g->own);
	char guard[16];
	bool guarded = chance(g, 20);
	int r = g->reg++;
	snprintf(guard, sizeof guard, "%s%%g%d", chance(g, 30) ? "!" : "", r);
	if (guarded && chance(g, 50))
		put(g, "\t%%g%d = setp.lt.u32 %%i, %%n\n", r);
	else if (guarded)
		put(g, "\t%%m%d = and.b32 %%v, 1\n\t%%g%d = setp.eq.u32 %%m%d, %d\n", r, r, r, pick(g, 2));
	to(g, chance(g, RACE) ? any_buffer(g) : 0, p, guarded ? guard : NULL);
}

static void barrier(Gen *g)
{
	put(g, "\tbar.sync 0\n");
	sb_puts(&g->t->noting, "\t%epoch = add.u64 %epoch, 1\n");
}

/* Through shared memory: what another thread of the block has. */
static void exchange(Gen *g)
{
	int r = g->reg++;
	if (g->depth || (g->returns && chance(g, 70)))
		return;
	put(g, "\t%%s%d = mad.lo.u32 %%t, 4, %%tile\n\tst.shared.u32 [%%s%d], %%v\n", r, r);
	barrier(g);
	put(g, "\t%%s%d = sub.u32 %%size, 1\n\t%%s%d = sub.u32 %%s%d, %%t\n"
		"\t%%s%d = mad.lo.u32 %%s%d, 4, %%tile\n\t%%h%d = ld.shared.u32 [%%s%d]\n"
		"\t%%v = mad.lo.u32 %%v, 3, %%h%d\n", r, r, r, r, r, r, r, r);
	barrier(g);
}

/* The sum of a block's values, by its first thread. */
static void reduce(Gen *g)
{
	int r = g->reg++, l = g->label++;
	if (g->depth || (g->returns && chance(g, 70)))
		return;
	put(g, "\t%%s%d = mad.lo.u32 %%t, 4, %%tile\n\tst.shared.u32 [%%s%d], %%v\n", r, r);
	barrier(g);
	put(g, "\t%%f%d = setp.eq.u32 %%t, 0\n\tbra %%f%d, SUM%d, SUMMED%d\nSUM%d:\n\t%%j%d = mov.u32 0\n", r,
		r, l, l, l, r);
	put(g, "ADD%d:\n\t%%s%d = mad.lo.u32 %%j%d, 4, %%tile\n\t%%h%d = ld.shared.u32 [%%s%d]\n"
		"\t%%v = add.u32 %%v, %%h%d\n\t%%j%d = add.u32 %%j%d, 1\n", l, r, r, r, r, r, r, r);
	put(g, "\t%%f%d = setp.lt.u32 %%j%d, %%size\n\tbra %%f%d, ADD%d, WRITE%d\nWRITE%d:\n", r, r, r, l, l,
		l);
	if (g->own == OF_BLOCK || chance(g, RACE))
		to(g, 0, OF_BLOCK, NULL);
	put(g, "\tbra SUMMED%d\nSUMMED%d:\n", l, l);
	barrier(g);
}

/* A word is for one operation: then they may come in any order. */
static void atomic(Gen *g)
{
	int r = g->reg++, b = any_buffer(g), word = pick(g, 4), offset = 4 * word;
	put(g, "\t%%a%d = add.u64 %%p%d, %d\n", r, b, FUSION_BYTES - 256);
	note(g, r, offset, 4, NOTE_READ | NOTE_WRITE | NOTE_ATOMIC, NULL);
	put(g, "\t_ = atom.global.%s.%s [%%a%d+%d], %%v\n", word % 2 ? "add" : "max", "u32", r, offset);
}

static void in_array(Gen *g)
{
	int r = g->reg++;
	for (int k = 0; k < 4; k++)
		put(g, "\tst.local.u32 [%%array+%d], %d\n", 4 * k, pick(g, 9));
	put(g, "\t%%s%d = and.b32 %%v, 3\n\t%%s%d = mad.lo.u32 %%s%d, 4, %%array\n"
		"\tst.local.u32 [%%s%d], %%i\n\t%%h%d = ld.local.u32 [%%array+%d]\n"
		"\t%%v = xor.b32 %%v, %%h%d\n", r, r, r, r, r, 4 * pick(g, 4), r);
}

/* A variable of the module, or a table of constants. */
static void in_variable(Gen *g)
{
	int r = g->reg++;
	if (chance(g, 40)) {
		put(g, "\t%%m%d = and.b32 %%i, 7\n\t%%z%d = mov.u64 constants\n"
			"\t%%z%d = mad.wide.u32 %%m%d, 4, %%z%d\n\t%%h%d = ld.const.u32 [%%z%d]\n"
			"\t%%v = add.u32 %%v, %%h%d\n", r, r, r, r, r, r, r, r);
		return;
	}
	put(g, "\t%%z%d = mov.u64 variable\n\t%%a%d = mad.wide.u32 %%i, 4, %%z%d\n", r, r, r);
	if (chance(g, 50))
		load(g, r, 0, 4);
	else
		store(g, r, 0, 4, NULL);
}

static void parts(Gen *g, int n);

/* %k turns. */
static void loop(Gen *g)
{
	int l = g->label++;
	put(g, "\t%%j%d = mov.u32 0\n\tbra WHILE%d\nWHILE%d:\n\t%%f%d = setp.lt.u32 %%j%d, %%k\n"
		"\tbra %%f%d, TURN%d, DONE%d\nTURN%d:\n\t%%v = mad.lo.u32 %%v, 5, %%j%d\n", l, l, l, l, l, l,
		l, l, l, l);
	if (chance(g, 60))
		from(g, any_buffer(g), SAME);
	if (chance(g, 30))
		to(g, 0, (Pattern)g->own, NULL);
	put(g, "\t%%j%d = add.u32 %%j%d, 1\n\tbra WHILE%d\nDONE%d:\n", l, l, l, l);
}

/* Every thread goes through the elements below 80 in steps of the grid's size. */
static void strides(Gen *g)
{
	int l = g->label++, b = any_buffer(g);
	char index[16];
	if (g->own != SAME && !chance(g, RACE))
		return;
	snprintf(index, sizeof index, "%%j%d", l);
	put(g, "\t%%j%d = mov.u32 %%i\n\tbra WHILE%d\nWHILE%d:\n\t%%f%d = setp.lt.u32 %%j%d, %d\n"
		"\tbra %%f%d, TURN%d, DONE%d\nTURN%d:\n", l, l, l, l, l, 40 + pick(g, 40), l, l, l, l);
	load(g, address(g, b, index, g->bytes[b]), 0, g->bytes[b]);
	store(g, address(g, 0, index, g->bytes[0]), 0, g->bytes[0], NULL);
	put(g, "\t%%j%d = add.u32 %%j%d, %%all\n\tbra WHILE%d\nDONE%d:\n", l, l, l, l);
}

static void branch(Gen *g)
{
	int l = g->label++, bit = 1 << pick(g, 3);
	put(g, "\t%%m%d = and.b32 %%%s, %d\n\t%%f%d = setp.ne.u32 %%m%d, 0\n\tbra %%f%d, THEN%d, ELSE%d\n"
		"THEN%d:\n\t%%v = mul.lo.u32 %%v, 7\n", l, chance(g, 50) ? "v" : "i", bit, l, l, l, l, l, l);
	g->depth++;
	parts(g, 1);
	put(g, "\tbra JOIN%d\nELSE%d:\n\t%%v = add.u32 %%v, 11\n", l, l);
	if (chance(g, 40))
		parts(g, 1);
	g->depth--;
	put(g, "\tbra JOIN%d\nJOIN%d:\n", l, l);
}

static void parts(Gen *g, int n)
{
	for (int k = 0; k < n; k++)
		switch (pick(g, 20)) {
		case 0: case 1: case 2: case 3: case 4: read_part(g); break;
		case 5: case 6: case 7: case 8: case 9: case 10: write_part(g); break;
		case 11: case 12: exchange(g); break;
		case 13: reduce(g); break;
		case 14: atomic(g); break;
		case 15: in_array(g); break;
		case 16: in_variable(g); break;
		case 17: loop(g); break;
		case 18: chance(g, 40) ? strides(g) : write_part(g); break;
		default: g->depth < 2 ? branch(g) : read_part(g); break;
		}
}

static void begin(Gen *g, int k)
{
	put(g, "kernel %s(", g->k->name);
	for (int b = 0; b < g->k->buffers; b++)
		put(g, "u64 p%d, ", b);
	put(g, "u32 n, u32 k)\n{\n\treg u32 %%v, %%i\n");
	if (!g->k->dynamic)
		put(g, "\tshared u32 own[%d]\n", FUSION_THREADS);
	put(g, "\tlocal u32 words[4]\n\t%%t = mov.u32 %%tid.x\n\t%%c = mov.u32 %%ctaid.x\n"
		"\t%%size = mov.u32 %%ntid.x\n\t%%grid = mov.u32 %%nctaid.x\n");
	if (g->k->plane)
		put(g, "\t%%ty = mov.u32 %%tid.y\n\t%%t = mad.lo.u32 %%ty, %%size, %%t\n"
			"\t%%sizey = mov.u32 %%ntid.y\n\t%%size = mul.lo.u32 %%size, %%sizey\n"
			"\t%%cy = mov.u32 %%ctaid.y\n\t%%c = mad.lo.u32 %%cy, %%grid, %%c\n"
			"\t%%gridy = mov.u32 %%nctaid.y\n\t%%grid = mul.lo.u32 %%grid, %%gridy\n");
	put(g, "\t%%i = mad.lo.u32 %%c, %%size, %%t\n\t%%all = mul.lo.u32 %%grid, %%size\n"
		"\t%%n = ld.param.u32 [n]\n\t%%k = ld.param.u32 [k]\n");
	for (int b = 0; b < g->k->buffers; b++)
		put(g, "\t%%p%d = ld.param.u64 [p%d]\n", b, b);
	put(g, "\t%%tile = mov.u32 %s\n\t%%array = mov.u32 words\n\t%%v = mad.lo.u32 %%i, %d, %d\n",
		g->k->dynamic ? "dynamic" : "own", 3 + 2 * k, k);
	sb_puts(&g->t->noting, "\t%notes = mov.u64 notes\n\t%epoch = mov.u64 0\n\t%who0 = mov.u32 %tid.y\n"
		"\t%who1 = mov.u32 %ntid.x\n\t%who2 = mov.u32 %tid.x\n"
		"\t%who0 = mad.lo.u32 %who0, %who1, %who2\n\t%who1 = mov.u32 %ctaid.y\n"
		"\t%who2 = mov.u32 %nctaid.x\n\t%who3 = mov.u32 %ctaid.x\n"
		"\t%who1 = mad.lo.u32 %who1, %who2, %who3\n\t%who = pack.b64 {%who0, %who1}\n");
}

/* Threads that return at the begin: those from n on, or blocks from k on. */
static void early_return(Gen *g)
{
	if (chance(g, 45)) {
		put(g, "\t%%out = setp.ge.u32 %%i, %%n\n\tbra %%out, OUT, IN\nOUT:\n\texit\nIN:\n");
		g->returns = true;
	} else if (chance(g, 12)) {
		put(g, "\t%%out = setp.gt.u32 %%c, %%k\n\tbra %%out, OUT, IN\nOUT:\n\texit\nIN:\n");
	}
}

FusionKernel fusion_kernel(FusionText *t, int number, uint64_t *rng)
{
	static const Pattern patterns[] = { SAME, SAME, SAME, SAME, SAME, SAME, SAME, REVERSED, TWICE, TURNED,
		NEXT, ONE, OF_BLOCK, OF_BLOCK };
	FusionKernel k = { .name = "" };
	Gen g = { .t = t, .rng = rng, .k = &k };
	snprintf(k.name, sizeof k.name, "k%d", number);
	k.buffers = 1 + pick(&g, 3);
	k.dynamic = chance(&g, 25);
	k.plane = chance(&g, 40);
	g.own = patterns[pick(&g, 14)];
	for (int b = 0; b < 3; b++)
		g.bytes[b] = chance(&g, 70) ? 4 : pick_bytes(&g);
	begin(&g, number);
	early_return(&g);
	if (chance(&g, 85))
		read_part(&g);
	parts(&g, 1 + pick(&g, 3));
	if (chance(&g, 85))
		write_part(&g);
	put(&g, "\texit\n}\n");
	return k;
}
