/* Host functions run as one thread of the reference interpreter, with operations that only they have. */
#include "isa/interp.h"

/* Costs of operations in steps, of which a program has so many (max_steps): a step for each STEP_BYTES bytes
   that an operation writes, and BUFFER_STEPS steps for the host's memory of a buffer. PIECE: most bytes that
   are charged for at once. FILL_BYTES: bytes of the pattern that `host_fill` writes. */
enum { STEP_BYTES = 64, BUFFER_STEPS = 50, PIECE = 1 << 20, FILL_BYTES = 4096 };

typedef struct HostRun {
	const HostHooks *hooks;
	const int *block;              /* by step: the number of the block that begins there; -1: none does */
} HostRun;

/* Where the host has the `size` bytes at an address of a buffer or variable, or NULL with the fault filled.
   The host may write constants. */
static uint8_t *host_range(Interp *in, Thread *t, uint64_t addr, uint64_t size)
{
	const Alloc *a = memory_find(in->launch->memory, addr, size, &in->hint);
	if (a)
		return a->data + (addr - a->addr);
	fault_memory(in->fault, in->launch, FAULT_BOUNDS, in->launch->kernel,
		interp_top(t)->code->step[interp_top(t)->pc].ins, in->ctaid, t->tid, SP_GLOBAL, addr,
		size > UINT32_MAX ? UINT32_MAX : (unsigned)size);
	return NULL;
}

static bool host_alloc(Interp *in, Thread *t, const InterpStep *s)
{
	const HostRun *h = in->host;
	uint64_t size = interp_read(in, t, &s->src[0]);
	const Opd *d = ins_dst(s->ins, 0);
	const char *name = d->kind == OPD_REG ? in->launch->kernel->reg.v[d->id].name : "buffer";
	if (!interp_charge(in, t, BUFFER_STEPS))
		return false;
	uint64_t addr = memory_alloc(in->launch->memory, size, name, false);
	if (!addr) {
		interp_fault(in, t, FAULT_LIMIT, "%llu bytes are more than simulated memory has left",
			(unsigned long long)size);
		return false;
	}
	if (h->hooks->allocated)
		h->hooks->allocated(h->hooks->self, addr, size);
	interp_write(t, &s->dst[0], T_U64, addr);
	return true;
}

/* Frees a buffer. The module's variables are no buffers: to free one is a fault. */
static bool host_free(Interp *in, Thread *t, const InterpStep *s)
{
	uint64_t addr = interp_read(in, t, &s->src[0]);
	bool variable = false;
	for (int k = 0; k < in->launch->module->symbol.n; k++)
		variable |= in->launch->symbol_address[k] == addr;
	if (!variable && memory_release(in->launch->memory, addr))
		return true;
	interp_fault(in, t, FAULT_BOUNDS, "free of 0x%llx; expected the begin of a buffer that has not been "
		"freed", (unsigned long long)addr);
	return false;
}

/* Charges for the next bytes of a copy or fill of n bytes before they are written: those behind the first
   `done`, at most PIECE. Returns how many they are. 0: all are done, or the program may not go on, and *ok
   becomes false. */
static uint64_t charge_piece(Interp *in, Thread *t, uint64_t done, uint64_t n, bool *ok)
{
	uint64_t piece = n - done < PIECE ? n - done : PIECE;
	*ok = interp_charge(in, t, piece / STEP_BYTES);
	return *ok ? piece : 0;
}

/* The bytes that are read and those that are written may overlap. */
static bool host_copy(Interp *in, Thread *t, const InterpStep *s)
{
	uint64_t n = interp_read(in, t, &s->src[2]), done = 0, piece;
	uint8_t *to = host_range(in, t, interp_read(in, t, &s->src[0]), n);
	uint8_t *from = to ? host_range(in, t, interp_read(in, t, &s->src[1]), n) : NULL;
	bool ok = from != NULL, up = to <= from;
	for (; ok && (piece = charge_piece(in, t, done, n, &ok)); done += piece)
		memmove(up ? to + done : to + n - done - piece, up ? from + done : from + n - done - piece,
			piece);
	return ok;
}

