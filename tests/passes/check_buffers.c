/* Liveness of buffers in host functions against paths: random host programs, whose statements the test knows,
 * are walked through in many ways, with the buffers that registers then point to. What is read later on a way
 * before it is written as a whole must be live, and so must what has not been freed where the way ends; where
 * registers are set once, what is live must be read on some way. And what kernels read and write, by
 * parameter. */
#include "lib/strbuf.h"
#include "passes/analyses.h"
#include "tests/random.h"
#include "tests/check.h"

static uint64_t rng;
static int pick(int n) { return (int)(random_next(&rng) % (unsigned)n); }

/* ---- random programs ---- */

enum { REGS = 5, BLOCKS = 9, STATEMENTS = 5, BYTES = 256 };
typedef enum { ALLOC, MOVE, LOAD_POINTER, FILL, COPY, LOAD, STORE, ADD, CHASE, LUA, FREE, KINDS } Kind;
/* a: destination or what is written, b: what is read */
typedef struct Statement { Kind kind; int a, b; bool whole; int site; } Statement;
typedef struct Node { int n, nsucc, succ[2]; Statement s[STATEMENTS + REGS]; } Node;
/* fixed: each register is set once; aborts: at its end */
typedef struct Program { int nblocks, nsites; bool fixed, aborts; Node node[BLOCKS]; } Program;

static Statement statement(Program *p)
{
	Statement s = { (Kind)pick(KINDS), pick(REGS), pick(REGS), pick(2), -1 };
	while (p->fixed && s.kind <= LOAD_POINTER)
		s.kind = (Kind)pick(KINDS);
	if (s.kind == ALLOC)
		s.site = p->nsites++;
	return s;
}

static void invent(Program *p)
{
	*p = (Program){ .nblocks = 2 + pick(BLOCKS - 1), .fixed = pick(2), .aborts = !pick(4) };
	for (int b = 0; b < p->nblocks; b++) {
		Node *x = &p->node[b];
		for (int r = 0; b == 0 && r < REGS; r++)
			x->s[x->n++] = (Statement){ ALLOC, r, 0, true, p->nsites++ };
		for (int k = pick(STATEMENTS + 1); k > 0; k--)
			x->s[x->n++] = statement(p);
		x->nsucc = b == p->nblocks - 1 ? 0 : 1 + pick(2);
		for (int k = 0; k < x->nsucc; k++) /* the entry has no predecessor */
			x->succ[k] = k ? 1 + pick(p->nblocks - 1) : b + 1;
	}
}

static const char kernels[] =
	"extern host f(u64 %a, u64 %b) reads(u32 %b) writes(u32 %a)\n"
	"kernel add(u64 a, u64 b) {\n\t%t = mov.u32 %tid.x\n\t%c = mov.u32 %ctaid.x\n\t%n = mov.u32 %ntid.x\n"
	"\t%i = mad.lo.u32 %c, %n, %t\n"
	"\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n\t%a = mad.wide.u32 %i, 4, %a\n"
	"\t%b = mad.wide.u32 %i, 4, %b\n\t%v = ld.global.u32 [%b]\n"
	"\tst.global.u32 [%a], %v\n\texit\n}\n"
	"kernel chase(u64 a, u64 b) {\n\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n"
	"\t%p = ld.global.u64 [%b]\n\t%v = ld.global.u32 [%p]\n"
	"\tst.global.u32 [%a], %v\n\texit\n}\n";

static void write_statement(const Statement *s, StrBuf *t)
{
	int bytes = s->whole ? BYTES : BYTES / 2;
	switch (s->kind) {
	case ALLOC: sb_printf(t, "\t%%r%d = alloc.u64 %d\n", s->a, BYTES); break;
	case MOVE: sb_printf(t, "\t%%r%d = mov.u64 %%r%d\n", s->a, s->b); break;
	case LOAD_POINTER: sb_printf(t, "\t%%r%d = ld.global.u64 [%%r%d]\n", s->a, s->b); break;
	case FILL: sb_printf(t, "\tfill.u32 %%r%d, 1, %d\n", s->a, bytes / 4); break;
	case COPY: sb_printf(t, "\tcopy %%r%d, %%r%d, %d\n", s->a, s->b, bytes); break;
	case LOAD: sb_printf(t, "\t%%v = ld.global.u32 [%%r%d+4]\n", s->b); break;
	case STORE: sb_printf(t, "\tst.global.u32 [%%r%d], %%v\n", s->a); break;
	case ADD: sb_printf(t, "\tlaunch add, 2, %d, 0, (%%r%d, %%r%d)\n", bytes / 8, s->a, s->b); break;
	case CHASE: sb_printf(t, "\tlaunch chase, 1, 1, 0, (%%r%d, %%r%d)\n", s->a, s->b); break;
	case LUA: sb_printf(t, "\tcall f, (%%r%d, %%r%d)\n", s->a, s->b); break;
	case FREE: sb_printf(t, "\tfree %%r%d\n", s->a); break;
	case KINDS: break;
	}
}

