/* What every divergence mechanism must be able to run: one table of kernels, each run under every mechanism
 * of the list timed and functionally, and in one of these ways with every value of each of its named
 * parameters and with a stack that spills. Memory and thread instructions are the reference interpreter's. A
 * new mechanism is tested by being in the list. */
#include "sim/reconv/seam.h"
#include "tests/part.h"
#include "tests/sim/sm/sim_rig.h"

/* Threads of the grid write out[thread] = %x; %t: thread of the block, %u: of the grid, %l: lane. Warps of
   eight. */
#define K(BODY) "kernel k(u64 out) {\n reg u32 %t, %u, %l, %x, %y, %z, %i, %j, %n, %m, %v\n" \
	" reg u64 %o, %w\n reg pred %p, %q, %r\n" \
	"A: %u = mov.u32 %ctaid.x\n %t = mov.u32 %ntid.x\n %u = mul.lo.u32 %u, %t\n %t = mov.u32 %tid.x\n" \
		" %u = add.u32 %u, %t\n" \
	" %l = and.b32 %t, 7\n %x = mad.lo.u32 %u, 77, 5\n" BODY "}\n"
#define END "\n %o = ld.param.u64 [out]\n %o = mad.wide.u32 %u, 4, %o\n st.global.u32 [%o], %x\n exit\n"
#define BIT(V, N) " %v = shr.b32 " V ", " N "\n %v = and.b32 %v, 1\n %p = setp.ne.u32 %v, 0\n"
#define MIX(L, N) L ": %x = mad.lo.u32 %x, 31, " N "\n"

#define PUT(THEN) " %w = mov.u64 s\n %w = mad.wide.u32 %t, 4, %w\n st.shared.u32 [%w], %x\n" THEN
#define TAKE(OTHER, TO) " %y = xor.b32 %t, " OTHER "\n %w = mov.u64 s\n %w = mad.wide.u32 %y, 4, %w\n " \
	TO " = ld.shared.u32 [%w]\n"

#define TRI "func tri(u32 %n) -> (u32 %r) {\n reg pred %p\n reg u32 %m, %s\nT0: %p = setp.eq.u32 %n, 0\n" \
	" bra %p, T1, T2\n" \
	"T1: %r = mov.u32 0\n ret\nT2: %m = sub.u32 %n, 1\n (%s) = call tri, (%m)\n %r = add.u32 %s, %n\n" \
	" ret\n}\n"
#define FIB "func fib(u32 %n) -> (u32 %r) {\n reg pred %p\n reg u32 %m, %s\nF0: %p = setp.lt.u32 %n, 2\n" \
	" bra %p, F1, F2\n" \
	"F1: %r = mov.u32 %n\n ret\nF2: %m = sub.u32 %n, 1\n (%s) = call fib, (%m)\n %m = sub.u32 %n, 2\n" \
		" (%r) = call fib, (%m)\n" \
	" %r = add.u32 %r, %s\n ret\n}\n"
/* Behind the call, activations of different depth meet, whose lanes belong to different barriers. */
#define DOWN "func down(u32 %n) -> (u32 %r) {\n reg pred %p, %q\n reg u32 %m\nD0: %r = mov.u32 1\n" \
	" %q = setp.lt.u32 %n, 100\n" \
	" %p = setp.eq.u32 %n, 0\n bra %p, D1, D2\nD1: ret\nD2: %m = sub.u32 %n, 1\n" \
		" @%q (%r) = call down, (%m)\n" \
	" %r = mad.lo.u32 %r, 3, %n\n ret\n}\n"
/* Turns of a loop in a function that some lanes leave early, by returns at three places. */
#define EARLY "func early(u32 %n) -> (u32 %r) {\n reg pred %p\n reg u32 %i, %a\nE0: %r = mov.u32 1\n" \
	" %i = mov.u32 0\n" \
	"E1: %i = add.u32 %i, 1\n %p = setp.gt.u32 %i, %n\n bra %p, E2, E3\nE2: %r = add.u32 %r, 100\n" \
		" ret\n" \
	"E3: %a = and.b32 %n, 3\n %p = setp.eq.u32 %a, %i\n bra %p, E4, E5\nE4: %r = mul.lo.u32 %r, 7\n" \
		" ret\n" \
	"E5: %r = mad.lo.u32 %r, 3, %i\n %p = setp.gt.u32 %r, 500\n bra %p, E6, E1\nE6: ret\n}\n"

enum {
	WAITS = 1,                 /* part of a warp waits for the rest: stacks refuse it, or go on as told */
	COUNTED = 2                    /* with WAITS: counting arriving lanes is enough for stacks, too */
};

typedef struct Case { const char *name, *text; unsigned flags; } Case;

