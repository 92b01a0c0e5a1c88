/* What the figures of a machine file stand on: each comes from a source that was read, from one that others
   quote, or is an assumption. The file says so in the comment on the line of the figure, or above it: with a
   mark at the beginning of the comment, or of a part of it between semicolons, "[W] (P) boost". In front of
   the mark stand at most the name of the figure with a colon, and keys of sources in square brackets.
   A comment with a second " -- " is one that gsim printed: what stands in front of that is of the figure
   alone, a mark and where it was read; what stands behind is the help of the parameter. */
#ifndef GSIM_SOURCES_H
#define GSIM_SOURCES_H
#include "sim/config/config.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

/* In the order of X(ID, mark in comments, word in lists): */
#define SEEN_KINDS(X) \
	X(PRIMARY, "(P)", "P")           /* read in the source itself */ \
	X(SECOND_HAND, "(S)", "S")       /* taken from somebody who quotes the source */ \
	X(ASSUMED, "assumption", "assumption") \
	X(UNMARKED, "", "no source")     /* the file says nothing */ \
	X(GIVEN, "given", "given")       /* whoever ran gsim gave it, by -D or -m */ \
	X(DEFAULT, "default", "default") /* no file gives the figure, it is the table's default */
typedef enum {
#define X(ID, MARK, WORD) SEEN_##ID,
	SEEN_KINDS(X)
#undef X
	SEEN_COUNT
} Seen;
extern const char *const seen_word[SEEN_COUNT];
extern const char *const seen_printed[SEEN_COUNT];  /* as printed configurations have it: the mark or word */

/* Where a machine takes a figure from. path: the file of the chain that has the last word, line: in it, from
   1; comment: of that line, or of those above it; all NULL or 0 when seen is SEEN_DEFAULT. */
typedef struct FigureSource {
	Seen seen;
	const char *path, *comment;
	int line;
	bool printed;                  /* the comment is one that gsim printed */
} FigureSource;

/* The source of the figure "a.b.c" of the machine whose texts those are. Strings lie in the texts' arena. */
FigureSource config_source(MachineTexts *, const char *name);
/* How many figures of the machine have each kind of source. */
void config_count_sources(MachineTexts *, int count[SEEN_COUNT]);
/* What the machine file says first of itself: "GeForce RTX 2060 (TU106, compute capability 7.5)". */
void config_print_card(const MachineTexts *, StrBuf *);

/* The marks of all figures of a machine, in the order of config_key, as reports and --print-config keep them.
   Zero-initialise. source: "volta.lua:93: [E] (P) TITAN V", in one line; "" where there is none. */
typedef struct FigureMark { Seen seen; const char *source; } FigureMark;
typedef struct MachineMarks { Arena arena; Vec(FigureMark) figure; } MachineMarks;
void marks_read(MachineMarks *, const MachineTexts *);
void marks_copy(MachineMarks *to, const MachineMarks *from);        /* to: empty ones */
/* Says of the parameter of that name, and of the mechanism and those that a text of --model names, that
   whoever runs gsim gave the value, whether or not it is another than the file's. */
void marks_give(MachineMarks *, const char *name);
void marks_give_model(MachineMarks *, const char *spec);
void marks_free(MachineMarks *);
/* sim/config/print.c: as config_print, with the mark of each figure in front of the parameter's help. Loaded
   again, the figures have these marks. */
void config_print_marked(const Config *, const MachineMarks *, StrBuf *);
#endif
