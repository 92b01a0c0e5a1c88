/* The uniform datapath: which instructions it takes, when who reads their results has them, and which
   registers they have. */
#include "passes/analysis/pressure.h"
#include "sim/code/code.h"
#include "sim/reconv/seam.h"
#include "tests/random/random_kernel.h"
#include "tests/random/random_text.h"
#include "tests/sim/sm/pipeline.h"

#define ON "uniform.datapath=true units.uniform.count=1 units.uniform.latency=6 " \
	"units.uniform.guard_latency=9 units.uniform.decoupled_latency=7 uniform.latency=4 "

static const char *const mechanisms[] = { "ipdom", "its", "dwf", "exec_mask", "mimd" };
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };

static Rig *run(const char *machine, const char *mechanism, const char *text)
{
	char set[400];
	snprintf(set, sizeof set, "divergence.model=%s %s", mechanism, machine);
	Rig *r = rig_new(set);
	rig_run(r, text, 2, 10);
	return r;
}

/* as many warp instructions as `want` use the datapath */
static void takes(const char *body, uint64_t want)
{
	char text[1500];
	snprintf(text, sizeof text, "kernel k(u64 out) {\n reg u32 %%t, %%a, %%b, %%c, %%d\n"
		" reg u64 %%o, %%w\n"
		" reg f32 %%f\n reg pred %%p, %%q\nA:\n%s}\n", body);
	for (int on = 0; on < 2; on++) {
		Rig *r = rig_new(on ? ON : "");
		rig_run(r, text, 1, 4);
		ck_assert_msg(r->s.totals.uniform_warp == (on ? want : 0), "%llu of these: %s",
			(unsigned long long)r->s.totals.uniform_warp, body);
		rig_free(r);
	}
}

/* an instruction that reads the value that the datapath has made of %ctaid.x in cycle 0, and the cycle in
   which it issues; behind `second` the second of two, which must have made a predicate */
static const struct { const char *reader; const char *cycles; } reader[] = {
	{ "%b = add.u32 %a, 1", "0 4 5" }, { "%b = mul.lo.u32 %a, %a", "0 4 5" },
	{ "%w = cvt.u64.u32 %a", "0 4 5" },
	{ "%b = add.u32 %a, %t", "0 6 7" }, { "%b = mul.lo.u32 %a, %t", "0 6 7" },
	{ "%f = cvt.rn.f32.u32 %a", "0 7 8" }, { "st.shared.u32 [buf], %a", "0 7 8" },
	{ "%b = popc.b32 %a", "0 7 8" },
	{ "%p = setp.eq.u32 %a, 9\n %q = not.pred %p", "0 4 8 9" },
	{ "%p = setp.eq.u32 %a, 9\n %b = selp.u32 %t, 2, %p", "0 4 10 11" },
	/* a guard is a predicate of the threads, who make it of what the datapath has made */
	{ "%p = setp.eq.u32 %a, 9\n @%p %b = mov.u32 3", "0 6 10 11" },
	{ "%p = setp.eq.u32 %a, 9\n bra %p, B, C\nB: exit\nC:", "0 4 13 14" },
};

START_TEST(who_reads_a_uniform_value_decides_when_it_is_there)
{
	static const char *const models[] = { "ipdom", "its", "dwf" };
	for (size_t m = 0; m < sizeof models / sizeof *models; m++)
		for (size_t k = 0; k < sizeof reader / sizeof *reader; k++) {
			char text[600], machine[400];
			snprintf(text, sizeof text, "kernel k(u64 out) {\n reg u32 %%t, %%a, %%b\n"
				" reg u64 %%w\n reg f32 %%f\n reg pred %%p, %%q\n shared u32 buf[64]\n"
				"A: %%a = mov.u32 %%ctaid.x\n %s\n exit\n}\n", reader[k].reader);
			snprintf(machine, sizeof machine, ON "divergence.model=%s units.alu.guard_latency=4",
				models[m]);
			rig_free(one(machine, text, reader[k].cycles));
		}
}
END_TEST