static bool host_fill(Interp *in, Thread *t, const InterpStep *s)
{
	uint64_t addr = interp_read(in, t, &s->src[0]), v = interp_read(in, t, &s->src[1]),
		n = interp_read(in, t, &s->src[2]);
	uint64_t size = (uint64_t)type_bytes(s->ins->type),
		bytes = n > UINT64_MAX / size ? UINT64_MAX : n * size, done = 0, piece;
	uint8_t *p = host_range(in, t, addr, bytes), pattern[FILL_BYTES];
	bool ok = p != NULL;
	for (uint64_t k = 0; k < FILL_BYTES; k += size)
		memcpy(pattern + k, &v, size);
	for (; ok && (piece = charge_piece(in, t, done, bytes, &ok)); done += piece)
		for (uint64_t k = 0; k < piece; k += FILL_BYTES)
			memcpy(p + done + k, pattern, piece - k < FILL_BYTES ? piece - k : FILL_BYTES);
	return ok;
}

static bool check(Interp *in, Thread *t, const InterpStep *s)
{
	const Module *m = in->launch->module;
	if (interp_read(in, t, &s->src[0]) & 1)
		return true;
	const char *text = s->ins->nsrc > 1 && ins_src(s->ins, 1)->kind == OPD_STR
		? m->string.v[ins_src(s->ins, 1)->id] : "false";
	Loc loc = ins_loc(m, s->ins);
	in->fault->loc = loc;
	fault_text(in->fault, FAULT_TRAP, "check failed: %s", text);
	return false;
}

/* Writes the arguments of a launch into `bytes`, where the kernel's parameters have their places. */
static void marshal(const Interp *in, const Thread *t, const InterpStep *s, const Function *k, uint8_t *bytes)
{
	for (int i = 0; i < k->param.n; i++) {
		const Param *p = &k->param.v[i];
		uint64_t v = interp_read(in, t, &s->src[LAUNCH_ARGS + i]);
		memcpy(bytes + p->offset, &v, (size_t)type_bytes(p->type));
	}
}

static bool launch_from_host(Interp *in, Thread *t, const InterpStep *s)
{
	const HostRun *h = in->host;
	const Module *m = in->launch->module;
	const Function *k = m->func.v[ins_src(s->ins, 0)->id];
	Launch l = { .module = m, .kernel = k, .memory = in->launch->memory,
		.symbol_address = in->launch->symbol_address };
	for (int i = 0; i < 3; i++) {
		l.grid[i] = (uint32_t)interp_read(in, t, &s->src[1 + i]);
		l.block[i] = (uint32_t)interp_read(in, t, &s->src[4 + i]);
		if (!l.grid[i] || !l.block[i]) {
			interp_fault(in, t, FAULT_UNSUPPORTED, "a grid or block has no extent in dimension "
				"%d", i);
			return false;
		}
	}
	l.dynamic_shared = (uint32_t)interp_read(in, t, &s->src[7]);
	l.cooperative = s->ins->flags & INSF_COOPERATIVE;
	uint32_t stream = (uint32_t)interp_read(in, t, &s->src[LAUNCH_STREAM]);
	if (stream > STREAM_LIMIT) {
		interp_fault(in, t, FAULT_UNSUPPORTED, "stream %u; expected 0, the default stream, to %d",
			stream, STREAM_LIMIT);
		return false;
	}
	uint8_t *bytes = xcalloc(k->param_bytes + 1, 1);
	l.params = bytes;
	marshal(in, t, s, k, bytes);
	bool ok = h->hooks->launch(h->hooks->self, &l, (int)stream, ins_loc(m, s->ins), in->fault);
	free(bytes);
	return ok;
}

/* ---- streams and events ---- */

/* Executes "record event, stream" or "wait stream, event". */
static bool order_streams(Interp *in, Thread *t, const InterpStep *s)
{
	const HostHooks *h = ((const HostRun *)in->host)->hooks;
	bool record = s->ins->op == OP_RECORD;
	uint32_t event = (uint32_t)interp_read(in, t, &s->src[!record]),
		stream = (uint32_t)interp_read(in, t, &s->src[record]);
	if (event >= EVENT_LIMIT || stream > STREAM_LIMIT) {
		interp_fault(in, t, FAULT_UNSUPPORTED, "event %u, stream %u; expected events 0 to %d, "
			"streams 0 to %d", event, stream, EVENT_LIMIT - 1, STREAM_LIMIT);
		return false;
	}
	if (record && h->record)
		h->record(h->self, (int)event, (int)stream);
	else if (!record && h->wait)
		h->wait(h->self, (int)stream, (int)event);
	return true;
}

static bool synchronise(Interp *in)
{
	const HostHooks *h = ((const HostRun *)in->host)->hooks;
	return !h->sync || h->sync(h->self, in->fault);
}

