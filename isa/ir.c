#include "isa/ir.h"
#include <pthread.h>
#include <stdio.h>

const char *const type_name[T_COUNT] = {
#define X(ID, NAME, BITS, KIND) [T_##ID] = NAME,
	TYPES(X)
#undef X
};
const uint8_t type_bits[T_COUNT] = {
#define X(ID, NAME, BITS, KIND) [T_##ID] = BITS,
	TYPES(X)
#undef X
};
const char type_kind[T_COUNT] = {
#define X(ID, NAME, BITS, KIND) [T_##ID] = KIND,
	TYPES(X)
#undef X
};
const char *const unit_name[UNIT_COUNT] = {
#define X(ID, NAME, ...) [UNIT_##ID] = NAME,
	UNITS(X)
#undef X
};
const uint8_t unit_parent[UNIT_COUNT] = {
#define X(ID, NAME, PARENT, ...) [UNIT_##ID] = UNIT_##PARENT,
	UNITS(X)
#undef X
};
const char *const space_name[SP_COUNT] = { "generic", "global", "shared", "local", "const", "param" };
const char *const sreg_name[SREG_COUNT] = {
#define X(ID, NAME, TYPE) [SREG_##ID] = NAME,
	SREGS(X)
#undef X
};
const uint8_t sreg_type[SREG_COUNT] = {
#define X(ID, NAME, TYPE) [SREG_##ID] = T_##TYPE,
	SREGS(X)
#undef X
};

enum { PURE = OPF_PURE, COMM = OPF_COMM, TERM = OPF_TERM, LOAD = OPF_LOAD, STORE = OPF_STORE, CONV = OPF_CONV,
	SIDE = OPF_SIDE, MACH = OPF_MACH, HOST_ = OPF_HOST, FATAL = OPF_FATAL, CARRY = OPF_CARRY };
