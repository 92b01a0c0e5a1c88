/* Results of analyses as text, for people: NAME_print(graph, result, text) appends one line for each block,
   with the block's label. */
#ifndef GSIM_ANALYSIS_PRINT_H
#define GSIM_ANALYSIS_PRINT_H
#include "lib/strbuf.h"
#include "passes/analysis/analysis.h"
#include "passes/analysis/uniformity.h"

/* the block's label; "(exit)" for the virtual exit, "-" for none */
const char *print_label(const Cfg *, int block);
void print_blocks(const Cfg *, BitSet, StrBuf *);     /* appends " B1 B2" */
void print_regs(const Cfg *, BitSet, StrBuf *);       /* appends " %a %b", the carry flag as "carry" */

struct EffectTable;
struct CostTable;
struct Profile;
void effects_print(const Cfg *, const Module *, const struct EffectTable *, StrBuf *);
/* costs (NULL: the default ones) and profile may be NULL */
void costs_print(const Cfg *, const struct CostTable *, const struct Profile *, StrBuf *);

void cfg_print(const Cfg *, const Cfg *, StrBuf *);
void dom_print(const Cfg *, const Dom *, StrBuf *);
void pdom_print(const Cfg *, const Dom *, StrBuf *);
void loops_print(const Cfg *, const Loops *, StrBuf *);
void structure_print(const Cfg *, const Structure *, StrBuf *);
void uniformity_print(const Cfg *, const Uniformity *, StrBuf *);
void uniformity_print_regs(const Cfg *, const Uniformity *, StrBuf *);
#endif
