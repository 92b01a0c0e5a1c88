/* JSON: what is written reads back; hostile texts are refused; reports compare. */
#include "lib/json.h"
#include "sim/report/report.h"
#include "tests/check.h"

static const JsonValue *read_text(Arena *a, const char *text, Diag *d)
{
	return json_read(a, text, strlen(text), "t", d);
}

static void write_sample(JsonSink *j)
{
	j->begin(j, '{', false);
	j->key(j, "text");
	j->text(j, "a \"quoted\" \\ line\nwith \x01 and \xc3\xa4");
	j->key(j, "none");
	j->text(j, NULL);
	j->key(j, "large");
	j->count(j, UINT64_MAX);
	j->key(j, "below");
	j->integer(j, INT64_MIN);
	j->key(j, "list");
	j->begin(j, '[', true);
	j->real(j, 0.1);
	j->real(j, 1e300);
	j->real(j, 0.0 / 0.0);
	j->boolean(j, true);
	j->end(j);
	j->key(j, "empty");
	j->begin(j, '{', false);
	j->end(j);
	j->end(j);
}

START_TEST(round_trip)
{
	Arena a = { 0 };
	Diag d = { 0 };
	StrBuf out = { 0 };
	JsonText t;
	json_text(&t, &out);
	write_sample(&t.sink);
	const JsonValue *v = json_read(&a, out.s, out.n, "t", &d);
	ck_assert_msg(v != NULL, "%s", out.s);
	ck_assert_str_eq(json_get(v, "text")->text, "a \"quoted\" \\ line\nwith \x01 and \xc3\xa4");
	ck_assert_int_eq(json_get(v, "none")->kind, JSON_NULL);
	ck_assert_str_eq(json_get(v, "large")->text, "18446744073709551615");
	ck_assert_str_eq(json_get(v, "below")->text, "-9223372036854775808");
	const JsonValue *list = json_get(v, "list");
	ck_assert_int_eq(list->n, 4);
	ck_assert(list->item[0].number == 0.1);
	ck_assert(list->item[1].number == 1e300);
	ck_assert_int_eq(list->item[2].kind, JSON_NULL);
	ck_assert_int_eq(list->item[3].kind, JSON_BOOL);
	ck_assert_int_eq(json_get(v, "empty")->n, 0);
	ck_assert_ptr_null(json_get(v, "nothing"));
	ck_assert_ptr_null(json_path(v, "list.text"));
	sb_free(&out);
	arena_free(&a);
}
END_TEST

START_TEST(reals_are_shortest)
{
	static const struct { double v; const char *text; } want[] = {
		{ 0.5, "0.5" }, { 1.0 / 3, "0.3333333333333333" }, { 100, "100" }, { 1e21, "1e+21" },
		{ 0.1 + 0.2, "0.30000000000000004" },
	};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		StrBuf out = { 0 };
		json_print_real(&out, want[i].v);
		ck_assert_str_eq(out.s, want[i].text);
		sb_free(&out);
	}
}
END_TEST

static const struct { const char *text, *message; int line, col; } bad[] = {
	{ "", "text ends", 1, 1 }, { "  \n ", "text ends", 2, 2 }, { "{", "name in quotes", 1, 2 },
	{ "[1,]", "another member", 1, 4 },
	{ "[1 2]", "expected ','", 1, 4 }, { "{\"a\" 1}", "expected ':'", 1, 6 },
	{ "{\"a\":1,}", "another member", 1, 8 },
	{ "{a:1}", "name in quotes", 1, 2 }, { "01", "expected a value", 1, 3 },
	{ "-", "expected a value", 1, 2 },
	{ "1.", "digits after", 1, 3 }, { "1e", "exponent", 1, 3 }, { "1e999", "too large", 1, 1 },
	{ "nul", "expected a value", 1, 1 },
	{ "\"abc", "closing quote", 1, 5 }, { "\"a\nb\"", "control character", 1, 3 },
	{ "\"\\x\"", "unknown escape", 1, 3 },
	{ "\"\\ud800\"", "surrogate", 1, 8 }, { "\"\\udc00\"", "surrogate", 1, 8 },
	{ "\"\\u0000\"", "hexadecimal", 1, 4 },
	{ "\"\\u12g4\"", "hexadecimal", 1, 4 }, { "[1] x", "end of the text", 1, 5 },
	{ "+1", "expected a value", 1, 1 },
	{ "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1", "inside each other", 1, 33 },
	{ "\xff", "expected a value", 1, 1 },
	{ "NaN", "expected a value", 1, 1 }, { "{\"a\":}", "expected a value", 1, 6 },
	{ "]", "expected a value", 1, 1 },
};

