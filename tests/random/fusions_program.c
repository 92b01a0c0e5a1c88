/* Random host functions that launch random kernels. */
#include "tests/random.h"
#include "tests/random/fusions.h"

uint64_t fusion_random(uint64_t *state, unsigned n) { return random_next(state) % n; }

typedef struct Shape { int grid[2], block[2]; } Shape;

typedef struct Gen {
	FusionProgram *p;
	uint64_t rng;
	Shape shape[2];
	/* last: the buffer that the last launch writes; launches: on the longest path, at most */
	int buffers, label, last, launches;
	int times;                     /* how often what is made now is executed, at most */
} Gen;

enum { LAUNCHES_MOST = 40 };

static int pick(Gen *g, int n) { return (int)fusion_random(&g->rng, (unsigned)n); }
static bool chance(Gen *g, int percent) { return pick(g, 100) < percent; }

__attribute__((format(printf, 2, 3))) static void put(Gen *g, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	sb_vprintf(&g->p->text.plain, fmt, ap);
	sb_vprintf(&g->p->text.noting, fmt, again);
	va_end(again);
	va_end(ap);
}

static Shape random_shape(Gen *g)
{
	static const int sizes[] = { 1, 4, 8, 16, 16, 24, 32, 32, 33, 40 };
	Shape s = { { 1, 1 }, { sizes[pick(g, 10)], 1 } };
	if (chance(g, 15) && s.block[0] <= 16)
		s.block[1] = 2;
	int threads = s.block[0] * s.block[1], most = FUSION_THREADS / threads;
	s.grid[0] = 1 + pick(g, most < 5 ? most : 5);
	if (chance(g, 10) && 2 * s.grid[0] <= most)
		s.grid[1] = 2;
	return s;
}

static int threads_of(const Shape *s) { return s->grid[0] * s->grid[1] * s->block[0] * s->block[1]; }

/* ---- launches ---- */

/* Leaves the argument's register or expression in text: a buffer, or a place in one. */
static void buffer_argument(Gen *g, int b, char text[16])
{
	int place = pick(g, 4);
	snprintf(text, 16, "%%b%d", b);
	if (!chance(g, 10))
		return;
	put(g, "\t%%q%d = add.u64 %%b%d, %d\n", place, b, 8 * (1 + pick(g, 16)));
	snprintf(text, 16, "%%q%d", place);
}

/* The grid's extent as a number, or computed from the number of elements. */
static void extent(Gen *g, const Shape *s, char text[16])
{
	snprintf(text, 16, "%d", s->grid[0]);
	if (!chance(g, 30))
		return;
	int n = s->grid[0] * s->block[0] - pick(g, s->block[0]);
	put(g, "\t%%e = mov.u32 %d\n\t%%e = add.u32 %%e, %d\n\t%%e = div.u32 %%e, %d\n", n, s->block[0] - 1,
		s->block[0]);
	snprintf(text, 16, "%%e");
}

/* %p: whether a value in some buffer is odd. */
static void read_bit(Gen *g)
{
	int b = pick(g, g->buffers), at = 4 * pick(g, 40);
	put(g, "\t%%v = ld.global.u32 [%%b%d+%d]\n\t%%v = and.b32 %%v, 1\n\t%%p = setp.eq.u32 %%v, 1\n", b,
		at);
}

static void launch(Gen *g, int stream)
{
	const FusionKernel *k = &g->p->kernel[pick(g, g->p->nkernel)];
	Shape shape = g->shape[chance(g, 15)], *s = &shape;
	char arg[3][16], grid[16], guard[24] = "";
	/* often on what the last launch wrote */
	/* step 0: one buffer twice */
	int first = chance(g, 35) ? (g->last + g->buffers - 1 + chance(g, 20)) % g->buffers
		: pick(g, g->buffers), step = chance(g, 2) ? 0 : 1;
	if ((g->launches += g->times) > LAUNCHES_MOST)
		return;
	g->last = first;
	if (!k->plane && !chance(g, 2))
		shape = (Shape){ { s->grid[0] * s->grid[1], 1 }, { s->block[0] * s->block[1], 1 } };
	for (int b = 0; b < k->buffers; b++)
		buffer_argument(g, (first + b * step) % g->buffers, arg[b]);
	extent(g, s, grid);
	if (chance(g, 8)) {
		read_bit(g);
		snprintf(guard, sizeof guard, "@%s%%p ", chance(g, 50) ? "!" : "");
	}
	int threads = threads_of(s), shared = k->dynamic ? 4 * s->block[0] * s->block[1] : 0;
	put(g, "\t%slaunch %s, (%s, %d, 1), (%d, %d, 1), %d, %d, (", guard, k->name, grid, s->grid[1],
		s->block[0], s->block[1], shared, stream);
	for (int b = 0; b < k->buffers; b++)
		put(g, "%s, ", arg[b]);
	int n = chance(g, 60) ? threads : 1 + pick(g, threads);
	put(g, "%d, %d)\n", n, pick(g, 4));
}

/* One to four, with little between them. */
static void launches(Gen *g)
{
	int n = 1 + pick(g, 4), stream = chance(g, 20) ? 1 + pick(g, 2) : 0;
	for (int k = 0; k < n; k++)
		launch(g, chance(g, 93) ? stream : pick(g, 3));
}

/* ---- other statements ---- */

static void statements(Gen *g, int n, int depth);

