/* A first workload for a kernel: its signature, and what its code does with each parameter, say what the
   arguments are. */
#include "tools/skeleton.h"
#include "lib/demangle.h"
#include "isa/launch.h"
#include "sim/host/kernel_name.h"
#include "sim/host/run.h"
#include <ctype.h>

enum { ELEMENTS = 4096, TRIAL_CYCLES = 1000000, TRIAL_STEPS = 10000000 };

/* What a kernel needs does not show in its signature, so several are tried. */
/* what buffers hold; NOWHERE: -1, which ends many lists and trees */
typedef enum { RAMP, ZEROS, NOWHERE } Fill;
/* side: of the block in a plane; count: the value of integers */
typedef struct Choice { int threads, block, side, count; Fill fill; } Choice;
static const Choice choices[] = {
	{ 256, 64, 16, 256, RAMP }, { 256, 64, 16, 16, RAMP }, { 64, 64, 8, 8, RAMP }, { 32, 32, 4, 8, RAMP },
	{ 256, 64, 16, 256, ZEROS },
	{ 32, 32, 4, 8, ZEROS }, { 256, 64, 16, 256, NOWHERE }, { 32, 32, 4, 8, NOWHERE },
	{ 1, 1, 1, 1, ZEROS },
};

typedef struct Use {
	bool pointer, loaded, stored;  /* its value is an address; what happens there */
	bool counted;                  /* its value is computed with as a number */
	Type type;                     /* of what is accessed there */
} Use;

typedef struct Flow {
	const Module *m;
	const Function *kernel;
	/* [function][register]: a bit for each parameter whose value, moved by an offset, it may hold */
	uint64_t **holds;
	Use *use;                      /* of each parameter */
	bool plane;                    /* it asks for its second index in the block */
	Choice choice;
	bool changed;
} Flow;

/* ---- what a kernel does with its parameters ---- */

static uint64_t held(const Flow *f, const Function *in, const Opd *o)
{
	return o->kind == OPD_REG ? f->holds[in->id][o->id] : 0;
}

static void hold(Flow *f, const Function *in, int reg, uint64_t params)
{
	uint64_t *h = &f->holds[in->id][reg];
	f->changed |= (params & ~*h) != 0;
	*h |= params;
}

/* A structure's parts and narrow values are not followed. */
static bool may_be_address(const Param *p)
{
	return !p->array && type_bits[p->type] == 64 && type_kind[p->type] != 'F';
}

static void access(Flow *f, const Function *in, const Ins *i)
{
	const Opd *a = ins_src(i, 0);
	uint64_t params = held(f, in, a);
	if (i->space == SP_PARAM) {
		if (i->op == OP_LD && a->kind == OPD_PARAM && in == f->kernel && a->id < 64 &&
			may_be_address(&in->param.v[a->id]) && ins_dst(i, 0)->kind == OPD_REG)
			hold(f, in, ins_dst(i, 0)->id, (uint64_t)1 << a->id);
		return;
	}
	for (; params; params &= params - 1) {
		Use *u = &f->use[__builtin_ctzll(params)];
		u->pointer = true;
		u->loaded |= (op_info[i->op].flags & OPF_LOAD) != 0;
		u->stored |= (op_info[i->op].flags & OPF_STORE) != 0;
		u->type = u->type == T_NONE ? (Type)i->type : u->type;
	}
}

static void call(Flow *f, const Function *in, const Ins *i)
{
	const Opd *callee = ins_src(i, 0);
	if (callee->kind != OPD_FUNC)
		return;
	const Function *to = f->m->func.v[callee->id];
	for (int k = 1; k < i->nsrc && k <= to->arg.n; k++)
		hold(f, to, to->arg.v[k - 1], held(f, in, ins_src(i, k)));
}

