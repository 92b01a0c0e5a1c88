#include "isa/ir.h"
#include "isa/mnemonic.h"
#include <stddef.h>

/* The field of Ins that holds a group's value; the groups of flags share one field. */
static const struct { char group; uint8_t offset; bool flag; } fields[] = {
	{ 'r', offsetof(Ins, rnd), false }, { 'f', offsetof(Ins, ftz), false },
	{ 's', offsetof(Ins, sat), false },
	{ 'x', offsetof(Ins, approx), false }, { 'c', offsetof(Ins, cmp), false },
	{ 'b', offsetof(Ins, boolop), false },
	{ 'h', offsetof(Ins, hilo), false }, { 'C', offsetof(Ins, cc), false },
	{ 'S', offsetof(Ins, space), false },
	{ 'V', offsetof(Ins, vec), false }, { 'M', offsetof(Ins, mode), false },
	{ 'W', offsetof(Ins, mode2), false },
	{ 'A', offsetof(Ins, aop), false }, { 'O', offsetof(Ins, cop), false },
	{ 'E', offsetof(Ins, sem), false },
	{ 'P', offsetof(Ins, scope), false }, { '1', offsetof(Ins, type), false },
	{ '2', offsetof(Ins, type2), false },
	{ 'Y', offsetof(Ins, flags), true }, { 'L', offsetof(Ins, flags), true },
	{ 'U', offsetof(Ins, flags), true },
	{ 'T', offsetof(Ins, flags), true }, { 'N', offsetof(Ins, flags), true },
	{ 'B', offsetof(Ins, flags), true },
};
enum { NFIELDS = sizeof fields / sizeof *fields };

static const uint8_t flag_of[128] = { ['Y'] = INSF_SYNC, ['L'] = INSF_ALIGNED, ['U'] = INSF_UNI,
	['T'] = INSF_TO,
	['N'] = INSF_NONFAULTING, ['B'] = INSF_COOPERATIVE };

static int field_index(char group)
{
	for (int k = 0; k < NFIELDS; k++)
		if (fields[k].group == group)
			return k;
	bug("a suffix group without a field");
}

int ins_modifier(const Ins *i, char group)
{
	int k = field_index(group);
	int v = *((const uint8_t *)i + fields[k].offset);
	return fields[k].flag ? v & flag_of[(unsigned char)group] : v;
}

char ins_foreign(const Ins *i)
{
	const char *takes = op_info[i->op].suffixes;
	for (int k = 0; k < NFIELDS; k++) {
		char group = fields[k].group;
		int v = *((const uint8_t *)i + fields[k].offset);
		if ((fields[k].flag ? v & flag_of[(unsigned char)group] : v) && !strchr(takes, group))
			return group;
	}
	return 0;
}

static bool set_modifier(Ins *i, char group, int value)
{
	if (ins_modifier(i, group))
		return false;
	*((uint8_t *)i + fields[field_index(group)].offset) |= (uint8_t)value;
	return true;
}

static bool is_spelled(const char *name, const char *s, size_t n)
{
	return *name == *s && !strncmp(name, s, n) && !name[n];
}

Type type_lookup(const char *s, size_t n)
{
	for (int t = 1; n && t < T_COUNT; t++)
		if (is_spelled(type_name[t], s, n))
			return (Type)t;
	return T_NONE;
}

const char *suffix_name(char group, int value)
{
	for (const Suffix *s = suffix_table; value && s->name; s++)
		if (s->group == group && s->value == value)
			return s->name;
	return NULL;
}

/* ---- errors ---- */

static bool fail_mnemonic(MnemonicError *e, MnemonicFault fault, Op op, const char *s, size_t n)
{
	enum { MOST = 192 };
	const char *names[MOST];
	char word[64];
	int count = 0;
	*e = (MnemonicError){ fault, op, s, n, NULL };
	if (fault == MNERR_TWICE || n == 0 || n >= sizeof word)
		return false;
	memcpy(word, s, n);
	word[n] = 0;
	for (int k = 1; op == OP_NONE && k < OP_COUNT; k++)
		if (!(op_info[k].flags & OPF_MACH))
			names[count++] = op_info[k].name;
	for (const Suffix *x = suffix_table; op != OP_NONE && x->name && count < MOST; x++)
		if (strchr(op_info[op].suffixes, x->group))
			names[count++] = x->name;
	for (int t = 1; op != OP_NONE && t < T_COUNT && count < MOST; t++)
		if (strchr(op_info[op].suffixes, '2') || (strchr(op_info[op].suffixes, '1') &&
			op_info[op].types >> t & 1))
			names[count++] = type_name[t];
	e->near = nearest_name(word, names, count);
	return false;
}

