/* Memory dependence against executions: random kernels of address arithmetic, with indices, wide and narrow
 * values, extensions, parameters, symbols, generic addresses, guards, loops, and pointers that walk in them,
 * are executed thread by thread on the lane functions. Loads give random numbers, so addresses may lie
 * anywhere. Every form must give the address executed, and every "cannot alias" and "must alias" must be true
 * of all pairs of executions, for each assumption that an answer rests on where it holds in the run. */
#include "isa/lane.h"
#include "isa/memory.h"
#include "lib/strbuf.h"
#include "passes/analysis/memdep.h"
#include "tests/random.h"
#include "tests/check.h"

static uint64_t rng;
static int kernel;                     /* number of the one that is tested */
static int pick(int n) { return (int)(random_next(&rng) % (unsigned)n); }

/* ---- a random kernel ---- */

enum { NARROW = 6, WIDE = 8, LOOPS = 3, WALKERS = 4, OBJECT = 1 << 20 };

typedef struct Text { StrBuf s; int loops, labels, loop_depth; bool tame; } Text;

static const char *const narrow_sources[] = { "%tid.x", "%tid.y", "%ctaid.x", "%ctaid.y", "%ntid.x",
	"%nctaid.x", "%laneid", "%tid.z" };

static void narrow_statement(Text *t)
{
	static const char *const type[] = { "u32", "s32" };
	int d = pick(NARROW), a = pick(NARROW), b = pick(NARROW), c = pick(NARROW);
	if (!pick(8))
		sb_printf(&t->s, "\t@%s%%p ", pick(2) ? "!" : "");
	else
		sb_putc(&t->s, '\t');
	switch (pick(15)) {
	case 0: sb_printf(&t->s, "%%n%d = mov.u32 %s\n", d, narrow_sources[pick(8)]); break;
	case 1: sb_printf(&t->s, "%%n%d = add.%s %%n%d, %%n%d\n", d, type[pick(2)], a, b); break;
	case 2:
		sb_printf(&t->s, "%%n%d = add.%s %%n%d, %d\n", d, type[pick(2)], a,
			t->tame ? pick(5) : pick(64) - 32);
		break;
	case 3: sb_printf(&t->s, "%%n%d = sub.%s %%n%d, %%n%d\n", d, type[pick(2)], a, b); break;
	case 4: sb_printf(&t->s, "%%n%d = mul.lo.%s %%n%d, %%n%d\n", d, type[pick(2)], a, b); break;
	case 5: sb_printf(&t->s, "%%n%d = mul.lo.%s %%n%d, %d\n", d, type[pick(2)], a, 1 + pick(16)); break;
	case 6: sb_printf(&t->s, "%%n%d = mad.lo.%s %%n%d, %%n%d, %%n%d\n", d, type[pick(2)], a, b, c); break;
	case 7: sb_printf(&t->s, "%%n%d = shl.b32 %%n%d, %d\n", d, a, pick(t->tame ? 4 : 33)); break;
	case 8: sb_printf(&t->s, "%%n%d = and.b32 %%n%d, %d\n", d, a, pick(3) ? 31 : 255); break;
	case 9: sb_printf(&t->s, "%%n%d = or.b32 %%n%d, %d\n", d, a, pick(4)); break;
	case 10: sb_printf(&t->s, "%%n%d = cvt.u32.u64 %%w%d\n", d, pick(WIDE)); break;
	case 11: sb_printf(&t->s, "%%n%d = ld.param.u32 [s%d]\n", d, pick(2)); break;
	case 12:
		sb_printf(&t->s, "%%n%d = ld.global.%s [%%w%d]\n", d, pick(2) ? "u8" : t->tame ? "u8" : "s16",
			pick(WIDE));
		break;
	case 13: sb_printf(&t->s, "%%n%d = mad.lo.u32 %%bx, %%nx, %%tx\n", d); break;
	default: sb_printf(&t->s, "%%n%d = rem.u32 %%n%d, %d\n", d, a, 1 + pick(20)); break;
	}
}

static const char *pointer(int k)
{
	static char text[64];
	switch (k) {
	case 0: case 1: case 2: snprintf(text, sizeof text, "ld.param.u64 [p%d]", k); break;
	case 3: snprintf(text, sizeof text, "mov.u64 g%d", pick(2)); break;
	case 4: snprintf(text, sizeof text, "mov.u64 t%d", pick(2)); break;
	default: snprintf(text, sizeof text, "mov.u64 l%d", pick(2)); break;
	}
	return text;
}

/* Registers that turns of loops add something to, and nobody else writes: %m0.. narrow, %v0.. wide. A loop
   takes some of them, inner loops perhaps the same. */
static void walker_start(Text *t, int k)
{
	if (!pick(6))
		return;                /* goes on from where it is */
	if (pick(3))
		sb_printf(&t->s, "\t%%v%d = %s\n", k, pointer(pick(6)));
	else
		sb_printf(&t->s, "\t%%v%d = mov.u64 %%w%d\n", k, pick(WIDE));
	if (pick(4))
		sb_printf(&t->s, "\t%%m%d = mov.u32 %s\n", k,
			pick(3) ? narrow_sources[pick(8)] : "0xfffffff8");
}

static void walker_add(Text *t, int k, const char *guard)
{
	switch (pick(12)) {
	case 2: case 4: /* more from turn to turn */
		sb_printf(&t->s, "\t%%w0 = mul.wide.u32 %%m%d, 4\n\t%s%%v%d = add.u64 %%v%d, %%w0\n",
			pick(WALKERS), guard, k, k);
		break;
	case 3: sb_printf(&t->s, "\t%s%%v%d = mad.lo.u64 %%v%d, 2, 4\n", guard, k, k); break;
	case 0: sb_printf(&t->s, "\t%s%%v%d = sub.u64 %%v%d, %d\n", guard, k, k, 1 << pick(5)); break;
	case 1: sb_printf(&t->s, "\t%s%%v%d = add.u64 %%v%d, %%st\n", guard, k, k); break;
	default:
		sb_printf(&t->s, "\t%s%%v%d = add.s64 %%v%d, %d\n", guard, k, k,
			pick(4) ? 4 << pick(3) : pick(40) - 20);
		break;
	}
	switch (pick(6)) {
	case 0: sb_printf(&t->s, "\t%s%%m%d = add.s32 %%m%d, %d\n", guard, k, k, pick(9) - 4); break;
	case 1: sb_printf(&t->s, "\t%s%%m%d = add.u32 %%m%d, %%nx\n", guard, k, k); break;
	default: sb_printf(&t->s, "\t%s%%m%d = add.u32 %%m%d, 1\n", guard, k, k); break;
	}
}

