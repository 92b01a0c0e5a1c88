/* Host functions: one thread of the reference interpreter, with operations of its own. */
#include "isa/interp.h"

typedef struct Host { const HostHooks *hooks; } Host;

/* Bytes of a buffer, or NULL with the fault filled. */
static uint8_t *range(Interp *in, Thread *t, uint64_t addr, uint64_t size, bool write)
{
	const Alloc *a = memory_find(in->launch->memory, addr, size, &in->hint);
	if (a && !(write && a->read_only))
		return a->data + (addr - a->addr);
	fault_memory(in->fault, in->launch, a ? FAULT_READ_ONLY : FAULT_BOUNDS, in->launch->kernel,
		interp_top(t)->code->step[interp_top(t)->pc].ins, in->ctaid, t->tid, SP_GLOBAL, addr,
		size > UINT32_MAX ? UINT32_MAX : (unsigned)size);
	return NULL;
}

static bool allocate(Interp *in, Thread *t, const Step *s)
{
	const Host *h = in->host;
	uint64_t size = interp_read(in, t, &s->src[0]);
	const Opd *d = ins_dst(s->ins, 0);
	const char *name = d->kind == OPD_REG ? in->launch->kernel->reg.v[d->id].name : "buffer";
	uint64_t addr = memory_alloc(in->launch->memory, size, name, false);
	if (!addr) {
		interp_fault(in, t, FAULT_LIMIT, "%llu bytes are more than simulated memory has left", (unsigned long long)size);
		return false;
	}
	if (h->hooks->allocated)
		h->hooks->allocated(h->hooks->self, addr, size);
	interp_write(t, &s->dst[0], T_U64, addr);
	return true;
}

static bool copy(Interp *in, Thread *t, const Step *s)
{
	uint64_t n = interp_read(in, t, &s->src[2]);
	uint8_t *to = range(in, t, interp_read(in, t, &s->src[0]), n, true);
	uint8_t *from = to ? range(in, t, interp_read(in, t, &s->src[1]), n, false) : NULL;
	if (from)
		memmove(to, from, n);
	return from != NULL;
}

static bool fill(Interp *in, Thread *t, const Step *s)
{
	uint64_t addr = interp_read(in, t, &s->src[0]), v = interp_read(in, t, &s->src[1]), n = interp_read(in, t, &s->src[2]);
	uint64_t bytes = (uint64_t)type_bytes(s->ins->type);
	uint8_t *p = range(in, t, addr, n > UINT64_MAX / bytes ? UINT64_MAX : n * bytes, true);
	for (uint64_t k = 0; p && k < n; k++)
		memcpy(p + k * bytes, &v, bytes);
	return p != NULL;
}

static bool check(Interp *in, Thread *t, const Step *s)
{
	const Module *m = in->launch->module;
	if (interp_read(in, t, &s->src[0]) & 1)
		return true;
	const char *text = s->ins->nsrc > 1 && ins_src(s->ins, 1)->kind == OPD_STR ? m->string.v[ins_src(s->ins, 1)->id] : "false";
	Loc loc = ins_loc(m, s->ins);
	in->fault->loc = loc;
	fault_text(in->fault, FAULT_TRAP, "check failed: %s", text);
	return false;
}

enum { FIRST_ARG = 8 };            /* after kernel, grid, block, shared bytes */

/* The arguments as the kernel's parameter bytes. */
static bool marshal(Interp *in, Thread *t, const Step *s, const Function *k, uint8_t *bytes)
{
	if (s->ins->nsrc - FIRST_ARG != k->param.n) {
		interp_fault(in, t, FAULT_UNSUPPORTED, "kernel %s takes %d arguments, %d are given", k->name, k->param.n,
			s->ins->nsrc - FIRST_ARG);
		return false;
	}
	for (int i = 0; i < k->param.n; i++) {
		const Param *p = &k->param.v[i];
		uint64_t v = interp_read(in, t, &s->src[FIRST_ARG + i]);
		if (p->count != 1) {
			interp_fault(in, t, FAULT_UNSUPPORTED, "parameter %s of kernel %s is a structure; host functions pass scalars",
				p->name, k->name);
			return false;
		}
		memcpy(bytes + p->offset, &v, (size_t)type_bytes(p->type));
	}
	return true;
}

static bool launch(Interp *in, Thread *t, const Step *s)
{
	const Host *h = in->host;
	const Module *m = in->launch->module;
	const Opd *f = ins_src(s->ins, 0);
	if (f->kind != OPD_FUNC || m->func.v[f->id]->kind != FN_KERNEL || s->ins->nsrc < FIRST_ARG) {
		interp_fault(in, t, FAULT_UNSUPPORTED, "launch needs a kernel, its grid, its block and shared bytes");
		return false;
	}
	const Function *k = m->func.v[f->id];
	Launch l = { .module = m, .kernel = k, .memory = in->launch->memory, .symbol_address = in->launch->symbol_address };
	for (int i = 0; i < 3; i++) {
		l.grid[i] = (uint32_t)interp_read(in, t, &s->src[1 + i]);
		l.block[i] = (uint32_t)interp_read(in, t, &s->src[4 + i]);
		if (!l.grid[i] || !l.block[i]) {
			interp_fault(in, t, FAULT_UNSUPPORTED, "a grid or block has no extent in dimension %d", i);
			return false;
		}
	}
	l.dynamic_shared = (uint32_t)interp_read(in, t, &s->src[7]);
	uint8_t *bytes = xcalloc(k->param_bytes + 1, 1);
	l.params = bytes;
	bool ok = marshal(in, t, s, k, bytes) && h->hooks->launch(h->hooks->self, &l, in->fault);
	free(bytes);
	return ok;
}

static bool host_op(Interp *in, Thread *t, const Step *s)
{
	switch (s->ins->op) {
	case OP_ALLOC: return allocate(in, t, s);
	case OP_COPY: return copy(in, t, s);
	case OP_FILL: return fill(in, t, s);
	case OP_CHECK: return check(in, t, s);
	default: return launch(in, t, s);
	}
}

bool host_run(const Module *m, const Function *f, Memory *memory, const uint64_t *symbol_address, const HostHooks *hooks,
	Fault *fault)
{
	Launch l = { .module = m, .kernel = f, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .memory = memory,
		.symbol_address = symbol_address };
	InterpOptions o = { .warp_size = 32, .max_steps = hooks->max_steps ? hooks->max_steps : 100000000 };
	Host h = { .hooks = hooks };
	Thread t = { 0 };
	Interp in = { .launch = &l, .options = &o, .fault = fault, .thread = &t, .nthread = 1, .live = 1, .host_op = host_op,
		.host = &h };
	bool ok = interp_open(&in);
	const Code *c = ok ? interp_code(&in, f) : NULL;
	ok = ok && c && interp_enter(&in, &t, c);
	while (ok && in.live) {
		ok = interp_run(&in, &t, UINT64_MAX);
		if (ok && in.live) {
			interp_deadlock(&in);
			ok = false;
		}
	}
	interp_thread_free(&t);
	interp_close(&in);
	return ok;
}
