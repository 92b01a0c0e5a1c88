/* What figures stand on, read from the comments of machine files. */
#include "sim/config/sources.h"
#include "tests/temporary.h"

static char dir[] = "/tmp/gsim-sources-XXXXXX";

static const char base[] =
	"-- Card A (A1, compute capability\n"
	"-- 1.0): made of air. Sources: [W] white paper.\n"
	"return {\n"
	"	clock_mhz = 1000,              -- [W] (P) boost\n"
	"	sm = { count = 2, max_warps = 8 }, -- [W] (S) count; max_warps: assumption\n"
	"	units = {\n"
	"		alu = { latency = 4, interval = 2 }, -- (P); interval: (S) 64; latency: [J] (S)\n"
	"	},\n"
	"	-- Above it stands its source;\n"
	"	-- assumption: it is far.\n"
	"	fetch = { redirect_cycles = 9 },\n"
	"	l2 = {\n"
	"		ways = 4, -- see ways\n"
	"		latency = 70, -- see interconnect.latency.\n"
	"		slices = 2,\n"
	"		mshrs = 64, -- (P): two, and more of (S)\n"
	"	},\n"
	"	interconnect = { latency = 50 }, -- see l2.slices, see shared.latency; (P)\n"
	"	shared = { latency = 20 }, -- [J] (S)\n"
	"}\n";
static const char derived[] =
	"-- Card B. Sources as in base.lua.\n"
	"return derive('base.lua', { sm = { count = 3 }, -- [W] (P)\n"
	"	shared = { latency = 21 }, -- a guess\n"
	"})\n";

/* The texts of the machine `name` of the two above. The caller frees them. */
static MachineTexts load_texts(const char *name)
{
	Config c;
	Diag d = { 0 };
	MachineTexts t = { 0 };
	char path[256];
	temporary_text(dir, "base.lua", base);
	temporary_text(dir, "derived.lua", derived);
	snprintf(path, sizeof path, "%s/%s", dir, name);
	ck_assert_msg(config_load_texts(&c, path, &t, &d), "%s", d.item.n ? d.item.v[0].text : "");
	diag_free(&d);
	return t;
}

static const struct { const char *name; Seen seen; int file, line; } figures[] = {
	{ "clock_mhz", SEEN_PRIMARY, 1, 4 },
	{ "sm.count", SEEN_PRIMARY, 0, 2 },
	{ "sm.max_warps", SEEN_ASSUMED, 1, 5 },
	{ "sm.max_blocks", SEEN_DEFAULT, -1, 0 },
	{ "units.alu.latency", SEEN_SECOND_HAND, 1, 7 },
	{ "units.alu.interval", SEEN_SECOND_HAND, 1, 7 },
	{ "fetch.redirect_cycles", SEEN_ASSUMED, 1, 11 },
	{ "l2.ways", SEEN_UNMARKED, 1, 13 },
	{ "l2.latency", SEEN_PRIMARY, 1, 14 },
	{ "l2.slices", SEEN_UNMARKED, 1, 15 },
	{ "l2.mshrs", SEEN_PRIMARY, 1, 16 },
	{ "interconnect.latency", SEEN_PRIMARY, 1, 18 },
	{ "shared.latency", SEEN_UNMARKED, 0, 3 },
};

START_TEST(sources_of_figures)
{
	MachineTexts t = load_texts("derived.lua");
	ck_assert_int_eq(t.file.n, 2);
	FigureSource s = config_source(&t, figures[_i].name);
	ck_assert_msg(s.seen == figures[_i].seen, "%s: %s", figures[_i].name, seen_word[s.seen]);
	ck_assert_int_eq(s.line, figures[_i].line);
	if (figures[_i].file >= 0)
		ck_assert_str_eq(s.path, t.file.v[figures[_i].file].path);
	else
		ck_assert(!s.path);
	config_free_texts(&t);
}
END_TEST

/* What a comment says of a figure, and what kind of source that is. */
static const struct { const char *comment; Seen seen; } marks[] = {
	{ "(P)", SEEN_PRIMARY }, { "(S) boost", SEEN_SECOND_HAND }, { "[W] (P) boost", SEEN_PRIMARY },
	{ "[W][J] (S)", SEEN_SECOND_HAND }, { "[W] [J] (P), both", SEEN_PRIMARY },
	{ "assumption", SEEN_ASSUMED }, { "assumption: [W] (P) has less", SEEN_ASSUMED },
	{ "latency: assumption", SEEN_ASSUMED }, { "latency: [W] (P)", SEEN_PRIMARY },
	{ "two; [W] (S) three", SEEN_SECOND_HAND }, { "[W] (P) two; assumption: three", SEEN_PRIMARY },
	{ "not (P)", SEEN_UNMARKED }, { "[W] not (P)", SEEN_UNMARKED }, { "not [W] (P)", SEEN_UNMARKED },
	{ "no assumption", SEEN_UNMARKED }, { "[W] assumption", SEEN_UNMARKED },
	{ "assumptions", SEEN_UNMARKED }, { "(P)s", SEEN_UNMARKED }, { "(p)", SEEN_UNMARKED },
	{ "(Q)", SEEN_UNMARKED }, { "P", SEEN_UNMARKED }, { "[W (P)", SEEN_UNMARKED },
	{ "[W; (P)", SEEN_PRIMARY }, { "", SEEN_UNMARKED }, { ";;", SEEN_UNMARKED },
};