static const Case cases[] = {
	{ "calls on both sides of a branch", TRI FIB K(
		BIT("%l", "0") " bra %p, B, C\n"
		"B: %n = and.b32 %t, 3\n (%y) = call tri, (%n)\n %x = add.u32 %x, %y\n bra D\n"
		"C: %n = and.b32 %t, 7\n (%y) = call tri, (%n)\n %x = mad.lo.u32 %y, 3, %x\n"
		" (%y) = call fib, (%n)\n %x = add.u32 %x, %y\n bra D\n"
		"D: (%y) = call fib, (%l)\n %x = mad.lo.u32 %x, 5, %y\n" END), 0 },
	{ "recursion of different depth in a loop", FIB K(
		" %i = mov.u32 0\n bra B\nB: %n = xor.b32 %i, %l\n (%y) = call fib, (%n)\n"
		" %x = mad.lo.u32 %x, 3, %y\n"
		BIT("%y", "0") " bra %p, C, D\nC: (%y) = call fib, (%i)\n %x = add.u32 %x, %y\n bra D\n"
		"D: %i = add.u32 %i, 1\n %n = and.b32 %l, 3\n %p = setp.le.u32 %i, %n\n bra %p, B, E\nE:"
		END), 0 },
	{ "guarded calls in a recursion", DOWN K("B: %n = and.b32 %l, 3\n (%y) = call down, (%n)\n"
		" %x = add.u32 %x, %y\n" END), 0 },
	{ "returns out of a loop", EARLY K(
		"B: (%y) = call early, (%t)\n %x = add.u32 %x, %y\n" BIT("%t", "1") " bra %p, C, D\n"
		"C: %n = add.u32 %t, 9\n (%y) = call early, (%n)\n %x = mad.lo.u32 %x, 3, %y\n bra D\nD:"
		END), 0 },
	{ "indirect calls in divergent code", "global u64 table[4] = { tri, f1, early, fib }\n"
		"func f1(u32 %x) -> (u32 %r) {\n reg u32 %y\nG: (%y) = call tri, (%x)\n"
		" %r = mul.lo.u32 %y, 10\n ret\n}\n" TRI FIB EARLY K(
		" %i = mov.u32 0\n bra B\n"
		"B: %n = add.u32 %i, %l\n %v = and.b32 %n, 3\n %w = mov.u64 table\n"
		" %w = mad.wide.u32 %v, 8, %w\n %w = ld.global.u64 [%w]\n"
		BIT("%l", "2") " bra %p, C, D\nC: (%y) = call %w, (%n)\n %x = add.u32 %x, %y\n bra E\n"
		"D: (%y) = call %w, (%l)\n %x = mad.lo.u32 %x, 3, %y\n bra E\n"
		"E: %i = add.u32 %i, 1\n %p = setp.lt.u32 %i, 3\n bra %p, B, F\nF:" END), 0 },
	{ "indexed branch with five targets", K(
		" %n = rem.u32 %l, 5\n brx %n, [B0, B1, B2, B3, B4]\n"
		MIX("B0", "10") " bra J\n" MIX("B1", "11") " bra J\n" MIX("B2", "12") " bra J\n"
		MIX("B3", "13") " bra J\n" MIX("B4", "14") " bra J\n"
		MIX("J", "1") END), 0 },
	{ "indexed branch into code that is shared", K(
		" %i = mov.u32 0\n bra H\nH: %n = mad.lo.u32 %i, 3, %t\n %n = rem.u32 %n, 5\n"
		" brx %n, [B0, B1, B2, B3, L]\n"
		MIX("B0", "10") " bra B1\n" MIX("B1", "11") BIT("%t", "0") " bra %p, B2, B3\n"
		MIX("B2", "12") " bra L\n" MIX("B3", "13") " bra L\n"
		MIX("L", "1") " %i = add.u32 %i, 1\n %p = setp.lt.u32 %i, 6\n bra %p, H, J\nJ:" END), 0 },
	{ "indexed branches in nested divergence", K(
		BIT("%t", "1") " bra %p, B, C\nB: %n = and.b32 %l, 5\n brx %n, [P0, P1, P0, P1, P2, P3]\n"
		MIX("P0", "3") " bra M\n" MIX("P1", "4") " bra M\n" MIX("P2", "5") " bra M\n"
		MIX("P3", "6") " bra M\n" MIX("M", "7") " bra J\n"
		"C: %n = rem.u32 %t, 3\n brx %n, [Q0, Q1, Q2]\n" MIX("Q0", "8") " bra J\n"
		MIX("Q1", "9") " bra J\n" MIX("Q2", "10") " bra J\n"
		MIX("J", "2") END), 0 },
	{ "indexed branches with one target, with two, with one twice", K(
		" %i = mov.u32 0\n bra H\nH: %n = and.b32 %l, 1\n brx %n, [B, C]\n"
		MIX("B", "10") " %n = sub.u32 %n, %n\n brx %n, [D]\n"
		MIX("C", "11") BIT("%x", "3") " bra %p, D, E\n"
		"D: %n = and.b32 %l, 3\n brx %n, [E, F, E, E]\n" MIX("E", "12") " brx 0, [G]\n"
		MIX("F", "13") " brx %i, [G, G, G, G]\n"
		"G: %i = add.u32 %i, 1\n %p = setp.lt.u32 %i, 3\n %n = selp.u32 1, 0, %p\n brx %n, [J, H]\nJ:"
		END), 0 },
	{ "indexed branches out of a loop", K(
		" %i = mov.u32 0\n bra H\nH: %i = add.u32 %i, 1\n %x = mad.lo.u32 %x, 3, %i\n"
		" %p = setp.gt.u32 %i, %l\n %n = selp.u32 1, 0, %p\n"
		" brx %n, [B, J]\n" MIX("B", "10") BIT("%x", "4") " %n = selp.u32 1, 0, %p\n brx %n, [C, L]\n"
		MIX("C", "11") " brx 2, [J, J, L]\n"
		"L: %p = setp.gt.u32 %i, 5\n %n = selp.u32 0, 1, %p\n brx %n, [J, H]\n" MIX("J", "2") END),
		0 },
	{ "branches on constants", K(
		BIT("%l", "0") " bra %p, B, C\n" MIX("B", "3") " bra 1, D, C\n" MIX("C", "4") " bra 0, B, D\n"
		"D: %i = mov.u32 0\n bra H\nH: %i = add.u32 %i, 1\n %x = mad.lo.u32 %x, 3, %i\n bra 0, J, E\n"
		"E: %p = setp.gt.u32 %i, %l\n bra %p, J, F\nF:" BIT("%x", "4") " bra %p, G, L\n"
		MIX("G", "5") " bra 1, L, J\n"
		"L: %p = setp.gt.u32 %i, 5\n bra %p, J, M\n" MIX("M", "1") " bra 1, H, J\n"
		MIX("J", "2") " bra 0, O, O\nO:" END), 0 },
	{ "branches on constants between warp-level operations", K(
		" %n = vote.sync.ballot.b32 1, 0xff\n %x = add.u32 %x, %n\n" BIT("%l", "0") " bra %p, B, C\n"
		MIX("B", "3") " bra 1, D, C\n"
		MIX("C", "4") " bra 0, B, D\nD: %i = mov.u32 0\n bra H\nH: %i = add.u32 %i, 1\n"
		" %x = mad.lo.u32 %x, 3, %i\n"
		" %p = setp.gt.u32 %i, %l\n bra %p, J, E\nE: bra 0, J, F\nF:" BIT("%x", "4") " bra %p, G, L\n"
		MIX("G", "5") " bra 1, L, J\n"
		"L: brx 1, [J, H]\n" MIX("J", "2") " bar.warp.sync 0xff\n %q = vote.sync.all.pred 0, 0xff\n"
		" @!%q %x = add.u32 %x, 9\n" END), 0 },
	{ "constant predicates as sources", "shared u32 s[32]\n" K(
		" %y = selp.u32 3, 4, 1\n %z = selp.u32 %x, %y, 0\n %x = mad.lo.u32 %y, %z, %x\n"
		" %p = setp.lt.and.u32 %l, 4, 1\n %q = setp.lt.or.u32 %l, 4, 1\n"
		" %r = setp.lt.xor.u32 %l, 4, 1\n"
		" @%p %x = add.u32 %x, 1\n @%q %x = add.u32 %x, 2\n @%r %x = add.u32 %x, 4\n"
		" %p | %q = setp.lt.and.u32 %l, 4, 0\n"
		" @%p %x = add.u32 %x, 8\n @%q %x = add.u32 %x, 16\n %p = and.pred 1, %r\n"
		" %q = or.pred %r, 0\n %r = xor.pred 1, %r\n"
		" @%p %x = add.u32 %x, 32\n @%q %x = add.u32 %x, 64\n @%r %x = add.u32 %x, 128\n"
		" %p = mov.pred 1\n %q = not.pred 1\n"
		" @%p %x = add.u32 %x, 256\n @%q %x = add.u32 %x, 512\n %n = vote.sync.ballot.b32 1, 0xff\n"
		" %x = add.u32 %x, %n\n"
		" %n = vote.sync.ballot.b32 0, 0xff\n %x = add.u32 %x, %n\n %n = bar.red.popc.u32 0, _, 1\n"
		" %x = mad.lo.u32 %x, 3, %n\n"
		" %q = bar.red.and.pred 0, _, 0\n @%q %x = add.u32 %x, 7\n %q = bar.red.or.pred 0, _, 1\n"
		" @%q %x = add.u32 %x, 7\n" END), 0 },
	{ "early exits in nested divergence", K(
		BIT("%l", "0") " bra %p, B, C\n"
		"B:" BIT("%l", "1") " bra %p, X, D\nX: %x = mov.u32 1" END
		"D:" BIT("%l", "2") " bra %p, Y, M\nY: %x = mov.u32 2" END
		"C:" BIT("%l", "2") " bra %p, E, F\nE: %x = add.u32 %x, 1\n"
		BIT("%l", "1") " bra %p, Z, F\nZ: %x = mov.u32 3" END
		MIX("F", "5") " bra M\n" MIX("M", "7") END), 0 },
	{ "early exits three levels deep", K(
		BIT("%l", "0") " bra %p, B, C\n"
		"B:" BIT("%l", "1") " bra %p, D, E\n"
		"D:" BIT("%l", "2") " bra %p, X, F\nX: %x = mov.u32 1" END MIX("F", "3") " bra G\n"
		"E:" BIT("%x", "3") " bra %p, Y, G\nY: %x = mov.u32 2" END
		MIX("G", "5") BIT("%x", "4") " bra %p, Z, M\nZ: %x = mov.u32 3" END
		"C:" BIT("%l", "1") " bra %p, H, I\n"
		"H:" BIT("%l", "2") " bra %p, V, I\nV: %x = mov.u32 4" END
		MIX("I", "6") BIT("%x", "5") " bra %p, W, M\nW: %x = mov.u32 5" END
		MIX("M", "7") END), 0 },
	{ "exits out of nested loops and branches in them", K(
		" %i = mov.u32 0\n bra H\nH: %i = add.u32 %i, 1\n %j = mov.u32 0\n bra I\n"
		"I: %j = add.u32 %j, 1\n %x = mad.lo.u32 %x, 5, %j\n" BIT("%x", "2") " bra %p, B, N\n"
		"B: %y = shr.b32 %x, 4\n %y = and.b32 %y, 7\n %p = setp.eq.u32 %y, %l\n bra %p, X, C\n"
		"X: %x = add.u32 %x, %i" END
		"C:" BIT("%x", "5") " bra %p, D, N\nD: %y = add.u32 %i, %j\n %p = setp.gt.u32 %y, %l\n"
		" bra %p, E, N\n"
		"E:" BIT("%x", "6") " bra %p, Y, O\nY: %x = mov.u32 9" END
		"N: %p = setp.lt.u32 %j, 4\n bra %p, I, O\nO: %n = and.b32 %l, 3\n %p = setp.le.u32 %i, %n\n"
		" bra %p, H, J\n" MIX("J", "2") END), 0 },
	{ "exits in functions called from divergent code",
		"func leave(u32 %n, u32 %m) -> (u32 %r) {\n reg pred %p\n reg u32 %a, %s\n"
		"L0: %r = add.u32 %n, 1\n %a = and.b32 %n, 3\n %p = setp.eq.u32 %a, %m\n bra %p, L1, L2\n"
		"L1: exit\n"
		"L2: %p = setp.lt.u32 %n, 2\n bra %p, L4, L3\nL3: %a = sub.u32 %n, 2\n"
		" (%s) = call leave, (%a, %m)\n %r = mad.lo.u32 %s, 3, %r\n ret\nL4: ret\n}\n" K(
		/* each lane's word is written before it may end */
		" %o = ld.param.u64 [out]\n %o = mad.wide.u32 %u, 4, %o\n st.global.u32 [%o], %x\n"
		BIT("%l", "0") " bra %p, B, C\n"
		"B: %n = add.u32 %l, 2\n (%y) = call leave, (%n, 1)\n %x = add.u32 %x, %y\n bra J\n"
		"C:" BIT("%l", "1") " bra %p, D, E\nD: (%y) = call leave, (%l, 3)\n"
		" %x = mad.lo.u32 %x, 3, %y\n bra F\nE: (%y) = call leave, (%t, 0)\n %x = xor.b32 %x, %y\n"
		" bra F\n"
		MIX("F", "5") " bra J\n" MIX("J", "2") END), 0 },
	{ "exits out of a loop", K(
		" %i = mov.u32 0\n bra H\nH: %i = add.u32 %i, 1\n %p = setp.eq.u32 %i, %l\n bra %p, X, B\n"
		"X: %x = mad.lo.u32 %x, 3, %i" END
		"B:" BIT("%x", "1") " bra %p, C, D\n" MIX("C", "3") " bra D\n"
		MIX("D", "9") " %p = setp.lt.u32 %i, 5\n bra %p, H, J\nJ:" END), 0 },
	{ "nested loops with break and continue", K(
		" %i = mov.u32 0\n bra H\n"
		"H: %i = add.u32 %i, 1\n %j = mov.u32 0\n bra I\n"
		"I: %j = add.u32 %j, 1\n %x = mad.lo.u32 %x, 5, %j\n %y = xor.b32 %x, %l\n"
		BIT("%y", "2") " bra %p, N, B\n"
		"B: %y = add.u32 %i, %j\n %p = setp.gt.u32 %y, %l\n bra %p, O, C\n"
		"C: %x = add.u32 %x, %y\n bra N\n"
		"N: %p = setp.lt.u32 %j, 5\n bra %p, I, O\n"
		"O: %y = and.b32 %x, 15\n %p = setp.eq.u32 %y, %l\n bra %p, J, P\n"
		"P: %p = setp.lt.u32 %i, 6\n bra %p, H, J\n" MIX("J", "2") END), 0 },
	{ "a break out of two loops", K(
		" %i = mov.u32 0\n bra H\nH: %i = add.u32 %i, 1\n %j = mov.u32 0\n bra I\n"
		"I: %j = add.u32 %j, 1\n %x = mad.lo.u32 %x, 5, %j\n %y = shr.b32 %x, 3\n"
		" %y = and.b32 %y, 15\n %p = setp.eq.u32 %y, %l\n bra %p, X, B\n"
		"B: %n = and.b32 %l, 3\n %p = setp.le.u32 %j, %n\n bra %p, I, N\n"
		"N: %x = add.u32 %x, %i\n %p = setp.lt.u32 %i, 5\n bra %p, H, J\n"
		MIX("X", "4") " bra J\n" MIX("J", "2") END), 0 },
	{ "a loop with two entries", K(
		" %i = mov.u32 0\n" BIT("%l", "0") " bra %p, B, C\n"
		MIX("B", "3") " %i = add.u32 %i, 1\n %p = setp.gt.u32 %i, %l\n bra %p, J, C\n"
		MIX("C", "4") " %i = add.u32 %i, 1\n" BIT("%x", "3")
		" %q = setp.gt.u32 %i, 9\n %p = or.pred %p, %q\n bra %p, J, B\n"
		MIX("J", "2") END), 0 },
	{ "barriers between divergent parts", "shared u32 s[32]\n" K(
		" %i = mov.u32 0\n bra H\nH:" PUT(" bar.sync 0\n") TAKE("1", "%z") BIT("%z", "0")
		" bra %p, B, C\n"
		MIX("B", "3") " bra D\nC: %x = add.u32 %x, %z\n bra D\n"
		"D: bar.sync 0\n %q = setp.gt.u32 %x, %z\n %n = bar.red.popc.u32 1, %q\n"
		" %x = add.u32 %x, %n\n"
		" %i = add.u32 %i, 1\n %p = setp.lt.u32 %i, 3\n bra %p, H, J\nJ:" END), 0 },
	{ "a barrier on each side of a branch", "shared u32 s[32]\n" K(
		BIT("%l", "0") " bra %p, B, C\n"
		"B:" PUT(" bar.sync 0\n") " %z = mov.u32 10\n bra J\n"
		"C: %x = add.u32 %x, 3\n" PUT(" bar.sync 0\n") " %z = mov.u32 20\n bra J\n"
		"J:" TAKE("9", "%y") " %x = mad.lo.u32 %y, 3, %z\n" END), WAITS },
	{ "barriers that count part of each warp", "shared u32 s[32]\n" K(
		BIT("%l", "0") " bra %p, B, C\n"
		"B:" PUT(" bar.sync 1, 8\n") TAKE("8", "%y") " %x = add.u32 %x, %y\n bra J\n"
		"C: %x = xor.b32 %x, 5\n bra J\nJ:" END), WAITS | COUNTED },
	{ "a barrier behind early exits", K(
		BIT("%l", "0") " bra %p, B, C\nB:" BIT("%l", "1") " bra %p, X, D\nX: %x = mov.u32 1" END
		"D: %x = add.u32 %x, 1\n bra J\nC: %x = add.u32 %x, 2\n bra J\nJ: %q = setp.gt.u32 %x, 300\n"
		" %n = bar.red.popc.u32 0, %q\n"
		" %x = mad.lo.u32 %x, 100, %n\n" END), WAITS },
	{ "a shuffle behind early exits", K(
		BIT("%l", "0") " bra %p, B, C\nB:" BIT("%l", "1") " bra %p, X, D\nX: %x = mov.u32 1" END
		"D: %x = add.u32 %x, 1\n bra J\nC: %x = add.u32 %x, 2\n bra J\n"
		"J: %y = shfl.sync.idx.b32 %x, 4, 31, 0x77\n %x = mad.lo.u32 %x, 3, %y\n" END), WAITS },
	{ "warp-level operations of each side's lanes", K(
		BIT("%l", "1") " bra %p, B, C\n"
		"B: %y = shfl.sync.bfly.b32 %x, 1, 31, 0xcc\n"
		BIT("%t", "0") " %n = vote.sync.ballot.b32 %p, 0xcc\n %m = activemask.b32\n"
		" %z = shr.b32 %m, %l\n %z = and.b32 %z, 1\n %m = and.b32 %m, 0xffffff33\n"
		" %q = vote.sync.any.pred %p, 0xcc\n"
		" %x = mad.lo.u32 %y, 3, %n\n %x = mad.lo.u32 %x, 3, %m\n %x = mad.lo.u32 %x, 3, %z\n"
		" bar.warp.sync 0xcc\n @%q %x = add.u32 %x, 9\n bra J\n"
		"C: %y = redux.sync.add.u32 %x, 0x33\n %v = and.b32 %t, 1\n"
		" %n = match.any.sync.b32 %v, 0x33\n %m = redux.sync.max.u32 %x, 0x33\n"
		" %z | %q = match.all.sync.b32 %n, 0x33\n %x = mad.lo.u32 %y, 3, %n\n"
		" %x = mad.lo.u32 %x, 3, %m\n %x = mad.lo.u32 %x, 3, %z\n"
		" @%q %x = add.u32 %x, 9\n %y | %r = elect.sync 0x33\n @%r %x = add.u32 %x, 17\n"
		" %x = add.u32 %x, %y\n bra J\n"
		"J: %y = shfl.sync.down.b32 %x, 3, 31, 0xff\n %x = xor.b32 %x, %y\n" END), 0 },
	{ "warp-level operations in a loop that sheds lanes", K(
		" %i = mov.u32 0\n %m = mov.u32 0xff\n bra H\n"
		"H: %y = shfl.sync.idx.b32 %x, 7, 31, %m\n %x = mad.lo.u32 %x, 3, %y\n"
		BIT("%x", "1") " bra %p, B, C\n"
		MIX("B", "3") " bra C\nC: %n = redux.sync.xor.b32 %x, %m\n %x = add.u32 %x, %n\n"
		" bar.warp.sync %m\n"
		" %m = shl.b32 %m, 1\n %m = and.b32 %m, 0xff\n %i = add.u32 %i, 1\n %p = setp.le.u32 %i, %l\n"
		" bra %p, H, J\n" MIX("J", "2") END), 0 },
	{ "warp-level operations in a function", "func sum(u32 %v, u32 %m) -> (u32 %r) {\n reg u32 %y\n"
		"S0: %y = shfl.sync.bfly.b32 %v, 2, 31, %m\n"
		" %v = add.u32 %v, %y\n %r = redux.sync.add.u32 %v, %m\n ret\n}\n" K(
		BIT("%l", "0") " bra %p, B, C\nB: (%y) = call sum, (%x, 0xaa)\n %x = add.u32 %x, %y\n bra J\n"
		"C: (%y) = call sum, (%l, 0x55)\n %x = mad.lo.u32 %x, 3, %y\n bra J\n"
		"J: (%y) = call sum, (%x, 0xff)\n %x = xor.b32 %x, %y\n" END), 0 },
};
enum { CASES = sizeof cases / sizeof *cases };

