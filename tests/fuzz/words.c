/* Dictionaries: the words of the simulator's own tables, and the words that the seeds have in several
   places. */
#include "tests/fuzz/fuzz.h"
#include "isa/ir.h"
#include "lib/hash.h"
#include "sim/config/config.h"
#include <ctype.h>
#include <string.h>

enum { LONGEST = 32, OFTEN = 3 };

typedef struct Words { Arena arena; StrMap count; FILE *out; } Words;

static void print_word(Words *w, const char *s)
{
	fputc('"', w->out);
	for (; *s; s++)
		if (*s == '"' || *s == '\\' || !isprint((unsigned char)*s))
			fprintf(w->out, "\\x%02x", (unsigned char)*s);
		else
			fputc(*s, w->out);
	fputs("\"\n", w->out);
}

/* Words of tables are printed when they are first seen, words of seeds when they have been seen often. */
static void meet(Words *w, const char *s, int often)
{
	int n = strmap_get(&w->count, s);
	if (!*s || strlen(s) > LONGEST || n >= often)
		return;
	strmap_put(&w->count, n < 0 ? arena_strdup(&w->arena, s) : s, n < 0 ? 1 : n + 1);
	if ((n < 0 ? 1 : n + 1) == often)
		print_word(w, s);
}

static void of_table(void *self, const char *s)
{
	Words *w = self;
	if (strmap_get(&w->count, s) < 0) {
		meet(w, s, 1);
		strmap_put(&w->count, arena_strdup(&w->arena, s), OFTEN);
	}
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '%' || c == '.' || c == '$';
}

static void of_seed(Words *w, const Bytes *b)
{
	for (size_t i = 0, n; i < b->n; i += n ? n : 1) {
		char word[LONGEST + 1];
		for (n = 0; i + n < b->n && in_word(b->p[i + n]); n++)
			;
		if (n < 2 || n > LONGEST)
			continue;
		memcpy(word, b->p + i, n);
		word[n] = 0;
		meet(w, word, OFTEN);
	}
}

void fuzz_dictionary(const Target *t, const Corpus *c, FILE *out)
{
	Words w = { .out = out };
	if (t->words)
		t->words(of_table, &w);
	for (int k = 0; t->text && k < c->n; k++)
		of_seed(&w, &c->v[k]);
	strmap_free(&w.count);
	arena_free(&w.arena);
}

void words_of_operations(void (*word)(void *, const char *), void *self)
{
	char s[LONGEST * 2];
	for (int op = OP_NONE + 1; op < OP_COUNT; op++)
		word(self, op_info[op].name);
	for (const Suffix *x = suffix_table; x->name; x++) {
		snprintf(s, sizeof s, ".%s", x->name);
		word(self, s);
	}
	for (int t = T_NONE + 1; t < T_COUNT; t++) {
		snprintf(s, sizeof s, ".%s", type_name[t]);
		word(self, s);
	}
	for (int k = 0; k < SREG_COUNT; k++)
		word(self, sreg_name[k]);
}

static void words_of_choices(const char *choices, void (*word)(void *, const char *), void *self)
{
	char s[LONGEST + 1];
	for (size_t n; choices && *choices; choices += n + (choices[n] == '|')) {
		n = strcspn(choices, "|");
		snprintf(s, sizeof s, "%.*s", (int)n, choices);
		word(self, s);
	}
}

/* Whole keys and their parts: a machine file nests tables, an option names the path. */
void words_of_keys(void (*word)(void *, const char *), void *self)
{
	ConfigKey key;
	char name[CONFIG_NAME];
	for (int i = 0; config_key(i, &key); i++) {
		word(self, config_key_name(&key, name));
		for (char *dot, *at = name; at; at = dot) {
			if ((dot = strchr(at, '.')))
				*dot++ = 0;
			word(self, at);
		}
		if (key.type == CT_ENUM)
			words_of_choices(key.choices, word, self);
	}
}
