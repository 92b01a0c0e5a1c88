/* Uniformity, dce, simplify-cfg of kernels given as text; pipelines. */
#include "tests/passes/passes_rig.h"

static Function *read_kernel(const char *body)
{
	char *text = arena_printf(&arena, "kernel k(u64 out, u32 n)\n{\n%s}\n", body);
	module_free(m);
	m = ir_read(text, strlen(text), "test.ir", &diag);
	if (!m)
		diag_print(&diag, stderr);
	ck_assert_ptr_nonnull(m);
	return m->func.v[0];
}

static char *printed(const Function *f)
{
	char *s = "";
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			StrBuf line = { 0 };
			ir_print_ins(m, f, f->block.v[b], &f->block.v[b]->ins.v[k], &line);
			char *at = line.s, *loc = strstr(line.s, " !loc");
			while (*at == '\t' || *at == ' ')
				at++;
			if (loc)
				*loc = 0;
			s = arena_printf(&arena, "%s%s%s%s\n", s, k ? "" : f->block.v[b]->label,
				k ? "" : ": ", at);
			sb_free(&line);
		}
	return s;
}

START_TEST(uniform_and_divergent)
{
	Function *f = read_kernel(
		"	reg u32 %tid, %n, %i, %j, %k, %x, %y\n	reg u64 %o\n	reg pred %p, %q, %r, %s\n"
		"A:	%tid = mov.u32 %tid.x\n	%n = ld.param.u32 [n]\n	%o = ld.param.u64 [out]\n"
		"	%i = mov.u32 0\n"
		"	%x = mov.u32 1\n	%y = mov.u32 1\n	%q = setp.lt.u32 %n, 3\n"
		"	%p = setp.lt.u32 %tid, 3\n	bra %q, B, C\n"
		"B:	%x = add.u32 %x, 1\n	bra C\n"                 /* uniform branch: x stays uniform */
		"C:	bra %p, D, L\n"
		"D:	%y = add.u32 %y, 1\n	bra L\n"                /* sync dependence: y diverges at L */
		"L:	%i = add.u32 %i, 1\n	%j = add.u32 %i, 7\n	%r = setp.lt.u32 %i, %tid\n"
			"	bra %r, L, M\n"
		/* temporal: j inside is uniform, k outside is not */
		"M:	%k = add.u32 %j, 1\n	%s = setp.eq.u32 %k, %x\n"
		"	st.global.u32 [%o], %y\n	bra %s, B, E\n"
		"E:	exit\n");
	Uniformity *u = uniformity_build(&arena, cfg_build(&arena, f), 32);
#define DIV(R) bs_has(u->regs, function_find_reg(f, R))
	ck_assert(DIV("%tid") && DIV("%p") && DIV("%r") && DIV("%y") && DIV("%k") && DIV("%s"));
	ck_assert(!DIV("%n") && !DIV("%q") && !DIV("%o"));
	ck_assert(u->divergent[2] && u->divergent[4] && u->divergent[5] && !u->divergent[0] &&
		!u->divergent[1]);
	ck_assert(!DIV("%x"));                                        /* M: those that go on do so together */
	f = read_kernel("	reg u32 %n, %i, %v\n	reg pred %p, %q\n	reg u64 %o\n"
		"A:	%n = ld.param.u32 [n]\n	%o = ld.param.u64 [out]\n	%i = mov.u32 0\n"
		"	bra L\n"
		"L:	%i = add.u32 %i, 1\n	%v = ld.global.u32 [%o]\n	%q = setp.eq.u32 %v, 0\n"
		"	@%q %i = add.u32 %i, 1\n"
		"	%p = setp.lt.u32 %i, %n\n	bra %p, L, E\nE:	exit\n");
	u = uniformity_build(&arena, cfg_build(&arena, f), 32);
	ck_assert(!DIV("%i") && !DIV("%v") && !u->divergent[1]);  /* nothing stores: one address, one value */
	f = read_kernel("	reg u32 %t, %n, %a, %b, %c\n	reg pred %q\n"
		"A:	%t = mov.u32 %tid.x\n	%n = ld.param.u32 [n]\n	%q = setp.lt.u32 %n, 3\n"
		"	%a = add.cc.u32 %n, %n\n"
		"	%b = addc.u32 %n, 0\n	%a = add.cc.u32 %t, -2\n	@%q %a = add.cc.u32 %n, %n\n"
		"	%c = addc.u32 %n, 0\n	exit\n");
	u = uniformity_build(&arena, cfg_build(&arena, f), 32);
	ck_assert(!DIV("%b") && DIV("%c"));                      /* the guard may have left the carry of %t */
#undef DIV
}
END_TEST

