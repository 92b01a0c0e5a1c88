/* Which file the module of a point is: the value of its axis is a file, or the name of a kernel. */
#include "lib/file.h"
#include "tools/find_module.h"
#include "tools/sweep/inputs_copy.h"
#include <unistd.h>

enum { LONGEST_PATH = 1 << 16 };

static bool is_below(const char *folder, const char *name, const char **why)
{
	uint64_t size;
	int fd = file_open_in(folder, name, false, &size, why);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* A module that a plan's file names, with its variables put in: below the plan's folder, and no link on the
   way, else a kernel. */
static const char *planned_file(Plan *p, const char *value, const char **folder, Diag *diag)
{
	size_t n = strlen(p->folder);
	const char *name = strncmp(value, p->folder, n) ? NULL : value + n,
		*why = name ? file_name_refused(name) : "it does not lie below the plan", *at = "";
	for (int i = 0; !why; at = module_ending[i++]) {
		if (is_below(p->folder, arena_printf(&p->arena, "%s%s", name, at), &why))
			return arena_printf(&p->arena, "%s%s", value, at);
		if (why != file_absent || i == MODULE_ENDINGS)
			break;
		why = NULL;
	}
	if (why != file_absent) {
		diag_error(diag, (Loc){ 0 }, "modules: '%s': %s", value, why);
		return NULL;
	}
	Diag none = { 0 };
	const char *path = find_kernel_file(&p->arena, name, folder, &none);
	diag_free(&none);
	return path ? path : value;
}

/* What the copies of inputs say that the name means: a file, and in the next line the folder of kernels in
   which it is, if it is in one. NULL: nothing. */
static const char *copied_file(Plan *p, const char *name, const char **folder)
{
	size_t n;
	const char *why;
	char *text = file_read_ordinary(inputs_copy_module(&p->arena, p->inputs, name), LONGEST_PATH, &n,
		&why);
	if (!text)
		return NULL;
	size_t line = strcspn(text, "\n");
	const char *file = arena_strndup(&p->arena, text, line);
	if (text[line] && text[line + 1])
		*folder = arena_strdup(&p->arena, text + line + 1);
	free(text);
	return file;
}

static const char *given_file(Plan *p, const char *value, const char **folder)
{
	Diag none = { 0 };
	const char *file = p->inputs ? NULL : find_module_file(&p->arena, value, folder, &none);
	diag_free(&none);
	return file ? file : value; /* reading it says what is wrong */
}

static bool find_planned(Plan *p, const char *value, bool planned, PlanModule *m, Diag *diag)
{
	size_t n = p->folder ? strlen(p->folder) : 0;
	const char *bare = planned && !strncmp(value, p->folder, n) ? value + n : NULL;
	m->file = p->inputs ? copied_file(p, value, &m->folder) : NULL;
	if (!m->file && p->inputs && bare)
		m->file = copied_file(p, bare, &m->folder);
	if (!m->file)
		m->file = planned ? planned_file(p, value, &m->folder, diag) : given_file(p, value,
			&m->folder);
	m->shown = m->folder && bare ? bare : value;
	return m->file;
}

const PlanModule *plan_module(Plan *p, const char *value, bool planned, Diag *diag)
{
	const char *key = arena_printf(&p->arena, "%c%s", planned ? 'p' : 'g', value);
	int i = strmap_get(&p->module_at, key);
	if (i < 0) {
		PlanModule m = { 0 };
		if (!find_planned(p, arena_strdup(&p->arena, value), planned, &m, diag))
			return NULL;
		i = p->module.n;
		vec_push(&p->module, m);
		strmap_put(&p->module_at, key, i);
	}
	return &p->module.v[i];
}
