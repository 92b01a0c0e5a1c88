/* Operations that compilers emit now and then and that the operation table does not have: each is written out
   as several operations of the table. */
#include "isa/ptx/ptx.h"

typedef struct ExpandRow ExpandRow;
typedef struct ExpandStep { Ptx *p; Guard g; const ExpandRow *row; Opd d, s[3]; } ExpandStep;
struct ExpandRow {
	const char *name;
	int nsrc;
	void (*expand)(ExpandStep *);
	uint8_t op;
	bool is_signed, variant;
};

static Opd into(ExpandStep *x, Opd d, Op op, Type t, int n, Opd a, Opd b, Opd c, Opd e)
{
	Opd s[4] = { a, b, c, e };
	bind_emit(x->p, op, t, T_NONE, x->g, d, n, s);
	return d;
}

static Opd fresh_reg(ExpandStep *x, Type t) { return opd_reg(ptx_new_reg(x->p, NULL, t)); }

static const Opd none = { .kind = OPD_NONE };

/* Absolute differences of the four bytes of two words: their sum is added to c (variant), or each one stands
   in its byte of the result. */
static void vabsdiff4(ExpandStep *x)
{
	Type t = x->row->is_signed ? T_S32 : T_U32;
	Opd sum = x->s[2], bytes = opd_imm(0);
	for (int k = 0; k < 4; k++) {
		Opd at = opd_imm(8 * k), eight = opd_imm(8);
		Opd a = into(x, fresh_reg(x, T_B32), OP_BFE, t, 3, x->s[0], at, eight, none);
		Opd b = into(x, fresh_reg(x, T_B32), OP_BFE, t, 3, x->s[1], at, eight, none);
		Opd r = into(x, fresh_reg(x, T_B32), OP_SAD, t, 3, a, b, x->row->variant ? sum : opd_imm(0),
			none);
		if (x->row->variant)
			sum = r;
		else
			bytes = into(x, fresh_reg(x, T_B32), OP_BFI, T_B32, 4, r, bytes, at, eight);
	}
	into(x, x->d, OP_MOV, T_B32, 1, x->row->variant ? sum : bytes, none, none, none);
}

/* Applies an operation of 16 bits to each half of a word. */
static void halves(ExpandStep *x)
{
	Opd part[2][2], r[2];
	for (int k = 0; k < 2; k++) {
		Ins i = edit_new(&x->p->b->edit, NULL, OP_UNPACK, T_B32, 2, 1);
		i.guard = x->g.reg;
		i.guard_neg = x->g.neg;
		i.opd[0] = part[k][0] = fresh_reg(x, T_B16);
		i.opd[1] = part[k][1] = fresh_reg(x, T_B16);
		i.opd[2] = x->s[k];
		flow_emit(x->p, &i);
	}
	for (int k = 0; k < 2; k++)
		r[k] = into(x, fresh_reg(x, T_B16), (Op)x->row->op, x->row->is_signed ? T_S16 : T_U16, 2,
			part[0][k], part[1][k], none, none);
	into(x, x->d, OP_PACK, T_B32, 2, r[0], r[1], none, none);
}

static const ExpandRow rows[] = {
	{ "vabsdiff4.u32.u32.u32", 3, vabsdiff4, 0, false, false },
	{ "vabsdiff4.u32.u32.u32.add", 3, vabsdiff4, 0, false, true },
	{ "vabsdiff4.u32.s32.s32", 3, vabsdiff4, 0, true, false },
	{ "vabsdiff4.u32.s32.s32.add", 3, vabsdiff4, 0, true, true },
	{ "vabsdiff4.s32.s32.s32.add", 3, vabsdiff4, 0, true, true },
	{ "add.u16x2", 2, halves, OP_ADD, false, false }, { "add.s16x2", 2, halves, OP_ADD, true, false },
	{ "min.u16x2", 2, halves, OP_MIN, false, false }, { "min.s16x2", 2, halves, OP_MIN, true, false },
	{ "max.u16x2", 2, halves, OP_MAX, false, false }, { "max.s16x2", 2, halves, OP_MAX, true, false }
};

static bool read_step_operands(ExpandStep *x)
{
	Ptx *p = x->p;
	Args a = { 0 };
	bool ok = ptx_args(p, &a);
	if (ok && (a.arg.n != 1 + x->row->nsrc || a.group.n != a.arg.n))
		ok = ptx_error(p, tok_here(p), "%s takes a destination and %d sources", x->row->name,
			x->row->nsrc);
	for (int k = 0; ok && k < a.arg.n; k++) {
		Arg *arg = &a.arg.v[k];
		Opd *o = k ? &x->s[k - 1] : &x->d;
		if (arg->kind == A_ADDR || arg->kind == A_SINK || (!k && arg->kind != A_REG))
			ok = ptx_error(p, arg->loc, k ? "expected a register or a number"
				: "a destination is a register");
		else
			ok = bind_width(p, arg, T_B32, false) && bind_opd(p, arg, T_U32, o);
		if (ok && o->kind != OPD_REG && (o->kind != OPD_IMM || x->row->expand == halves))
			*o = bind_register(p, *o, T_B32, x->g);
	}
	args_free(&a);
	return ok;
}

bool ptx_expand(Ptx *p, const char *name, size_t n, Guard g, bool *ok)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strlen(rows[i].name) == n && !memcmp(rows[i].name, name, n)) {
			ExpandStep x = { .p = p, .g = g, .row = &rows[i] };
			*ok = read_step_operands(&x);
			if (*ok)
				rows[i].expand(&x);
			return true;
		}
	return false;
}