START_TEST(a_mark_begins_what_is_said)
{
	Config c;
	Diag d = { 0 };
	MachineTexts t = { 0 };
	char text[200];
	snprintf(text, sizeof text, "return { l1 = { latency = 30 } } -- %s\n", marks[_i].comment);
	const char *path = temporary_text(dir, "marks.lua", text);
	ck_assert(config_load_texts(&c, path, &t, &d));
	Seen seen = config_source(&t, "l1.latency").seen;
	ck_assert_msg(seen == marks[_i].seen, "'%s': %s", marks[_i].comment, seen_word[seen]);
	config_free_texts(&t);
	diag_free(&d);
}
END_TEST

START_TEST(each_figure_is_counted_once)
{
	MachineTexts t = load_texts("derived.lua");
	ConfigKey key;
	int count[SEEN_COUNT], all = 0, keys = 0, want[SEEN_COUNT] = { 0 };
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		want[figures[i].seen] += figures[i].seen != SEEN_DEFAULT;
	config_count_sources(&t, count);
	for (Seen k = 0; k < SEEN_COUNT; k++)
		all += count[k];
	while (config_key(keys, &key))
		keys++;
	ck_assert_int_eq(all, keys);
	for (Seen k = SEEN_PRIMARY; k < SEEN_DEFAULT; k++)
		ck_assert_msg(count[k] == want[k], "%s: %d", seen_word[k], count[k]);
	config_free_texts(&t);
}
END_TEST

START_TEST(cards)
{
	static const char *const want[][2] = { { "base.lua", "Card A (A1, compute capability 1.0)" },
		{ "derived.lua", "Card B" } };
	StrBuf out = { 0 };
	MachineTexts t = load_texts(want[_i][0]);
	config_print_card(&t, &out);
	ck_assert_str_eq(out.s, want[_i][1]);
	config_free_texts(&t);
	sb_free(&out);
}
END_TEST

/* All of it is an assumption where the file says so first; a comment that refers to itself ends. */
START_TEST(whole_files)
{
	Config c;
	Diag d = { 0 };
	MachineTexts t = { 0 };
	const char *path = temporary_text(dir, "all.lua",
		"-- A toy. All of it is an assumption.\nreturn { sm = { count = 1 }, -- see count\n"
		"l2 = { ways = 4 }, -- [W] (P)\n}\n");
	ck_assert(config_load_texts(&c, path, &t, &d));
	ck_assert_int_eq(config_source(&t, "sm.count").seen, SEEN_ASSUMED);
	ck_assert_int_eq(config_source(&t, "l2.ways").seen, SEEN_PRIMARY);
	config_free_texts(&t);
	diag_free(&d);
}
END_TEST

/* What a function says of a figure that it sets counts from the file that calls it inwards; literals of files
   that derive from that one are before it. */
START_TEST(said_sources)
{
	static const struct { const char *name; Seen seen; const char *comment; } want[] = {
		{ "l1.latency", SEEN_PRIMARY, "(P) table" },
		{ "l2.ways", SEEN_ASSUMED, "assumption, as told" },
		{ "l2.slices", SEEN_SECOND_HAND, "(S) own" }, { "sm.count", SEEN_SECOND_HAND, "(S)" },
	};
	Config c;
	Diag d = { 0 };
	MachineTexts t = { 0 };
	temporary_text(dir, "inner.lua",
		"local function fill(t)\n source('l1.latency', '(S) first')\n"
		" source('l1.latency', '(P) table')\n"
		" source('l2.ways', 'assumption, as told') source('l2.slices', '(P) never seen')\n"
		" t.l1 = { latency = 30 } t.l2 = { ways = 8, slices = 2 } return t\nend\n"
		"return fill({ l1 = { latency = 20 }, -- (S) 20\n sm = { count = 4 }, -- (S)\n})\n");
	const char *path = temporary_text(dir, "outer.lua",
		"return derive('inner.lua', { l2 = { slices = 4 } }) -- (S) own\n");
	ck_assert_msg(config_load_texts(&c, path, &t, &d), "%s", d.item.n ? d.item.v[0].text : "");
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		FigureSource s = config_source(&t, want[i].name);
		ck_assert_msg(s.seen == want[i].seen, "%s: %s", want[i].name, seen_word[s.seen]);
		ck_assert_str_eq(s.comment, want[i].comment);
	}
	config_free_texts(&t);
	diag_free(&d);
}
END_TEST

