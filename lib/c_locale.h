/* The locale "C", in which numbers have points and texts are compared byte by byte, for threads of a program
   that has chosen another one. */
#ifndef C_LOCALE_H
#define C_LOCALE_H
#include <locale.h>

/* For uselocale, which gives it to the calling thread alone. It is made once, and never freed. */
locale_t c_locale(void);
#endif
