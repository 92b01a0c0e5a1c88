/* The locale of calls. What is below this folder reads and writes numbers, and compares texts, as in the
   locale "C"; the program may have chosen any other. */
#include "sim/api/api.h"
#include "lib/c_locale.h"
#include <locale.h>

static _Thread_local int depth;                /* calls that this thread is in, one inside the other */
static _Thread_local locale_t program;         /* what the thread had before the outermost of them */

int locale_enter(void)
{
	if (!depth++)
		program = uselocale(c_locale());
	return depth;
}

void locale_leave(void)
{
	if (!--depth)
		uselocale(program);
}

void locale_leave_scope(const int *unused) { locale_leave(); }

int locale_lend(void)
{
	int lent = depth;
	depth = 0;
	if (lent)
		uselocale(program);
	return lent;
}

void locale_take(int lent)
{
	if (lent)
		program = uselocale(c_locale());
	depth = lent;
}
