#include "tools/sweep/plan.h"
#include "lib/output.h"

static const char *const column[] = { [AXIS_MODULE] = "module", [AXIS_MACHINE] = "machine",
	[AXIS_MECHANISM] = "mechanism", [AXIS_PASSES] = "passes", [AXIS_ARGUMENTS] = "arguments",
	[AXIS_SIZE] = "size" };
enum { NAMED = sizeof column / sizeof *column };

Axis *plan_axis(Plan *p, AxisKind kind, const char *name)
{
	name = (int)kind < NAMED ? column[kind] : name;
	for (int i = 0; i < p->axis.n; i++)
		if (p->axis.v[i].kind == kind && !strcmp(p->axis.v[i].name, name))
			return &p->axis.v[i];
	vec_push(&p->axis, ((Axis){ .kind = kind, .name = arena_strdup(&p->arena, name) }));
	return &vec_last(&p->axis);
}

void plan_free(Plan *p)
{
	if (p->lua.L)
		sandbox_close(&p->lua);
	for (int i = 0; i < p->axis.n; i++)
		vec_free(&p->axis.v[i].value);
	vec_free(&p->axis);
	vec_free(&p->files);
	vec_free(&p->load);
	vec_free(&p->statistic);
	vec_free(&p->module);
	strmap_free(&p->module_at);
	arena_free(&p->arena);
}

/* ---- variables in texts ---- */

static int find_variable(const Plan *p, const char *name, size_t n)
{
	for (int i = 0; i < p->axis.n; i++)
		if (p->axis.v[i].kind == AXIS_VARIABLE && strlen(p->axis.v[i].name) == n &&
			!memcmp(p->axis.v[i].name, name, n))
			return i;
	return -1;
}

