/* The rules of the IR (doc/ir.md), checked on a module however it came about. */
#include "isa/verify.h"
#include "lib/number.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool vf_fail(Verifier *v, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	v->errors++;
	if (v->why) {
		sb_puts(v->why, text);
		return false;
	}
	if (!v->f) {
		diag_error(v->d, (Loc){ v->m->name, 0, 0 }, "%s", text);
		return false;
	}
	Loc loc = v->i ? ins_loc(v->m, v->i) : v->b ? v->b->loc : v->f->loc;
	if (!loc.file)
		loc.file = v->m->name;
	StrBuf sb = { 0 };
	if (v->i && v->i->op > OP_NONE && v->i->op < OP_COUNT && v->i->type < T_COUNT &&
		v->i->type2 < T_COUNT)
		mnemonic_print(v->i, &sb);
	if (v->b)
		diag_error(v->d, loc, "%s%s%s (block %.60s of %.100s)", sb.n ? sb.s : "", sb.n ? " " : "",
			text, v->b->label ? v->b->label : "?", v->f->name);
	else
		diag_error(v->d, loc, "%.100s %s", v->f->name, text);
	sb_free(&sb);
	return false;
}

static bool enough(const Verifier *v) { return v->errors >= VERIFY_LIMIT; }

static bool symbol_fail(Verifier *v, const Symbol *s, const char *what)
{
	v->errors++;
	diag_error(v->d, s->loc.file ? s->loc : (Loc){ v->m->name, 0, 0 }, "variable '%.100s' %s", s->name,
		what);
	return false;
}

/* ---- variables ---- */

static bool check_relocs(Verifier *v, const Symbol *s)
{
	uint64_t from = 0;
	if (s->reloc.n && !s->init)
		return symbol_fail(v, s, "has addresses but no initial data");
	for (int k = 0; k < s->reloc.n; k++) {
		const Reloc *x = &s->reloc.v[k];
		if (x->offset < from || s->size < 8 || x->offset > s->size - 8)
			return symbol_fail(v, s, "has an address that overlaps another or lies outside");
		from = (uint64_t)x->offset + 8;
		if (x->id < 0 || x->id >= (x->func ? v->m->func.n : v->m->symbol.n))
			return symbol_fail(v, s, "holds the address of something that there is not");
		const Symbol *to = x->func ? NULL : v->m->symbol.v[x->id];
		if (to && (to->owner >= 0 || (to->space != SP_GLOBAL && to->space != SP_CONST)))
			return symbol_fail(v, s, "may hold addresses of the module's global and const "
				"variables and of functions only");
	}
	return true;
}

static bool check_variable(Verifier *v, const Symbol *s)
{
	if (!s->name || !*s->name)
		return vf_fail(v, "a variable has no name");
	if (s->owner < -1 || s->owner >= v->m->func.n)
		return symbol_fail(v, s, "belongs to a function that there is not");
	if (s->owner >= 0 && (v->m->func.v[s->owner]->declared_only || v->m->func.v[s->owner]->refused.what))
		return symbol_fail(v, s, "belongs to a function without body");
	if (s->space != SP_GLOBAL && s->space != SP_CONST && s->space != SP_SHARED && s->space != SP_LOCAL)
		return symbol_fail(v, s, "is in no space that variables can be in: global, const, shared, "
			"local");
	if (s->type == T_NONE || s->type == T_PRED || s->type >= T_COUNT)
		return symbol_fail(v, s, "needs a type that memory can hold");
	if (!is_power_of_two(s->align) || s->align > 1 << 16)
		return symbol_fail(v, s, "must be aligned to a power of two up to 65536");
	if (s->count > (uint64_t)1 << 40 || s->size != s->count * (uint64_t)type_bytes(s->type))
		return symbol_fail(v, s, "has a size that is not its elements'");
	if (!s->count && !s->external)
		return symbol_fail(v, s, "has no size; only extern variables may leave it open");
	if (s->count != 1 && !s->array)
		return symbol_fail(v, s, "has several elements but is no array");
	if (s->init && (s->external || (s->space != SP_GLOBAL && s->space != SP_CONST)))
		return symbol_fail(v, s, "cannot have initial data; global and const variables can");
	if (s->refused && s->init)
		return symbol_fail(v, s, "is refused: it has no initial data");
	return check_relocs(v, s);
}

