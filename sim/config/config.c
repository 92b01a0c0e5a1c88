/* The table of machine parameters (config.def and the mechanisms' own rows), and values by name. */
#include "sim/config/config.h"
#include "lib/hash.h"
#include "lib/number.h"
#include "lib/strbuf.h"
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

/* The choices of divergence.model, in the order of Config.model. */
static char model_names[MAX_MODELS * (MODEL_NAME + 1)] =
#define MODEL(NAME) "|" #NAME
#include "sim/config/mechanisms.def"
#undef MODEL
;
#define RECONV_NAMES (model_names + 1)

void config_name_model(const char *name)
{
	size_t n = strlen(model_names);
	must(n + 1 + strlen(name) < sizeof model_names);
	snprintf(model_names + n, sizeof model_names - n, "|%s", name);
}

static const char none_or_unit[] = "none"
#define X(ID, NAME, ...) "|" NAME
	UNITS(X)
#undef X
;
#define NONE_OR_UNIT none_or_unit

static const char sched_names[] =
#define X(ID, NAME) "|" #NAME
	SCHED_POLICIES(X)
#undef X
;
#define SCHED_NAMES (sched_names + 1)

static const ConfigKey rows[] = {
#define INT(KEY, FIELD, VALUE, LEAST, MOST, UNIT, HELP) \
	{ NULL, KEY, CT_INT, offsetof(Config, FIELD), VALUE, LEAST, MOST, NULL, UNIT, HELP },
#define BOOL(KEY, FIELD, VALUE, HELP) { NULL, KEY, CT_BOOL, offsetof(Config, FIELD), VALUE, 0, 1, NULL, \
	NULL, HELP },
#define ENUM(KEY, FIELD, VALUE, CHOICES, HELP) \
	{ NULL, KEY, CT_ENUM, offsetof(Config, FIELD), VALUE, 0, 0, CHOICES, NULL, HELP },
#include "sim/config/config.def"
#undef INT
#undef BOOL
#undef ENUM
};
enum { NROWS = sizeof rows / sizeof *rows };

static int count_choices(const char *s)
{
	int n = 1;
	for (; *s; s++)
		n += *s == '|';
	return n;
}

/* Gives the key what its type says of its range. */
static void set_range(ConfigKey *key)
{
	if (key->type == CT_ENUM) {
		key->least = 0;
		key->most = count_choices(key->choices) - 1;
	} else if (key->type == CT_BOOL) {
		key->least = 0;
		key->most = 1;
	}
}

/* Fills in parameter i of the mechanism of this index, whose keys m are. */
static void fill_model_key(const ModelKeys *m, int model, int i, ConfigKey *key)
{
	must(model < MAX_MODELS && m->nparams <= MAX_MODEL_PARAMS);
	*key = m->params[i];
	key->model = m->name;
	key->offset = offsetof(Config, model_param) + sizeof(int64_t) *
		(size_t)(model * MAX_MODEL_PARAMS + i);
	set_range(key);
}

bool config_key(int i, ConfigKey *key)
{
	const ModelKeys *m;
	int model = 0;
	if (i < NROWS) {
		*key = rows[i];
		set_range(key);
		return true;
	}
	for (i -= NROWS; (m = model_keys(model)) && i >= m->nparams; model++)
		i -= m->nparams;
	if (!m)
		return false;
	fill_model_key(m, model, i, key);
	return true;
}

const char *config_key_name(const ConfigKey *key, char name[CONFIG_NAME])
{
	size_t n = key->model ? strlen(key->model) : 0, size = strlen(key->key) + 1;
	must(n + 1 + size <= CONFIG_NAME);
	if (n) {
		memcpy(name, key->model, n);
		name[n++] = '.';
	}
	memcpy(name + n, key->key, size);
	return name;
}

static StrMap row_of_name;
static void index_rows(void)
{
	for (int i = 0; i < NROWS; i++)
		strmap_put(&row_of_name, rows[i].key, i);
}

