/* The reference interpreter executes every thread alone, on the IR as it stands. Blocks run one after the
 * other (where all blocks meet: interp_gang.c), the threads of a block in turns. Where results depend on
 * which thread comes first (atomics, races, clocks, activemask), this order decides. */
#include "isa/interp.h"
#include "lib/interrupt.h"
#include "lib/strbuf.h"

/* ---- frames ---- */

bool interp_enter(Interp *in, Thread *t, const InterpCode *c)
{
	InterpFrame f = { c, 0, t->local_top, NULL, NULL };
	bool full = t->frame.n >= FRAME_LIMIT || t->local_top + c->local_bytes > LOCAL_LIMIT;
	if (full && !t->frame.n) {
		fault_text(in->fault, FAULT_LOCAL, "%s: needs %u bytes of local memory; there are %d",
			c->f->name, c->local_bytes, LOCAL_LIMIT);
		return false;
	}
	if (full) {
		interp_fault(in, t, FAULT_LOCAL, WORDS_CALLS, t->frame.n - 1,
			(unsigned long long)t->local_top, (unsigned long long)LOCAL_LIMIT);
		return false;
	}
	t->local_top += c->local_bytes;
	if (t->local_top > t->local_cap) {
		t->local_cap = t->local_top * 2 < LOCAL_LIMIT ? t->local_top * 2 : LOCAL_LIMIT;
		t->local = xrealloc(t->local, t->local_cap);
	}
	if (c->local_bytes)
		memset(t->local + f.local_base, 0, c->local_bytes);
	f.words = xcalloc(c->words + 2 * (c->npred + 1), sizeof *f.words);
	f.pred = (Mask *)(void *)(f.words + ((c->words + 1) & ~1u));
	vec_push(&t->frame, f);
	return true;
}

static void pop_frame(Thread *t)
{
	InterpFrame f = vec_pop(&t->frame);
	t->local_top = f.local_base;
	free(f.words);
}

/* ---- control ---- */

static bool step_call(Interp *in, Thread *t, const InterpStep *s)
{
	Fault why;
	const Function *f = call_target(in->launch->module, s->ins, interp_read(in, t, &s->src[0]), &why);
	if (!f) {
		interp_fault(in, t, why.kind, "%s", why.text);
		in->fault->loc = why.loc.file ? why.loc : in->fault->loc;
	}
	const InterpCode *c = f ? interp_code(in, f) : NULL;
	uint64_t small[16], *v = f && f->arg.n > 16 ? xmalloc(sizeof *v * (size_t)f->arg.n) : small;
	bool ok = c != NULL;
	for (int k = 0; ok && k < f->arg.n; k++)
		v[k] = interp_read(in, t, &s->src[1 + k]);
	ok = ok && interp_enter(in, t, c);
	for (int k = 0; ok && k < f->arg.n; k++)
		interp_write(t, &c->reg[f->arg.v[k]], (Type)f->reg.v[f->arg.v[k]].type, v[k]);
	if (v != small)
		free(v);
	return ok;
}

static void step_return(Interp *in, Thread *t)
{
	if (t->frame.n == 1) {
		interp_exit(in, t);
		return;
	}
	const InterpFrame *top = interp_top(t);
	const Function *f = top->code->f;
	const InterpFrame *caller = &t->frame.v[t->frame.n - 2];
	const InterpStep *s = &caller->code->step[caller->pc], *own = &top->code->step[top->pc];
	uint64_t small[16], *v = f->ret.n > 16 ? xmalloc(sizeof *v * (size_t)f->ret.n) : small;
	for (int k = 0; k < f->ret.n; k++)
		v[k] = interp_read(in, t, &own->src[k]);
	pop_frame(t);
	for (int k = 0; k < s->ins->ndst; k++)
		interp_write(t, &s->dst[k], (Type)f->reg.v[f->ret.v[k]].type, v[k]);
	interp_top(t)->pc++;
	if (v != small)
		free(v);
}

static bool step_branch(Interp *in, Thread *t, const InterpStep *s)
{
	uint32_t k = 0;
	if (s->ins->op == OP_BRX) {
		k = (uint32_t)interp_read(in, t, &s->src[0]);
		if (k >= (uint32_t)s->ntarget) {
			interp_fault(in, t, FAULT_BRANCH, WORDS_INDEX, k, s->ntarget);
			return false;
		}
	} else if (s->ins->nsrc && s->src[0].kind != PL_NONE) {
		k = !(interp_read(in, t, &s->src[0]) & 1);
	}
	interp_top(t)->pc = s->target[k];
	return true;
}

/* ---- one instruction ---- */

static void step_alu(Interp *in, Thread *t, const InterpStep *s)
{
	InterpFrame *f = interp_top(t);
	for (int k = 0; k < s->ndynamic; k++) {
		const Dynamic *d = &s->dynamic[k];
		uint64_t v = interp_read(in, t, &d->from);
		memcpy(f->words + d->row, &v, d->wide ? 8 : 4);
	}
	Lanes lanes = { { f->words, f->code->constants }, f->pred, t->cc, 1 };
	s->lane.fn(&s->lane, &lanes, 1);
	t->cc = lanes.cc;
	f->pc++;
}

