/* Check, with assertions that cost nothing while they hold. Check's own write a line to a file for each one
 * that holds, which took most of the time of suites that assert in loops. */
#ifndef GSIM_TESTS_CHECK_H
#define GSIM_TESTS_CHECK_H
#include <check.h>

#undef ck_assert_msg
#define ck_assert_msg(expr, ...) do { if (!(expr)) ck_abort_msg(__VA_ARGS__); } while (0)
#undef ck_assert
#define ck_assert(expr) ck_assert_msg(expr, "Assertion '%s' failed", #expr)
#endif
