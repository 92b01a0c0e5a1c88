#include "tools/settings.h"
#include "lib/output.h"

/* Which parameters matter for what the command line runs. Passes may weigh what the machine does not read. */
static MachineRun run_of(const Options *o)
{
	for (int i = 0; i < o->passes.n; i++)
		if (*o->passes.v[i])
			return MACHINE_ANY;
	return o->functional ? MACHINE_FUNCTIONAL : MACHINE_TIMED;
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
	if (!matters && why && n > 1)
		sb_printf(why, ", nor under the other mechanism%s of this run", n > 2 ? "s" : "");
	sb_free(&first);
	return matters;
}

void settings_warn(Session *s)
{
	const Options *o = &s->opt;
	if (o->reference || o->on == ON_GPU_ALONE || o->disassemble)
		return;
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