/* Lanes that leave a loop for blocks of their own, and end there, do not make differ what the others find
   behind it. Where they come back, they do. */
START_TEST(ends_part_nobody)
{
	static const char *const last[] = { "exit", "bra E" };
	for (int k = 0; k < 2; k++) {
		Function *f = read_kernel(arena_printf(&arena,
			"	reg u32 %%t, %%i, %%x\n	reg pred %%p, %%q, %%r, %%s\n"
			"A:	%%t = mov.u32 %%tid.x\n	%%i = mov.u32 0\n	bra H\n"
			"H:	%%i = add.u32 %%i, 1\n	%%p = setp.lt.u32 %%i, 9\n	bra %%p, B, E\n"
			"B:	%%q = setp.eq.u32 %%t, %%i\n	bra %%q, X, H\n"
			"X:	%%r = setp.eq.u32 %%i, 3\n	bra %%r, F, G\n"
			"F:	bra G\nG:	%s\n"
			"E:	%%s = setp.eq.u32 %%i, 4\n	bra %%s, M, N\n"
			"M:	bra N\nN:	exit\n", last[k]));
		Uniformity *u = uniformity_build(&arena, cfg_build(&arena, f), 32);
		ck_assert(!u->divergent[1] && u->divergent[2] && u->divergent[3]);
		ck_assert_int_eq(u->divergent[6], k);
		ck_assert(u->parts[2] && (u->parts[3] || !k));
	}
	Function *f = read_kernel("	reg u32 %t\n	reg pred %p\nA:	%t = mov.u32 %tid.x\n"
		"	%p = setp.eq.u32 %t, 0\n	bra %p, B, E\nB:	%t = mov.u32 0\n"
		"	bra E\nE:	exit\n");
	Uniformity *u = uniformity_build(&arena, cfg_build(&arena, f), 32);
	ck_assert(u->divergent[0] && !u->parts[0]);
}
END_TEST

/* What is the same in a warp, in a block and in the grid. row: threads in x that the kernel asks for; 0: it
   asks for nothing. */
static void same_in(uint32_t row, int64_t warp_size, UniScope scope, bool y, bool warp, bool block)
{
	char *text = arena_printf(&arena, "kernel k(u32 n) %s\n{\n	reg u32 %%x, %%y, %%w, %%b, %%n\n"
		"	reg pred %%p\n"
		"A:	%%x = mov.u32 %%tid.x\n	%%y = mov.u32 %%tid.y\n	%%w = mov.u32 %%warpid\n"
		"	%%b = mov.u32 %%ctaid.x\n	%%n = ld.param.u32 [n]\n	exit\n}\n",
		row ? arena_printf(&arena, "reqntid(%u, 2)", row) : "");
	module_free(m);
	m = ir_read(text, strlen(text), "test.ir", &diag);
	ck_assert_ptr_nonnull(m);
	Function *f = m->func.v[0];
	Uniformity *u = uniformity_build_for(&arena, cfg_build(&arena, f),
		(UniformityOptions){ .scope = scope, .warp_size = warp_size });
	ck_assert_int_eq(bs_has(u->regs, function_find_reg(f, "%x")), row != 1);
	ck_assert_int_eq(!bs_has(u->regs, function_find_reg(f, "%y")), y);
	ck_assert_int_eq(!bs_has(u->regs, function_find_reg(f, "%w")), warp);
	ck_assert_int_eq(!bs_has(u->regs, function_find_reg(f, "%b")), block);
	ck_assert(!bs_has(u->regs, function_find_reg(f, "%n")));
}

