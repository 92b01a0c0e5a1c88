#include "tools/inputs.h"
#include "lib/file.h"
#include "lib/hash.h"
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

bool inputs_tell_idle(const char *model) { return strncmp(model, "mimd", 4) != 0; }

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
		p->other_code = module_hash && *p->module_hash && strcmp(p->module_hash, module_hash);
	if (p && p->other_code)
		diag_warning(d, (Loc){ path, 0, 0 }, "the module of this report had the hash %s, %s has %s: "
			"blocks and branches are taken for the same where their names are", p->module_hash,
			module, module_hash);
	if (p && *p->passes)
		diag_warning(d, (Loc){ path, 0, 0 }, "this report is of a run with the passes %s: its counts "
			"are those of the code that they made", p->passes);
	if (p && !inputs_tell_idle(p->model))
		diag_warning(d, (Loc){ path, 0, 0 }, "this report is of a run under mimd, where each fetch "
			"is for one lane: it does not say how many lanes of a warp are idle");
	return p;
}
