#include "tools/inputs.h"
#include "lib/file.h"
#include "lib/hash.h"
#include "passes/analysis/profile.h"
#include <stdlib.h>
#include <string.h>

const char *hash_of_file(Arena *a, const char *path)
{
	size_t n;
	const char *why;
	char *bytes = file_read(path, SIZE_MAX / 2, &n, &why);
	const char *text = bytes ? arena_printf(a, "%016llx", (unsigned long long)hash_fnv1a(bytes, n))
		: NULL;
	free(bytes);
	return text;
}

Profile *profile_of_file(Arena *a, const char *path, const char *module, const char *module_hash, Diag *d)
{
	const char *why;
	size_t n;
	char *text = file_read(path, (size_t)1 << 30, &n, &why);
	if (!text) {
		diag_error(d, (Loc){ path, 0, 0 }, "%s", why);
		return NULL;
	}
	Profile *p = profile_read(a, text, n, path, d);
	free(text);
	if (p)
		profile_check(p, path, module, module_hash, d);
	return p;
}
