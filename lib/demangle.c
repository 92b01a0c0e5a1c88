#include "lib/demangle.h"
#include "lib/strbuf.h"
#include <config.h>
#include <ctype.h>
#include <string.h>

enum { MAX_MANGLED = 2048, MAX_DEMANGLED = 4096 };

#ifdef HAVE_LIBIBERTY
#include <setjmp.h>
#ifdef HAVE_LIBIBERTY_DEMANGLE_H
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

typedef struct Output { size_t n; char text[MAX_DEMANGLED]; jmp_buf full; } Output;

/* Adds a piece of text to the output. Since substitutions in a mangled name let a short name stand for a text
   of any length, demangling is given up in the middle (longjmp) when the text becomes too long. */
static void add_piece(const char *s, size_t n, void *self)
{
	Output *out = self;
	if (n >= sizeof out->text - out->n)
		longjmp(out->full, 1);
	memcpy(out->text + out->n, s, n);
	out->n += n;
}

static const char *source_form(Arena *a, const char *name)
{
	Output out;
	out.n = 0;
	if (setjmp(out.full) || !cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, add_piece, &out))
		return NULL;
	return arena_strndup(a, out.text, out.n);
}
#else
/* Without libiberty only the names are found, not template arguments and parameters: of _Z4name... or
   _ZN5outer4nameE... */
static const char *source_form(Arena *a, const char *name)
{
	const char *p = name + 2;
	const char *text = "";
	bool nested = *p == 'N';
	for (p += nested; isdigit((unsigned char)*p) && (nested || !*text);) {
		size_t n = 0;
		for (; isdigit((unsigned char)*p) && n < MAX_MANGLED; p++)
			n = n * 10 + (size_t)(*p - '0');
		if (!n || n > strlen(p))
			return NULL;
		text = arena_printf(a, "%s%s%.*s", text, *text ? "::" : "", (int)n, p);
		p += n;
	}
	return *text ? text : NULL;
}
#endif

const char *demangle(Arena *a, const char *name)
{
	return !strncmp(name, "_Z", 2) && strlen(name) <= MAX_MANGLED ? source_form(a, name) : NULL;
}

/* True if the text from s to `end` equals `given` when blanks are left out of both. */
static bool same_but_blanks(const char *s, const char *end, const char *given)
{
	for (;; s++, given++) {
		while (s < end && *s == ' ')
			s++;
		while (*given == ' ')
			given++;
		if (s == end || !*given)
			return s == end && !*given;
		if (*s != *given)
			return false;
	}
}

/* Where the parts of a function's source form begin. name: the qualified name, behind the type of the result;
   last: its last part; templates: the template arguments behind that; parameters: the (; NULL: there are
   none. */
typedef struct NameParts { const char *name, *last, *templates, *parameters; } NameParts;

static NameParts parts_of(const char *s)
{
	NameParts p = { s, s, NULL, NULL };
	int depth = 0;
	for (; *s; s++) {
		if (*s == '<' || *s == '[' || *s == '{') {
			if (*s == '<' && !depth)
				p.templates = s;
			depth++;
		} else if (depth && (*s == '>' || *s == ']' || *s == '}')) {
			depth--;
		/* the form of a template begins with the type of its result */
		} else if (!depth && *s == ' ') {
			p = (NameParts){ s + 1, s + 1, NULL, NULL };
		} else if (!depth && *s == ':' && s[1] == ':') {
			p.last = s + 2;
			p.templates = NULL;
		} else if (!depth && *s == '(') {
			if (!strncmp(s, "(anonymous namespace)", 21)) {
				s += 20;
				continue;
			}
			p.parameters = s;
			break;
		}
	}
	return p;
}

int demangled_matches(const char *demangled, const char *given)
{
	NameParts p = parts_of(demangled);
	const char *end = demangled + strlen(demangled), *stop = p.parameters ? p.parameters : end;
	const char *plain = p.templates ? p.templates : stop;
	if (same_but_blanks(demangled, end, given) || same_but_blanks(p.name, end, given))
		return 4;
	if (same_but_blanks(p.name, stop, given))
		return 3;
	if (same_but_blanks(p.name, plain, given))
		return 2;
	return same_but_blanks(p.last, stop, given) || same_but_blanks(p.last, plain, given);
}
