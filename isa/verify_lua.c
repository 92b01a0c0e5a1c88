/* Checks headers of functions of Lua: the types of their arguments and results, and the buffers that they
   read and write. */
#include "isa/verify.h"

/* Can a value of the type be given to Lua as a number? */
static bool is_lua_number(int type) { return type != T_F16; }
static bool is_element(int type) { return type_bits[type] >= 8 && type_kind[type] != 'B' && type != T_F16; }

bool vf_lua(Verifier *v, const Function *f)
{
	if (f->touch.n && !(f->kind == FN_HOST && f->declared_only))
		return vf_fail(v, "says what it reads and writes, which belongs to a function of Lua: extern "
			"host");
	for (int k = 0; k < f->reg.n && f->kind == FN_HOST && f->declared_only; k++)
		if (!is_lua_number(f->reg.v[k].type))
			return vf_fail(v, "has %.100s of type %s; expected pred, an integer, f32 or f64",
				f->reg.v[k].name, type_name[f->reg.v[k].type]);
	for (int k = 0; k < f->touch.n; k++) {
		const LuaTouch *t = &f->touch.v[k];
		if (t->arg < 0 || t->arg >= f->arg.n || (k && t->arg <= f->touch.v[k - 1].arg) ||
			!(t->reads || t->writes))
			return vf_fail(v, "reads or writes what is no argument, or twice");
		const Reg *r = &f->reg.v[f->arg.v[t->arg]];
		if (type_bits[r->type] != 64 || type_kind[r->type] == 'F')
			return vf_fail(v, "has the buffer %.100s of type %s; expected u64, an address",
				r->name, type_name[r->type]);
		if (t->type >= T_COUNT || !is_element(t->type))
			return vf_fail(v, "has the buffer %.100s with elements of %s; expected u8 s8 u16 s16 "
				"u32 s32 u64 s64 f32 or f64", r->name,
				t->type < T_COUNT ? type_name[t->type] : "no type");
	}
	return true;
}
