/* Registers of a thread: how many values take, what lives in memory when they do not suffice, and what calls
   save. */
#include "passes/analysis/pressure.h"
#include "sim/code/code.h"
#include "sim/reconv/seam.h"
#include "tests/random/random_kernel.h"
#include "tests/sim/sm/sim_rig.h"

#define HEAD "kernel k(u64 out) {\n reg u32 %t, %a, %b, %c, %d, %n\n reg u64 %o, %w\n reg f32 %f, %g\n" \
	" reg pred %p, %q\n"
#define K(BODY) HEAD "A:\n" BODY "}\n"
/* out[thread of the grid] = R */
#define STORE(R) " %t = mov.u32 %tid.x\n %n = mov.u32 %ntid.x\n %o = ld.param.u64 [out]\n" \
	" %w = mov.u64 0\n %w = cvt.u64.u32 %t\n %o = mad.lo.u64 %w, 4, %o\n %t = mov.u32 %ctaid.x\n" \
		" %n = mul.lo.u32 %t, %n\n" \
	" %o = mad.wide.u32 %n, 4, %o\n st.global.u32 [%o], " R "\n"
#define EX " exit\n"

static const char *const mechanisms[] = { "ipdom", "token", "mimd", "tf_stack" };

#define PRESSURE K(" %t = mov.u32 %tid.x\n" \
	" %r0 = add.u32 %t, 1\n %r1 = mul.lo.u32 %t, 3\n %r2 = add.u32 %t, 7\n %r3 = mul.lo.u32 %t, %t\n" \
		" %r4 = add.u32 %t, 11\n" \
	" %r5 = mul.lo.u32 %t, 5\n %r6 = add.u32 %t, 13\n %r7 = mul.lo.u32 %t, 7\n %r8 = add.u32 %t, 17\n" \
		" %r9 = xor.b32 %t, 19\n" \
	" %p = setp.lt.u32 %t, 2\n bra %p, L, R\nL: %r0 = add.u32 %r0, %r9\n @%p %r3 = add.u32 %r3, %r8\n" \
		" bra J\n" \
	"R: %r1 = add.u32 %r1, %r7\n @%p %r2 = add.u32 %r2, 1\n bra J\n" \
	"J: %a = add.u32 %r0, %r1\n %a = mad.lo.u32 %a, 3, %r2\n %a = mad.lo.u32 %a, 3, %r3\n" \
		" %a = mad.lo.u32 %a, 3, %r4\n" \
	" %a = mad.lo.u32 %a, 3, %r5\n %a = mad.lo.u32 %a, 3, %r6\n %a = mad.lo.u32 %a, 3, %r7\n" \
		" %a = mad.lo.u32 %a, 3, %r8\n" \
	" %a = mad.lo.u32 %a, 3, %r9\n" STORE("%a") EX)

START_TEST(values_without_a_register_spill)
{
	for (int k = 0; k < 4; k++) {
		char set[128];
		snprintf(set, sizeof set, "divergence.model=%s", mechanisms[k]);
		Rig *all = rig_new(set);
		rig_run(all, PRESSURE, 2, 12);
		ck_assert_uint_gt(all->s.registers, 10);
		ck_assert_uint_eq(all->s.totals.local_accesses, 0);
		ck_assert_uint_eq(all->s.spilled, 0);
		snprintf(set, sizeof set, "divergence.model=%s sm.max_registers_per_thread=8", mechanisms[k]);
		Rig *few = rig_new(set);
		rig_run(few, PRESSURE, 2, 12);
		ck_assert_uint_le(few->s.registers, 8);
		ck_assert_uint_gt(few->s.totals.local_accesses, 0);
		ck_assert_uint_gt(few->s.spilled, 0);
		ck_assert_uint_gt(few->s.totals.cycles, all->s.totals.cycles);
		ck_assert_uint_eq(few->s.totals.warp_instructions, all->s.totals.warp_instructions);
		/* Each is one instruction more, with some lane; where lanes are on their own, they issue it
		   for themselves and access memory together. */
		if (few->s.own_slots)
			ck_assert_uint_lt(few->s.totals.local_accesses,
				few->s.totals.overhead_warp - all->s.totals.overhead_warp);
		else
			ck_assert_uint_eq(few->s.totals.overhead_warp,
				all->s.totals.overhead_warp + few->s.totals.local_accesses);
		ck_assert_mem_eq(few->out, all->out, sizeof all->out);
		rig_free(all);
		rig_free(few);
	}
}
END_TEST