static void write_program(const Program *p, StrBuf *t)
{
	sb_printf(t, "%shost main() {\n\treg u64 %%r0, %%r1, %%r2, %%r3, %%r4\n\treg u32 %%v\n"
		"\treg pred %%p\nB0:\n\t%%v = mov.u32 0\n\t%%p = setp.eq.u32 %%v, 0\n", kernels);
	for (int b = 0; b < p->nblocks; b++) {
		const Node *x = &p->node[b];
		if (b)
			sb_printf(t, "B%d:\n", b);
		for (int k = 0; k < x->n; k++)
			write_statement(&x->s[k], t);
		if (!x->nsucc)
			sb_puts(t, p->aborts ? "\ttrap\n" : "\texit\n");
		else if (x->nsucc == 1)
			sb_printf(t, "\tbra B%d\n", x->succ[0]);
		else
			sb_printf(t, "\tbra %%p, B%d, B%d\n", x->succ[0], x->succ[1]);
	}
	sb_puts(t, "}\n");
}

/* ---- ways ---- */

enum { LENGTH = 40, MOST = LENGTH * (STATEMENTS + REGS + 1) + 64 };
/* block >= 0: it begins; else what a statement reads, and the buffer that it writes as a whole */
typedef struct Event { int block; uint64_t reads[2]; int killed; } Event;
/* site: by buffer */
typedef struct Way { int n, nbuffers; Event e[MOST]; int site[MOST]; uint64_t freed[2]; } Way;

static bool freed(const Way *w, int buffer) { return w->freed[buffer / 64] >> buffer % 64 & 1; }

static uint64_t everything(int n) { return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1; }

/* All buffers that there are. */
static void read_all(const Way *w, Event *e)
{
	e->reads[0] = everything(w->nbuffers) & ~w->freed[0];
	e->reads[1] = (w->nbuffers > 64 ? everything(w->nbuffers - 64) : 0) & ~w->freed[1];
}

/* An access to a buffer that has been freed is taken to be none, and the way goes on. */
static void execute(Way *w, const Statement *s, int reg[REGS])
{
	Event e = { -1, { 0, 0 }, -1 };
	bool reads = s->kind == LOAD_POINTER || s->kind == COPY || s->kind == LOAD || s->kind == ADD ||
		s->kind == CHASE || s->kind == LUA;
	if (reads && !freed(w, reg[s->b]))
		e.reads[reg[s->b] / 64] |= (uint64_t)1 << reg[s->b] % 64;
	if (s->kind == CHASE)
		read_all(w, &e);
	if (s->kind == ALLOC) {
		w->site[w->nbuffers] = s->site;
		e.killed = reg[s->a] = w->nbuffers++;
	} else if (s->kind == MOVE) {
		reg[s->a] = reg[s->b];
	} else if (s->kind == LOAD_POINTER) {
		reg[s->a] = pick(w->nbuffers);
	} else if (s->kind == FREE) {
		e.killed = reg[s->a];
		w->freed[reg[s->a] / 64] |= (uint64_t)1 << reg[s->a] % 64;
	} else if (s->whole && (s->kind == FILL || s->kind == COPY || s->kind == ADD)) {
		e.killed = reg[s->a];
	}
	w->e[w->n++] = e;
}

static void walk(Way *w, const Program *p)
{
	int reg[REGS] = { 0 }, b = 0;
	w->n = w->nbuffers = 0;
	w->freed[0] = w->freed[1] = 0;
	for (int step = 0; step < LENGTH && w->nbuffers < 100; step++) {
		const Node *x = &p->node[b];
		w->e[w->n++] = (Event){ b, { 0, 0 }, -1 };
		for (int k = 0; k < x->n; k++)
			execute(w, &x->s[k], reg);
		if (!x->nsucc) {
			Event end = { -1, { 0, 0 }, -1 };
			if (!p->aborts)
				read_all(w, &end);
			w->e[w->n++] = end;
			return;
		}
		b = x->succ[pick(x->nsucc)];
	}
}

