/* Which loops the analysis says threads wait in: what each of them reads anew, and what a thread brings on by
   itself. */
#include "passes/analyses.h"
#include <check.h>

static Arena arena;
static void teardown(void) { arena_free(&arena); }

/* Headers of the loops that wait, and "call". */
static const char *waits_of(const char *body)
{
	const char *text = arena_printf(&arena, "kernel k(u64 a, u64 b, u32 n)\n{\n"
		"	reg u32 %%t, %%x, %%y, %%i, %%n\n	reg u64 %%p, %%q\n	reg pred %%c, %%d\n"
		"S:	%%t = mov.u32 %%tid.x\n"
		"	%%p = ld.param.u64 [a]\n	%%q = ld.param.u64 [b]\n"
		"	%%n = ld.param.u32 [n]\n	%%i = mov.u32 0\n	%%y = mov.u32 0\n%s\n"
		"	st.global.u32 [%%q], %%y\n	exit\n}\n"
		"func spins(u64 %%p)\n{\n	reg u32 %%x\n	reg pred %%c\n"
		"L:	%%x = ld.volatile.global.u32 [%%p]\n	%%c = setp.eq.u32 %%x, 0\n"
		"	bra %%c, L, E\nE:	ret\n}\n"
		"func takes(u64 %%p)\n{\n	reg u32 %%x\nL:	%%x = ld.volatile.global.u32 [%%p]\n	ret\n"
		"}\nfunc asks(u64 %%p)\n{\nL:	call spins, (%%p)\n	ret\n}\n"
		"func again(u64 %%p)\n{\n	reg u32 %%x\n	reg pred %%c\n"
		"L:	%%x = ld.volatile.global.u32 [%%p]\n	%%c = setp.eq.u32 %%x, 0\n"
		"	bra %%c, A, E\nA:	call again, (%%p)\n	bra E\nE:	ret\n}\n"
		"func gives(u64 %%p)\n{\nL:	st.volatile.global.u32 [%%p], 1\n	ret\n}\n"
		"func ends(u32 %%x)\n{\n	reg pred %%c\nL:	%%c = setp.ne.u32 %%x, 0\n"
		"	bra %%c, E, R\nE:	exit\nR:	ret\n}\n", body);
	Diag d = { 0 };
	Module *m = ir_read(text, strlen(text), "waits.ir", &d);
	ck_assert_msg(m && ir_verify(m, &d), "%s\n%s", d.item.n ? d.item.v[0].text : "", text);
	Analyses *an = analyses_open(m, module_find_function(m, "k"), NULL, NULL, NULL);
	const Waits *w = analysis_waits(an);
	const char *found = "";
	int n = 0;
	for (int k = 0; k < w->loops->n; k++)
		if (w->loop[k]) {
			found = arena_printf(&arena, "%s%s%s", found, n++ ? " " : "",
				w->c->f->block.v[w->loops->loop[k].header]->label);
			WaitPlace x;
			ck_assert(waits_within(w, k, &x) && waits_in(w, w->loops->loop[k].header, -1, &x) &&
				!waits_in(w, w->loops->loop[k].header, w->loops->loop[k].header, &x));
		}
	for (int b = 0; b < w->c->n; b++)
		if (w->call[b])
			found = arena_printf(&arena, "%s%scall", found, n++ ? " " : "");
	ck_assert_int_eq(n, w->n);
	ck_assert(waits_any(w, &(WaitPlace){ 0 }) == (n > 0));
	analyses_close(an);
	module_free(m);
	diag_free(&d);
	return arena_strdup(&arena, found);
}

/* A loop L that makes another turn while %c. */
static const char *loop(const char *turn)
{
	return waits_of(arena_printf(&arena, "	bra L\nL:	%s\n	bra %%c, L, X\nX:", turn));
}

