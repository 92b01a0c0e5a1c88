#include "lib/file.h"
#include "lib/arena.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *file_read(const char *path, size_t limit, size_t *n, const char **why)
{
	struct stat st;
	FILE *f = fopen(path, "rb");
	if (!f) {
		*why = strerror(errno);
		return NULL;
	}
	if (!fstat(fileno(f), &st) && S_ISDIR(st.st_mode)) {
		*why = "it is a directory";
		fclose(f);
		return NULL;
	}
	char *data = NULL;
	size_t used = 0, cap = 0, got;
	do {
		if (used + 1 >= cap)
			data = xrealloc(data, cap = cap ? cap * 2 : 1 << 16);
		got = fread(data + used, 1, cap - used - 1, f);
		used += got;
	} while (got && used <= limit);
	*why = ferror(f) ? strerror(errno) : used > limit ? "it is too large" : NULL;
	fclose(f);
	if (*why) {
		free(data);
		return NULL;
	}
	data[used] = 0;
	*n = used;
	return data;
}

bool file_write(const char *path, const void *p, size_t n, const char **why)
{
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(p, 1, n, f) == n;
	if (f && fclose(f))
		ok = false;
	if (!ok)
		*why = strerror(errno);
	return ok;
}

const char *file_refuses(const char *path)
{
	struct stat st;
	const char *slash = strrchr(path, '/');
	if (!stat(path, &st))
		return S_ISDIR(st.st_mode) ? "it is a directory" : access(path, W_OK) ? strerror(errno) : NULL;
	char *dir = slash ? xstrdup(path) : xstrdup(".");
	if (slash)
		dir[slash == path ? 1 : slash - path] = 0;
	bool ok = *path && !stat(dir, &st) && !access(dir, W_OK);
	const char *why = ok ? S_ISDIR(st.st_mode) ? NULL : strerror(ENOTDIR) : *path ? strerror(errno) : "it has no name";
	free(dir);
	return why;
}
