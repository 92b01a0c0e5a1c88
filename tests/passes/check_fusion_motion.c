/* Launches in random host functions: fused by kf-trad, bkf, fkf and kfcm with a judge of this test, then
   executed on made-up memory, in which every content is the hash of how it came about. On every run the same
   launches must come in the same order, with the same arguments, on the same memory, and never more of them
   than before, nor more by kfcm than by kf-trad. COUNT: programs; SEED: the first one's number; VERBOSE. */
#include "lib/strbuf.h"
#include "passes/transform/fusion/launches.h"
#include "tests/random.h"
#include "tests/check.h"
#include <stdio.h>

static uint64_t rng;
static int pick(int n) { return (int)(random_next(&rng) % (unsigned)n); }
static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return x ^ x >> 32;
}

/* ---- programs ---- */

enum { BUFFERS = 4, KERNELS = 6, MOST_RUNS = 6, DECISIONS = 40, STEPS = 4000 };
/* parameters a and b: read, written, both */
static const char *const does[KERNELS] = { "r.w", "w..", "r.b", "rr.", "ww.", "b.." };

static void write_kernel(int k, StrBuf *t)
{
	static const char *const name[] = { "a", "b" };
	sb_printf(t, "kernel K%d(u64 a, u64 b, u32 id)\n{\n", k);
	const char *d = does[k];
	for (int p = 0, at = 0; p < 2; p++) {
		while (d[at] == '.' && d[at + 1])
			at++;
		sb_printf(t, "\t%%%s = ld.param.u64 [%s]\n", name[p], name[p]);
		if (d[at] == 'r' || d[at] == 'b')
			sb_printf(t, "\t%%v = ld.global.u32 [%%%s]\n", name[p]);
		if (d[at] == 'w' || d[at] == 'b')
			sb_printf(t, "\tst.global.u32 [%%%s], 1\n", name[p]);
		at++;
	}
	sb_puts(t, "\texit\n}\n");
}

static void write_launch(StrBuf *t, int id)
{
	static const char *const reg[] = { "%b0", "%b1", "%b2", "%b3", "%x0", "%x1" };
	static const char *const stream[] = { "0", "0", "0", "0", "0", "0", "1", "2", "%s" };
	const char *guard = pick(6) ? "" : pick(2) ? "@%p " : "@!%q ";
	sb_printf(t, "\t%slaunch K%d, 1, 32, 0, %s, (%s, %s, %d)\n", guard, pick(KERNELS), stream[pick(9)],
		reg[pick(6)], reg[pick(6)], id);
}

static void write_statement(StrBuf *t, int *id)
{
	switch (pick(14)) {
	case 0: sb_printf(t, "\t%%x%d = mov.u64 %%b%d\n", pick(2), pick(BUFFERS)); break;
	case 1: sb_printf(t, "\t%%v = ld.global.u32 [%%b%d]\n", pick(BUFFERS)); break;
	case 2: sb_printf(t, "\tst.global.u32 [%%b%d], %%v\n", pick(BUFFERS)); break;
	case 3: sb_printf(t, "\t%%%c = setp.lt.u32 %%v, %%n\n", "pq"[pick(2)]); break;
	case 4: sb_printf(t, "\tfill.u32 %%b%d, %d, 32\n", pick(BUFFERS), pick(9)); break;
	case 5:
		switch (pick(5)) {
		case 0: sb_puts(t, "\tsynchronize\n"); break;
		case 1: sb_puts(t, "\trecord 1, 1\n"); break;
		case 2: sb_puts(t, "\twait 2, 1\n"); break;
		case 3: sb_puts(t, "\tcheck %p, \"so\"\n"); break;
		default: sb_printf(t, "\tcopy %%b%d, %%x%d, 64\n", pick(BUFFERS), pick(2)); break;
		}
		break;
	case 6: sb_puts(t, "\t%s = add.u32 %s, 1\n"); break;
	default: write_launch(t, (*id)++); break;
	}
}

static void write_end(StrBuf *t, int block, int n)
{
	static const char *const condition[] = { "%p", "%q" };
	int far = pick(4) ? block + 1 + pick(n - block) : pick(n + 1),
		near = pick(8) ? block + 1 : pick(n + 1);
	if (pick(3) == 0)
		sb_printf(t, "\tbra L%d\n", pick(6) ? block + 1 : near);
	else
		sb_printf(t, "\t%%n = add.u32 %%n, 1\n\tbra %s, L%d, L%d\n", condition[pick(2)], near, far);
}