const OpInfo op_info[OP_COUNT] = {
#define OP(ID, NAME, SUFFIXES, OPERANDS, TYPES, KIND, UNIT, FLAGS, MEANING) \
	[OP_##ID] = { NAME, SUFFIXES, OPERANDS, TYPES, K_##KIND, UNIT_##UNIT, FLAGS, MEANING },
#include "isa/ops.def"
#undef OP
};

const Suffix suffix_table[] = {
	{ "rn", 'r', RND_RN }, { "rz", 'r', RND_RZ }, { "rm", 'r', RND_RM }, { "rp", 'r', RND_RP },
	{ "rni", 'r', RND_RNI }, { "rzi", 'r', RND_RZI }, { "rmi", 'r', RND_RMI }, { "rpi", 'r', RND_RPI },
	{ "ftz", 'f', 1 }, { "sat", 's', 1 }, { "approx", 'x', APPROX_APPROX }, { "full", 'x', APPROX_FULL },
	{ "eq", 'c', CMP_EQ }, { "ne", 'c', CMP_NE }, { "lt", 'c', CMP_LT }, { "le", 'c', CMP_LE },
	{ "gt", 'c', CMP_GT }, { "ge", 'c', CMP_GE }, { "lo", 'c', CMP_LO }, { "ls", 'c', CMP_LS },
	{ "hi", 'c', CMP_HI }, { "hs", 'c', CMP_HS }, { "equ", 'c', CMP_EQU }, { "neu", 'c', CMP_NEU },
	{ "ltu", 'c', CMP_LTU }, { "leu", 'c', CMP_LEU }, { "gtu", 'c', CMP_GTU }, { "geu", 'c', CMP_GEU },
	{ "num", 'c', CMP_NUM }, { "nan", 'c', CMP_NAN },
	{ "and", 'b', BOOL_AND }, { "or", 'b', BOOL_OR }, { "xor", 'b', BOOL_XOR },
	{ "lo", 'h', HILO_LO }, { "hi", 'h', HILO_HI }, { "wide", 'h', HILO_WIDE }, { "cc", 'C', 1 },
	{ "global", 'S', SP_GLOBAL }, { "shared", 'S', SP_SHARED }, { "local", 'S', SP_LOCAL },
	{ "const", 'S', SP_CONST },
	{ "param", 'S', SP_PARAM }, { "v2", 'V', 2 }, { "v4", 'V', 4 },
	{ "up", 'M', MODE_UP }, { "down", 'M', MODE_DOWN }, { "bfly", 'M', MODE_BFLY },
	{ "idx", 'M', MODE_IDX },
	{ "all", 'M', MODE_ALL }, { "any", 'M', MODE_ANY }, { "uni", 'M', MODE_UNI },
	{ "ballot", 'M', MODE_BALLOT },
	{ "l", 'M', MODE_L }, { "r", 'M', MODE_R }, { "f4e", 'M', MODE_F4E }, { "b4e", 'M', MODE_B4E },
	{ "rc8", 'M', MODE_RC8 }, { "ecl", 'M', MODE_ECL }, { "ecr", 'M', MODE_ECR },
	{ "rc16", 'M', MODE_RC16 },
	{ "finite", 'M', MODE_FINITE }, { "infinite", 'M', MODE_INFINITE }, { "number", 'M', MODE_NUMBER },
	{ "notanumber", 'M', MODE_NOTANUMBER }, { "normal", 'M', MODE_NORMAL },
	{ "subnormal", 'M', MODE_SUBNORMAL },
	{ "L1", 'M', MODE_L1 }, { "L2", 'M', MODE_L2 },
	{ "wrap", 'W', MODE2_WRAP }, { "clamp", 'W', MODE2_CLAMP }, { "shiftamt", 'W', MODE2_SHIFTAMT },
	{ "add", 'A', AOP_ADD }, { "min", 'A', AOP_MIN }, { "max", 'A', AOP_MAX }, { "and", 'A', AOP_AND },
	{ "or", 'A', AOP_OR }, { "xor", 'A', AOP_XOR }, { "exch", 'A', AOP_EXCH }, { "cas", 'A', AOP_CAS },
	{ "inc", 'A', AOP_INC }, { "dec", 'A', AOP_DEC }, { "popc", 'A', AOP_POPC },
	{ "ca", 'O', COP_CA }, { "cg", 'O', COP_CG }, { "cs", 'O', COP_CS }, { "lu", 'O', COP_LU },
	{ "cv", 'O', COP_CV },
	{ "wb", 'O', COP_WB }, { "wt", 'O', COP_WT }, { "nc", 'O', COP_NC },
	{ "weak", 'E', SEM_WEAK }, { "volatile", 'E', SEM_VOLATILE }, { "relaxed", 'E', SEM_RELAXED },
	{ "acquire", 'E', SEM_ACQUIRE }, { "release", 'E', SEM_RELEASE }, { "acq_rel", 'E', SEM_ACQ_REL },
	{ "sc", 'E', SEM_SC },
	{ "cta", 'P', SCOPE_CTA }, { "cluster", 'P', SCOPE_CLUSTER }, { "gpu", 'P', SCOPE_GPU },
	{ "sys", 'P', SCOPE_SYS },
	{ "gl", 'P', SCOPE_GL },
	{ "sync", 'Y', INSF_SYNC }, { "aligned", 'L', INSF_ALIGNED }, { "uni", 'U', INSF_UNI },
	{ "to", 'T', INSF_TO },
	{ "nonfaulting", 'N', INSF_NONFAULTING }, { "cooperative", 'B', INSF_COOPERATIVE },
	{ NULL, 0, 0 }
};

Type type_widened(Type t)
{
	switch (t) {
	case T_U8: return T_U16;
	case T_S8: return T_S16;
	case T_U16: return T_U32;
	case T_S16: return T_S32;
	case T_B16: return T_B32;
	case T_U32: return T_U64;
	case T_S32: return T_S64;
	case T_B32: return T_B64;
	default: return T_NONE;
	}
}

static StrMap op_map, sreg_map;

static void fill_maps(void)
{
	for (int op = 1; op < OP_COUNT; op++)
		if (!(op_info[op].flags & OPF_MACH)) /* machine code has no text */
			strmap_put(&op_map, op_info[op].name, op);
	for (int i = 0; i < SREG_COUNT; i++)
		strmap_put(&sreg_map, sreg_name[i], i);
}

/* The maps are filled once, whichever threads ask for them first. */
static int look_up_name(const StrMap *map, const char *name, size_t n)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, fill_maps);
	return strmap_getn(map, name, n);
}