START_TEST(refuses)
{
	Arena a = { 0 };
	Diag d = { 0 };
	ck_assert_msg(!read_text(&a, bad[_i].text, &d), "accepted: %s", bad[_i].text);
	ck_assert_int_eq(d.errors, 1);
	const DiagItem *e = &d.item.v[0];
	ck_assert_msg(strstr(e->text, bad[_i].message) != NULL, "for '%s': %s", bad[_i].text, e->text);
	ck_assert_msg(e->loc.line == bad[_i].line && e->loc.col == bad[_i].col, "for '%s': %d:%d",
		bad[_i].text, e->loc.line, e->loc.col);
	diag_free(&d);
	arena_free(&a);
}
END_TEST

START_TEST(objects_are_bounded)
{
	for (int n = JSON_MEMBERS; n <= JSON_MEMBERS + 1; n++) {
		Arena a = { 0 };
		Diag d = { 0 };
		StrBuf text = { 0 };
		for (int i = 0; i < n; i++)
			sb_printf(&text, "%c\"k%d\":%d", i ? ',' : '{', i, i);
		sb_putc(&text, '}');
		const JsonValue *v = read_text(&a, text.s, &d);
		ck_assert_msg((v != NULL) == (n == JSON_MEMBERS), "%d members", n);
		ck_assert_int_eq(d.errors, v ? 0 : 1);
		sb_free(&text);
		diag_free(&d);
		arena_free(&a);
	}
}
END_TEST

START_TEST(shares_add_up)
{
	static const uint64_t parts[][5] = {
		{ 1, 1, 1, 0, 0 }, { 1, 0, 0, 0, 0 }, { 999, 1, 1, 1, 1 }, { 1, 1, 1, 1, 3 },
		{ 333333, 333333, 333333, 1, 0 },
		{ 1000000000000, 1, 1, 1, 1 }, { 7, 7, 7, 7, 1 },
		{ UINT64_MAX / 8, UINT64_MAX / 7, 5, 0, UINT64_MAX / 9 },
	};
	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
		int tenths[5], sum = 0;
		report_shares(parts[k], 5, tenths);
		for (int i = 0; i < 5; i++) {
			ck_assert_msg(tenths[i] >= 0 && (parts[k][i] || !tenths[i]),
				"case %zu: part %d has %d", k, i, tenths[i]);
			sum += tenths[i];
		}
		ck_assert_msg(sum == 1000, "case %zu: %d", k, sum);
	}
	int none[2] = { 5, 5 };
	report_shares((const uint64_t[]){ 0, 0 }, 2, none);
	ck_assert(none[0] == 0 && none[1] == 0);
}
END_TEST

static const char before[] = "{\"model\":\"token\",\"passes\":\"\",\"total\":{\"cycles\":200,"
	"\"simd_utilization\":0.25,\"lanes\":{\"useful\":7},"
	"\"issue\":{\"issued\":5,\"stalls\":{\"data\":0,\"memory\":40}},\"active_lanes\":[1,2],"
	"\"blocks\":[{\"function\":\"f\",\"label\":\"A\",\"fetches\":4,\"threads\":8},{\"function\":\"f\","
	"\"label\":\"B\",\"fetches\":9,\"threads\":9}],"
	"\"branches\":[{\"function\":\"f\",\"label\":\"A\",\"line\":3,\"executed\":4,\"divergent\":4}]}}";
