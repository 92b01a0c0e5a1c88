/* The list of passes: those of passes/transform/passes.def, and behind them those that a program has
   added. */
#include "lib/strbuf.h"
#include "passes/transform/transform.h"
#include <ctype.h>

static const Pass *const built_in[] = {
#define PASS(NAME) &pass_##NAME,
#include "passes/transform/passes.def"
#undef PASS
};
enum { BUILT_IN = sizeof built_in / sizeof *built_in };
_Static_assert((int)BUILT_IN < (int)PASSES_MOST, "there is room for all passes");

static const Pass *added[PASSES_MOST - BUILT_IN];
static int nadded;

const Pass *pass_at(int i)
{
	return i < 0 || i >= BUILT_IN + nadded ? NULL : i < BUILT_IN ? built_in[i] : added[i - BUILT_IN];
}

/* ---- adding ---- */

/* Is it a name that the text of a pipeline can have? */
static bool is_pass_name(const char *s)
{
	if (!s || !isalpha((unsigned char)*s))
		return false;
	while (isalnum((unsigned char)*s) || *s == '_' || *s == '-')
		s++;
	return !*s;
}

static int count_names(const char *const *names)
{
	int n = 0;
	while (names && names[n])
		n++;
	return n;
}

/* What is wrong with a pass's option, or NULL. */
static const char *option_refused(const PassOption *o)
{
	if (!o->help)
		return "has no help";
	switch (o->kind) {
	case PASS_NUMBER:
		return o->value < o->least || o->value > o->most ? "has a default out of its range" : NULL;
	case PASS_NAME:
		return o->value < 0 || o->value >= count_names(o->names)
			? "has a default that is none of its names" : NULL;
	case PASS_STRING: case PASS_LIST: return NULL;
	}
	return "is of no kind that there is";
}

static bool options_allowed(const Pass *p, StrBuf *why)
{
	if (p->noptions < 0 || p->noptions > PASS_OPTIONS || (p->noptions && !p->options)) {
		sb_printf(why, "the pass %s has %d options, of at most %d", p->name, p->noptions,
			PASS_OPTIONS);
		return false;
	}
	for (int k = 0; k < p->noptions; k++) {
		const PassOption *o = &p->options[k];
		bool twice = false;
		if (!is_pass_name(o->name)) {
			sb_printf(why, "the pass %s has an option without a name of letters, digits, - and _",
				p->name);
			return false;
		}
		for (int x = 0; x < k; x++)
			twice |= !strcmp(p->options[x].name, o->name);
		const char *wrong = twice ? "is there twice" : option_refused(o);
		if (wrong) {
			sb_printf(why, "the pass %s: its option %s %s", p->name, o->name, wrong);
			return false;
		}
	}
	return true;
}

bool passes_add(const Pass *p, StrBuf *why)
{
	if (!is_pass_name(p->name) || !strcmp(p->name, "none")) {
		sb_puts(why, "a pass has no name of letters, digits, - and _, or the name none");
		return false;
	}
	for (int i = 0; pass_at(i); i++)
		if (!strcmp(pass_at(i)->name, p->name)) {
			sb_printf(why, "there is a pass %s already", p->name);
			return false;
		}
	if (!p->help || !p->idle || !p->function == !p->module) {
		sb_printf(why, !p->help ? "the pass %s has no help" : !p->idle
			? "the pass %s does not say why it changes nothing, if it does not (.idle)"
			: "the pass %s has to have either .function or .module", p->name);
		return false;
	}
	if (!options_allowed(p, why))
		return false;
	if (BUILT_IN + nadded == (int)PASSES_MOST) {
		sb_printf(why, "there are %d passes, and no room for %s", PASSES_MOST, p->name);
		return false;
	}
	added[nadded++] = p;
	return true;
}