/* What one turn does to it: perhaps the same on both sides of a branch, perhaps not, or only for some
   threads. */
static void walker_turn(Text *t, int k)
{
	int l = t->labels;
	switch (pick(6)) {
	case 0:
		t->labels++;
		sb_printf(&t->s, "\tbra %%p, A%d, B%d\nA%d:\n", l, l, l);
		walker_add(t, k, "");
		sb_printf(&t->s, "\tbra C%d\nB%d:\n", l, l);
		walker_add(t, k, "");
		sb_printf(&t->s, "\tbra C%d\nC%d:\n", l, l);
		break;
	case 1:
		t->labels++;
		sb_printf(&t->s, "\tbra %%p, A%d, B%d\nA%d:\n\t%%v%d = add.s64 %%v%d, 8\n\tbra C%d\nB%d:\n"
			"\t%%v%d = add.u64 %%v%d, 8\n\tbra C%d\nC%d:\n", l, l, l, k, k, l, l, k, k, l, l);
		break;
	case 2: walker_add(t, k, "@%p "); break;
	case 3: walker_add(t, k, ""); /* twice */
	/* fall through */
	default: walker_add(t, k, ""); break;
	}
}

static void walker_access(Text *t)
{
	static const char *const space[] = { "", ".global", ".global", ".global", ".shared", ".local" },
		*const type[] = { "u8", "u16", "u32", "u64" };
	int k = pick(WALKERS), size = pick(4), d = pick(WIDE);
	switch (pick(5)) {
	case 0:
		sb_printf(&t->s, "\t%%w%d = mul.wide.%c32 %%m%d, %d\n", d, pick(2) ? 's' : 'u', k, 1 << size);
		sb_printf(&t->s, "\t%%w%d = add.u64 %%w%d, %%v%d\n", d, d, pick(WALKERS));
		sb_printf(&t->s, "\tst%s.u32 [%%w%d], %%n0\n", space[pick(6)], d);
		break;
	case 1: sb_printf(&t->s, "\t%%w%d = add.u64 %%v%d, %d\n", d, k, pick(17) - 8); break;
	case 2: sb_printf(&t->s, "\t%%n%d = mov.u32 %%m%d\n", pick(NARROW), k); break;
	default:
		sb_printf(&t->s, "\tst%s.%s [%%v%d+%d], %%%c0\n", space[pick(6)], type[size], k,
			(pick(5) - 2) << size, size < 2 ? 'h' : size == 2 ? 'n' : 'w');
		break;
	}
}

static void wide_statement(Text *t)
{
	int d = pick(WIDE), a = pick(WIDE), b = pick(WIDE), n = pick(NARROW);
	sb_printf(&t->s, !pick(10) ? "\t@%%p " : "\t");
	switch (pick(13)) {
	case 0: sb_printf(&t->s, "%%w%d = %s\n", d, pointer(pick(6))); break;
	case 1: case 2: sb_printf(&t->s, "%%w%d = add.u64 %%w%d, %%w%d\n", d, a, b); break;
	case 3: sb_printf(&t->s, "%%w%d = add.s64 %%w%d, %d\n", d, a, pick(65) - 32); break;
	case 4: case 5:
		sb_printf(&t->s, "%%w%d = mul.wide.%c32 %%n%d, %d\n", d, pick(2) ? 's' : 'u', n,
			1 << pick(5));
		break;
	case 6:
		sb_printf(&t->s, "%%w%d = mad.wide.%c32 %%n%d, %d, %%w%d\n", d, pick(2) ? 's' : 'u', n,
			1 + pick(12), a);
		break;
	case 7: sb_printf(&t->s, "%%w%d = cvt.%s %%n%d\n", d, pick(2) ? "s64.s32" : "u64.u32", n); break;
	case 8: sb_printf(&t->s, "%%w%d = shl.b64 %%w%d, %d\n", d, a, pick(5)); break;
	case 9: sb_printf(&t->s, "%%w%d = sub.u64 %%w%d, %%w%d\n", d, a, b); break;
	case 10:
		sb_printf(&t->s, "%%w%d = cvta.%s.u64 %%w%d\n", d,
			pick(2) ? "to.global" : pick(2) ? "shared" : "to.shared", a);
		break;
	case 11: sb_printf(&t->s, "%%w%d = mul.lo.u64 %%w%d, %d\n", d, a, 1 + pick(8)); break;
	default: sb_printf(&t->s, "%%w%d = selp.u64 %%w%d, %%w%d, %%p\n", d, a, b); break;
	}
}

