/* Machine code as text: for traces, and for gsim --disassemble. */
#include "lib/strbuf.h"
#include "sim/code/lower.h"

/* Prints an instruction that lowering added: a mechanism's operation or another one. */
static void print_added(const Code *c, const MIns *i, StrBuf *b)
{
	if (i->op != OP_OWN) {
		sb_puts(b, op_info[i->op].name);
		return;
	}
	sb_puts(b, c->own[i->own].name);
	if (i->target != NO_PC)
		sb_printf(b, " %u", i->target);
	if (i->src->nsrc && ins_src(i->src, 0)->kind == OPD_IMM)
		sb_printf(b, " B%d", (int)i->offset);
	if (i->x.a != NO_ROW)
		sb_printf(b, " %sp%u", i->x.neg ? "!" : "", i->x.a);
	else if (i->x.neg)
		sb_puts(b, " 0"); /* the instruction is executed for no lane */
}

void code_print_ins(const Code *c, uint32_t pc, StrBuf *b)
{
	const MIns *i = &c->ins[pc];
	if (!i->src || i->op == OP_OWN) {
		print_added(c, i, b);
		return;
	}
	if (i->op == OP_EXITIF) {
		const Opd *p = ins_src(i->src, 0);
		bool not = (p->neg != 0) != (i->x.mode == EXIT_OTHER);
		if (p->kind == OPD_REG)
			sb_printf(b, "@%s%s exit", not ? "!" : "", i->function->reg.v[p->id].name);
		else
			sb_printf(b, "@%d exit", (p->imm & 1) != not);
		return;
	}
	size_t from = b->n;
	ir_print_ins(c->module, i->function, i->from, i->src, b);
	/* leaves the place in the source out: listings have a column for it */
	char *loc = strstr(b->s + from, " !loc");
	if (loc) {
		*loc = 0;
		b->n = (size_t)(loc - b->s);
	}
}

void code_print(const Code *c, StrBuf *b)
{
	for (int i = 0; i < c->n; i++) {
		if (c->ins[i].flags & MI_BLOCK_START)
			sb_printf(b, "%s.%s:\n", c->ins[i].function->name, c->ins[i].from->label);
		sb_printf(b, "%6d  ", i);
		code_print_ins(c, (uint32_t)i, b);
		sb_puts(b, "\n");
	}
}
