/* Random kernels whose threads wait for each other: flags handed over between the arms of branches, out of
 * loops and in unstructured graphs, locks, tickets, work from a counter. A mechanism may never end with
 * one; what it leaves when it ends is the same under all. */
#include "tests/random/random_spin.h"
#include "lib/strbuf.h"
#include "tests/random.h"

/* WORDS: of a thread block in `acc`: flags from the first on, locks and counters from the last. */
enum { WORDS = 16, LANES = 32 };

typedef struct Spin {
	StrBuf s;
	uint64_t rng, idle;                /* of the kernel; of what is strewn in, 0: nothing is */
	int labels, flags, locks;
	unsigned threads;                  /* of a block */
	int depth;                         /* loops around */
	bool rounds;                  /* one of them is such that threads wait for each other in every turn */
} Spin;

static unsigned below(Spin *g, unsigned n) { return (unsigned)(random_next(&g->rng) % n); }
static bool once_in(Spin *g, unsigned n) { return below(g, n) == 0; }
static int label(Spin *g) { return g->labels++; }

/* ---- what a thread does by itself ---- */

static void operation(Spin *g)
{
	switch (below(g, 5)) {
	case 0: sb_printf(&g->s, " %%x = mad.lo.u32 %%x, %u, %%t\n", 2 * below(g, 1000) + 1); break;
	case 1: sb_printf(&g->s, " %%x = add.u32 %%x, %u\n", below(g, 100)); break;
	case 2: sb_printf(&g->s, " %%y = xor.b32 %%x, %u\n %%x = add.u32 %%x, %%y\n", below(g, 256)); break;
	case 3: sb_printf(&g->s, " st.global.u32 [%%o+%u], %%x\n", 4 * below(g, 8)); break;
	default:
		sb_printf(&g->s, " %%y = ld.global.u32 [%%o+%u]\n %%x = xor.b32 %%x, %%y\n", 4 * below(g, 8));
		break;
	}
}

static void work(Spin *g, unsigned most)
{
	for (unsigned n = below(g, most + 1); n; n--)
		operation(g);
}

/* A predicate of the thread's number. */
static void condition(Spin *g)
{
	switch (below(g, 4)) {
	case 0: sb_printf(&g->s, " %%p = setp.eq.u32 %%t, %u\n", below(g, g->threads)); break;
	case 1:
		sb_printf(&g->s, " %%y = and.b32 %%t, %u\n %%p = setp.eq.u32 %%y, 0\n", 1u << below(g, 5));
		break;
	case 2: sb_printf(&g->s, " %%p = setp.lt.u32 %%t, %u\n", 1 + below(g, g->threads)); break;
	default:
		sb_printf(&g->s, " %%y = rem.u32 %%t, %u\n %%p = setp.ne.u32 %%y, 0\n", 2 + below(g, 3));
		break;
	}
}

/* Ends the block: to label a where %p holds, else to b; either way around. */
static void part(Spin *g, int a, int b)
{
	if (below(g, 2))
		sb_printf(&g->s, " bra %%p, L%d, L%d\n", a, b);
	else
		sb_printf(&g->s, " bra !%%p, L%d, L%d\n", b, a);
}

static void jump(Spin *g, int to) { sb_printf(&g->s, " bra L%d\n", to); }

/* What changes no value that matters: some instructions, few or many, and a branch at which threads part to
   meet again at once. */
static void strew(Spin *g)
{
	if (!g->idle)
		return;
	uint64_t x = random_next(&g->idle);
	for (uint64_t n = (x >> 8) % (1 + (1u << x % 6)); n; n--)
		sb_puts(&g->s, " %w = add.u32 %w, 1\n");
	if (x >> 32 & 1)
		return;
	int a = label(g), b = label(g), on = label(g);
	sb_printf(&g->s, " %%w = and.b32 %%t, %u\n %%r = setp.%s.u32 %%w, 0\n bra %%r, L%d, L%d\n",
		1u << (x >> 40) % 5, x >> 48 & 1 ? "eq" : "ne", a, b);
	sb_printf(&g->s, "L%d:\n %%w = add.u32 %%w, 1\n bra L%d\nL%d:\n bra L%d\nL%d:\n", a, on, b, on, on);
}

static void begin(Spin *g, int at)
{
	sb_printf(&g->s, "L%d:\n", at);
	strew(g);
}

/* ---- flags: %e is the number of the turn, from 1 on ---- */

static int flag(Spin *g) { return g->flags++ % (WORDS / 2); }