/* Sites whose buffers are read later on this way, where each block begins: seen[block] gets them. */
static void look_back(const Way *w, uint64_t *seen)
{
	uint64_t live[2] = { 0, 0 };
	for (int k = w->n; k-- > 0;) {
		const Event *e = &w->e[k];
		if (e->killed >= 0)
			live[e->killed / 64] &= ~((uint64_t)1 << e->killed % 64);
		live[0] |= e->reads[0];
		live[1] |= e->reads[1];
		for (int i = 0; e->block >= 0 && i < w->nbuffers; i++)
			if (live[i / 64] >> i % 64 & 1)
				seen[e->block] |= (uint64_t)1 << w->site[i];
	}
}

/* ---- the test ---- */

/* The analysis' sets at the begins of blocks, by site. */
static void analysed(const Program *p, Module *m, uint64_t *live)
{
	Function *f = module_find_function(m, "main");
	Analyses *an = analyses_open(m, f, NULL, NULL, NULL);
	const Buffers *x = analysis_buffers(an);
	for (int b = 0; b < p->nblocks; b++) {
		live[b] = 0;
		for (int k = 0; k < x->n; k++) {
			/* allocs in the order of the text are sites in their order */
			int site = 0, before = 0;
			for (int c = 0; c < p->nblocks; c++)
				for (int i = 0; i < p->node[c].n; i++)
					if (p->node[c].s[i].kind == ALLOC && before++ == k)
						site = p->node[c].s[i].site;
			if (bs_has(x->in[b], k))
				live[b] |= (uint64_t)1 << site;
		}
	}
	analyses_close(an);
}

START_TEST(paths)
{
	static Way w;
	long long lived = 0, exact = 0, more = 0;
	for (int round = 0; round < 150; round++) {
		Program p;
		StrBuf t = { 0 };
		Diag d = { 0 };
		uint64_t seen[BLOCKS] = { 0 }, live[BLOCKS];
		rng = (uint64_t)_i * 1000 + (uint64_t)round;
		do
			invent(&p);
		while (p.nsites > 60);
		write_program(&p, &t);
		Module *m = ir_read(t.s, t.n, "random.ir", &d);
		if (!m)
			diag_print(&d, stderr);
		ck_assert_ptr_nonnull(m);
		analysed(&p, m, live);
		for (int k = 0; k < 400; k++) {
			walk(&w, &p);
			look_back(&w, seen);
		}
		for (int b = 0; b < p.nblocks; b++) {
			ck_assert_msg(!(seen[b] & ~live[b]), "program %d.%d, block B%d: buffers %llx are "
				"read on a way, live are %llx:\n%s", _i, round, b,
				(unsigned long long)seen[b], (unsigned long long)live[b], t.s);
			lived += __builtin_popcountll(live[b]);
			if (p.fixed)
				exact += seen[b] == live[b], more += seen[b] != live[b];
		}
		module_free(m);
		diag_free(&d);
		sb_free(&t);
	}
	ck_assert_int_gt(lived, 100);
	/* walks are random and miss rare ways; blocks that none reaches are live nowhere */
	ck_assert_msg(exact > 100 && more * 100 <= exact,
		"live is more than what ways show at %lld of %lld blocks", more, exact + more);
}
END_TEST

/* ---- kernels ---- */