/* As programs do it: a pointer, an index times a size, an offset. */
static void idiom(Text *t)
{
	int d = pick(WIDE), a = (d + 1 + pick(WIDE - 1)) % WIDE, n = pick(NARROW), space = pick(6),
		size = 4 << pick(2), offset = size * (pick(5) - 1);
	const char *suffix = size == 4 ? "u32" : "u64", *value = size == 4 ? "%n0" : "%w0";
	bool generic = !pick(4);
	if (pick(2))
		sb_printf(&t->s, "\t%%n%d = %s\n", n, pick(3) ? "mad.lo.s32 %bx, %nx, %tx"
			: "mov.u32 %tid.x");
	sb_printf(&t->s, "\t%%w%d = %s\n", d, pointer(space));
	if (generic && space > 3)
		sb_printf(&t->s, "\t%%w%d = cvta.%s.u64 %%w%d\n", d, space == 4 ? "shared" : "local", d);
	if (!pick(5))
		n = -1;
	if (n >= 0)
		sb_printf(&t->s, "\t%%w%d = mul.wide.%c32 %%n%d, %d\n\t%%w%d = add.s64 %%w%d, %%w%d\n", a,
			pick(2) ? 's' : 'u', n, pick(4) ? size : 2 * size, d, d, a);
	if (!pick(4))
		sb_printf(&t->s, "\t@%%p %%w%d = add.u64 %%w%d, 4\n", d, d);
	if (pick(2))
		sb_printf(&t->s, "\tst%s.%s [%%w%d+%d], %s\n",
			generic ? "" : space < 4 ? ".global" : space == 4 ? ".shared" : ".local", suffix, d,
			offset, value);
	else
		sb_printf(&t->s, "\t%s = ld%s.%s [%%w%d+%d]\n", size == 4 ? "%n1" : "%w1",
			generic ? "" : space < 4 ? ".global" : space == 4 ? ".shared" : ".local", suffix, d,
			offset);
}

static void any_access(Text *t)
{
	static const char *const space[] = { "", ".global", ".shared", ".local" };
	if (pick(3))
		sb_printf(&t->s, "\tst%s.u32 [%%w%d+%d], %%n0\n", space[pick(4)], pick(WIDE), 4 * pick(6));
	else if (pick(2))
		sb_printf(&t->s, "\tst.shared.u32 [%%n%d+%d], %%n0\n", pick(NARROW), 4 * pick(6));
	else
		sb_printf(&t->s, "\tst.shared.u32 [t%d+%d], %%n0\n", pick(2), 4 * pick(6));
}

static void statements(Text *t, int n)
{
	while (n-- > 0) {
		int what = pick(27);
		if (what < 6)
			narrow_statement(t);
		else if (what < 11)
			wide_statement(t);
		else if (what < 15)
			any_access(t);
		else if (what < 20)
			idiom(t);
		else if (what > 23)
			walker_access(t);
		else if (what == 20)
			sb_printf(&t->s, "\t%%p = setp.lt.u32 %%n%d, %%n%d\n", pick(NARROW), pick(NARROW));
		else if (what == 21) {
			int l = t->labels++;
			sb_printf(&t->s, "\tbra %%p, A%d, B%d\nA%d:\n", l, l, l);
			statements(t, 2);
			sb_printf(&t->s, "\tbra B%d\nB%d:\n", l, l);
		} else if (t->loops < LOOPS && t->loop_depth < 2) {
			int l = t->loops++, k = pick(WALKERS), other = pick(WALKERS);
			t->loop_depth++;
			int turns = 1 + pick(3);
			walker_start(t, k);
			sb_printf(&t->s, "\t%%c%d = mov.u32 0\n", l);
			if (!pick(6)) { /* two ways in */
				sb_printf(&t->s, "\tbra %%p, I%d, H%d\nI%d:\n", l, l, l);
				walker_add(t, k, "");
			}
			sb_printf(&t->s, "\tbra H%d\nH%d:\n", l, l);
			statements(t, 4);
			walker_access(t);
			if (pick(3))
				walker_turn(t, k);
			if (!pick(6)) { /* two ways back */
				sb_printf(&t->s, "\tbra %%p, J%d, K%d\nJ%d:\n", l, l, l);
				if (pick(2))
					walker_add(t, k, "");
				sb_printf(&t->s, "\t%%c%d = add.u32 %%c%d, 1\n\t%%q = setp.lt.u32 %%c%d, %d\n"
					"\tbra %%q, H%d, X%d\nK%d:\n", l, l, l, turns, l, l, l);
			}
			sb_printf(&t->s, "\t%%n%d = mov.u32 %%c%d\n", pick(NARROW), l);
			statements(t, 3);
			walker_access(t);
			walker_turn(t, pick(2) ? k : other);
			sb_printf(&t->s, "\t%%c%d = add.u32 %%c%d, 1\n\t%%q = setp.lt.u32 %%c%d, %d\n"
				"\tbra %%q, H%d, X%d\nX%d:\n", l, l, l, turns, l, l, l);
			t->loop_depth--;
		}
	}
}

static char *kernel_text(bool tame, const uint32_t block[3])
{
	Text t = { .tame = tame };
	sb_puts(&t.s, "global u32 g0[64]\nglobal u32 g1[64]\nshared u32 t0[64]\nshared u64 t1[64]\n"
		"kernel k(u64 p0 ptr(global, 4), u64 p1 ptr(global, 4), u64 p2, u32 s0, u32 s1)\n");
	if (pick(2))
		sb_printf(&t.s, "\treqntid(%u, %u, %u)\n", block[0], block[1], block[2]);
	else if (!pick(3))
		sb_printf(&t.s, "\tmaxntid(%u)\n", block[0] * block[1] * block[2]);
	sb_puts(&t.s, "{\n\tlocal u32 l0[16]\n\tlocal u32 l1[16]\n"
		"\treg u32 %bx, %nx, %tx, %c0, %c1, %c2, %n0");
	for (int k = 1; k < NARROW; k++)
		sb_printf(&t.s, ", %%n%d", k);
	sb_puts(&t.s, "\n\treg u64 %w0");
	for (int k = 1; k < WIDE; k++)
		sb_printf(&t.s, ", %%w%d", k);
	sb_puts(&t.s, "\n\treg u32 %m0, %m1, %m2, %m3\n\treg u64 %st, %v0, %v1, %v2, %v3\n\treg u16 %h0\n"
		"\treg pred %p, %q\nE:\n\t%h0 = mov.u16 1\n\t%bx = mov.u32 %ctaid.x\n"
		"\t%nx = mov.u32 %ntid.x\n\t%tx = mov.u32 %tid.x\n\t%p = setp.lt.u32 %tx, 3\n");
	for (int k = 0; k < NARROW; k++)
		sb_printf(&t.s, "\t%%n%d = mov.u32 %s\n", k, k < 4 ? narrow_sources[pick(8)] : "4");
	for (int k = 0; k < WIDE; k++)
		sb_printf(&t.s, "\t%%w%d = %s\n", k, pointer(pick(6)));
	sb_printf(&t.s, "\t%%st = %s\n", pick(2) ? "mul.wide.u32 %nx, 4" : "mul.wide.s32 %n1, 8");
	for (int k = 0; k < WALKERS; k++)
		sb_printf(&t.s, "\t%%m%d = mov.u32 %s\n\t%%v%d = %s\n", k, narrow_sources[pick(8)], k,
			pointer(pick(6)));
	statements(&t, 18);
	sb_puts(&t.s, "\texit\n}\n");
	return t.s.s;
}

