/* The public library: every function of gsim.h, what it says of errors and wrong calls, several threads. */
#include "gsim.h"
#include "lib/file.h"
#include "tests/check.h"
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char scale[] =
	"global u32 count[4]\n"
	"const u32 limit[1] = { 7 }\n"
	"kernel scale(u64 x, f32 factor, u32 n)\n"
	"{\n"
	"	reg u32 %i, %t, %n\n"
	"	reg u64 %x, %o\n"
	"	reg f32 %v, %f\n"
	"	reg pred %p\n"
	"B1:\n"
	"	%i = mov.u32 %ctaid.x\n"
	"	%t = mov.u32 %ntid.x\n"
	"	%i = mul.lo.u32 %i, %t\n"
	"	%t = mov.u32 %tid.x\n"
	"	%i = add.u32 %i, %t\n"
	"	%n = ld.param.u32 [n]\n"
	"	%p = setp.ge.u32 %i, %n\n"
	"	bra %p, B3, B2\n"
	"B2:\n"
	"	%x = ld.param.u64 [x]\n"
	"	%o = mul.wide.u32 %i, 4\n"
	"	%x = add.u64 %x, %o\n"
	"	%f = ld.param.f32 [factor]\n"
	"	%v = ld.global.f32 [%x]\n"
	"	%v = mul.f32 %v, %f\n"
	"	st.global.f32 [%x], %v\n"
	"	bra B3\n"
	"B3:\n"
	"	exit\n"
	"}\n";
static const char spin[] =
	"kernel spin(u64 x)\n"
	"{\n"
	"	reg u32 %v\n"
	"	reg u64 %x\n"
	"B1:\n"
	"	%x = ld.param.u64 [x]\n"
	"	bra B2\n"
	"B2:\n"
	"	%v = ld.global.u32 [%x]\n"
	"	%v = add.u32 %v, 1\n"
	"	st.global.u32 [%x], %v\n"
	"	bra B2\n"
	"}\n";

/* ---- what the library tells ---- */

typedef struct Heard { int errors, warnings, remarks, line, column; char file[200], text[4096]; } Heard;

/* Functions that the library calls have the locale of the program. */
static void expect_own_locale(void) { ck_assert(uselocale((locale_t)0) == LC_GLOBAL_LOCALE); }

static void hear(void *self, const GsimMessage *m)
{
	Heard *h = self;
	expect_own_locale();
	h->errors += m->severity == GSIM_ERROR;
	h->warnings += m->severity == GSIM_WARNING;
	h->remarks += m->severity == GSIM_REMARK;
	h->line = m->line;
	h->column = m->column;
	snprintf(h->file, sizeof h->file, "%s", m->file ? m->file : "");
	snprintf(h->text, sizeof h->text, "%s", m->text);
}

static void expect_heard(Heard *h, const char *part, int from)
{
	ck_assert_msg(h->errors == 1, "line %d: %d errors, expected one with '%s'; the last is '%s'", from,
		h->errors, part, h->text);
	ck_assert_msg(strstr(h->text, part) != NULL, "line %d: expected '%s', heard '%s'", from, part,
		h->text);
	ck_assert_msg(strstr(gsim_last_error(), h->text) != NULL, "line %d: %s", from, gsim_last_error());
	*h = (Heard){ 0 };
}
#define expect(H, PART) expect_heard((H), (PART), __LINE__)

static void expect_misuse(GsimStatus status, const char *part, int from)
{
	ck_assert_msg(status == GSIM_MISUSE, "line %d: %s", from, gsim_status_name(status));
	ck_assert_msg(strstr(gsim_last_error(), part) != NULL, "line %d: expected '%s', found '%s'", from,
		part, gsim_last_error());
}
#define misused(CALL, PART) expect_misuse((CALL), (PART), __LINE__)

static void expect_nothing(const void *p, const char *part, int from)
{
	ck_assert_msg(!p, "line %d: there is something", from);
	expect_misuse(GSIM_MISUSE, part, from);
}
#define nothing(CALL, PART) expect_nothing((CALL), (PART), __LINE__)

static GsimModule *module_of(const char *text, Heard *h)
{
	return gsim_module_parse(text, strlen(text), "text.ir", NULL, hear, h);
}

/* A run of the text on the machine of the defaults. */
static GsimRun *run_of(const char *text, Heard *h)
{
	GsimModule *module = module_of(text, h);
	GsimMachine *machine = gsim_machine_new(NULL, hear, h);
	GsimRun *run = gsim_run_new(module, machine, hear, h);
	ck_assert_msg(run != NULL, "%s", gsim_last_error());
	/* the run needs neither any more */
	gsim_module_free(module);
	gsim_machine_free(machine);
	return run;
}

enum { N = 100 };

static GsimStatus launch_scale(GsimRun *run, GsimArgument x, GsimArgument factor, GsimArgument n)
{
	const GsimArgument arguments[] = { x, factor, n };
	GsimLaunch l = GSIM_LAUNCH;
	l.kernel = "scale";
	l.grid[0] = 4;
	l.block[0] = 32;
	l.n = 3;
	l.arguments = arguments;
	return gsim_run_launch(run, &l);
}

/* Scales 0, 1, 2 ... in a new buffer. */
static GsimBuffer *scale_in(GsimRun *run, double factor)
{
	float v[N];
	GsimBuffer *b = gsim_buffer_new(run, "f32", N);
	ck_assert_ptr_nonnull(b);
	for (int i = 0; i < N; i++)
		v[i] = (float)i;
	ck_assert_int_eq(gsim_buffer_write(b, 0, v, sizeof v), GSIM_OK);
	ck_assert_int_eq(launch_scale(run, gsim_place(b, 0), gsim_real(factor), gsim_integer(N)), GSIM_OK);
	return b;
}

static void expect_scaled(GsimBuffer *b, double factor)
{
	float v[N];
	ck_assert_int_eq(gsim_buffer_read(b, 0, v, sizeof v), GSIM_OK);
	for (int i = 0; i < N; i++)
		ck_assert_msg(v[i] == (float)(i * factor), "element %d is %g", i, v[i]);
}

/* ---- the library itself ---- */

START_TEST(version_is_that_of_the_header)
{
	char text[40];
	snprintf(text, sizeof text, "%d.%d.%d", GSIM_VERSION_MAJOR, GSIM_VERSION_MINOR, GSIM_VERSION_PATCH);
	ck_assert_str_eq(gsim_version(), GSIM_VERSION);
	ck_assert_str_eq(gsim_version(), text);
	ck_assert_str_eq(gsim_version(), GSIM_RELEASE);
}
END_TEST

START_TEST(statuses_have_names)
{
	static const char *const names[] = { "ok", "failed", "bad input", "interrupted", "misuse",
		"not measured", "unknown" };
	for (int i = 0; i < 7; i++)
		ck_assert_str_eq(gsim_status_name((GsimStatus)i), names[i]);
}
END_TEST

START_TEST(statistics_are_listed)
{
	const char *unit, *meaning, *name;
	int n = 0, cycles = 0, stalls = 0;
	for (; (name = gsim_statistic(n, &unit, &meaning)); n++) {
		ck_assert_msg(*name && *unit && *meaning, "%s", name);
		cycles += !strcmp(name, "cycles");
		stalls += !strncmp(name, "issue.stalls.", 13);
	}
	ck_assert(n > 50 && cycles == 1 && stalls > 8);
	ck_assert_str_eq(gsim_statistic(0, NULL, NULL), gsim_statistic(0, &unit, &meaning));
	ck_assert_ptr_null(gsim_statistic(-1, NULL, NULL));
	ck_assert_int_eq(gsim_backstop(), 1);
	gsim_free(NULL);
}
END_TEST

/* ---- modules ---- */

START_TEST(module_tells_its_kernels)
{
	Heard h = { 0 };
	uint32_t count = 0;
	GsimModule *m = module_of(scale, &h);
	ck_assert_int_eq(gsim_module_kernels(m), 1);
	ck_assert_str_eq(gsim_module_kernel(m, 0), "scale");
	ck_assert_int_eq(gsim_module_kernel_runs(m, "scale"), GSIM_OK);
	ck_assert_int_eq(gsim_module_parameters(m, "scale"), 3);
	ck_assert_str_eq(gsim_module_parameter_name(m, "scale", 1), "factor");
	ck_assert_str_eq(gsim_module_parameter_type(m, "scale", 1, &count), "f32");
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(h.errors, 0);
	ck_assert_ptr_null(gsim_module_kernel(m, 1));
	expect(&h, "number 1 of 1 kernels");
	ck_assert_ptr_null(gsim_module_kernel(m, -1));
	expect(&h, "number -1");
	ck_assert_int_eq(gsim_module_parameters(m, "scales"), -1);
	expect(&h, "did you mean 'scale'?");
	ck_assert_ptr_null(gsim_module_parameter_name(m, "scale", 3));
	expect(&h, "number 3 of 3 parameters");
	ck_assert_ptr_null(gsim_module_parameter_type(m, NULL, 0, NULL));
	expect(&h, "the kernel is NULL");
	gsim_module_free(m);
}
END_TEST

