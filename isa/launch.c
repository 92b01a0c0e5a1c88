#include "isa/launch.h"
#include "isa/mnemonic.h"
#include "isa/races.h"
#include "lib/bitset.h"
#include "lib/strbuf.h"
#include <stdarg.h>

void fault_text(Fault *f, FaultKind kind, const char *fmt, ...)
{
	if (f->kind != FAULT_NONE)
		return;
	f->kind = kind;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof f->text, fmt, ap);
	va_end(ap);
}

/* The block in which the instruction stands, or NULL. The instruction may be a copy: it is found by its
   operands, which copies share. */
static const Block *block_of_ins(const Function *f, const Ins *ins)
{
	for (int b = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++) {
			const Ins *i = &f->block.v[b]->ins.v[k];
			if (i == ins || (i->opd == ins->opd && i->op == ins->op))
				return f->block.v[b];
		}
	return NULL;
}

static void put_fault_place(StrBuf *s, const Launch *l, const Function *f, const Ins *ins,
	const uint32_t ctaid[3], const uint32_t tid[3])
{
	const Module *m = l->module;
	const Block *b = block_of_ins(f, ins);
	Loc loc = ins_loc(m, ins);
	size_t start;
	if (b)
		sb_printf(s, ", block %s", b->label);
	sb_puts(s, ", instruction `");
	start = s->n;
	ir_print_ins(m, f, b, ins, s);
	char *mark = strstr(s->s + start, " !loc");
	if (mark) { /* the place in the source follows in words */
		*mark = 0;
		s->n = (size_t)(mark - s->s);
	}
	sb_putc(s, '`');
	if (ins->origin)
		sb_printf(s, ", which %s has inserted,", m->origin.v[ins->origin]);
	if (loc.line)
		sb_printf(s, " at %s:%d", loc.file ? loc.file : "?", loc.line);
	ins_print_inlined(m, ins, s);
	if (l->kernel->kind != FN_HOST)
		sb_printf(s, ", thread block (%u,%u,%u), thread (%u,%u,%u)", ctaid[0], ctaid[1], ctaid[2],
			tid[0], tid[1], tid[2]);
}

static const char *what(FaultKind k)
{
	switch (k) {
	case FAULT_BOUNDS: return "access outside every allocation";
	case FAULT_MISALIGNED: return "misaligned access";
	case FAULT_READ_ONLY: return "write to read-only memory";
	case FAULT_LOCAL: return "local memory exhausted";
	case FAULT_BRANCH: return "jump to nowhere";
	case FAULT_BARRIER: return "barrier that cannot complete";
	case FAULT_OPERAND: return "operand that cannot be taken";
	case FAULT_UNDEFINED: return "not defined by PTX";
	case FAULT_LIVELOCK: return "no progress";
	case FAULT_TRAP: return "trap";
	case FAULT_ASSERT: return "assertion failed";
	case FAULT_UNSUPPORTED: case FAULT_REFUSED: return "not supported";
	case FAULT_LIMIT: return "limit reached";
	default: return "fault";
	}
}

void fault_at(Fault *fault, const Launch *l, FaultKind kind, const Function *f, const Ins *ins,
	const uint32_t ctaid[3], const uint32_t tid[3], const char *fmt, ...)
{
	StrBuf s = { 0 };
	va_list ap;
	if (fault->kind != FAULT_NONE)
		return;
	fault->loc = ins_loc(l->module, ins);
	sb_printf(&s, "%s: %s", l->kernel->name, what(kind));
	if (f != l->kernel)
		sb_printf(&s, ", in function %s", f->name);
	put_fault_place(&s, l, f, ins, ctaid, tid);
	char more[1024];
	va_start(ap, fmt);
	vsnprintf(more, sizeof more, fmt, ap);
	va_end(ap);
	if (*more)
		sb_printf(&s, ": %s", more);
	fault_text(fault, kind, "%s", s.s);
	sb_free(&s);
}

/* ---- what is refused ---- */

/* PTX ISA, bar and barrier: a block has sixteen barriers, and a thread count is a multiple of the warp
   size. */
const char *barrier_refuses(uint32_t number, uint32_t *count, uint32_t threads, int warp, char text[REFUSAL])
{
	uint32_t size = (uint32_t)warp, most = (threads + size - 1) / size * size;
	if (number >= BARRIERS)
		snprintf(text, REFUSAL, "barrier %u; there are %d, from 0 to %d", number, BARRIERS,
			BARRIERS - 1);
	else if (count && *count > most)
		snprintf(text, REFUSAL, "barrier %u is to count %u threads, the block has %u", number, *count,
			threads);
	else if (count && (!*count || *count % size))
		snprintf(text, REFUSAL, "barrier %u is to count %u threads; a count is a multiple of the "
			"warp size, which is %d", number, *count, warp);
	else
		text = NULL;
	if (!text && count && *count > threads)
		*count = threads;
	return text;
}

