#include "lib/c_locale.h"
#include "lib/diag.h"
#include <pthread.h>

static locale_t made;

static void make_locale(void)
{
	made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	must(made);
}

locale_t c_locale(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, make_locale);
	return made;
}