/* What an instruction writes under a guard is stored under it: lane 1 is off there, and counted so. */
START_TEST(a_guard_holds_for_what_is_spilled)
{
#define EACH(X) X("0") X("1") X("2") X("3") X("4") X("5") X("6") X("7") X("8") X("9")
#define MAKE(N) " %r" N " = add.u32 %t, " N "\n"
#define CHANGE(N) " @%p %r" N " = add.u32 %r" N ", 5\n"
#define ADD(N) " %a = mad.lo.u32 %a, 3, %r" N "\n"
	const char *text = K(" %t = mov.u32 %tid.x\n" EACH(MAKE) " %p = setp.ne.u32 %t, 1\n"
		EACH(CHANGE) EACH(ADD) STORE("%a") EX);
	Rig *r = rig_new("sm.max_registers_per_thread=8");
	rig_run(r, text, 1, 4);
	ck_assert_uint_gt(r->s.totals.overhead_off, 0);
	ck_assert_uint_lt(r->s.totals.overhead_off, 10 + 1); /* one lane of each change at most */
	rig_free(r);
#undef EACH
#undef MAKE
#undef CHANGE
#undef ADD
}
END_TEST

#define KEEP(N, X) " %v" N " = add.u32 %t, " X "\n"
#define SUM(N) " %x = mad.lo.u32 %x, 3, %v" N "\n"
/* Values that live through all of it, so that whatever has a register is spilled in one run or another;
   instructions that have several results, overwrite their guards, or read what they write. */
static const char overwriting[] = "kernel k(u64 out) {\n reg u32 %t, %x, %a, %b, %c, %m\n reg u64 %o, %w\n"
	" reg pred %g, %h, %p\n"
	"A: %t = mov.u32 %tid.x\n %o = ld.param.u64 [out]\n"
	KEEP("0", "3") KEEP("1", "5") KEEP("2", "7") KEEP("3", "11") KEEP("4", "13")
	" %a = mul.lo.u32 %t, 77\n %b = xor.b32 %a, 19\n %c = mov.u32 9\n %x = mov.u32 1\n"
		" %h = setp.eq.u32 %t, 2\n"
#define GROUP(COND) " %g = setp." COND "\n %m = vote.sync.ballot.b32 %g, 15\n"
	GROUP("ne.u32 %t, 1") " @%g %c|%g = match.all.sync.b32 %v3, %m\n @!%g %x = add.u32 %x, 2\n"
		" %x = mad.lo.u32 %x, 3, %c\n"
	GROUP("ne.u32 %t, 2") " @%g %a|%g = shfl.sync.down.b32 %b, 1, 31, %m\n"
		" @!%g %x = mad.lo.u32 %x, 3, %a\n"
	GROUP("ne.u32 %t, 0") " @%g %m|%g = elect.sync %m\n @%g %x = add.u32 %x, 8\n %x = add.u32 %x, %m\n"
	GROUP("ge.u32 %t, 2") " @%g %g = vote.sync.all.pred %h, %m\n @!%g %x = add.u32 %x, 16\n"
	GROUP("ge.u32 %t, 1") " @!%g %g|%h = setp.lt.or.u32 %b, %a, %g\n @%g %x = add.u32 %x, 32\n"
	" @%h %x = add.u32 %x, 64\n"
	GROUP("ge.u32 %t, 1") " @%g %p|%g = setp.lt.and.u32 %b, %a, %g\n @%g %x = add.u32 %x, 128\n"
	" @%p %x = add.u32 %x, 256\n"
	" %w = mul.wide.u32 %a, %b\n @%h {%a, %b} = unpack.b64 %w\n @!%h {%b, _} = unpack.b64 %w\n"
	" {%c, %a} = unpack.b64 %w\n"
	" %w = pack.b64 {%b, %c}\n @%g %w = pack.b64 {%a, %a}\n %w = add.u64 %w, %w\n"
	" %a = add.cc.u32 %a, %b\n @%h %b = addc.cc.u32 %b, %a\n @!%h %c = subc.cc.u32 %c, %c\n"
	" %x = addc.u32 %x, %x\n"
	" @%g %a = mad.lo.cc.u32 %a, %b, %a\n %b = madc.hi.u32 %b, %c, %b\n"
	" %o = mad.wide.u32 %t, 64, %o\n st.global.v2.u32 [%o], {%a, %b}\n"
	" st.global.v4.u32 [%o+16], {%c, %a, %x, %b}\n st.global.u64 [%o+8], %w\n"
	" @%h {%a, %a} = ld.global.v2.u32 [%o]\n @!%h {%b, %w} = ld.global.v2.u32 [%o+8]\n"
	" {%c, %x, %a, _} = ld.global.v4.u32 [%o+16]\n"
	" @%g %w = ld.global.u64 [%o+8]\n {%o, %w} = ld.global.v2.u64 [%o]\n"
	SUM("0") SUM("1") SUM("2") SUM("3") SUM("4")
	" %o = ld.param.u64 [out]\n %o = mad.wide.u32 %t, 64, %o\n"
		" st.global.v4.u32 [%o+32], {%a, %b, %c, %x}\n st.global.u64 [%o+48], %w\n exit\n}\n";

