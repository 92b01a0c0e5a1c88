/* Trace events and faults, with the place where they happen. */
#include "sim/machine/machine.h"

void sm_trace(Sm *sm, const Warp *w, const Split *s, TraceKind kind, Mask m, uint64_t a, uint64_t b)
{
	TraceEvent e = { .cycle = sm->now - w->share->grid->begin, .mask = m, .a = a, .b = b,
		.sm = (uint16_t)sm->id, .kind = (uint8_t)kind,
		.warp = (uint16_t)w->slot, .split = s ? (uint16_t)(s - w->split) : 0,
		.depth = (uint16_t)w->stack_depth };
	tracer_event(w->share, w, &e);
}

void sm_trace_block(Sm *sm, const Cta *cta, TraceKind kind, uint64_t b)
{
	TraceEvent e = { .cycle = sm->now - cta->share->grid->begin, .a = cta->number, .b = b,
		.sm = (uint16_t)sm->id, .kind = (uint8_t)kind };
	tracer_event(cta->share, NULL, &e);
}

/* The launch, instruction and function that a message names: those of the module itself, or of its lowered
   copy where lowering added the instruction. An instruction that lowering put at a function's begin is named
   by the call that led there. */
typedef struct FaultPlace { Launch launch; const Function *f; const Ins *ins; uint32_t tid[3]; } FaultPlace;

static FaultPlace fault_place(Sm *sm, const Warp *w, const MIns *i, int lane)
{
	const Code *c = code_of(w);
	FaultPlace p = { *launch_of(w), i->function, i->src,
		{ thread_id(w, 0, lane), thread_id(w, 1, lane), thread_id(w, 2, lane) } };
	sm->fault_cycle = sm->now;
	sm->fault_grid = w->share->grid;
	for (uint32_t d = w->depth[lane]; !p.ins && d-- > 0;) {
		const MIns *call = &c->ins[w->ret[(size_t)(d * 2) * (size_t)w->lanes.width + (size_t)lane] -
			1];
		p.f = call->function;
		p.ins = call->src;
	}
	must(p.ins);
	for (int k = 0; k < c->nsource; k++)
		if (c->source[k].opd == p.ins->opd && c->source[k].ins->op == p.ins->op) {
			p.f = c->module->of->func.v[p.f->id];
			p.ins = c->source[k].ins;
			return p;
		}
	p.launch.module = c->module;
	p.launch.kernel = c->kernel;
	return p;
}

void sm_fault_memory(Sm *sm, Warp *w, const MIns *i, FaultKind kind, int lane, Space space, uint64_t addr,
	unsigned size)
{
	if (sm->fault.kind)
		return;
	FaultPlace p = fault_place(sm, w, i, lane);
	fault_memory(&sm->fault, &p.launch, kind, p.f, p.ins, w->cta->id, p.tid, space, addr, size);
}

void sm_fault(Sm *sm, Warp *w, const MIns *i, FaultKind kind, int lane, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	if (sm->fault.kind)
		return;
	FaultPlace p = fault_place(sm, w, i, lane);
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	fault_at(&sm->fault, &p.launch, kind, p.f, p.ins, w->cta->id, p.tid, "%s", text);
}
