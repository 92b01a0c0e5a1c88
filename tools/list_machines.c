/* gsim --list configs, figures: the machine files that are found, and what the figures of one stand on. */
#include "sim/config/sources.h"
#include "tools/list.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char data_folder[] = GSIM_DATADIR "/configs";
const char *const list_machine_folders = "in the folders of $GSIM_PATH, in " GSIM_DATADIR
	"/configs, in configs/";

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* A machine file: its name, the card, how many of its figures are from which kind of source. A file of the
   folder that is no machine has its name alone. */
static void list_machine(const char *path, StrBuf *out)
{
	Config c;
	Diag none = { 0 };
	MachineTexts texts = { 0 };
	int count[SEEN_COUNT];
	bool machine = config_load_texts(&c, path, &texts, &none);
	sb_puts(out, path);
	if (machine) {
		sb_puts(out, ": ");
		config_print_card(&texts, out);
		config_count_sources(&texts, count);
		for (Seen k = SEEN_PRIMARY; k < SEEN_DEFAULT; k++)
			if (count[k] || k < SEEN_UNMARKED)
				sb_printf(out, "%s %d %s", k == SEEN_PRIMARY ? ":" : ",", count[k],
					seen_word[k]);
	}
	sb_putc(out, '\n');
	config_free_texts(&texts);
	diag_free(&none);
}

/* Its name alone, by which --config finds it. */
static void list_machine_name(const char *path, StrBuf *out)
{
	sb_printf(out, "%s\n", strrchr(path, '/') + 1);
}

typedef Vec(const char *) Strings;
typedef void ListMachine(const char *path, StrBuf *);

static void list_directory(const char *dir, ListMachine *list, StrBuf *out)
{
	Arena a = { 0 };
	Vec(char *) names = { 0 };
	DIR *d = opendir(dir);
	struct dirent *e;
	while (d && (e = readdir(d))) {
		size_t n = strlen(e->d_name);
		if (n > 4 && !strcmp(e->d_name + n - 4, ".lua"))
			vec_push(&names, arena_printf(&a, "%s/%s", dir, e->d_name));
	}
	if (d)
		closedir(d);
	if (names.n)
		qsort(names.v, (size_t)names.n, sizeof *names.v, by_name);
	for (int i = 0; i < names.n; i++)
		list(names.v[i], out);
	vec_free(&names);
	arena_free(&a);
}

/* The folder, unless it has been listed under another name: those lists have its real name. */
static void list_once(Arena *a, const char *dir, Strings *listed, ListMachine *list, StrBuf *out)
{
	char *real = realpath(dir, NULL);
	bool known = !real;
	for (int i = 0; i < listed->n; i++)
		known |= real && !strcmp(listed->v[i], real);
	if (!known) {
		vec_push(listed, arena_strdup(a, real));
		list_directory(dir, list, out);
	}
	free(real);
}

static void list_everywhere(ListMachine *list, StrBuf *out)
{
	Arena a = { 0 };
	Strings listed = { 0 };
	for (const char *p = getenv("GSIM_PATH"); p && *p;) {
		size_t n = strcspn(p, ":");
		if (n) {
			list_once(&a, arena_strndup(&a, p, n), &listed, list, out);
			list_once(&a, arena_printf(&a, "%.*s/configs", (int)n, p), &listed, list, out);
		}
		p += n + (p[n] == ':');
	}
	list_once(&a, data_folder, &listed, list, out);
	list_once(&a, "configs", &listed, list, out);
	vec_free(&listed);
	arena_free(&a);
}

void list_configs(StrBuf *out) { list_everywhere(list_machine, out); }

void list_machines(StrBuf *out) { list_everywhere(list_machine_name, out); }

static void list_figure(const char *name, const ConfigKey *key, const Config *used, FigureSource s,
	bool chosen, StrBuf *out)
{
	sb_printf(out, "%-34s ", name);
	config_print_value(key, config_get(used, key), out);
	if (chosen)
		sb_printf(out, " %s command-line:1: set by whoever runs gsim", seen_word[SEEN_GIVEN]);
	else
		sb_printf(out, " %s %s:%d: %s", seen_word[s.seen], s.path, s.line, s.comment);
	sb_putc(out, '\n');
}

bool list_figures(const char *machine, const Config *used, bool (*chosen)(const void *, const char *name),
	const void *context, StrBuf *out, Diag *diag)
{
	Config c;
	ConfigKey key;
	MachineTexts texts = { 0 };
	char name[CONFIG_NAME];
	bool ok = config_load_texts(&c, machine, &texts, diag);
	for (int i = 0; ok && config_key(i, &key); i++) {
		FigureSource s = config_source(&texts, config_key_name(&key, name));
		bool own = chosen(context, name) || config_get(&c, &key) != config_get(used, &key);
		if (s.seen != SEEN_DEFAULT || own)
			list_figure(name, &key, used, s, own, out);
	}
	config_free_texts(&texts);
	return ok;
}