START_TEST(spills_of_what_instructions_read_and_overwrite)
{
	int least = 0;
	for (int limit = 8; limit <= 24; limit++)
		for (int k = 0; k < 4; k++) {
			char set[128];
			snprintf(set, sizeof set, "divergence.model=%s sm.max_registers_per_thread=%d",
				mechanisms[k], limit);
			Rig *r = rig_new(set);
			rig_try(r, overwriting, 1, 8);
			ck_assert_msg(r->ok || (!least && r->fault.kind == FAULT_UNSUPPORTED),
				"%d registers, %s: %s", limit, mechanisms[k], r->fault.text);
			least = least ? least : r->ok ? limit : 0;
			if (r->ok)
				rig_reference(r, overwriting, 1, 8);
			rig_free(r);
		}
	ck_assert_int_le(least, 12);
}
END_TEST

/* N values of a type, all of which live at once; what is left of them is in %s. */
static void values(StrBuf *b, char name, const char *type, int n)
{
	for (int k = 0; k < n; k++)
		sb_printf(b, " %%%c%d = ld.global.%s [%%o+%d]\n", name, k, type, 8 * k);
	for (int k = 0; k < n; k++)
		sb_printf(b, strcmp(type, "u64") ? " %%s = mad.lo.u32 %%s, 3, %%%c%d\n"
			: " %%n = cvt.u32.u64 %%%c%d\n %%s = mad.lo.u32 %%s, 5, %%n\n", name, k);
}

/* Values of 32 bits and pairs take turns in the same registers: the address, the sum and the temporary
   besides 30. */
START_TEST(pairs_and_single_registers_share_a_file)
{
	StrBuf b = { 0 };
	sb_puts(&b, "kernel k(u64 out) {\nA: %o = ld.param.u64 [out]\n %s = mov.u32 %tid.x\n");
	values(&b, 'a', "u32", 30);
	values(&b, 'b', "u64", 15);
	values(&b, 'c', "u32", 30);
	sb_puts(&b, " %t = mov.u32 %tid.x\n %o = mad.wide.u32 %t, 4, %o\n st.global.u32 [%o+2048], %s\n"
		" exit\n}\n");
	for (int k = 0; k < 4; k++) {
		char set[128];
		snprintf(set, sizeof set, "divergence.model=%s sm.max_registers_per_thread=40",
			mechanisms[k]);
		Rig *all = rig_new(set);
		rig_run(all, b.s, 1, 8);
		ck_assert_uint_le(all->s.registers, 34);
		ck_assert_uint_eq(all->s.totals.local_accesses, 0);
		for (int limit = 8; limit <= 33; limit += 5) {
			snprintf(set, sizeof set, "divergence.model=%s sm.max_registers_per_thread=%d",
				mechanisms[k], limit);
			Rig *few = rig_new(set);
			rig_run(few, b.s, 1, 8);
			ck_assert_uint_le(few->s.registers, limit);
			ck_assert_mem_eq(few->out, all->out, sizeof all->out);
			rig_free(few);
		}
		rig_free(all);
	}
	sb_free(&b);
}
END_TEST

/* ---- calls ---- */

enum { LIVE = 24 };                    /* values of each function that live across its calls */

/* A function that keeps LIVE values while it calls others: `calls` computes %y from %x. Of both widths: every
   third is wide. */
static void keeper(StrBuf *b, const char *name, int salt, const char *calls)
{
	sb_printf(b, "func %s(u32 %%x, u64 %%w) -> (u32 %%y, u64 %%z) {\n reg pred %%p\n", name);
	sb_printf(b, "K%s: %%p = setp.lt.u32 %%x, %d\n", name, salt);
	for (int k = 0; k < LIVE; k++)
		sb_printf(b, k % 3 ? " %%v%d = mad.lo.u32 %%x, %d, %d\n"
			: " %%v%d = mad.wide.u32 %%x, %d, %%w\n", k, k + salt, k * k);
	sb_puts(b, calls);
	for (int k = 0; k < LIVE; k++)
		sb_printf(b, k % 3 ? " %%y = mad.lo.u32 %%y, 3, %%v%d\n"
			: " %%z = mad.lo.u64 %%z, 3, %%v%d\n", k);
	sb_puts(b, " @%p %y = add.u32 %y, 77\n ret\n}\n");
}

