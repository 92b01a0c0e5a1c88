/* What safe_loads.h says of an address at a place, against random walks through random functions with numbers
 * in their registers: bytes said to have been accessed have been on every walk to the place, bytes said to be
 * accessed later are on every walk that ends, bytes said to lie in a variable do. And of what holds on all
 * walks enough is said. */
#include "passes/analyses.h"
#include "isa/memory.h"
#include "passes/pass.h"
#include "tests/random.h"
#include "tests/check.h"
#include <stdlib.h>

enum { VALUES = 4, WORDS = 3, BLOCKS = 7, WALKS = 60, LONGEST = 400, OFFSETS = 5, SIZES = 2, TILE = 64,
	TABLE = 64 };
static const int offsets[OFFSETS] = { -8, -4, 0, 4, 8 }, sizes[SIZES] = { 4, 8 };
static const Space spaces[] = { SP_GENERIC, SP_GLOBAL, SP_SHARED, SP_CONST };
enum { SPACES = 4, QUESTIONS = VALUES * OFFSETS * SIZES * SPACES };
#define SHARED_AT 0x10000000000u /* what cvta adds to an address of shared memory */

static int pick(uint64_t *rng, int n) { return (int)(random_next(rng) % (uint64_t)n); }

/* ---- functions ---- */

static const char *space(uint64_t *rng)
{
	static const char *const names[] = { ".global", ".global", ".global", "", ".shared", ".const" };
	return names[pick(rng, 6)];
}

static void put_guard(StrBuf *s, uint64_t *rng)
{
	if (!pick(rng, 6))
		sb_printf(s, "@%s%%p%d ", pick(rng, 2) ? "!" : "", pick(rng, 2));
}

static void put_ins(StrBuf *s, uint64_t *rng)
{
	int v = pick(rng, VALUES), w = pick(rng, VALUES), x = pick(rng, WORDS), y = pick(rng, WORDS),
		off = offsets[pick(rng, OFFSETS)];
	const char *mark = pick(rng, 8) ? "" : ".nonfaulting", *in;
	switch (pick(rng, 16)) {
	case 0:
		sb_printf(s, "\t%%v%d = add.u64 %%v%d, %d\n", v, pick(rng, 2) ? v : w, 4 * pick(rng, 4));
		break;
	case 1: sb_printf(s, "\t%%v%d = mov.u64 %%v%d\n", v, w); break;
	case 2: sb_printf(s, "\t%%w%d = and.b32 %%w%d, %d\n", x, y, pick(rng, 2) ? 7 : 15); break;
	case 3: sb_printf(s, "\t%%w%d = add.u32 %%w%d, 1\n", x, x); break;
	case 4: sb_printf(s, "\t%%v%d = mad.wide.u32 %%w%d, %d, %%v%d\n", v, x, 4 << pick(rng, 2), w); break;
	case 5: sb_printf(s, "\t%%v%d = mov.u64 %s\n", v, pick(rng, 2) ? "tile" : "table"); break;
	case 6:
		if (!pick(rng, 4))
			sb_printf(s, "\t%%v%d = cvta.shared.u64 %%v%d\n", v, w);
		break;
	case 7:
		if (!pick(rng, 8))
			sb_printf(s, "\t@%%p%d trap\n", pick(rng, 2));
		break;
	case 8: case 9:
		in = space(rng);
		sb_puts(s, "\t");
		put_guard(s, rng);
		sb_printf(s, "st%s.u32 [%%v%d%+d], %%w%d\n", strcmp(in, ".const") ? in : ".global", v, off,
			x);
		break;
	case 10:
		sb_puts(s, "\t");
		put_guard(s, rng);
		sb_printf(s, "{%%w0, %%w1} = ld%s%s.v2.u32 [%%v%d%+d]\n", space(rng), mark, v, off);
		break;
	case 11: sb_printf(s, "\t%%v%d = ld%s%s.u64 [%%v%d%+d]\n", v, space(rng), mark, w, off); break;
	default:
		sb_puts(s, "\t");
		put_guard(s, rng);
		sb_printf(s, "%%w%d = ld%s%s.u32 [%%v%d%+d]\n", x, space(rng), mark, v, off);
		break;
	}
}

static int target(uint64_t *rng, int b, int n, int forward)
{
	return b + 1 < n && pick(rng, 100) < forward ? b + 1 + pick(rng, n - b - 1) : pick(rng, n);
}