Op op_lookup(const char *name, size_t n)
{
	int op = look_up_name(&op_map, name, n);
	return op < 0 ? OP_NONE : (Op)op;
}

int sreg_lookup(const char *name, size_t n) { return look_up_name(&sreg_map, name, n); }

/* ---- modules ---- */

Module *module_new(const char *name)
{
	Module *m = xcalloc(1, sizeof *m);
	m->name = arena_strdup(&m->arena, name);
	vec_push(&m->file, m->name);
	vec_push(&m->origin, "user");
	op_lookup("", 0);
	sreg_lookup("", 0);
	return m;
}

void function_free(Function *f)
{
	for (int k = 0; k < f->block.n; k++)
		vec_free(&f->block.v[k]->ins);
	vec_free(&f->reg);
	vec_free(&f->param);
	vec_free(&f->arg);
	vec_free(&f->touch);
	vec_free(&f->ret);
	vec_free(&f->block);
	vec_free(&f->source);
	vec_free(&f->mark);
	vec_free(&f->lanes);
}

void module_free(Module *m)
{
	if (!m)
		return;
	for (int i = 0; i < m->func.n; i++) {
		Function *f = m->func.v[i];
		/* of a view, only functions of its own are freed */
		if (!m->of || i >= m->of->func.n || f != m->of->func.v[i])
			function_free(f);
	}
	for (int i = m->of ? m->of->symbol.n : 0; i < m->symbol.n; i++)
		vec_free(&m->symbol.v[i]->reloc);
	vec_free(&m->file);
	strmap_free(&m->file_index);
	vec_free(&m->func);
	vec_free(&m->symbol);
	vec_free(&m->string);
	vec_free(&m->origin);
	vec_free(&m->place);
	arena_free(&m->arena);
	free(m);
}

Function *module_find_function(const Module *m, const char *name)
{
	for (int i = 0; i < m->func.n; i++)
		if (!strcmp(m->func.v[i]->name, name))
			return m->func.v[i];
	return NULL;
}

Symbol *module_find_symbol(const Module *m, const char *name, int owner)
{
	Symbol *global = NULL;
	for (int i = 0; i < m->symbol.n; i++) {
		Symbol *s = m->symbol.v[i];
		if (strcmp(s->name, name))
			continue;
		if (s->owner == owner)
			return s;
		if (s->owner < 0)
			global = s;
	}
	return global;
}

int module_symbol_id(const Module *m, const Symbol *s)
{
	for (int i = 0; i < m->symbol.n; i++)
		if (m->symbol.v[i] == s)
			return i;
	return -1;
}

int module_origin(Module *m, const char *pass)
{
	for (int i = 0; i < m->origin.n; i++)
		if (!strcmp(m->origin.v[i], pass))
			return i;
	if (m->origin.n == 255)
		return 255 - 1;
	vec_push(&m->origin, arena_strdup(&m->arena, pass));
	return m->origin.n - 1;
}

int module_file(Module *m, const char *path)
{
	for (; m->nindexed < m->file.n; m->nindexed++)
		strmap_put(&m->file_index, m->file.v[m->nindexed], m->nindexed);
	int i = strcmp(m->file.v[0], path) ? strmap_get(&m->file_index, path) : 0;
	if (i >= 0 && !strcmp(m->file.v[i], path)) /* file_index may have an old name of file 0 */
		return i;
	if (m->file.n == FILE_LIMIT)
		return -1;
	vec_push(&m->file, arena_strdup(&m->arena, path));
	return m->file.n - 1;
}

SymbolOrder symbol_order(const Module *m)
{
	size_t n = (size_t)m->func.n + 2;
	SymbolOrder o = { xcalloc((size_t)m->symbol.n, sizeof *o.id), xcalloc(n, sizeof *o.first) };
	int *next = xcalloc(n, sizeof *next);
	for (int k = 0; k < m->symbol.n; k++)
		o.first[m->symbol.v[k]->owner + 2]++;
	for (size_t k = 1; k < n; k++)
		o.first[k] += o.first[k - 1];
	memcpy(next, o.first, n * sizeof *next);
	for (int k = 0; k < m->symbol.n; k++)
		o.id[next[m->symbol.v[k]->owner + 1]++] = k;
	free(next);
	return o;
}