enum { TIMED, FUNCTIONAL, BY_BLOCK, WAYS };

static Rig *machine(const char *model, const char *more, const char *partial, int way)
{
	char set[800];
	snprintf(set, sizeof set, "warp_size=8 divergence.model=%s divergence.bar_partial=%s "
		"functional.schedule=%s limits.progress_cycles=2000 %s", model, partial,
		way == BY_BLOCK ? "block" : "turns", more);
	Rig *r = rig_new(set);
	r->functional = way != TIMED;
	return r;
}

/* Two blocks of two warps. */
static bool completes(Rig *r, const Case *c, bool compare)
{
	rig_try(r, c->text, 2, 16);
	if (!r->ok)
		return false;
	rig_laws(r);
	if (compare)
		rig_reference(r, c->text, 2, 16);
	return true;
}

static const ReconvModel *named(const char *model)
{
	int k = 0;
	while (strcmp(reconv_model(k)->name, model))
		k++;
	return reconv_model(k);
}

/* A stack says why it cannot go on, and goes on when told how. */
static void stuck(const Case *c, const char *model, const char *more, int way, const Rig *r)
{
	char want[96];
	snprintf(want, sizeof want, "mechanism %s cannot let", model);
	ck_assert_msg(r->fault.kind == FAULT_BARRIER && strstr(r->fault.text, want), "%s under %s %s: %s",
		c->name, model, more, r->fault.text);
	ck_assert_int_gt(r->fault.loc.line, 0);
	Rig *on = machine(model, more, c->flags & COUNTED ? "per_lane" : "count_warp", way);
	ck_assert_msg(completes(on, c, c->flags & COUNTED), "%s under %s %s, told to go on: %s", c->name,
		model, more, on->fault.text);
	rig_free(on);
}