START_TEST(scopes)
{
	same_in(0, 32, UNI_WARP, false, true, true);
	same_in(0, 64, UNI_WARP, false, false, true);
	same_in(16, 32, UNI_WARP, false, true, true);
	same_in(16, 4, UNI_WARP, true, true, true);
	same_in(32, 32, UNI_WARP, true, true, true);
	same_in(32, 64, UNI_WARP, false, false, true);
	same_in(1, 32, UNI_WARP, false, true, true);
	same_in(32, 32, UNI_BLOCK, false, false, true);
	same_in(32, 32, UNI_GRID, false, false, false);
}
END_TEST

/* What a vote finds out in one half of a machine's warp of 64 the other half does not know: a branch on it
   parts them there, and nowhere else. */
START_TEST(halves_of_a_warp)
{
	static const char text[] = "kernel k(u64 out)\n{\n	reg u32 %t, %v\n	reg pred %p\n"
		"	reg u64 %o\nA:	%t = mov.u32 %tid.x\n	%o = ld.param.u64 [out]\n"
		"	%p = setp.eq.u32 %t, 3\n	%p = vote.sync.any.pred %p, -1\n"
		"	%v = mov.u32 1\n	bra %p, B, C\nB:	%v = add.u32 %v, 1\n	bra D\n"
		"C:	%v = add.u32 %v, 2\n	bra D\nD:	st.global.u32 [%o], %v\n	exit\n}\n";
	for (int wide = 0; wide < 2; wide++) {
		MachineLimits limits = limits_default;
		Diag d = { 0 };
		Module *m = ir_read(text, sizeof text - 1, "k.ir", &d);
		limits.warp_size = wide ? 64 : 32;
		/* which converts divergent branches alone */
		ck_assert(m && pipeline_run(m, "if-convert", &(PassHost){ .limits = &limits }, &d));
		ck_assert_int_eq(m->func.v[0]->block.v[0]->nsucc, wide ? 1 : 2);
		module_free(m);
		diag_free(&d);
	}
}
END_TEST

START_TEST(rule_b)
{
	const char *text = "	reg u32 %%t\n	reg pred %%p, %%q, %%r\n"
		"B1:	%%t = %s\n	%%p = setp.lt.u32 %%t, 2\n	%%q = setp.eq.u32 %%t, 2\n"
		"	%%r = setp.eq.u32 %%t, 0\n	bra %%p, B3, B2\n"
		"B2:	bra %%q, B3, B5\nB3:	bar.sync 0\n	bra %%r, B4, B5\nB4:	bra B6\n"
		"B5:	bra B6\nB6:	exit\n";
	Function *f = read_kernel(arena_printf(&arena, text, "mov.u32 %tid.x"));
	ck_assert(!apply(&pass_linearize, f));
	ck_assert_int_eq(diag.errors, 0);
	ck_assert_int_eq(diag.item.n, 1);
	ck_assert_msg(strstr(diag.item.v[0].text, "bar.sync in block B3 depends on the branch of block B1, "
		"which may diverge") != NULL, "%s", diag.item.v[0].text);
	ck_assert_int_eq(diag.item.v[0].loc.line, 11);
	f = read_kernel(arena_printf(&arena, text, "ld.param.u32 [n]"));
	ck_assert(linearize(f, 0));
	ck_assert_int_eq(diag.item.n, 1);
}
END_TEST

/* What linearize says, with its place, when it leaves the kernel as it is. */
static const char *refusal(const char *options, const char *body)
{
	PassLog log = { .remarks = true };
	Diag d = { 0 };
	Function *f = read_kernel(body);
	ck_assert(pipeline_run(m, arena_printf(&arena, "linearize(%s)", options), &(PassHost){ .log = &log },
		&d));
	for (int b = 0; b < f->block.n; b++)
		ck_assert_int_eq(f->block.v[b]->origin, 0);
	const char *text = d.item.n == 1 ? arena_printf(&arena, "%d: %s", d.item.v[0].loc.line,
		d.item.v[0].text) : "";
	pass_log_free(&log);
	diag_free(&d);
	return text;
}

