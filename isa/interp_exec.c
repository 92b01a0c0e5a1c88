#include "isa/interp.h"
#include "isa/print.h"
#include "isa/races.h"
#include <stdio.h>

/* ---- operands ---- */

uint64_t interp_special(const Interp *in, const Thread *t, Sreg r)
{
	const Launch *l = in->launch;
	uint32_t warp = (uint32_t)in->options->warp_size, lane = t->linear % warp;
	switch (r) {
	case SREG_TID_X: case SREG_TID_Y: case SREG_TID_Z: return t->tid[r - SREG_TID_X];
	case SREG_NTID_X: case SREG_NTID_Y: case SREG_NTID_Z: return l->block[r - SREG_NTID_X];
	case SREG_CTAID_X: case SREG_CTAID_Y: case SREG_CTAID_Z: return in->ctaid[r - SREG_CTAID_X];
	case SREG_NCTAID_X: case SREG_NCTAID_Y: case SREG_NCTAID_Z: return l->grid[r - SREG_NCTAID_X];
	case SREG_LANEID: return lane;
	case SREG_WARPID: return t->linear / warp;
	case SREG_NWARPID: return ((uint32_t)in->nthread + warp - 1) / warp;
	case SREG_NSMID: return 1;
	case SREG_LANEMASK_EQ: return 1u << lane;
	case SREG_LANEMASK_LT: return (1u << lane) - 1;
	case SREG_LANEMASK_LE: return (2u << lane) - 1;
	case SREG_LANEMASK_GT: return ~((2u << lane) - 1);
	case SREG_LANEMASK_GE: return ~((1u << lane) - 1);
	case SREG_CLOCK: case SREG_CLOCK64: case SREG_GLOBALTIMER: case SREG_GLOBALTIMER_LO: return t->steps;
	case SREG_CLOCK_HI: case SREG_GLOBALTIMER_HI: return t->steps >> 32;
	case SREG_DYNAMIC_SMEM_SIZE: return l->dynamic_shared;
	case SREG_TOTAL_SMEM_SIZE: return in->shared_bytes;
	case SREG_RESERVED_BEGIN: case SREG_RESERVED_END: case SREG_RESERVED_0: case SREG_RESERVED_1:
		/* gsim reserves no shared memory: the reserved part is empty and lies at the end of the
		   block's */
		return in->shared_bytes;
	case SREG_WARP_SZ: return warp;
	case SREG_ENVREG1: return in->workspace >> 32;
	case SREG_ENVREG2: return (uint32_t)in->workspace;
	default: return 0; /* %smid, %gridid, %reserved_smem_offset_cap and the other %envreg are 0 */
	}
}

uint64_t interp_read(const Interp *in, const Thread *t, const OperandPlace *p)
{
	const InterpFrame *f = interp_top(t);
	uint64_t v;
	switch (p->kind) {
	case PL_CONST: return (uint64_t)p->value;
	case PL_32: return f->words[p->row];
	case PL_64: memcpy(&v, f->words + p->row, 8); return v;
	case PL_PRED: return (f->pred[p->row] & 1) ^ p->neg;
	case PL_SREG: return interp_special(in, t, (Sreg)p->row);
	case PL_LOCAL: return f->local_base + (uint64_t)p->value;
	default: return 0;
	}
}

void interp_write(Thread *t, const OperandPlace *p, Type type, uint64_t v)
{
	InterpFrame *f = interp_top(t);
	switch (p->kind) {
	case PL_PRED: f->pred[p->row] = v & 1; break;
	case PL_32: f->words[p->row] = (uint32_t)lane_extend(type, v); break;
	case PL_64:
		v = lane_extend(type, v);
		memcpy(f->words + p->row, &v, 8);
		break;
	default: break;
	}
}

/* The value of an address operand. With a base of 32 bits the sum is cut to 32 bits. */
static uint64_t access_address(const Interp *in, const Thread *t, const OperandPlace *p)
{
	uint64_t base = interp_read(in, t, p);
	if (p->kind == PL_32)
		return (uint32_t)(base + (uint64_t)p->value);
	return p->kind == PL_64 ? base + (uint64_t)p->value : base;
}

