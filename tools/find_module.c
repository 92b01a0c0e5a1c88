#include "tools/find_module.h"
#include "lib/file.h"
#include "lib/hash.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const module_ending[MODULE_ENDINGS] = { ".ir", ".ptx", ".gso" };
enum { DEEPEST = 3 };

const char *const list_kernel_folders = "in the folders of $GSIM_PATH, in " GSIM_DATADIR
	"/kernels, in kernels/";

/* name: from the folder of kernels on, without its ending */
typedef struct KernelFile { const char *name, *path; int ending, folder; } KernelFile;
typedef struct KernelFiles {
	Arena *arena;
	Vec(KernelFile) file;
	/* those that were read: the real name, from malloc, and that by which it was found */
	Vec(struct KernelFolder { char *real; const char *name; }) folder;
} KernelFiles;

/* Which ending the name has; MODULE_ENDINGS: none of them. */
static int ending_of(const char *name)
{
	const char *dot = strrchr(name, '.');
	int k = 0;
	while (k < MODULE_ENDINGS && (!dot || strcmp(dot, module_ending[k])))
		k++;
	return k;
}

static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');
	return slash ? slash + 1 : name;
}

/* ---- the kernels that there are ---- */

/* The modules in the folder `dir` and below; `at` is its name as seen from the folder of kernels, with a
   slash at its end. */
static void read_kernel_folder(KernelFiles *k, const char *dir, const char *at, int deep)
{
	DIR *d = opendir(dir);
	for (struct dirent *e; d && (e = readdir(d));) {
		const char *path = arena_printf(k->arena, "%s/%s", dir, e->d_name);
		int ending = ending_of(e->d_name), n = (int)(strlen(e->d_name) - (ending < MODULE_ENDINGS
			? strlen(module_ending[ending]) : 0));
		if (*e->d_name == '.')
			continue;
		if (ending < MODULE_ENDINGS && !file_is_folder(path))
			vec_push(&k->file, ((KernelFile){ arena_printf(k->arena, "%s%.*s", at, n,
				e->d_name), path, ending, k->folder.n - 1 }));
		else if (deep < DEEPEST && file_is_folder(path))
			read_kernel_folder(k, path, arena_printf(k->arena, "%s%s/", at, e->d_name), deep + 1);
	}
	if (d)
		closedir(d);
}

/* Reads a folder once, whatever name it has; deep: how deep below it files no longer count. */
static void add_kernel_folder(KernelFiles *k, const char *dir, int deep)
{
	char *real = realpath(dir, NULL);
	bool known = !real;
	for (int i = 0; i < k->folder.n && !known; i++)
		known = !strcmp(k->folder.v[i].real, real);
	if (known) {
		free(real);
		return;
	}
	vec_push(&k->folder, ((struct KernelFolder){ real, dir }));
	read_kernel_folder(k, dir, "", deep);
}

/* Of a folder that the user names, the files that stand there and those of kernels/ in it, or beside it. */
static void add_named_folder(KernelFiles *k, const char *dir)
{
	size_t n = strlen(dir);
	while (n > 1 && dir[n - 1] == '/')
		n--;
	dir = arena_strndup(k->arena, dir, n);
	const char *last = last_part(dir);
	add_kernel_folder(k, dir, !strcmp(last, "kernels") ? 0 : DEEPEST);
	add_kernel_folder(k, arena_printf(k->arena, "%s/kernels", dir), 0);
	if (!strcmp(last, "configs"))
		add_kernel_folder(k, arena_printf(k->arena, "%.*skernels", (int)(last - dir), dir), 0);
}

/* By folder, as they are looked through, then by name, then as endings are chosen. */
static int by_folder(const void *a, const void *b)
{
	const KernelFile *x = a, *y = b;
	int order = x->folder != y->folder ? x->folder - y->folder : strcmp(x->name, y->name);
	return order ? order : x->ending - y->ending;
}

static void read_kernel_files(KernelFiles *k)
{
	for (const char *p = getenv("GSIM_PATH"); p && *p;) {
		size_t n = strcspn(p, ":");
		if (n)
			add_named_folder(k, arena_strndup(k->arena, p, n));
		p += n + (p[n] == ':');
	}
	add_kernel_folder(k, GSIM_DATADIR "/kernels", 0);
	add_kernel_folder(k, "kernels", 0);
	if (k->file.n)
		qsort(k->file.v, (size_t)k->file.n, sizeof *k->file.v, by_folder);
}

static void free_kernel_files(KernelFiles *k)
{
	for (int i = 0; i < k->folder.n; i++)
		free(k->folder.v[i].real);
	vec_free(&k->folder);
	vec_free(&k->file);
}

/* ---- the one that is meant ---- */

/* How well the first n characters of `name` suit the kernel: 3 as its folder's main one, which is
   short_circuit/short_circuit, 2 as its whole name, 1 as the last part of that; 0 not at all. */
