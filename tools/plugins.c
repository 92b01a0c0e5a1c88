/* Loads plug-ins. The file is read first: an object that is no plug-in, or one for another gsim, is never
   handed to the dynamic linker, which would run what such an object does when it is loaded. */
#include "tools/plugins.h"
#include "config.h"
#include "gsim-plugin.h"
#include "lib/file.h"
#include "lib/hash.h"
#ifdef HAVE_PLUGINS
#include <dlfcn.h>
#endif

enum { MOST_PLUGINS = 16, LONGEST_BUILD = 80 };

static ReportPlugin loaded[MOST_PLUGINS];
static int nloaded;

const ReportPlugin *plugins_loaded(int *n)
{
	*n = nloaded;
	return loaded;
}

static bool refuse(const char *file, Diag *d, const char *why)
{
	diag_error(d, (Loc){ file, 0, 0 }, "%s", why);
	return false;
}

/* ---- for which gsim it was made ---- */

/* Copies what stands behind a mark, up to `end` at most. */
static void read_build(const char *at, const char *end, char build[LONGEST_BUILD])
{
	int n = 0;
	while (at + n < end && at[n] && n < LONGEST_BUILD - 1)
		n++;
	snprintf(build, LONGEST_BUILD, "%.*s", n, at);
}

/* Finds the text in the bytes from p to end; NULL: it is not there. */
static const char *find_text(const char *p, const char *end, const char *text)
{
	size_t n = strlen(text);
	while ((size_t)(end - p) >= n && (p = memchr(p, *text, (size_t)(end - p) - n + 1))) {
		if (!memcmp(p, text, n))
			return p;
		p++;
	}
	return NULL;
}

static bool made_for_another(const char *file, const char *build, Diag *d)
{
	size_t version = strcspn(GSIM_PLUGIN_BUILD, " ");
	if (!*build || *build == ' ')
		return refuse(file, d, "this is no plug-in of gsim: it does not say for which one it was "
			"made");
	if (strcspn(build, " ") == version && !strncmp(build, GSIM_PLUGIN_BUILD, version))
		diag_error(d, (Loc){ file, 0, 0 }, "this plug-in was made for another build of gsim %.*s, "
			"whose internal headers differ: compile it again (it has%s, this gsim%s)",
			(int)version, build, build + version, GSIM_PLUGIN_BUILD + version);
	else
		diag_error(d, (Loc){ file, 0, 0 }, "this plug-in was made for gsim %.*s, and this is gsim "
			"%.*s: compile it again", (int)strcspn(build, " "), build, (int)version,
			GSIM_PLUGIN_BUILD);
	return false;
}

/* Was each object of which the file consists made for this gsim, and one at least? */
static bool made_for_this(const char *file, const char *bytes, size_t n, Diag *d)
{
	const char *end = bytes + n, *at = bytes;
	char build[LONGEST_BUILD];
	int marks = 0;
	for (; (at = find_text(at, end, GSIM_PLUGIN_MARK)); marks++) {
		at += strlen(GSIM_PLUGIN_MARK);
		read_build(at, end, build);
		if (strcmp(build, GSIM_PLUGIN_BUILD))
			return made_for_another(file, build, d);
	}
	return marks || refuse(file, d, "this is no plug-in of gsim: nothing in it was compiled with "
		"gsim-plugin.h");
}

/* ---- what it has ---- */

static bool names_something(const char *s)
{
	return s && *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
		strlen(s);
}

static bool add_parts(const char *file, const GsimPlugin *p, ReportPlugin *r, Diag *d)
{
	StrBuf why = { 0 };
	bool ok = true;
	for (int k = 0; ok && k < PLUGIN_ROOM && p->passes[k]; k++)
		if ((ok = passes_add(p->passes[k], &why)))
			vec_push(&r->passes, p->passes[k]->name);
	for (int k = 0; ok && k < PLUGIN_ROOM && p->mechanisms[k]; k++)
		if ((ok = reconv_add(p->mechanisms[k], &why)))
			vec_push(&r->mechanisms, p->mechanisms[k]->name);
	if (!ok)
		refuse(file, d, why.s);
	sb_free(&why);
	return ok;
}