START_TEST(errors_of_modules_have_places)
{
	Heard h = { 0 };
	ck_assert_ptr_null(module_of("kernel k()\n{\nB1:\n\tnonsense\n}\n", &h));
	ck_assert_int_eq(h.line, 4);
	ck_assert_int_gt(h.column, 0);
	ck_assert_str_eq(h.file, "text.ir");
	char last[5000];
	snprintf(last, sizeof last, "text.ir:4:%d: %s", h.column, h.text);
	ck_assert_str_eq(gsim_last_error(), last);
	h = (Heard){ 0 };
	ck_assert_ptr_null(gsim_module_read("/no/such/file.ir", NULL, hear, &h));
	ck_assert(!strncmp(gsim_last_error(), "/no/such/file.ir: cannot be read", 32));
	expect(&h, "cannot be read");
	ck_assert_ptr_null(gsim_module_read(NULL, NULL, hear, &h));
	expect(&h, "the path is NULL");
	ck_assert_ptr_null(gsim_module_parse("x", 1, NULL, NULL, hear, &h));
	expect(&h, "the name is NULL");
	ck_assert_ptr_null(gsim_module_parse(NULL, 1, "x", NULL, hear, &h));
	expect(&h, "the data are NULL");
	/* control characters, and bytes that are no text */
	ck_assert_ptr_null(gsim_module_parse("kernel \x1b[31m\xff\n", 15, "odd\x1b%s%n.ir", NULL, hear, &h));
	ck_assert_int_ge(h.errors, 1);
	ck_assert_str_eq(h.file, "odd\x1b%s%n.ir");
	/* without a listener the last error is still there */
	ck_assert_ptr_null(gsim_module_parse("", 0, "empty.txt", NULL, NULL, NULL));
	ck_assert_ptr_nonnull(strstr(gsim_last_error(), "this is no module"));
}
END_TEST

static void *write_scale(void *path)
{
	const char *why;
	ck_assert(file_write(path, scale, strlen(scale), &why));
	return NULL;
}

/* Gets the hash that reports give of the module, which is freed. */
static void hash_of(GsimModule *m, char hash[40])
{
	GsimMachine *machine = gsim_machine_new(NULL, NULL, NULL);
	GsimRun *run = gsim_run_new(m, machine, NULL, NULL);
	scale_in(run, 2);
	GsimReport *r = gsim_run_report(run);
	snprintf(hash, 40, "%s", gsim_report_value(r, "module_hash"));
	gsim_report_free(r);
	gsim_run_free(run);
	gsim_machine_free(machine);
	gsim_module_free(m);
}

START_TEST(a_pipe_is_read_once)
{
	Heard h = { 0 };
	char dir[] = "/tmp/gsim-api-XXXXXX", path[64], text[40], pipe[40];
	pthread_t thread;
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/pipe.ir", dir);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, write_scale, path), 0);
	GsimModule *m = gsim_module_read(path, NULL, hear, &h);
	pthread_join(thread, NULL);
	ck_assert_msg(m != NULL, "%s", gsim_last_error());
	hash_of(m, pipe);
	hash_of(module_of(scale, &h), text);
	ck_assert_str_eq(pipe, text);
	ck_assert_int_eq(h.errors, 0);
	unlink(path);
	rmdir(dir);
}
END_TEST

START_TEST(many_errors_are_told_in_part)
{
	char text[8192] = "kernel k()\n{\nB1:\n";
	Heard h = { 0 };
	for (int i = 0; i < 60; i++)
		strcat(text, "\t%x = nonsense\n");
	strcat(text, "}\n");
	ck_assert_ptr_null(module_of(text, &h));
	ck_assert_msg(h.errors > 1 && h.errors <= 21, "%d errors", h.errors);
}
END_TEST

START_TEST(modules_print_and_read_again)
{
	Heard h = { 0 };
	char dir[] = "/tmp/gsim-api-XXXXXX", path[64];
	ck_assert_ptr_nonnull(mkdtemp(dir));
	GsimModule *m = module_of(scale, &h);
	char *text = gsim_module_print(m);
	GsimModule *again = module_of(text, &h), *copy = gsim_module_copy(m);
	char *second = gsim_module_print(again), *third = gsim_module_print(copy);
	ck_assert_str_eq(text, second);
	ck_assert_str_eq(text, third);
	static const char *const names[] = { "m.ir", "m.gso" };
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		ck_assert_int_eq(gsim_module_write(m, path), GSIM_OK);
		GsimModule *read = gsim_module_read(path, NULL, hear, &h);
		ck_assert_ptr_nonnull(read);
		ck_assert_str_eq(gsim_module_kernel(read, 0), "scale");
		gsim_module_free(read);
		unlink(path);
	}
	ck_assert_int_eq(h.errors, 0);
	snprintf(path, sizeof path, "%s/no/m.ir", dir);
	ck_assert_int_eq(gsim_module_write(m, path), GSIM_BAD_INPUT);
	expect(&h, "cannot be written");
	ck_assert_int_eq(gsim_module_write(m, NULL), GSIM_MISUSE);
	expect(&h, "the path is NULL");
	rmdir(dir);
	gsim_free(text);
	gsim_free(second);
	gsim_free(third);
	gsim_module_free(again);
	gsim_module_free(copy);
	gsim_module_free(m);
}
END_TEST

START_TEST(text_imports_below_its_folder_alone)
{
	Heard h = { 0 };
	char dir[] = "/tmp/gsim-api-XXXXXX", path[64];
	const char *why, import[] = "import \"scale.ir\"\n";
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/scale.ir", dir);
	ck_assert(file_write(path, scale, strlen(scale), &why));
	GsimModule *m = gsim_module_parse(import, strlen(import), "main.ir", dir, hear, &h);
	ck_assert_msg(m != NULL, "%s", h.text);
	ck_assert_int_eq(gsim_module_kernels(m), 1);
	gsim_module_free(m);
	ck_assert_ptr_null(gsim_module_parse(import, strlen(import), "main.ir", NULL, hear, &h));
	expect(&h, "import");
	unlink(path);
	rmdir(dir);
}
END_TEST

START_TEST(passes_change_the_module)
{
	Heard h = { 0 };
	GsimModule *m = module_of(scale, &h);
	GsimMachine *machine = gsim_machine_new(NULL, hear, &h);
	char *before = gsim_module_print(m);
	ck_assert_int_eq(gsim_module_passes(m, machine, "none", 0), GSIM_OK);
	ck_assert_int_eq(gsim_module_passes(m, machine, "nonsense", 0), GSIM_BAD_INPUT);
	expect(&h, "nonsense");
	char *same = gsim_module_print(m);
	ck_assert_str_eq(before, same);
	ck_assert_int_eq(gsim_module_passes(m, machine, "if-convert,dce", GSIM_REMARKS | GSIM_COUNTS),
		GSIM_OK);
	ck_assert_msg(h.remarks > 0 && h.errors == 0, "%d remarks, %s", h.remarks, h.text);
	int told = h.remarks;
	ck_assert_int_eq(gsim_module_passes(m, NULL, "simplify-cfg", 0), GSIM_OK);
	ck_assert_int_eq(h.remarks, told);
	GsimRun *run = gsim_run_new(m, machine, hear, &h);
	expect_scaled(scale_in(run, 3), 3);
	GsimReport *r = gsim_run_report(run);
	ck_assert_str_eq(gsim_report_value(r, "passes"), "if-convert,dce,simplify-cfg");
	ck_assert_ptr_nonnull(strstr(gsim_report_json(r), "\"step\":"));
	ck_assert_int_eq(gsim_module_passes(m, NULL, NULL, 0), GSIM_MISUSE);
	expect(&h, "the pipeline is NULL");
	ck_assert_int_eq(gsim_module_passes(m, NULL, "dce", 4), GSIM_MISUSE);
	expect(&h, "flags");
	gsim_free(before);
	gsim_free(same);
	gsim_report_free(r);
	gsim_run_free(run);
	gsim_machine_free(machine);
	gsim_module_free(m);
}
END_TEST

START_TEST(passes_get_a_profile)
{
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h);
	ck_assert_int_eq(gsim_run_set(run, "functional", "true"), GSIM_OK);
	scale_in(run, 2);
	GsimReport *r = gsim_run_report(run);
	GsimModule *m = module_of(scale, &h), *other = module_of(spin, &h);
	ck_assert_int_eq(gsim_module_profile(m, r), GSIM_OK);
	ck_assert_int_eq(h.warnings, 0);
	ck_assert_int_eq(gsim_module_passes(m, NULL, "flatten", 0), GSIM_OK);
	ck_assert_int_eq(gsim_module_profile(other, r), GSIM_OK);
	ck_assert_int_eq(h.warnings, 1);
	misused(gsim_module_profile(m, NULL), "the report is NULL");
	gsim_module_free(m);
	gsim_module_free(other);
	gsim_report_free(r);
	gsim_run_free(run);
}
END_TEST

/* ---- machines ---- */