START_TEST(what_is_read_anew)
{
	ck_assert_str_eq(loop("%x = ld.volatile.global.u32 [%p]\n %c = setp.eq.u32 %x, 0"), "L");
	ck_assert_str_eq(loop("%x = ld.acquire.gpu.shared.u32 [8]\n %c = setp.eq.u32 %x, 0"), "L");
	ck_assert_str_eq(loop("%x = ld.relaxed.gpu.u32 [%p]\n %c = setp.eq.u32 %x, 0"), "L");
	ck_assert_str_eq(loop("%x = atom.global.cas.b32 [%p], 0, 1\n %c = setp.ne.u32 %x, 0"), "L");
	ck_assert_str_eq(loop("%x = atom.global.exch.b32 [%p], 1\n %c = setp.ne.u32 %x, 0"), "L");
	ck_assert_str_eq(loop("call spins, (%p)\n %i = add.u32 %i, 1\n %c = setp.lt.u32 %i, 9"), "call");
	ck_assert_str_eq(loop("call again, (%p)\n %i = add.u32 %i, 1\n %c = setp.lt.u32 %i, 9"), "call");
	ck_assert_str_eq(loop("call asks, (%p)\n %i = add.u32 %i, 1\n %c = setp.lt.u32 %i, 9"), "call");
	ck_assert_str_eq(loop("call takes, (%p)\n %i = add.u32 %i, 1\n %c = setp.lt.u32 %i, 9"), "");
	ck_assert_str_eq(loop("call gives, (%p)\n %i = add.u32 %i, 1\n %c = setp.lt.u32 %i, 9"), "");
	ck_assert_str_eq(loop("%x = ld.volatile.local.u32 [8]\n %c = setp.eq.u32 %x, 0"), "");
	ck_assert_str_eq(loop("red.global.add.u32 [%p], 1\n %i = add.u32 %i, 1\n %c = setp.lt.u32 %i, %n"),
		"");
	/* nothing depends on it */
	ck_assert_str_eq(loop("%x = atom.global.add.u32 [%p], 1\n %y = add.u32 %y, %x\n %i = add.u32 %i, 1\n"
		" %c = setp.lt.u32 %i, %n"), "");
}
END_TEST

START_TEST(plain_loads)
{
	ck_assert_str_eq(loop("%x = ld.global.u32 [%p]\n membar.gl\n %c = setp.eq.u32 %x, 0"), "L");
	/* the count decides nothing */
	ck_assert_str_eq(loop("%x = ld.global.u32 [%p]\n %i = add.u32 %i, 1\n %c = setp.eq.u32 %x, 0"), "L");
	ck_assert_str_eq(loop("%x = ld.global.nc.u32 [%p]\n %c = setp.eq.u32 %x, 0"), "");
	/* nobody writes there */
	ck_assert_str_eq(loop("%x = ld.shared.u32 [8]\n %c = setp.eq.u32 %x, 0"), "");
	/* through an array */
	ck_assert_str_eq(loop("%x = ld.global.u32 [%p]\n %p = add.u64 %p, 4\n %c = setp.ne.u32 %x, 0"), "");
	ck_assert_str_eq(loop("%p = ld.global.u64 [%p]\n %c = setp.ne.u64 %p, 0"), "");    /* along a chain */
	/* rows of a matrix */
	ck_assert_str_eq(loop("%x = ld.global.u32 [%p]\n %i = add.u32 %i, 1\n %c = setp.lt.u32 %i, %x"), "");
	ck_assert_str_eq(loop("%x = ld.volatile.global.u32 [%p]\n %i = add.u32 %i, 1\n"
		" %c = setp.lt.u32 %i, %x"), "");
}
END_TEST

START_TEST(ways)
{
	/* the flag decides which way a turn goes, and that whether there is another */
	ck_assert_str_eq(waits_of("	bra L\nL:	%x = ld.volatile.global.u32 [%p]\n"
		" %d = setp.eq.u32 %x, 0\n bra %d, B, A\nA: %y = mov.u32 1\n bra B\n"
		"B: %c = setp.eq.u32 %y, 0\n"
		"	bra %c, L, X\nX:"), "L");
	/* a guard does */
	ck_assert_str_eq(loop("%x = ld.volatile.global.u32 [%p]\n %d = setp.ne.u32 %x, 0\n"
		" @%d %y = mov.u32 1\n %c = setp.eq.u32 %y, 0"), "L");
	/* through memory of its own */
	ck_assert_str_eq(loop("%x = ld.volatile.global.u32 [%p]\n st.local.u32 [8], %x\n"
		" %y = ld.local.u32 [8]\n %c = setp.eq.u32 %y, 0"), "L");
	/* threads end in a function */
	ck_assert_str_eq(loop("%x = ld.volatile.global.u32 [%p]\n call ends, (%x)\n %c = setp.ne.u32 %n, 0"),
		"L");
	/* in a loop that counts */
	ck_assert_str_eq(waits_of("	bra O\nO:	bra L\nL:	%x = ld.volatile.global.u32 [%p]\n"
		" %d = setp.eq.u32 %x, 0\n bra %d, L, B\nB: %i = add.u32 %i, 1\n %c = setp.lt.u32 %i, %n\n"
		"	bra %c, O, X\nX:"), "L");
	/* an irreducible one */
	ck_assert_str_eq(waits_of("	%d = setp.eq.u32 %t, 0\n	bra %d, L, M\n"
		"L:	%x = ld.volatile.global.u32 [%p]\n bra M\nM: %c = setp.eq.u32 %x, 0\n"
		"	bra %c, L, X\nX:"), "L");
}
END_TEST