const char *mask_refuses(uint32_t mask, int lane, char text[REFUSAL])
{
	if (mask >> lane & 1)
		return NULL;
	snprintf(text, REFUSAL, "lane %d is not in the mask 0x%x that it gives", lane, mask);
	return text;
}

/* Prints an operation, such as "vote.sync.any.pred in line 12". */
static void put_operation(StrBuf *s, const Ins *i)
{
	mnemonic_print(i, s);
	if (i->line)
		sb_printf(s, " in line %d", i->line);
}

void words_crossed(uint32_t mask, int lane, const Ins *its, uint32_t its_mask, char text[REFUSAL])
{
	StrBuf s = { 0 };
	sb_printf(&s, "the thread and lane %d wait for each other, the thread with mask 0x%x, the lane at ",
		lane, mask);
	put_operation(&s, its);
	sb_printf(&s, " with mask 0x%x: threads meet only where the qualifiers are the same, and the mask",
		its_mask);
	snprintf(text, REFUSAL, "%s", s.s);
	sb_free(&s);
}

void words_aligned(const Ins *theirs, char text[REFUSAL])
{
	StrBuf s = { 0 };
	sb_puts(&s, "other threads of the warp wait at ");
	put_operation(&s, theirs);
	sb_puts(&s, ": all threads of a warp have to execute the same barrier instruction where it is "
		".aligned, as bar.sync of PTX is (barrier.sync is not)");
	snprintf(text, REFUSAL, "%s", s.s);
	sb_free(&s);
}

static void no_body(const Function *f, Fault *why)
{
	StrBuf text = { 0 };
	Loc where;
	function_refused(f, &where, &text);
	fault_text(why, FAULT_REFUSED, "%s", text.s);
	why->loc = where;
	sb_free(&text);
}

const Function *call_target(const Module *m, const Ins *call, uint64_t address, Fault *why)
{
	uint64_t id = (address - FUNCTION_ADDRESS(0)) / 16;
	const Function *f = address >= FUNCTION_ADDRESS(0) && id < (uint64_t)m->func.n &&
		address == FUNCTION_ADDRESS(id) ? m->func.v[id] : NULL;
	bool device = f && f->kind == FN_DEVICE;
	if (device && f->block.n && f->arg.n == call->nsrc - 1 && f->ret.n == call->ndst)
		return f;
	*why = (Fault){ 0 };
	if (!device)
		fault_text(why, FAULT_BRANCH, "0x%llx is no device function", (unsigned long long)address);
	else if (!f->block.n)
		no_body(f, why);
	else
		fault_text(why, FAULT_BRANCH, "function %s takes %d arguments and gives %d results", f->name,
			f->arg.n, f->ret.n);
	return NULL;
}

/* ---- memory ---- */

static void put_nearest(char *out, size_t n, const Launch *l, uint64_t addr)
{
	const Alloc *a = memory_nearest(l->memory, addr);
	*out = 0;
	if (!a)
		snprintf(out, n, "; nothing is allocated");
	else if (addr < a->addr)
		snprintf(out, n, ", %llu bytes before '%s' (%llu bytes at 0x%llx)",
			(unsigned long long)(a->addr - addr), a->name, (unsigned long long)a->size,
			(unsigned long long)a->addr);
	else if (addr - a->addr >= a->size)
		snprintf(out, n, ", %llu bytes past the end of '%s' (%llu bytes at 0x%llx)",
			(unsigned long long)(addr - a->addr - a->size), a->name, (unsigned long long)a->size,
			(unsigned long long)a->addr);
	else
		snprintf(out, n, ", at offset %llu of '%s' (%llu bytes at 0x%llx)",
			(unsigned long long)(addr - a->addr), a->name, (unsigned long long)a->size,
			(unsigned long long)a->addr);
}

void fault_memory(Fault *fault, const Launch *l, FaultKind kind, const Function *f, const Ins *ins,
	const uint32_t ctaid[3], const uint32_t tid[3], Space space, uint64_t addr, unsigned size)
{
	char near[384] = "";
	if (space == SP_GENERIC)
		space = address_space(addr);
	if (space != SP_SHARED && space != SP_LOCAL)
		put_nearest(near, sizeof near, l, addr);
	fault_at(fault, l, kind, f, ins, ctaid, tid, "%u byte%s at %s address 0x%llx%s", size,
		size == 1 ? "" : "s", space_name[space], (unsigned long long)addr, near);
}