START_TEST(machines_are_set_and_read)
{
	Heard h = { 0 };
	GsimMachine *m = gsim_machine_new("teaching.lua", hear, &h);
	ck_assert_msg(m != NULL, "%s", gsim_last_error());
	ck_assert_int_eq(gsim_machine_set(m, "l1.latency", "31"), GSIM_OK);
	ck_assert_int_eq(gsim_machine_set_mechanism(m, "its(order=0)"), GSIM_BAD_INPUT);
	ck_assert_int_gt(h.errors, 0);
	h = (Heard){ 0 };
	ck_assert_int_eq(gsim_machine_set_mechanism(m, "ipdom"), GSIM_OK);
	GsimMachine *copy = gsim_machine_copy(m);
	ck_assert_int_eq(gsim_machine_set(m, "l1.latency", "32"), GSIM_OK);
	ck_assert_int_eq(gsim_machine_set(m, "divergence.model", "token"), GSIM_OK);
	char *a = gsim_machine_get(m, "l1.latency"), *b = gsim_machine_get(copy, "l1.latency"),
		*model = gsim_machine_get(copy, "divergence.model"), *all = gsim_machine_print(copy);
	ck_assert_str_eq(a, "32");
	ck_assert_str_eq(b, "31");
	ck_assert_str_eq(model, "ipdom");
	GsimModule *module = module_of(scale, &h);
	GsimRun *run = gsim_run_new(module, m, hear, &h);
	scale_in(run, 2);
	GsimReport *r = gsim_run_report(run);
	ck_assert_str_eq(gsim_report_value(r, "model"), "token");
	ck_assert_str_eq(gsim_report_value(r, "config"), "teaching.lua");
	gsim_report_free(r);
	gsim_run_free(run);
	gsim_module_free(module);
	ck_assert_ptr_nonnull(strstr(all, "latency = 31"));
	ck_assert_int_eq(h.errors, 0);
	ck_assert_int_eq(gsim_machine_set(m, "l1.latencies", "3"), GSIM_BAD_INPUT);
	expect(&h, "did you mean 'l1.latency'?");
	ck_assert_int_eq(gsim_machine_set(m, "l1.latency", "x"), GSIM_BAD_INPUT);
	expect(&h, "expected a whole number");
	ck_assert_int_eq(gsim_machine_set(m, NULL, "x"), GSIM_MISUSE);
	expect(&h, "the key is NULL");
	ck_assert_int_eq(gsim_machine_set(m, "l1.latency", NULL), GSIM_MISUSE);
	expect(&h, "the value is NULL");
	ck_assert_int_eq(gsim_machine_set_mechanism(m, NULL), GSIM_MISUSE);
	expect(&h, "the mechanism is NULL");
	ck_assert_ptr_null(gsim_machine_get(m, "l1.latencies"));
	expect(&h, "did you mean 'l1.latency'?");
	ck_assert_ptr_null(gsim_machine_get(m, NULL));
	expect(&h, "the key is NULL");
	ck_assert_ptr_null(gsim_machine_new("/no/such.lua", hear, &h));
	ck_assert_int_eq(h.errors, 1);
	int n = 0;
	while (gsim_machine_key(n))
		n++;
	ck_assert_msg(n > 80, "%d keys", n);
	ck_assert_ptr_null(gsim_machine_key(-1));
	char *texts[] = { a, b, model, all };
	for (int i = 0; i < 4; i++)
		gsim_free(texts[i]);
	gsim_machine_free(copy);
	gsim_machine_free(m);
}
END_TEST

START_TEST(a_machine_that_cannot_be_makes_no_run)
{
	Heard h = { 0 };
	GsimModule *module = module_of(scale, &h);
	GsimMachine *machine = gsim_machine_new(NULL, hear, &h);
	ck_assert_int_eq(gsim_machine_set(machine, "l1.line_bytes", "96"), GSIM_OK);
	ck_assert_ptr_null(gsim_run_new(module, machine, hear, &h));
	ck_assert_int_ge(h.errors, 1);
	ck_assert_ptr_nonnull(strstr(h.text, "l1"));
	gsim_machine_free(machine);
	gsim_module_free(module);
}
END_TEST

/* ---- buffers and launches ---- */

START_TEST(a_launch_computes)
{
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h);
	GsimBuffer *b = scale_in(run, 2.5);
	expect_scaled(b, 2.5);
	/* a place inside, and numbers of other kinds that fit */
	ck_assert_int_eq(launch_scale(run, gsim_place(b, 4), gsim_integer(2), gsim_real(1)), GSIM_OK);
	float v[3];
	ck_assert_int_eq(gsim_buffer_read(b, 0, v, sizeof v), GSIM_OK);
	ck_assert(v[0] == 0 && v[1] == 5 && v[2] == 5);
	ck_assert_int_eq(launch_scale(run, gsim_unsigned(gsim_buffer_address(b)), gsim_integer(2),
		gsim_unsigned(2)), GSIM_OK);
	ck_assert_int_eq(gsim_buffer_read(b, 4, v, 4), GSIM_OK);
	ck_assert(v[0] == 10);
	ck_assert_str_eq(gsim_buffer_type(b), "f32");
	ck_assert_str_eq(gsim_buffer_name(b), "buffer 1");
	ck_assert_uint_eq(gsim_buffer_bytes(b), 4 * N);
	ck_assert_int_eq(gsim_run_end(run), GSIM_OK);
	ck_assert_int_eq(h.errors, 0);
	gsim_run_free(run);
}
END_TEST

START_TEST(arguments_that_do_not_fit_are_refused)
{
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h), *other = run_of(scale, &h);
	GsimBuffer *b = gsim_buffer_new(run, "f32", N), *far = gsim_buffer_new(other, "f32", N);
	const struct { GsimArgument x, factor, n; const char *said; } wrong[] = {
		{ gsim_place(b, 0), gsim_real(1), gsim_integer(-5000000000),
			"argument 3 (n) of scale: -5000000000 does not fit into u32" },
		{ gsim_place(b, 0), gsim_real(1), gsim_real(1.5), "1.5 does not fit into u32" },
		{ gsim_place(b, 0), gsim_real(1), gsim_unsigned(UINT64_MAX),
			"18446744073709551615 does not fit" },
		{ gsim_place(b, 0), gsim_real(1e300), gsim_integer(1), "does not fit into f32" },
		{ gsim_place(b, 0), gsim_real(1), gsim_place(b, 0), "an address needs 64 bits, not u32" },
		{ gsim_place(b, 401), gsim_real(1), gsim_integer(1),
			"byte 401 is outside buffer 1, which has 400 bytes" },
		{ gsim_place(far, 0), gsim_real(1), gsim_integer(1), "the buffer is one of another run" },
		{ gsim_place(NULL, 0), gsim_real(1), gsim_integer(1), "the buffer is NULL" },
		{ gsim_bytes("abc", 3), gsim_real(1), gsim_integer(1), "expected 8 bytes, found 3" },
		{ gsim_bytes(NULL, 8), gsim_real(1), gsim_integer(1), "the bytes are NULL" },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		ck_assert_int_eq(launch_scale(run, wrong[i].x, wrong[i].factor, wrong[i].n), GSIM_BAD_INPUT);
		expect(&h, wrong[i].said);
	}
	GsimArgument odd = gsim_integer(1);
	odd.kind = (GsimArgumentKind)99;
	ck_assert_int_eq(launch_scale(run, gsim_place(b, 0), odd, gsim_integer(1)), GSIM_BAD_INPUT);
	expect(&h, "99 is no kind of argument");
	/* nothing has run, and nothing is broken */
	expect_scaled(scale_in(run, 2), 2);
	gsim_run_free(other);
	gsim_run_free(run);
}
END_TEST

START_TEST(launches_that_are_wrong_are_refused)
{
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h);
	GsimBuffer *b = gsim_buffer_new(run, "f32", N);
	const GsimArgument arguments[] = { gsim_place(b, 0), gsim_real(1), gsim_integer(N) };
	GsimLaunch l = GSIM_LAUNCH;
	ck_assert_int_eq(gsim_run_launch(run, NULL), GSIM_MISUSE);
	expect(&h, "the launch is NULL");
	ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_MISUSE);
	expect(&h, "the kernel is NULL");
	l.kernel = "scales";
	ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_BAD_INPUT);
	expect(&h, "no kernel 'scales'; did you mean 'scale'?");
	l.kernel = "scale";
	ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_BAD_INPUT);
	expect(&h, "kernel scale takes 3 arguments: u64 x, f32 factor, u32 n; 0 given");
	l.n = 3;
	ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_MISUSE);
	expect(&h, "the arguments are NULL");
	l.arguments = arguments;
	l.stream = 1025;
	ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_MISUSE);
	expect(&h, "stream");
	l.stream = 0;
	l.size = 8;
	ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_MISUSE);
	expect(&h, "size");
	l.size = sizeof l;
	l.block[1] = l.block[2] = l.grid[1] = l.grid[2] = 0; /* taken for 1 */
	ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_OK);
	l.block[0] = 1 << 20;
	ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_BAD_INPUT);
	expect(&h, "is larger than sm.max_threads_per_block");
	/* the machine has refused it: the run takes nothing more, and can be read */
	l.block[0] = 32;
	ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_BAD_INPUT);
	expect(&h, "takes no more work");
	float v;
	ck_assert_int_eq(gsim_buffer_read(b, 0, &v, 4), GSIM_OK);
	ck_assert_int_eq(gsim_run_end(run), GSIM_BAD_INPUT);
	gsim_run_free(run);
}
END_TEST