bool config_find(const char *name, ConfigKey *key)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *dot = strchr(name, '.');
	const ModelKeys *m;
	pthread_once(&once, index_rows);
	int row = strmap_get(&row_of_name, name);
	if (row >= 0)
		return config_key(row, key);
	size_t n = dot ? (size_t)(dot - name) : 0;
	for (int model = 0; n && (m = model_keys(model)); model++)
		for (int i = 0; i < m->nparams && !strncmp(m->name, name, n) && !m->name[n]; i++)
			if (!strcmp(m->params[i].key, dot + 1)) {
				fill_model_key(m, model, i, key);
				return true;
			}
	return false;
}

bool config_is_group(const char *name)
{
	const ModelKeys *m;
	size_t n = strlen(name);
	for (int i = 0; i < NROWS; i++)
		if (!strncmp(rows[i].key, name, n) && rows[i].key[n] == '.')
			return true;
	for (int i = 0; (m = model_keys(i)); i++)
		if (m->nparams && !strcmp(m->name, name))
			return true;
	return false;
}

void config_nearest(const char *name, char near[CONFIG_NAME])
{
	Arena a = { 0 };
	Vec(const char *) names = { 0 };
	ConfigKey key;
	char whole[CONFIG_NAME];
	const char *dot = strrchr(name, '.');
	near[0] = 0;
	for (int i = 0; config_key(i, &key); i++) {
		vec_push(&names, arena_strdup(&a, config_key_name(&key, whole)));
		const char *leaf = strrchr(whole, '.');
		if (!dot && leaf && !strcmp(leaf + 1, name) && !near[0])
			snprintf(near, CONFIG_NAME, "%s", whole);
	}
	const char *best = near[0] ? NULL : nearest_name(name, names.v, names.n);
	if (best)
		snprintf(near, CONFIG_NAME, "%s", best);
	vec_free(&names);
	arena_free(&a);
}

static int64_t *field(Config *c, const ConfigKey *key)
{
	return (int64_t *)(void *)((char *)c + key->offset);
}

int64_t config_get(const Config *c, const ConfigKey *key)
{
	int64_t v;
	memcpy(&v, (const char *)c + key->offset, sizeof v);
	return v;
}

void config_defaults(Config *c)
{
	const ModelKeys *m;
	memset(c, 0, sizeof *c);
	for (int i = 0; i < NROWS; i++)
		*field(c, &rows[i]) = rows[i].value;
	for (int model = 0; (m = model_keys(model)); model++)
		for (int i = 0; i < m->nparams; i++)
			c->model_param[model][i] = m->params[i].value;
}

bool config_put(Config *c, const ConfigKey *key, int64_t value, Loc where, Diag *diag)
{
	char name[CONFIG_NAME];
	if (value < key->least || value > key->most) {
		diag_error(diag, where, "%s = %lld is out of range: %lld to %lld%s%s",
			config_key_name(key, name), (long long)value, (long long)key->least,
			(long long)key->most, key->unit ? " " : "", key->unit ? key->unit : "");
		return false;
	}
	*field(c, key) = value;
	return true;
}

/* The place of a name in "a|b|c", or -1. */
static int choice_index(const char *choices, const char *name)
{
	size_t n = strlen(name);
	for (int i = 0;; i++) {
		const char *end = strchr(choices, '|');
		size_t len = end ? (size_t)(end - choices) : strlen(choices);
		if (len == n && !memcmp(choices, name, n))
			return i;
		if (!end)
			return -1;
		choices = end + 1;
	}
}

/* The choice most like a word, or NULL. */
static const char *nearest_choice(const ConfigKey *key, const char *word, Diag *diag)
{
	Vec(const char *) names = { 0 };
	for (const char *p = key->choices; *p; p += strcspn(p, "|"), p += *p == '|')
		vec_push(&names, arena_strndup(&diag->arena, p, strcspn(p, "|")));
	const char *near = nearest_name(word, names.v, names.n);
	vec_free(&names);
	return near;
}