START_TEST(refusals)
{
	ck_assert_str_eq(refusal("order=[C,B]", "	reg u32 %t\n	reg pred %p\n"
		"A:	%t = ld.param.u32 [n]\n	%p = setp.lt.u32 %t, 2\n	bra %p, B, C\n"
		"B:	bra D\nC:	bar.sync 0\n	bra D\nD:	exit\n"),
		"9: linearize: k: left alone: a region of 2 units: order mixes blocks, but bar.sync in block "
		"C needs the threads "
		"that come to it together");
	ck_assert_str_eq(refusal("merge=1", "	reg u32 %t\n	reg pred %p\nA:	%t = ld.param.u32 [n]\n"
		"	%p = setp.lt.u32 %t, 2\n	bra L\n"
		"L:	bra M\nM:	bar.sync 0\n	bra %p, M, N\nN:	bra %p, L, D\n"
		"D:	exit\n"), "9: linearize: k: left alone: a region of 3 units: merge mixes turns of "
		"loops, but bar.sync in block M needs the "
		"threads that come to it together");
	ck_assert_str_eq(refusal("interleave=1", "	reg u32 %t, %v\n	reg u64 %o\n	reg pred %p\n"
		"A:	%t = mov.u32 %tid.x\n	%o = ld.param.u64 [out]\n	%p = setp.lt.u32 %t, 2\n"
		"	bra %p, B, C\nB:	%v = ld.global.u32 [%o]\n	bra D\nC:	bar.sync 0\n"
		"	bra D\nD:	exit\n"), "12: linearize: k: left alone: a region of 2 units: "
		"interleave "
		"mixes blocks, but bar.sync in block C needs the threads that come to it together");
	ck_assert_str_eq(refusal("interleave=1", "	reg u32 %t, %v\n	reg u64 %o\n	reg pred %p\n"
		"A:	%t = mov.u32 %tid.x\n	%o = ld.param.u64 [out]\n	%p = setp.lt.u32 %t, 2\n"
		"	bra %p, B, C\nB:	%v = ld.global.u32 [%o]\n	bra D\nC:	bra D\n"
		"D:	exit\n"), "9: linearize: k: left alone: a region of 2 units takes 3 cycles, in "
		"another "
		"order 3, and guards 0");
	ck_assert_str_eq(refusal("divergent=1", "	reg u32 %t\n	reg pred %p\n"
		"A:	%t = ld.param.u32 [n]\n	%p = setp.lt.u32 %t, 2\n	bra %p, B, C\n"
		"B:	bra %p, C, D\nC:	bra %p, D, E\nD:	bra E\nE:	exit\n"),
		"1: linearize: k: left alone: a region of 3 units: no branch of it parts threads");
}
END_TEST

/* The ways of an indexed branch set the variable each, which needs more entries than asked for; a further run
   does not try again. */
START_TEST(depth_of_indexed_branches)
{
	PassLog log = { .remarks = true };
	PassValue v[PASS_OPTIONS];
	Function *f = read_kernel("	reg u32 %t, %i\n	reg pred %p\nA:	%t = ld.param.u32 [n]\n"
		"	%i = and.b32 %t, 1\n	%p = setp.lt.u32 %t, 2\n	bra %p, B, C\n"
		"B:	brx %i, [D, E, F]\nC:	bra G\nD:	bra F\nE:	bra F\nF:	bra G\n"
		"G:	exit\n");
	ck_assert(pipeline_run(m, "linearize(depth=3)", &(PassHost){ .log = &log }, &diag));
	ck_assert_int_eq(diag.item.n, 1);
	ck_assert_str_eq(diag.item.v[0].text, "linearize: k: depth: a stack may need 5 entries at block "
		"B_to2, not 3");
	pass_defaults(&pass_linearize, v);
	v[DEPTH].number = 3;
	ck_assert(!pass_apply(&pass_linearize, m, f, v, &diag));
	pass_log_free(&log);
}
END_TEST