/* Whoever is late in a turn does not take back what another one has given in the next. */
static void set(Spin *g, int f)
{
	switch (g->rounds ? 4 + below(g, 2) : below(g, 6)) {
	case 0: sb_printf(&g->s, " st.volatile.global.u32 [%%f+%d], %%e\n", 4 * f); break;
	case 1: sb_printf(&g->s, " st.release.gpu.global.u32 [%%f+%d], %%e\n", 4 * f); break;
	case 2: sb_printf(&g->s, " %%y = atom.global.exch.b32 [%%f+%d], %%e\n", 4 * f); break;
	case 3: sb_printf(&g->s, " st.global.u32 [%%f+%d], %%e\n membar.gl\n", 4 * f); break;
	case 4: sb_printf(&g->s, " red.global.max.u32 [%%f+%d], %%e\n", 4 * f); break;
	default: sb_printf(&g->s, " %%y = atom.global.max.u32 [%%f+%d], %%e\n", 4 * f); break;
	}
}

static void look(Spin *g, int f)
{
	static const char *const how[] = { "volatile", "acquire.gpu", "relaxed.gpu" };
	if (once_in(g, 4))
		sb_printf(&g->s, " %%v = atom.global.add.u32 [%%f+%d], 0\n", 4 * f);
	else
		sb_printf(&g->s, " %%v = ld.%s.global.u32 [%%f+%d]\n", how[below(g, 3)], 4 * f);
}

/* Until the flag has come to this turn; opens what follows. */
static void wait_for(Spin *g, int f)
{
	int w = label(g), on = label(g), again = once_in(g, 3) ? label(g) : w;
	jump(g, w);
	begin(g, w);
	look(g, f);
	sb_puts(&g->s, " %p = setp.lt.u32 %v, %e\n");
	part(g, again, on);
	if (again != w) {
		begin(g, again);
		sb_puts(&g->s, " %z = add.u32 %z, 1\n");
		jump(g, w);
	}
	begin(g, on);
}

/* Threads that hand over: one at least. */
static void givers(Spin *g)
{
	if (below(g, 3))
		sb_printf(&g->s, " %%p = setp.eq.u32 %%t, %u\n", below(g, 2) ? 0 : below(g, g->threads));
	else
		sb_printf(&g->s, " %%y = and.b32 %%t, %u\n %%p = setp.ne.u32 %%y, 0\n", 1u << below(g, 5));
}

/* ---- hand-over ---- */

/* One arm gives, the other waits; both may end alike. */
static void arms(Spin *g)
{
	int a = label(g), b = label(g), j = label(g), f = flag(g);
	uint64_t tail = random_next(&g->rng), after;
	bool gives = below(g, 2);          /* in its end that is like the other's */
	givers(g);
	part(g, a, b);
	for (int k = 0; k < 2; k++) {
		begin(g, k ? b : a);
		work(g, 2);
		if (k)
			wait_for(g, f);
		else if (!gives)
			set(g, f);
		after = g->rng;
		g->rng = tail;
		if (gives)
			set(g, f);
		work(g, 3);
		g->rng = after;
		if (k || once_in(g, 2))
			work(g, 1);
		jump(g, j);
	}
	begin(g, j);
}

/* The arm that gives does it in a block to which some of those that wait come as well. */
static void shared_block(Spin *g)
{
	int a = label(g), b = label(g), s = label(g), other = label(g), j = label(g), f = flag(g);
	givers(g);
	part(g, a, b);
	begin(g, a);
	work(g, 2);
	jump(g, s);
	begin(g, b);
	wait_for(g, f);
	work(g, 2);
	condition(g);
	part(g, other, s);
	begin(g, other);
	work(g, 3);
	jump(g, j);
	begin(g, s);
	work(g, 2);
	set(g, f);
	jump(g, j);
	begin(g, j);
}

static void turns(Spin *g, void (*body)(Spin *), bool own);
static void counted(Spin *g) { work(g, 3); }
static void idle(Spin *g) { sb_puts(&g->s, " %z = add.u32 %z, 1\n"); }