/* Prints the machine of that file with its marks into again.lua; the caller frees the marks that this one
   gives when it is read. */
static MachineMarks print_again(const MachineTexts *t, const Config *c, StrBuf *text)
{
	MachineMarks first = { 0 }, again = { 0 };
	MachineTexts u = { 0 };
	Config e;
	Diag d = { 0 };
	marks_read(&first, t);
	config_print_marked(c, &first, text);
	ck_assert(config_load_texts(&e, temporary_text(dir, "again.lua", text->s), &u, &d));
	marks_read(&again, &u);
	ck_assert_int_eq(first.figure.n, again.figure.n);
	for (int i = 0; i < first.figure.n; i++) {
		ck_assert_int_eq(first.figure.v[i].seen, again.figure.v[i].seen);
		ck_assert_str_eq(first.figure.v[i].source, again.figure.v[i].source);
	}
	ck_assert_uint_eq(config_hash(c), config_hash(&e));
	marks_free(&first);
	config_free_texts(&u);
	diag_free(&d);
	return again;
}

/* A printed configuration has the marks of the file, also what its comments make hard: dashes, controls,
   parts for other figures, a second comment; printed once more it is the same text. */
START_TEST(marks_are_printed)
{
	static const char *const file[] = { "-- (P) boost -- of it",
		"-- [W] (S) two--three; latency: assumption", "-- a \x1b[31m (P)",
		"-- latency: given by nobody", "-- default", "-- see ways", "--",
		"--- (P)", "-- no source -- (P)", "-- assumption: \xc3\xa9 -- ; -- " };
	Config c;
	Diag d = { 0 };
	MachineTexts t = { 0 };
	StrBuf first = { 0 }, second = { 0 };
	char text[200];
	snprintf(text, sizeof text, "return { l1 = { latency = 30,\n\tways = 4 } } %s\n", file[_i]);
	ck_assert(config_load_texts(&c, temporary_text(dir, "hard.lua", text), &t, &d));
	MachineMarks m = print_again(&t, &c, &first);
	config_print_marked(&c, &m, &second);
	ck_assert_str_eq(first.s, second.s);
	marks_free(&m);
	sb_free(&first);
	sb_free(&second);
	config_free_texts(&t);
	diag_free(&d);
}
END_TEST

/* What is given has no other mark, with and without a file; a long comment is cut between characters. */
START_TEST(marks_of_given_figures)
{
	MachineTexts t = load_texts("derived.lua");
	MachineMarks m = { 0 }, none = { 0 };
	char text[2000] = "return { warp_size = 4 } -- (P) ";
	Config c;
	Diag d = { 0 };
	marks_read(&m, &t);
	ck_assert_int_eq(m.figure.v[1].seen, SEEN_PRIMARY);
	marks_give(&m, "clock_mhz");
	marks_give(&none, "clock_mhz");
	ck_assert_int_eq(m.figure.v[1].seen, SEEN_GIVEN);
	ck_assert_int_eq(none.figure.v[1].seen, SEEN_GIVEN);
	ck_assert_int_eq(none.figure.v[0].seen, SEEN_DEFAULT);
	marks_give(&none, "no.such");
	marks_give_model(&none, "no.such");
	marks_free(&m);
	marks_free(&none);
	config_free_texts(&t);
	while (strlen(text) < 1000)
		strcat(text, "\xc3\xa9");
	ck_assert(config_load_texts(&c, temporary_text(dir, "long.lua", strcat(text, "\n")), &t, &d));
	marks_read(&m, &t);
	const char *source = m.figure.v[0].source;
	ck_assert_uint_le(strlen(source), 300);
	ck_assert(!strcmp(source + strlen(source) - 5, "\xc3\xa9..."));
	marks_free(&m);
	config_free_texts(&t);
	diag_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sources");
	TCase *t = tcase_create("sources");
	SRunner *r = srunner_create(s);
	if (!mkdtemp(dir))
		return 1;
	tcase_add_loop_test(t, sources_of_figures, 0, (int)(sizeof figures / sizeof *figures));
	tcase_add_loop_test(t, a_mark_begins_what_is_said, 0, (int)(sizeof marks / sizeof *marks));
	tcase_add_test(t, each_figure_is_counted_once);
	tcase_add_loop_test(t, cards, 0, 2);
	tcase_add_test(t, whole_files);
	tcase_add_test(t, said_sources);
	tcase_add_loop_test(t, marks_are_printed, 0, 10);
	tcase_add_test(t, marks_of_given_figures);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	static const char *const made[] = { "base.lua", "derived.lua", "all.lua", "inner.lua", "outer.lua",
		"marks.lua", "hard.lua", "again.lua", "long.lua" };
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		char path[256];
		snprintf(path, sizeof path, "%s/%s", dir, made[i]);
		unlink(path);
	}
	rmdir(dir);
	return failed != 0;
}