static int suits(const KernelFile *f, const char *name, size_t n, int ending)
{
	const char *last = last_part(f->name);
	if (ending < MODULE_ENDINGS && ending != f->ending)
		return 0;
	if (strlen(f->name) == n && !strncmp(f->name, name, n))
		return 2;
	if (strlen(last) != n || strncmp(last, name, n))
		return 0;
	return (size_t)(last - f->name) == n + 1 && !strncmp(f->name, name, n) ? 3 : 1;
}

/* The first folder that has the kernel decides; in it, the best name. *rival: another kernel that
   the name suits as well, or NULL. */
static const KernelFile *choose_kernel(const KernelFiles *k, const char *name, const KernelFile **rival)
{
	const KernelFile *best = NULL;
	int ending = ending_of(name), how = 0;
	size_t n = strlen(name) - (ending < MODULE_ENDINGS ? strlen(module_ending[ending]) : 0);
	*rival = NULL;
	for (int i = 0; i < k->file.n; i++) {
		const KernelFile *f = &k->file.v[i];
		int found = suits(f, name, n, ending);
		if (best && f->folder != best->folder)
			break;
		if (found && found == how && strcmp(f->name, best->name))
			*rival = f;
		if (found <= how)
			continue;
		best = f;
		how = found;
		*rival = NULL;
	}
	return best;
}

/* What else may be meant: a name, or the last part of one. */
static const char *nearest_kernel(const KernelFiles *k, const char *name)
{
	int ending = ending_of(name);
	const char *base = arena_strndup(k->arena, name, strlen(name) - (ending < MODULE_ENDINGS
		? strlen(module_ending[ending]) : 0));
	const char **names = xcalloc(2 * (size_t)k->file.n + 1, sizeof *names);
	int n = 0;
	for (int i = 0; i < k->file.n; i++) {
		names[n++] = last_part(k->file.v[i].name);
		names[n++] = k->file.v[i].name;
	}
	const char *near = nearest_name(base, names, n);
	free(names);
	return near;
}

static const char *kernel_named(KernelFiles *k, const char *name, const char **folder, Diag *diag)
{
	const KernelFile *rival, *f;
	read_kernel_files(k);
	f = choose_kernel(k, name, &rival);
	if (rival)
		diag_error(diag, (Loc){ name, 0, 0 }, "several kernels have this name: %s and %s; expected "
			"one of these", f->name, rival->name);
	if (f) {
		*folder = k->folder.v[f->folder].name;
		return rival ? NULL : f->path;
	}
	const char *near = nearest_kernel(k, name);
	diag_error(diag, (Loc){ name, 0, 0 }, "cannot be read: %s, and no kernel has this name %s%s%s%s",
		strerror(file_is_folder(name) ? EISDIR : ENOENT), list_kernel_folders,
		near ? "; the nearest is " : "", near ? near : "",
		k->file.n ? "; gsim --list kernels shows those found" : "");
	return NULL;
}

const char *find_kernel_file(Arena *a, const char *name, const char **folder, Diag *diag)
{
	KernelFiles k = { .arena = a };
	const char *path = kernel_named(&k, name, folder, diag);
	free_kernel_files(&k);
	return path;
}

/* The file of that name with an ending. NULL: there is none, or, with an error, several. */
static const char *file_with_ending(Arena *a, const char *name, Diag *diag)
{
	const char *found = NULL;
	for (int i = 0; *name && i < MODULE_ENDINGS && ending_of(name) == MODULE_ENDINGS; i++) {
		const char *path = arena_printf(a, "%s%s", name, module_ending[i]);
		if (access(path, R_OK) || file_is_folder(path))
			continue;
		if (found)
			diag_error(diag, (Loc){ name, 0, 0 }, "several files have this name: %s and %s; "
				"expected one of these", found, path);
		found = path;
	}
	return found;
}

const char *find_module_file(Arena *a, const char *name, const char **folder, Diag *diag)
{
	*folder = NULL;
	if (!access(name, F_OK) && !file_is_folder(name))
		return name;
	int errors = diag->errors;
	const char *here = file_with_ending(a, name, diag);
	if (here || diag->errors > errors)
		return diag->errors > errors ? NULL : here;
	/* reading it says what is wrong */
	return file_name_refused(name) ? name : find_kernel_file(a, name, folder, diag);
}

/* The shortest name that leads to the kernel; its path where none does. */
static const char *shortest_name(const KernelFiles *k, const KernelFile *f)
{
	const char *last = last_part(f->name), *end = module_ending[f->ending];
	const char *const names[] = { last, f->name,
		arena_printf(k->arena, "%s%s", last, end), arena_printf(k->arena, "%s%s", f->name, end) };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const KernelFile *rival, *found = choose_kernel(k, names[i], &rival);
		if (found == f && !rival)
			return names[i];
	}
	return f->path;
}

bool list_kernel_files(StrBuf *out)
{
	Arena a = { 0 };
	KernelFiles k = { .arena = &a };
	read_kernel_files(&k);
	for (int i = 0; i < k.file.n; i++)
		sb_printf(out, "%-28s %s\n", shortest_name(&k, &k.file.v[i]), k.file.v[i].path);
	free_kernel_files(&k);
	arena_free(&a);
	return out->n;
}
