/* Tables of launches become one (sim/record/tables.h): rows of the same place add up, and no others; the rows
   of several sums stand in the order in which launches brought them. */
#include "sim/record/tables.h"
#include "tests/check.h"

static Arena kept;

static BlockStats block(const char *function, const char *label, uint64_t fetches)
{
	return (BlockStats){
		.function = function, .label = label, .fetches = fetches, .threads = 2 * fetches
	};
}

static void add(TableSums *t, uint64_t launch, BlockStats *b, int n)
{
	tables_add(t, &(Tables){ .blocks = { b, n } }, launch);
}

static void is_block(const BlockStats *b, const char *function, const char *label, uint64_t fetches)
{
	ck_assert_str_eq(b->function, function);
	ck_assert_str_eq(b->label, label);
	ck_assert_uint_eq(b->fetches, fetches);
	ck_assert_uint_eq(b->threads, 2 * fetches);
}

/* A row is found where it stands in the launch before, elsewhere, and twice in one launch. */
START_TEST(blocks)
{
	TableSums t = { .arena = &kept };
	char label[] = "A"; /* rows must not point to texts of the launch */
	BlockStats one[] = { block("f", label, 1), block("f", "B", 10) },
		two[] = { block("f", "B", 20), block("g", "A", 100), block("f", "A", 2),
			block("g", "A", 200) };
	add(&t, 0, one, 2);
	label[0] = '?';
	add(&t, 1, two, 4);
	Tables sum = tables_of(&t);
	ck_assert_int_eq(sum.blocks.n, 3);
	is_block(&sum.blocks.v[0], "f", "A", 3);
	is_block(&sum.blocks.v[1], "f", "B", 30);
	is_block(&sum.blocks.v[2], "g", "A", 300);
	ck_assert_int_eq(sum.lines.n + sum.branches.n + sum.partings.n + sum.races.n, 0);
	tables_free(&t);
	arena_free(&kept);
}
END_TEST

static BranchStats branch(MeetStats *met, uint64_t executed)
{
	return (BranchStats){ .kind = PART_BRANCH, .source = true, .function = "f", .label = "A", .line = 3,
		.executed = executed, .divergent = executed + 1, .lanes = executed + 2,
		.lanes_taken = executed + 3, .parted = { executed, { executed + 4, executed + 5 },
		executed + 6 }, .met = { met, 1 } };
}

/* Branches differ by each of these: function, label, line, kind, and whether the source has them. */
START_TEST(branches)
{
	TableSums t = { .arena = &kept };
	MeetStats here = { .function = "f", .label = "B", .times = 10 },
		there = { .function = "f", .label = "C", .times = 30 };
	BranchStats row[7];
	for (int i = 0; i < 7; i++)
		row[i] = branch(&here, 10);
	row[1].function = "g";
	row[2].label = "B";
	row[3].line = 4;
	row[4].kind = PART_INDEXED;
	row[5].source = false;
	row[6] = branch(&there, 30);
	tables_add(&t, &(Tables){ .branches = { row, 7 }, .partings = { row, 1 } }, 0);
	Tables sum = tables_of(&t);
	ck_assert_int_eq(sum.branches.n, 6);
	ck_assert_int_eq(sum.partings.n, 1);
	ck_assert_uint_eq(sum.partings.v[0].executed, 10);
	const BranchStats *b = &sum.branches.v[0];
	const uint64_t count[] = { b->executed, b->divergent, b->lanes, b->lanes_taken, b->parted.lost[0],
		b->parted.lost[1], b->parted.cycles };
	for (int i = 0; i < 7; i++)
		ck_assert_uint_eq(count[i], 40 + 2 * (uint64_t)i);
	ck_assert_uint_eq(b->parted.partings, 40);
	ck_assert_int_eq(b->met.n, 2);
	ck_assert_str_eq(b->met.v[0].label, "C");
	ck_assert_uint_eq(b->met.v[1].times, 10);
	ck_assert_uint_eq(here.times, 10);
	for (int i = 1; i < 6; i++)
		ck_assert_uint_eq(sum.branches.v[i].executed, 10);
	tables_free(&t);
	arena_free(&kept);
}
END_TEST