/* ---- executions ---- */

typedef struct Launched {
	uint32_t grid[3], block[3];
	uint64_t pointer[3], symbol[8];
	uint32_t scalar[2];
	bool apart, flat;
} Launched;
typedef struct Executed {
	int access, thread, block;
	Space space;
	uint64_t at, raw;          /* within the space; as executed */
	int iteration[8];          /* by cycle: how often its header has been executed */
} Executed;

typedef struct Run {
	const Launched *l;
	MemDep *d;
	const Dom *dom;
	const Module *m;
	const Function *f;
	uint64_t *reg, *version;
	int *holds;                /* by register: the version it holds */
	uint32_t tid[3], ctaid[3];
	int iteration[8], turn[8], thread, block; /* turn: of the cycle since it was entered */
	Vec(Executed) done;
	/* by access: the form that wraps nowhere is wrong; it left what its base leads to */
	bool *wraps, *outside;
} Run;

static uint64_t special(const Run *x, int s)
{
	const Launched *l = x->l;
	switch (s) {
	case SREG_TID_X: case SREG_TID_Y: case SREG_TID_Z: return x->tid[s - SREG_TID_X];
	case SREG_CTAID_X: case SREG_CTAID_Y: case SREG_CTAID_Z: return x->ctaid[s - SREG_CTAID_X];
	case SREG_NTID_X: case SREG_NTID_Y: case SREG_NTID_Z: return l->block[s - SREG_NTID_X];
	case SREG_NCTAID_X: case SREG_NCTAID_Y: case SREG_NCTAID_Z: return l->grid[s - SREG_NCTAID_X];
	case SREG_LANEID: return (x->tid[0] + l->block[0] * (x->tid[1] + l->block[1] * x->tid[2])) % 32;
	default: ck_abort_msg("no such register");
	}
	return 0;
}

static uint64_t source(const Run *x, const Opd *o)
{
	switch (o->kind) {
	case OPD_REG: return x->reg[o->id];
	case OPD_SREG: return special(x, o->id);
	case OPD_SYM: return x->l->symbol[o->id] + (uint64_t)o->imm;
	default: return (uint64_t)o->imm;
	}
}

static uint64_t parameter(const Run *x, int id) { return id < 3 ? x->l->pointer[id] : x->l->scalar[id - 3]; }

static uint64_t mask_of(int bits) { return bits == 64 ? ~0ull : (1ull << bits) - 1; }

static uint64_t form_value(const Run *x, int form);

static MemWide atom_value(const Run *x, int atom)
{
	const MemAtom *a = &x->d->atom[atom];
	uint64_t v = 0;
	switch (a->kind) {
	case ATOM_SREG: v = special(x, a->id); break;
	case ATOM_PARAM: v = parameter(x, a->id); break;
	case ATOM_SYMBOL: v = x->l->symbol[a->id]; break;
	case ATOM_WINDOW: v = a->id == SP_SHARED ? SHARED_WINDOW : LOCAL_WINDOW; break;
	case ATOM_VERSION: v = x->version[a->id]; break;
	case ATOM_ZERO: v = form_value(x, a->id); break;
	case ATOM_SIGNED:
		return (int64_t)(form_value(x, a->id) << (64 - x->d->form[a->id].bits)) >> (64 -
			x->d->form[a->id].bits);
	case ATOM_TURN: return x->turn[a->id];
	case ATOM_PRODUCT: return atom_value(x, a->id) * atom_value(x, a->sub);
	}
	return v;
}

static uint64_t form_value(const Run *x, int form)
{
	const MemForm *f = &x->d->form[form];
	uint64_t v = (uint64_t)f->constant;
	for (int k = 0; k < f->n; k++) {
		MemWide a = atom_value(x, f->term[k].atom);
		ck_assert(a >= x->d->atom[f->term[k].atom].lo && a <= x->d->atom[f->term[k].atom].hi);
		v += (uint64_t)f->term[k].k * (uint64_t)a;
	}
	return v & mask_of(f->bits);
}

static bool in_object(const Run *x, int form, uint64_t raw, int size)
{
	int base = memdep_base(x->d, form);
	const MemAtom *a = base < 0 ? NULL : &x->d->atom[base];
	for (int k = 0; k < x->d->form[form].n; k++) { /* made by cvta from an address of that space */
		const MemAtom *w = &x->d->atom[x->d->form[form].term[k].atom];
		if (w->kind == ATOM_WINDOW && x->d->form[form].term[k].k == 1 &&
			(int)address_space(raw) != w->id)
			return false;
	}
	if (!a)
		return true;
	uint64_t at = a->kind == ATOM_PARAM ? parameter(x, a->id) : x->l->symbol[a->id],
		bytes = a->kind == ATOM_PARAM ? OBJECT : x->m->symbol.v[a->id]->size;
	for (int k = 0; k < x->d->form[form].n; k++)
		if (x->d->atom[x->d->form[form].term[k].atom].kind == ATOM_WINDOW)
			at += (uint64_t)atom_value(x, x->d->form[form].term[k].atom);
	return raw - at < bytes && raw - at + (unsigned)size <= bytes;
}

