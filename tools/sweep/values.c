/* The values of an axis, as the command line names them. */
#include "tools/sweep/plan.h"
#include <errno.h>

enum { MOST_DECIMALS = 9 };

/* A decimal number: units / 10^decimals, so that ranges have no errors of rounding. */
typedef struct Decimal { int64_t units; int decimals; } Decimal;

/* Reads a number of at most 15 digits; NULL: there is none at the begin of the text. Returns what follows. */
static const char *read_decimal(const char *s, Decimal *d)
{
	bool negative = *s == '-';
	int digits = 0;
	bool point = false;
	*d = (Decimal){ 0 };
	for (s += negative; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		if (++digits > 15 || (point && ++d->decimals > MOST_DECIMALS))
			return NULL;
		d->units = d->units * 10 + (*s - '0');
	}
	d->units = negative ? -d->units : d->units;
	return digits ? s : NULL;
}

static bool widen_decimal(Decimal *d, int decimals)
{
	for (; d->decimals < decimals; d->decimals++)
		if (__builtin_mul_overflow(d->units, 10, &d->units))
			return false;
	return true;
}

/* The number without zeros behind the last decimal that counts. */
static const char *print_decimal(Arena *a, Decimal d)
{
	int64_t ten = 1;
	for (; d.decimals && d.units % 10 == 0; d.decimals--)
		d.units /= 10;
	for (int i = 0; i < d.decimals; i++)
		ten *= 10;
	uint64_t size = d.units < 0 ? -(uint64_t)d.units : (uint64_t)d.units;
	return d.decimals ? arena_printf(a, "%s%llu.%0*llu", d.units < 0 ? "-" : "",
		(unsigned long long)(size / (uint64_t)ten), d.decimals,
		(unsigned long long)(size % (uint64_t)ten))
		: arena_printf(a, "%lld", (long long)d.units);
}

typedef struct Range { Decimal from, to, step; bool factor; } Range;

/* Reads from:to[:step] or from:to:*factor. False: the text is no range, and is a value by itself. */
static bool read_range(const char *s, Range *r)
{
	*r = (Range){ .step = { 1, 0 } };
	if (!(s = read_decimal(s, &r->from)) || *s++ != ':' || !(s = read_decimal(s, &r->to)))
		return false;
	if (*s == ':') {
		r->factor = s[1] == '*';
		s = read_decimal(s + 1 + r->factor, &r->step);
	} else if (r->from.units < 0 ? false : r->to.units < 0) {
		r->step.units = -1;
	}
	return s && !*s;
}

static bool add_value(Axis *axis, const char *value)
{
	if (axis->value.n >= PLAN_MOST_VALUES)
		return false;
	vec_push(&axis->value, value);
	return true;
}

/* Adds the values of a range; what is wrong with it, or NULL. */
static const char *add_range(Plan *p, Axis *axis, Range r)
{
	int decimals = r.from.decimals > r.to.decimals ? r.from.decimals : r.to.decimals;
	if (!r.factor && r.step.decimals > decimals)
		decimals = r.step.decimals;
	if (!widen_decimal(&r.from, decimals) || !widen_decimal(&r.to, decimals) ||
		(!r.factor && !widen_decimal(&r.step, decimals)))
		return "numbers with fewer digits";
	bool up = r.from.units <= r.to.units;
	if (r.factor ? r.step.decimals || r.step.units < 2 || r.from.units < 1 || !up
		: !r.step.units || (r.from.units != r.to.units && (r.step.units > 0) != up))
		return r.factor ? "a factor of 2 or more, and numbers above 0 that rise"
			: "a step that leads from the first number to the second";
	for (Decimal d = r.from; r.step.units > 0 ? d.units <= r.to.units : d.units >= r.to.units;) {
		if (!add_value(axis, print_decimal(&p->arena, d)))
			return "fewer values";
		if (r.factor ? __builtin_mul_overflow(d.units, r.step.units, &d.units)
			: __builtin_add_overflow(d.units, r.step.units, &d.units))
			break;
	}
	return NULL;
}

/* The length of the first value of a list: up to a comma that no bracket holds. */
static size_t first_of_list(const char *s)
{
	int open = 0;
	size_t n = 0;
	for (; s[n] && (s[n] != ',' || open > 0); n++)
		open += (s[n] == '(' || s[n] == '{') - (s[n] == ')' || s[n] == '}');
	return n;
}

bool plan_values(Plan *p, Axis *axis, const char *text, const char *what, Diag *diag)
{
	for (const char *s = text;; s++) {
		size_t n = first_of_list(s);
		const char *value = arena_strndup(&p->arena, s, n), *expected = NULL;
		Range r;
		if (!n)
			expected = "a value on each side of a comma";
		else if (read_range(value, &r))
			expected = add_range(p, axis, r);
		else if (!add_value(axis, value))
			expected = "fewer values";
		if (expected) {
			diag_error(diag, (Loc){ 0 }, "%s: '%s': expected %s", what, n ? value : text,
				expected);
			return false;
		}
		s += n;
		if (!*s)
			return true;
	}
}

/* Arguments stand one behind the other, each with this byte behind it. */
enum { END_OF_ARGUMENT = 0x1f };

const char *plan_arguments(Arena *a, char *const *args, int n)
{
	StrBuf b = { 0 };
	for (int i = 0; i < n; i++) {
		sb_puts(&b, args[i]);
		sb_putc(&b, END_OF_ARGUMENT);
	}
	const char *text = arena_strdup(a, b.s ? b.s : "");
	sb_free(&b);
	return text;
}

int plan_split_arguments(Arena *a, const char *value, char **args)
{
	int n = 0;
	for (size_t length; *value && n < PLAN_MOST_ARGUMENTS; value += length + 1) {
		length = strcspn(value, "\x1f");
		args[n++] = arena_strndup(a, value, length);
		if (!value[length])
			break;
	}
	return n;
}

const char *plan_shown(Arena *a, const Axis *axis, const char *value)
{
	if (axis->kind != AXIS_ARGUMENTS)
		return value;
	char *text = arena_strdup(a, value);
	size_t n = strlen(text);
	if (n)
		text[n - 1] = 0;
	for (char *p = text; *p; p++)
		if (*p == END_OF_ARGUMENT)
			*p = ' ';
	return text;
}
