#include "sim/host/parameter.h"
#include "lib/strbuf.h"
#include "sim/host/value.h"
#include <math.h>

bool integer_bits(int64_t v, Type t, uint64_t *bits)
{
	int width = type_bits[t];
	if (t == T_F32 || t == T_F64)
		return real_bits((double)v, t, bits);
	*bits = (uint64_t)v;
	return width == 64 || (v >= -((int64_t)1 << (width - 1)) && v < (int64_t)1 << width);
}

bool real_bits(double v, Type t, uint64_t *bits)
{
	if (t == T_F32 || t == T_F64) {
		*bits = value_of_real(t, v);
		return t == T_F64 || !isfinite(v) || isfinite((float)v);
	}
	if (v >= -0x1p63 && v < 0x1p63 && v == floor(v))
		return integer_bits((int64_t)v, t, bits);
	*bits = v >= 0x1p63 && v < 0x1p64 ? (uint64_t)v : 0;
	return type_bits[t] == 64 && *bits && v == floor(v);
}

Type element_named(const char *name)
{
	static const Type types[] = { T_U8, T_S8, T_U16, T_S16, T_U32, T_S32, T_U64, T_S64, T_F32, T_F64 };
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(name, type_name[types[i]]))
			return types[i];
	return T_NONE;
}

const char *parameter_name(const Function *k, int i, char text[PARAMETER_NAME])
{
	snprintf(text, PARAMETER_NAME, "argument %d (%.60s) of %.60s", i + 1, k->param.v[i].name, k->name);
	return text;
}

void parameters_print(const Function *k, int given, StrBuf *out)
{
	int n = k->param.n;
	sb_printf(out, "kernel %s takes %d argument%s", k->name, n, n == 1 ? "" : "s");
	for (int i = 0; i < n; i++)
		sb_printf(out, "%s%s %s", i ? ", " : ": ", type_name[k->param.v[i].type], k->param.v[i].name);
	sb_printf(out, "; %d given", given);
}