static Module *random_module(uint64_t *rng)
{
	StrBuf s = { 0 };
	Diag diag = { 0 };
	int n = 2 + pick(rng, BLOCKS - 1), forward = 50 + 25 * pick(rng, 3);
	sb_printf(&s, "shared b8 tile[%d] align 16\nconst u32 table[%d]\n"
		"kernel k(u64 a, u64 b) reqntid(8) {\n\treg u64 %%v0, %%v1, %%v2, %%v3\n"
		"\treg u32 %%w0, %%w1, %%w2\n"
		"\treg pred %%p0, %%p1\nB0:\n\t%%v0 = ld.param.u64 [a]\n\t%%v1 = ld.param.u64 [b]\n"
		"\t%%v2 = mov.u64 tile\n\t%%v3 = mov.u64 table\n"
		"\t%%w0 = mov.u32 %%tid.x\n\t%%w1 = mov.u32 3\n\t%%w2 = ld.global.u32 [%%v1]\n"
		"\t%%p0 = setp.lt.u32 %%w2, 9\n\t%%p1 = setp.lt.u32 %%w0, 4\n", TILE, TABLE / 4);
	for (int b = 0; b < n; b++) {
		sb_printf(&s, b ? "B%d:\n" : "", b);
		for (int k = pick(rng, 6); k >= 0; k--)
			put_ins(&s, rng);
		if (b == n - 1 || !pick(rng, 8))
			sb_puts(&s, "\texit\n");
		else if (pick(rng, 3))
			sb_printf(&s, "\tbra %%p%d, B%d, B%d\n", pick(rng, 2), target(rng, b, n, forward),
				target(rng, b, n, forward));
		else
			sb_printf(&s, "\tbra B%d\n", target(rng, b, n, forward));
	}
	sb_puts(&s, "}\n");
	Module *m = ir_read(s.s, s.n, "random.ir", &diag);
	ck_assert_msg(m != NULL, "%s\n%s", s.s, diag_first(&diag));
	diag_free(&diag);
	sb_free(&s);
	return m;
}

/* ---- walks ---- */

/* unguarded or not: what was executed */
typedef struct Touch { int step; Space space; uint64_t at; int size; } Touch;
typedef struct Step { int block, ins; uint64_t reg[VALUES]; } Step;
typedef struct Walk { Step step[LONGEST]; Touch touch[LONGEST]; int n, ntouch; bool ended; } Walk;

typedef struct Machine {
	const Module *m;
	const Function *f;
	uint64_t *rng, reg[64], param[2], symbol[2];
} Machine;

static uint64_t operand(const Machine *x, const Opd *o)
{
	switch (o->kind) {
	case OPD_REG: return x->reg[o->id];
	case OPD_IMM: return (uint64_t)o->imm;
	case OPD_SYM: return x->symbol[o->id] + (uint64_t)o->imm;
	case OPD_SREG: return x->reg[63];
	default: return x->param[o->id];
	}
}

static void execute(Machine *x, const Ins *i, Walk *w)
{
	uint64_t a = i->nsrc ? operand(x, ins_src(i, 0)) : 0, b = i->nsrc > 1 ? operand(x, ins_src(i, 1)) : 0,
		d = 0;
	bool access = op_info[i->op].kind == K_LD || op_info[i->op].kind == K_ST;
	if (i->guard >= 0 && pick(x->rng, 2))
		return;
	switch (i->op) {
	case OP_MOV: d = a; break;
	case OP_ADD: d = a + b; break;
	case OP_AND: d = a & b; break;
	case OP_MAD: d = (uint64_t)(uint32_t)a * b + operand(x, ins_src(i, 2)); break;
	case OP_CVTA: d = a + SHARED_AT; break;
	case OP_LD: d = i->space == SP_PARAM ? a : random_next(x->rng); break;
	case OP_SETP: case OP_ST: break;
	default: ck_abort_msg("%s is none of these", op_info[i->op].name);
	}
	if (access && i->space != SP_PARAM && !(i->flags & INSF_NONFAULTING))
		w->touch[w->ntouch++] = (Touch){ w->n - 1, (Space)i->space, a + (uint64_t)ins_src(i, 0)->imm,
			type_bytes(i->type) * (i->vec ? i->vec : 1) };
	for (int k = 0; k < i->ndst; k++)
		if (ins_dst(i, k)->kind == OPD_REG) {
			int r = ins_dst(i, k)->id;
			x->reg[r] = type_bits[x->f->reg.v[r].type] == 64 ? d : (uint32_t)d;
			d = random_next(x->rng);
		}
}