static void write_program(StrBuf *t)
{
	int n = 1 + pick(8), id = 0;
	bool to_entry = pick(8) == 0;
	for (int k = 0; k < KERNELS; k++)
		write_kernel(k, t);
	sb_puts(t, "host main() {\n\treg u64 %b0, %b1, %b2, %b3, %x0, %x1\n\treg u32 %v, %n, %s\n"
		"\treg pred %p, %q\n");
	if (to_entry)
		sb_puts(t, "L0:\n");
	if (to_entry && pick(2))   /* before the entry there is a place for a launch of which all is known */
		sb_puts(t, "\tlaunch K5, 1, 32, 0, 0, (9, 9, 1000)\n");
	for (int k = 0; k < BUFFERS; k++)
		sb_printf(t, "\t%%b%d = alloc.u64 128\n", k);
	sb_puts(t, to_entry ? "" : "\t%x0 = mov.u64 %b0\n\t%x1 = mov.u64 %b1\n\tbra L0\nL0:\n");
	for (int b = 0; b < n; b++) {
		if (b)
			sb_printf(t, "L%d:\n", b);
		for (int k = pick(5); k >= 0; k--)
			write_statement(t, &id);
		write_end(t, b, n);
	}
	sb_printf(t, "L%d:\n", n);
	if (pick(2))
		write_launch(t, id++);
	sb_puts(t, "\texit\n}\n");
}

/* ---- the judge: a relation drawn by chance, on what launches are made of ---- */

typedef struct Bodies { int n, kernel[8]; } Bodies;
typedef struct Judge { Module *m; uint64_t seed; Bodies of[400]; } Judge;

static Bodies bodies_of(const Judge *j, int kernel)
{
	return kernel < KERNELS ? (Bodies){ 1, { kernel } } : j->of[kernel];
}

static bool judge(void *self, Analyses *host, int block, int ins, const Ins *first, const Ins *second,
	FusionVerdict *v)
{
	Judge *j = self;
	const Opd *a = ins_src(first, LAUNCH_STREAM), *b = ins_src(second, LAUNCH_STREAM);
	Bodies x = bodies_of(j, ins_src(first, 0)->id), y = bodies_of(j, ins_src(second, 0)->id);
	uint64_t h = j->seed;
	ck_assert_int_lt(block, host->f->block.n);
	ck_assert_int_lt(ins, host->f->block.v[block]->ins.n);
	for (int k = 0; k < x.n; k++)
		h = mix(h, (uint64_t)x.kernel[k]);
	h = mix(h, 100);
	for (int k = 0; k < y.n; k++)
		h = mix(h, (uint64_t)y.kernel[k]);
	v->why = "by chance";
	return v->may = a->kind == b->kind && a->imm == b->imm && a->id == b->id && x.n + y.n <= 4 && h % 4;
}

static int join_kernels(Judge *j, const Function *a, const Function *b)
{
	Module *m = j->m;
	const Function *from[2] = { a, b };
	Function *f = function_new(m, FN_KERNEL, arena_printf(&m->arena, "F%d", m->func.n));
	Block *body = function_block(m, f, "bb0");
	for (int s = 0; s < 2; s++) {
		int reg = f->reg.n, param = f->param.n;
		for (int k = 0; k < from[s]->param.n; k++) {
			Param p = from[s]->param.v[k];
			p.name = arena_printf(&m->arena, "p%d", f->param.n);
			p.offset = (f->param_bytes + p.size - 1) / p.size * p.size;
			f->param_bytes = p.offset + p.size;
			vec_push(&f->param, p);
		}
		for (int k = 0; k < from[s]->reg.n; k++)
			function_reg(m, f, NULL, (Type)from[s]->reg.v[k].type);
		const Block *b0 = from[s]->block.v[0];
		for (int k = 0; k < b0->ins.n - (s == 0); k++) {
			Ins i = b0->ins.v[k];
			i.mark = 0;
			i.opd = arena_array(&m->arena, Opd, i.ndst + i.nsrc + 1);
			for (int o = 0; o < i.ndst + i.nsrc; o++) {
				i.opd[o] = b0->ins.v[k].opd[o];
				i.opd[o].id += i.opd[o].kind == OPD_REG ? reg
					: i.opd[o].kind == OPD_PARAM ? param : 0;
			}
			vec_push(&body->ins, i);
		}
	}
	Bodies x = bodies_of(j, a->id), y = bodies_of(j, b->id);
	ck_assert_int_lt(f->id, 400);
	for (int k = 0; k < y.n; k++)
		x.kernel[x.n++] = y.kernel[k];
	j->of[f->id] = x;
	return f->id;
}