static const char after[] = "{\"model\":\"token\",\"passes\":\"dce\",\"total\":{\"cycles\":100,"
	"\"simd_utilization\":0.2,\"lanes\":{\"useful\":7},"
	"\"issue\":{\"issued\":5,\"stalls\":{\"data\":0,\"memory\":60}},\"active_lanes\":[1,2,3],\"extra\":1,"
	"\"blocks\":[{\"function\":\"f\",\"label\":\"B\",\"fetches\":18,\"threads\":9}],"
	"\"branches\":[{\"function\":\"f\",\"label\":\"A\",\"line\":3,\"executed\":4,\"divergent\":0}]}}";

/* The line of text that begins with start. */
static void has_line(const char *text, const char *start, const char *values)
{
	char line[1024];
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
		char *end = strstr(line, start);
		if (end != line)
			continue;
		char squeezed[1024] = "";
		for (char *w = strtok(line + strlen(start), " "); w; w = strtok(NULL, " "))
			snprintf(squeezed + strlen(squeezed), sizeof squeezed - strlen(squeezed), "%s%s",
				*squeezed ? " " : "", w);
		if (!strcmp(squeezed, values))
			return;
	}
	ck_abort_msg("no line '%s %s' in:\n%s", start, values, text);
}

START_TEST(compares_every_figure)
{
	Arena a = { 0 };
	Diag d = { 0 };
	StrBuf out = { 0 };
	const JsonValue *v[2] = { read_text(&a, before, &d), read_text(&a, after, &d) };
	report_compare(v[0], v[1], NULL, (ReportForm){ .full = true }, &out);
	has_line(out.s, "dce:", "50.0 % fewer cycles, 5.0 points less SIMD utilisation; results not "
		"compared");
	has_line(out.s, "cycles", "200 100 0.500");
	ck_assert_ptr_null(strstr(out.s, "better"));
	ck_assert_ptr_null(strstr(out.s, "worse"));
	out.n = 0;
	const JsonValue *equal = read_text(&a, "{\"results\":\"equal\",\"compared\":{\"identical\":1}}", &d);
	report_compare(v[0], v[1], equal, (ReportForm){ .full = true }, &out);
	has_line(out.s, "cycles", "200 100 0.500 better");
	has_line(out.s, "simd_utilization", "25.0 % 20.0 % 0.800 worse");
	has_line(out.s, "lanes.useful", "7 7 1.000");
	has_line(out.s, "issue.stalls.data", "0 0 1.000");
	has_line(out.s, "issue.stalls.memory", "40 60 1.500 worse");
	has_line(out.s, "active_lanes[2]", "- 3 -");
	has_line(out.s, "extra", "- 1 -");
	has_line(out.s, "  f A (line 3)", "4 0 0.000");
	has_line(out.s, "  f A", "4 - -");
	has_line(out.s, "  f B", "9 18 2.000");
	has_line(out.s, "one thing differs: passes none -> dce", "");
	sb_free(&out);
	arena_free(&a);
}
END_TEST

/* Tables of 10^5 blocks and branches with other labels: time grows with their size, not with its square. */
START_TEST(compares_large_tables)
{
	enum { ROWS = 100000 };
	Arena a = { 0 };
	Diag d = { 0 };
	StrBuf text[2] = { 0 }, out = { 0 };
	const JsonValue *v[2];
	for (int k = 0; k < 2; k++) {
		sb_puts(&text[k], "{\"total\":{\"cycles\":1,");
		for (int table = 0; table < 2; table++) {
			sb_puts(&text[k], table ? "],\"branches\":[" : "\"blocks\":[");
			for (int i = 0; i < ROWS; i++)
				sb_printf(&text[k], "%s{\"function\":\"f\",\"label\":\"B%d\",\"%s\":%d}",
					i ? "," : "", i * (k + 1), table ? "divergent" : "fetches", k + 1);
		}
		sb_puts(&text[k], "]}}");
		ck_assert_ptr_nonnull(v[k] = read_text(&a, text[k].s, &d));
		sb_free(&text[k]);
	}
	report_compare(v[0], v[1], NULL, (ReportForm){ .full = true }, &out);
	has_line(out.s, "  f B99998", "1 2 2.000");
	has_line(out.s, "  f B99999", "1 - -");
	sb_free(&out);
	arena_free(&a);
}
END_TEST

