/* The list of mechanisms: those of sim/config/mechanisms.def, in that order, and behind them those that a
   program has added. */
#include "lib/strbuf.h"
#include "sim/reconv/seam.h"
#include <ctype.h>

#define MODEL(NAME) extern const ReconvModel reconv_##NAME;
#include "sim/config/mechanisms.def"
#undef MODEL
static const ReconvModel *const built_in[] = {
#define MODEL(NAME) &reconv_##NAME,
#include "sim/config/mechanisms.def"
#undef MODEL
};
enum { BUILT_IN = sizeof built_in / sizeof *built_in };
_Static_assert((int)BUILT_IN < (int)MAX_MODELS, "there is room for all mechanisms");

static const ReconvModel *added[MAX_MODELS - BUILT_IN];
static int nadded;

const ReconvModel *reconv_model(int i)
{
	return i < 0 || i >= BUILT_IN + nadded ? NULL : i < BUILT_IN ? built_in[i] : added[i - BUILT_IN];
}

const ModelKeys *model_keys(int model)
{
	const ReconvModel *m = reconv_model(model);
	return m ? &m->keys : NULL;
}

/* ---- adding ---- */

/* Is it a name that machine files and --model can have? */
static bool is_model_name(const char *s)
{
	if (!s || !islower((unsigned char)*s) || strlen(s) >= MODEL_NAME)
		return false;
	while (islower((unsigned char)*s) || isdigit((unsigned char)*s) || *s == '_')
		s++;
	return !*s;
}

/* Has the machine a parameter or a group of parameters of this name, such as l1? */
static bool of_the_machine(const char *name)
{
	ConfigKey key;
	size_t n = strlen(name);
	for (int i = 0; config_key(i, &key); i++)
		if (!key.model && !strncmp(key.key, name, n) && (!key.key[n] || key.key[n] == '.'))
			return true;
	return false;
}

/* The largest number that the parameter's value can have. */
static int64_t largest_choice(const ConfigKey *p)
{
	int64_t n = p->type == CT_INT ? p->most : p->type == CT_BOOL ? 1 : 0;
	for (const char *c = p->choices; p->type == CT_ENUM && (c = strchr(c, '|')); c++)
		n++;
	return n;
}

/* What is wrong with a parameter, or NULL. */
static const char *param_refused(const ConfigKey *p)
{
	if (!p->help)
		return "has no help";
	if (p->type != CT_INT && p->type != CT_BOOL && p->type != CT_ENUM)
		return "is of no type that there is";
	if (p->type == CT_INT && !p->unit)
		return "has no unit";
	if (p->type == CT_ENUM && !p->choices)
		return "has no choices";
	if (p->value < (p->type == CT_INT ? p->least : 0) || p->value > largest_choice(p))
		return "has a default out of its range";
	return NULL;
}

static bool params_allowed(const ReconvModel *m, StrBuf *why)
{
	if (m->nparams < 0 || m->nparams > MAX_MODEL_PARAMS || (m->nparams && !m->params)) {
		sb_printf(why, "the mechanism %s has %d parameters, of at most %d", m->name, m->nparams,
			MAX_MODEL_PARAMS);
		return false;
	}
	for (int k = 0; k < m->nparams; k++) {
		const ConfigKey *p = &m->params[k];
		bool twice = false;
		if (!is_model_name(p->key)) {
			sb_printf(why, "the mechanism %s has a parameter without a name of small letters, "
				"digits and _", m->name);
			return false;
		}
		for (int x = 0; x < k; x++)
			twice |= !strcmp(m->params[x].key, p->key);
		const char *wrong = twice ? "is there twice" : param_refused(p);
		if (wrong) {
			sb_printf(why, "the mechanism %s: its parameter %s %s", m->name, p->key, wrong);
			return false;
		}
	}
	return true;
}

/* The hook that every mechanism must have and this one lacks, or NULL. */
static const char *missing_hook(const ReconvModel *m)
{
	return !m->lower ? "lower" : !m->state_size ? "state_size" : !m->launch ? "launch"
		: !m->branch ? "branch" : !m->reach ? "reach"
		: !m->call ? "call" : !m->ret ? "ret" : !m->exit ? "exit"
		: !m->depth ? "depth" : m->nown && !m->special ? "special" : NULL;
}

static bool table_allowed(const ReconvModel *m, StrBuf *why)
{
	const char *hook = missing_hook(m);
	if (!m->help)
		sb_printf(why, "the mechanism %s has no help", m->name);
	else if (hook)
		sb_printf(why, "the mechanism %s lacks the hook %s", m->name, hook);
	else if (m->nown < 0 || m->nown > UINT8_MAX || (m->nown && !m->own))
		sb_printf(why, "the mechanism %s has no table of its %d operations", m->name, m->nown);
	else if (m->regroups && !(m->sync_waits && m->lane_scoreboard))
		sb_printf(why, "the mechanism %s regroups lanes, for which it needs sync_waits and "
			"lane_scoreboard", m->name);
	for (int k = 0; !why->n && k < m->nown; k++)
		if (m->own[k].name && (!m->own[k].operands || !m->own[k].meaning ||
			m->own[k].unit >= UNIT_COUNT))
			sb_printf(why, "the mechanism %s: its operation %s lacks operands, unit or meaning",
				m->name, m->own[k].name);
	return !why->n && params_allowed(m, why);
}

bool reconv_add(const ReconvModel *m, StrBuf *why)
{
	if (!is_model_name(m->name)) {
		sb_printf(why, "a mechanism has no name of small letters, digits and _, %d at most",
			MODEL_NAME - 1);
		return false;
	}
	for (int i = 0; reconv_model(i); i++)
		if (!strcmp(reconv_model(i)->name, m->name)) {
			sb_printf(why, "there is a mechanism %s already", m->name);
			return false;
		}
	if (of_the_machine(m->name)) {
		sb_printf(why, "%s is the name of the machine's own parameters, and no mechanism's", m->name);
		return false;
	}
	if (!table_allowed(m, why))
		return false;
	if (BUILT_IN + nadded == (int)MAX_MODELS) {
		sb_printf(why, "there are %d mechanisms, and no room for %s", MAX_MODELS, m->name);
		return false;
	}
	added[nadded++] = m;
	config_name_model(m->name);
	return true;
}