START_TEST(a_kernel_that_fails_says_where)
{
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h);
	ck_assert_int_eq(launch_scale(run, gsim_unsigned(16), gsim_real(1), gsim_integer(N)), GSIM_FAILED);
	ck_assert_int_eq(h.errors, 1);
	ck_assert_int_eq(h.line, 23);
	ck_assert_str_eq(h.file, "text.ir");
	ck_assert_ptr_nonnull(strstr(h.text, "ld.global.f32"));
	h = (Heard){ 0 };
	ck_assert_int_eq(gsim_run_sync(run), GSIM_FAILED);
	expect(&h, "the run has failed");
	ck_assert_int_eq(gsim_run_end(run), GSIM_FAILED);
	expect(&h, "the run has failed");
	GsimReport *r = gsim_run_report(run);
	ck_assert_str_eq(gsim_report_value(r, "status"), "failed");
	gsim_report_free(r);
	gsim_run_free(run);
}
END_TEST

START_TEST(buffers_keep_their_bounds)
{
	Heard h = { 0 };
	char bytes[8] = { 0 };
	GsimRun *run = run_of(scale, &h);
	GsimBuffer *b = gsim_buffer_new(run, "u8", 8);
	ck_assert_int_eq(gsim_buffer_write(b, 4, "abcd", 4), GSIM_OK);
	ck_assert_int_eq(gsim_buffer_read(b, 0, bytes, 8), GSIM_OK);
	ck_assert(!memcmp(bytes, "\0\0\0\0abcd", 8));
	ck_assert_int_eq(gsim_buffer_read(b, 8, bytes, 0), GSIM_OK);
	ck_assert_int_eq(gsim_buffer_read(b, 1, bytes, 8), GSIM_MISUSE);
	expect(&h, "8 bytes from byte 1 on: buffer 1 has 8 bytes");
	ck_assert_int_eq(gsim_buffer_write(b, UINT64_MAX, bytes, 2), GSIM_MISUSE);
	expect(&h, "buffer 1 has 8 bytes");
	ck_assert_int_eq(gsim_buffer_read(b, 0, bytes, SIZE_MAX), GSIM_MISUSE);
	expect(&h, "buffer 1 has 8 bytes");
	ck_assert_int_eq(gsim_buffer_read(b, 0, NULL, 1), GSIM_MISUSE);
	expect(&h, "the data are NULL");
	ck_assert_ptr_null(gsim_buffer_new(run, "f16", 1));
	expect(&h, "unknown element type 'f16'");
	ck_assert_ptr_null(gsim_buffer_new(run, NULL, 1));
	expect(&h, "unknown element type 'NULL'");
	ck_assert_ptr_null(gsim_buffer_new(run, "u8", 0));
	expect(&h, "at least one element");
	ck_assert_ptr_null(gsim_buffer_new(run, "u64", UINT64_MAX));
	expect(&h, "does not fit into limits.memory_bytes");
	ck_assert_int_eq(gsim_buffer_free(b), GSIM_OK);
	misused(gsim_buffer_read(b, 0, bytes, 1), "this is no buffer, or it was freed");
	misused(gsim_buffer_free(b), "this is no buffer, or it was freed");
	ck_assert_int_eq(launch_scale(run, gsim_place(b, 0), gsim_real(1), gsim_integer(1)), GSIM_BAD_INPUT);
	h = (Heard){ 0 };
	gsim_run_free(run);
}
END_TEST

START_TEST(variables_are_buffers)
{
	Heard h = { 0 };
	uint32_t v[4] = { 1, 2, 3, 4 }, w[4];
	GsimRun *run = run_of(scale, &h);
	GsimBuffer *count = gsim_buffer_of_variable(run, "count"),
		*limit = gsim_buffer_of_variable(run, "limit");
	ck_assert_ptr_eq(count, gsim_buffer_of_variable(run, "count"));
	ck_assert_int_eq(gsim_buffer_write(count, 0, v, sizeof v), GSIM_OK);
	ck_assert_int_eq(gsim_buffer_read(count, 0, w, sizeof w), GSIM_OK);
	ck_assert(!memcmp(v, w, sizeof v));
	ck_assert_int_eq(gsim_buffer_read(limit, 0, w, 4), GSIM_OK);
	ck_assert_uint_eq(w[0], 7);
	ck_assert_str_eq(gsim_buffer_name(count), "count");
	ck_assert_ptr_null(gsim_buffer_of_variable(run, "counts"));
	expect(&h, "did you mean 'count'?");
	ck_assert_ptr_null(gsim_buffer_of_variable(run, NULL));
	expect(&h, "the name is NULL");
	ck_assert_int_eq(gsim_buffer_free(count), GSIM_MISUSE);
	expect(&h, "count is a variable of the module");
	GsimBuffer *b = gsim_buffer_new(run, "s16", 3);
	ck_assert_int_eq(gsim_run_buffers(run), 3);
	ck_assert_ptr_eq(gsim_run_buffer(run, 2), b);
	ck_assert_ptr_null(gsim_run_buffer(run, 3));
	expect(&h, "number 3 of 3 buffers");
	gsim_run_free(run);
}
END_TEST

START_TEST(streams_run_when_they_are_waited_for)
{
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h);
	float one = 1, v;
	GsimBuffer *b = gsim_buffer_new(run, "f32", N);
	ck_assert_int_eq(gsim_buffer_write(b, 0, &one, 4), GSIM_OK);
	const GsimArgument arguments[] = { gsim_place(b, 0), gsim_real(3), gsim_integer(N) };
	GsimLaunch l = GSIM_LAUNCH;
	l.kernel = "scale";
	l.block[0] = 128;
	l.stream = 2;
	l.n = 3;
	l.arguments = arguments;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_OK);
	ck_assert_int_eq(gsim_run_sync(run), GSIM_OK);
	ck_assert_int_eq(gsim_run_launch(run, &l), GSIM_OK);
	ck_assert_int_eq(gsim_buffer_read(b, 0, &v, 4), GSIM_OK);
	ck_assert(v == 81);
	ck_assert_int_eq(gsim_run_flush(run), GSIM_OK);
	GsimReport *r = gsim_run_report(run);
	ck_assert_int_eq(gsim_report_launches(r), 4);
	gsim_report_free(r);
	gsim_run_free(run);
}
END_TEST

/* ---- options, order of calls, what a run calls ---- */

START_TEST(options_are_checked)
{
	static const struct { const char *option, *value, *said; } wrong[] = {
		{ "thread", "1", "did you mean 'threads'?" },
		{ "threads", "0", "whole number from 1 up to 256" },
		{ "threads", "257", "not '257'" }, { "threads", "1x", "not '1x'" },
		{ "threads", "", "not ''" },
		{ "threads", "-1", "not '-1'" }, { "laws", "yes", "expected true or false" },
		{ "workload-seconds", "0", "number of seconds" },
		{ "workload-seconds", "nan", "number of seconds" },
		{ NULL, "1", "the option is NULL" }, { "laws", NULL, "the value is NULL" },
	};
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		ck_assert_int_eq(gsim_run_set(run, wrong[i].option, wrong[i].value), GSIM_MISUSE);
		expect(&h, wrong[i].said);
	}
	static const char *const right[][2] = { { "threads", "2" }, { "laws", "true" }, { "window", "7" },
		{ "race-check", "true" }, { "race-launches", "true" }, { "annotate", "true" },
		{ "sums", "false" },
		{ "interval", "100" }, { "workload-steps", "1000000" }, { "workload-seconds", "2.5" } };
	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		ck_assert_int_eq(gsim_run_set(run, right[i][0], right[i][1]), GSIM_OK);
	expect_scaled(scale_in(run, 2), 2);
	ck_assert_int_eq(gsim_run_set(run, "threads", "1"), GSIM_MISUSE);
	expect(&h, "the run has begun");
	ck_assert_int_eq(gsim_run_on_print(run, NULL, NULL), GSIM_MISUSE);
	expect(&h, "the run has begun");
	ck_assert_int_eq(gsim_run_on_progress(run, NULL, NULL), GSIM_MISUSE);
	expect(&h, "the run has begun");
	GsimReport *r = gsim_run_report(run);
	ck_assert_ptr_nonnull(strstr(gsim_report_json(r), "\"intervals\""));
	ck_assert_int_eq(gsim_run_end(run), GSIM_OK);
	ck_assert_ptr_null(gsim_buffer_new(run, "u8", 1));
	expect(&h, "the run has ended");
	ck_assert_int_eq(gsim_run_workload(run), GSIM_MISUSE);
	expect(&h, "the run has ended");
	gsim_report_free(r);
	gsim_run_free(run);
}
END_TEST

START_TEST(options_that_exclude_each_other_begin_no_run)
{
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h);
	ck_assert_int_eq(gsim_run_set(run, "reference", "true"), GSIM_OK);
	ck_assert_int_eq(gsim_run_set(run, "laws", "true"), GSIM_OK);
	ck_assert_ptr_null(gsim_buffer_new(run, "u8", 1));
	expect(&h, "reference excludes");
	ck_assert_int_eq(gsim_run_set(run, "laws", "false"), GSIM_OK);
	expect_scaled(scale_in(run, 2), 2);
	gsim_run_free(run);
	run = run_of(scale, &h);
	ck_assert_int_eq(gsim_run_set(run, "functional", "true"), GSIM_OK);
	ck_assert_int_eq(gsim_run_set(run, "interval", "10"), GSIM_OK);
	ck_assert_int_eq(gsim_run_workload(run), GSIM_MISUSE);
	expect(&h, "interval needs cycles");
	nothing(gsim_run_report(run), "the run has not begun");
	gsim_run_free(run);
}
END_TEST