bool config_put_name(Config *c, const ConfigKey *key, const char *choice, Loc where, Diag *diag)
{
	char name[CONFIG_NAME];
	int i = choice_index(key->choices, choice);
	if (i >= 0)
		return config_put(c, key, i, where, diag);
	StrBuf all = { 0 };
	const char *near = nearest_choice(key, choice, diag);
	config_print_choices(key, &all);
	diag_error(diag, where, "%s: unknown value '%.60s'%s%s%s; expected %s", config_key_name(key, name),
		choice, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all.s);
	sb_free(&all);
	return false;
}

/* Parses a decimal or 0x number, which must be the whole text. */
static bool parse_int(const char *s, int64_t *value)
{
	char *end;
	errno = 0;
	long long v = strtoll(s, &end, 0);
	*value = v;
	return *s && !*end && !errno && *s != ' ';
}

bool config_set(Config *c, const char *name, const char *value, Diag *diag)
{
	ConfigKey key;
	Loc where = { 0 };
	int64_t v;
	if (!config_find(name, &key)) {
		char near[CONFIG_NAME];
		const char *dot = strchr(name, '.');
		config_nearest(name, near);
		if (dot && config_find(dot + 1, &key) && !key.model)
			diag_error(diag, where, "unknown parameter '%.80s'; %s is no mechanism's, but the "
				"machine's: -D %s=%.60s", name, dot + 1, dot + 1, value);
		else if (near[0])
			diag_error(diag, where, "unknown parameter '%.80s'; did you mean '%s'?", name, near);
		else
			diag_error(diag, where, "unknown parameter '%.80s'; --print-config shows all", name);
		return false;
	}
	if (key.type == CT_ENUM)
		return config_put_name(c, &key, value, where, diag);
	if (key.type == CT_BOOL && (!strcmp(value, "true") || !strcmp(value, "false")))
		return config_put(c, &key, value[0] == 't', where, diag);
	if (!parse_int(value, &v)) {
		diag_error(diag, where, "%s = '%.60s': expected %s", name, value,
			key.type == CT_BOOL ? "true or false" : "a whole number");
		return false;
	}
	return config_put(c, &key, v, where, diag);
}

static char *trimmed(char *s)
{
	s += strspn(s, " ");
	for (char *end = s + strlen(s); end > s && end[-1] == ' ';)
		*--end = 0;
	return s;
}

/* Reports a parameter that the mechanism does not have: the machine may have it, or a similar one. */
static void no_such_param(const char *model, const char *item, const char *value, Diag *diag)
{
	const ModelKeys *m;
	Vec(const char *) names = { 0 };
	StrBuf text = { 0 };
	char near[CONFIG_NAME];
	ConfigKey key;
	for (int i = 0; (m = model_keys(i)) && strcmp(m->name, model);)
		i++;
	for (int i = 0; m && i < m->nparams; i++)
		vec_push(&names, m->params[i].key);
	sb_printf(&text, "mechanism %s has no parameter '%.60s'", model, item);
	const char *own = nearest_name(item, names.v, names.n), *leaf;
	config_nearest(item, near);
	leaf = strrchr(near, '.') ? strrchr(near, '.') + 1 : near;
	if (*near && !strcmp(leaf, item) && config_find(near, &key) && !key.model) {
		sb_printf(&text, "; it is the machine's: -D %s=%.60s", near, value);
	} else if (own) {
		sb_printf(&text, "; did you mean '%s'?", own);
	} else {
		sb_puts(&text, names.n ? "; it has" : "; it has none");
		for (int i = 0; i < names.n; i++)
			sb_printf(&text, "%s %s", i ? "," : "", names.v[i]);
	}
	diag_error(diag, (Loc){ 0 }, "%s", text.s);
	sb_free(&text);
	vec_free(&names);
}

/* Sets one key=value of a mechanism's list. */
static bool set_param(Config *c, const char *model, char *item, Diag *diag)
{
	char key[2 * CONFIG_NAME], *value = strchr(item, '=');
	if (!value) {
		diag_error(diag, (Loc){ 0 }, "--model %.60s: expected key=value, not '%.60s'", model, item);
		return false;
	}
	*value++ = 0;
	if (strchr(item, '.'))
		return config_set(c, item, value, diag);
	snprintf(key, sizeof key, "%.60s.%.60s", model, item);
	if (config_find(key, &(ConfigKey){ 0 }))
		return config_set(c, key, value, diag);
	no_such_param(model, item, value, diag);
	return false;
}