/* A launch on a machine with warps of four lanes, and runs of such. */
#define LAUNCH(KERNEL, CYCLES, WARP, THREAD, DEPTH) \
	"{\"kernel\":\"" KERNEL "\",\"completed\":true,\"cycles\":" CYCLES ",\"warp_instructions\":" \
	WARP ",\"thread_instructions\":" THREAD "," \
	"\"simd_utilization\":0.9,\"active_lanes\":[0,0,0,0,0],\"overhead\":{\"warp_instructions\":0}," \
	"\"divergence\":{\"max_depth\":" DEPTH ",\"depth_sum\":10,\"spills\":1}," \
	"\"issue\":{\"slots\":100,\"issued\":10,\"stalls\":{\"no_warp\":50,\"data\":15,\"memory\":25}}," \
	"\"blocks\":[{\"label\":\"A\",\"fetches\":3},{\"label\":\"B\",\"fetches\":4}]}"
#define RUN(MODEL, PASSES, STATUS, ERROR, LAUNCHES) "{\"module\":\"m.ir\",\"config\":null,\"model\":\"" \
	MODEL "\",\"passes\":\"" PASSES "\"," \
	"\"configuration\":{\"hash\":\"00ff\",\"changed\":{\"l1.bytes\":0,\"l1.global\":false," \
		"\"divergence.spill\":\"constant\"}}," \
	"\"mode\":\"timed\",\"status\":\"" STATUS "\",\"error\":\"" ERROR "\",\"launches\":[" LAUNCHES "]}"
static const char grid[] = "["
	RUN("ipdom", "", "ok", "", LAUNCH("k", "100", "20", "40", "2") ","
	LAUNCH("k", "100", "20", "80", "5") "," LAUNCH("l", "7", "1", "1", "1")) ","
	RUN("its", "dce", "ok", "", LAUNCH("k", "50", "30", "120", "3") "," LAUNCH("l", "14", "1", "2", "1"))
	","
	RUN("a<b", "", "failed", "lanes 1, 2: \\\"x\\\"\\nand so on", LAUNCH("l", "21", "1", "4", "1")) ","
	"{\"model\":\"exec\",\"passes\":\"\",\"status\":\"bad_input\",\"error\":\"unstructured\"}]";

START_TEST(grid_adds_up_launches)
{
	Arena a = { 0 };
	Diag d = { 0 };
	StrBuf out = { 0 };
	report_grid_text(read_text(&a, grid, &d), (ReportForm){ 0 }, &out);
	has_line(out.s, "m.ir   machine (defaults)   kernel k (2 launches)", "");
	has_line(out.s, "ipdom     none", "200 1.000 40 14 75.0 % 5 2 80.0 % memory");
	has_line(out.s, "its       dce", "50 0.250 30 7 100.0 % 3 1 80.0 % memory");
	has_line(out.s, "a<b       none", "failed: lanes 1, 2: \"x\"");
	has_line(out.s, "exec      none", "bad input: unstructured");
	has_line(out.s, "ipdom     none", "7 1.000 1 7 25.0 % 1 1 80.0 % memory");
	has_line(out.s, "a<b       none", "21 - 1 7 100.0 % 1 1 80.0 % memory failed");
	sb_free(&out);
	arena_free(&a);
}
END_TEST

