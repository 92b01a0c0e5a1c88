/* The options of a run, which are set by their names. */
#include "sim/api/api.h"
#include "lib/hash.h"
#include <errno.h>

typedef enum { FLAG, NUMBER, SECONDS, TEXT, TEXTS, SIZE } OptionKind;

typedef struct Option {
	const char *name;
	OptionKind kind;
	size_t at;                     /* in GsimRun: a bool, uint64_t, double, char *, Texts or RunSize */
	uint64_t most;                 /* of a number, which is at least 1 */
} Option;

#define IN(FIELD) offsetof(GsimRun, FIELD)
static const Option options[] = {
	{ "functional", FLAG, IN(options.gpu.functional), 0 },
	{ "reference", FLAG, IN(options.reference), 0 },
	{ "laws", FLAG, IN(options.laws), 0 },
	{ "race-check", FLAG, IN(options.races), 0 },
	{ "race-launches", FLAG, IN(options.race_launches), 0 },
	{ "annotate", FLAG, IN(options.instructions), 0 },
	{ "sums", FLAG, IN(options.sums), 0 },
	{ "threads", NUMBER, IN(threads), 256 },
	{ "window", NUMBER, IN(options.gpu.window), 1000000 },
	{ "interval", NUMBER, IN(options.interval), 1000000000 },
	{ "workload-steps", NUMBER, IN(options.lua_steps), INT64_MAX },
	{ "workload-seconds", SECONDS, IN(options.lua_seconds), 1000000000 },
	{ "workload", TEXT, IN(workload), 0 },
	{ "workload-text", TEXT, IN(workload_text), 0 },
	{ "argument", TEXTS, IN(arguments), 0 },
	{ "size", SIZE, IN(options.size), 0 },
	{ "files", TEXTS, IN(folders), 0 },
	{ "trace", TEXT, IN(trace_path), 0 },
};
enum { OPTIONS = sizeof options / sizeof *options };

static const Option *option_named(const char *name)
{
	for (int i = 0; i < OPTIONS; i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

static bool whole(const char *text, uint64_t most, uint64_t *value)
{
	char *end;
	errno = 0;
	*value = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
	return *value && !errno && !*end && *value <= most;
}

static bool seconds(const char *text, double most, double *value)
{
	char *end;
	*value = strtod(text, &end);
	return *text && !*end && *value > 0 && *value <= most;
}

/* Sets it; false: it cannot have the value. */
static bool put(const Option *o, char *at, const char *value)
{
	uint64_t n;
	double real;
	switch (o->kind) {
	case FLAG:
		*(bool *)at = !strcmp(value, "true");
		return *(bool *)at || !strcmp(value, "false");
	case NUMBER:
		if (!whole(value, o->most, &n))
			return false;
		*(uint64_t *)(void *)at = n;
		return true;
	case SECONDS:
		if (!seconds(value, (double)o->most, &real))
			return false;
		*(double *)(void *)at = real;
		return true;
	case TEXT:
		free(*(char **)(void *)at);
		*(char **)(void *)at = xstrdup(value);
		return true;
	case TEXTS:
		vec_push((ApiTexts *)(void *)at, xstrdup(value));
		return true;
	case SIZE:
		*(RunSize *)(void *)at = run_size_named(value);
		return *(RunSize *)(void *)at != SIZE_NONE;
	}
	return false;
}

static GsimStatus refuse_unknown_option(const GsimRun *run, const char *name)
{
	const char *names[OPTIONS];
	for (int i = 0; i < OPTIONS; i++)
		names[i] = options[i].name;
	const char *near = nearest_name(name, names, OPTIONS);
	return misuse(&run->messages, "gsim_run_set: runs have no option '%.80s'%s%s%s", name,
		near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static GsimStatus set(GsimRun *run, const char *name, const char *value)
{
	if (!name || !value)
		return misuse(&run->messages, "gsim_run_set: the %s is NULL", name ? "value" : "option");
	if (run->stage != STAGE_OPTIONS)
		return misuse(&run->messages, "gsim_run_set: %.80s: the run has begun", name);
	const Option *o = option_named(name);
	if (!o)
		return refuse_unknown_option(run, name);
	if (put(o, (char *)run + o->at, value))
		return GSIM_OK;
	if (o->kind == FLAG)
		return misuse(&run->messages, "gsim_run_set: %s: expected true or false, not '%.80s'", name,
			value);
	if (o->kind == SIZE)
		return misuse(&run->messages, "gsim_run_set: %s: expected S, M, L or XL, not '%.80s'", name,
			value);
	return misuse(&run->messages, "gsim_run_set: %s: expected a %s up to %llu, not '%.80s'", name,
		o->kind == NUMBER ? "whole number from 1" : "number of seconds above 0",
		(unsigned long long)o->most, value);
}

GsimStatus gsim_run_set(GsimRun *run, const char *option, const char *value)
{
	return run_enter(run, __func__) ? run_leave(run, set(run, option, value)) : GSIM_MISUSE;
}
