#include "tools/sweep/inputs_copy.h"
#include "lib/file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30 };
static const char here[] = "here/", up[] = "up/", root[] = "root/", machines[] = "machines/",
	modules[] = "modules/";

/* Takes the last folder of the name away; the first n bytes stay, and so does up/. */
static bool drop_folder(StrBuf *b, size_t n)
{
	size_t end = b->n - 1, at = end;
	while (at > n && b->s[at - 1] != '/')
		at--;
	if (b->n <= n || !strncmp(b->s + at, up, sizeof up - 1))
		return false;
	b->n = at;
	b->s[at] = 0;
	return true;
}

const char *inputs_copy_name(Arena *a, const char *folder, const char *path)
{
	StrBuf b = { 0 };
	sb_printf(&b, "%s/%s", folder, *path == '/' ? root : here);
	size_t n, first = b.n;
	for (; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (n == 2 && !strncmp(path, "..", 2)) {
			if (!drop_folder(&b, first))
				sb_puts(&b, up);
		} else if (n && !(n == 1 && *path == '.')) {
			sb_printf(&b, "%.*s%s", (int)n, path, path[n] ? "/" : "");
		}
	}
	const char *name = arena_strdup(a, b.s);
	sb_free(&b);
	return name;
}

const char *inputs_copy_or_itself(Arena *a, const char *folder, const char *path)
{
	const char *copy = folder ? inputs_copy_name(a, folder, path) : path;
	return access(copy, R_OK) ? path : copy;
}

const char *inputs_copy_machine(Arena *a, const char *folder, const char *machine)
{
	return arena_printf(a, "%s/%s%016llx.lua", folder, machines, (unsigned long long)hash_fnv1a(machine,
		strlen(machine)));
}

const char *inputs_copy_module(Arena *a, const char *folder, const char *name)
{
	return arena_printf(a, "%s/%s%016llx", folder, modules, (unsigned long long)hash_fnv1a(name,
		strlen(name)));
}

const char *inputs_original(Arena *a, const char *folder, const char *text)
{
	StrBuf b = { 0 };
	size_t n = strlen(folder);
	for (const char *found; (found = strstr(text, folder)); text = found) {
		sb_write(&b, text, (size_t)(found - text));
		found += n + (found[n] == '/');
		if (!strncmp(found, root, sizeof root - 1))
			found += sizeof root - 2;
		else if (!strncmp(found, here, sizeof here - 1))
			found += sizeof here - 1;
		for (; !strncmp(found, up, sizeof up - 1); found += sizeof up - 1)
			sb_puts(&b, "../");
	}
	sb_puts(&b, text);
	const char *original = arena_strdup(a, b.s ? b.s : "");
	sb_free(&b);
	return original;
}

bool make_folders(const char *path, Diag *d)
{
	char *name = xstrdup(path);
	bool ok = true;
	for (char *p = name + 1; (p = strchr(p, '/')) && ok; p++) {
		*p = 0;
		ok = !mkdir(name, 0777) || errno == EEXIST;
		if (!ok)
			diag_error(d, (Loc){ arena_strdup(&d->arena, name), 0, 0 },
				"cannot make the folder: %s", strerror(errno));
		*p = '/';
	}
	free(name);
	return ok;
}

static bool write_copy(const char *to, const void *data, size_t n, Diag *d)
{
	const char *why;
	if (!make_folders(to, d))
		return false;
	if (file_write(to, data, n, &why))
		return true;
	diag_error(d, (Loc){ arena_strdup(&d->arena, to), 0, 0 }, "cannot be written: %s", why);
	return false;
}

bool copy_file(const char *from, const char *to, int mode, Diag *d)
{
	size_t n;
	const char *why;
	char *data = file_read(from, MOST_BYTES, &n, &why);
	if (!data) {
		diag_error(d, (Loc){ arena_strdup(&d->arena, from), 0, 0 }, "cannot be read: %s", why);
		return false;
	}
	bool ok = write_copy(to, data, n, d);
	free(data);
	if (ok && chmod(to, (mode_t)mode)) {
		diag_error(d, (Loc){ arena_strdup(&d->arena, to), 0, 0 }, "%s", strerror(errno));
		ok = false;
	}
	return ok;
}