/* Some threads leave a loop in its middle and give; the others stay in it till then. */
static void loop_exits(Spin *g)
{
	int h = label(g), middle = label(g), back = label(g), x = label(g), y = label(g), j = label(g);
	int f = flag(g);
	jump(g, h);
	begin(g, h);
	idle(g);
	if (once_in(g, 2))
		turns(g, idle, true);
	givers(g);
	part(g, x, middle);
	begin(g, middle);
	look(g, f);
	sb_puts(&g->s, " %p = setp.lt.u32 %v, %e\n");
	part(g, back, y);
	begin(g, back);
	sb_puts(&g->s, " %z = add.u32 %z, 1\n");
	jump(g, h);
	begin(g, x);
	work(g, 2);
	set(g, f);
	jump(g, j);
	begin(g, y);
	work(g, 2);
	jump(g, once_in(g, 4) ? x : j);
	begin(g, j);
}

/* A graph without cycles, but for a node that waits. Those that give go past it, and all come to the last
   node in front of the end, in which they do at the latest. */
static void graph(Spin *g)
{
	enum { LAST = 4, END };
	int node[END + 1], f = flag(g), at = 1 + (int)below(g, LAST - 1), past = at == 1 ? 2 : 1,
		way = label(g);
	for (int k = 0; k <= END; k++)
		node[k] = label(g);
	givers(g);
	part(g, node[past], way);
	begin(g, way);
	condition(g);
	part(g, node[at], node[below(g, 2) ? at : past]);
	for (int k = 1; k <= LAST; k++) {
		int to[2];
		begin(g, node[k]);
		if (k == at)
			wait_for(g, f);
		work(g, 2);
		if (k == LAST || (k != at && once_in(g, 3)))
			set(g, f);
		for (int i = 0; i < 2; i++) {
			to[i] = k == LAST ? END : k + 1 + (int)below(g, (unsigned)(LAST - k) + (k == at));
			to[i] += to[i] == at;
		}
		condition(g);
		part(g, node[to[0]], node[to[1]]);
	}
	begin(g, node[END]);
}

/* ---- locks, tickets, work from a counter ---- */

static int word(Spin *g) { return WORDS - 1 - g->locks++ % (WORDS / 4) * 2; } /* and the one below it */

static void section(Spin *g, int w)
{
	sb_printf(&g->s, " %%v = ld.volatile.global.u32 [%%f+%d]\n %%v = add.u32 %%v, 1\n", 4 * w - 4);
	sb_printf(&g->s, " st.volatile.global.u32 [%%f+%d], %%v\n membar.gl\n", 4 * w - 4);
}

/* The thread that gets the lock gives it back in the same turn, or behind the loop. */
static void lock(Spin *g)
{
	int l = label(g), in = label(g), back = label(g), on = label(g), w = word(g);
	bool inside = below(g, 4);
	sb_puts(&g->s, " %d = mov.u32 0\n");
	jump(g, l);
	begin(g, l);
	sb_printf(&g->s, " %%v = atom.global.cas.b32 [%%f+%d], 0, 1\n %%p = setp.eq.u32 %%v, 0\n", 4 * w);
	part(g, inside ? in : on, back);
	if (inside) {
		begin(g, in);
		section(g, w);
		sb_printf(&g->s, " %%v = atom.global.exch.b32 [%%f+%d], 0\n %%d = mov.u32 1\n", 4 * w);
		jump(g, back);
	}
	begin(g, back);
	sb_puts(&g->s, " %p = setp.ne.u32 %d, 0\n");
	part(g, on, l);
	begin(g, on);
	if (!inside) {
		section(g, w);
		sb_printf(&g->s, " %%v = atom.global.exch.b32 [%%f+%d], 0\n", 4 * w);
	}
}

/* In the order of tickets; the word counts those that have been served. */
static void ticket(Spin *g)
{
	int l = label(g), in = label(g), back = label(g), on = label(g), w = word(g);
	sb_printf(&g->s, " %%y = atom.global.add.u32 [%%f+%d], 1\n", 4 * w);
	jump(g, l);
	begin(g, l);
	sb_printf(&g->s, " %%v = ld.volatile.global.u32 [%%f+%d]\n %%p = setp.eq.u32 %%v, %%y\n", 4 * w - 4);
	part(g, in, back);
	begin(g, in);
	section(g, w);
	jump(g, on);
	begin(g, back);
	sb_puts(&g->s, " %z = add.u32 %z, 1\n");
	jump(g, l);
	begin(g, on);
}

static void queue(Spin *g)
{
	int l = label(g), in = label(g), on = label(g), w = word(g);
	jump(g, l);
	begin(g, l);
	sb_printf(&g->s, " %%v = atom.global.add.u32 [%%f+%d], 1\n", 4 * w);
	sb_printf(&g->s, " %%p = setp.ge.u32 %%v, %u\n", g->threads / 2 + below(g, g->threads));
	part(g, on, in);
	begin(g, in);
	turns(g, idle, true);
	jump(g, l);
	begin(g, on);
}

