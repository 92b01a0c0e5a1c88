/* Properties that hold of mechanisms whatever the kernel (tests/random/properties_run.c), on a few hundred
 * random kernels; tools/properties runs thousands. */
#include "tests/random/properties.h"
#include "tests/check.h"

enum { KERNELS = 160 };

START_TEST(all_hold)
{
	char text[2400];
	uint64_t runs = 0;
	ck_assert_msg(properties_hold((uint64_t)_i, -1, NULL, text, sizeof text, &runs), "%s", text);
	ck_assert_uint_gt(runs, 10);
}
END_TEST

/* Kernels of class arms that once went wrong: a branch on a constant decides for the lanes of one arm;
 * linearization of a side that leads to a block made since liveness was known; a pair of words was accessed
 * from where its address had moved on to, which was aligned to one of them. */
static const uint64_t seeds[] = { 4, 33, 521, 1016, 1049, 1069, 1090, 5022, 1000513 };

START_TEST(seeds_of_old)
{
	char text[2400];
	uint64_t runs = 0;
	ck_assert_msg(properties_hold(seeds[_i], PROPERTY_CLASSES - 1, "melding", text, sizeof text, &runs),
		"%s", text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("properties");
	TCase *t = tcase_create("random kernels");
	tcase_add_loop_test(t, all_hold, 1, KERNELS + 1);
	tcase_add_loop_test(t, seeds_of_old, 0, (int)(sizeof seeds / sizeof *seeds));
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_set_fork_status(r, CK_NOFORK);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? 1 : 0;
}