typedef struct Printed { char text[400]; size_t n; int progress; GsimRun *run; } Printed;

static void print(void *self, const char *text, size_t n)
{
	Printed *p = self;
	expect_own_locale();
	ck_assert_uint_le(p->n + n, sizeof p->text - 1);
	memcpy(p->text + p->n, text, n);
	p->n += n;
	p->text[p->n] = 0;
	/* the run is at work: what it is called for now is refused, and does no harm */
	if (p->run) {
		misused(gsim_run_sync(p->run), "another call for the run has not returned");
		gsim_run_free(p->run);
		ck_assert_ptr_null(gsim_run_report(p->run));
	}
}

static const char workload[] =
	"print('a' .. gpu.args[1], '\\27[31m\\xc3\\xa4')\n"
	"local b = gpu.buffer('f32', 100, 1)\n"
	"gpu.launch { kernel = 'scale', grid = 4, block = 32, args = { b, 4, 100 } }\n"
	"gpu.check(b:get(99) == 4, 'wrong')\n";

START_TEST(a_workload_runs_and_prints)
{
	Heard h = { 0 };
	Printed p = { .n = 0 };
	float v;
	GsimRun *run = run_of(scale, &h);
	p.run = run;
	ck_assert_int_eq(gsim_run_on_print(run, print, &p), GSIM_OK);
	ck_assert_int_eq(gsim_run_set(run, "workload-text", workload), GSIM_OK);
	ck_assert_int_eq(gsim_run_set(run, "argument", "\xc3\xb6\"\\%s"), GSIM_OK);
	ck_assert_int_eq(gsim_run_workload(run), GSIM_OK);
	ck_assert_str_eq(p.text, "a\xc3\xb6\"\\%s\t?[31m\xc3\xa4\n");
	GsimBuffer *b = gsim_run_buffer(run, gsim_run_buffers(run) - 1);
	ck_assert_int_eq(gsim_buffer_read(b, 4 * 99, &v, 4), GSIM_OK);
	ck_assert(v == 4);
	expect_scaled(scale_in(run, 2), 2); /* launches of the program's own may follow */
	GsimReport *r = gsim_run_report(run);
	ck_assert_int_eq(gsim_report_launches(r), 2);
	ck_assert_int_eq(gsim_run_end(run), GSIM_OK);
	ck_assert_int_eq(h.errors, 0);
	gsim_report_free(r);
	gsim_run_free(run);
}
END_TEST

START_TEST(a_size_chooses_the_arguments)
{
	static const char sized[] = "gpu.sizes(function(size) return size.threads, size.name end)\n"
		"local n = gpu.argument(1, 3)\n"
		"gpu.check(n == 20480 and gpu.args[2] == 'XL', 'other arguments')\n";
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h);
	ck_assert_int_eq(gsim_run_set(run, "size", "Q"), GSIM_MISUSE);
	expect(&h, "expected S, M, L or XL, not 'Q'");
	ck_assert_int_eq(gsim_run_set(run, "size", "XL"), GSIM_OK);
	ck_assert_int_eq(gsim_run_set(run, "workload-text", sized), GSIM_OK);
	ck_assert_int_eq(gsim_run_workload(run), GSIM_OK);
	ck_assert_int_eq(gsim_run_end(run), GSIM_OK);
	gsim_run_free(run);
	run = run_of(scale, &h);
	gsim_run_set(run, "size", "L");
	gsim_run_set(run, "argument", "a");
	gsim_run_set(run, "workload-text", workload);
	ck_assert_int_eq(gsim_run_workload(run), GSIM_BAD_INPUT);
	expect(&h, "the workload declares no sizes");
	gsim_run_free(run);
}
END_TEST

START_TEST(workloads_that_fail_say_why)
{
	static const struct { const char *text, *said; GsimStatus status; } wrong[] = {
		{ "gpu.check(false, 'so')", "so", GSIM_FAILED },
		{ "gpu.launch { kernel = 'no', grid = 1, block = 1 }", "no kernel 'no'", GSIM_BAD_INPUT },
		{ "x = = 1", "unexpected symbol", GSIM_BAD_INPUT },
		{ "while true do end", "the instruction limit is reached", GSIM_BAD_INPUT },
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		Heard h = { 0 };
		GsimRun *run = run_of(scale, &h);
		gsim_run_set(run, "workload-text", wrong[i].text);
		gsim_run_set(run, "workload-steps", "10000");
		ck_assert_int_eq(gsim_run_workload(run), wrong[i].status);
		expect(&h, wrong[i].said);
		gsim_run_free(run);
	}
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h);
	ck_assert_int_eq(gsim_run_workload(run), GSIM_MISUSE); /* text.lua is not looked for */
	expect(&h, "nothing launches the kernels");
	gsim_run_free(run);
	run = run_of(scale, &h);
	ck_assert_int_eq(gsim_run_set(run, "workload", "/no/such.lua"), GSIM_OK);
	ck_assert_int_eq(gsim_run_workload(run), GSIM_BAD_INPUT);
	expect(&h, "cannot read the workload");
	gsim_run_free(run);
	run = run_of(scale, &h);
	ck_assert_int_eq(gsim_run_set(run, "trace", "/no/such/trace"), GSIM_OK);
	ck_assert_int_eq(gsim_run_workload(run), GSIM_BAD_INPUT);
	ck_assert_int_eq(h.errors, 1);
	GsimReport *r = gsim_run_report(run);
	double v;
	ck_assert_str_eq(gsim_report_value(r, "status"), "bad_input");
	ck_assert_int_eq(gsim_report_total(r, "cycles", &v), GSIM_MISUSE);
	ck_assert_ptr_null(gsim_report_text(r, 0));
	gsim_report_free(r);
	gsim_run_free(run);
}
END_TEST

START_TEST(a_host_function_of_a_text_runs)
{
	Heard h = { 0 };
	char text[4000];
	snprintf(text, sizeof text, "%s%s", scale,
		"host main() {\n\treg u64 %b\n\t%b = alloc.u64 400\n"
		"\tlaunch scale, 4, 32, 0, (%b, 2.0, 100)\n\texit\n}\n");
	GsimRun *run = run_of(text, &h);
	ck_assert_msg(gsim_run_workload(run) == GSIM_OK, "%s", h.text);
	GsimReport *r = gsim_run_report(run);
	ck_assert_int_eq(gsim_report_launches(r), 1);
	gsim_report_free(r);
	gsim_run_free(run);
}
END_TEST

static void progress(void *self, uint64_t cycles, uint64_t warp_instructions)
{
	Printed *p = self;
	expect_own_locale();
	(void)cycles;
	(void)warp_instructions;
	if (p->progress++ == 3)
		ck_assert_int_eq(gsim_run_cancel(p->run), GSIM_OK);
}

static GsimStatus launch_spin(GsimRun *run)
{
	GsimBuffer *b = gsim_buffer_new(run, "u32", 1);
	const GsimArgument x = gsim_place(b, 0);
	GsimLaunch l = GSIM_LAUNCH;
	l.kernel = "spin";
	l.n = 1;
	l.arguments = &x;
	return b ? gsim_run_launch(run, &l) : GSIM_INTERRUPTED;
}

START_TEST(progress_is_told_and_may_cancel)
{
	Heard h = { 0 };
	Printed p = { .n = 0 };
	GsimRun *run = run_of(spin, &h);
	p.run = run;
	ck_assert_int_eq(gsim_run_on_progress(run, progress, &p), GSIM_OK);
	ck_assert_int_eq(launch_spin(run), GSIM_INTERRUPTED);
	expect(&h, "interrupted in kernel spin");
	ck_assert_int_ge(p.progress, 4);
	gsim_run_free(run);
}
END_TEST

/* ---- threads ---- */

START_TEST(a_run_is_cancelled_before_it_begins)
{
	Heard h = { 0 };
	GsimRun *run = run_of(scale, &h);
	ck_assert_int_eq(gsim_run_cancel(run), GSIM_OK);
	ck_assert_ptr_null(gsim_buffer_new(run, "f32", N));
	expect(&h, "interrupted");
	ck_assert_int_eq(launch_scale(run, gsim_unsigned(0), gsim_real(1), gsim_integer(0)),
		GSIM_INTERRUPTED);
	expect(&h, "the run was interrupted, and takes no more work");
	ck_assert_int_eq(gsim_run_workload(run), GSIM_INTERRUPTED);
	expect(&h, "the run was interrupted, and takes no more work");
	ck_assert_int_eq(gsim_run_end(run), GSIM_INTERRUPTED);
	expect(&h, "the run was interrupted");
	GsimReport *r = gsim_run_report(run);
	ck_assert_str_eq(gsim_report_value(r, "status"), "interrupted");
	gsim_report_free(r);
	gsim_run_free(run);
	misused(gsim_run_cancel(NULL), "the run is NULL");
}
END_TEST

