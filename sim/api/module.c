/* Modules: code that is read, looked at and printed. */
#include "sim/api/api.h"
#include "isa/launch.h"
#include "isa/text_import.h"
#include "lib/file.h"
#include "sim/host/kernel_name.h"

static GsimModule *module_object(GsimOnMessage *call, void *self)
{
	GsimModule *m = xcalloc(1, sizeof *m);
	handle_open(&m->handle, HANDLE_MODULE);
	messages_open(&m->messages, call, self);
	return m;
}

bool module_enter(const GsimModule *module, const char *function)
{
	return handle_is(module, HANDLE_MODULE, function) && messages_quiet(&module->messages, function);
}

/* Tells the messages of reading; frees the object when there is nothing in it. */
static GsimModule *have_read(GsimModule *m)
{
	messages_tell(&m->messages);
	if (m->module)
		return m;
	gsim_module_free(m);
	return NULL;
}

static const char *module_hash_digits(Arena *a, const void *data, size_t n)
{
	return arena_printf(a, "%016llx", (unsigned long long)hash_fnv1a(data, n));
}

GsimModule *gsim_module_read(const char *path, const char *folder, GsimOnMessage *on_message, void *self)
{
	IN_C_LOCALE;
	const char *why;
	size_t n;
	GsimModule *m = module_object(on_message, self);
	if (!path)
		misuse(&m->messages, "%s: the path is NULL", __func__);
	/* once: a pipe gives its bytes to one reader alone */
	char *bytes = path ? file_read(path, TEXT_LIMIT, &n, &why) : NULL;
	if (bytes) {
		m->module = module_read_bytes(bytes, n, path, folder, &m->messages.diag);
		m->hash = module_hash_digits(&m->arena, bytes, n);
	} else if (path) {
		diag_error(&m->messages.diag, (Loc){ path, 0, 0 }, "cannot be read: %s", why);
	}
	free(bytes);
	return have_read(m);
}

GsimModule *gsim_module_parse(const void *data, size_t bytes, const char *name, const char *folder,
	GsimOnMessage *on_message, void *self)
{
	IN_C_LOCALE;
	GsimModule *m = module_object(on_message, self);
	m->in_memory = true;
	if ((!data && bytes) || !name) {
		misuse(&m->messages, "%s: the %s NULL", __func__, name ? "data are" : "name is");
	} else {
		/* readers look at the byte behind the last one */
		char *copy = xmalloc(bytes + 1);
		if (bytes)
			memcpy(copy, data, bytes);
		copy[bytes] = 0;
		m->module = module_read_text(copy, bytes, name, folder, &m->messages.diag);
		m->hash = module_hash_digits(&m->arena, copy, bytes);
		free(copy);
	}
	return have_read(m);
}

GsimModule *gsim_module_copy(const GsimModule *module)
{
	if (!module_enter(module, __func__))
		return NULL;
	GsimModule *m = module_object(module->messages.call, module->messages.self);
	m->module = module_copy(module->module);
	m->hash = module->hash ? arena_strdup(&m->arena, module->hash) : NULL;
	m->in_memory = module->in_memory;
	sb_write(&m->passes, module->passes.s, module->passes.n);
	m->steps = module->steps;
	pass_log_copy(&m->log, &module->log);
	return m;
}

void gsim_module_free(GsimModule *module)
{
	if (!module || !module_enter(module, __func__))
		return;
	handle_close(&module->handle);
	if (module->module)
		module_free(module->module);
	pass_log_free(&module->log);
	sb_free(&module->passes);
	diag_free(&module->messages.diag);
	arena_free(&module->arena);
	free(module);
}

/* ---- kernels ---- */

static bool is_own_kernel(const Function *f) { return f->kind == FN_KERNEL && !f->declared_only; }

int gsim_module_kernels(const GsimModule *module)
{
	int n = 0;
	if (!module_enter(module, __func__))
		return -1;
	for (int k = 0; k < module->module->func.n; k++)
		n += is_own_kernel(module->module->func.v[k]);
	return n;
}

