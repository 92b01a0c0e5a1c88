/* What pictures (SVG) have in common. */
#ifndef GSIM_SVG_H
#define GSIM_SVG_H
#include "lib/strbuf.h"

/* Puts a text at a place, in pixels; style: attributes with a space in front, or "". Characters that have a
   meaning in XML are escaped, control characters are left out. */
void svg_label(StrBuf *, double x, double y, const char *style, const char *text);
#endif