static void one(const Case *c, const char *model, const char *more, int way)
{
	Rig *r = machine(model, more, "error", way);
	bool ok = completes(r, c, true);
	if (!ok && c->flags & WAITS && !named(model)->sync_waits)
		stuck(c, model, more, way, r);
	else
		ck_assert_msg(ok, "%s under %s %s (run %d): %s", c->name, model, more, way, r->fault.text);
	if (!strcmp(model, "ipdom")) /* the textbook's stack has no way to wait */
		ck_assert_msg(ok == !(c->flags & WAITS), "%s: %s", c->name, ok ? "passes" : r->fault.text);
	rig_free(r);
}

static void everywhere(const char *model, const char *more)
{
	for (int c = 0; c < CASES; c++)
		for (int way = 0; way < WAYS; way++)
			one(&cases[c], model, more, way);
}

/* Each case one way, the next case another, and so with the next set of options. */
static void one_way_each(const char *model, const char *more, int first)
{
	for (int c = 0; c < CASES; c++)
		one(&cases[c], model, more, (first + c) % WAYS);
}

START_TEST(every_mechanism)
{
	const char *model = reconv_model(_i)->name;
	everywhere(model, "");
	one_way_each(model, "divergence.depth=2 divergence.chunk=1", _i);
}
END_TEST