START_TEST(dead_code)
{
	Function *f = read_kernel(
		"	reg u32 %a, %b, %c, %d, %e\n	reg u64 %o\n	reg pred %p\n"
		/* c dead, then b */
		"A:	%o = ld.param.u64 [out]\n	%a = mov.u32 1\n	%b = add.u32 %a, 1\n"
			"	%c = add.u32 %b, 1\n"
		/* d lives on: guarded */
		"	%d = mov.u32 4\n	%p = setp.eq.u32 %a, 1\n	@%p %d = mov.u32 5\n"
		"	st.global.u32 [%o], %d\n	%c = ld.global.u32 [%o]\n"
		"	%c = ld.volatile.global.u32 [%o]\n"
		/* the first carry is read */
		"	%e = atom.global.add.u32 [%o], 1\n	%e = add.cc.u32 %a, 1\n"
			"	%e = addc.cc.u32 0, 0\n"
		"	st.global.u32 [%o], %e\n	%e = add.cc.u32 %a, 1\n	%d = mov.u32 7\n"
			"	exit\n");
	ck_assert(apply(&pass_dce, f));
	ck_assert_str_eq(printed(f), "A: %o = ld.param.u64 [out]\n%a = mov.u32 1\n%d = mov.u32 4\n"
		"%p = setp.eq.u32 %a, 1\n"
		"@%p %d = mov.u32 5\nst.global.u32 [%o], %d\n%c = ld.volatile.global.u32 [%o]\n"
		"%e = atom.global.add.u32 [%o], 1\n"
		"%e = add.cc.u32 %a, 1\n%e = addc.cc.u32 0, 0\nst.global.u32 [%o], %e\nexit\n");
	ck_assert(!apply(&pass_dce, f));
}
END_TEST

static const char *marks_of(const Function *f)
{
	char *s = "";
	for (int b = 0; b < f->block.n; b++)
		for (int i = 0; i < f->block.v[b]->ins.n; i++)
			for (int k = f->block.v[b]->ins.v[i].mark; k; k = f->mark.v[k].next)
				s = arena_printf(&arena, "%s%s%s %s", s, *s ? ", " : "",
					f->mark.v[k].kind == MARK_BEGINS ? "begins" : "decides",
					f->source.v[f->mark.v[k].source]);
	return s;
}

START_TEST(simplify)
{
	Function *f = read_kernel(
		"	reg u32 %a\n	reg u64 %o\n	reg pred %p, %q\n"
		"A:	%o = ld.param.u64 [out]\n	%p = setp.lt.u32 1, 2\n	bra %p, x1, x2\n"
		"x1: !auto\n	bra x3\nx3: !auto\n	bra B\n"
		"x2: !auto\n	st.global.u32 [%o], 1\n	bra B\n"
		"B:	%a = mov.u32 %tid.x\n	%q = setp.eq.u32 %a, 1\n	bra %q, y1, y2\ny1: !auto\n"
		"	bra C\ny2: !auto\n	bra C\n"
		"C:	bra z\nz: !auto\n	st.global.u32 [%o], 2\n	bra D\nD:	exit\n"
		"U:	st.global.u32 [%o], 3\n	bra D\n");
	ck_assert(apply(&pass_simplify_cfg, f));
	ck_assert_str_eq(text_of(f), "A"); /* blocks of the source merge, and their marks stay */
	ck_assert_str_eq(printed(f), "A: %o = ld.param.u64 [out]\n%p = setp.lt.u32 1, 2\n"
		"%a = mov.u32 %tid.x\n"
		"%q = setp.eq.u32 %a, 1\nst.global.u32 [%o], 2\nexit\n");
	ck_assert_str_eq(marks_of(f), "begins A, decides A, begins B, decides B, begins C, begins D");
	ck_assert(!apply(&pass_simplify_cfg, f));
	f = read_kernel("	reg u32 %a\n	reg pred %p\ne: !auto\n	%a = mov.u32 0\n	bra L\n"
		"L:	%a = add.u32 %a, 1\n	bra m\n"
		"m: !auto\n	%p = setp.lt.u32 %a, 9\n	bra %p, n, E\nn: !auto\n"
		"	%a = add.u32 %a, 1\n	bra L\nE:	exit\n");
	ck_assert(apply(&pass_simplify_cfg, f));
	ck_assert_str_eq(text_of(f), "e:L L:n,E n:L E"); /* L has two ways in: e stays */
	f = read_kernel("	reg u32 %a\ne: !auto\n	%a = mov.u32 0\n	bra L\nL:	exit\n");
	ck_assert(apply(&pass_simplify_cfg, f));
	/* the user's label takes the inserted entry in */
	ck_assert_str_eq(printed(f), "L: %a = mov.u32 0\nexit\n");
}
END_TEST

