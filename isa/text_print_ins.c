/* Prints names, literals and instructions as text. */
#include "isa/mnemonic.h"
#include "isa/text_lex.h"
#include "isa/text_print.h"
#include "lib/output.h"
#include <inttypes.h>

/* ---- names and literals ---- */

static bool reserved(const char *s)
{
	return !strcmp(s, "_") || !strcmp(s, "inf") || !strcmp(s, "nan") || !strcmp(s, "WARP_SZ") ||
		!strcmp(s, "generic");
}

void text_put_quoted(const char *s, char quote, StrBuf *out)
{
	sb_putc(out, quote);
	for (size_t k; *s; s += k ? k : 1) {
		k = output_plain(s, strnlen(s, 4));
		if (*s == quote || *s == '\\')
			sb_printf(out, "\\%c", *s);
		else if (*s == '\n')
			sb_puts(out, "\\n");
		else if (!k || *s == '\t')
			sb_printf(out, "\\x%02x", (unsigned char)*s);
		else
			sb_write(out, s, k);
	}
	sb_putc(out, quote);
}

void text_put_name(const char *s, StrBuf *out)
{
	if (name_is_plain(s) && !reserved(s))
		sb_puts(out, s);
	else
		text_put_quoted(s, '`', out);
}

void text_put_register(const char *s, StrBuf *out)
{
	if (register_is_plain(s)) {
		sb_puts(out, s);
		return;
	}
	sb_putc(out, '%');
	text_put_quoted(s + 1, '`', out);
}

void text_put_value(Type t, int64_t v, StrBuf *out)
{
	int width = t == T_NONE ? 64 : type_bits[t];
	uint64_t bits = width == 64 ? (uint64_t)v : (uint64_t)v & (((uint64_t)1 << width) - 1);
	int64_t extended = width == 64 ? v : (int64_t)(bits << (64 - width)) >> (64 - width);
	switch (type_kind[t]) {
	case 'F':
		sb_printf(out, "0%c%0*" PRIx64, width == 16 ? 'h' : width == 32 ? 'f' : 'd', width / 4, bits);
		break;
	case 'U': case 'P':
		sb_printf(out, "%" PRIu64, bits);
		break;
	case 'B':
		sb_printf(out, bits < 65536 ? "%" PRIu64 : "0x%" PRIx64, bits);
		break;
	default:
		sb_printf(out, "%" PRId64, extended);
	}
}

void text_put_offset(int64_t v, StrBuf *out)
{
	if (v)
		sb_printf(out, "%+" PRId64, v);
}

/* ---- instructions ---- */

static void print_operand(const Module *m, const Function *f, const Opd *o, Type t, StrBuf *out)
{
	switch ((OpdKind)o->kind) {
	case OPD_NONE:
		sb_putc(out, '_');
		return;
	case OPD_REG:
		if (o->neg)
			sb_putc(out, '!');
		text_put_register(f->reg.v[o->id].name, out);
		text_put_offset(o->imm, out);
		return;
	case OPD_IMM:
		text_put_value(t, o->imm, out);
		return;
	case OPD_SREG:
		sb_puts(out, sreg_name[o->id]);
		return;
	case OPD_SYM:
		text_put_name(m->symbol.v[o->id]->name, out);
		text_put_offset(o->imm, out);
		return;
	case OPD_PARAM:
		text_put_name(f->param.v[o->id].name, out);
		text_put_offset(o->imm, out);
		return;
	case OPD_FUNC:
		text_put_name(m->func.v[o->id]->name, out);
		return;
	case OPD_STR:
		text_put_quoted(m->string.v[o->id], '"', out);
		return;
	}
}

static void print_destinations(const Module *m, const Function *f, const Ins *i, StrBuf *out)
{
	if (!i->ndst)
		return;
	bool braces = i->op == OP_UNPACK || i->vec, call = i->op == OP_CALL;
	const char *open = call ? "(" : braces ? "{" : "", *close = call ? ") = " : braces ? "} = " : " = ";
	sb_puts(out, open);
	for (int k = 0; k < i->ndst; k++) {
		if (k)
			sb_puts(out, call || braces ? ", " : "|");
		print_operand(m, f, ins_dst(i, k), T_NONE, out);
	}
	sb_puts(out, close);
}