/* Threads end, or are about to, while others of their warps meet at barriers: they are not waited for. */
static const Case early[] = {
	{ "a guard of bounds", "shared u32 s[16]\n" K(" %p = setp.ge.u32 %t, 13\n bra %p, OUT, B\nB:"
		PUT(" bar.sync 0\n")
		" %y = xor.b32 %t, 1\n %p = setp.lt.u32 %y, 13\n"
		TAKE("1", "@%p %y") " @%p %x = add.u32 %x, %y\n"
		" %o = ld.param.u64 [out]\n %o = mad.wide.u32 %u, 4, %o\n st.global.u32 [%o], %x\n bra OUT\n"
		"OUT: exit\n"), 0 },
	{ "a store before the end, on either side", K(" %o = ld.param.u64 [out]\n"
		" %o = mad.wide.u32 %u, 4, %o\n"
		BIT("%t", "1") " bra %p, B, C\nB: st.global.u32 [%o], 7\n bra OUT\n"
		"C: %q = bar.red.and.pred 0, _, 1\n @%q %x = add.u32 %x, 1\n" BIT("%t", "2") " bra %p, D, E\n"
		"E: st.global.u32 [%o], 9\n bra OUT\nD: %y = bar.red.popc.u32 1, _, 1\n"
		" st.global.u32 [%o], %y\n bra OUT\nOUT: ret\n"), 0 },
	{ "half of those that are left end in each turn",
		"shared u32 s[16]\n" K(" %o = ld.param.u64 [out]\n %o = mad.wide.u32 %u, 4, %o\n"
		PUT(" %i = mov.u32 8\n bar.sync 0\n bra H\n")
		"H: %p = setp.lt.u32 %t, %i\n bra %p, B, C\nC: st.global.u32 [%o], %x\n bra OUT\n"
		"B: bar.sync 0\n %y = add.u32 %t, %i\n %w = mov.u64 s\n %w = mad.wide.u32 %y, 4, %w\n"
		" %y = ld.shared.u32 [%w]\n"
		" %x = add.u32 %x, %y\n" PUT(" bar.sync 0\n")
		" %i = shr.u32 %i, 1\n %p = setp.gt.u32 %i, 0\n bra %p, H, J\n"
		"J: st.global.u32 [%o], %x\n bra OUT\nOUT: ret\n"), 0 },
};