/* The module, the files of its sources, which are those that it imports and some more, and its workload. */
static bool copy_module(const char *source, const char *path, bool workload_too, const char *folder, Diag *d)
{
	Arena a = { 0 };
	Diag none = { 0 };
	bool ok = copy_file(path, inputs_copy_name(&a, folder, path), 0666, d);
	Module *m = ok ? module_read_below(path, source, &none) : NULL;
	for (int i = 1; m && i < m->file.n && ok; i++) {
		const char *file = m->file.v[i];
		if (!access(file, R_OK) && !file_is_folder(file))
			ok = copy_file(file, inputs_copy_name(&a, folder, file), 0666, d);
	}
	const char *workload = run_default_workload(&a, path);
	if (ok && workload_too && !access(workload, R_OK))
		ok = copy_file(workload, inputs_copy_name(&a, folder, workload), 0666, d);
	if (m)
		module_free(m);
	diag_free(&none);
	arena_free(&a);
	return ok;
}

/* Which file a name means that is none itself. */
static bool tell_module(const char *name, const Point *point, const char *folder, Diag *d)
{
	Arena a = { 0 };
	const char *text = arena_printf(&a, "%s\n%s", point->module, point->kernels ? point->kernels : "");
	bool ok = !strcmp(name, point->module) || write_copy(inputs_copy_module(&a, folder, name), text,
		strlen(text), d);
	arena_free(&a);
	return ok;
}

/* One that cannot be loaded has no copy: its points fail, as they do elsewhere. */
static bool copy_machine(const char *machine, const char *folder, Diag *d)
{
	Config c;
	Diag none = { 0 };
	Arena a = { 0 };
	StrBuf text = { 0 };
	bool ok = true;
	if (config_load(&c, machine, &none)) {
		config_print(&c, &text);
		ok = write_copy(inputs_copy_machine(&a, folder, machine), text.s, text.n, d);
	}
	sb_free(&text);
	diag_free(&none);
	arena_free(&a);
	return ok;
}

static bool copy_if_given(const char *path, const char *folder, int mode, Diag *d)
{
	Arena a = { 0 };
	bool ok = !path || copy_file(path, inputs_copy_name(&a, folder, path), mode, d);
	arena_free(&a);
	return ok;
}

bool inputs_copy(const Sweep *s, const char *folder, Diag *d)
{
	StrMap seen = { 0 };
	Arena names = { 0 };
	bool ok = copy_if_given(s->plan->workload, folder, 0666, d) &&
		copy_if_given(s->plan->file, folder, 0666, d);
	for (int i = 0; i < s->plan->load.n && ok; i++)
		ok = copy_if_given(s->plan->load.v[i], folder, 0777, d);
	for (int i = 0; i < s->ntasks && ok; i++) {
		Arena a = { 0 };
		Point point;
		bool wanted;
		ok = plan_point(s->plan, s->task[i].number, &a, &point, &wanted, d);
		const char *name = ok ? point.value[AXIS_MODULE] : "",
			*module = arena_printf(&a, "f%s", name),
			*machine = ok ? arena_printf(&a, "m%s", point.machine) : "";
		if (ok && strmap_get(&seen, module) < 0) {
			ok = copy_module(s->plan->source ? s->plan->source : point.kernels, point.module,
				!s->plan->workload, folder, d) && tell_module(name, &point, folder, d);
			strmap_put(&seen, arena_strdup(&names, module), 1);
		}
		if (ok && *point.machine && strmap_get(&seen, machine) < 0) {
			ok = copy_machine(point.machine, folder, d);
			strmap_put(&seen, arena_strdup(&names, machine), 1);
		}
		arena_free(&a);
	}
	strmap_free(&seen);
	arena_free(&names);
	return ok;
}