/* Prints the sources k to end - 1 with commas, in these two brackets; returns end. */
static int print_group(const Module *m, const Function *f, const Ins *i, int k, int end, const char *brackets,
	StrBuf *out)
{
	sb_putc(out, brackets[0]);
	for (int first = k; k < end; k++) {
		if (k > first)
			sb_puts(out, ", ");
		print_operand(m, f, ins_src(i, k), ins_value_type(m, i, k), out);
	}
	sb_putc(out, brackets[1]);
	return k;
}

static int print_source(const Module *m, const Function *f, const Ins *i, char letter, int k, StrBuf *out)
{
	if (letter == 'a')
		return print_group(m, f, i, k, k + 1, "[]", out);
	if (letter == 'v' && i->vec)
		return print_group(m, f, i, k, k + i->vec < i->nsrc ? k + i->vec : i->nsrc, "{}", out);
	if (letter != '*') {
		print_operand(m, f, ins_src(i, k), ins_value_type(m, i, k), out);
		return k + 1;
	}
	if (i->op == OP_LAUNCH && i->nsrc >= LAUNCH_ARGS) {
		k = print_group(m, f, i, 1, 4, "()", out);
		sb_puts(out, ", ");
		k = print_group(m, f, i, k, 7, "()", out);
		sb_puts(out, ", ");
		for (; k < LAUNCH_ARGS; k++) {
			const Opd *o = ins_src(i, k);
			if (k == LAUNCH_STREAM && o->kind == OPD_IMM && !o->imm)
				continue;
			print_operand(m, f, o, T_B32, out);
			sb_puts(out, ", ");
		}
	}
	return print_group(m, f, i, k, i->nsrc, i->op == OP_PACK ? "{}" : "()", out);
}

/* Does a return find its results in the registers that the function's head names? Then they need not be
   written. */
static bool returns_own(const Function *f, const Ins *i)
{
	int k = 0;
	while (i->op == OP_RET && k < i->nsrc && k < f->ret.n && ins_src(i, k)->kind == OPD_REG &&
		ins_src(i, k)->id == f->ret.v[k])
		k++;
	return i->op == OP_RET && k == i->nsrc;
}

static void print_sources(const Module *m, const Function *f, const Ins *i, StrBuf *out)
{
	if (returns_own(f, i))
		return;
	const char *separator = " ";
	int k = 0;
	for (const char *s = strchr(op_info[i->op].operands, ':') + 1; *s; s++) {
		if (*s == '?' || (k >= i->nsrc && *s != '*'))
			continue;
		sb_puts(out, separator);
		k = print_source(m, f, i, *s, k, out);
		separator = ", ";
	}
}

static void print_targets(const Ins *i, const Block *b, StrBuf *out)
{
	if (i->op != OP_BRA && i->op != OP_BRX)
		return;
	const char *separator = i->nsrc ? ", " : " ";
	if (i->op == OP_BRX)
		sb_puts(out, ", [");
	for (int k = 0; k < b->nsucc; k++) {
		sb_puts(out, k || i->op == OP_BRA ? separator : "");
		text_put_name(b->succ[k]->label, out);
		separator = ", ";
	}
	if (i->op == OP_BRX)
		sb_putc(out, ']');
}

void ir_print_ins(const Module *m, const Function *f, const Block *b, const Ins *i, StrBuf *out)
{
	if (i->guard >= 0) {
		sb_puts(out, i->guard_neg ? "@!" : "@");
		text_put_register(f->reg.v[i->guard].name, out);
		sb_putc(out, ' ');
	}
	print_destinations(m, f, i, out);
	mnemonic_print(i, out);
	print_sources(m, f, i, out);
	if (b)
		print_targets(i, b, out);
}