static void walk(Machine *x, Walk *w)
{
	const Block *b = x->f->block.v[0];
	w->n = w->ntouch = 0;
	w->ended = false;
	for (int k = 0; k < 2; k++)
		x->param[k] = random_next(x->rng) & ~(uint64_t)255;
	x->symbol[0] = random_next(x->rng) % 4096 * 16;
	x->symbol[1] = random_next(x->rng) >> 16 << 8;
	x->reg[63] = random_next(x->rng) % 8;
	for (int k = 0; w->n < LONGEST; k++) {
		const Ins *i = &b->ins.v[k];
		Step *s = &w->step[w->n++];
		s->block = b->id;
		s->ins = k;
		for (int v = 0; v < VALUES; v++)
			s->reg[v] = x->reg[v];
		if (i->op == OP_TRAP ? !pick(x->rng, 2) : i->op == OP_EXIT) {
			w->ended = true;
			return;
		}
		if (i->op == OP_BRA) {
			b = b->succ[pick(x->rng, b->nsucc)];
			k = -1;
		} else if (i->op != OP_TRAP) {
			execute(x, i, w);
		}
	}
}

/* ---- questions ---- */

typedef struct Question { Space space; int reg, offset, size; } Question;
static Question question(int n)
{
	return (Question){ spaces[n % SPACES], n / SPACES % VALUES, offsets[n / SPACES / VALUES % OFFSETS],
		sizes[n / SPACES / VALUES / OFFSETS] };
}

static bool covers(const Touch *t, Question q, uint64_t at)
{
	bool same = t->space == q.space || (q.space == SP_GENERIC &&
		(t->space == SP_GLOBAL || t->space == SP_CONST));
	return same && at - t->at < (uint64_t)t->size && at - t->at + (uint64_t)q.size <= (uint64_t)t->size &&
		!((at - t->at) % (uint64_t)q.size);
}

static bool touched(const Walk *w, int step, bool before, Question q, uint64_t at)
{
	for (int k = 0; k < w->ntouch; k++)
		if ((w->touch[k].step < step) == before && covers(&w->touch[k], q, at))
			return true;
	return false;
}

/* Between two accesses, one to which the address is aligned, in one allocation: these are MEMORY_GAP bytes
   apart. */
static bool enclosed(const Walk *w, Question q, uint64_t at)
{
	bool low = false, high = false, aligned = false;
	for (int k = 0; k < w->ntouch; k++) {
		const Touch *t = &w->touch[k];
		if (t->space != q.space && !(q.space == SP_GENERIC &&
			(t->space == SP_GLOBAL || t->space == SP_CONST)))
			continue;
		bool below = at - t->at <= MEMORY_GAP / 2, above =
			t->at + (uint64_t)t->size - at - (uint64_t)q.size <= MEMORY_GAP / 2;
		low |= below;
		high |= above;
		aligned |= (below || above) && t->size >= q.size && !((at - t->at) % (uint64_t)q.size);
	}
	return low && high && aligned;
}

static bool inside(const Machine *x, Question q, uint64_t at)
{
	uint64_t tile = at - x->symbol[0] - (q.space == SP_GENERIC ? SHARED_AT : 0),
		table = at - x->symbol[1];
	if (at % (uint64_t)q.size)
		return false;
	if (q.space == SP_SHARED)
		return tile <= (uint64_t)(TILE - q.size);
	if (q.space == SP_CONST)
		return table <= (uint64_t)(TABLE - q.size);
	return q.space == SP_GENERIC && (tile <= (uint64_t)(TILE - q.size) ||
		table <= (uint64_t)(TABLE - q.size));
}

typedef struct Tally { long said[SAFE_BETWEEN + 1], before, before_said, after, after_said; } Tally;

/* Of one place: the answers, and in how many walks that came by what was so. */
typedef struct Seen {
	SafeKind said[QUESTIONS];
	int walks, ends, before[QUESTIONS], after[QUESTIONS];
	bool asked;
} Seen;

