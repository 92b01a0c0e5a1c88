/* The user's own configuration: $XDG_CONFIG_HOME/gsim/config.lua, or ~/.config/gsim/config.lua, or the file
   of $GSIM_USER_CONFIG; that variable, empty, or --no-user-config switches it off. */
#ifndef GSIM_USER_H
#define GSIM_USER_H
#include "lib/arena.h"
#include <stdbool.h>

typedef struct UserConfig {
	Arena arena;
	/* what the command line said: --no-user-config, --color (NULL: it is not given) */
	bool ignored;
	const char *color;
	/* what the file says. file NULL: there is none; machine NULL, threads 0: it does not say */
	const char *file, *machine;
	int threads;
} UserConfig;              /* zero-initialise */

/* Takes an option of USAGE_USER_ROWS; false: it is none. */
bool user_option(UserConfig *, int letter, const char *argument);
/* Reads the file, once the command line is known, and has messages in colour or not. What it says of the path
   of machine files goes behind $GSIM_PATH. False: the file or --color is wrong, and standard error says
   why. */
bool user_read(UserConfig *);
void user_free(UserConfig *);
#endif