static const struct { const char *body, *want; } touches[] = {
	{ "\t%a = ld.param.u64 [a]\n\t%v = ld.global.u32 [%a]\n",
		"  a: read\n  b: left alone\n  n: left alone\n" },
	{ "\t%a = ld.param.u64 [a]\n\tred.global.add.u32 [%a], 1\n",
		"  a: read and written\n  b: left alone\n  n: left alone\n" },
	/* one or the other */
	{ "\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n\t%n = ld.param.u32 [n]\n"
		"\t%p = setp.eq.u32 %n, 1\n\t%c = selp.u64 %a, %b, %p\n\tst.global.u32 [%c], 1\n",
		"  a: written\n  b: written\n  n: left alone\n" },
	/* the offset comes from memory, the base does not */
	{ "\t%a = ld.param.u64 [a]\n\t%b = ld.param.u64 [b]\n\t%i = ld.global.u32 [%b]\n"
		"\t%c = mad.wide.u32 %i, 4, %a\n\tst.global.u32 [%c], 1\n",
		"  a: written\n  b: read\n  n: left alone\n" },
	/* through memory */
	{ "\t%a = ld.param.u64 [a]\n\t%c = ld.global.u64 [%a]\n\tst.global.u32 [%c], 1\n",
		"  a: read\n  b: left alone\n  n: left alone\n  any memory: written\n" },
	{ "\t%t = mov.u64 table\n\t%v = ld.global.u32 [%t+4]\n\t%b = ld.param.u64 [b]\n"
		"\tst.global.u32 [%b], %v\n",
		"  a: left alone\n  b: written\n  n: left alone\n  variable table: read\n" },
	/* shared memory is no business of others */
	{ "\tshared u32 s[4]\n\t%x = mov.u64 s\n\t%x = cvta.shared.u64 %x\n\tst.u32 [%x], 1\n"
		"\tst.shared.u32 [s], 1\n", "  a: left alone\n  b: left alone\n  n: left alone\n" },
	/* by every thread; not where a thread may have ended, and not behind a guard */
	{ "\t%a = ld.param.u64 [a]\n\t%t = mov.u32 %tid.x\n\t%a = mad.wide.u32 %t, 8, %a\n"
		"\tst.global.u64 [%a], 1\n",
		"  a: written; each thread writes 8 bytes at 8 * %tid.x\n  b: left alone\n"
		"  n: left alone\n" },
	{ "\t%a = ld.param.u64 [a]\n\t%t = mov.u32 %tid.x\n\t%a = mad.wide.u32 %t, 8, %a\n"
		"\tst.global.u32 [%a], 1\n", "  a: written\n  b: left alone\n  n: left alone\n" },
	{ "\t%a = ld.param.u64 [a]\n\t%t = mov.u32 %tid.x\n\t%p = setp.eq.u32 %t, 3\n\t@%p exit\n"
		"\t%a = mad.wide.u32 %t, 4, %a\n\tst.global.u32 [%a], 1\n",
		"  a: written\n  b: left alone\n  n: left alone\n" },
	{ "\t%a = ld.param.u64 [a]\n\t%t = mov.u32 %tid.x\n\t%p = setp.eq.u32 %t, 3\n"
		"\t%a = mad.wide.u32 %t, 4, %a\n\t@%p st.global.u32 [%a], 1\n",
		"  a: written\n  b: left alone\n  n: left alone\n" },
	/* what is called may do anything in global memory */
	{ "\tcall peek, (4096)\n", "  a: left alone\n  b: left alone\n  n: left alone\n"
		"  any memory: read\n" },
};

START_TEST(kernels_touch)
{
	StrBuf t = { 0 }, s = { 0 };
	Diag d = { 0 };
	const char *body = touches[_i].body;
	const char *guarded_exit = strstr(body, "@%p exit\n");
	sb_puts(&t, "global u32 table[4]\nfunc peek(u64 %x) {\n\t%v = ld.global.u32 [%x]\n\tret\n}\n"
		"kernel k(u64 a, u64 b, u32 n) {\n");
	if (guarded_exit) {
		sb_write(&t, body, (size_t)(guarded_exit - body));
		sb_printf(&t, "bra %%p, OUT, ON\nOUT:\n\texit\nON:\n%s", guarded_exit + strlen("@%p exit\n"));
	} else {
		sb_puts(&t, body);
	}
	sb_puts(&t, "\texit\n}\n");
	Module *m = ir_read(t.s, t.n, "touched.ir", &d);
	if (!m)
		diag_print(&d, stderr);
	ck_assert_ptr_nonnull(m);
	Analyses *an = analyses_open(m, module_find_function(m, "k"), NULL, NULL, NULL);
	touched_print(analysis_cfg(an), analysis_touched(an), &s);
	ck_assert_str_eq(s.s, touches[_i].want);
	analyses_close(an);
	module_free(m);
	diag_free(&d);
	sb_free(&t);
	sb_free(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("buffers");
	TCase *t = tcase_create("liveness");
	tcase_add_loop_test(t, paths, 0, 10);
	tcase_add_loop_test(t, kernels_touch, 0, (int)(sizeof touches / sizeof *touches));
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