typedef struct Cancel { GsimRun *run; pthread_barrier_t *meet; } Cancel;

static void *cancel(void *self)
{
	Cancel *c = self;
	pthread_barrier_wait(c->meet);
	gsim_run_cancel(c->run);
	return NULL;
}

/* Whenever the other thread's call comes, the kernel, which never ends by itself, ends. */
static void cancel_from_another_thread(const char *option)
{
	Heard h = { 0 };
	pthread_t thread;
	pthread_barrier_t meet;
	GsimRun *run = run_of(spin, &h);
	Cancel c = { run, &meet };
	if (option)
		ck_assert_int_eq(gsim_run_set(run, option, "true"), GSIM_OK);
	pthread_barrier_init(&meet, NULL, 2);
	ck_assert_int_eq(pthread_create(&thread, NULL, cancel, &c), 0);
	pthread_barrier_wait(&meet);
	ck_assert_int_eq(launch_spin(run), GSIM_INTERRUPTED);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&meet);
	ck_assert_ptr_nonnull(strstr(h.text, "interrupted"));
	gsim_run_free(run);
}

START_TEST(another_thread_cancels_a_kernel_that_never_ends)
{
	for (int i = 0; i < 3; i++) {
		cancel_from_another_thread(NULL);
		cancel_from_another_thread("functional");
		cancel_from_another_thread("reference");
	}
}
END_TEST

/* A module read, passes, a run and a report, all in one thread. */
static void *work(void *self)
{
	double *cycles = self;
	for (int i = 0; i < 3; i++) {
		Heard h = { 0 };
		GsimModule *m = module_of(scale, &h);
		GsimMachine *machine = gsim_machine_new(NULL, hear, &h);
		gsim_module_passes(m, machine, "if-convert,dce", 0);
		GsimRun *run = gsim_run_new(m, machine, hear, &h);
		expect_scaled(scale_in(run, 2), 2);
		GsimReport *r = gsim_run_report(run);
		ck_assert_int_eq(gsim_report_total(r, "cycles", cycles), GSIM_OK);
		nothing(gsim_buffer_new(NULL, "u8", 1), "the run is NULL");
		gsim_report_free(r);
		gsim_run_free(run);
		gsim_machine_free(machine);
		gsim_module_free(m);
	}
	return NULL;
}

START_TEST(threads_do_not_disturb_each_other)
{
	pthread_t thread[4];
	double cycles[5] = { 0 };
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, work, &cycles[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	work(&cycles[4]);
	ck_assert(cycles[4] > 0);
	for (int i = 0; i < 4; i++)
		ck_assert_msg(cycles[i] == cycles[4], "%g and %g cycles", cycles[i], cycles[4]);
}
END_TEST

/* ---- reports ---- */

START_TEST(figures_have_names)
{
	Heard h = { 0 };
	double v = -1, w = -1;
	GsimRun *run = run_of(scale, &h);
	scale_in(run, 2);
	scale_in(run, 3);
	GsimReport *r = gsim_run_report(run);
	gsim_run_free(run); /* the report needs it no more */
	const char *name;
	for (int i = 0; (name = gsim_statistic(i, NULL, NULL)); i++) {
		/* the reference interpreter alone looks for what nobody reads */
		GsimStatus status = !strcmp(name, "inserted.values") || !strcmp(name, "inserted.unread")
			? GSIM_NOT_MEASURED : GSIM_OK;
		ck_assert_msg(gsim_report_total(r, name, &v) == status, "%s", name);
		ck_assert_msg(gsim_report_launch(r, 0, name, &v) == status, "%s", name);
		ck_assert_msg(gsim_report_kernel(r, "scale", name, &v) == status, "%s", name);
	}
	ck_assert_int_eq(gsim_report_total(r, "thread_instructions", &v), GSIM_OK);
	ck_assert_int_eq(gsim_report_launch(r, 1, "thread_instructions", &w), GSIM_OK);
	ck_assert(v == 2 * w && w > 100 * 15);
	ck_assert_int_eq(gsim_report_kernel(r, "scale", "thread_instructions", &w), GSIM_OK);
	ck_assert(v == w);
	ck_assert_int_eq(gsim_report_launch(r, 0, "static.registers", &v), GSIM_OK);
	ck_assert(v > 0);
	ck_assert_int_eq(gsim_report_total(r, "simd_utilization", &v), GSIM_OK);
	ck_assert(v > 0.5 && v <= 1);
	ck_assert_str_eq(gsim_report_value(r, "mode"), "timed");
	ck_assert_int_eq(h.errors, 0);
	ck_assert_int_eq(gsim_report_total(r, "cycle", &v), GSIM_MISUSE);
	expect(&h, "did you mean 'cycles'?");
	ck_assert_int_eq(gsim_report_total(r, NULL, &v), GSIM_MISUSE);
	expect(&h, "the name is NULL");
	ck_assert_int_eq(gsim_report_total(r, "cycles", NULL), GSIM_MISUSE);
	expect(&h, "the place for the value is NULL");
	ck_assert_int_eq(gsim_report_launch(r, 2, "cycles", &v), GSIM_MISUSE);
	expect(&h, "number 2 of 2 launches");
	ck_assert_int_eq(gsim_report_kernel(r, "no", "cycles", &v), GSIM_MISUSE);
	expect(&h, "no launch of kernel 'no'");
	ck_assert_ptr_null(gsim_report_value(r, "total"));
	expect(&h, "there is no text or number 'total'");
	gsim_report_free(r);
}
END_TEST

START_TEST(figures_that_are_not_measured_say_so)
{
	static const char *const options[] = { "functional", "reference" };
	for (int i = 0; i < 2; i++) {
		Heard h = { 0 };
		double v = 5;
		GsimRun *run = run_of(scale, &h);
		gsim_run_set(run, options[i], "true");
		expect_scaled(scale_in(run, 2), 2);
		GsimReport *r = gsim_run_report(run);
		ck_assert_int_eq(gsim_report_total(r, "cycles", &v), GSIM_NOT_MEASURED);
		ck_assert(v == 5);
		ck_assert_int_eq(gsim_report_total(r, "thread_instructions", &v), GSIM_OK);
		ck_assert(v > 5);
		ck_assert_int_eq(h.errors, 0);
		gsim_report_free(r);
		gsim_run_free(run);
	}
}
END_TEST

START_TEST(reports_are_written)
{
	Heard h = { 0 };
	char dir[] = "/tmp/gsim-api-XXXXXX", path[64];
	static const char *const names[] = { "r.json", "r.txt", "r.csv", "r.svg", "trace" };
	const char *why;
	size_t n;
	ck_assert_ptr_nonnull(mkdtemp(dir));
	GsimRun *run = run_of(scale, &h), *plain = run_of(scale, &h);
	snprintf(path, sizeof path, "%s/trace", dir);
	gsim_run_set(run, "interval", "100");
	gsim_run_set(run, "trace", path);
	scale_in(run, 2);
	scale_in(plain, 2);
	ck_assert_int_eq(gsim_run_end(run), GSIM_OK);
	GsimReport *r = gsim_run_report(run), *s = gsim_run_report(plain);
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		ck_assert(i == 4 || gsim_report_write(r, path) == GSIM_OK);
		char *text = file_read(path, 1 << 20, &n, &why);
		ck_assert_msg(text && n > 100, "%s", path);
		ck_assert(i || !strcmp(text, gsim_report_json(r)));
		ck_assert(i != 1 || !strcmp(text, gsim_report_text(r, 0)));
		free(text);
		unlink(path);
	}
	ck_assert_uint_ge(strlen(gsim_report_text(r, 1)), strlen(gsim_report_text(r, 0)));
	ck_assert_int_eq(h.errors, 0);
	ck_assert_int_eq(gsim_report_write(s, "x.csv"), GSIM_MISUSE);
	expect(&h, "the option interval");
	snprintf(path, sizeof path, "%s/no/r.json", dir);
	ck_assert_int_eq(gsim_report_write(s, path), GSIM_BAD_INPUT);
	expect(&h, "cannot write");
	ck_assert_int_eq(gsim_report_write(s, NULL), GSIM_MISUSE);
	expect(&h, "the path is NULL");
	char *both = gsim_report_compare(s, r);
	ck_assert_ptr_nonnull(strstr(both, "cycles"));
	gsim_free(both);
	gsim_report_free(r);
	gsim_report_free(s);
	gsim_run_free(run);
	gsim_run_free(plain);
	rmdir(dir);
}
END_TEST