static Ins make(void *self, Analyses *host, Edit *e, Block *b, int ins, const Ins *first, const Ins *second,
	const FusionVerdict *v)
{
	Judge *j = self;
	(void)host;
	ck_assert(v->may);
	int kernel = join_kernels(j, j->m->func.v[ins_src(first, 0)->id],
		j->m->func.v[ins_src(second, 0)->id]);
	int more = second->nsrc - LAUNCH_ARGS;
	Ins i = edit_new(e, first, OP_LAUNCH, T_NONE, 0, first->nsrc + more);
	for (int k = 0; k < first->nsrc; k++)
		*ins_src(&i, k) = *ins_src(first, k);
	for (int k = 0; k < more; k++)
		*ins_src(&i, first->nsrc + k) = *ins_src(second, LAUNCH_ARGS + k);
	ins_src(&i, 0)->id = kernel;
	if (kernel % 3 == 0) {     /* shared bytes that the host computes */
		Ins sum = edit_new(e, first, OP_ADD, T_U32, 1, 2);
		*ins_dst(&sum, 0) = opd_reg(edit_temp(e, T_U32));
		*ins_src(&sum, 0) = *ins_src(first, 7);
		*ins_src(&sum, 1) = *ins_src(second, 7);
		edit_insert(e, b, ins, sum);
		*ins_src(&i, 7) = *ins_dst(&sum, 0);
	}
	return i;
}

/* ---- execution on made-up memory ---- */

typedef struct Machine {
	const Module *m; const Judge *j;
	uint64_t reg[600], buffer[BUFFERS + 1], ways;
	int decisions, launches, waits;
	Vec(uint64_t) events;
	bool ended;
} Machine;

static uint64_t value(const Machine *w, const Opd *o)
{
	return o->kind == OPD_REG ? w->reg[o->id] ^ (o->neg != 0) : (uint64_t)o->imm;
}
static uint64_t *memory(Machine *w, const Opd *o)
{
	uint64_t a = value(w, o);
	return &w->buffer[a < BUFFERS ? a : BUFFERS];
}

static void run_kernel(Machine *w, const Ins *i, int kernel, int arg)
{
	uint64_t *to[2] = { memory(w, ins_src(i, LAUNCH_ARGS + arg)),
		memory(w, ins_src(i, LAUNCH_ARGS + arg + 1)) };
	uint64_t h = mix((uint64_t)kernel, value(w, ins_src(i, LAUNCH_ARGS + arg + 2)));
	const Function *f = w->m->func.v[kernel];
	bool stores[2] = { false }, now = false;
	for (int k = 0; k < f->block.v[0]->ins.n; k++) {
		const Ins *x = &f->block.v[0]->ins.v[k];
		if (x->op == OP_LD && x->space == SP_PARAM)
			now = ins_src(x, 0)->id == 1;
		else if (x->op == OP_LD)
			h = mix(h, *to[now]);
		else if (x->op == OP_ST)
			stores[now] = true;
	}
	vec_push(&w->events, h);
	for (int k = 0; k < 2; k++) {
		vec_push(&w->events, (uint64_t)(to[k] - w->buffer));
		if (stores[k])
			*to[k] = mix(mix(h, *to[k]), (uint64_t)k);
	}
	vec_push(&w->events, value(w, ins_src(i, LAUNCH_STREAM)));
	if (value(w, ins_src(i, LAUNCH_STREAM)))
		vec_push(&w->events, (uint64_t)w->waits);
}

