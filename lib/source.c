#include "lib/source.h"
#include "lib/file.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The folder `inner` as seen from the folder `outer`, with '/' at its end; "": it does not lie below. Links
   are followed, since the user named both folders. */
static const char *place_in(Arena *a, const char *outer, const char *inner)
{
	char *x = realpath(*outer ? outer : ".", NULL), *y = realpath(*inner ? inner : ".", NULL);
	size_t n = x ? strlen(x) : 0;
	while (n && x[n - 1] == '/')
		n--;
	const char *at = x && y && !strncmp(x, y, n) && y[n] == '/' && y[n + 1]
		? arena_printf(a, "%s/", y + n + 1) : "";
	free(x);
	free(y);
	return at;
}

SourceRoot source_root(Arena *a, const char *module, const char *folder)
{
	const char *slash = module ? strrchr(module, '/') : NULL;
	const char *own = slash ? arena_strndup(a, module, (size_t)(slash + 1 - module)) : module ? "" : NULL;
	return (SourceRoot){ module, folder ? folder : own, folder && own ? place_in(a, folder, own) : "" };
}

/* The module may stand in a folder below root->folder, with its sources beside it. */
static char *read_beside_module(const SourceRoot *root, const char *name, size_t limit, size_t *n)
{
	Arena a = { 0 };
	const char *why;
	char *text = file_read_in(root->folder, arena_printf(&a, "%s%s", root->at, name), limit, n, &why);
	arena_free(&a);
	return text;
}

char *source_text(const SourceRoot *root, const char *name, size_t limit, size_t *n)
{
	const char *why;
	char *text = root->module && !strcmp(name, root->module) ? file_read_ordinary(name, limit, n, &why)
		: NULL;
	if (strlen(name) >= PATH_MAX)
		return NULL;
	for (const char *rest = name, *slash; !text && root->folder && rest;
		rest = slash ? slash + 1 : NULL) {
		slash = strchr(rest, '/');
		text = file_read_in(root->folder, rest, limit, n, &why);
		if (!text && *root->at)
			text = read_beside_module(root, rest, limit, n);
	}
	if (text && memchr(text, 0, *n)) {
		free(text);
		return NULL;
	}
	return text;
}

const char *source_join(Arena *a, const char *from, const char *name)
{
	char *path = arena_printf(a, "%s%s", from, name), *to = path;
	if (*name == '/')
		return NULL;
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/"), whole = n + (p[n] == '/');
		if (n == 2 && p[0] == '.' && p[1] == '.') {
			if (to == path)
				return NULL;
			for (to--; to > path && to[-1] != '/'; to--)
				;
		} else if (n > 1 || (n == 1 && *p != '.')) {
			memmove(to, p, whole);
			to += whole;
		}
		p += whole;
	}
	*to = 0;
	return path;
}
