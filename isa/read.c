/* Module files of every form, told apart by what is in them. */
#include "isa/ir.h"
#include "lib/file.h"
#include <string.h>

enum { FILE_LIMIT = 512 << 20 }; /* bytes */

static const char *skip_comment(const char *s, const char *end)
{
	if (s[1] == '/') {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		return nl ? nl : end;
	}
	for (s += 2; end - s >= 2; s++)
		if (s[0] == '*' && s[1] == '/')
			return s + 2;
	return end;
}

/* PTX begins with a directive: behind white space and comments stands a dot. */
static bool looks_like_ptx(const char *s, size_t n)
{
	const char *end = s + n;
	while (s < end) {
		if (*s == ' ' || (*s >= '\t' && *s <= '\r'))
			s++;
		else if (end - s >= 2 && *s == '/' && (s[1] == '/' || s[1] == '*'))
			s = skip_comment(s, end);
		else
			return *s == '.';
	}
	return false;
}

Module *module_read(const char *path, Diag *diag)
{
	size_t n;
	const char *why;
	char *data = file_read(path, FILE_LIMIT, &n, &why);
	if (!data) {
		diag_error(diag, (Loc){ path, 0, 0 }, "cannot be read: %s", why);
		return NULL;
	}
	Module *m;
	if (n >= 4 && !memcmp(data, "\177ELF", 4))
		m = elf_read(data, n, path, diag);
	else if (looks_like_ptx(data, n))
		m = ptx_read(data, n, path, diag);
	else
		m = ir_read(data, n, path, diag);
	free(data);
	return m;
}