static void execute(Machine *w, const Ins *i)
{
	const Opd *d = i->ndst ? ins_dst(i, 0) : NULL;
	switch (i->op) {
	case OP_ALLOC: w->reg[d->id] = (uint64_t)d->id; w->buffer[d->id] = 0; break; /* the first registers */
	case OP_MOV: w->reg[d->id] = value(w, ins_src(i, 0)); break;
	case OP_ADD: w->reg[d->id] = value(w, ins_src(i, 0)) + value(w, ins_src(i, 1)); break;
	case OP_SETP: w->reg[d->id] = mix(value(w, ins_src(i, 0)), value(w, ins_src(i, 1))) >> 7 & 1; break;
	case OP_LD: w->waits++; w->reg[d->id] = *memory(w, ins_src(i, 0)); break;
	case OP_ST:
		w->waits++;
		*memory(w, ins_src(i, 0)) = mix(*memory(w, ins_src(i, 0)), value(w, ins_src(i, 1)));
		break;
	case OP_FILL: w->waits++; *memory(w, ins_src(i, 0)) = mix(77, value(w, ins_src(i, 1))); break;
	case OP_COPY:
		w->waits++;
		*memory(w, ins_src(i, 0)) = mix(*memory(w, ins_src(i, 0)), *memory(w, ins_src(i, 1)));
		break;
	case OP_LAUNCH: {
		Bodies x = bodies_of(w->j, ins_src(i, 0)->id);
		for (int k = 0; k < x.n; k++)
			run_kernel(w, i, x.kernel[k], 3 * k);
		w->launches++;
		break;
	}
	default:
		vec_push(&w->events, mix(1000 + i->op, i->op == OP_CHECK ? value(w, ins_src(i, 0)) : 0));
		break;
	}
}

/* By source block: edges to the end; the graph of the source is that of what comes of it, but for blocks on
   edges. */
static void distances(const Function *f, int *far)
{
	for (int b = 0; b < f->block.n; b++)
		far[b] = f->block.v[b]->nsucc ? 1000 : 0;
	for (int round = 0; round < f->block.n; round++)
		for (int b = 0; b < f->block.n; b++)
			for (int k = 0; k < f->block.v[b]->nsucc; k++)
				if (far[f->block.v[b]->succ[k]->id] + 1 < far[b])
					far[b] = far[f->block.v[b]->succ[k]->id] + 1;
}

static void run(Machine *w, const Module *m, const Judge *j, uint64_t seed, const char *const *nearest)
{
	const Function *f = module_find_function(m, "main");
	const Block *b = f->block.v[0];
	*w = (Machine){ .m = m, .j = j };
	for (int r = 0; r < 6; r++)        /* what has not been allocated is elsewhere */
		w->reg[r] = BUFFERS;
	w->reg[7] = seed;          /* %n: conditions depend on it */
	w->reg[6] = seed >> 8;
	for (int steps = 0; steps < STEPS; steps++) {
		for (int k = 0; k < b->ins.n - 1; k++) {
			const Ins *i = &b->ins.v[k];
			if (i->guard < 0 || (w->reg[i->guard] & 1) != i->guard_neg)
				execute(w, i);
		}
		w->ended = !b->nsucc;
		if (w->ended)
			return;
		int way = b->nsucc == 1 ? 0 : !(value(w, ins_src(block_term(b), 0)) & 1);
		if (b->nsucc > 1) {
			w->ways = mix(w->ways, (uint64_t)way);
			if (w->decisions++ >= DECISIONS)
				way = nearest[atoi(b->label + 1)][0] - '0';
		}
		b = b->succ[way];
	}
}

/* ---- laws ---- */

static int programs, fused_programs, fusions, runs;
static int64_t launches_before, launches_by[4];

static Module *read(const char *text)
{
	Diag d = { 0 };
	Module *m = ir_read(text, strlen(text), "random.ir", &d);
	ck_assert_msg(m != NULL, "%s\n%s", d.item.n ? d.item.v[0].text : "", text);
	diag_free(&d);
	return m;
}

static bool fuse(Judge *j, const KfSteps *steps)
{
	static const Pass pass = { .name = "test" };
	Diag d = { 0 };
	PassRun r = { .m = j->m, .f = module_find_function(j->m, "main"),
		.origin = (uint8_t)module_origin(j->m, "test"), .diag = &d, .pass = &pass };
	Joiner joiner = { j, judge, make };
	bool changed = false;
	for (int k = 0; k < steps->n; k++)
		changed |= host_fuse(&r, &joiner, steps->phases[k]);
	ck_assert_msg(ir_verify(j->m, &d), "%s", d.item.n ? d.item.v[0].text : "");
	diag_free(&d);
	return changed;
}

static void print_main(const Module *m, StrBuf *t)
{
	ir_print_function(m, module_find_function(m, "main"), t);
}