static void judge(const Machine *x, const Walk *w, Seen *seen, int step)
{
	const Step *s = &w->step[step];
	for (int n = 0; n < QUESTIONS; n++) {
		Question q = question(n);
		uint64_t at = s->reg[q.reg] + (uint64_t)q.offset;
		bool before = touched(w, step, true, q, at), after = touched(w, step, false, q, at),
			ok = true;
		switch (seen->said[n]) {
		case SAFE_NOT: break;
		case SAFE_BOUNDS: ok = inside(x, q, at); break;
		case SAFE_BEFORE: ok = before; break;
		case SAFE_AFTER: ok = after || !w->ended; break;
		case SAFE_BETWEEN: ok = enclosed(w, q, at) || !w->ended; break;
		}
		if (!ok) {
			StrBuf text = { 0 };
			ir_print_function(x->m, x->f, &text);
			ck_abort_msg("%s\nat %d of %s %s [%%v%d%+d], %d bytes: said to be %s", text.s, s->ins,
				x->f->block.v[s->block]->label, space_name[q.space], q.reg, q.offset, q.size,
				safe_name[seen->said[n]]);
		}
		seen->before[n] += before;
		seen->after[n] += after && w->ended;
	}
	seen->walks++;
	seen->ends += w->ended;
}

static void ask(const SafeLoads *safe, const Function *f, int block, int ins, Seen *seen)
{
	for (int n = 0; n < QUESTIONS; n++) {
		Question q = question(n);
		char name[8];
		snprintf(name, sizeof name, "%%v%d", q.reg);
		int reg = 0;
		while (strcmp(f->reg.v[reg].name, name))
			reg++;
		Opd address = { OPD_REG, 0, reg, q.offset };
		seen->said[n] = safe_address(safe, q.space, &address, q.size, block, ins);
	}
	seen->asked = true;
}

static void count(const Seen *s, Tally *t)
{
	for (int n = 0; n < QUESTIONS && s->walks > WALKS / 3; n++) {
		t->said[s->said[n]]++;
		t->before += s->before[n] == s->walks;
		t->before_said += s->before[n] == s->walks && s->said[n] != SAFE_NOT;
		bool after = s->ends == s->walks && s->after[n] == s->ends && s->before[n] < s->walks;
		t->after += after;
		t->after_said += after && s->said[n] != SAFE_NOT;
	}
}

static void one_function(uint64_t *rng, Tally *t)
{
	enum { PLACES = 40 };
	static Seen seen[BLOCKS][PLACES];
	static Walk w;
	Module *m = random_module(rng);
	Function *f = module_find_function(m, "k");
	Analyses *an = analyses_open(m, f, NULL, NULL, NULL);
	const SafeLoads *safe = analysis_safe(an);
	Machine x = { .m = m, .f = f, .rng = rng };
	memset(seen, 0, sizeof seen);
	for (int k = 0; k < WALKS; k++) {
		for (int r = 0; r < 63; r++)
			x.reg[r] = random_next(rng);
		walk(&x, &w);
		for (int s = 0; s < w.n && s < 120; s++) {
			int b = w.step[s].block, i = w.step[s].ins;
			ck_assert_int_lt(i, PLACES);
			if (!seen[b][i].asked)
				ask(safe, f, b, i, &seen[b][i]);
			judge(&x, &w, &seen[b][i], s);
		}
	}
	for (int b = 0; b < BLOCKS; b++)
		for (int i = 0; i < PLACES; i++)
			count(&seen[b][i], t);
	analyses_close(an);
	module_free(m);
}

START_TEST(random_functions)
{
	Tally t = { { 0 } };
	uint64_t rng = 11;
	for (int k = 0; k < 250; k++)
		one_function(&rng, &t);
	printf("safe_loads: in bounds %ld, before %ld, after %ld, between %ld; of what was accessed on all "
		"walks before %ld of %ld, only after %ld of %ld\n", t.said[SAFE_BOUNDS], t.said[SAFE_BEFORE],
		t.said[SAFE_AFTER], t.said[SAFE_BETWEEN], t.before_said, t.before, t.after_said, t.after);
	ck_assert_int_gt(t.said[SAFE_BOUNDS], 1000);
	ck_assert_int_gt(t.said[SAFE_BEFORE], 1000);
	ck_assert_int_gt(t.said[SAFE_AFTER], 1000);
	ck_assert_int_gt(t.said[SAFE_BETWEEN], 100);
	/* the rest: registers that nobody reads any more, above all */
	ck_assert_int_gt(t.before_said, t.before / 3);
	ck_assert_int_gt(t.after_said, t.after / 3);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("safe loads");
	TCase *t = tcase_create("random");
	tcase_add_test(t, random_functions);
	suite_add_tcase(s, t);
	SRunner *run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	int failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