static void follow(Flow *f, const Function *in, const Ins *i)
{
	bool moves = i->op == OP_MOV || i->op == OP_ADD || i->op == OP_SUB || i->op == OP_CVTA ||
		i->op == OP_SELP || i->op == OP_MAD;
	switch (op_info[i->op].kind) {
	case K_LD: case K_ST: case K_ATOM:
		access(f, in, i);
		return;
	case K_CALL:
		call(f, in, i);
		return;
	default:
		for (int k = 0; k < i->nsrc; k++) {
			f->plane |= ins_src(i, k)->kind == OPD_SREG && ins_src(i, k)->id == SREG_TID_Y;
			uint64_t params = held(f, in, ins_src(i, k));
			if (moves && !(i->op == OP_MAD && k < 2) && i->ndst == 1 &&
				ins_dst(i, 0)->kind == OPD_REG)
				hold(f, in, ins_dst(i, 0)->id, params);
			else
				for (; params; params &= params - 1)
					f->use[__builtin_ctzll(params)].counted = true;
		}
	}
}

static void find_uses(Flow *f, Arena *a)
{
	f->holds = arena_array(a, uint64_t *, f->m->func.n);
	f->use = arena_array(a, Use, f->kernel->param.n + 1);
	for (int i = 0; i < f->m->func.n; i++)
		f->holds[i] = arena_array(a, uint64_t, f->m->func.v[i]->reg.n + 1);
	do {
		f->changed = false;
		for (int i = 0; i < f->m->func.n; i++)
			for (int b = 0; b < f->m->func.v[i]->block.n; b++)
				for (int k = 0; k < f->m->func.v[i]->block.v[b]->ins.n; k++)
					follow(f, f->m->func.v[i], &f->m->func.v[i]->block.v[b]->ins.v[k]);
	} while (f->changed);
}

/* ---- what its C++ name says ---- */

static const struct { const char *name; Type type; } c_types[] = {
	{ "float", T_F32 }, { "double", T_F64 }, { "unsigned char", T_U8 }, { "signed char", T_S8 },
	{ "char", T_S8 }, { "bool", T_U8 },
	{ "unsigned short", T_U16 }, { "short", T_S16 }, { "unsigned int", T_U32 }, { "int", T_S32 },
	{ "unsigned long long", T_U64 },
	{ "unsigned long", T_U64 }, { "long long", T_S64 }, { "long", T_S64 },
};

/* The text of parameter i between the outer parentheses, or NULL. */
static const char *c_parameter(Arena *a, const char *source, int i)
{
	const char *p = source ? strrchr(source, '(') : NULL;
	int depth = 0;
	if (!p++)
		return NULL;
	for (const char *begin = p; *p; p++) {
		depth += (*p == '<') - (*p == '>');
		if (depth || (*p != ',' && *p != ')'))
			continue;
		if (!i--)
			return arena_strndup(a, begin + strspn(begin, " "),
				(size_t)(p - begin) - strspn(begin, " "));
		begin = p + 1;
	}
	return NULL;
}

static void read_c_type(Use *u, const char *text)
{
	size_t n = strlen(text);
	u->pointer |= n && text[n - 1] == '*';
	for (size_t i = 0; u->pointer && i < sizeof c_types / sizeof *c_types; i++) {
		size_t k = strlen(c_types[i].name);
		if (!strncmp(text, c_types[i].name, k) && strspn(text + k, " const*") == n - k)
			u->type = c_types[i].type;
	}
}

/* ---- the text ---- */

/* The type that gpu.buffer has for it. */
static const char *element(Type t)
{
	switch (type_bits[t]) {
	case 8: return type_kind[t] == 'S' ? "s8" : "u8";
	case 16: return type_kind[t] == 'S' ? "s16" : "u16";
	case 64: return type_kind[t] == 'F' ? "f64" : type_kind[t] == 'S' ? "s64" : "u64";
	default: return type_kind[t] == 'F' ? "f32" : type_kind[t] == 'S' ? "s32" : "u32";
	}
}

static bool reserved(const char *s)
{
	static const char *const words[] = { "and", "break", "do", "else", "elseif", "end", "false", "for",
		"function", "goto", "if", "in", "local",
		"nil", "not", "or", "repeat", "return", "then", "true", "until", "while", "gpu", "s", "n",
		"print" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(s, words[i]))
			return true;
	return false;
}

/* A parameter's name in Lua; what a compiler has numbered is short. */
static const char *lua_name(Arena *a, const Param *p, int i)
{
	const char *s = p->name;
	bool plain = *s && !isdigit((unsigned char)*s) && !strstr(s, "_param_");
	for (const char *c = s; *c; c++)
		plain &= isalnum((unsigned char)*c) || *c == '_';
	return plain ? reserved(s) ? arena_printf(a, "%s_", s) : s : arena_printf(a, "param_%d", i);
}