START_TEST(own_doing)
{
	const char *flag = "%x = ld.volatile.global.u32 [%p]\n %c = setp.eq.u32 %x, 0";
#define TRIES(STEP, TEST) loop(arena_printf(&arena, \
	"%s\n " STEP "\n %%d = " TEST "\n %%c = and.pred %%c, %%d", flag))
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 1", "setp.lt.u32 %%i, 100"), "");
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, %%n", "setp.lt.u32 %%i, 100"), "L"); /* %n may be 0 */
	ck_assert_str_eq(TRIES("%%s = mov.u32 7\n %%i = add.u32 %%i, %%s", "setp.lt.u32 %%i, 100"), "");
	/* a bound that nothing is above; one that many turns come to, of a counter that begins with 0, or is
	   not known to; the other way around */
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 1", "setp.le.u32 %%i, 0xffffffff"), "L");
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 1", "setp.le.s32 %%i, 0x7fffffff"), "L");
	ck_assert_str_eq(TRIES("%%i = sub.u32 %%i, 1", "setp.ge.s32 %%i, -0x80000000"), "L");
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 1", "setp.lt.u32 %%i, 0x7fffffff"), "L");
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 1024", "setp.lt.u32 %%i, 1000000000"), "");
	for (int more = 0; more < 2; more++)
		ck_assert_str_eq(loop(arena_printf(&arena, "%s\n %%i = add.u32 %%i, 1\n"
			" %%d = setp.gt.u32 %d, %%i\n %%c = and.pred %%c, %%d", flag, WAIT_TURNS + more)),
			more ? "L" : "");
	ck_assert_str_eq(TRIES("%%i = sub.u32 %%i, 1", "setp.gt.u32 %%i, 100"), ""); /* at once */
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 3", "setp.ne.u32 %%i, 300"), "");
	/* after three rounds of all numbers */
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 3", "setp.ne.u32 %%i, 301"), "L");
	ck_assert_str_eq(TRIES("%%i = sub.u32 %%i, 1", "setp.gt.s32 %%i, %%n"), "");
	ck_assert_str_eq(TRIES("%%i = sub.u32 %%i, 1", "setp.lt.u32 %%n, %%i"), "");
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 3", "setp.ne.u32 %%i, %%n"), "");
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 2", "setp.ne.u32 %%i, %%n"), "L");  /* may step over it */
	ck_assert_str_eq(TRIES("%%i = sub.u32 %%i, 1", "setp.lt.u32 %%i, 100"), "L");  /* away from it */
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 0", "setp.lt.u32 %%i, 100"), "L");
	ck_assert_str_eq(TRIES("@%%d %%i = add.u32 %%i, 1", "setp.lt.u32 %%i, 100"), "L");
	ck_assert_str_eq(TRIES("%%i = mul.lo.u32 %%i, 3", "setp.lt.u32 %%i, 100"), "L");
	/* steps over all greater numbers */
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 0x10000000", "setp.lt.u32 %%i, 0xf8000000"), "L");
	ck_assert_str_eq(TRIES("%%i = add.u32 %%i, 0x10000000", "setp.lt.u32 %%i, 0xe8000000"), "");
	ck_assert_str_eq(TRIES("%%i = sub.u32 %%i, 3", "setp.ne.u32 %%i, 300"), "L"); /* the wrong way */
	/* the count ends the loop only together with the flag */
	ck_assert_str_eq(loop(arena_printf(&arena, "%s\n %%i = add.u32 %%i, 1\n %%d = setp.lt.u32 %%i, 100\n"
		" %%c = or.pred %%c, %%d", flag)), "L");
	/* or only some turns come to it */
	ck_assert_str_eq(waits_of(arena_printf(&arena,
		"	bra L\nL:	%s\n	bra %%c, L, B\nB:	%%i = add.u32 %%i, 1\n"
		" %%d = setp.lt.u32 %%i, 100\n bra %%d, L, X\nX:", flag)), "L");
}
END_TEST