static bool add_plugin(const char *file, const GsimPlugin *p, unsigned long long hash, Diag *d)
{
	if (!names_something(p->name))
		return refuse(file, d, "this plug-in has no name of letters, digits, - and _");
	if (!p->passes[0] && !p->mechanisms[0])
		return refuse(file, d, "this plug-in has neither passes nor mechanisms");
	for (int i = 0; i < nloaded; i++)
		if (!strcmp(loaded[i].name, p->name)) {
			diag_error(d, (Loc){ file, 0, 0 }, "a plug-in %s is loaded already, from %s", p->name,
				loaded[i].file);
			return false;
		}
	if (nloaded == MOST_PLUGINS)
		return refuse(file, d, "too many plug-ins: 16 may be loaded");
	ReportPlugin *r = &loaded[nloaded];
	*r = (ReportPlugin){ .name = p->name, .file = file };
	snprintf(r->hash, sizeof r->hash, "%016llx", hash);
	if (!add_parts(file, p, r, d))
		return false;
	nloaded++;
	return true;
}

/* ---- loading ---- */

#ifdef HAVE_PLUGINS
/* What the dynamic linker says, as one line, without the file's name in front of it. */
static bool refused_by_linker(const char *file, const char *path, Diag *d)
{
	const char *said = dlerror();
	size_t n = strlen(path);
	char *text = arena_strdup(&d->arena, said ? said : "for no reason that is known");
	if (!strncmp(text, path, n) && !strncmp(text + n, ": ", 2))
		text += n + 2;
	for (char *p = text; *p; p++)
		*p = *p == '\n' ? ' ' : *p;
	diag_error(d, (Loc){ file, 0, 0 }, "this plug-in cannot be loaded: %s", text);
	return false;
}

/* Does an ELF file of 64 bits end before the segments that it says it has? The dynamic linker would find that
   out by a signal. Of other files, and of what else may be wrong, it says itself what is wrong. */
static bool cut_off(const char *bytes, size_t n)
{
	enum { HEADER = 64, AT_SEGMENTS = 32, AT_SIZE = 54, AT_NUMBER = 56, SEGMENT = 56, LOADED = 1 };
	uint64_t segments, offset, length;
	uint32_t kind;
	uint16_t size, number;
	if (n < HEADER || memcmp(bytes, "\177ELF", 4))
		return false;
	memcpy(&segments, bytes + AT_SEGMENTS, sizeof segments);
	memcpy(&size, bytes + AT_SIZE, sizeof size);
	memcpy(&number, bytes + AT_NUMBER, sizeof number);
	for (uint64_t k = 0; k < number; k++) {
		if (segments > n || (k + 1) * size > n - segments || size < SEGMENT)
			return true;
		const char *at = bytes + segments + k * size;
		memcpy(&kind, at, sizeof kind);
		memcpy(&offset, at + 8, sizeof offset);
		memcpy(&length, at + 32, sizeof length);
		if (kind == LOADED && (offset > n || length > n - offset))
			return true;
	}
	return false;
}

/* A name without a slash means a file here, and not one of the system's libraries. */
static bool open_plugin(const char *file, const char *bytes, size_t n, Diag *d)
{
	if (cut_off(bytes, n))
		return refuse(file, d, "this plug-in cannot be loaded: the file is cut off");
	const char *path = strchr(file, '/') ? file : arena_printf(&d->arena, "./%s", file);
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object)
		return refused_by_linker(file, path, d);
	const GsimPlugin *p = dlsym(object, "gsim_plugin");
	if (!p)
		return refuse(file, d, "this plug-in does not say what it has: GSIM_PLUGIN is missing");
	return add_plugin(file, p, hash_fnv1a(bytes, n), d);
}
#else
static bool open_plugin(const char *file, const char *bytes, size_t n, Diag *d)
{
	(void)add_plugin;
	return refuse(file, d, "this gsim cannot load plug-ins: it was built where programs load no code");
}
#endif

bool plugin_load(const char *file, Diag *d)
{
	const char *why;
	size_t n;
	char *bytes = file_read_ordinary(file, (size_t)1 << 30, &n, &why);
	if (!bytes)
		return refuse(file, d, why);
	bool ok = made_for_this(file, bytes, n, d) && open_plugin(file, bytes, n, d);
	free(bytes);
	return ok;
}

bool plugins_load(const char *const *files, int n, Diag *d)
{
	for (int i = 0; i < n; i++)
		if (!plugin_load(files[i], d))
			return false;
	return true;
}