static uint64_t address_of(const Run *x, const Ins *i)
{
	const Opd *o = ins_src(i, 0);
	if (o->kind != OPD_REG)
		return source(x, o);
	uint64_t a = x->reg[o->id] + (uint64_t)o->imm;
	return type_bits[x->f->reg.v[o->id].type] == 64 ? a : (uint32_t)a;
}

/* Its base register holds what it held there, and not by chance: a dead register may hold what terms were
   executed again after. */
static bool index_read(const Run *x, const MemAccess *a, const Ins *i, const MemAccess *here)
{
	const Opd *o = ins_src(i, 0);
	int v = ssa_src(x->d->ssa, i, a->block, a->ins, 0);
	const SsaVersion *s = &x->d->ssa->version[v < 0 ? 0 : v];
	if (v < 0)
		return true;
	return x->holds[o->id] == v && (s->block == here->block ? s->ins < here->ins
		: dom_dominates(x->dom, s->block, here->block));
}

static void note(Run *x, int access)
{
	const MemAccess *a = &x->d->access[access];
	const Ins *i = &x->f->block.v[a->block]->ins.v[a->ins];
	Executed e = { .access = access, .thread = x->thread, .block = x->block, .space = (Space)i->space,
		.raw = address_of(x, i) };
	memcpy(e.iteration, x->iteration, sizeof e.iteration);
	e.at = e.raw;
	if (i->space == SP_GENERIC) {
		e.space = address_space(e.raw);
		e.at -= e.space == SP_SHARED ? SHARED_WINDOW : e.space == SP_LOCAL ? LOCAL_WINDOW : 0;
	}
	ck_assert_msg(a->form[0] < 0 || form_value(x, a->form[0]) == e.raw,
		"the form is %llx, the address %llx", a->form[0] < 0 ? 0ull
		: (unsigned long long)form_value(x, a->form[0]), (unsigned long long)e.raw);
	for (int k = 0; k < 2; k++)
		x->outside[access] |= a->form[k] >= 0 && !in_object(x, a->form[k], e.raw, a->size);
	x->wraps[access] |= a->form[1] >= 0 && form_value(x, a->form[1]) != e.raw;
	vec_push(&x->done, e);
}

static bool overlap(uint64_t a, int n, uint64_t b, int m)
{
	return a - b < (unsigned)m || b - a < (unsigned)n;
}

typedef struct Seen {
	long forms, walks, no, must, rests[MEM_ASSUMPTIONS], pairs, moments, no_moment, threads_no;
} Seen;

static bool holds(const Run *x, unsigned rests, int a, int b)
{
	return !(rests & MEM_NO_WRAP && (x->wraps[a] || x->wraps[b])) &&
		!(rests & (MEM_IN_BOUNDS | MEM_RESTRICT) && (x->outside[a] || x->outside[b])) &&
		!(rests & MEM_RESTRICT && !x->l->apart) && !(rests & MEM_ONE_DIMENSION && !x->l->flat);
}

/* The addresses that other accesses would have now, where what they read is still there. */
static void check_moment(Run *x, int access, Seen *seen)
{
	const MemAccess *a = &x->d->access[access];
	const Ins *i = &x->f->block.v[a->block]->ins.v[a->ins];
	for (int b = 0; b < x->d->naccess; b++) {
		const MemAccess *o = &x->d->access[b];
		const Ins *j = &x->f->block.v[o->block]->ins.v[o->ins];
		if (i->space != j->space || !index_read(x, o, j, a))
			continue;
		MemAsk q = { .within = MEM_MOMENT };
		uint64_t at = address_of(x, i), bt = address_of(x, j);
		bool no = !memdep_may_alias(x->d, &q, access, b),
			must = memdep_must_alias(x->d, &q, access, b);
		seen->moments++;
		seen->no_moment += no;
		ck_assert_msg(!no || !overlap(at, a->size, bt, o->size),
			"kernel %d: accesses %d and %d meet at one moment", kernel, access, b);
		ck_assert_msg(!must || at == bt, "kernel %d: accesses %d and %d differ at one moment", kernel,
			access, b);
	}
}

static uint64_t loaded(const Run *x, const Ins *i)
{
	if (i->space == SP_PARAM)
		return parameter(x, ins_src(i, 0)->id);
	return lane_extend((Type)i->type, random_next(&rng) & (pick(2) ? ~0ull : 0xff));
}

static bool walks(const MemDep *d, int form)
{
	for (int k = 0; form >= 0 && k < d->form[form].n; k++)
		if (d->atom[d->form[form].term[k].atom].kind == ATOM_TURN)
			return true;
	return false;
}

static void execute(Run *x, int block, int k, Seen *seen)
{
	const Ins *i = &x->f->block.v[block]->ins.v[k];
	int access = memdep_find(x->d, block, k), def = x->d->ssa->def_first[x->d->ssa->ins_first[block] + k];
	bool on = i->guard < 0 || (x->reg[i->guard] != 0) != i->guard_neg;
	uint64_t src[4] = { 0 }, dst[4] = { 0 };
	if (on && access >= 0) {
		note(x, access);
		check_moment(x, access, seen);
		seen->forms += x->d->access[access].form[0] >= 0;
		seen->walks += walks(x->d, x->d->access[access].form[0]);
	}
	for (int s = 0; s < i->nsrc && s < 4; s++)
		src[s] = source(x, ins_src(i, s));
	if (i->op == OP_LD)
		dst[0] = loaded(x, i);
	else if (i->ndst)
		ck_assert(i->op == OP_MOV ? (dst[0] = src[0], true) : lane_fold(i, src, dst));
	if (i->ndst != 1)
		return;
	int r = ins_dst(i, 0)->id;
	if (on)
		x->reg[r] = dst[0] & mask_of(type_bits[x->f->reg.v[r].type]);
	x->version[x->d->ssa->def[def]] = x->reg[r];
	x->holds[r] = x->d->ssa->def[def];
}

static bool in_cycle(const Run *x, int loop, int block)
{
	return nest_within(x->d->c->nest, x->d->c->nest->of[block], loop);
}