/* Two ways through a turn: each adds. */
START_TEST(own_doing_by_ways)
{
	const char *turn = "	bra L\nL:	%%x = ld.volatile.global.u32 [%%p]\n"
		"	%%c = setp.eq.u32 %%x, 0\n	%%d = setp.%s.u32 %%i, 99\n"
		"	%%c = and.pred %%c, %%d\n	bra %%c, M, X\n"
		"M:	%%d = setp.lt.u32 %%t, 7\n	bra %%d, A, B\nA:	%%i = add.u32 %%i, 1\n"
		"	bra L\nB:	%%i = add.u32 %%i, %d\n	bra L\nX:";
	ck_assert_str_eq(waits_of(arena_printf(&arena, turn, "lt", 2)), "");
	ck_assert_str_eq(waits_of(arena_printf(&arena, turn, "ne", 1)), "");
	ck_assert_str_eq(waits_of(arena_printf(&arena, turn, "ne", 3)), "L"); /* may step over it */
}
END_TEST

START_TEST(own_doing_in_memory)
{
	/* work from a counter, both ways; with what may be undone; semaphores */
	ck_assert_str_eq(loop("%x = atom.global.add.u32 [%p], 1\n %c = setp.lt.u32 %x, %n"), "");
	ck_assert_str_eq(loop("%x = atom.global.add.u32 [%p], -1\n %c = setp.gt.s32 %x, 0"), "");
	ck_assert_str_eq(loop("%x = atom.global.add.u32 [%p], 1\n red.global.add.u32 [%q], -1\n"
		" %c = setp.lt.u32 %x, %n"), "L");
	ck_assert_str_eq(loop("%x = atom.global.add.u32 [%p], -1\n %c = setp.lt.s32 %x, 1"), "L");
	ck_assert_str_eq(loop("%x = atom.global.add.u32 [%p], 0\n %c = setp.lt.u32 %x, %n"), "L");
	ck_assert_str_eq(loop("%x = atom.global.add.u32 [%p], 1\n %c = setp.ne.u32 %x, %n"), "L");
	/* compare and swap: what the last one found, what was loaded; a lock */
	ck_assert_str_eq(loop("%x = add.u32 %y, %t\n %x = atom.global.cas.b32 [%p], %y, %x\n"
		" %c = setp.ne.u32 %x, %y\n %y = mov.u32 %x"), "");
	ck_assert_str_eq(loop("%y = ld.volatile.global.u32 [%p]\n %i = add.u32 %y, %t\n"
		" %x = atom.global.cas.b32 [%p], %y, %i\n %c = setp.ne.u32 %x, %y"), "");
	ck_assert_str_eq(loop("%y = ld.volatile.global.u32 [%q]\n %i = add.u32 %y, %t\n"
		" %x = atom.global.cas.b32 [%p], %y, %i\n %c = setp.ne.u32 %x, %y"), "L");
	/* loaded elsewhere: from another space, or a part of what the swap compares */
	ck_assert_str_eq(loop("%y = ld.volatile.shared.u32 [%p]\n %i = add.u32 %y, %t\n"
		" %x = atom.global.cas.b32 [%p], %y, %i\n %c = setp.ne.u32 %x, %y"), "L");
	ck_assert_str_eq(loop("%y = ld.volatile.global.u8 [%p]\n %i = add.u32 %y, %t\n"
		" %x = atom.global.cas.b32 [%p], %y, %i\n %c = setp.ne.u32 %x, %y"), "L");
	ck_assert_str_eq(loop("%x = atom.global.cas.b32 [%p], %y, 1\n %c = setp.ne.u32 %x, %y"), "L");
	ck_assert_str_eq(loop("%y = ld.volatile.global.u32 [%p]\n %i = add.u32 %y, 1\n"
		" %x = atom.global.cas.b32 [%p], %y, %i\n %c = setp.ne.u32 %x, %y\n %d = setp.eq.u32 %y, 7\n"
		" %c = or.pred %c, %d"), "L"); /* and what was there must not be 7 */
}
END_TEST

int main(void)
{
	Suite *s = suite_create("waits");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, NULL, teardown);
	tcase_add_test(t, what_is_read_anew);
	tcase_add_test(t, plain_loads);
	tcase_add_test(t, ways);
	tcase_add_test(t, own_doing);
	tcase_add_test(t, own_doing_by_ways);
	tcase_add_test(t, own_doing_in_memory);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
