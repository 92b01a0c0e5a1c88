/* gsim --list WHAT: the master tables as text, which the manual shows too, and the kernels of a module. */
#include "tools/list.h"
#include "isa/launch.h"
#include "passes/pass.h"
#include "sim/record/stats.h"
#include "tools/options.h"

/* The name in place i of "a|b|c". */
static const char *choice(const char *choices, int64_t i, int *n)
{
	while (i-- > 0)
		choices = strchr(choices, '|') + 1;
	*n = (int)strcspn(choices, "|");
	return choices;
}

/* Its default, and what it may be. */
static void put_values(const ConfigKey *key, StrBuf *out)
{
	int n;
	if (key->type == CT_ENUM) {
		const char *c = choice(key->choices, key->value, &n);
		sb_printf(out, "%.*s (%s)", n, c, key->choices);
	} else if (key->type == CT_BOOL) {
		sb_puts(out, key->value ? "true" : "false");
	} else {
		sb_printf(out, "%lld (%lld to %lld%s%s)", (long long)key->value, (long long)key->least,
			(long long)key->most, key->unit ? " " : "", key->unit ? key->unit : "");
	}
}

/* Columns as wide as the model's widest. */
static void list_model_parameters(const ModelKeys *m, StrBuf *out)
{
	StrBuf value = { 0 };
	int wide[2] = { 0, 0 };
	for (int put = 0; put < 2; put++)
		for (int k = 0; k < m->nparams; k++) {
			char name[CONFIG_NAME];
			int n = snprintf(name, sizeof name, "%s.%s", m->name, m->params[k].key);
			value.n = 0;
			put_values(&m->params[k], &value);
			if (put)
				sb_printf(out, "    %-*s  %-*s  %s\n", wide[0], name, wide[1], value.s,
					m->params[k].help);
			wide[0] = n > wide[0] ? n : wide[0];
			wide[1] = (int)value.n > wide[1] ? (int)value.n : wide[1];
		}
	sb_free(&value);
}

static void list_models(StrBuf *out)
{
	const ModelKeys *m;
	for (int i = 0; (m = model_keys(i)); i++) {
		sb_printf(out, "%s%-16s %s\n", i ? "\n" : "", m->name, m->help);
		if (m->source)
			sb_printf(out, "    source: %s\n", m->source);
		list_model_parameters(m, out);
	}
}

static void list_parameters(StrBuf *out)
{
	ConfigKey key;
	char name[CONFIG_NAME];
	for (int i = 0; config_key(i, &key); i++) {
		sb_printf(out, "%-34s ", config_key_name(&key, name));
		if (key.type == CT_ENUM)
			sb_printf(out, "%s: %s\n", key.choices, key.help);
		else if (key.type == CT_BOOL)
			sb_printf(out, "%s: %s\n", key.value ? "true" : "false", key.help);
		else
			sb_printf(out, "%lld (%lld to %lld %s): %s\n", (long long)key.value,
				(long long)key.least, (long long)key.most, key.unit, key.help);
	}
}

static void list_statistics(StrBuf *out)
{
	const StatInfo *f;
	for (int i = 0; (f = figure_info(i)); i++)
		sb_printf(out, "%-32s %s: %s%s\n", f->path, f->unit, f->help,
			f->max ? " (launches: the largest)" : "");
	for (const RowStat *r = row_stats; r->path; r++)
		sb_printf(out, "%-32s %s: %s\n", r->path, r->unit, r->help);
}

static void list_operations(StrBuf *out)
{
	const ModelKeys *m, *before;
	for (int op = 1; op < OP_COUNT; op++)
		if (!(op_info[op].flags & OPF_MACH))
			sb_printf(out, "%-16s %-8s %s\n", op_info[op].name, unit_name[op_info[op].unit],
				op_info[op].meaning);
	for (int k = 0; (m = model_keys(k)); k++) {
		bool listed = false; /* a mechanism that is built on another has the same */
		for (int x = 0; x < k && (before = model_keys(x)); x++)
			listed |= before->own == m->own;
		for (int i = 0; i < m->nown && !listed; i++)
			if (m->own[i].name)
				sb_printf(out, "%-16s %-8s %s: %s\n", m->own[i].name,
					unit_name[m->own[i].unit], m->name, m->own[i].meaning);
	}
}

bool list_refused(const Module *m, const Function *kernel, StrBuf *out)
{
	StrBuf why = { 0 };
	Loc where;
	bool refused = kernel_refused(m, kernel, &where, &why);
	if (refused) {
		sb_puts(out, "refused  ");
		ir_print_signature(kernel, out);
		sb_printf(out, "\n         %s:%d:%d: %s\n", where.file ? where.file : m->name, where.line,
			where.col, why.s);
	}
	sb_free(&why);
	return refused;
}

void list_kernels(const Module *m, StrBuf *out)
{
	for (int k = 0; k < m->func.n; k++) {
		const Function *f = m->func.v[k];
		if (f->kind != FN_KERNEL || list_refused(m, f, out))
			continue;
		sb_puts(out, "runs     ");
		ir_print_signature(f, out);
		sb_putc(out, '\n');
	}
	if (!out->n)
		sb_printf(out, "%s has no kernels\n", m->name);
}

static const struct { const char *name; void (*list)(StrBuf *); } lists[] = {
	{ "models", list_models }, { "passes", pass_list }, { "configs", list_configs },
	{ "machines", list_machines },
	{ "parameters", list_parameters },
	{ "statistics", list_statistics }, { "operations", list_operations }, { "options", options_list },
};

bool list_table(const char *what, StrBuf *out)
{
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (!strcmp(lists[i].name, what)) {
			lists[i].list(out);
			return true;
		}
	return false;
}