static const char no_call[] = " %y = mov.u32 %x\n %z = mov.u64 %w\n";
static const char both_results[] = " %u = cvt.u32.u64 %z\n %y = xor.b32 %y, %u\n";

static void run_limited(const char *text, int from, int to, int step, uint64_t most)
{
	uint32_t want[RIG_WORDS];
	for (int limit = to; limit >= from; limit -= step)
		for (int k = 0; k < 4; k++) {
			char set[128];
			snprintf(set, sizeof set, "divergence.model=%s sm.max_registers_per_thread=%d",
				mechanisms[k], limit);
			Rig *r = rig_new(set);
			rig_run(r, text, 1, 8);
			ck_assert_msg(r->s.registers <= (uint64_t)limit, "%d registers, %s: %llu used", limit,
				mechanisms[k], (unsigned long long)r->s.registers);
			if (limit == to)
				ck_assert_uint_le(r->s.registers, most);
			if (limit == to && !k)
				memcpy(want, r->out, sizeof want);
			ck_assert_mem_eq(r->out, want, sizeof want);
			rig_free(r);
		}
}

/* The limit holds for what a thread needs on the deepest chain of calls; lanes take different ways through
   it. */
START_TEST(the_limit_holds_along_calls)
{
	StrBuf b = { 0 };
	keeper(&b, "f1", 3, no_call);
	keeper(&b, "f2", 5, " bra %p, L, R\nL: (%y, %z) = call f1, (%x, %w)\n bra J\n"
		"R: (%y, %z) = call f1, (%v1, %v3)\n bra J\nJ:\n");
	keeper(&b, "f3", 2, " (%y, %z) = call f2, (%v2, %v6)\n @%p (%y, %z) = call f1, (%y, %v9)\n");
	sb_puts(&b, "kernel k(u64 out) {\nreg u32 %t\nA: %t = mov.u32 %tid.x\n %d = cvt.u64.u32 %t\n"
		" (%y, %z) = call f3, (%t, %d)\n");
	sb_puts(&b, both_results);
	sb_puts(&b, STORE("%y") EX "}\n");
	run_limited(b.s, 10, 255, 35, 120);
	run_limited(b.s, 12, 36, 6, 36);
	sb_free(&b);
}
END_TEST

/* What a callee writes is not only its own: f1, called by f2 and f3, takes the place of what the kernel
   keeps. */
START_TEST(a_caller_saves_what_callees_of_its_callees_write)
{
	StrBuf b = { 0 };
	keeper(&b, "f1", 3, no_call);
	sb_puts(&b, "func f2(u32 %x, u64 %w) -> (u32 %y, u64 %z) {\nS: (%y, %z) = call f1, (%x, %w)\n ret\n"
		"}\n");
	sb_puts(&b, "kernel k(u64 out) {\nreg u32 %t, %x, %s\nA: %x = mov.u32 %tid.x\n %s = mov.u32 1\n"
		" %d = cvt.u64.u32 %x\n");
	for (int k = 0; k < 12; k++)
		sb_printf(&b, " %%v%d = mad.lo.u32 %%x, %d, %d\n", k, k + 2, k * k);
	sb_puts(&b, " (%y, %z) = call f2, (%x, %d)\n");
	for (int k = 0; k < 12; k++)
		sb_printf(&b, " %%s = mad.lo.u32 %%s, 3, %%v%d\n", k);
	sb_puts(&b, both_results);
	sb_puts(&b, " %y = xor.b32 %y, %s\n" STORE("%y") EX "}\n");
	run_limited(b.s, 36, 255, 73, 64);
	run_limited(b.s, 12, 40, 4, 40);
	sb_free(&b);
}
END_TEST