/* ---- functions of Lua ---- */

static bool host_call(Interp *in, Thread *t, const InterpStep *s)
{
	const HostRun *h = in->host;
	const Function *f = in->launch->module->func.v[ins_src(s->ins, 0)->id];
	if (!h->hooks->call) {
		interp_fault(in, t, FAULT_UNSUPPORTED, "there is no function of Lua %s", f->name);
		return false;
	}
	uint64_t *args = xcalloc((size_t)(f->arg.n + f->ret.n) + 1, sizeof *args), *results = args + f->arg.n;
	for (int k = 0; k < f->arg.n; k++)
		args[k] = interp_read(in, t, &s->src[1 + k]);
	bool ok = h->hooks->call(h->hooks->self, f, args, results, ins_loc(in->launch->module, s->ins),
		in->fault);
	for (int k = 0; ok && k < f->ret.n; k++)
		interp_write(t, &s->dst[k], (Type)f->reg.v[f->ret.v[k]].type, results[k]);
	free(args);
	return ok;
}

/* ---- running ---- */

static bool host_op(Interp *in, Thread *t, const InterpStep *s)
{
	switch (s->ins->op) {
	case OP_ALLOC: return host_alloc(in, t, s);
	case OP_COPY: return host_copy(in, t, s);
	case OP_FILL: return host_fill(in, t, s);
	case OP_FREE: return host_free(in, t, s);
	case OP_CHECK: return check(in, t, s);
	case OP_CALL: return host_call(in, t, s);
	case OP_RECORD: case OP_WAIT: return order_streams(in, t, s);
	case OP_SYNC: return true;     /* `run_host_thread` has waited for the launches before */
	default: return launch_from_host(in, t, s);
	}
}

/* Must all launches have ended before the instruction is executed? Yes where the host function accesses
   memory, frees a buffer, calls a function of Lua, waits or ends; launches and allocations need not wait. */
static bool waits_for_launches(const Ins *i)
{
	switch (i->op) {
	case OP_LD: case OP_ST: case OP_COPY: case OP_FILL: case OP_FREE: case OP_CALL: case OP_SYNC:
		return true;
	default: return ins_ends(i) && !i->nsrc && i->op != OP_BRA; /* the host function ends */
	}
}

/* Runs the host function, one instruction after the other. What it has launched ends before an instruction
   that accesses memory (waits_for_launches). false: a fault. */
static bool run_host_thread(Interp *in, Thread *t)
{
	const HostRun *h = in->host;
	while (in->live) {
		const InterpFrame *top = interp_top(t);
		const InterpStep *s = &top->code->step[top->pc];
		if (h->hooks->ran && h->block[top->pc] >= 0)
			h->hooks->ran[h->block[top->pc]]++;
		bool skipped = s->guard.kind == PL_PRED && !interp_read(in, t, &s->guard);
		if ((!skipped && waits_for_launches(s->ins) && !synchronise(in)) || !interp_run(in, t, 1))
			return false;
	}
	return true;
}

/* Makes an array by step: the number of the block that begins there, or -1. */
static const int *block_starts(Arena *a, const Function *f)
{
	int n = 0, *starts;
	for (int b = 0; b < f->block.n; b++)
		n += f->block.v[b]->ins.n;
	starts = arena_array(a, int, n + 1);
	for (int b = 0, at = 0; b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			starts[at++] = k ? -1 : b;
	return starts;
}

bool host_run(const Module *m, const Function *f, Memory *memory, const uint64_t *symbol_address,
	const HostHooks *hooks, Fault *fault)
{
	Launch l = { .module = m, .kernel = f, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .memory = memory,
		.symbol_address = symbol_address };
	InterpOptions o = { .warp_size = 32, .max_steps = hooks->max_steps ? hooks->max_steps : 100000000,
		.interrupted = hooks->interrupted };
	HostRun h = { .hooks = hooks };
	Thread t = { 0 };
	Interp in = { .launch = &l, .options = &o, .fault = fault, .thread = &t, .nthread = 1, .live = 1,
		.host_op = host_op,
		.host = &h };
	bool ok = interp_open(&in);
	const InterpCode *c = ok ? interp_code(&in, f) : NULL;
	h.block = block_starts(&in.arena, f);
	ok = ok && c && interp_enter(&in, &t, c) && run_host_thread(&in, &t);
	interp_thread_free(&t);
	interp_close(&in);
	return ok;
}