void mnemonic_explain(const MnemonicError *e, StrBuf *out)
{
	int n = e->n > 40 ? 40 : (int)e->n;
	const char *of = op_info[e->op].name;
	switch (e->fault) {
	case MNERR_OP: sb_printf(out, "unknown operation '%.*s'", n, e->at); break;
	case MNERR_SUFFIX: sb_printf(out, "unknown suffix '.%.*s' of %s", n, e->at, of); break;
	case MNERR_FOREIGN: sb_printf(out, "%s does not take the suffix '.%.*s'", of, n, e->at); break;
	case MNERR_TWICE:
		sb_printf(out, "'.%.*s': %s has a suffix of this kind already", n, e->at, of);
		break;
	case MNERR_NONE: break;
	}
	if (e->near)
		sb_printf(out, "; did you mean '%s%s'?", e->fault == MNERR_OP ? "" : ".", e->near);
}

/* ---- reading ---- */

Op mnemonic_op(const char *s, size_t n, size_t *used)
{
	Op best = OP_NONE;
	size_t most = n < 32 ? n : 32; /* no operation's name is longer */
	for (size_t k = 1; k <= most; k++) {
		if (k < n && s[k] != '.')
			continue;
		Op op = op_lookup(s, k);
		if (op != OP_NONE) {
			best = op;
			*used = k;
		}
	}
	return best;
}

bool mnemonic_suffix(const char *s, size_t n, Ins *i, MnemonicError *e)
{
	const char *takes = op_info[i->op].suffixes;
	Type t = type_lookup(s, n);
	if (t != T_NONE) {
		if (strchr(takes, '1') && set_modifier(i, '1', t))
			return true;
		if (strchr(takes, '2') && set_modifier(i, '2', t))
			return true;
		return fail_mnemonic(e, strchr(takes, '1') ? MNERR_TWICE : MNERR_FOREIGN, i->op, s, n);
	}
	bool known = false;
	for (const Suffix *x = suffix_table; n && x->name; x++) {
		if (!is_spelled(x->name, s, n))
			continue;
		known = true;
		if (strchr(takes, x->group))
			return set_modifier(i, x->group, x->value) ||
				fail_mnemonic(e, MNERR_TWICE, i->op, s, n);
	}
	return fail_mnemonic(e, known ? MNERR_FOREIGN : MNERR_SUFFIX, i->op, s, n);
}

/* The length in bytes of the name in an unknown mnemonic: it ends at the first dot, or, where a known
   operation with a dot in its name has the same first part, at the second. */
static size_t name_length(const char *s, size_t n)
{
	const char *dot = memchr(s, '.', n);
	size_t first = dot ? (size_t)(dot - s) : n;
	for (int op = 1; dot && op < OP_COUNT; op++)
		if (!strncmp(op_info[op].name, s, first) && op_info[op].name[first] == '.') {
			const char *next = memchr(dot + 1, '.', n - first - 1);
			return next ? (size_t)(next - s) : n;
		}
	return first;
}

bool mnemonic_parse(const char *s, size_t n, Ins *i, MnemonicError *e)
{
	size_t at = 0;
	Op op = mnemonic_op(s, n, &at);
	if (op == OP_NONE)
		return fail_mnemonic(e, MNERR_OP, OP_NONE, s, name_length(s, n));
	i->op = (uint8_t)op;
	while (at < n) {
		const char *part = s + at + 1, *dot = memchr(part, '.', n - at - 1);
		size_t len = dot ? (size_t)(dot - part) : n - at - 1;
		if (!mnemonic_suffix(part, len, i, e))
			return false;
		at += 1 + len;
	}
	return true;
}

/* ---- printing ---- */

void mnemonic_print(const Ins *i, StrBuf *out)
{
	sb_puts(out, op_info[i->op].name);
	for (const char *g = op_info[i->op].suffixes; *g; g++) {
		int v = ins_modifier(i, *g);
		const char *name = *g == '1' || *g == '2' ? type_name[v] : suffix_name(*g, v);
		if (v && name)
			sb_printf(out, ".%s", name);
	}
}
