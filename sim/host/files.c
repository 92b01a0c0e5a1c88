/* b:load and b:save. A workload may use the files in its own folder and below, and in the folders that the
   user allows (--files). Only in the latter may it replace files that this program has not saved itself. */
#include "sim/host/workload.h"
#include "lib/file.h"
#include <limits.h>
#include <unistd.h>

enum { FILE_STEPS = 2000 };  /* steps that opening a file costs */

/* The part of an absolute file name behind the folder's name; NULL: the file is not below the folder. */
static const char *name_below(const char *name, const char *folder)
{
	size_t n = strlen(folder);
	while (n > 1 && folder[n - 1] == '/')
		n--;
	if (n == 1 && *folder == '/')
		n = 0;
	if (strncmp(name, folder, n) || name[n] != '/')
		return NULL;
	return name + n + strspn(name + n, "/");
}

/* The file name as seen from the folder; NULL: it is absolute and does not lead below the folder. */
static const char *name_inside(const char *name, const char *folder)
{
	char whole[PATH_MAX];
	if (*name != '/')
		return name;
	const char *rest = name_below(name, folder);
	return rest || !realpath(*folder ? folder : ".", whole) ? rest : name_below(name, whole);
}

/* Pushes folder i of those that the workload may use: first the user's (--files), then that of the workload.
   NULL: there is no folder i. */
static const char *folder(lua_State *L, int i)
{
	const RunOptions *o = &run_of(L)->options;
	const char *path = host_of(L)->path, *slash = strrchr(path, '/');
	if (i > o->nfolders)
		return NULL;
	return i < o->nfolders ? lua_pushstring(L, o->folders[i])
		: lua_pushlstring(L, path, slash ? (size_t)(slash - path) + 1 : 0);
}

static const char *check_file_name(lua_State *L, int index)
{
	size_t n;
	const char *name = luaL_checklstring(L, index, &n);
	luaL_argcheck(L, n == strlen(name) && n < PATH_MAX, index, "expected a file name");
	return name;
}

static int refuse_file(lua_State *L, const char *what, const char *name, const char *why)
{
	return luaL_error(L, "cannot %s %s: %s (a workload loads what is in its own folder or below, and "
		"saves new files there; --files DIR lets it load from DIR and save there, over old files "
		"too)", what, name, why);
}

static void wrong_size(lua_State *L, const char *name, uint64_t bytes, const HostBuffer *b)
{
	luaL_error(L, "%s has %I bytes, %s has %I: %I of %s", name, (lua_Integer)bytes, host_name(L, b),
		(lua_Integer)host_bytes(b), (lua_Integer)b->n, type_name[b->type]);
}

static void keep_loaded_file(Run *run, const char *path, const void *data, size_t n)
{
	uint64_t hash = hash_content(data, n);
	for (int i = 0; i < run->loaded.n; i++)
		if (run->loaded.v[i].hash == hash && !strcmp(run->loaded.v[i].path, path))
			return;
	vec_push(&run->loaded, ((LoadedFile){ arena_strdup(&run->arena, path), hash }));
}

/* Opens the file, whose size must be the buffer's. *path, of PATH_MAX bytes: where it was found. */
static int open_file(lua_State *L, const char *name, const HostBuffer *b, char *path)
{
	const char *why = NULL, *where;
	uint64_t size = 0;
	int fd = -1;
	for (int i = 0; fd < 0 && (!why || why == file_absent) && (where = folder(L, i)); i++) {
		const char *rest = name_inside(name, where);
		if (rest)
			fd = file_open_in(where, rest, false, &size, &why);
		if (fd >= 0)
			snprintf(path, PATH_MAX, "%s%s%s", where, *where && where[strlen(where) - 1] != '/'
				? "/" : "", rest);
		lua_pop(L, 1);
	}
	if (fd < 0)
		refuse_file(L, "load", name, why ? why : "an absolute name leads out of the folder");
	if (size != host_bytes(b)) {
		close(fd);
		wrong_size(L, name, size, b);
	}
	return fd;
}

static const SavedFile *saved_file(const Run *run, const char *name)
{
	for (int i = run->saved.n - 1; i >= 0; i--)
		if (!strcmp(run->saved.v[i].name, name))
			return &run->saved.v[i];
	return NULL;
}

int host_load(lua_State *L)
{
	HostBuffer b = host_buffer(L, 1);
	const char *name = check_file_name(L, 2), *why;
	host_not_called(L, "b:load");
	sandbox_charge(L, FILE_STEPS + sandbox_bytes(host_bytes(&b)));
	char path[PATH_MAX];
	const SavedFile *own = saved_file(run_of(L), name);
	if (own && own->n != host_bytes(&b))
		wrong_size(L, name, own->n, &b);
	uint8_t *data = host_data(L, &b, HOST_WRITES);
	if (own)
		memcpy(data, own->data, own->n);
	else if (!file_fill(open_file(L, name, &b, path), data, host_bytes(&b), &why))
		return refuse_file(L, "load", name, why);
	else
		keep_loaded_file(run_of(L), path, data, host_bytes(&b));
	host_written(L, &b, 0, b.n);
	lua_settop(L, 1);
	return 1;
}

/* In a trial (RunOptions.trial), keeps the file that the workload saves in the run's memory, in place of an
   earlier one of the same name. */
static void keep_saved_file(Run *run, const char *name, const void *data, size_t n)
{
	SavedFile *f = (SavedFile *)saved_file(run, name);
	if (!f) {
		vec_push(&run->saved, ((SavedFile){ arena_strdup(&run->arena, name), NULL, 0 }));
		f = &vec_last(&run->saved);
	}
	f->data = xrealloc(f->data, n);
	f->n = n;
	memcpy(f->data, data, n);
}

/* b:save: saves into the first folder; a file with an absolute name into the folder to which the name
   leads. */
int host_save(lua_State *L)
{
	HostBuffer b = host_buffer(L, 1);
	Run *run = run_of(L);
	const char *name = check_file_name(L, 2), *where, *rest = NULL,
		*why = "an absolute name leads out of the folder";
	int i = 0;
	host_not_called(L, "b:save");
	sandbox_charge(L, FILE_STEPS + sandbox_bytes(host_bytes(&b)));
	const uint8_t *data = host_data(L, &b, HOST_READS);
	for (; !rest && (where = folder(L, i)); i++)
		rest = name_inside(name, where);
	if (!rest)
		return refuse_file(L, "save", name, why);
	bool any = i <= run->options.nfolders; /* the folder is one of --files */
	if (run->options.trial ? (why = file_name_refused(rest)) != NULL
		: !file_write_in(where, rest, any, run->written, data, host_bytes(&b), &why))
		return refuse_file(L, "save", name, why);
	if (run->options.trial)
		keep_saved_file(run, name, data, host_bytes(&b));
	lua_settop(L, 1);
	return 1;
}