const char *gsim_module_kernel(const GsimModule *module, int i)
{
	int n = 0;
	if (!module_enter(module, __func__))
		return NULL;
	for (int k = 0; k < module->module->func.n; k++)
		if (is_own_kernel(module->module->func.v[k]) && n++ == i)
			return module->module->func.v[k]->name;
	misuse(&module->messages, "%s: number %d of %d kernels", __func__, i, n);
	return NULL;
}

/* The kernel of a live module; NULL, with a message: there is none. */
static const Function *kernel_of(const GsimModule *module, const char *name, const char *function)
{
	IN_C_LOCALE;
	StrBuf why = { 0 };
	if (!module_enter(module, function))
		return NULL;
	const Function *f = name ? kernel_by_name(module->module, name, &why) : NULL;
	if (!f)
		misuse(&module->messages, "%s: %s", function, name ? why.s : "the kernel is NULL");
	sb_free(&why);
	return f;
}

GsimStatus gsim_module_kernel_runs(GsimModule *module, const char *kernel)
{
	IN_C_LOCALE;
	StrBuf why = { 0 };
	Loc where;
	const Function *f = kernel_of(module, kernel, __func__);
	if (!f)
		return GSIM_MISUSE;
	bool refused = kernel_refused(module->module, f, &where, &why);
	messages_begin(&module->messages);
	if (refused) {
		where.file = where.file ? where.file : module->module->name;
		diag_error(&module->messages.diag, where, "%s", why.s);
	}
	messages_tell(&module->messages);
	sb_free(&why);
	return refused ? GSIM_BAD_INPUT : GSIM_OK;
}

int gsim_module_parameters(const GsimModule *module, const char *kernel)
{
	const Function *f = kernel_of(module, kernel, __func__);
	return f ? f->param.n : -1;
}

static const Param *parameter_of(const GsimModule *module, const char *kernel, int i, const char *function)
{
	const Function *f = kernel_of(module, kernel, function);
	if (f && i >= 0 && i < f->param.n)
		return &f->param.v[i];
	if (f)
		misuse(&module->messages, "%s: number %d of %d parameters", function, i, f->param.n);
	return NULL;
}

const char *gsim_module_parameter_name(const GsimModule *module, const char *kernel, int i)
{
	const Param *p = parameter_of(module, kernel, i, __func__);
	return p ? p->name : NULL;
}

const char *gsim_module_parameter_type(const GsimModule *module, const char *kernel, int i, uint32_t *count)
{
	const Param *p = parameter_of(module, kernel, i, __func__);
	if (p && count)
		*count = p->count;
	return p ? type_name[p->type] : NULL;
}

/* ---- output ---- */

char *gsim_module_print(const GsimModule *module)
{
	IN_C_LOCALE;
	StrBuf text = { 0 };
	if (!module_enter(module, __func__))
		return NULL;
	ir_print(module->module, &text);
	return text.s ? text.s : xstrdup("");
}

GsimStatus gsim_module_write(GsimModule *module, const char *path)
{
	IN_C_LOCALE;
	const char *why;
	if (!module_enter(module, __func__))
		return GSIM_MISUSE;
	if (!path)
		return misuse(&module->messages, "%s: the path is NULL", __func__);
	size_t n = strlen(path);
	Diag *d = &module->messages.diag;
	messages_begin(&module->messages);
	bool ok;
	if (n > 4 && !strcmp(path + n - 4, ".gso")) {
		ok = elf_write(module->module, path, d);
	} else {
		char *text = gsim_module_print(module);
		ok = file_write(path, text, strlen(text), &why);
		if (!ok)
			diag_error(d, (Loc){ path, 0, 0 }, "cannot be written: %s", why);
		free(text);
	}
	messages_tell(&module->messages);
	return ok ? GSIM_OK : GSIM_BAD_INPUT;
}