/* Simplification after linearization keeps what lanes do and structure. */
START_TEST(simplify_random)
{
	static WmSource s;
	static WmRun before, after;
	for (int i = 0; i < 500; i++) {
		rng = (uint64_t)i + 90000;
		char *text = random_graph(3 + pick(12), i % 2, i % 3 == 0);
		Function *f = graph_kernel(m, text);
		wm_source(f, &s);
		wm_run(&s, f, WM_LANES, 1, &before);
		apply(&pass_linearize, f);
		apply(&pass_simplify_cfg, f);
		check_form(f);
		ck_assert_msg(structured(&arena, cfg_build(&arena, f), NULL), "%s: %s", text, text_of(f));
		wm_run(&s, f, WM_LANES, 1, &after);
		for (int l = 0; l < WM_LANES; l++) {
			const WmLane *x = &before.lane[l], *y = &after.lane[l];
			int n = x->n < y->n ? x->n : y->n;
			ck_assert_msg((!before.ended || !after.ended || x->n == y->n) &&
				!memcmp(x->trace, y->trace, sizeof(int) * (size_t)n), "%s: lane %d: %s", text,
				l, text_of(f));
		}
		if (i % 50 == 49) {
			teardown();
			setup();
		}
	}
}
END_TEST

/* ---- pipelines ---- */

static char *complaint(const char *text)
{
	Diag d = { 0 };
	char *s = "";
	if (!pipeline_check(text, &d)) {
		ck_assert_int_eq(d.errors, 1);
		const DiagItem *i = &d.item.v[0];
		s = arena_printf(&arena, "%s:%d:%d: %s", i->loc.file, i->loc.line, i->loc.col, i->text);
	}
	diag_free(&d);
	return s;
}

START_TEST(pipeline_text)
{
	ck_assert_str_eq(complaint(""), "");
	ck_assert_str_eq(complaint(" linearize , dce( ) "), "");
	ck_assert_str_eq(complaint(" none "), "");
	char *all = "--passes:1:1: no pass `none`; there are ";
	for (int k = 0; pass_at(k); k++)
		all = arena_printf(&arena, "%s%s%s", all, k ? ", " : "", pass_at(k)->name);
	ck_assert_str_eq(complaint("none,dce"), all);
	ck_assert_str_eq(complaint("dce,linearise"), "--passes:1:5: no pass `linearise`; the nearest is "
		"`linearize`");
	ck_assert_str_eq(complaint("dce,"), "--passes:1:5: expected the name of a pass, found the end of the "
		"list");
	ck_assert_str_eq(complaint("dce dce"), "--passes:1:5: expected `,` and another pass, found `d`");
	ck_assert_str_eq(complaint("dce(x=1)"), "--passes:1:5: no option of dce `x`; there are none");
	ck_assert_str_eq(complaint("(dce)"), "--passes:1:1: expected the name of a pass, found `(`");
}
END_TEST

static void count_dump(void *self, const Module *mod, const char *pass, bool changed)
{
	char **s = self;
	ck_assert_ptr_eq(mod, m);
	*s = arena_printf(&arena, "%s%s;", *s, pass);
}

START_TEST(pipeline_runs_in_order)
{
	char *order = "";
	Function *f = graph_kernel(m, FIG1);
	ck_assert(pipeline_run(m, "linearize,simplify-cfg,dce",
		&(PassHost){ .after = count_dump, .self = &order }, &diag));
	ck_assert_str_eq(order, "linearize;simplify-cfg;dce;");
	ck_assert_int_eq(f->block.n, 6); /* no guard is left: the guarded blocks are empty */
	ck_assert(!pipeline_run(m, "nothing", NULL, &diag));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("passes");
	TCase *t = tcase_create("all");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, uniform_and_divergent);
	tcase_add_test(t, ends_part_nobody);
	tcase_add_test(t, scopes);
	tcase_add_test(t, rule_b);
	tcase_add_test(t, halves_of_a_warp);
	tcase_add_test(t, refusals);
	tcase_add_test(t, depth_of_indexed_branches);
	tcase_add_test(t, dead_code);
	tcase_add_test(t, simplify);
	tcase_add_test(t, simplify_random);
	tcase_add_test(t, pipeline_text);
	tcase_add_test(t, pipeline_runs_in_order);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