static void check_symbols(Verifier *v)
{
	StrMap names = { 0 };
	for (int k = 0; k < v->m->func.n && !enough(v); k++) {
		const Function *f = v->m->func.v[k];
		if (!f->name || !*f->name)
			vf_fail(v, "a function has no name");
		else if (strmap_get(&names, f->name) >= 0)
			vf_fail(v, "two functions are called '%.100s'", f->name);
		else
			strmap_put(&names, f->name, k);
	}
	for (int k = 0; k < v->m->symbol.n && !enough(v); k++) {
		const Symbol *s = v->m->symbol.v[k];
		if (!check_variable(v, s) || s->owner >= 0)
			continue;
		if (strmap_get(&names, s->name) >= 0)
			symbol_fail(v, s, "has the name of another variable or function");
		strmap_put(&names, s->name, k);
	}
	strmap_free(&names);
}

/* ---- functions: headers ---- */

static bool check_params(Verifier *v, const Function *f)
{
	uint64_t at = 0;
	if (f->kind != FN_KERNEL && f->param.n)
		return vf_fail(v, "has parameters in memory; only kernels do");
	for (int k = 0; k < f->param.n; k++) {
		const Param *p = &f->param.v[k];
		if (p->type == T_NONE || p->type == T_PRED || p->type >= T_COUNT ||
			!is_power_of_two(p->align) || !p->count || (p->count != 1 && !p->array))
			return vf_fail(v, "has a parameter '%.100s' without proper type, size or alignment",
				p->name);
		at = (at + p->align - 1) / p->align * p->align;
		if (p->offset != at || p->size != (uint64_t)p->count * (uint64_t)type_bytes(p->type))
			return vf_fail(v, "has its parameter '%.100s' in the wrong place", p->name);
		at += p->size;
		if (at > 32764)
			return vf_fail(v, "has more than 32764 bytes of parameters");
		if (strmap_get(&v->local, p->name) >= 0)
			return vf_fail(v, "has two parameters '%.100s'", p->name);
		strmap_put(&v->local, p->name, 1);
	}
	return at == f->param_bytes || vf_fail(v, "has %u bytes of parameters, not %u", (unsigned)at,
		f->param_bytes);
}

static bool check_ntid(Verifier *v, const uint32_t *d)
{
	bool none = !d[0] && !d[1] && !d[2], all = d[0] && d[1] && d[2];
	return none || all || vf_fail(v, "has a maxntid or reqntid with a zero");
}

static bool check_register_list(Verifier *v, const Function *f)
{
	bool *taken = xcalloc((size_t)f->reg.n, sizeof *taken);
	bool ok = f->kind == FN_DEVICE || (f->kind == FN_HOST && f->declared_only) ||
		(!f->arg.n && !f->ret.n) ||
		vf_fail(v, f->kind == FN_HOST ? "has a body; arguments and results belong to a function of "
		"Lua: extern host" : "is no func: it has no arguments or results in registers");
	for (int k = 0; ok && k < f->arg.n + f->ret.n; k++) {
		int id = k < f->arg.n ? f->arg.v[k] : f->ret.v[k - f->arg.n];
		ok = (id >= 0 && id < f->reg.n && !taken[id]) ||
			vf_fail(v, "has an argument or result that is no register or stands twice");
		if (ok)
			taken[id] = true;
	}
	free(taken);
	return ok;
}