/* ---- what stands around ---- */

/* A loop. own: how many turns is each thread's own affair; else all make the same, and wait for each other
   in them. */
static void turns(Spin *g, void (*body)(Spin *), bool own)
{
	int h = label(g), on = label(g), k = g->depth++;
	if (own)
		sb_printf(&g->s, " %%n%d = and.b32 %%t, %u\n", k, below(g, 4));
	else
		sb_printf(&g->s, " %%n%d = mov.u32 %u\n %%e = mov.u32 0\n", k, below(g, 3));
	jump(g, h);
	begin(g, h);
	if (!own)
		sb_puts(&g->s, " %e = add.u32 %e, 1\n");
	g->rounds |= !own;
	body(g);
	g->rounds &= own;
	sb_printf(&g->s, " %%p = setp.eq.u32 %%n%d, 0\n %%n%d = sub.u32 %%n%d, 1\n", k, k, k);
	part(g, on, h);
	begin(g, on);
	if (!own)
		sb_puts(&g->s, " %e = mov.u32 1\n");
	g->depth--;
}

static void (*const forms[])(Spin *) = { arms, arms, arms, shared_block, shared_block, loop_exits, loop_exits,
	graph,
	graph, lock, ticket, queue };

static void any(Spin *g) { forms[below(g, sizeof forms / sizeof *forms)](g); }

/* A branch with something for all threads in it, or behind both arms. */
static void around(Spin *g)
{
	int a = label(g), b = label(g), j = label(g);
	condition(g);
	part(g, a, b);
	begin(g, a);
	work(g, 3);
	if (once_in(g, 2))
		turns(g, counted, true);
	jump(g, j);
	begin(g, b);
	work(g, 3);
	jump(g, j);
	begin(g, j);
}

static char *text(Spin *g)
{
	sb_puts(&g->s, "kernel k(u64 in, u64 out, u64 acc, u32 n) {\n"
		" reg u32 %t, %x, %y, %z, %v, %e, %d, %n0, %n1, %n2, %w\n"
		" reg u64 %o, %f\n reg pred %p, %r\nA: %t = mov.u32 %tid.x\n %o = ld.param.u64 [out]\n"
		" %f = ld.param.u64 [acc]\n"
		" %y = mov.u32 %ctaid.x\n %e = mov.u32 1\n %z = mov.u32 0\n");
	sb_printf(&g->s, " %%f = mad.wide.u32 %%y, %d, %%f\n %%y = mad.lo.u32 %%y, %u, %%t\n", 4 * WORDS,
		g->threads);
	sb_printf(&g->s, " %%o = mad.wide.u32 %%y, %d, %%o\n %%x = mul.lo.u32 %%y, 2654435761\n",
		RANDOM_SLOT_BYTES);
	if (g->idle)
		sb_puts(&g->s, " %w = mov.u32 0\n");
	for (unsigned n = 1 + once_in(g, 3); n; n--) {
		strew(g);
		if (once_in(g, 2))
			around(g);
		if (once_in(g, 3))
			turns(g, any, false);
		else
			any(g);
		work(g, 2);
	}
	sb_printf(&g->s, " st.global.u32 [%%o+%d], %%x\n exit\n}\n", RANDOM_SLOT_BYTES - 4);
	return g->s.s;
}

RandomKernel *random_spin_kernel(uint64_t seed, uint64_t idle)
{
	Spin g = { .rng = seed * 0x9e3779b97f4a7c15u + 11, .idle = idle };
	RandomKernel *k = xcalloc(1, sizeof *k);
	Diag d = { 0 };
	g.threads = LANES * (1 + once_in(&g, 3));
	k->grid[0] = 1 + once_in(&g, 4);
	k->grid[1] = k->grid[2] = k->block[1] = k->block[2] = 1;
	k->block[0] = g.threads;
	k->threads = k->grid[0] * g.threads;
	k->out_bytes = k->threads * (RANDOM_SLOT_BYTES + 8);
	char *source = text(&g);
	k->module = ir_read(source, strlen(source), "spin.ir", &d);
	if (!k->module || !ir_verify(k->module, &d)) {
		diag_print(&d, stderr);
		bug("a random kernel is not valid");
	}
	k->kernel = module_find_function(k->module, "k");
	sb_free(&g.s);
	return k;
}