/* Executes one instruction, which moves the thread on or leaves it waiting. false: a fault. */
static bool execute(Interp *in, Thread *t, const InterpStep *s)
{
	InterpFrame *f = interp_top(t);
	bool ok = true;
	switch (op_info[s->ins->op].kind) {
	case K_ALU: step_alu(in, t, s); return true;
	case K_LD: ok = interp_load(in, t, s); break;
	case K_ST: ok = interp_store(in, t, s); break;
	case K_ATOM: ok = interp_atomic(in, t, s); break;
	case K_FENCE: case K_NOP: case K_SLEEP: case K_RECONV: break;
	case K_ACTIVE: interp_write(t, &s->dst[0], T_B32, interp_special(in, t, SREG_LANEMASK_EQ)); break;
	case K_BAR: return interp_barrier(in, t, s);
	case K_WARPSYNC: case K_SHFL: case K_VOTE: case K_MATCH: case K_REDUX: case K_ELECT:
		return interp_warp(in, t, s);
	case K_BRA: case K_BRX: return step_branch(in, t, s);
	case K_CALL:
		if (!in->host_op)
			return step_call(in, t, s);
		ok = in->host_op(in, t, s);
		break;
	case K_RET: step_return(in, t); return true;
	case K_EXIT: interp_exit(in, t); return true;
	case K_PRINT: ok = interp_print(in, t, s); break;
	case K_ASSERT: interp_assertion(in, t, s); return false;
	case K_HOST: ok = in->host_op && in->host_op(in, t, s); break;
	default: interp_fault(in, t, FAULT_TRAP, WORDS_TRAP); return false;
	}
	if (ok)
		f->pc++;
	return ok;
}

static bool too_many_steps(Interp *in, const Thread *t)
{
	if (!in->options->max_steps || t->steps < in->options->max_steps)
		return false;
	interp_fault(in, t, FAULT_LIMIT, in->host_op ? "%llu steps: an instruction is one, and so are 64 "
		"bytes that are copied or filled" : "%llu instructions of one thread",
		(unsigned long long)in->options->max_steps);
	return true;
}

static bool interp_interrupted(const Interp *in) { return is_interrupted(in->options->interrupted); }

bool interp_charge(Interp *in, Thread *t, uint64_t steps)
{
	t->steps += steps;
	return !too_many_steps(in, t) && !interp_interrupted(in);
}

bool interp_run(Interp *in, Thread *t, uint64_t steps)
{
	for (; steps && t->state == RUNNABLE; steps--) {
		InterpFrame *f = interp_top(t);
		const InterpStep *s = &f->code->step[f->pc];
		if (too_many_steps(in, t) || (!(t->steps++ & 0xffff) && interp_interrupted(in)))
			return false;
		if (s->guard.kind == PL_PRED && !interp_read(in, t, &s->guard)) {
			f->pc++;
			continue;
		}
		if (in->options->watch)
			in->options->watch(in->options->self, in->first + t->linear, f->code->f, s->ins);
		/* The machine does not count unconditional jumps, which depend on how the code is laid out;
		   nor does this. */
		in->instructions += s->ins->op != OP_BRA || s->ins->nsrc;
		if (!execute(in, t, s))
			return false;
	}
	return true;
}

/* ---- blocks and launches ---- */

void interp_thread_free(Thread *t)
{
	while (t->frame.n)
		pop_frame(t);
	vec_free(&t->frame);
	vec_free(&t->watch.saved);
	free(t->local);
}

void interp_block_end(Interp *in)
{
	for (int k = 0; k < in->nthread; k++)
		interp_thread_free(&in->thread[k]);
	free(in->thread);
	in->thread = NULL;
}

static bool threads_new(Interp *in, const InterpCode *c)
{
	const uint32_t *n = in->launch->block;
	in->nthread = in->live = (int)(n[0] * n[1] * n[2]);
	in->thread = xcalloc((size_t)in->nthread, sizeof *in->thread);
	for (int k = 0; k < in->nthread; k++) {
		Thread *t = &in->thread[k];
		t->linear = (uint32_t)k;
		t->tid[0] = t->linear % n[0];
		t->tid[1] = t->linear / n[0] % n[1];
		t->tid[2] = t->linear / n[0] / n[1];
		if (!interp_enter(in, t, c))
			return false;
	}
	return true;
}

bool interp_block_begin(Interp *in, const InterpCode *c, uint64_t block)
{
	const uint32_t *n = in->launch->grid;
	in->ctaid[0] = (uint32_t)(block % n[0]);
	in->ctaid[1] = (uint32_t)(block / n[0] % n[1]);
	in->ctaid[2] = (uint32_t)(block / n[0] / n[1]);
	memset(in->barrier, 0, sizeof in->barrier);
	memset(in->shared, 0, in->shared_bytes);
	in->at_grid = 0;
	return threads_new(in, c);
}