bool config_set_model(Config *c, const char *spec, Diag *diag)
{
	size_t n = strcspn(spec, "("), length = strlen(spec);
	char *model = arena_strndup(&diag->arena, spec, n);
	if (!config_set(c, "divergence.model", model, diag))
		return false;
	if (n == length)
		return true;
	if (spec[length - 1] != ')') {
		diag_error(diag, (Loc){ 0 }, "--model %.80s: expected NAME(key=value, ...)", spec);
		return false;
	}
	char *list = arena_strndup(&diag->arena, spec + n + 1, length - n - 2), *item;
	if (!list[strspn(list, " ")])
		return true;
	while ((item = strsep(&list, ",")))
		if (!set_param(c, model, trimmed(item), diag))
			return false;
	return true;
}

/* ---- rules about several parameters ---- */

static bool check_cache(const char *name, int64_t bytes, int64_t line, int64_t sector, int64_t ways, Diag *d)
{
	int before = d->errors;
	Loc at = { 0 };
	if (!is_power_of_two(line))
		diag_error(d, at, "%s.line_bytes = %lld must be a power of two", name, (long long)line);
	if (sector && (!is_power_of_two(sector) || sector > line))
		diag_error(d, at, "%s.sector_bytes = %lld must be a power of two that is at most the line's "
			"%lld bytes", name, (long long)sector, (long long)line);
	if (bytes % (line * ways))
		diag_error(d, at, "%s: %lld bytes are no multiple of %lld ways x %lld bytes of a line", name,
			(long long)bytes, (long long)ways, (long long)line);
	return d->errors == before;
}

const char *config_memory_refused(const Config *c)
{
	const struct { bool ok; const char *why; } rule[] = {
		{ is_power_of_two(c->l1_line) && is_power_of_two(c->l1_sector),
			"l1.line_bytes and l1.sector_bytes must be powers of two" },
		{ is_power_of_two(c->l2_line) && is_power_of_two(c->l2_sector),
			"l2.line_bytes and l2.sector_bytes must be powers of two" },
		{ is_power_of_two(c->const_line), "constant.line_bytes must be a power of two" },
		{ is_power_of_two(c->fetch_line), "fetch.line_bytes must be a power of two" },
		{ is_power_of_two(c->dram_row), "dram.row_bytes must be a power of two" },
		{ is_power_of_two(c->shared_bank_bytes), "shared.bank_bytes must be 4 or 8" },
		{ c->l1_sector <= c->l1_line, "l1.sector_bytes must not be larger than l1.line_bytes" },
		{ c->l2_sector <= c->l2_line, "l2.sector_bytes must not be larger than l2.line_bytes" },
		{ c->l2_sector <= c->l1_sector, "l2.sector_bytes must not be larger than l1.sector_bytes" },
		{ c->l2_line <= c->dram_row, "l2.line_bytes must not be larger than dram.row_bytes" },
		{ c->dram_hit <= c->dram_miss, "dram.row_miss must not be smaller than dram.row_hit" },
	};
	for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
		if (!rule[i].ok)
			return rule[i].why;
	return NULL;
}

/* Gives the unit the latencies that it leaves open: those of the unit of which it is a class if it has none
   of its own, else its latency to readers of other kinds. */
static void complete_latencies(UnitConfig *x, const UnitConfig *of)
{
	const UnitConfig mine = { .fma_latency = x->latency, .guard_latency = x->latency,
		.decoupled_latency = x->latency };
	const UnitConfig *from = x->latency ? &mine : of;
	x->latency = x->latency ? x->latency : of->latency;
	x->fma_latency = x->fma_latency ? x->fma_latency : from->fma_latency;
	x->guard_latency = x->guard_latency ? x->guard_latency : from->guard_latency;
	x->decoupled_latency = x->decoupled_latency ? x->decoupled_latency : from->decoupled_latency;
}