/* The length of the name in braces at s, which begins with a brace; 0: there is none. */
static size_t name_in_braces(const char *s)
{
	size_t n = strspn(s + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return s[n + 1] == '}' ? n : 0;
}

static const char *substitute(const Plan *p, const char *const *value, const char *text, Arena *a)
{
	StrBuf b = { 0 };
	if (!strchr(text, '{'))
		return text;
	for (size_t n; *text; text += n) {
		n = strcspn(text, "{");
		sb_write(&b, text, n);
		if (!n && (n = name_in_braces(text))) {
			sb_puts(&b, value[find_variable(p, text + 1, n)]);
			n += 2;
		} else if (!n) {
			sb_putc(&b, *text);
			n = 1;
		}
	}
	text = arena_strdup(a, b.s ? b.s : "");
	sb_free(&b);
	return text;
}

static bool check_names(const Plan *p, const Axis *axis, Diag *diag)
{
	for (int i = 0; i < axis->value.n; i++)
		for (const char *s = axis->value.v[i]; (s = strchr(s, '{')); s++) {
			size_t n = name_in_braces(s);
			if (!n || find_variable(p, s + 1, n) >= 0)
				continue;
			diag_error(diag, (Loc){ 0 }, "%s '%s': there is no variable %.*s; expected one of "
				"--vary", axis->name, plan_shown(&diag->arena, axis, axis->value.v[i]),
				(int)n, s + 1);
			return false;
		}
	return true;
}

static bool has_size(const Plan *p)
{
	for (int i = 0; i < p->axis.n; i++)
		if (p->axis.v[i].kind == AXIS_SIZE)
			return true;
	return false;
}

static bool check_variable(const Plan *p, const Axis *axis, Diag *diag)
{
	bool word = *axis->name && !strchr("0123456789", *axis->name);
	for (const char *s = axis->name; *s; s++)
		word &= (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
			*s == '_';
	for (int i = 0; i < NAMED; i++)
		word &= (i == AXIS_SIZE && !has_size(p)) || strcmp(axis->name, column[i]) != 0;
	if (!word)
		diag_error(diag, (Loc){ 0 }, "variable '%s': expected a name of letters, digits and _ that "
			"no other column has", axis->name);
	return word;
}

/* ---- points ---- */

/* Sorts by kind; axes of a kind stay in their order. */
static void sort_axes(Plan *p)
{
	for (int i = 1; i < p->axis.n; i++)
		for (int k = i; k && p->axis.v[k].kind < p->axis.v[k - 1].kind; k--) {
			Axis moved = p->axis.v[k];
			p->axis.v[k] = p->axis.v[k - 1];
			p->axis.v[k - 1] = moved;
		}
}

/* A value that is given twice counts once. Modules stay as they are: places in their list mean something. */
static void drop_equal_values(Axis *axis)
{
	StrMap seen = { 0 };
	int n = 0;
	for (int i = 0; i < axis->value.n; i++)
		if (axis->kind == AXIS_MODULE || strmap_get(&seen, axis->value.v[i]) < 0) {
			strmap_put(&seen, axis->value.v[i], 1);
			axis->value.v[n++] = axis->value.v[i];
		}
	axis->value.n = n;
	strmap_free(&seen);
}

bool plan_complete(Plan *p, Diag *diag)
{
	Axis *modules = plan_axis(p, AXIS_MODULE, NULL);
	if (!modules->value.n && !modules->function) {
		diag_error(diag, (Loc){ 0 }, "no module is given; expected gsim-sweep [options] MODULE...");
		return false;
	}
	/* these columns are in every table */
	for (AxisKind k = AXIS_MACHINE; k <= AXIS_ARGUMENTS; k++) {
		Axis *axis = plan_axis(p, k, NULL);
		if (!axis->value.n && !axis->function)
			vec_push(&axis->value, "");
	}
	if (p->axis.n > PLAN_MOST_AXES) {
		diag_error(diag, (Loc){ 0 }, "%d parameters vary; expected at most %d", p->axis.n - NAMED,
			PLAN_MOST_AXES - NAMED);
		return false;
	}
	sort_axes(p);
	p->points = 1;
	for (int i = 0; i < p->axis.n; i++) {
		Axis *axis = &p->axis.v[i];
		drop_equal_values(axis);
		if (!check_names(p, axis, diag) || (axis->kind == AXIS_VARIABLE &&
			!check_variable(p, axis, diag)))
			return false;
		p->points *= axis->function ? 1 : (uint64_t)axis->value.n;
		if (p->points > PLAN_MOST_POINTS) {
			diag_error(diag, (Loc){ 0 }, "there are too many points; expected at most %d",
				PLAN_MOST_POINTS);
			return false;
		}
	}
	return true;
}

RunSize plan_size(const char *name, Diag *diag)
{
	RunSize size = run_size_named(name);
	if (!size)
		diag_error(diag, (Loc){ 0 }, "--size: expected S, M, L or XL, not %s", name);
	return size;
}

/* Which value of the first axis, the module, point number `number` has. */
static int module_of(const Plan *p, uint64_t number)
{
	return (int)(number / (p->points / (uint64_t)p->axis.v[AXIS_MODULE].value.n));
}

bool plan_point(Plan *p, uint64_t number, Arena *a, Point *point, bool *wanted, Diag *diag)
{
	char *args[PLAN_MOST_ARGUMENTS];
	uint64_t rest = number;
	*point = (Point){ .number = number };
	for (int i = p->axis.n - 1; i >= 0; i--) {
		const Axis *axis = &p->axis.v[i];
		if (axis->function)
			continue;
		point->value[i] = axis->value.v[rest % (uint64_t)axis->value.n];
		rest /= (uint64_t)axis->value.n;
	}
	if (p->lua.L && !plan_derive(p, point, a, diag))
		return false;
	for (int i = 0; i < p->axis.n; i++)
		if (p->axis.v[i].kind != AXIS_VARIABLE)
			point->value[i] = substitute(p, point->value, point->value[i], a);
	int planned = module_of(p, number) - p->axis.v[AXIS_MODULE].first_planned;
	const PlanModule *m = plan_module(p, point->value[AXIS_MODULE], planned >= 0 &&
		planned < p->axis.v[AXIS_MODULE].planned, diag);
	if (!m)
		return false;
	point->module = m->file;
	point->kernels = m->folder;
	point->value[AXIS_MODULE] = m->shown;
	point->machine = point->value[AXIS_MACHINE];
	point->mechanism = point->value[AXIS_MECHANISM];
	point->passes = point->value[AXIS_PASSES];
	point->nargs = plan_split_arguments(a, point->value[AXIS_ARGUMENTS], args);
	point->args = arena_array(a, char *, point->nargs + 1);
	memcpy(point->args, args, sizeof *args * (size_t)point->nargs);
	for (int i = AXIS_SIZE; i < p->axis.n && p->axis.v[i].kind == AXIS_SIZE; i++)
		if (!(point->size = plan_size(point->value[i], diag)))
			return false;
	*wanted = true;
	return !p->when || plan_wants(p, point, wanted, diag);
}

/* ---- as commands ---- */

/* Is there anything that cannot stand on a line of text as it is? */
static bool has_controls(const char *s)
{
	size_t k;
	for (; *s; s += k)
		if (*s == '\n' || !(k = output_plain(s, strlen(s))))
			return true;
	return false;
}

/* The word as each shell has it from printf, whose output loses newlines at its end; for these stands $'\n',
   which shells know that keep to POSIX of 2024. */
static void put_printed_word(StrBuf *out, const char *s)
{
	size_t n = strlen(s), k;
	while (n && s[n - 1] == '\n')
		n--;
	sb_puts(out, "\"$(printf '");
	for (size_t i = 0; i < n; i += k) {
		k = strchr("\n'", s[i]) || (!i && s[i] == '-') ? 0 : output_plain(s + i, n - i);
		if (!k) {
			sb_printf(out, "\\%03o", (unsigned char)s[i]);
			k = 1;
		} else if (s[i] == '\\' || s[i] == '%') {
			sb_printf(out, "%c%c", s[i], s[i]);
		} else {
			sb_write(out, s + i, k);
		}
	}
	sb_puts(out, "')\"");
	for (; s[n]; n++)
		sb_puts(out, "$'\\n'");
}

void put_shell_word(StrBuf *out, const char *s)
{
	if (*s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%")]) {
		sb_puts(out, s);
		return;
	}
	if (has_controls(s)) {
		put_printed_word(out, s);
		return;
	}
	sb_putc(out, '\'');
	for (; *s; s++)
		if (*s == '\'')
			sb_puts(out, "'\\''");
		else
			sb_putc(out, *s);
	sb_putc(out, '\'');
}

static void put_option(StrBuf *out, const char *option, const char *value)
{
	sb_printf(out, " %s ", option);
	put_shell_word(out, value);
}

void plan_command(const Plan *p, const Point *point, StrBuf *out)
{
	sb_puts(out, "gsim");
	if (p->functional)
		sb_puts(out, " --functional");
	for (int i = 0; i < p->load.n; i++)
		put_option(out, "--load", p->load.v[i]);
	if (*point->machine)
		put_option(out, "-c", point->machine);
	if (*point->mechanism)
		put_option(out, "-m", point->mechanism);
	for (int i = 0; i < p->axis.n; i++)
		if (p->axis.v[i].kind == AXIS_PARAMETER) {
			sb_printf(out, " -D %s=", p->axis.v[i].name);
			put_shell_word(out, point->value[i]);
		}
	if (*point->passes)
		put_option(out, "-p", point->passes);
	if (point->size)
		put_option(out, "--size", run_size_name[point->size]);
	if (p->workload)
		put_option(out, "-w", p->workload);
	for (int i = 0; i < p->files.n; i++)
		put_option(out, "--files", p->files.v[i]);
	if (p->source)
		put_option(out, "--source", p->source);
	sb_putc(out, ' ');
	put_shell_word(out, point->value[AXIS_MODULE]);
	for (int i = 0; i < point->nargs; i++) {
		sb_puts(out, i ? " " : " -- ");
		put_shell_word(out, point->args[i]);
	}
}
