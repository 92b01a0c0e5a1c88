/* Machines: configurations that a program reads and changes. */
#include "sim/api/api.h"

static GsimMachine *machine_new(GsimOnMessage *call, void *self)
{
	GsimMachine *m = xcalloc(1, sizeof *m);
	handle_open(&m->handle, HANDLE_MACHINE);
	messages_open(&m->messages, call, self);
	return m;
}

bool machine_enter(const GsimMachine *machine, const char *function)
{
	return handle_is(machine, HANDLE_MACHINE, function) && messages_quiet(&machine->messages, function);
}

GsimMachine *gsim_machine_new(const char *file, GsimOnMessage *on_message, void *self)
{
	IN_C_LOCALE;
	GsimMachine *m = machine_new(on_message, self);
	bool ok = true;
	MachineTexts texts = { 0 };
	if (file)
		ok = config_load_texts(&m->config, file, &texts, &m->messages.diag);
	else
		config_defaults(&m->config);
	if (ok && file)
		marks_read(&m->marks, &texts);
	config_free_texts(&texts);
	m->path = file ? xstrdup(file) : NULL;
	m->file = m->config;
	messages_tell(&m->messages);
	if (!ok)
		gsim_machine_free(m);
	return ok ? m : NULL;
}

GsimMachine *gsim_machine_copy(const GsimMachine *machine)
{
	if (!machine_enter(machine, __func__))
		return NULL;
	GsimMachine *m = machine_new(machine->messages.call, machine->messages.self);
	m->config = machine->config;
	m->file = machine->file;
	marks_copy(&m->marks, &machine->marks);
	m->path = machine->path ? xstrdup(machine->path) : NULL;
	m->mechanism = machine->mechanism ? xstrdup(machine->mechanism) : NULL;
	return m;
}

void gsim_machine_free(GsimMachine *machine)
{
	if (!machine || !machine_enter(machine, __func__))
		return;
	handle_close(&machine->handle);
	free(machine->path);
	free(machine->mechanism);
	marks_free(&machine->marks);
	diag_free(&machine->messages.diag);
	free(machine);
}

GsimStatus gsim_machine_set(GsimMachine *machine, const char *key, const char *value)
{
	IN_C_LOCALE;
	if (!machine_enter(machine, __func__))
		return GSIM_MISUSE;
	if (!key || !value)
		return misuse(&machine->messages, "%s: the %s is NULL", __func__, key ? "value" : "key");
	int64_t model = machine->config.model;
	messages_begin(&machine->messages);
	bool ok = config_set(&machine->config, key, value, &machine->messages.diag);
	messages_tell(&machine->messages);
	if (ok)
		marks_give(&machine->marks, key);
	if (machine->config.model != model) { /* reports do not show what was set before */
		free(machine->mechanism);
		machine->mechanism = NULL;
	}
	return ok ? GSIM_OK : GSIM_BAD_INPUT;
}

GsimStatus gsim_machine_set_mechanism(GsimMachine *machine, const char *mechanism)
{
	IN_C_LOCALE;
	if (!machine_enter(machine, __func__))
		return GSIM_MISUSE;
	if (!mechanism)
		return misuse(&machine->messages, "%s: the mechanism is NULL", __func__);
	Config c = machine->config;
	messages_begin(&machine->messages);
	bool ok = config_set_model(&c, mechanism, &machine->messages.diag);
	messages_tell(&machine->messages);
	if (!ok)
		return GSIM_BAD_INPUT;
	machine->config = c;
	marks_give_model(&machine->marks, mechanism);
	free(machine->mechanism);
	machine->mechanism = xstrdup(mechanism);
	return GSIM_OK;
}

char *gsim_machine_get(GsimMachine *machine, const char *key)
{
	IN_C_LOCALE;
	ConfigKey found;
	StrBuf text = { 0 };
	char near[CONFIG_NAME];
	if (!machine_enter(machine, __func__))
		return NULL;
	if (!key) {
		misuse(&machine->messages, "%s: the key is NULL", __func__);
		return NULL;
	}
	if (config_find(key, &found)) {
		config_print_value(&found, config_get(&machine->config, &found), &text);
		return text.s;
	}
	config_nearest(key, near);
	misuse(&machine->messages, "%s: machines have no parameter '%s'%s%s%s", __func__, key,
		*near ? "; did you mean '" : "", near, *near ? "'?" : "");
	return NULL;
}

const char *gsim_machine_key(int i)
{
	static _Thread_local char name[CONFIG_NAME];
	ConfigKey key;
	return i >= 0 && config_key(i, &key) ? config_key_name(&key, name) : NULL;
}

char *gsim_machine_print(const GsimMachine *machine)
{
	IN_C_LOCALE;
	StrBuf text = { 0 };
	if (!machine_enter(machine, __func__))
		return NULL;
	config_print_marked(&machine->config, &machine->marks, &text);
	return text.s;
}