/* ---- what cannot run ---- */

static void put_body(const Function *f, StrBuf *why)
{
	if (f->refused.what)
		sb_puts(why, f->refused.what);
	else
		sb_puts(why, "it has no body in this module");
}

void function_refused(const Function *f, Loc *where, StrBuf *why)
{
	*where = f->refused.what ? f->refused.loc : f->loc;
	sb_printf(why, "function %s: ", f->name);
	put_body(f, why);
}

typedef struct KernelReach {
	const Module *m;
	const Function *kernel;
	BitSet seen;
	Vec(const Function *) list;
} KernelReach;

static void put_reached(const KernelReach *r, const Function *f, StrBuf *why)
{
	if (f != r->kernel)
		sb_printf(why, "its calls lead to function %s: ", f->name);
}

static void add_reached(KernelReach *r, int id)
{
	if (bs_has(r->seen, id))
		return;
	bs_add(r->seen, id);
	vec_push(&r->list, r->m->func.v[id]);
}

/* Adds the function that the instruction calls to the list. true: the instruction uses a variable that is
   refused; *where and why are filled. */
static bool reach_from_ins(KernelReach *r, const Function *f, const Ins *i, Loc *where, StrBuf *why)
{
	for (int k = 0; k < i->ndst + i->nsrc; k++) {
		const Opd *o = &i->opd[k];
		const Symbol *s = o->kind == OPD_SYM ? r->m->symbol.v[o->id] : NULL;
		if (i->op == OP_CALL && k == i->ndst && o->kind == OPD_FUNC)
			add_reached(r, o->id);
		if (!s || !s->refused)
			continue;
		*where = s->loc;
		put_reached(r, f, why);
		sb_printf(why, "variable %s: %s", s->name, s->refused);
		return true;
	}
	return false;
}

bool kernel_refused(const Module *m, const Function *kernel, Loc *where, StrBuf *why)
{
	Arena tmp = { 0 };
	KernelReach r = { .m = m, .kernel = kernel, .seen = bs_new(&tmp, m->func.n) };
	bool refused = false;
	vec_push(&r.list, kernel);
	for (int n = 0; n < r.list.n && !refused; n++) {
		const Function *f = r.list.v[n];
		if (!f->block.n) {
			*where = f->refused.what ? f->refused.loc : f->loc;
			put_reached(&r, f, why);
			put_body(f, why);
			refused = true;
		}
		for (int b = 0; b < f->block.n && !refused; b++)
			for (int k = 0; k < f->block.v[b]->ins.n && !refused; k++)
				refused = reach_from_ins(&r, f, &f->block.v[b]->ins.v[k], where, why);
	}
	vec_free(&r.list);
	arena_free(&tmp);
	return refused;
}

uint64_t workspace_new(const Launch *l)
{
	const Alloc *hint = NULL;
	uint64_t addr = memory_alloc(l->memory, WORKSPACE_BYTES, "the grid's workspace", false);
	if (addr && l->races)
		race_workspace(l->races, addr, memory_find(l->memory, addr, WORKSPACE_BYTES, &hint)->data);
	return addr;
}

/* A call through a register may come to any device function. */
static void add_callees(KernelReach *r, const Ins *call)
{
	if (ins_src(call, 0)->kind == OPD_FUNC)
		add_reached(r, ins_src(call, 0)->id);
	else
		for (int k = 0; k < r->m->func.n; k++)
			if (r->m->func.v[k]->kind == FN_DEVICE)
				add_reached(r, k);
}

const Ins *kernel_grid_barrier(const Module *m, const Function *kernel)
{
	Arena tmp = { 0 };
	KernelReach r = { .m = m, .kernel = kernel, .seen = bs_new(&tmp, m->func.n) };
	const Ins *found = NULL;
	vec_push(&r.list, kernel);
	for (int n = 0; n < r.list.n && !found; n++)
		for (int b = 0; b < r.list.v[n]->block.n && !found; b++) {
			const Block *block = r.list.v[n]->block.v[b];
			for (int k = 0; k < block->ins.n && !found; k++) {
				const Ins *i = &block->ins.v[k];
				found = i->op == OP_BARGRID ? i : NULL;
				if (i->op == OP_CALL)
					add_callees(&r, i);
			}
		}
	vec_free(&r.list);
	arena_free(&tmp);
	return found;
}