bool interp_round(Interp *in)
{
	bool progress = false;
	for (int k = 0; k < in->nthread; k++)
		if (in->thread[k].state == RUNNABLE) {
			progress = true;
			if (!interp_run(in, &in->thread[k], SLICE))
				return false;
		}
	if (!progress && in->at_grid < in->live)
		interp_deadlock(in);
	return progress || in->at_grid == in->live;
}

/* Runs a block to its end, while no other block is kept. false: a fault. */
static bool run_block_alone(Interp *in)
{
	bool ok = true;
	while (ok && in->live) {
		Cycling c = { 0 };
		uint64_t before = in->changes;
		ok = interp_round(in);
		interp_look(in, before, &c);
		ok = ok && !interp_livelock(in, &c);
	}
	return ok;
}

bool interp_open(Interp *in)
{
	const Launch *l = in->launch;
	const Module *m = l->module;
	in->bank.width = 1;
	in->code = arena_array(&in->arena, InterpCode *, m->func.n + 1);
	in->shared_offset = arena_array(&in->arena, int64_t, m->symbol.n + 1);
	uint64_t bytes = layout_shared(m, l->kernel, in->shared_offset);
	for (int i = 0; i < m->symbol.n; i++)
		if (in->shared_offset[i] > (int64_t)bytes)
			bytes = (uint64_t)in->shared_offset[i];
	bytes += l->dynamic_shared;
	if (bytes > SHARED_LIMIT) {
		fault_text(in->fault, FAULT_UNSUPPORTED, "kernel %s: a block needs %llu bytes of shared "
			"memory; there are %d", l->kernel->name, (unsigned long long)bytes, SHARED_LIMIT);
		return false;
	}
	in->shared_bytes = (uint32_t)bytes;
	in->shared = xcalloc(bytes ? bytes : 1, 1);
	if (l->kernel->param_bytes) {
		in->params = memory_alloc(l->memory, l->kernel->param_bytes, "kernel parameters", true);
		if (!in->params) {
			fault_text(in->fault, FAULT_LIMIT, "%s: no memory is left for the kernel's "
				"parameters", l->kernel->name);
			return false;
		}
		memcpy(memory_find(l->memory, in->params, l->kernel->param_bytes, NULL)->data, l->params,
			l->kernel->param_bytes);
	}
	in->workspace = l->cooperative ? workspace_new(l) : 0;
	if (l->cooperative && !in->workspace) {
		fault_text(in->fault, FAULT_LIMIT, "%s: no memory is left for the grid's workspace",
			l->kernel->name);
		return false;
	}
	return true;
}

void interp_close(Interp *in)
{
	if (in->workspace)
		memory_release(in->launch->memory, in->workspace);
	if (in->params)
		memory_release(in->launch->memory, in->params);
	free(in->shared);
	bank_free(&in->bank);
	arena_free(&in->arena);
}

static bool sensible(const Launch *l, Fault *f)
{
	uint64_t threads = 1, blocks = 1;
	for (int k = 0; k < 3; k++) {
		threads *= l->block[k] <= 65536 ? l->block[k] : 65536;
		blocks *= l->grid[k] ? 1 : 0;
	}
	StrBuf why = { 0 };
	if (l->kernel->kind != FN_KERNEL)
		fault_text(f, FAULT_UNSUPPORTED, "%s is no kernel", l->kernel->name);
	else if (kernel_refused(l->module, l->kernel, &f->loc, &why))
		fault_text(f, FAULT_UNSUPPORTED, "kernel %s: %s", l->kernel->name, why.s);
	else if (!threads || threads > 4096 || !blocks)
		fault_text(f, FAULT_UNSUPPORTED, "%s: a grid of (%u,%u,%u) blocks of (%u,%u,%u) threads",
			l->kernel->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
			l->block[2]);
	sb_free(&why);
	return f->kind == FAULT_NONE;
}

bool interp_launch(const Launch *l, const InterpOptions *options, Fault *fault)
{
	InterpOptions o = options ? *options : (InterpOptions){ 0 };
	o.warp_size = o.warp_size > 0 ? ptx_warp(o.warp_size) : PTX_WARP;
	Interp in = { .launch = l, .options = &o, .fault = fault };
	if (!sensible(l, fault))
		return false;
	bool ok = interp_open(&in);
	const InterpCode *c = ok ? interp_code(&in, l->kernel) : NULL;
	ok = ok && c;
	uint64_t n = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	const Ins *meeting = kernel_grid_barrier(l->module, l->kernel);
	bool gang = meeting || l->cooperative;
	if (ok && gang)
		ok = interp_gang(&in, c, meeting, n);
	for (uint64_t b = 0; ok && !gang && b < n; b++) {
		ok = interp_block_begin(&in, c, b) && run_block_alone(&in);
		interp_block_end(&in);
	}
	if (o.thread_instructions)
		*o.thread_instructions = in.instructions;
	interp_close(&in);
	return ok;
}