static void run_thread(Run *x, Seen *seen)
{
	const Ssa *s = x->d->ssa;
	memset(x->reg, 0, sizeof *x->reg * (size_t)(x->f->reg.n + 1));
	memset(x->version, 0, sizeof *x->version * (size_t)(s->n + 1));
	memset(x->iteration, 0, sizeof x->iteration);
	for (int r = 0; r < x->f->reg.n; r++)
		x->holds[r] = s->entry[r];
	memset(x->turn, 0, sizeof x->turn);
	for (const Block *b = x->f->block.v[0], *last = NULL;;) {
		for (int l = 0; l < x->d->c->nest->nloop; l++)
			if (x->d->c->nest->header[l] == b->id) {
				x->iteration[l]++;
				x->turn[l] = last && in_cycle(x, l, last->id) ? x->turn[l] + 1 : 0;
			}
		last = b;
		for (int k = s->phi_first[b->id]; k < s->phi_first[b->id + 1]; k++) {
			int reg = s->version[s->phi[k].version].reg;
			x->version[s->phi[k].version] = x->reg[reg];
			x->holds[reg] = s->phi[k].version;
		}
		for (int k = 0; k + 1 < b->ins.n; k++)
			execute(x, b->id, k, seen);
		const Ins *t = block_term(b);
		if (!b->nsucc)
			return;
		b = b->nsucc == 1 || (x->reg[ins_src(t, 0)->id] != 0) != ins_src(t, 0)->neg ? b->succ[0]
			: b->succ[1];
	}
}

/* ---- answers against executions ---- */

typedef struct Answer { bool no, must; unsigned rests, must_rests; } Answer;

enum { ALL = MEM_IN_BOUNDS | MEM_RESTRICT | MEM_NO_WRAP | MEM_ONE_DIMENSION, LEVELS = 6 };

/* level: 0 one thread ever, 1.. one thread within cycle level - 1, 4 other thread of the block, 5 other
   block */
static Answer ask(const Run *x, int level, int a, int b, unsigned allow)
{
	MemAsk q = { .allow = allow, .within = level < 4 ? level - 1 : MEM_EVER };
	Answer r = { 0 };
	r.no = !(level == 4 ? memdep_block_may_alias : level == 5 ? memdep_grid_may_alias
		: memdep_may_alias)(x->d, &q, a, b);
	r.rests = q.rests;
	if (level < 4) {
		r.must = memdep_must_alias(x->d, &q, a, b);
		r.must_rests = q.rests;
	}
	return r;
}

static void judge_pair(const Run *x, const Answer *r, int level, const Executed *e, const Executed *o)
{
	int sizes[2] = { x->d->access[e->access].size, x->d->access[o->access].size };
	bool meet = e->space == o->space && overlap(e->at, sizes[0], o->at, sizes[1]);
	if (e->space == SP_SHARED)
		meet &= e->block == o->block;
	if (e->space == SP_LOCAL)
		meet &= e->thread == o->thread;
	bool valid = holds(x, r->rests, e->access, o->access);
	ck_assert_msg(!(r->no && valid && meet), "kernel %d: accesses %d and %d (level %d, rests on %x) meet "
		"at %llx and %llx", kernel, e->access, o->access, level, r->rests, (unsigned long long)e->raw,
		(unsigned long long)o->raw);
	ck_assert_msg(!(r->must && holds(x, r->must_rests, e->access, o->access) && e->raw != o->raw),
		"kernel %d: accesses %d and %d (level %d) differ", kernel, e->access, o->access, level);
}

static void judge(const Run *x, Seen *seen, unsigned allow)
{
	int n = x->d->naccess;
	Arena tmp = { 0 };
	Answer *answer = arena_array(&tmp, Answer, n * n * LEVELS + 1);
	for (int k = 0; k < n * n * LEVELS; k++) {
		int level = k % LEVELS, a = k / LEVELS / n, b = k / LEVELS % n, loop = level - 1;
		bool asked = level < 1 || level > 3 || (loop < x->d->c->nest->nloop &&
			in_cycle(x, loop, x->d->access[a].block) && in_cycle(x, loop, x->d->access[b].block));
		if (!asked)
			continue;
		Answer r = answer[k] = ask(x, level, a, b, allow);
		seen->no += r.no;
		seen->must += r.must;
		seen->threads_no += r.no && level > 3;
		for (int m = 0; m < MEM_ASSUMPTIONS; m++)
			seen->rests[m] += r.no && r.rests >> m & 1 && holds(x, r.rests, a, b);
	}
	for (int i = 0; i < x->done.n; i++)
		for (int j = i; j < x->done.n; j++) {
			const Executed *e = &x->done.v[i], *o = &x->done.v[j];
			const Answer *r = &answer[(e->access * n + o->access) * LEVELS];
			seen->pairs++;
			if (e->thread != o->thread) {
				int level = e->block == o->block ? 4 : 5;
				judge_pair(x, &r[level], level, e, o);
				continue;
			}
			judge_pair(x, &r[0], 0, e, o);
			for (int l = 0; l < 3 && l < x->d->c->nest->nloop; l++)
				if (e->iteration[l] == o->iteration[l])
					judge_pair(x, &r[l + 1], l + 1, e, o);
		}
	arena_free(&tmp);
}

/* SEED=n: that kernel alone, with what the analysis says of it. */
static void memdep_seen(const Run *x, const char *text)
{
	StrBuf s = { 0 };
	memdep_print(x->d->c, x->d, &s);
	fprintf(stderr, "%s%s", text, s.s);
	free(s.s);
}

static void choose_launch(Launched *l, bool tame)
{
	static const uint32_t extreme[] = { 0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0x10000 };
	l->flat = pick(2);
	for (int k = 0; k < 3; k++) {
		l->block[k] = k == 0 ? 4u + (unsigned)pick(60) : l->flat ? 1 : 1 + (unsigned)pick(3);
		l->grid[k] = k == 0 ? 1u + (unsigned)pick(5) : l->flat ? 1 : 1 + (unsigned)pick(3);
	}
	if (!tame && !pick(3))
		l->grid[0] = 0x7fffffff;
	l->apart = pick(2);
	for (int k = 0; k < 3; k++)
		l->pointer[k] = GLOBAL_BASE + 0x100000000u +
			(l->apart ? (unsigned)k * OBJECT : (unsigned)pick(8) * 4);
	for (int k = 0; k < 2; k++)
		l->scalar[k] = tame ? (unsigned)pick(100) : pick(2) ? extreme[pick(6)]
			: (uint32_t)random_next(&rng);
}