void config_complete_units(Config *c)
{
	for (int u = 0; u < UNIT_COUNT; u++) {
		UnitConfig *x = &c->unit[u];
		int parent = unit_parent[u];
		const UnitConfig *of = &c->unit[parent];
		if (!x->count) {
			x->count = of->count;
			x->per = of->per;
			x->shares = of->shares ? of->shares : parent + 1;
		}
		complete_latencies(x, of);
		if (!x->interval)
			x->interval = of->interval;
	}
}

/* A unit may share the copies of another unit only if that one has copies of its own. */
static void check_shared_units(const Config *config, Diag *d)
{
	Config complete = *config, *c = &complete;
	config_complete_units(c);
	for (int u = 0; u < UNIT_COUNT; u++) {
		int64_t of = c->unit[u].shares - 1;
		if (of < 0)
			continue;
		if (c->unit[of].shares)
			diag_error(d, (Loc){ 0 }, "units.%s.shares = %s: that unit has no copies of its own, "
				"but shares %s's", unit_name[u], unit_name[of],
				unit_name[c->unit[of].shares - 1]);
		else if (c->unit[u].count > c->unit[of].count)
			diag_error(d, (Loc){ 0 }, "units.%s.count = %lld is more than the %lld copies of %s, "
				"which it shares", unit_name[u], (long long)c->unit[u].count,
				(long long)c->unit[of].count, unit_name[of]);
	}
}

bool config_check(const Config *c, Diag *d)
{
	int before = d->errors;
	Loc at = { 0 };
	check_cache("fetch", c->fetch_bytes, c->fetch_line, 0, c->fetch_ways, d);
	check_cache("l1", c->l1_bytes, c->l1_line, c->l1_sector, c->l1_ways, d);
	check_cache("constant", c->const_bytes, c->const_line, 0, c->const_ways, d);
	check_cache("l2", c->l2_bytes, c->l2_line, c->l2_sector, c->l2_ways, d);
	if (c->l2_bytes % (c->l2_slices * c->l2_ways * c->l2_line))
		diag_error(d, at, "l2.bytes = %lld is no multiple of %lld slices x %lld ways x %lld bytes of "
			"a line", (long long)c->l2_bytes, (long long)c->l2_slices, (long long)c->l2_ways,
			(long long)c->l2_line);
	if (c->launch_cold && c->launch_warm)
		diag_error(d, at, "launch.cold and launch.warm are both true: caches are either empty or "
			"warm when a launch begins");
	if (!is_power_of_two(c->warp_size))
		diag_error(d, at, "warp_size = %lld must be a power of two", (long long)c->warp_size);
	if (!is_power_of_two(c->fetch_ins_bytes) || c->fetch_line % c->fetch_ins_bytes)
		diag_error(d, at, "fetch.instruction_bytes = %lld must be a power of two that divides "
			"fetch.line_bytes = %lld", (long long)c->fetch_ins_bytes, (long long)c->fetch_line);
	if (!is_power_of_two(c->shared_bank_bytes))
		diag_error(d, at, "shared.bank_bytes = %lld must be a power of two",
			(long long)c->shared_bank_bytes);
	if (c->sm_max_shared > c->sm_shared)
		diag_error(d, at, "sm.max_shared_per_block = %lld is more than sm.shared_bytes = %lld",
			(long long)c->sm_max_shared, (long long)c->sm_shared);
	if (c->sm_max_block > c->sm_max_warps * c->warp_size)
		diag_error(d, at, "sm.max_threads_per_block = %lld is more than sm.max_warps x warp_size = "
			"%lld; with warps of %lld lanes set sm.max_threads_per_block to that",
			(long long)c->sm_max_block, (long long)(c->sm_max_warps * c->warp_size),
			(long long)c->warp_size);
	if (!is_power_of_two(c->dram_row) || c->dram_row % c->l2_line)
		diag_error(d, at, "dram.row_bytes = %lld must be a power of two and a multiple of "
			"l2.line_bytes = %lld", (long long)c->dram_row, (long long)c->l2_line);
	check_shared_units(c, d);
	const char *why = d->errors == before ? config_memory_refused(c) : NULL;
	if (why)
		diag_error(d, at, "%s", why);
	return d->errors == before;
}