/* Lines differ by function, file and number. The row of no instruction has neither function nor file. */
START_TEST(lines)
{
	TableSums t = { .arena = &kept };
	LineStats row[] = { { .function = "f", .file = "a", .line = 1 },
		{ .function = "g", .file = "a", .line = 1 }, { .function = "f", .file = "b", .line = 1 },
		{ .function = "f", .file = "a", .line = 2 }, { .line = 0 } };
	for (int i = 0; i < 5; i++) {
		row[i].count[0] = (InsCount){ 1, 2, 3 };
		row[i].count[1].useful = 4;
		row[i].inserted.off = 5;
		row[i].parted.cycles = 6;
		row[i].stalls[STALL_COUNT - 1] = 7;
	}
	tables_add(&t, &(Tables){ .lines = { row, 5 } }, 0);
	tables_add(&t, &(Tables){ .lines = { row + 3, 2 } }, 1);
	Tables sum = tables_of(&t);
	ck_assert_int_eq(sum.lines.n, 5);
	for (int i = 0; i < 5; i++) {
		const LineStats *l = &sum.lines.v[i];
		uint64_t times = i < 3 ? 1 : 2;
		ck_assert_uint_eq(l->count[0].issues, times);
		ck_assert_uint_eq(l->count[0].useful, times * 2);
		ck_assert_uint_eq(l->count[0].off, times * 3);
		ck_assert_uint_eq(l->count[1].useful, times * 4);
		ck_assert_uint_eq(l->inserted.off, times * 5);
		ck_assert_uint_eq(l->parted.cycles, times * 6);
		ck_assert_uint_eq(l->stalls[STALL_COUNT - 1], times * 7);
	}
	ck_assert_ptr_null(sum.lines.v[4].function);
	tables_free(&t);
	arena_free(&kept);
}
END_TEST

/* Races differ by either end; blocks and offsets are those of the first launch. */
START_TEST(races)
{
	TableSums t = { .arena = &kept };
	RaceEnd a = { "f", "A", "x", 1, "reads", 5, { NULL, 0 } }, b = a, c = a;
	b.access = "writes";
	c.label = "B";
	RaceStats one[] = { { { a, b }, 8, 4, "buffer", 16 }, { { b, a }, 1, 1, NULL, 0 } },
		two[] = { { { a, c }, 2, 2, NULL, 0 }, { { a, b }, 80, 40, "other", 0 } };
	two[1].end[0].block = 6;
	tables_add(&t, &(Tables){ .races = { one, 2 } }, 0);
	tables_add(&t, &(Tables){ .races = { two, 2 } }, 1);
	Tables sum = tables_of(&t);
	ck_assert_int_eq(sum.races.n, 3);
	ck_assert_uint_eq(sum.races.v[0].bytes, 88);
	ck_assert_uint_eq(sum.races.v[0].same, 44);
	ck_assert_uint_eq(sum.races.v[0].offset, 16);
	ck_assert_str_eq(sum.races.v[0].buffer, "buffer");
	ck_assert_uint_eq(sum.races.v[0].end[0].block, 5);
	ck_assert_uint_eq(sum.races.v[1].bytes, 1);
	ck_assert_uint_eq(sum.races.v[2].bytes, 2);
	tables_free(&t);
	arena_free(&kept);
}
END_TEST

/* Launches 0 and 2 are of one kernel, 1 and 3 of another; both call h. */
START_TEST(joined)
{
	TableSums one = { .arena = &kept }, two = { .arena = &kept }, all = { .arena = &kept },
		*const both[] = { &two, &one };
	BlockStats first[] = { block("f", "A", 1), block("h", "A", 10) },
		second[] = { block("h", "B", 100), block("h", "A", 20) },
		third[] = { block("f", "B", 5), block("f", "A", 2) },
		fourth[] = { block("g", "A", 7), block("h", "B", 200) };
	add(&one, 0, first, 2);
	add(&two, 1, second, 2);
	add(&one, 2, third, 2);
	add(&two, 3, fourth, 2);
	tables_join(&all, both, 2);
	Tables sum = tables_of(&all);
	ck_assert_int_eq(sum.blocks.n, 5);
	is_block(&sum.blocks.v[0], "f", "A", 3);
	is_block(&sum.blocks.v[1], "h", "A", 30);
	is_block(&sum.blocks.v[2], "h", "B", 300);
	is_block(&sum.blocks.v[3], "f", "B", 5);
	is_block(&sum.blocks.v[4], "g", "A", 7);
	tables_free(&one);
	tables_free(&two);
	tables_free(&all);
	arena_free(&kept);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tables");
	TCase *t = tcase_create("all");
	tcase_add_test(t, blocks);
	tcase_add_test(t, branches);
	tcase_add_test(t, lines);
	tcase_add_test(t, races);
	tcase_add_test(t, joined);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
