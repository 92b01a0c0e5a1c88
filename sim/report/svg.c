#include "sim/report/svg.h"

void svg_label(StrBuf *out, double x, double y, const char *style, const char *text)
{
	sb_printf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, style);
	for (; *text; text++)
		if (*text == '&' || *text == '<' || *text == '>' || *text == '"')
			sb_printf(out, "&#%d;", *text);
		else if ((unsigned char)*text >= ' ')
			sb_putc(out, *text);
	sb_puts(out, "</text>\n");
}