/* Arguments and results in other orders than their registers, which the callee's overlap. */
START_TEST(arguments_cross_on_the_way)
{
	StrBuf b = { 0 };
	sb_puts(&b, "func f(u32 %a, u32 %b, u32 %c, u32 %d) -> (u32 %y, u32 %z) {\nF: %y = mov.u32 1\n"
		" %z = mov.u32 2\n");
	for (int k = 0; k < LIVE; k++)
		sb_printf(&b, " %%v%d = mad.lo.u32 %%%c, %d, %%%c\n", k, 'a' + k % 4, k + 1, 'a' + k % 3);
	for (int k = 0; k < LIVE; k++)
		sb_printf(&b, " %%%c = mad.lo.u32 %%%c, 3, %%v%d\n", "yz"[k & 1], "yz"[k >> 1 & 1], k);
	sb_puts(&b, " ret\n}\nkernel k(u64 out) {\nreg u32 %t\nA: %g = mov.u32 %tid.x\n %h = add.u32 %g, 5\n"
		" %i = mul.lo.u32 %g, 7\n"
		" %j = sub.u32 %g, 9\n (%g, %h) = call f, (%j, %i, %h, %g)\n"
		" (%h, %g) = call f, (%h, %g, %j, %i)\n"
		" (%i, %j) = call f, (%g, %j, %h, %i)\n %y = mad.lo.u32 %g, 3, %h\n"
		" %y = mad.lo.u32 %y, 3, %i\n"
		" %y = mad.lo.u32 %y, 3, %j\n" STORE("%y") EX "}\n");
	run_limited(b.s, 8, 40, 4, 40);
	sb_free(&b);
}
END_TEST

START_TEST(the_limit_holds_along_recursive_and_indirect_calls)
{
	StrBuf b = { 0 };
	sb_puts(&b, "global u64 table[2] = { f1, f2 }\n");
	keeper(&b, "f1", 3, no_call);
	keeper(&b, "f2", 5, " bra %p, L, R\nL: %y = mov.u32 %x\n %z = mov.u64 %w\n bra J\n"
		"R: %m = sub.u32 %x, 1\n (%y, %z) = call f3, (%m, %v3)\n bra J\nJ:\n");
	keeper(&b, "f3", 2, " bra %p, L, R\nL: (%y, %z) = call f1, (%v2, %v6)\n bra J\n"
		"R: %m = sub.u32 %x, 1\n (%y, %z) = call f2, (%m, %v6)\n bra J\nJ:\n");
	keeper(&b, "f4", 2, " %m = and.b32 %x, 1\n %a = mov.u64 table\n %a = mad.wide.u32 %m, 8, %a\n"
		" %a = ld.global.u64 [%a]\n"
		" (%y, %z) = call %a, (%x, %v6)\n");
	sb_puts(&b, "kernel k(u64 out) {\nreg u32 %t\nA: %t = mov.u32 %tid.x\n %d = cvt.u64.u32 %t\n"
		" (%y, %z) = call f4, (%t, %d)\n");
	sb_puts(&b, both_results);
	sb_puts(&b, STORE("%y") EX "}\n");
	run_limited(b.s, 12, 36, 4, 36);
	run_limited(b.s, 50, 255, 41, 150);
	sb_free(&b);
}
END_TEST

/* Where nothing is spilled an assignment has as many registers as live at once, at least; and not many more:
   within a fifth over all. Kernels with RF_NAN are others: five values of 64 bits live there across blocks
   that may stand anywhere in the code, where an assignment takes a quarter more. */
START_TEST(pressure_is_what_assignments_need)
{
	long live = 0, assigned = 0;
	Config c;
	config_defaults(&c);
	for (uint64_t seed = 1; seed <= 300; seed++) {
		RandomParams p = RANDOM_DEFAULTS(seed);
		p.features &= ~(RF_CALL | RF_RECURSION | RF_INDIRECT | RF_NAN);
		RandomKernel *k = random_kernel_new(&p);
		uint64_t *address = xcalloc((size_t)k->module->symbol.n + 1, sizeof *address);
		Diag d = { 0 };
		Code *code = code_lower(k->module, k->kernel, &c, reconv_model((int)c.model)->lower,
			reconv_model((int)c.model)->own, address, &d);
		ck_assert_msg(code != NULL, "%s", diag_first(&d));
		int most = pressure_max(k->kernel);
		ck_assert_msg(code->regs >= most, "seed %d: %d registers live at once, %d are assigned",
			(int)seed, most, code->regs);
		live += most;
		assigned += code->regs;
		code_free(code);
		free(address);
		random_kernel_free(k);
		diag_free(&d);
	}
	ck_assert_msg(assigned * 5 <= live * 6, "%ld registers for %ld that live at once", assigned, live);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		values_without_a_register_spill, a_guard_holds_for_what_is_spilled,
			spills_of_what_instructions_read_and_overwrite,
			pairs_and_single_registers_share_a_file,
		the_limit_holds_along_calls, a_caller_saves_what_callees_of_its_callees_write,
		arguments_cross_on_the_way, the_limit_holds_along_recursive_and_indirect_calls,
		pressure_is_what_assignments_need,
	};
	return rig_suite("registers", tests, sizeof tests / sizeof *tests);
}