START_TEST(runs_are_compared)
{
	Heard h = { 0 };
	GsimCompared c = { 0 };
	GsimRun *a = run_of(scale, &h), *b = run_of(scale, &h);
	ck_assert_int_eq(gsim_run_compare(a, b, &c), GSIM_MISUSE);
	expect(&h, "a run has not begun");
	GsimBuffer *x = scale_in(a, 2);
	gsim_run_set(b, "reference", "true");
	GsimBuffer *y = scale_in(b, 2);
	ck_assert_int_eq(gsim_run_compare(a, b, &c), GSIM_OK);
	ck_assert_int_eq(c.identical, 2);
	ck_assert_int_eq(c.ignored, 1);
	ck_assert_uint_eq(c.bytes, 4 * N + 16);
	float v = 2.0001f, w;
	ck_assert_int_eq(gsim_buffer_write(y, 4, &v, 4), GSIM_OK);
	ck_assert_int_eq(gsim_run_compare(a, b, &c), GSIM_FAILED);
	expect(&h, "buffer 1 (f32[100]): element 1 is 2 in the first run, 2.0000999 in the second run");
	ck_assert_int_eq(gsim_buffer_compare(x, "tolerance", 0.01), GSIM_OK);
	ck_assert_int_eq(gsim_run_compare(a, b, NULL), GSIM_OK);
	ck_assert_int_eq(gsim_buffer_compare(x, "set", 0), GSIM_OK);
	ck_assert_int_eq(gsim_buffer_read(x, 8, &w, 4), GSIM_OK);
	ck_assert_int_eq(gsim_buffer_write(y, 4, &w, 4), GSIM_OK);
	w = 2;
	ck_assert_int_eq(gsim_buffer_write(y, 8, &w, 4), GSIM_OK);
	ck_assert_int_eq(gsim_run_compare(a, b, &c), GSIM_OK);
	ck_assert_int_eq(c.alike, 1);
	ck_assert_int_eq(gsim_buffer_compare(x, "some", 0), GSIM_MISUSE);
	expect(&h, "found 'some'");
	ck_assert_int_eq(gsim_buffer_compare(x, "tolerance", -1), GSIM_MISUSE);
	expect(&h, "tolerance");
	ck_assert_int_eq(gsim_run_compare(a, a, NULL), GSIM_MISUSE);
	expect(&h, "both runs are the same");
	gsim_run_free(a);
	gsim_run_free(b);
}
END_TEST

/* ---- wrong objects ---- */

/* Calls for the object whose message is heard, once for each kind. */
typedef struct Again {
	GsimModule *module;
	GsimMachine *machine;
	GsimRun *run;
	GsimReport *report;
	int heard;
} Again;

#define SAME "gets the messages of the same object"

static void call_again(void *self, const GsimMessage *m)
{
	Again *a = self;
	double v;
	a->heard++;
	if (a->report) {
		misused(gsim_report_total(a->report, "no", &v), SAME);
		misused(gsim_module_profile(a->module, a->report), SAME);
		gsim_report_free(a->report);
		nothing(gsim_report_json(a->report), SAME);
	} else if (a->run) {
		misused(gsim_run_sync(a->run), "another call for the run has not returned");
		gsim_run_free(a->run);
		ck_assert_int_eq(gsim_run_cancel(a->run), GSIM_OK);
	} else if (a->machine) {
		misused(gsim_machine_set(a->machine, "no", "1"), SAME);
		gsim_machine_free(a->machine);
		nothing(gsim_machine_copy(a->machine), SAME);
	} else if (a->module) {
		misused(gsim_module_passes(a->module, NULL, "no", 0), SAME);
		gsim_module_free(a->module);
		ck_assert_int_eq(gsim_module_kernels(a->module), -1);
	}
	ck_assert_ptr_nonnull(m->text);
}

START_TEST(calls_for_the_object_that_speaks_are_refused)
{
	Again a = { 0 };
	GsimModule *m = gsim_module_parse(scale, strlen(scale), "text.ir", NULL, call_again, &a);
	GsimMachine *machine = gsim_machine_new(NULL, call_again, &a);
	GsimRun *run = gsim_run_new(m, machine, call_again, &a);
	scale_in(run, 2);
	GsimReport *r = gsim_run_report(run);
	double v;
	a.module = m;
	ck_assert_int_eq(gsim_module_passes(m, NULL, "nonsense", 0), GSIM_BAD_INPUT);
	ck_assert_ptr_null(gsim_module_kernel(m, 7));
	ck_assert_int_eq(gsim_module_kernels(m), 1);
	a.machine = machine;
	ck_assert_int_eq(gsim_machine_set(machine, "no", "1"), GSIM_BAD_INPUT);
	ck_assert_int_eq(gsim_machine_set(machine, "warp_size", "32"), GSIM_OK);
	a.run = run;
	ck_assert_int_eq(gsim_run_set(run, "no", "1"), GSIM_MISUSE);
	ck_assert_int_eq(gsim_run_sync(run), GSIM_INTERRUPTED);
	a.report = r;
	ck_assert_int_eq(gsim_report_total(r, "no", &v), GSIM_MISUSE);
	ck_assert_int_eq(gsim_report_total(r, "cycles", &v), GSIM_OK);
	ck_assert_int_eq(a.heard, 6);
	gsim_report_free(r);
	gsim_run_free(run);
	gsim_machine_free(machine);
	gsim_module_free(m);
}
END_TEST

START_TEST(objects_that_are_not_there_are_recognised)
{
	Heard h = { 0 };
	double v;
	GsimModule *m = module_of(scale, &h);
	GsimMachine *machine = gsim_machine_new(NULL, NULL, NULL);
	GsimRun *run = gsim_run_new(m, machine, NULL, NULL);
	GsimBuffer *b = scale_in(run, 2);
	GsimReport *r = gsim_run_report(run);
	/* an object of another kind */
	misused(gsim_run_sync((GsimRun *)(void *)m), "this is no run, or it was freed");
	misused(gsim_machine_set((GsimMachine *)(void *)b, "a", "b"), "this is no machine, or it was freed");
	gsim_report_free(r);
	gsim_run_free(run);
	gsim_machine_free(machine);
	gsim_module_free(m);
	/* freed ones, NULL and what never was one */
	for (int i = 0; i < 3; i++) {
		const char *said = i == 1 ? "is NULL" : "or it was freed";
		GsimModule *bad_m = i == 0 ? m : i == 1 ? NULL : (GsimModule *)(void *)&v;
		GsimMachine *bad_machine = i == 0 ? machine : i == 1 ? NULL : (GsimMachine *)(void *)&v;
		GsimRun *bad_run = i == 0 ? run : i == 1 ? NULL : (GsimRun *)(void *)&v;
		GsimBuffer *bad_b = i == 0 ? b : i == 1 ? NULL : (GsimBuffer *)(void *)&v;
		GsimReport *bad_r = i == 0 ? r : i == 1 ? NULL : (GsimReport *)(void *)&v;
		nothing(gsim_module_copy(bad_m), said);
		ck_assert_int_eq(gsim_module_kernels(bad_m), -1);
		nothing(gsim_module_kernel(bad_m, 0), said);
		misused(gsim_module_kernel_runs(bad_m, "scale"), said);
		ck_assert_int_eq(gsim_module_parameters(bad_m, "scale"), -1);
		nothing(gsim_module_parameter_name(bad_m, "scale", 0), said);
		nothing(gsim_module_parameter_type(bad_m, "scale", 0, NULL), said);
		nothing(gsim_module_print(bad_m), said);
		misused(gsim_module_write(bad_m, "x"), said);
		misused(gsim_module_profile(bad_m, bad_r), said);
		misused(gsim_module_passes(bad_m, NULL, "dce", 0), said);
		gsim_module_free(bad_m);
		nothing(gsim_machine_copy(bad_machine), said);
		misused(gsim_machine_set(bad_machine, "a", "b"), said);
		misused(gsim_machine_set_mechanism(bad_machine, "ipdom"), said);
		nothing(gsim_machine_get(bad_machine, "a"), said);
		nothing(gsim_machine_print(bad_machine), said);
		gsim_machine_free(bad_machine);
		nothing(gsim_run_new(bad_m, bad_machine, NULL, NULL), said);
		misused(gsim_run_set(bad_run, "laws", "true"), said);
		misused(gsim_run_on_print(bad_run, NULL, NULL), said);
		misused(gsim_run_on_progress(bad_run, NULL, NULL), said);
		misused(gsim_run_workload(bad_run), said);
		misused(gsim_run_launch(bad_run, NULL), said);
		misused(gsim_run_sync(bad_run), said);
		misused(gsim_run_flush(bad_run), said);
		misused(gsim_run_end(bad_run), said);
		ck_assert_int_eq(gsim_run_compare(bad_run, NULL, NULL), GSIM_MISUSE);
		ck_assert_int_eq(gsim_run_buffers(bad_run), -1);
		nothing(gsim_run_buffer(bad_run, 0), said);
		nothing(gsim_run_report(bad_run), said);
		nothing(gsim_buffer_new(bad_run, "u8", 1), said);
		nothing(gsim_buffer_of_variable(bad_run, "count"), said);
		gsim_run_free(bad_run);
		misused(gsim_buffer_free(bad_b), said);
		nothing(gsim_buffer_name(bad_b), said);
		nothing(gsim_buffer_type(bad_b), said);
		ck_assert_uint_eq(gsim_buffer_bytes(bad_b), 0);
		ck_assert_uint_eq(gsim_buffer_address(bad_b), 0);
		misused(gsim_buffer_read(bad_b, 0, &v, 1), said);
		misused(gsim_buffer_write(bad_b, 0, &v, 1), said);
		misused(gsim_buffer_compare(bad_b, "exact", 0), said);
		nothing(gsim_report_json(bad_r), said);
		nothing(gsim_report_text(bad_r, 0), said);
		misused(gsim_report_write(bad_r, "x"), said);
		ck_assert_int_eq(gsim_report_launches(bad_r), -1);
		misused(gsim_report_total(bad_r, "cycles", &v), said);
		misused(gsim_report_launch(bad_r, 0, "cycles", &v), said);
		misused(gsim_report_kernel(bad_r, "scale", "cycles", &v), said);
		nothing(gsim_report_value(bad_r, "status"), said);
		nothing(gsim_report_compare(bad_r, bad_r), said);
		gsim_report_free(bad_r);
	}
}
END_TEST