void symbol_order_free(SymbolOrder *o)
{
	free(o->id);
	free(o->first);
	*o = (SymbolOrder){ 0 };
}

Function *function_new(Module *m, FuncKind kind, const char *name)
{
	Function *f = arena_new(&m->arena, Function);
	f->name = arena_strdup(&m->arena, name);
	f->kind = kind;
	f->id = m->func.n;
	vec_push(&m->func, f);
	return f;
}

int function_find_reg(const Function *f, const char *name)
{
	for (int i = 0; i < f->reg.n; i++)
		if (!strcmp(f->reg.v[i].name, name))
			return i;
	return -1;
}

int function_reg(Module *m, Function *f, const char *name, Type type)
{
	char *own;
	if (name) {
		own = arena_strdup(&m->arena, name);
	} else {
		int k = f->reg.n;
		do
			own = arena_printf(&m->arena, "%%t%d", k++);
		while (function_find_reg(f, own) >= 0);
	}
	vec_push(&f->reg, ((Reg){ own, (uint8_t)type }));
	return f->reg.n - 1;
}

static Block *find_block(const Function *f, const char *label)
{
	for (int i = 0; i < f->block.n; i++)
		if (!strcmp(f->block.v[i]->label, label))
			return f->block.v[i];
	return NULL;
}

Block *function_block(Module *m, Function *f, const char *label)
{
	Block *b = arena_new(&m->arena, Block);
	if (label) {
		b->label = arena_strdup(&m->arena, label);
	} else {
		int k = f->block.n;
		do
			b->label = arena_printf(&m->arena, "bb%d", k++);
		while (find_block(f, b->label));
	}
	b->id = f->block.n;
	vec_push(&f->block, b);
	return b;
}

bool label_is_fresh(const char *label)
{
	return label[0] == 'b' && label[1] == 'b' && label[2] && !label[2 + strspn(label + 2, "0123456789")];
}

void function_number(Function *f)
{
	for (int i = 0; i < f->block.n; i++)
		f->block.v[i]->id = i;
}

Ins ins_make(Module *m, Op op, Type type, int ndst, int nsrc)
{
	Ins i = { .op = (uint8_t)op, .type = (uint8_t)type, .guard = -1, .ndst = (uint16_t)ndst,
		.nsrc = (uint16_t)nsrc };
	i.opd = arena_array(&m->arena, Opd, ndst + nsrc ? ndst + nsrc : 1);
	return i;
}

static void set_succ(Module *m, Block *b, Block *yes, Block *no)
{
	b->nsucc = no ? 2 : 1;
	b->succ = arena_array(&m->arena, Block *, 2);
	b->succ[0] = yes;
	b->succ[1] = no;
}

void block_jump(Module *m, Block *b, Block *to)
{
	vec_push(&b->ins, ins_make(m, OP_BRA, T_NONE, 0, 0));
	set_succ(m, b, to, NULL);
}

void block_branch(Module *m, Block *b, int pred, bool neg, Block *yes, Block *no)
{
	Ins i = ins_make(m, OP_BRA, T_NONE, 0, 1);
	i.opd[0] = opd_reg(pred);
	i.opd[0].neg = neg;
	vec_push(&b->ins, i);
	set_succ(m, b, yes, no);
}

Loc ins_loc(const Module *m, const Ins *i)
{
	return (Loc){ i->file < m->file.n ? m->file.v[i->file] : NULL, i->line, i->col };
}

#define SAME(TYPE, NAME) && a->NAME == b->NAME
#define NO_MATTER(TYPE, NAME)
bool ins_same_form(const Ins *a, const Ins *b)
{
	return true INS_FIELDS(SAME, NO_MATTER, NO_MATTER, NO_MATTER);
}

bool ins_equal(const Ins *a, const Ins *b)
{
	if (!(true INS_FIELDS(SAME, SAME, SAME, SAME)))
		return false;
	for (int k = 0; k < a->ndst + a->nsrc && a->opd != b->opd; k++)
		if (!opd_same(&a->opd[k], &b->opd[k]))
			return false;
	return true;
}
#undef SAME
#undef NO_MATTER
