#include "tools/settings.h"
#include "lib/output.h"

/* Which parameters matter for what the command line runs. Passes may weigh what the machine does not read. */
static MachineRun run_of(const Options *o)
{
	for (int i = 0; i < o->passes.n; i++)
		if (*o->passes.v[i])
			return MACHINE_ANY;
	return o->reference ? MACHINE_REFERENCE : o->functional ? MACHINE_FUNCTIONAL : MACHINE_TIMED;
}

/* The number of mechanisms that run, and the i-th of them as --model takes it, NULL: that of the machine. */
static int count_models(const Options *o)
{
	int n = o->model.n;
	while (o->grid && !o->model.n && model_keys(n))
		n++;
	return n ? n : 1;
}

static const char *model_at(const Options *o, int i)
{
	return o->model.n ? o->model.v[i] : o->grid ? model_keys(i)->name : NULL;
}

bool settings_matter(const Session *s, const ConfigKey *key, StrBuf *why)
{
	int n = count_models(&s->opt);
	StrBuf first = { 0 };
	bool matters = false;
	for (int i = 0; i < n && !matters; i++) {
		const char *model = model_at(&s->opt, i);
		Config c = s->config;
		Diag d = { 0 };
		/* a mechanism that cannot be had is told of where it is to run */
		matters = (model && !config_set_model(&c, model, &d)) ||
			config_has_effect(&c, key, run_of(&s->opt), i ? NULL : &first);
		diag_free(&d);
	}
	if (!matters && why)
		sb_puts(why, first.s);
	if (!matters && why && n > 1 && !s->opt.reference)
		sb_printf(why, ", nor under the other mechanism%s of this run", n > 2 ? "s" : "");
	sb_free(&first);
	return matters;
}

/* Warns of a key=value of --model's brackets. The run tells of one that the mechanism does not have. */
static void warn_of_item(Session *s, const Config *c, const char *model, const char *item)
{
	char name[2 * CONFIG_NAME];
	ConfigKey key;
	StrBuf why = { 0 };
	int n = (int)strcspn(item, "= ");
	bool whole = memchr(item, '.', (size_t)n) != NULL;
	snprintf(name, sizeof name, "%.80s%s%.*s", whole ? "" : model, whole ? "" : ".", n > 90 ? 90 : n,
		item);
	if (config_find(name, &key) && !config_has_effect(c, &key, run_of(&s->opt), &why))
		output_printf(stderr, "warning: --model %s(%s): has no effect %s\n", model, item, why.s);
	sb_free(&why);
}

static void warn_of_model(Session *s, const char *spec)
{
	Arena a = { 0 };
	Diag d = { 0 };
	Config c = s->config;
	size_t n = strcspn(spec, "(");
	const char *model = arena_strndup(&a, spec, n);
	char *list = arena_strdup(&a, spec[n] ? spec + n + 1 : ""), *item;
	list[strcspn(list, ")")] = 0;
	if (config_set_model(&c, spec, &d))
		while ((item = strsep(&list, ","))) {
			item += strspn(item, " ");
			for (n = strlen(item); n && item[n - 1] == ' ';)
				item[--n] = 0;
			warn_of_item(s, &c, model, item);
		}
	diag_free(&d);
	arena_free(&a);
}

void settings_warn(Session *s)
{
	const Options *o = &s->opt;
	if (o->on == ON_GPU_ALONE || o->disassemble)
		return;
	for (int i = 0; i < o->model.n; i++)
		warn_of_model(s, o->model.v[i]);
	for (int i = 0; i < o->set.n; i++) {
		size_t n = strcspn(o->set.v[i], "=");
		const char *name = arena_strndup(&s->diag.arena, o->set.v[i], n);
		ConfigKey key;
		StrBuf why = { 0 };
		if (!config_find(name, &key))
			continue;
		if (!strcmp(name, "divergence.model") && (o->model.n || o->grid))
			sb_puts(&why, o->model.n ? "beside --model" : "beside --grid");
		else if (settings_matter(s, &key, &why))
			continue;
		output_printf(stderr, "warning: -D %s: has no effect %s\n", o->set.v[i], why.s);
		sb_free(&why);
	}
}
