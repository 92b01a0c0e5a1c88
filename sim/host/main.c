/* Runs the module's host function main as the host side: carries out its launches, and its calls of functions
   of Lua. */
#include "sim/host/workload.h"
#include "lib/interrupt.h"
#include "sim/host/value.h"

/* What the functions get that host_run calls while main runs. host NULL: main calls no functions of Lua. */
typedef struct Main { Run *run; WorkloadHost *host; } Main;

/* Makes host_run stop after an error that has been reported already. run_main drops the fault that host_run
   returns then. */
static bool reported(Fault *fault)
{
	fault->kind = FAULT_TRAP;
	return false;
}

static bool main_sync(void *self, Fault *fault)
{
	const Main *m = self;
	return run_sync(m->run) || reported(fault);
}

static bool main_launch(void *self, const Launch *l, int stream, Loc where, Fault *fault)
{
	Run *run = ((const Main *)self)->run;
	if (run_interrupted(run) || (run->pending.n == MOST_PENDING && !run_sync(run)) ||
		!run_queue(run, l, stream, where))
		return reported(fault);
	return stream || run_sync(run) || reported(fault);
}

static void main_record(void *self, int event, int stream)
{
	const Main *m = self;
	if (m->run->gpu)
		gpu_record(m->run->gpu, event, stream);
}

static void main_wait(void *self, int stream, int event)
{
	const Main *m = self;
	if (m->run->gpu)
		gpu_wait(m->run->gpu, stream, event);
}

static void main_allocated(void *self, uint64_t addr, uint64_t size)
{
	run_add_buffer(((const Main *)self)->run, addr, T_U8, size, NULL);
}

/* ---- functions of Lua ---- */

static const LuaTouch *touch_of(const Function *f, int arg)
{
	for (int k = 0; k < f->touch.n; k++)
		if (f->touch.v[k].arg == arg)
			return &f->touch.v[k];
	return NULL;
}

/* The index of the run's buffer that has the address, or -1. */
static int buffer_with(const Run *run, uint64_t addr)
{
	for (int k = run->buffer.n - 1; k >= 0; k--) {
		const RunBuffer *b = &run->buffer.v[k];
		if (addr - b->addr < b->n * (uint64_t)type_bytes(b->type))
			return k;
	}
	return -1;
}

/* Pushes a view of the buffer that has the address, from there on, and grants function f the accesses that
   its declaration names to the whole buffer. Returns NULL, or why there is no such view. */
static const char *push_buffer(WorkloadHost *h, const Function *f, const LuaTouch *t, uint64_t addr,
	Granted *granted)
{
	int k = buffer_with(h->run, addr);
	const RunBuffer *b = k < 0 || !run_data(h->run, &h->run->buffer.v[k]) ? NULL : &h->run->buffer.v[k];
	uint64_t size = (uint64_t)type_bytes(t->type), offset = b ? addr - b->addr : 0;
	const char *name = f->reg.v[f->arg.v[t->arg]].name;
	if (!b)
		return arena_printf(&h->run->arena, "%s is 0x%llx; expected an address in a buffer", name,
			(unsigned long long)addr);
	if (addr % size)
		return arena_printf(&h->run->arena, "%s is 0x%llx; expected a multiple of %d, for elements "
			"of %s", name, (unsigned long long)addr, (int)size, type_name[t->type]);
	host_push_buffer(h->box.L, (HostBuffer){ k, (Type)t->type, offset,
		(b->n * (uint64_t)type_bytes(b->type) - offset) / size });
	*granted = (Granted){ k, t->reads, t->writes };
	return NULL;
}

static void push_number(lua_State *L, Type t, uint64_t bits)
{
	uint8_t data[8];
	value_store(t, data, 0, bits);
	if (t == T_PRED)
		lua_pushboolean(L, bits & 1);
	else if (type_kind[t] == 'F')
		lua_pushnumber(L, value_real(t, data, 0));
	else
		lua_pushinteger(L, value_integer(t, data, 0));
}

typedef struct Call { const Function *f; uint64_t *results; } Call;

/* Called by Lua with a Call, as light userdata, and the results of the function behind it: checks and stores
   the results. */