static bool check_registers(Verifier *v, const Function *f)
{
	StrMap names = { 0 };
	bool ok = true;
	for (int k = 0; ok && k < f->reg.n; k++) {
		const Reg *r = &f->reg.v[k];
		if (!r->name || r->name[0] != '%' || !r->name[1])
			ok = vf_fail(v, "has a register whose name is not '%%' and more");
		else if (r->type == T_NONE || r->type >= T_COUNT)
			ok = vf_fail(v, "has a register %.100s without type", r->name);
		else if (sreg_lookup(r->name, strlen(r->name)) >= 0)
			ok = vf_fail(v, "has a register with the name of the special register %s", r->name);
		else if (strmap_get(&names, r->name) >= 0)
			ok = vf_fail(v, "has two registers %.100s", r->name);
		else
			strmap_put(&names, r->name, k);
	}
	strmap_free(&names);
	return ok && check_register_list(v, f) && vf_lua(v, f);
}

/* ---- blocks ---- */

/* May the instruction stand in a host function? Host functions compute, branch, use global memory, launch and
   call functions of Lua; they have no carry flag, no threads and no other memory. */
static bool host_may(const Ins *i)
{
	const OpInfo *o = &op_info[i->op];
	switch (o->kind) {
	case K_ALU: return !i->cc && !(o->flags & OPF_CARRY);
	case K_LD: case K_ST: return i->space == SP_GENERIC || i->space == SP_GLOBAL || i->space == SP_CONST;
	case K_BRA: case K_BRX: case K_CALL: case K_EXIT: case K_RET: case K_TRAP: case K_HOST: return true;
	default: return i->op == OP_NOP;
	}
}

static bool is_predicate_reg(const Function *f, int reg)
{
	return reg >= 0 && reg < f->reg.n && f->reg.v[reg].type == T_PRED;
}

static bool check_lanes(Verifier *v, int lanes)
{
	const Function *f = v->f;
	for (int k = lanes, n = 0; k; k = f->lanes.v[k].next, n++) {
		if (k < 0 || k >= f->lanes.n || n > f->lanes.n)
			return vf_fail(v, "has a mark for lanes that there are not");
		if (!is_predicate_reg(f, f->lanes.v[k].reg))
			return vf_fail(v, "has a mark that depends on what is no predicate register");
	}
	return true;
}

static bool check_mark_value(Verifier *v, const Ins *i, const Mark *x)
{
	const char *label = v->f->source.v[x->source];
	switch (x->kind == MARK_BEGINS ? OPD_NONE : (OpdKind)x->value.kind) {
	case OPD_NONE:
		return x->kind == MARK_BEGINS || ins_decides(i) ||
			vf_fail(v, "is no branch by which %.100s could decide: expected !decides %.100s by "
			"%%p, 0 or 1", label, label);
	case OPD_REG:
		return is_predicate_reg(v->f, x->value.id) || vf_fail(v,
			"has a mark that depends on what is no predicate register");
	default:
		return (x->value.kind == OPD_IMM && !x->value.neg && (x->value.imm & ~INT64_C(1)) == 0) ||
			vf_fail(v, "has a mark that decides by what is neither a predicate nor 0 or 1");
	}
}

static bool check_marks(Verifier *v, const Ins *i)
{
	const Function *f = v->f;
	for (int k = i->mark, n = 0; k; k = f->mark.v[k].next, n++) {
		if (k < 0 || k >= f->mark.n || n > f->mark.n)
			return vf_fail(v, "has a mark that there is not");
		const Mark *x = &f->mark.v[k];
		if (x->kind > MARK_DECIDES || x->source < 0 || x->source >= f->source.n)
			return vf_fail(v, "has a mark of a block that the source has not");
		if (!check_lanes(v, x->lanes) || !check_mark_value(v, i, x))
			return false;
	}
	return true;
}

/* Checks that only predicates that are read are negated. */
static bool check_negated(Verifier *v, const Ins *i)
{
	for (int k = 0; k < i->ndst + i->nsrc; k++) {
		const Opd *o = &i->opd[k];
		bool may = k >= i->ndst && o->kind == OPD_REG && o->id >= 0 && o->id < v->f->reg.n &&
			v->f->reg.v[o->id].type == T_PRED;
		if (o->neg > may)
			return vf_fail(v, "negates what is no predicate that it reads");
	}
	return true;
}