void interp_fault(Interp *in, const Thread *t, FaultKind kind, const char *fmt, ...)
{
	const InterpFrame *f = interp_top(t);
	char more[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(more, sizeof more, fmt, ap);
	va_end(ap);
	fault_at(in->fault, in->launch, kind, f->code->f, f->code->step[f->pc].ins, in->ctaid, t->tid, "%s",
		more);
}

/* ---- memory ---- */

enum { MOST_BYTES = 16 }; /* most bytes of one access */

/* The space that an access is in; a generic address lies in the one it points to. */
static Space accessed(const Ins *i, uint64_t addr)
{
	return i->space == SP_GENERIC ? address_space(addr) : (Space)i->space;
}

/* Where the host has the bytes [addr, addr+size), or NULL; *why then says what is wrong with the access. */
static uint8_t *find_bytes(Interp *in, const Thread *t, const Ins *i, uint64_t addr, unsigned size,
	bool write, FaultKind *why)
{
	Space space = accessed(i, addr);
	uint64_t at = addr;
	*why = FAULT_BOUNDS;
	if (i->space == SP_GENERIC)
		at -= space == SP_SHARED ? SHARED_WINDOW : space == SP_LOCAL ? LOCAL_WINDOW : 0;
	if (at & (size - 1)) {
		*why = FAULT_MISALIGNED;
	} else if (space == SP_SHARED) {
		if (at <= in->shared_bytes && size <= in->shared_bytes - at)
			return in->shared + at;
	} else if (space == SP_LOCAL) {
		if (at <= t->local_top && size <= t->local_top - at)
			return t->local + at;
	} else {
		const Alloc *a = memory_find(in->launch->memory, at, size, &in->hint);
		if (a && !(write && a->read_only))
			return a->data + (at - a->addr);
		if (a)
			*why = FAULT_READ_ONLY;
	}
	return NULL;
}

/* Does the same as `find_bytes`, and fills the fault where it returns NULL. */
static uint8_t *locate_bytes(Interp *in, Thread *t, const Ins *i, uint64_t addr, unsigned size, bool write)
{
	FaultKind why;
	uint8_t *p = find_bytes(in, t, i, addr, size, write, &why);
	if (!p)
		fault_memory(in->fault, in->launch, why, interp_top(t)->code->f, i, in->ctaid, t->tid,
			(Space)i->space, addr, size);
	return p;
}

static const uint8_t zeros[MOST_BYTES];

/* What a load marked nonfaulting reads: zeros where the address is misaligned or not mapped. On the machine
   parameters lie in a window of their own, which only loads of the param space and generic loads reach; so
   other loads read zeros there. */
static const uint8_t *find_or_zero(Interp *in, const Thread *t, const Ins *i, uint64_t addr, unsigned size)
{
	bool param = addr - in->params < in->launch->kernel->param_bytes;
	FaultKind why;
	const uint8_t *p = i->space == SP_GENERIC || param == (i->space == SP_PARAM)
		? find_bytes(in, t, i, addr, size, false, &why) : NULL;
	return p ? p : zeros;
}

/* Notes an access to global memory if the launch has a race log. now: as for race_note; before NULL: the
   access is a load. */
static void note_race_access(const Interp *in, const Ins *i, uint64_t addr, unsigned size,
	const uint8_t *before, const uint8_t *now)
{
	RaceLog *l = in->launch->races;
	const uint32_t *n = in->launch->grid, *at = in->ctaid;
	if (!l || accessed(i, addr) != SP_GLOBAL)
		return;
	int site = race_site(l, i);
	race_note(l, site < 0 ? race_site_add(l, i, i) : site,
		at[0] + (uint64_t)n[0] * (at[1] + (uint64_t)n[1] * at[2]), addr, size, before, now);
}

bool interp_load(Interp *in, Thread *t, const InterpStep *s)
{
	const Ins *i = s->ins;
	unsigned n = i->vec ? i->vec : 1, bytes = (unsigned)type_bytes(i->type);
	uint64_t addr = access_address(in, t, &s->src[0]);
	const uint8_t *p = i->flags & INSF_NONFAULTING ? find_or_zero(in, t, i, addr, n * bytes)
		: locate_bytes(in, t, i, addr, n * bytes, false);
	uint64_t v[4] = { 0 };
	if (!p)
		return false;
	if (p != zeros)
		note_race_access(in, i, addr, n * bytes, NULL, NULL);
	for (unsigned k = 0; k < n; k++)
		memcpy(&v[k], p + k * bytes, bytes);
	for (unsigned k = 0; k < n; k++)
		interp_write(t, &s->dst[k], (Type)i->type, v[k]);
	return true;
}

bool interp_store(Interp *in, Thread *t, const InterpStep *s)
{
	const Ins *i = s->ins;
	unsigned n = i->vec ? i->vec : 1, bytes = (unsigned)type_bytes(i->type);
	uint64_t addr = access_address(in, t, &s->src[0]);
	uint8_t *p = locate_bytes(in, t, i, addr, n * bytes, true), now[MOST_BYTES];
	if (!p)
		return false;
	for (unsigned k = 0; k < n; k++) {
		uint64_t v = interp_read(in, t, &s->src[1 + k]);
		memcpy(now + k * bytes, &v, bytes);
	}
	note_race_access(in, i, addr, n * bytes, p, now);
	in->changes += memcmp(p, now, n * bytes) != 0;
	memcpy(p, now, n * bytes);
	return true;
}

bool interp_atomic(Interp *in, Thread *t, const InterpStep *s)
{
	const Ins *i = s->ins;
	unsigned bytes = (unsigned)type_bytes(i->type);
	uint64_t addr = access_address(in, t, &s->src[0]), old = 0;
	uint8_t *p = locate_bytes(in, t, i, addr, bytes, true);
	if (!p)
		return false;
	note_race_access(in, i, addr, bytes, p, NULL);
	memcpy(&old, p, bytes);
	uint64_t b = interp_read(in, t, &s->src[1]), c = i->nsrc > 2 ? interp_read(in, t, &s->src[2]) : 0;
	uint64_t v = lane_atomic((AtomOp)i->aop, (Type)i->type, accessed(i, addr), old, b, c);
	in->changes += memcmp(p, &v, bytes) != 0;
	memcpy(p, &v, bytes);
	if (i->ndst)
		interp_write(t, &s->dst[0], (Type)i->type, old);
	return true;
}

/* ---- printing ---- */

typedef struct PrintReading { Interp *in; Thread *t; const Ins *i; } PrintReading;

static bool read_print_byte(void *self, uint64_t addr, uint8_t *v)
{
	const PrintReading *r = self;
	const uint8_t *p = locate_bytes(r->in, r->t, r->i, addr, 1, false);
	if (p)
		*v = *p;
	return p != NULL;
}

bool interp_print(Interp *in, Thread *t, const InterpStep *s)
{
	PrintReading r = { in, t, s->ins };
	int32_t n;
	if (!print_format(in->launch->print, &(PrintReader){ &r, read_print_byte },
		interp_read(in, t, &s->src[0]), interp_read(in, t, &s->src[1]), &n))
		return false;
	interp_write(t, &s->dst[0], T_B32, (uint32_t)n);
	return true;
}

void interp_assertion(Interp *in, Thread *t, const InterpStep *s)
{
	Assertion a = { interp_read(in, t, &s->src[0]), interp_read(in, t, &s->src[1]),
		interp_read(in, t, &s->src[3]),
		(uint32_t)interp_read(in, t, &s->src[2]) };
	PrintReading r = { in, t, s->ins };
	StrBuf text = { 0 };
	if (print_assertion(&a, &(PrintReader){ &r, read_print_byte }, in->ctaid, t->tid, &text))
		interp_fault(in, t, FAULT_ASSERT, "%s", text.s);
	sb_free(&text);
}
