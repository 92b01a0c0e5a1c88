/* Files that a test writes and reads again. */
#ifndef GSIM_TEST_TEMPORARY_H
#define GSIM_TEST_TEMPORARY_H
#include "lib/file.h"
#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An empty file. path ends in six characters, which are chosen so that it is a new one. */
static inline void temporary_file(char *path)
{
	memset(path + strlen(path) - 6, 'X', 6);
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

/* The file's path, valid until the next call. */
static inline const char *temporary_text(const char *dir, const char *name, const char *text)
{
	static char path[256];
	const char *why = "";
	snprintf(path, sizeof path, "%s/%s", dir, name);
	ck_assert_msg(file_write(path, text, strlen(text), &why), "%s: %s", path, why);
	return path;
}
#endif