/* With exits under guards everywhere; without them, where a barrier counts warps. */
START_TEST(ends_before_barriers)
{
	const char *model = reconv_model(_i)->name;
	for (unsigned c = 0; c < sizeof early / sizeof *early; c++)
		for (int way = 0; way < 2 * WAYS; way++) {
			bool guarded = way < WAYS;
			if (!guarded && named(model)->sync_waits)
				continue;
			Rig *r = machine(model, guarded ? "divergence.guarded_exits=true" : "", "whole_warp",
				way % WAYS);
			ck_assert_msg(completes(r, &early[c], true), "%s under %s (run %d): %s",
				early[c].name, model, way, r->fault.text);
			rig_free(r);
		}
}
END_TEST

#define NOW(K, R) " " R " = activemask.b32\n st.global.u32 [%o+" K "], " R "\n"
/* activemask is the lanes that execute it together, of the lane's own warp, and depends on the mechanism:
   here on where lanes that have parted meet again, at M, at J, or nowhere. Words of thread u: out[u + 64
   k]. */
START_TEST(active_lanes)
{
	static const char text[] = K(" %o = ld.param.u64 [out]\n %o = mad.wide.u32 %u, 4, %o\n" NOW("0", "%m")
		" %p = setp.lt.u32 %l, 3\n @%p %z = activemask.b32\n @%p st.global.u32 [%o+256], %z\n"
			" bra %p, T, F\n"
		"T:" NOW("512", "%m") " %p = setp.eq.u32 %l, 1\n bra %p, U, V\nU:"
		NOW("768", "%m") " bra M\nV:" NOW("768", "%m") " bra M\n"
		"M:" NOW("1024", "%m") " bra J\nF:" NOW("512", "%m") " bra J\n"
		"J:" NOW("1280", "%m") " bar.warp.sync 0xff\n %i = mov.u32 0\n bra H\n"
		"H: %i = add.u32 %i, 1\n %p = setp.lt.u32 %i, %l\n bra %p, H, N\n"
		"N:" NOW("1536", "%m") " exit\n");
	const char *model = reconv_model(_i)->name;
	bool alone = !strcmp(model, "mimd"), apart = alone || !strcmp(model, "serial"),
		chance = !strcmp(model, "dwf");
	for (int way = 0; way < WAYS; way++) {
		Rig *r = machine(model, "", "error", way);
		r->clocks = true; /* the reference interpreter runs each lane alone */
		rig_run(r, text, 1, 16);
		for (unsigned u = 0; u < 16; u++) {
			unsigned l = u & 7, own = 1u << l, side = l < 3 ? 0x07 : 0xf8,
				inner = l == 1 ? 0x02 : 0x05;
			const unsigned want[] = { 0xff, l < 3 ? 0x07 : 0, side, l < 3 ? inner : 0,
				l < 3 ? apart ? inner : 0x07 : 0,
				!apart ? 0xff : l < 3 ? inner : side, 0xff };
			for (unsigned k = 0; k < 7; k++) {
				unsigned got = r->out[u + 64 * k], some = alone && want[k] ? own : want[k];
				bool subset = got & own && !(got & ~some);
				ck_assert_msg(got == some || (subset && (k == 6 || (chance && k >= 4))),
					"%s (run %d): thread %u has %#x at %u, not %#x", model, way, u, got,
					k, some);
			}
		}
		rig_free(r);
	}
}
END_TEST