/* ---- the same as the program ---- */

static void without_time(char *json)
{
	char *host = strstr(json, "\"host\"");
	ck_assert_ptr_nonnull(host);
	char *end = strchr(host, '}');
	memmove(host, end, strlen(end) + 1);
}

/* The first line of `ours` that is another one in `theirs`. */
static void expect_equal(const char *ours, const char *theirs)
{
	while (*ours && *ours == *theirs) {
		size_t n = strcspn(ours, "\n") + 1, m = strcspn(theirs, "\n") + 1;
		ck_assert_msg(n == m && !memcmp(ours, theirs, n), "%.*s\nof the program: %.*s", (int)(n < 200
			? n : 200), ours, (int)(m < 200 ? m : 200), theirs);
		ours += ours[n - 1] ? n : n - 1;
		theirs += theirs[m - 1] ? m : m - 1;
	}
	ck_assert_int_eq(*ours, *theirs);
}

START_TEST(reports_are_those_of_the_program)
{
	static const char *const kernels[] = { "short_circuit/short_circuit.ir", "matmul/matmul.ptx" };
	const char *top = getenv("srcdir");
	char dir[] = "/tmp/gsim-api-XXXXXX", json[64], command[1000], path[300];
	const char *why;
	size_t n;
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(json, sizeof json, "%s/r.json", dir);
	for (int i = 0; i < 2; i++) {
		Heard h = { 0 };
		snprintf(path, sizeof path, "%s/kernels/%s", top ? top : "..", kernels[i]);
		snprintf(command, sizeof command, "./gsim -q -c kepler.lua -D l1.latency=40 -m 'ipdom' "
			"-p linearize,dce --stats %s %s", json, path);
		ck_assert_int_eq(system(command), 0);
		char *theirs = file_read(json, 1 << 24, &n, &why);
		ck_assert_ptr_nonnull(theirs);
		GsimModule *m = gsim_module_read(path, NULL, hear, &h);
		GsimMachine *machine = gsim_machine_new("kepler.lua", hear, &h);
		ck_assert_int_eq(gsim_machine_set(machine, "l1.latency", "40"), GSIM_OK);
		ck_assert_int_eq(gsim_machine_set_mechanism(machine, "ipdom"), GSIM_OK);
		ck_assert_int_eq(gsim_module_passes(m, machine, "linearize,dce", 0), GSIM_OK);
		GsimRun *run = gsim_run_new(m, machine, hear, &h);
		ck_assert_msg(gsim_run_workload(run) == GSIM_OK, "%s", h.text);
		GsimReport *r = gsim_run_report(run);
		char *ours = strdup(gsim_report_json(r));
		without_time(ours);
		without_time(theirs);
		expect_equal(ours, theirs);
		free(ours);
		free(theirs);
		gsim_report_free(r);
		gsim_run_free(run);
		gsim_machine_free(machine);
		gsim_module_free(m);
	}
	unlink(json);
	rmdir(dir);
}
END_TEST

/* ---- the locale of the program, which check_locale.sh chooses ---- */

static const char halves[] =
	"kernel halves(u64 x)\n"
	"{\n"
	"	reg u64 %x\n"
	"	reg f32 %v\n"
	"B1:\n"
	"	%x = ld.param.u64 [x]\n"
	"	%v = mov.f32 1.5\n"
	"	st.global.f32 [%x], %v\n"
	"	exit\n"
	"}\n";
static const char compares[] =
	"print(0.5, tonumber('2.5'), 'a' < 'B', ('\\228'):find('%a'))\n"
	"gpu.launch { kernel = 'halves', grid = 1, block = 1, args = { gpu.buffer('f32', 1) } }\n";

/* Calls inside of others leave the locale as it was, too. */
static void hear_and_call(void *self, const GsimMessage *m)
{
	hear(self, m);
	gsim_machine_free(gsim_machine_new(NULL, NULL, NULL));
	expect_own_locale();
}

static void run_halves(GsimRun *run, Heard *h)
{
	Printed p = { .run = run };
	float v = 0;
	gsim_run_on_print(run, print, &p);
	ck_assert_int_eq(gsim_run_set(run, "workload-seconds", "20.5"), GSIM_OK);
	ck_assert_int_eq(gsim_run_set(run, "workload-text", compares), GSIM_OK);
	ck_assert_int_eq(gsim_run_set(run, "threads", "x"), GSIM_MISUSE);
	expect(h, "gsim_run_set: threads");
	ck_assert_msg(gsim_run_workload(run) == GSIM_OK, "%s", h->text);
	ck_assert_str_eq(p.text, "0.5\t2.5\tfalse\tnil\n");
	ck_assert_int_eq(gsim_buffer_read(gsim_run_buffer(run, 0), 0, &v, sizeof v), GSIM_OK);
	ck_assert_msg(v == 1.5f, "1.5 is %g", v);
}

START_TEST(the_locale_of_the_program_changes_nothing)
{
	Heard h = { 0 };
	GsimModule *m = gsim_module_parse(halves, strlen(halves), "text.ir", NULL, hear_and_call, &h);
	GsimMachine *machine = gsim_machine_new("kepler.lua", hear_and_call, &h);
	GsimRun *run = gsim_run_new(m, machine, hear_and_call, &h);
	run_halves(run, &h);
	GsimReport *r = gsim_run_report(run);
	ck_assert_str_eq(gsim_report_value(r, "total.simd_utilization"), "0.03125");
	ck_assert_ptr_nonnull(strstr(gsim_report_json(r), "\"simd_utilization\": 0.03125"));
	gsim_report_free(r);
	gsim_run_free(run);
	gsim_machine_free(machine);
	gsim_module_free(m);
	expect_own_locale();
}
END_TEST

int main(void)
{
	char machines[300];
	const char *locale = getenv("GSIM_TEST_LOCALE");
	if (locale && !setlocale(LC_ALL, locale)) {
		fprintf(stderr, "there is no locale %s\n", locale);
		return 2;
	}
	snprintf(machines, sizeof machines, "%s/configs", getenv("srcdir") ? getenv("srcdir") : "..");
	setenv("GSIM_PATH", machines, 1);
	Suite *s = suite_create("api");
	TCase *c = tcase_create("api");
	tcase_add_test(c, version_is_that_of_the_header);
	tcase_add_test(c, statuses_have_names);
	tcase_add_test(c, statistics_are_listed);
	tcase_add_test(c, module_tells_its_kernels);
	tcase_add_test(c, errors_of_modules_have_places);
	tcase_add_test(c, a_pipe_is_read_once);
	tcase_add_test(c, many_errors_are_told_in_part);
	tcase_add_test(c, modules_print_and_read_again);
	tcase_add_test(c, text_imports_below_its_folder_alone);
	tcase_add_test(c, passes_change_the_module);
	tcase_add_test(c, passes_get_a_profile);
	tcase_add_test(c, machines_are_set_and_read);
	tcase_add_test(c, a_machine_that_cannot_be_makes_no_run);
	tcase_add_test(c, a_launch_computes);
	tcase_add_test(c, arguments_that_do_not_fit_are_refused);
	tcase_add_test(c, launches_that_are_wrong_are_refused);
	tcase_add_test(c, a_kernel_that_fails_says_where);
	tcase_add_test(c, buffers_keep_their_bounds);
	tcase_add_test(c, variables_are_buffers);
	tcase_add_test(c, streams_run_when_they_are_waited_for);
	tcase_add_test(c, options_are_checked);
	tcase_add_test(c, options_that_exclude_each_other_begin_no_run);
	tcase_add_test(c, a_workload_runs_and_prints);
	tcase_add_test(c, a_size_chooses_the_arguments);
	tcase_add_test(c, workloads_that_fail_say_why);
	tcase_add_test(c, a_host_function_of_a_text_runs);
	tcase_add_test(c, progress_is_told_and_may_cancel);
	tcase_add_test(c, a_run_is_cancelled_before_it_begins);
	tcase_add_test(c, another_thread_cancels_a_kernel_that_never_ends);
	tcase_add_test(c, threads_do_not_disturb_each_other);
	tcase_add_test(c, figures_have_names);
	tcase_add_test(c, figures_that_are_not_measured_say_so);
	tcase_add_test(c, reports_are_written);
	tcase_add_test(c, runs_are_compared);
	tcase_add_test(c, calls_for_the_object_that_speaks_are_refused);
	tcase_add_test(c, objects_that_are_not_there_are_recognised);
	tcase_add_test(c, reports_are_those_of_the_program);
	tcase_add_test(c, the_locale_of_the_program_changes_nothing);
	suite_add_tcase(s, c);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