static int take_results(lua_State *L)
{
	const Call *c = lua_touserdata(L, 1);
	for (int k = 0; k < c->f->ret.n; k++) {
		const Reg *r = &c->f->reg.v[c->f->ret.v[k]];
		char what[200];
		snprintf(what, sizeof what, "result %.60s of %.60s", r->name, c->f->name);
		if (r->type == T_PRED && lua_type(L, k + 2) != LUA_TBOOLEAN)
			return luaL_error(L, "%s: expected true or false, found a %s", what,
				luaL_typename(L, k + 2));
		c->results[k] = r->type == T_PRED ? (uint64_t)lua_toboolean(L, k + 2)
			: host_bits(L, k + 2, (Type)r->type, what);
	}
	return 0;
}

/* Calls the function of Lua, which lies below its arguments on the stack. False: it has failed, and diag says
   why. */
static bool call_lua(WorkloadHost *h, const Function *f, uint64_t *results)
{
	lua_State *L = h->box.L;
	Call c = { f, results };
	int base = lua_gettop(L) - f->arg.n;
	if (!sandbox_call(&h->box, f->arg.n, f->ret.n, h->run->diag))
		return false;
	lua_pushcfunction(L, take_results);
	lua_insert(L, base);
	lua_pushlightuserdata(L, &c);
	lua_insert(L, base + 1);
	return sandbox_call(&h->box, f->ret.n + 1, 0, h->run->diag);
}

static bool cannot_call(const Main *m, const Function *f, Loc where, const char *why, Fault *fault)
{
	run_fail(m->run, RUN_BAD_INPUT, where, "call of %s: %s", f->name, why);
	return reported(fault);
}

static bool main_call(void *self, const Function *f, const uint64_t *args, uint64_t *results, Loc where,
	Fault *fault)
{
	const Main *m = self;
	WorkloadHost *h = m->host;
	Granted granted[f->touch.n + 1];
	int n = 0;
	if (!lua_checkstack(h->box.L, f->arg.n + f->ret.n + 8))
		return cannot_call(m, f, where, "too many arguments", fault);
	if (lua_getglobal(h->box.L, f->name) != LUA_TFUNCTION)
		return cannot_call(m, f, where, arena_printf(&m->run->arena,
			"%s has no function of that name", h->path), fault);
	for (int k = 0; k < f->arg.n; k++) {
		const LuaTouch *t = touch_of(f, k);
		const char *why = t ? push_buffer(h, f, t, args[k], &granted[n]) : NULL;
		if (why)
			return cannot_call(m, f, where, why, fault);
		n += t != NULL;
		if (!t)
			push_number(h->box.L, (Type)f->reg.v[f->arg.v[k]].type, args[k]);
	}
	h->callee = f;
	h->granted = granted;
	h->ngranted = n;
	bool ok = call_lua(h, f, results);
	h->callee = NULL;
	if (!ok && !h->box.stopped)
		m->run->status = RUN_BAD_INPUT;
	lua_settop(h->box.L, 0);
	/* a gpu.check that failed in the function ends the run, as the statement `check` of a host function
	   does */
	return (ok && m->run->status == RUN_OK) || reported(fault);
}

/* ---- main ---- */

const Function *run_host_function(const Run *run)
{
	const Function *f = module_find_function(run->module, "main");
	return f && f->kind == FN_HOST && f->block.n ? f : NULL;
}

bool run_needs_lua(const Run *run)
{
	const Function *f = run_host_function(run);
	for (int b = 0; f && b < f->block.n; b++)
		for (int k = 0; k < f->block.v[b]->ins.n; k++)
			if (f->block.v[b]->ins.v[k].op == OP_CALL)
				return true;
	return false;
}

void run_main(Run *run, WorkloadHost *host)
{
	const Function *f = run_host_function(run);
	Main m = { run, host };
	Fault fault = { 0 };
	run->host = f;
	run->host_ran = arena_array(&run->arena, uint64_t, f->block.n + 1);
	HostHooks hooks = { .self = &m, .launch = main_launch, .sync = main_sync, .record = main_record,
		.wait = main_wait, .call = host ? main_call : NULL,
		.allocated = main_allocated, .ran = run->host_ran,
		.interrupted = run->options.gpu.interrupted };
	if (!host_run(run->module, f, run->memory, run->symbol_address, &hooks, &fault) &&
		run->status == RUN_OK && fault.kind != FAULT_NONE)
		run_fault(run, &fault, (Loc){ run->module->name, 0, 0 });
}
