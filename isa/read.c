/* Reads module files of every form, which are told apart by what is in them. */
#include "isa/text_import.h"
#include "lib/file.h"
#include <string.h>

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

/* Where text begins behind white space and comments; `end` when there is none. */
static const char *first_word(const char *s, const char *end)
{
	while (s < end) {
		if (*s == ' ' || (*s >= '\t' && *s <= '\r'))
			s++;
		else if (end - s >= 2 && *s == '/' && (s[1] == '/' || s[1] == '*'))
			s = skip_comment(s, end);
		else
			return s;
	}
	return end;
}

/* Does the text begin with a directive, as PTX does? */
static bool looks_like_ptx(const char *s, size_t n)
{
	const char *p = first_word(s, s + n);
	return p < s + n && *p == '.';
}

/* Does the text begin with a declaration, as IR does? `local` is not among the words, for Lua begins with it
   as well. */
static bool looks_like_ir(const char *s, size_t n)
{
	static const char *const words[] = { "kernel", "func", "host", "global", "const", "shared", "extern",
		"file", "import" };
	const char *p = first_word(s, s + n);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen(words[i]);
		if ((size_t)(s + n - p) > length && !memcmp(p, words[i], length) &&
			(p[length] == ' ' || p[length] == '\t'))
			return true;
	}
	return false;
}

/* Other files that users take for modules, by the endings of their names, and what is to be done with such
   files. */
static const struct Foreign { const char *endings, *what; } foreign[] = {
	{ ".cu.cuh.cpp.cc.cxx.c.hip", "this is source code; compile it to PTX, with nvcc -ptx -lineinfo or "
		"with clang++ -x cuda "
		"--cuda-device-only --cuda-gpu-arch=sm_75 -S, and run the .ptx" },
	{ ".ll.bc", "this is code of LLVM; compile it to PTX, with llc -march=nvptx64 -mcpu=sm_75, and run "
		"the .ptx" },
	{ ".lua", "this is Lua; a module is expected, whose workload is found by its name or --workload, and "
		"a machine by --config" },
	{ ".json", "this is JSON; a module is expected (gsim-compare shows reports)" },
	{ ".trace", "this is a trace; a module is expected (gsim-trace shows traces)" },
	{ ".cubin.fatbin", "this is machine code; cuobjdump -ptx takes PTX out of a CUDA program that has "
		"it" },
};

static const char *what_it_is(const char *path)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.'), *p;
	size_t n = dot ? strlen(dot) : 0;
	for (size_t i = 0; n > 1 && i < sizeof foreign / sizeof *foreign; i++)
		for (p = foreign[i].endings; (p = strstr(p, dot)); p++)
			if (!p[n] || p[n] == '.')
				return foreign[i].what;
	return dot && !strcmp(dot, ".ir") ? NULL : "this is no module: IR text (.ir), PTX (.ptx) or an ELF "
		"object (.gso) is expected";
}

/* Reads the n bytes of a module in whatever form. source: the file that they come from; NULL: the module may
   not import anything. */
static Module *read_form(const char *data, size_t n, const char *path, const ImportSource *source, Diag *diag)
{
	const char *other;
	if (n >= 4 && !memcmp(data, "\177ELF", 4))
		return elf_read(data, n, path, diag);
	if (looks_like_ptx(data, n))
		return ptx_read(data, n, path, diag);
	if (looks_like_ir(data, n) || !(other = what_it_is(path)))
		return ir_read_source(data, n, path, source, diag);
	diag_error(diag, (Loc){ path, 0, 0 }, "%s", other);
	return NULL;
}

Module *source_read(const ImportSource *source, Loc at, Diag *diag)
{
	const char *why, *path = source->path;
	size_t n, left = TEXT_LIMIT - source->all->bytes;
	char *data = source->by ? file_read_in(source->all->root.folder, source->inside, left, &n, &why)
		: file_read(path, left, &n, &why);
	if (!data) {
		diag_error(diag, at, source->by ? "'%.200s' cannot be read: %s" : "%.0scannot be read: %s",
			path, why);
		return NULL;
	}
	source->all->bytes += n;
	Module *m = read_form(data, n, path, source, diag);
	free(data);
	return m;
}

/* data NULL: the file is not read yet. */
static Module *read_below(const char *data, size_t n, const char *path, const char *folder, Diag *diag)
{
	Arena a = { 0 };
	ImportReading all = { n, 1, source_root(&a, path, folder) };
	const char *slash = strrchr(path, '/');
	ImportSource source = { NULL, path, arena_printf(&a, "%s%s", all.root.at, slash ? slash + 1 : path),
		0,
		&all };
	Module *m = data ? read_form(data, n, path, &source, diag)
		: source_read(&source, (Loc){ path, 0, 0 }, diag);
	if (m)
		ir_warn_undefined(m, diag);
	arena_free(&a);
	return m;
}

Module *module_read_below(const char *path, const char *folder, Diag *diag)
{
	return read_below(NULL, 0, path, folder, diag);
}

Module *module_read_bytes(const char *data, size_t n, const char *path, const char *folder, Diag *diag)
{
	return read_below(data, n, path, folder, diag);
}

Module *module_read(const char *path, Diag *diag) { return module_read_below(path, NULL, diag); }

Module *module_read_text(const char *text, size_t n, const char *name, const char *folder, Diag *diag)
{
	ImportReading all = { n, 1, { NULL, folder, "" } };
	ImportSource source = { NULL, name, name, 0, &all };
	Module *m = NULL;
	if (n > TEXT_LIMIT)
		diag_error(diag, (Loc){ name, 0, 0 }, "the text has more than %d bytes", TEXT_LIMIT);
	else
		m = read_form(text, n, name, folder ? &source : NULL, diag);
	if (m)
		ir_warn_undefined(m, diag);
	return m;
}
