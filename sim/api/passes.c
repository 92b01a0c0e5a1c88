/* Passes over a module, with what they may know of a machine and of a run. */
#include "sim/api/api.h"
#include "passes/analysis/profile.h"

void pass_log_copy(PassLog *to, const PassLog *from)
{
	for (int k = 0; k < from->count.n; k++) {
		PassCount c = from->count.v[k];
		c.pass = arena_strdup(&to->arena, c.pass);
		c.function = arena_strdup(&to->arena, c.function);
		c.what = arena_strdup(&to->arena, c.what);
		vec_push(&to->count, c);
	}
	for (int k = 0; k < from->idle.n; k++) {
		PassIdle i = from->idle.v[k];
		i.pass = arena_strdup(&to->arena, i.pass);
		i.why = arena_strdup(&to->arena, i.why);
		vec_push(&to->idle, i);
	}
}

/* What a pipeline has done stands behind what earlier ones did; its steps are numbered on. */
static void keep_log(GsimModule *m, PassLog *log, const char *pipeline)
{
	for (int k = 0; k < log->count.n; k++)
		log->count.v[k].step += m->steps;
	for (int k = 0; k < log->idle.n; k++)
		log->idle.v[k].step += m->steps;
	pass_log_copy(&m->log, log);
	m->steps += pipeline_steps(pipeline);
	sb_printf(&m->passes, "%s%s", m->passes.n ? "," : "", pipeline);
}

/* A remark for each line. */
static void say_counts(const GsimModule *m, const PassLog *log)
{
	StrBuf text = { 0 };
	pass_log_print(log, &text);
	for (char *line = text.s, *end; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = 0;
		messages_say(&m->messages, GSIM_REMARK, line);
	}
	sb_free(&text);
}

GsimStatus gsim_module_passes(GsimModule *module, const GsimMachine *machine, const char *pipeline, int flags)
{
	IN_C_LOCALE;
	Config defaults;
	if (!module_enter(module, __func__) ||
		(machine && !machine_enter(machine, __func__)))
		return GSIM_MISUSE;
	if (!pipeline || flags & ~(GSIM_REMARKS | GSIM_COUNTS))
		return misuse(&module->messages, pipeline ? "%s: there are no such flags"
			: "%s: the pipeline is NULL", __func__);
	if (pipeline_empty(pipeline))
		return GSIM_OK;
	config_defaults(&defaults);
	PassLog log = { .remarks = flags & GSIM_REMARKS };
	Module *copy = module_copy(module->module);
	messages_begin(&module->messages);
	bool ok = config_transform(machine ? &machine->config : &defaults, copy, pipeline, module->profile,
		&log, &module->messages.diag);
	if (ok) {
		Module *old = module->module;
		module->module = copy;
		copy = old;
		keep_log(module, &log, pipeline);
	}
	module_free(copy);
	messages_tell(&module->messages);
	if (ok && flags & GSIM_COUNTS)
		say_counts(module, &log);
	pass_log_free(&log);
	return ok ? GSIM_OK : GSIM_BAD_INPUT;
}

GsimStatus gsim_module_profile(GsimModule *module, const GsimReport *report)
{
	IN_C_LOCALE;
	if (!module_enter(module, __func__) || !report_enter(report, __func__))
		return GSIM_MISUSE;
	const char *json = gsim_report_json(report);
	messages_begin(&module->messages);
	Profile *p = profile_read(&module->arena, json, strlen(json), "the report", &module->messages.diag);
	if (p) {
		profile_check(p, "the report", module->module->name, module->hash, &module->messages.diag);
		module->profile = p;
	}
	messages_tell(&module->messages);
	return p ? GSIM_OK : GSIM_BAD_INPUT;
}