/* Is the instruction not inlined, or has its list two places or more, all known, and gives the list its own
   place? */
static bool stands_in_list(const Module *m, const Ins *i)
{
	for (int k = i->inlined; k; k = m->place.v[k].next)
		if (!m->place.v[k].line)
			return false;
	if (!i->inlined)
		return true;
	SourcePlace own = places_own(m, i->inlined);
	return m->place.v[i->inlined].next && own.file == i->file && own.line == i->line && own.col == i->col;
}

static void check_ins(Verifier *v, const Ins *i)
{
	v->i = i;
	if (i->op == OP_NONE || i->op >= OP_COUNT) {
		vf_fail(v, "an instruction without operation");
	} else if (op_info[i->op].flags & OPF_MACH) {
		vf_fail(v, "is machine code: modules cannot contain it");
	} else if (v->f->kind == FN_HOST ? !host_may(i) : op_info[i->op].flags & OPF_HOST) {
		vf_fail(v, v->f->kind == FN_HOST ? "cannot stand in a host function"
			: "belongs in host functions only");
	} else if (i->origin >= v->m->origin.n || i->file >= v->m->file.n) {
		vf_fail(v, "has an origin or a file that the module does not have");
	} else if (i->melded < 0 || (i->melded && i->melded >= v->m->place.n)) {
		vf_fail(v, "is melded with something at a place that the module does not have");
	} else if (i->inlined < 0 || (i->inlined && i->inlined >= v->m->place.n)) {
		vf_fail(v, "is inlined at a place that the module does not have");
	} else if (!stands_in_list(v->m, i)) {
		vf_fail(v, "does not stand where its list of inlined places says");
	} else if (i->guard_neg > (i->guard >= 0)) {
		vf_fail(v, "negates a guard that it has not, or by another number than 1");
	} else if (i->guard >= v->f->reg.n || (i->guard >= 0 && v->f->reg.v[i->guard].type != T_PRED)) {
		vf_fail(v, "is guarded by what is no predicate register");
	} else if (i->guard >= 0 && op_info[i->op].flags & OPF_TERM) {
		vf_fail(v, "ends the block and cannot be guarded");
	} else if (!check_marks(v, i)) {
		;
	} else if (vf_modifiers(v) && check_negated(v, i)) {
		vf_operands(v);
	}
	v->i = NULL;
}

/* Orders a function's blocks by address, so that it can be found out whether a pointer is one of them. */
static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)*(Block *const *)a, y = (uintptr_t)*(Block *const *)b;
	return (x > y) - (x < y);
}

static bool check_successors(Verifier *v, const Block *b, Block **sorted)
{
	const Ins *t = block_term(b);
	size_t n = (size_t)v->f->block.n;
	int want = t->op == OP_BRA ? (t->nsrc ? 2 : 1) : t->op == OP_BRX ? b->nsucc : 0;
	v->i = t;
	if (b->nsucc != want || (t->op == OP_BRX && want < 1))
		return vf_fail(v, "has %d targets; expected %d", b->nsucc, t->op == OP_BRX ? 1 : want);
	for (int k = 0; k < b->nsucc; k++)
		if (!b->succ[k] || !bsearch(&b->succ[k], sorted, n, sizeof *sorted, by_address))
			return vf_fail(v, "has a target %d that is no block of the function", k + 1);
	if (b->reconverge && t->op != OP_BRX && want < 2)
		return vf_fail(v, "has a reconvergence point, which belongs to a conditional or indexed "
			"branch");
	if (b->reconverge && !bsearch(&b->reconverge, sorted, n, sizeof *sorted, by_address))
		return vf_fail(v, "has a reconvergence point that is no block of the function");
	return true;
}