static void check_run(const Machine *a, const Machine *b, const char *before, const char *after)
{
	ck_assert_msg(b->ended, "it does not end\n%s\n%s", before, after);
	ck_assert_msg(b->launches <= a->launches, "%d launches, %d before\n%s\n%s", b->launches, a->launches,
		before, after);
	ck_assert_msg(a->events.n == b->events.n && !memcmp(a->events.v, b->events.v,
		sizeof *a->events.v * (size_t)a->events.n), "another order\n%s\n%s", before, after);
	ck_assert_msg(a->ways == b->ways && !memcmp(a->buffer, b->buffer, sizeof a->buffer),
		"another memory\n%s\n%s", before, after);
}

static void check_program(const char *text, uint64_t seed)
{
	static Judge judges[4];
	static Machine first, then;
	static const KfSteps *const steps[4] = { &kf_trad_steps, &bkf_steps, &fkf_steps, &kfcm_steps };
	StrBuf before = { 0 }, after[4] = { { 0 } };
	Module *m = read(text);
	const Function *f = module_find_function(m, "main");
	int far[64];
	const char *nearest[64];
	print_main(m, &before);
	function_number((Function *)f);
	distances(f, far);
	for (int b = 0; b < f->block.n; b++)
		if (f->block.v[b]->nsucc > 1)
			nearest[atoi(f->block.v[b]->label + 1)] =
				far[f->block.v[b]->succ[0]->id] <= far[f->block.v[b]->succ[1]->id] ? "0"
				: "1";
	for (int p = 0; p < 4; p++) {
		judges[p] = (Judge){ .m = read(text), .seed = seed };
		bool changed = fuse(&judges[p], steps[p]);
		print_main(judges[p].m, &after[p]);
		ck_assert_msg(changed == (strcmp(before.s, after[p].s) != 0), "changed: %d\n%s\n%s", changed,
			before.s, after[p].s);
		if (p == 3)
			fused_programs += changed;
		if (!changed)
			continue;
		bool again = fuse(&judges[p], steps[p]);
		StrBuf twice = { 0 };
		print_main(judges[p].m, &twice);
		ck_assert_msg(!again && !strcmp(twice.s, after[p].s), "changed again\n%s\n%s\n%s", before.s,
			after[p].s, twice.s);
		sb_free(&twice);
	}
	for (int k = 0; k < MOST_RUNS; k++) {
		int trad = 0;
		run(&first, m, &judges[0], mix(seed, (uint64_t)k), nearest);
		for (int p = 0; p < 4 && first.ended; p++) {
			run(&then, judges[p].m, &judges[p], mix(seed, (uint64_t)k), nearest);
			check_run(&first, &then, before.s, after[p].s);
			launches_by[p] += then.launches;
			trad = p ? trad : then.launches;
			ck_assert_msg(p < 3 || then.launches <= trad,
				"seed %llu: kfcm %d launches, kf-trad %d\n%s\n%s\n%s",
				(unsigned long long)seed, then.launches, trad, before.s, after[0].s,
				after[3].s);
			vec_free(&then.events);
		}
		if (first.ended) {
			launches_before += first.launches;
			runs++;
		}
		vec_free(&first.events);
	}
	for (int p = 0; p < 4; p++) {
		fusions += judges[p].m->func.n - KERNELS - 1;
		module_free(judges[p].m);
		sb_free(&after[p]);
	}
	module_free(m);
	sb_free(&before);
}

START_TEST(random_programs)
{
	int count = getenv("COUNT") ? atoi(getenv("COUNT")) : 400;
	uint64_t seed = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 10) : 1;
	for (int k = 0; k < count; k++, programs++) {
		StrBuf text = { 0 };
		rng = mix(seed + (uint64_t)k, 99);
		write_program(&text);
		check_program(text.s, seed + (uint64_t)k);
		sb_free(&text);
	}
	printf("%d programs, %d changed by kfcm, %d fused kernels; %d runs: %lld launches, kf-trad %lld, bkf "
		"%lld, fkf %lld, kfcm %lld\n", programs, fused_programs, fusions, runs,
		(long long)launches_before, (long long)launches_by[0], (long long)launches_by[1],
		(long long)launches_by[2], (long long)launches_by[3]);
	ck_assert_int_gt(fused_programs, count / 10);
	ck_assert(launches_by[3] < launches_by[0] && launches_by[0] < launches_before);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("fusion motion");
	TCase *t = tcase_create("random");
	tcase_add_test(t, random_programs);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