static void place_symbols(const Module *m, Launched *l)
{
	uint64_t next[SP_COUNT] = { [SP_GLOBAL] = GLOBAL_BASE };
	for (int k = 0; k < m->symbol.n; k++) {
		l->symbol[k] = next[m->symbol.v[k]->space];
		next[m->symbol.v[k]->space] += m->symbol.v[k]->size;
	}
}

static void one_kernel(uint64_t seed, Seen *seen)
{
	rng = seed;
	bool tame = pick(2);
	Launched l = { 0 };
	choose_launch(&l, tame);
	char *text = kernel_text(tame, l.block);
	Diag diag = { 0 };
	Module *m = ir_read(text, strlen(text), "memdep.ir", &diag);
	ck_assert_msg(m, "%s\n%s", diag_first(&diag), text);
	place_symbols(m, &l);
	Arena a = { 0 };
	Function *f = module_find_function(m, "k");
	Cfg *c = cfg_build(&a, f);
	Dom *dom = dom_build(&a, c);
	Ssa *s = ssa_build(&a, c, dom);
	MemFacts facts = { 0 };
	if (pick(2))
		memcpy(facts.grid, l.grid, sizeof facts.grid),
			memcpy(facts.block, l.block, sizeof facts.block);
	Run x = { .l = &l, .m = m, .f = f, .dom = dom,
		.d = memdep_build(&a, c, s, effects_build(&a, m), facts) };
	x.reg = arena_array(&a, uint64_t, f->reg.n + 1);
	x.version = arena_array(&a, uint64_t, s->n + 1);
	x.holds = arena_array(&a, int, f->reg.n + 1);
	x.wraps = arena_array(&a, bool, x.d->naccess + 1);
	x.outside = arena_array(&a, bool, x.d->naccess + 1);
	if (getenv("SEED"))
		memdep_seen(&x, text);
	uint32_t tid[3] = { 0 }, ctaid[3] = { 0 };
	for (int b = 0; b < 3; b++) {
		for (int k = 0; k < 3; k++)
			ctaid[k] = b == 2 && l.grid[k] > 1000 ? ctaid[k]
				: (uint32_t)(random_next(&rng) % l.grid[k]);
		bool again = false;
		for (int k = 0; k < x.done.n; k++)
			again |= x.done.v[k].block == (int)((ctaid[0] * 4 + ctaid[1]) * 4 + ctaid[2]);
		if (again)
			continue;
		uint64_t used[4];
		for (int t = 0; t < 4; t++) {
			for (int k = 0; k < 3; k++)
				tid[k] = (t == 1 || t == 3) && k ? tid[k]
					: (uint32_t)(random_next(&rng) % l.block[k]);
			used[t] = (tid[0] * 64 + tid[1]) * 64 + tid[2];
			for (int k = 0; k < t; k++)
				again |= used[k] == used[t];
			if (again)
				break;
			memcpy(x.tid, tid, sizeof tid);
			memcpy(x.ctaid, ctaid, sizeof ctaid);
			x.block = (int)((ctaid[0] * 4 + ctaid[1]) * 4 + ctaid[2]);
			x.thread++;
			run_thread(&x, seen);
		}
	}
	judge(&x, seen, 0);
	judge(&x, seen, ALL);
	vec_free(&x.done);
	arena_free(&a);
	module_free(m);
	diag_free(&diag);
	free(text);
}

START_TEST(answers_are_true)
{
	Seen seen = { 0 };
	const char *text = getenv("COUNT");
	int n = text ? atoi(text) : 60;
	if (getenv("SEED")) {
		one_kernel((uint64_t)atoi(getenv("SEED")), &seen);
		return;
	}
	for (int k = 0; k < n; k++) {
		kernel = k + 1;
		one_kernel((uint64_t)kernel, &seen);
	}
	if (getenv("VERBOSE"))
		fprintf(stderr, "%d kernels: %ld forms evaluated, %ld of them with turns, %ld pairs of "
			"executions; answers: %ld cannot alias (%ld of them between threads), %ld must; true "
			"with in-bounds %ld, restrict %ld, no-wrap %ld, one-dimension %ld; at one moment "
			"%ld, %ld cannot alias\n", n, seen.forms, seen.walks, seen.pairs, seen.no,
			seen.threads_no, seen.must, seen.rests[0], seen.rests[1], seen.rests[2],
			seen.rests[3], seen.moments, seen.no_moment);
	ck_assert_int_gt(seen.forms, 100 * n);
	ck_assert_int_gt(seen.walks, 5 * n);
	ck_assert_int_gt(seen.must, n);
	ck_assert_int_gt(seen.threads_no, n);
	for (int k = 0; k < MEM_ASSUMPTIONS; k++)
		ck_assert_int_gt(seen.rests[k], n / 4);
}
END_TEST

/* What it must find out: an index of a thread in the grid, its neighbour's, and a tile. */
static const char known[] =
	"shared u32 tile[64]\nkernel k(u64 a ptr(global, 4), u64 b ptr(global, 4))\n{\n"
	"\treg u32 %i, %j, %b, %n, %t, %v\n\treg u64 %a, %o, %p, %q\nE:\n"
	"\t%b = mov.u32 %ctaid.x\n\t%n = mov.u32 %ntid.x\n\t%t = mov.u32 %tid.x\n"
	"\t%i = mad.lo.s32 %b, %n, %t\n\t%o = mul.wide.s32 %i, 4\n"
	"\t%a = ld.param.u64 [a]\n\t%p = add.u64 %a, %o\n\t%q = ld.param.u64 [b]\n\t%q = add.u64 %q, %o\n"
	"\tst.global.u32 [%p], %i\n\t%v = ld.global.u32 [%p+4]\n\tst.global.u32 [%q], %v\n"
	"\t%j = shl.b32 %t, 2\n\tst.shared.u32 [%j], %v\n"
	"\tbar.sync 0\n\texit\n}\n";

