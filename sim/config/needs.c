/* Parameters that have no effect on a run: which, and why. */
#include "sim/config/config.h"
#include "lib/strbuf.h"

typedef enum { IS, IS_NOT } Condition;

static const struct { const char *key, *other; Condition condition; int64_t value; } need[] = {
#define NEEDS(KEY, OTHER, CONDITION, VALUE) { KEY, OTHER, CONDITION, VALUE },
#define RUN(KEY, KIND)
#define REFERENCE(KEY)
#include "sim/config/needs.def"
#undef NEEDS
#undef RUN
#undef REFERENCE
};

static const struct { const char *key; MachineRun kind; } only[] = {
#define NEEDS(KEY, OTHER, CONDITION, VALUE)
#define RUN(KEY, KIND) { KEY, KIND },
#define REFERENCE(KEY)
#include "sim/config/needs.def"
#undef NEEDS
#undef RUN
#undef REFERENCE
};

static const char *const interpreted[] = {
#define NEEDS(KEY, OTHER, CONDITION, VALUE)
#define RUN(KEY, KIND)
#define REFERENCE(KEY) KEY,
#include "sim/config/needs.def"
#undef NEEDS
#undef RUN
#undef REFERENCE
};

/* The mechanism that runs reads none of the parameters of another, and not what bounds stacks or tables that
   it does not have. */
static bool model_needs(const Config *c, const ConfigKey *key, const char *name, StrBuf *why)
{
	const ModelKeys *m = model_keys((int)c->model);
	bool depth = !strcmp(name, "divergence.depth"), chunk = !strcmp(name, "divergence.chunk"),
		moves = !strcmp(name, "divergence.spill") || !strcmp(name, "divergence.entry_bytes");
	bool spills = depth || chunk || moves;
	if (key->model && strcmp(key->model, m->name))
		sb_printf(why, "under %s (only %s reads it)", m->name, key->model);
	else if (spills && m->spills == SPILLS_NOTHING)
		sb_printf(why, "under %s (it spills nothing)", m->name);
	else if ((depth || chunk) && m->spills == SPILLS_TABLE)
		sb_printf(why, "under %s (it has no stack; its own parameters say what is on chip)", m->name);
	else if ((chunk || moves) && m->spills == SPILLS_STACK && !c->div_depth)
		sb_puts(why, "while divergence.depth is 0");
	return !why->n;
}

/* The parameter is read only where another has some value, and does it have it? */
static bool machine_needs(const Config *c, const char *name, StrBuf *why)
{
	for (size_t i = 0; i < sizeof need / sizeof *need && !why->n; i++) {
		ConfigKey other;
		if (strcmp(need[i].key, name))
			continue;
		must(config_find(need[i].other, &other));
		if ((config_get(c, &other) == need[i].value) == (need[i].condition == IS))
			continue;
		StrBuf value = { 0 };
		config_print_value(&other, need[i].value, &value);
		sb_printf(why, "%s %s is %s", need[i].condition == IS ? "unless" : "while", need[i].other,
			value.s);
		sb_free(&value);
	}
	return !why->n;
}

/* Is it the key, or one of the group of that name? */
static bool is_within(const char *name, const char *key)
{
	size_t n = strlen(key);
	return !strncmp(name, key, n) && (!name[n] || name[n] == '.');
}

static bool interpreter_needs(const char *name, StrBuf *why)
{
	bool read = false;
	for (size_t i = 0; i < sizeof interpreted / sizeof *interpreted && !read; i++)
		read = is_within(name, interpreted[i]);
	sb_puts(why, read ? "" : "in the reference interpreter, which has no mechanisms and no time");
	return read;
}

static bool run_needs(const char *name, MachineRun kind, StrBuf *why)
{
	for (size_t i = 0; i < sizeof only / sizeof *only && kind != MACHINE_ANY && !why->n; i++) {
		if (is_within(name, only[i].key) && only[i].kind != kind)
			sb_puts(why, kind == MACHINE_TIMED ? "on timed runs (only --functional reads it)"
				: "on functional runs, which have no time");
	}
	return !why->n;
}

bool config_has_effect(const Config *c, const ConfigKey *key, MachineRun kind, StrBuf *why)
{
	char name[CONFIG_NAME];
	StrBuf own = { 0 };
	config_key_name(key, name);
	bool has = kind == MACHINE_REFERENCE ? interpreter_needs(name, &own)
		: model_needs(c, key, name, &own) && machine_needs(c, name, &own) &&
		run_needs(name, kind, &own);
	if (!has && why)
		sb_puts(why, own.s);
	sb_free(&own);
	return has;
}
