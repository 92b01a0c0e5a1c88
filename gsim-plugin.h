/* What each source of a plug-in includes. A plug-in is a shared object with passes, divergence mechanisms or
   both, which gsim --load FILE adds to its own: doc/plug-ins.md. It stands on the internal headers, which
   change with any release, and so belongs to one build of gsim. */
#ifndef GSIM_PLUGIN_H
#define GSIM_PLUGIN_H
#include "gsim-fingerprint.h"          /* made with gsim: GSIM_PLUGIN_BUILD */
#include "gsim-internal.h"

/* A file is not loaded unless each object in it says that it was compiled for the gsim that is to load it.
   (The tab is no tab in this text, nor in what a compiler keeps of it for debuggers.) */
#define GSIM_PLUGIN_MARK "gsim plug-in\tmade for "
static const char gsim_plugin_mark[] __attribute__((used)) = GSIM_PLUGIN_MARK GSIM_PLUGIN_BUILD;

enum { PLUGIN_ROOM = 16 };             /* as many passes, and as many mechanisms, as a plug-in may have */

typedef struct GsimPlugin {
	const char *made_for;          /* gsim_plugin_mark */
	const char *name;              /* letters, digits, - and _ */
	const Pass *passes[PLUGIN_ROOM];
	const ReconvModel *mechanisms[PLUGIN_ROOM];
} GsimPlugin;

/* Says once in a plug-in what it has:
	GSIM_PLUGIN("mine", .passes = { &pass_a, &pass_b }, .mechanisms = { &reconv_c });
   The tables must be const or at least never change. */
#define GSIM_PLUGIN(NAME, ...) \
	extern const GsimPlugin gsim_plugin; \
	__attribute__((visibility("default"))) const GsimPlugin gsim_plugin = { \
		.made_for = gsim_plugin_mark, .name = NAME, __VA_ARGS__ }
#endif