static MemDep *known_memdep(Arena *a, Module *m, MemFacts facts)
{
	Cfg *c = cfg_build(a, module_find_function(m, "k"));
	return memdep_build(a, c, ssa_build(a, c, dom_build(a, c)), effects_build(a, m), facts);
}

START_TEST(finds_what_is_there)
{
	enum { STORE, NEXT, OTHER, TILE, BARRIER };
	Arena a = { 0 };
	Diag diag = { 0 };
	Module *m = ir_read(known, strlen(known), "known.ir", &diag);
	ck_assert_msg(m, "%s", diag_first(&diag));
	MemDep *d = known_memdep(&a, m, (MemFacts){ 0 });
	MemAsk strict = { .within = MEM_EVER }, free_ask = { .allow = ALL, .within = MEM_EVER };
	ck_assert_int_eq(d->naccess, 5);
	ck_assert(memdep_may_alias(d, &strict, STORE, OTHER));
	ck_assert(!memdep_may_alias(d, &free_ask, STORE, OTHER));
	ck_assert_uint_eq(free_ask.rests, MEM_RESTRICT);
	ck_assert_int_eq(free_ask.count[1], 1);
	ck_assert(!memdep_may_alias(d, &strict, STORE, NEXT)); /* wrapped or not */
	ck_assert(memdep_must_alias(d, &strict, STORE, STORE));
	ck_assert(!memdep_same_thread(d, &strict, STORE, STORE));
	ck_assert(memdep_same_thread(d, &free_ask, STORE, STORE));
	ck_assert_uint_eq(free_ask.rests, MEM_NO_WRAP | MEM_ONE_DIMENSION);
	ck_assert(!memdep_same_thread(d, &free_ask, STORE, NEXT));
	ck_assert(!memdep_same_thread_only(d, &free_ask, STORE));
	ck_assert(memdep_same_thread_only(d, &free_ask, OTHER));
	ck_assert(memdep_block_may_alias(d, &strict, TILE, TILE));
	ck_assert(!memdep_grid_may_alias(d, &strict, TILE, TILE));
	ck_assert(memdep_orders(d, &strict, TILE, BARRIER) && !memdep_may_alias(d, &strict, TILE, BARRIER));
	ck_assert(!memdep_orders(d, &strict, STORE, TILE) && memdep_orders(d, &strict, STORE, OTHER));
	d = known_memdep(&a, m, (MemFacts){ { 100, 1, 1 }, { 96, 1, 1 } });
	ck_assert(memdep_same_thread(d, &strict, STORE, STORE));
	ck_assert(memdep_same_thread_only(d, &strict, TILE));
	arena_free(&a);
	module_free(m);
}
END_TEST

/* Two pointers that walk through arrays of their own, one by an unconditional step, and one that a guard
   holds back. */
static const char walking[] =
	"kernel k(u64 a ptr(global, 4), u64 b ptr(global, 4), u32 n)\n{\n\treg u32 %i, %v\n"
	"\treg u64 %p, %q, %r\n\treg pred %c, %d\nE:\n"
	"\t%p = ld.param.u64 [a]\n\t%q = ld.param.u64 [b]\n\t%r = mov.u64 %p\n\t%i = ld.param.u32 [n]\n"
	"\tbra L\nL:\n"
	"\t%v = ld.global.u32 [%p]\n\tst.global.u32 [%q+4], %v\n\tst.global.u32 [%p+4], %v\n"
	"\t%d = setp.lt.s32 %v, 0\n\tst.global.u32 [%r], %v\n\tst.global.u8 [%p+2], 1\n"
	"\t@%d %r = add.u64 %r, 4\n\t%p = add.s64 %p, 8\n\t%q = add.s64 %q, 4\n\t%i = sub.u32 %i, 1\n"
	"\t%c = setp.ne.u32 %i, 0\n\tbra %c, L, X\nX:\n\texit\n}\n";

START_TEST(pointers_walk)
{
	enum { LOAD, OTHER, NEXT, HELD, BYTE };
	Arena a = { 0 };
	Diag diag = { 0 };
	Module *m = ir_read(walking, strlen(walking), "walking.ir", &diag);
	ck_assert_msg(m, "%s", diag_first(&diag));
	MemDep *d = known_memdep(&a, m, (MemFacts){ 0 });
	MemAsk ever = { .within = MEM_EVER }, turn = { .within = 0 },
		apart = { .allow = MEM_RESTRICT, .within = MEM_EVER };
	ck_assert_int_eq(d->naccess, 5);
	ck_assert(memdep_base(d, d->access[LOAD].form[0]) >= 0 &&
		memdep_base(d, d->access[OTHER].form[0]) >= 0);
	ck_assert_int_lt(memdep_base(d, d->access[HELD].form[0]), 0);
	/* eight bytes a turn: four are read, the next four written */
	ck_assert(!memdep_may_alias(d, &ever, LOAD, NEXT));
	ck_assert(memdep_may_alias(d, &ever, LOAD, BYTE) && memdep_may_alias(d, &ever, LOAD, LOAD));
	ck_assert(memdep_must_alias(d, &turn, LOAD, LOAD) && !memdep_must_alias(d, &ever, LOAD, LOAD));
	ck_assert(memdep_may_alias(d, &ever, LOAD, OTHER) && !memdep_may_alias(d, &apart, LOAD, OTHER));
	ck_assert(memdep_may_alias(d, &apart, LOAD, HELD));
	arena_free(&a);
	module_free(m);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("memory dependence");
	TCase *t = tcase_create("all");
	tcase_add_test(t, answers_are_true);
	tcase_add_test(t, finds_what_is_there);
	tcase_add_test(t, pointers_walk);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