/* T and F meet at J by themselves; where lanes meet at points, at R only when the source asks for that: then
   J is run for each. Not so where lanes meet wherever they happen to be together, or never, or where the
   structure of the code says (exec_mask). */
START_TEST(points_that_the_source_asks_for)
{
	static const char *const without[] = { "mimd", "tf_stack", "tf_sandy", "min_pc", "min_sp_pc", "dwf",
		"sbi", "swi", "exec_mask", "serial", NULL };
	static const char text[] = K(BIT("%l", "0") " bra %p, T, F%s\n" MIX("T", "1") " bra J\n"
		MIX("F", "2") " bra J\n" MIX("J", "3") " bra R\n" MIX("R", "4") END);
	const char *model = reconv_model(_i)->name, *at = strstr(text, "%s");
	bool has = true;
	for (int k = 0; without[k]; k++)
		has &= strcmp(model, without[k]) != 0;
	for (int way = 0; way < WAYS; way++) {
		uint64_t fetches[2];
		for (int ask = 0; ask < 2; ask++) {
			StrBuf b = { 0 };
			sb_write(&b, text, (size_t)(at - text));
			sb_puts(&b, ask ? " !reconverge R" : "");
			sb_puts(&b, at + 2);
			/* else where they happen to be together */
			Rig *r = machine(model, strcmp(model, "dws") ? "" : "dws.merge=branch", "error", way);
			rig_run(r, b.s, 1, 8);
			fetches[ask] = rig_fetches(r, "J");
			rig_free(r);
			sb_free(&b);
		}
		ck_assert_msg(has ? fetches[0] == 1 && fetches[1] == 2 : fetches[0] == fetches[1],
			"%s (run %d) runs J %llu times, and with a point behind it %llu times", model, way,
			(unsigned long long)fetches[0],
			(unsigned long long)fetches[1]);
	}
}
END_TEST