/* Puts a name into a comment: it stays in its line. */
static void put_word(StrBuf *out, const char *name)
{
	for (size_t n; *name; name += n + (name[n] != 0)) {
		n = strcspn(name, "\n\r");
		sb_write(out, name, n);
		sb_puts(out, name[n] ? "?" : "");
	}
}

static void put_buffer(StrBuf *out, const char *name, const Use *u, Fill fill)
{
	static const char *const init[] = { ", function(i) return i % 100 end", "", ", -1" };
	const char *what = u->loaded && u->stored ? "read and written" : u->loaded ? "read"
		: u->stored ? "written" : "an address, it seems";
	sb_printf(out, "local %s = gpu.buffer(\"%s\", n%s) -- %s\n", name,
		element(u->type == T_NONE ? T_U32 : u->type), u->stored && !u->loaded ? "" : init[fill],
		what);
}

static void put_scalar(StrBuf *out, const char *name, const Param *p, int count)
{
	if (p->array)
		sb_printf(out, "local %s = (\"\\0\"):rep(%u) -- a structure of %u bytes, or {...} with %u "
			"numbers; string.pack makes one\n", name, p->size, p->size, p->count);
	else if (type_kind[p->type] == 'F')
		sb_printf(out, "local %s = 1.0 -- %s\n", name, type_name[p->type]);
	else
		sb_printf(out, "local %s = %d -- %s: a count?\n", name, type_bits[p->type] > 16 ? count : 1,
			type_name[p->type]);
}

static void put_arguments(StrBuf *out, const Flow *f, Arena *a, const char *source)
{
	const Function *k = f->kernel;
	sb_printf(out, "local n = %d -- elements of a buffer\n", ELEMENTS);
	for (int i = 0; i < k->param.n; i++) {
		const Param *p = &k->param.v[i];
		Use *u = &f->use[i];
		const char *c = c_parameter(a, source, i);
		if (c && may_be_address(p))
			read_c_type(u, c);
		else if (may_be_address(p))
			u->pointer |= !u->counted;
		if (u->pointer)
			put_buffer(out, lua_name(a, p, i), u, f->choice.fill);
		else
			put_scalar(out, lua_name(a, p, i), p, f->choice.count);
	}
}

static uint32_t one(uint32_t x) { return x ? x : 1; }

/* As many threads as chosen, in blocks that the kernel takes. */
static void put_sizes(StrBuf *out, const Flow *f)
{
	const uint32_t *must = f->kernel->reqntid, *most = f->kernel->maxntid;
	uint64_t bound = most[0] ? (uint64_t)most[0] * one(most[1]) * one(most[2]) : 1024;
	unsigned block = (unsigned)(bound < (unsigned)f->choice.block ? bound : (unsigned)f->choice.block);
	if (must[0])
		sb_printf(out, "\tgrid = 1, block = { %u, %u, %u }, -- the kernel requires this block\n",
			must[0], one(must[1]), one(must[2]));
	else if (f->plane && bound >= (unsigned)(f->choice.side * f->choice.side))
		sb_printf(out, "\tgrid = 1, block = { %d, %d },\n", f->choice.side, f->choice.side);
	else
		sb_printf(out, "\tgrid = %u, block = %u,\n", (unsigned)f->choice.threads / block, block);
	for (int i = 0; i < f->m->symbol.n; i++)
		if (f->m->symbol.v[i]->space == SP_SHARED && f->m->symbol.v[i]->external) {
			sb_puts(out, "\tshared = 8192, -- bytes of ");
			put_word(out, f->m->symbol.v[i]->name);
			sb_putc(out, '\n');
			return;
		}
}

static void put_results(StrBuf *out, const Flow *f, Arena *a)
{
	sb_puts(out, "\ngpu.check(s.thread_instructions > 0, \"nothing ran\")\n");
	for (int i = 0; i < f->kernel->param.n; i++) {
		const char *name = lua_name(a, &f->kernel->param.v[i], i);
		if (f->use[i].pointer && f->use[i].stored)
			sb_printf(out, "print(\"%s\", %s:get(0), %s:get(1), %s:get(2), %s:get(3))\n"
				"-- what should it be? for i = 0, n - 1 do gpu.check(%s:get(i) == ..., \"%s "
				"\" .. i) end\n", name, name, name, name, name, name, name);
	}
}