START_TEST(the_datapath_has_copies_and_an_interval)
{
	const char *body = K(" %a = mov.u32 1\n %b = mov.u32 2\n %c = mov.u32 3\n" EX);
	rig_free(one(ON "units.uniform.interval=3", body, "0 3 6 7"));
	rig_free(one(ON "units.uniform.interval=3 units.uniform.count=2", body, "0 1 3 4"));
	rig_free(one(ON, body, "0 1 2 3"));
	rig_free(one("units.uniform.interval=3 units.uniform.count=1", body, "0 1 2 3"));
}
END_TEST

START_TEST(it_takes_what_a_warp_has_in_common)
{
	takes(" %a = mov.u32 %ctaid.x\n %b = mov.u32 %ntid.x\n %c = mad.lo.u32 %a, %b, 3\n" EX, 3);
	takes(" %w = ld.param.u64 [out]\n %o = add.u64 %w, 8\n" EX, 2);
	takes(" %a = mov.u32 %tid.x\n %b = add.u32 %a, 1\n %c = mov.u32 %laneid\n" EX, 0);
	takes(" %f = mov.f32 1.0\n %f = add.f32 %f, %f\n" EX, 0);     /* all that write it must be there */
	takes(" %f = mov.f32 1.0\n" EX, 1);
	takes(" %a = mov.u32 5\n @%p %a = add.u32 %a, 1\n" EX, 0);
	takes(" %w = ld.param.u64 [out]\n %a = ld.global.u32 [%w]\n %b = add.u32 %a, 1\n" EX, 1);
	takes(" %a = vote.sync.ballot.b32 %p, -1\n %b = add.u32 %a, 1\n" EX, 0);
	takes(" %a = mov.u32 %clock\n" EX, 0);
	takes(" %a = add.cc.u32 1, 2\n %b = addc.u32 3, 4\n" EX, 0);
}
END_TEST

/* A part of a warp has no part of the datapath; a branch that ends threads leaves whole what goes on. */
START_TEST(it_is_there_for_whole_warps)
{
	static const char arm[] = " %t = mov.u32 %tid.x\n %p = setp.lt.u32 %t, 2\n";
	static const char loop[] = " bra B\nB: %a = add.u32 %a, 1\n %p = setp.lt.u32 %a, %t\n bra %p, B, C\n";
	char body[600];
	snprintf(body, sizeof body, "%s bra %%p, B, C\nB: %%a = mov.u32 1\n bra C\n"
		"C: %%b = mov.u32 2\n exit\n", arm);
	takes(body, 1);
	snprintf(body, sizeof body, "%s bra %%p, D, C\nD: exit\nC: %%b = mov.u32 2\n exit\n", arm);
	takes(body, 1);
	/* loops that lanes leave at different times, in which they end, and that they leave together */
	snprintf(body, sizeof body, "%s%sC: %%d = add.u32 %%t, 1\n exit\n", arm, loop);
	takes(body, 0);
	snprintf(body, sizeof body, "%s%sC: exit\n", arm, loop);
	takes(body, 3);
	takes(" bra B\nB: %a = add.u32 %a, 1\n %p = setp.lt.u32 %a, 3\n bra %p, B, C\nC: exit\n", 6);
}
END_TEST

