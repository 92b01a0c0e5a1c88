/* What the figures of a machine file stand on: each comes from a source that was read, from one that others
   quote, or is an assumption. The file says so in the comment on the line of the figure, or above it: with a
   mark at the beginning of the comment, or of a part of it between semicolons, "[W] (P) boost". In front of
   the mark stand at most the name of the figure with a colon, and keys of sources in square brackets. */
#ifndef GSIM_SOURCES_H
#define GSIM_SOURCES_H
#include "sim/config/config.h"
#include "lib/strbuf.h"

/* In the order of X(ID, mark in comments, word in lists): */
#define SEEN_KINDS(X) \
	X(PRIMARY, "(P)", "P")           /* read in the source itself */ \
	X(SECOND_HAND, "(S)", "S")       /* taken from somebody who quotes the source */ \
	X(ASSUMED, "assumption", "assumption") \
	X(UNMARKED, "", "no source")     /* the file says nothing */ \
	X(DEFAULT, "", "default")        /* no file gives the figure, it is the table's default */
typedef enum {
#define X(ID, MARK, WORD) SEEN_##ID,
	SEEN_KINDS(X)
#undef X
	SEEN_COUNT
} Seen;
extern const char *const seen_word[SEEN_COUNT];

/* Where a machine takes a figure from. path: the file of the chain that has the last word, line: in it, from
   1; comment: of that line, or of those above it; all NULL or 0 when seen is SEEN_DEFAULT. */
typedef struct FigureSource { Seen seen; const char *path, *comment; int line; } FigureSource;

/* The source of the figure "a.b.c" of the machine whose texts those are. Strings lie in the texts' arena. */
FigureSource config_source(MachineTexts *, const char *name);
/* How many figures of the machine have each kind of source. */
void config_count_sources(MachineTexts *, int count[SEEN_COUNT]);
/* What the machine file says first of itself: "GeForce RTX 2060 (TU106, compute capability 7.5)". */
void config_print_card(const MachineTexts *, StrBuf *);
#endif