/* Puts a name as a string of Lua. */
static void put_lua(StrBuf *out, const char *name)
{
	sb_putc(out, '"');
	for (; *name; name++)
		if (*name == '"' || *name == '\\' || (unsigned char)*name < ' ' || (unsigned char)*name > 126)
			sb_printf(out, "\\x%02x", (unsigned char)*name);
		else
			sb_putc(out, *name);
	sb_putc(out, '"');
}

/* why: what keeps it from running as it is printed, or NULL. */
static void put(const Flow *f, const char *why, StrBuf *out)
{
	Arena a = { 0 };
	const Function *k = f->kernel;
	const char *source = demangle(&a, k->name), *slash = strrchr(f->m->name, '/');
	sb_puts(out, "-- Runs ");
	put_word(out, source ? source : k->name);
	sb_puts(out, " of ");
	put_word(out, slash ? slash + 1 : f->m->name);
	sb_puts(out, ". The manual of gsim, \"Workloads\", says what else can stand here.\n");
	if (why) {
		sb_puts(out, "-- With these arguments it does not end well: ");
		put_word(out, arena_strndup(&a, why, strcspn(why, "\n")));
		sb_putc(out, '\n');
	}
	put_arguments(out, f, &a, source);
	sb_puts(out, "\nlocal s = gpu.launch {\n\tkernel = ");
	put_lua(out, k->name);
	sb_puts(out, ",\n");
	put_sizes(out, f);
	sb_puts(out, "\targs = { ");
	for (int i = 0; i < k->param.n; i++)
		sb_printf(out, "%s%s", i ? ", " : "", lua_name(&a, &k->param.v[i], i));
	sb_puts(out, " },\n}\n");
	put_results(out, f, &a);
	arena_free(&a);
}

/* Does it run? On a machine without time, and for a bounded one. */
static bool runs(const Module *m, const StrBuf *text, Diag *diag)
{
	Config config;
	config_defaults(&config);
	config.max_cycles = TRIAL_CYCLES;
	RunOptions options = { .gpu = { .functional = true, .threads = 1 }, .trial = true,
		.workload_text = text->s, .lua_steps = TRIAL_STEPS };
	Run *run = run_new(&config, m, &options, diag);
	bool ok = run && run_module(run) == RUN_OK;
	if (run)
		run_free(run);
	return ok;
}

/* The first choice that runs; else the first of all, with its error. */
static void put_best(Flow *f, StrBuf *out)
{
	Diag first = { 0 };
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
		Diag diag = { 0 };
		f->choice = choices[i];
		out->n = 0;
		put(f, NULL, out);
		bool ok = runs(f->m, out, i ? &diag : &first);
		diag_free(&diag);
		if (ok) {
			diag_free(&first);
			return;
		}
	}
	f->choice = choices[0];
	out->n = 0;
	put(f, diag_first(&first), out);
	diag_free(&first);
}

/* ---- which kernel ---- */

static const Function *only_kernel(const Module *m, StrBuf *why)
{
	const Function *found = NULL;
	int n = 0;
	for (int i = 0; i < m->func.n; i++) {
		const Function *f = m->func.v[i];
		if (f->kind != FN_KERNEL || f->declared_only)
			continue;
		sb_printf(why, "%s%s", n++ ? ", " : "name one of its kernels: ", f->name);
		found = f;
	}
	if (!n)
		sb_puts(why, "it has no kernels");
	return n == 1 ? found : NULL;
}

bool skeleton_print(const Module *m, const char *kernel, Diag *diag, StrBuf *out)
{
	StrBuf why = { 0 };
	Arena a = { 0 };
	Loc where = { m->name, 0, 0 };
	Flow f = { .m = m, .kernel = kernel ? kernel_by_name(m, kernel, &why) : only_kernel(m, &why) };
	why.n = f.kernel ? 0 : why.n;
	bool ok = f.kernel && !kernel_refused(m, f.kernel, &where, &why);
	if (ok) {
		find_uses(&f, &a);
		put_best(&f, out);
	} else {
		diag_error(diag, where, "%s", why.s);
	}
	sb_free(&why);
	arena_free(&a);
	return ok;
}