/* Two of PTX's warps in one of the machine's: a vote's result may part them, and behind the branch they are
   together again, under every mechanism that lets lanes wait. */
START_TEST(halves_of_a_warp)
{
	static const char text[] = K(" %p = setp.eq.u32 %t, 5\n %q = vote.sync.any.pred %p, 0xffffffff\n"
		" bra %q, T, F\n" MIX("T", "1") " bra J\n" MIX("F", "2") " bra J\n" MIX("J", "3") END);
	const char *model = reconv_model(_i)->name;
	uint64_t want = !strcmp(model, "mimd") ? 64 : !strcmp(model, "serial") ? 2 : 1;
	for (int way = 0; way < WAYS; way++) {
		Rig *r = machine(model, "warp_size=64 sm.registers=65536", "error", way);
		rig_run(r, text, 1, 64);
		ck_assert_msg(rig_fetches(r, "J") == want, "%s (run %d) runs J %llu times", model, way,
			(unsigned long long)rig_fetches(r, "J"));
		rig_free(r);
	}
}
END_TEST

/* Each value of each parameter that has names, and of each switch. */
START_TEST(every_choice)
{
	const ReconvModel *m = reconv_model(_i);
	int choice = 0;
	for (int k = 0; k < m->nparams; k++) {
		const ConfigKey *p = &m->params[k];
		if (p->type == CT_INT)
			continue;
		char names[200], more[128];
		snprintf(names, sizeof names, "%s", p->type == CT_BOOL ? "false|true" : p->choices);
		for (char *save, *v = strtok_r(names, "|", &save); v; v = strtok_r(NULL, "|", &save)) {
			snprintf(more, sizeof more, "%s.%s=%s", m->name, p->key, v);
			one_way_each(m->name, more, choice++);
		}
	}
}
END_TEST

/* Every number at its least, but not 0: tables of one entry, time-outs and turns of one cycle. */
START_TEST(least_of_each_number)
{
	const ReconvModel *m = reconv_model(_i);
	char more[600] = "divergence.depth=1 divergence.chunk=1";
	for (int k = 0; k < m->nparams; k++)
		if (m->params[k].type == CT_INT) {
			size_t at = strlen(more);
			snprintf(more + at, sizeof more - at, " %s.%s=%lld", m->name, m->params[k].key,
				m->params[k].least > 1 ? (long long)m->params[k].least : 1);
		}
	one_way_each(m->name, more, 0);
}
END_TEST

int main(void)
{
	int models = 0;
	while (model_keys(models))
		models++;
	Suite *s = suite_create("what every mechanism runs");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, every_mechanism, 0, models);
	tcase_add_loop_test(t, ends_before_barriers, 0, models);
	tcase_add_loop_test(t, active_lanes, 0, models);
	tcase_add_loop_test(t, points_that_the_source_asks_for, 0, models);
	tcase_add_loop_test(t, halves_of_a_warp, 0, models);
	tcase_add_loop_test(t, every_choice, 0, models);
	tcase_add_loop_test(t, least_of_each_number, 0, models);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
