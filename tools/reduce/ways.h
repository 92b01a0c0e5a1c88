/* The ways of making a module smaller, each as two functions (tools/reduce/edits.h). */
#ifndef GSIM_REDUCE_WAYS_H
#define GSIM_REDUCE_WAYS_H
#include "isa/ir.h"

/* way_functions.c. Functions go, with their calls and launches; or their bodies do. Launches and calls go. */
int functions_places(const Module *);
bool functions_drop(Module *, int from, int to);
bool bodies_empty(Module *, int from, int to);
int launches_places(const Module *);
bool launches_drop(Module *, int from, int to);

/* way_blocks.c. A thread ends where a block ends; a branch always goes one way; what went to a block goes to
   where the block goes; so does one edge alone; a block joins the only one that goes to it. */
int ends_places(const Module *);
bool ends_cut(Module *, int from, int to);
int branches_places(const Module *);
bool branches_fold(Module *, int from, int to);
int bypass_places(const Module *);
bool bypass_change(Module *, int from, int to);
int edges_places(const Module *);
bool edges_change(Module *, int from, int to);
int join_places(const Module *);
bool join_change(Module *, int from, int to);

/* way_instructions.c. Instructions go; they go, and whoever read their result reads one of their sources, 0
   or 1; they lose a guard, a modifier or a second result. */
int instructions_places(const Module *);
bool instructions_drop(Module *, int from, int to);
int forward_places(const Module *);
bool forward_change(Module *, int from, int to);
int modifier_places(const Module *);
bool modifier_change(Module *, int from, int to);

/* way_operands.c. Sources become 0; they become 1; numbers become half as large; they become one less. */
int zero_places(const Module *);
bool zero_change(Module *, int from, int to);
int one_places(const Module *);
bool one_change(Module *, int from, int to);
int halve_places(const Module *);
bool halve_change(Module *, int from, int to);
int lower_places(const Module *);
bool lower_change(Module *, int from, int to);

/* way_parameters.c. Parameters of kernels, arguments and results of functions go. */
int parameters_places(const Module *);
bool parameters_drop(Module *, int from, int to);
int arguments_places(const Module *);
bool arguments_drop(Module *, int from, int to);

/* way_data.c. Variables go, get fewer elements, and elements become 0. */
int variables_places(const Module *);
bool variables_drop(Module *, int from, int to);
int sizes_places(const Module *);
bool sizes_change(Module *, int from, int to);
int contents_places(const Module *);
bool contents_clear(Module *, int from, int to);

/* way_names.c. Attributes of kernels go; marks become those that go without saying; places in the source and
   origins go; registers that nobody names go; labels and registers get short names. */
int attributes_places(const Module *);
bool attributes_drop(Module *, int from, int to);
int whole_place(const Module *);               /* 1: the module as a whole */
bool marks_reset(Module *, int from, int to);
bool places_drop(Module *, int from, int to);
bool registers_drop(Module *, int from, int to);
bool labels_rename(Module *, int from, int to);
bool registers_rename(Module *, int from, int to);
#endif