static void check_block(Verifier *v, const Block *b, Block **sorted)
{
	v->b = b;
	if (b->origin >= v->m->origin.n)
		vf_fail(v, "the block has an origin that the module does not have");
	if (!b->ins.n || block_term(b)->op >= OP_COUNT || !ins_ends(block_term(b))) {
		vf_fail(v, "the block does not end with a branch, ret, exit or trap");
		return;
	}
	for (int k = 0; k < b->ins.n && !enough(v); k++) {
		const Ins *i = &b->ins.v[k];
		if (k < b->ins.n - 1 && i->op < OP_COUNT && ins_ends(i)) {
			v->i = i;
			vf_fail(v, "stands inside the block, but only the last instruction may end it");
			v->i = NULL;
		}
		check_ins(v, i);
	}
	check_successors(v, b, sorted);
	v->i = NULL;
}

static void check_blocks(Verifier *v, const Function *f)
{
	StrMap labels = { 0 };
	Block **sorted = xcalloc((size_t)f->block.n, sizeof *sorted);
	memcpy(sorted, f->block.v, sizeof *sorted * (size_t)f->block.n);
	qsort(sorted, (size_t)f->block.n, sizeof *sorted, by_address);
	for (int k = 0; k < f->block.n && !enough(v); k++) {
		const Block *b = f->block.v[k];
		v->b = b;
		if (!b->label || !*b->label)
			vf_fail(v, "the block has no label");
		else if (strmap_get(&labels, b->label) >= 0)
			vf_fail(v, "the label stands twice");
		else
			strmap_put(&labels, b->label, k);
		check_block(v, b, sorted);
	}
	v->b = NULL;
	free(sorted);
	strmap_free(&labels);
}

static bool check_header(Verifier *v, const Function *f)
{
	v->f = f;
	return check_params(v, f) && check_registers(v, f) && check_ntid(v, f->maxntid) &&
		check_ntid(v, f->reqntid);
}

/* Checks all headers before any body, for calls look at the headers of other functions. */
static void check_headers(Verifier *v)
{
	for (int k = 0; k < v->m->func.n && !enough(v); k++) {
		if (v->m->func.v[k]->id != k)
			vf_fail(v, "function '%.100s' has a number that is not its place",
				v->m->func.v[k]->name);
		else
			check_header(v, v->m->func.v[k]);
		strmap_free(&v->local);
		v->f = NULL;
	}
}

static void check_function(Verifier *v, const Function *f, const SymbolOrder *order)
{
	check_header(v, f);
	for (int k = order->first[f->id + 1]; k < order->first[f->id + 2]; k++) {
		const Symbol *s = v->m->symbol.v[order->id[k]];
		if (strmap_get(&v->local, s->name) >= 0)
			symbol_fail(v, s, "has the name of another variable or parameter of its function");
		strmap_put(&v->local, s->name, 1);
	}
	if (f->declared_only && f->block.n)
		vf_fail(v, "is only declared, but has a body");
	else if (f->refused.what && (f->block.n || f->declared_only || f->kind == FN_HOST))
		vf_fail(v, "is refused, which belongs to a kernel or func in the place of its body");
	else if (!f->declared_only && !f->refused.what && !f->block.n)
		vf_fail(v, "has no body");
	else if (f->block.n)
		check_blocks(v, f);
	strmap_free(&v->local);
	v->f = NULL;
}

bool ir_verify_ins(const Module *m, const Function *f, const Ins *i, StrBuf *why)
{
	Verifier v = { .m = m, .f = f, .why = why };
	check_ins(&v, i);
	return v.errors == 0;
}

static void check_place_lists(Verifier *v)
{
	for (int k = 1; k < v->m->place.n; k++) {
		const SourcePlace *p = &v->m->place.v[k];
		if (p->file >= v->m->file.n || p->next < 0 || p->next >= k) {
			vf_fail(v, "a list of places has a file that the module does not have, or no end");
			return;
		}
	}
}

bool ir_verify(const Module *m, Diag *d)
{
	Verifier v = { .m = m, .d = d };
	check_symbols(&v);
	check_place_lists(&v);
	if (!v.errors)
		check_headers(&v);
	if (v.errors)
		return false;
	SymbolOrder order = symbol_order(m);
	for (int k = 0; k < m->func.n && !enough(&v); k++)
		check_function(&v, m->func.v[k], &order);
	symbol_order_free(&order);
	return v.errors == 0;
}