START_TEST(grid_as_csv_and_picture)
{
	Arena a = { 0 };
	Diag d = { 0 };
	StrBuf out = { 0 };
	const JsonValue *runs = read_text(&a, grid, &d);
	report_grid_csv(runs, &out);
	has_line(out.s, "kernel,module,config,configuration,changed,model,passes,mode,status,error,launches,"
		"completed,cycles,warp_instructions,thread_instructions,overhead,inserted,divergent_branches,"
		"max_depth,pushes,spills,fills,reconvergences,noop_fetches,slots,issued,stall_no_warp,"
		"stall_instruction_fetch,stall_branch,stall_divergence,stall_data,stall_memory,"
		"stall_unit_busy,stall_memory_pipe,stall_barrier,stall_grid_barrier,stall_warp_sync,"
		"stall_sleep,stall_drain,stall_fence,stall_memory_l1,stall_memory_l2,stall_memory_dram,"
		"stall_memory_atomic,stall_memory_shared,stall_memory_constant,stall_memory_store,fetches,"
		"simd_utilization,mean_depth,tied_with", "");
	has_line(out.s, "k,m.ir,,00ff,l1.bytes=0 l1.global=false "
		"divergence.spill=constant,ipdom,,timed,ok,,2,1,200,40,120,0,,,5,,2,,,,200,20,100,,,,30,50,,,"
		",,,,,,,,,,,,,14,0.750000,0.500000,", "");
	has_line(out.s, "k,m.ir,,00ff,l1.bytes=0 l1.global=false "
		"divergence.spill=constant,a<b,,timed,failed,\"lanes 1, 2: "
		"\"\"x\"\"\",0,0,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,", "");
	has_line(out.s, "k,,,,,exec,,,bad_input,unstructured,0,0,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,", "");
	sb_free(&out);
	out = (StrBuf){ 0 };
	report_grid_svg(runs, &out);
	ck_assert(strstr(out.s, "<text") && strstr(out.s, ">a&#60;b<") && !strstr(out.s, "a<b"));
	ck_assert(strstr(out.s, ">kernel k<") && strstr(out.s, ">kernel l<") &&
		strstr(out.s, ">bad input: unstructured<") && strstr(out.s, ">75.0 %<"));
	sb_free(&out);
	arena_free(&a);
}
END_TEST

/* A run of one launch for rows that tie. OWN: pushes, DIVERGED: divergent branches, HITS: a figure that no
   column has, MET: where the lanes that part at a branch meet. */
#define TIE(MODEL, PASSES, STATUS, IDLE, OWN, DIVERGED, LOST, HITS, MET) "{\"model\":\"" MODEL \
	"\",\"passes\":\"" PASSES "\",\"status\":\"" STATUS "\",\"idle_passes\":[" IDLE "],\"launches\":[{" \
	"\"kernel\":\"k\",\"completed\":true,\"cycles\":10,\"warp_instructions\":5," \
	"\"lanes\":{\"parted\":" LOST "},\"divergence\":{\"divergent_branches\":" DIVERGED "," \
	"\"pushes\":" OWN ",\"max_depth\":1},\"l1\":{\"hits\":" HITS "}," \
	"\"branches\":[{\"label\":\"A\",\"partings\":1,\"met\":[" MET "]}]}]}"
#define AT(LABEL) "{\"label\":\"" LABEL "\",\"times\":1}"
#define IDLE "{\"pass\":\"dce\",\"why\":\"\"}"