static void loop(Gen *g, int depth)
{
	int times = 1 + pick(g, 3), l = g->label++;
	put(g, "\t%%i%d = mov.u32 0\nL%d:\n", l, l);
	g->times *= times;
	statements(g, 1 + pick(g, 3), depth + 1);
	g->times /= times;
	put(g, "\t%%i%d = add.u32 %%i%d, 1\n\t%%p = setp.lt.u32 %%i%d, %d\n\tbra %%p, L%d, E%d\nE%d:\n", l, l,
		l, times, l, l, l);
}

/* On a value of device memory, or on a number that passes do not know because it was one. Both ways may
   launch. */
static void choice(Gen *g, int depth)
{
	int l = g->label++;
	if (chance(g, 50))
		read_bit(g);
	else
		put(g, "\t%%p = setp.lt.u32 %%seed, %d\n", pick(g, 1000));
	put(g, "\tbra %%p, L%d, E%d\nL%d:\n", l, l, l);
	statements(g, 1 + pick(g, 2), depth + 1);
	put(g, "\tbra J%d\nE%d:\n", l, l);
	statements(g, pick(g, 3), depth + 1);
	put(g, "\tbra J%d\nJ%d:\n", l, l);
}

static void statement(Gen *g, int depth)
{
	int a = pick(g, g->buffers), b = pick(g, g->buffers), v = pick(g, 1000), at = 8 * pick(g, 32);
	switch (pick(g, depth < 3 ? 28 : 22)) {
	case 0: put(g, "\tfill.u32 %%b%d, %d, %d\n", a, v, FUSION_BYTES / 4); break;
	case 1: put(g, "\tst.global.u32 [%%b%d+%d], %d\n", a, at, v); break;
	case 2: put(g, "\tcopy %%b%d, %%b%d, %d\n", a, b, FUSION_BYTES); break;
	case 3: put(g, "\t%%q4 = add.u64 %%b%d, %d\n\tfill.u8 %%q4, %d, %d\n", a, at, v & 255, 1 + v); break;
	case 4:
		put(g, "\t%%q5 = mov.u64 %%b%d\n\t%%b%d = mov.u64 %%b%d\n\t%%b%d = mov.u64 %%q5\n", a, a, b,
			b);
		break;
	case 5: put(g, "\trecord %d, %d\n", v % 4, a % 3); break;
	case 6: put(g, "\twait %d, %d\n", a % 3, v % 4); break;
	case 7:
		put(g, v % 3 ? "\tsynchronize\n" : "\t%%seed = mad.lo.u32 %%seed, 5, 3\n"
			"\t%%seed = rem.u32 %%seed, 1000\n");
		break;
	case 8: put(g, "\tfree %%b%d\n\t%%b%d = alloc.u64 %d\n", a, a, FUSION_BYTES); break;
	case 22: case 23: loop(g, depth); break;
	case 24: case 25: case 26: case 27: choice(g, depth); break;
	default: launches(g); break;
	}
}

static void statements(Gen *g, int n, int depth)
{
	for (int k = 0; k < n; k++)
		statement(g, depth);
}

static void variables(Gen *g)
{
	sb_printf(&g->p->text.noting, "global u64 notes[%d]\n", 1 + 4 * FUSION_NOTES);
	put(g, "global u32 variable[%d]\nconst u32 constants[8] = { 3, 1, 4, 1, 5, 9, 2, 6 }\n"
		"extern shared u32 dynamic[]\nglobal u32 data[%d] = { ", FUSION_THREADS, FUSION_BYTES / 4);
	for (int k = 0; k < FUSION_BYTES / 4; k++)
		put(g, "%s%d", k ? ", " : "", pick(g, 100000));
	put(g, " }\n");
}

static void host(Gen *g)
{
	put(g, "host main() {\n\treg u32 %%v, %%e, %%seed\n\treg pred %%p\n"
		"\treg u64 %%q0, %%q1, %%q2, %%q3, %%q4, %%q5\n\t%%data = mov.u64 data\n"
		"\t%%seed = ld.global.u32 [%%data]\n\t%%seed = rem.u32 %%seed, 1000\n");
	for (int b = 0; b < g->buffers; b++)
		put(g, "\t%%b%d = alloc.u64 %d\n", b, FUSION_BYTES);
	for (int b = 0; b < g->buffers; b++)
		if (chance(g, 70))
			put(g, "\t%%q0 = add.u64 %%data, %d\n\tcopy %%b%d, %%q0, %d\n", 8 * pick(g, 64), b,
				FUSION_BYTES - 512);
	statements(g, 3 + pick(g, 5), 0);
	for (int b = 0; b < g->buffers; b++)
		if (chance(g, 30))
			put(g, "\tfree %%b%d\n", b);
	put(g, "\texit\n}\n");
}

FusionProgram fusion_program(uint64_t seed)
{
	FusionProgram p = { .seed = seed };
	Gen g = { .p = &p, .rng = seed * 0x9e3779b97f4a7c15u, .times = 1 };
	g.buffers = 3 + pick(&g, FUSION_BUFFERS - 2);
	g.shape[0] = random_shape(&g);
	g.shape[1] = random_shape(&g);
	variables(&g);
	p.nkernel = 2 + pick(&g, FUSION_KERNELS - 1);
	for (int k = 0; k < p.nkernel; k++)
		p.kernel[k] = fusion_kernel(&p.text, k, &g.rng);
	host(&g);
	return p;
}

void fusion_program_free(FusionProgram *p)
{
	sb_free(&p->text.plain);
	sb_free(&p->text.noting);
}