/* What needs more registers than a warp has for uniform values, the threads compute. */
START_TEST(values_beyond_its_registers_are_the_threads)
{
	static const char text[] = K(" %a = mov.u32 %ctaid.x\n %b = add.u32 %a, 1\n %c = mul.lo.u32 %a, 3\n"
		" %d = add.u32 %a, %b\n %d = add.u32 %d, %c\n %d = add.u32 %d, %a\n %w = cvt.u64.u32 %b\n"
		" %b = cvt.u32.u64 %w\n %d = add.u32 %d, %b\n" STORE("%d") EX);
	for (int k = 0; k < MECHANISMS; k++) {
		Rig *off = run("", mechanisms[k], text), *on = run(ON, mechanisms[k], text);
		ck_assert_uint_eq(off->s.uniform_registers, 0);
		ck_assert_uint_gt(on->s.uniform_registers, 3);
		ck_assert_uint_lt(on->s.registers, off->s.registers);
		Rig *few = run(ON "uniform.registers=2", mechanisms[k], text);
		ck_assert_uint_ge(few->s.registers, on->s.registers);
		ck_assert_uint_le(few->s.registers, off->s.registers);
		ck_assert_uint_lt(few->s.totals.uniform_warp, on->s.totals.uniform_warp);
		ck_assert_uint_gt(few->s.totals.uniform_warp, 0);
		ck_assert_uint_eq(few->s.totals.warp_instructions, off->s.totals.warp_instructions);
		rig_free(off);
		rig_free(on);
		rig_free(few);
	}
}
END_TEST

static int registers(const RandomKernel *k, const Config *c, int *uniform)
{
	uint64_t *address = xcalloc((size_t)k->module->symbol.n + 1, sizeof *address);
	Diag d = { 0 };
	const ReconvModel *model = reconv_model((int)c->model);
	Code *code = code_lower(k->module, k->kernel, c, model->lower, model->own, address, &d);
	ck_assert_msg(code != NULL, "%s", diag_first(&d));
	int n = code->regs;
	*uniform += code->uniform_regs;
	code_free(code);
	free(address);
	diag_free(&d);
	return n;
}

START_TEST(it_never_costs_registers_nor_takes_too_many)
{
	int uniform = 0, fewer = 0, full = 0;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		RandomParams p = RANDOM_DEFAULTS(seed);
		p.features &= ~(RF_CALL | RF_RECURSION | RF_INDIRECT);
		RandomKernel *k = random_kernel_new(&p);
		Config c;
		config_defaults(&c);
		c.model = (int64_t)(seed % 3);
		int off = registers(k, &c, &uniform), none = uniform;
		c.uniform_datapath = 1;
		int on = registers(k, &c, &uniform);
		ck_assert_msg(on <= off, "seed %d: %d registers, %d with the datapath", (int)seed, off, on);
		c.uniform_registers = 1 + (int64_t)(seed % 9);
		none = uniform;
		int few = registers(k, &c, &uniform);
		ck_assert_msg(few <= off, "seed %d: %d registers, %d with few uniform ones", (int)seed, off,
			few);
		ck_assert_int_le(uniform - none, (int)c.uniform_registers);
		full += uniform - none == (int)c.uniform_registers;
		fewer += on < off;
		ck_assert(uniform > none || on == off);
		random_kernel_free(k);
	}
	ck_assert_int_gt(fewer, 100);
	ck_assert_int_gt(full, 100);
}
END_TEST

START_TEST(results_and_instructions_are_the_same)
{
	uint64_t uniform = 0;
	for (uint64_t seed = 0; seed < 40; seed++) {
		char *text = random_graph_text(seed, seed % 2 ? GRAPH_ACYCLIC : 0, "u64 out");
		const char *mechanism = mechanisms[seed % MECHANISMS];
		Rig *off = run("", mechanism, text), *on = run(ON, mechanism, text);
		ck_assert_uint_eq(on->s.totals.thread_instructions, off->s.totals.thread_instructions);
		ck_assert_int_eq(memcmp(on->out, off->out, sizeof on->out), 0);
		ck_assert_uint_le(on->s.registers, off->s.registers);
		uniform += on->s.totals.uniform_warp;
		rig_free(off);
		rig_free(on);
		free(text);
	}
	ck_assert_uint_gt(uniform, 40);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		who_reads_a_uniform_value_decides_when_it_is_there, the_datapath_has_copies_and_an_interval,
		it_takes_what_a_warp_has_in_common, it_is_there_for_whole_warps,
		values_beyond_its_registers_are_the_threads, it_never_costs_registers_nor_takes_too_many,
		results_and_instructions_are_the_same,
	};
	return rig_suite("uniform", tests, sizeof tests / sizeof *tests);
}