static const struct { const char *run[2], *row, *why, *csv; } tie[] = {
	/* nothing diverged; the structures did different things */
	{ { TIE("a", "", "ok", "", "1", "0", "0", "7", ""), TIE("b", "", "ok", "", "2", "0", "0", "7", "") },
		"\na, b ", "tie: a, b: all statistics but pushes, pops and merges are equal; no branch "
		"diverged", ",1\n" },
	/* lanes meet at the same places */
	{ { TIE("a", "", "ok", "", "1", "2", "3", "7", AT("C")),
		TIE("b", "", "ok", "", "1", "2", "3", "7", AT("C")) },
		"\na, b ",
		"tie: a, b: all statistics are equal; lanes that part meet again at the same places",
		",1\n" },
	/* they meet at different places, or a figure differs that the table does not have */
	{ { TIE("a", "", "ok", "", "1", "2", "3", "7", AT("C")),
		TIE("b", "", "ok", "", "1", "2", "3", "7", AT("D")) }, "\nb ", NULL, ",\n" },
	{ { TIE("a", "", "ok", "", "1", "0", "0", "7", ""), TIE("b", "", "ok", "", "1", "0", "0", "8", "") },
		"\nb ", NULL, ",\n" },
	/* lanes that branches part are not known to meet */
	{ { TIE("a", "", "ok", "", "1", "2", "3", "7", ""), TIE("b", "", "ok", "", "1", "2", "3", "7", "") },
		"\na, b ", "tie: a, b: all statistics are equal", ",1\n" },
	{ { TIE("a", "", "ok", "", "1", "2", "0", "7", ""), TIE("b", "", "ok", "", "1", "2", "0", "7", "") },
		"\na, b ", "tie: a, b: all statistics are equal; no lane was lost to a branch", ",1\n" },
	/* a run that failed ties with nothing */
	{ { TIE("a", "", "ok", "", "1", "0", "0", "7", ""),
		TIE("b", "", "failed", "", "1", "0", "0", "7", "") }, "\nb ", NULL, ",\n" },
	/* passes that say that they changed nothing, and such as do not */
	{ { TIE("a", "", "ok", "", "1", "2", "3", "7", AT("C")),
		TIE("a", "dce", "ok", IDLE, "1", "2", "3", "7", AT("C")) }, "\na         none, dce ",
		"tie: a with none, a with dce: all statistics are equal; the passes changed nothing",
		",1\n" },
	{ { TIE("a", "", "ok", "", "1", "0", "0", "7", ""),
		TIE("a", "dce", "ok", "", "1", "0", "0", "7", "") }, "\na         none, dce ",
		"tie: a with none, a with dce: all statistics are equal", ",1\n" },
	{ { TIE("a", "", "ok", "", "1", "0", "0", "7", ""),
		TIE("a", "x)(", "ok", IDLE, "1", "0", "0", "7", "") }, "\na         none, x)( ",
		"tie: a with none, a with x)(: all statistics are equal", ",1\n" },
};

/* Rows of a grid that tie share one, with the reason as far as it is known; in full each has its own, and so
   it is in CSV. */
START_TEST(rows_that_tie)
{
	Arena a = { 0 };
	Diag d = { 0 };
	StrBuf text = { 0 }, whole = { 0 }, csv = { 0 };
	const JsonValue *runs = read_text(&a, arena_printf(&a, "[%s,%s]", tie[_i].run[0],
		tie[_i].run[1]), &d);
	report_grid_text(runs, (ReportForm){ 0 }, &text);
	report_grid_text(runs, (ReportForm){ .full = true }, &whole);
	report_grid_csv(runs, &csv);
	ck_assert_msg(strstr(text.s, tie[_i].row), "no row %s in:\n%s", tie[_i].row, text.s);
	if (tie[_i].why)
		has_line(text.s, tie[_i].why, "");
	ck_assert_int_eq(strstr(text.s, "\ntie: ") != NULL, tie[_i].why != NULL);
	ck_assert_int_eq(strstr(whole.s, "\ntie: ") != NULL, tie[_i].why != NULL);
	ck_assert(strstr(whole.s, "\na ") && !strstr(whole.s, "\na, b  "));
	ck_assert(strlen(csv.s) > 3 && !strcmp(strrchr(csv.s, ','), tie[_i].csv));
	sb_free(&text);
	sb_free(&whole);
	sb_free(&csv);
	arena_free(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("json");
	TCase *t = tcase_create("json");
	SRunner *r = srunner_create(s);
	tcase_add_test(t, round_trip);
	tcase_add_test(t, reals_are_shortest);
	tcase_add_loop_test(t, refuses, 0, (int)(sizeof bad / sizeof *bad));
	tcase_add_test(t, objects_are_bounded);
	tcase_add_test(t, shares_add_up);
	tcase_add_test(t, compares_every_figure);
	tcase_add_test(t, compares_large_tables);
	tcase_add_test(t, grid_adds_up_launches);
	tcase_add_test(t, grid_as_csv_and_picture);
	tcase_add_loop_test(t, rows_that_tie, 0, (int)(sizeof tie / sizeof *tie));
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
