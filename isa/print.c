/* The formats are those of CUDA's programming guide: %[flags][width][.precision][size]type with flags - +
 * blank # 0, a width or precision that may be *, size hh h l ll j z t, type d i u o x X c s p a A e E f F g
 * G, and %%. Arguments lie one behind the other, each aligned to its size: 4 bytes for integers without l and
 * for characters, else 8. What is no conversion, and conversions past the 32nd argument, are printed as they
 * stand and take no argument. */
#include "isa/print.h"
#include "lib/arena.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FORMAT = 1 << 16, MOST_STRING = 1 << 20, MOST_ASSERT = 300, WIDEST = 1 << 30 };

typedef enum { SIZE_INT, SIZE_CHAR, SIZE_SHORT, SIZE_LONG } Size;

typedef struct Spec {
	char flags[8];             /* the flags given, each once */
	bool star_width, star_precision, left;
	int width, precision;      /* precision -1: not given */
	Size size;
	char type;
	const char *end;
} Spec;

typedef struct Printing {
	const PrintReader *reader;
	uint64_t args, offset;     /* args: address of the arguments; offset: bytes up to the next one */
	int n;                     /* number of arguments taken */
	StrBuf out;
	uint64_t room;             /* most bytes that out may have */
	bool full, fault, too_long;
} Printing;

/* ---- output ---- */

static bool fits_output(Printing *p, uint64_t n)
{
	p->full |= n > p->room || p->out.n > p->room - n;
	return !p->full;
}

static void put_output(Printing *p, const char *s, size_t n)
{
	if (n && fits_output(p, n))
		sb_write(&p->out, s, n);
}

static void put_padding(Printing *p, int64_t n)
{
	if (n > 0 && fits_output(p, (uint64_t)n))
		while (n--)
			sb_putc(&p->out, ' ');
}

static void put_padded(Printing *p, const Spec *x, const char *s, size_t n)
{
	int64_t blanks = (int64_t)x->width - (int64_t)n;
	if (!x->left)
		put_padding(p, blanks);
	put_output(p, s, n);
	if (x->left)
		put_padding(p, blanks);
}

/* ---- input ---- */

/* Reads a string up to its zero byte, but at most n bytes. too_long is set, and the call of printf fails, if
   it has more than `most` bytes. */
static void read_print_string(Printing *p, uint64_t addr, uint64_t n, uint64_t most, StrBuf *s)
{
	uint8_t c;
	for (uint64_t k = 0; k < n; k++) {
		if (k == most) {
			p->too_long = true;
			return;
		}
		if (!p->reader->byte(p->reader->self, addr + k, &c)) {
			p->fault = true;
			return;
		}
		if (!c)
			return;
		sb_putc(s, (char)c);
	}
}

static uint64_t next_argument(Printing *p, unsigned bytes)
{
	uint64_t v = 0;
	p->offset = (p->offset + bytes - 1) / bytes * bytes;
	for (unsigned k = 0; k < bytes && !p->fault; k++) {
		uint8_t c = 0;
		p->fault = !p->reader->byte(p->reader->self, p->args + p->offset + k, &c);
		v |= (uint64_t)c << (8 * k);
	}
	p->offset += bytes;
	p->n++;
	return v;
}

/* ---- conversions ---- */

static const char *parse_width(const char *s, bool *star, int *v)
{
	*v = 0;
	if ((*star = *s == '*'))
		return s + 1;
	for (; *s >= '0' && *s <= '9'; s++)
		*v = *v < WIDEST / 10 ? *v * 10 + (*s - '0') : WIDEST;
	return s;
}

static const char *parse_size(const char *s, Size *size)
{
	*size = SIZE_INT;
	if (*s == 'h')
		*size = s[1] == 'h' ? SIZE_CHAR : SIZE_SHORT;
	else if (*s && strchr("ljzt", *s))
		*size = SIZE_LONG;
	return s + (*size != SIZE_INT) + ((*s == 'h' || *s == 'l') && s[1] == *s);
}

/* Reads a conversion from the text behind its '%'. false: the '%' begins no conversion. */
static bool parse_conversion(const char *s, Spec *x)
{
	*x = (Spec){ .precision = -1 };
	for (size_t n = 0; *s && strchr("-+ #0", *s); s++)
		if (!strchr(x->flags, *s))
			x->flags[n++] = *s;
	x->left = strchr(x->flags, '-') != NULL;
	s = parse_width(s, &x->star_width, &x->width);
	if (*s == '.')
		s = parse_width(s + 1, &x->star_precision, &x->precision);
	s = parse_size(s, &x->size);
	x->type = *s;
	x->end = s + 1;
	return *s && strchr("diuoxXcspaAeEfFgG%", *s);
}

static void take_stars(Printing *p, Spec *x)
{
	if (x->star_width) {
		int32_t w = (int32_t)next_argument(p, 4);
		if (w < 0 && !x->left) {
			x->left = true;
			strcat(x->flags, "-");
		}
		x->width = w == INT32_MIN ? INT32_MAX : w < 0 ? -w : w;
	}
	if (x->star_precision) {
		int32_t n = (int32_t)next_argument(p, 4);
		x->precision = n < 0 ? -1 : n;
	}
}

/* Prints a number by the host's printf, whose %lld and %a know all of C's rules. */
static void print_number(Printing *p, const Spec *x, uint64_t bits)
{
	bool whole = strchr("diuoxX", x->type) != NULL;
	char format[24];
	double d;
	if (!fits_output(p, (uint64_t)x->width) || !fits_output(p,
		x->precision > 0 ? (uint64_t)x->precision : 0))
		return;
	memcpy(&d, &bits, sizeof d);
	snprintf(format, sizeof format, "%%%s*.*%s%c", x->flags, whole ? "ll" : "", x->type);
	int n = whole ? snprintf(NULL, 0, format, x->width, x->precision, (long long)bits)
		: snprintf(NULL, 0, format, x->width, x->precision, d);
	if (n <= 0 || !fits_output(p, (uint64_t)n))
		return;
	char *text = xmalloc((size_t)n + 1);
	if (whole)
		snprintf(text, (size_t)n + 1, format, x->width, x->precision, (long long)bits);
	else
		snprintf(text, (size_t)n + 1, format, x->width, x->precision, d);
	put_output(p, text, (size_t)n);
	free(text);
}

static uint64_t integer(const Spec *x, uint64_t v)
{
	bool is_signed = x->type == 'd' || x->type == 'i';
	switch (x->size) {
	case SIZE_CHAR: return is_signed ? (uint64_t)(int8_t)v : (uint8_t)v;
	case SIZE_SHORT: return is_signed ? (uint64_t)(int16_t)v : (uint16_t)v;
	case SIZE_INT: return is_signed ? (uint64_t)(int32_t)v : (uint32_t)v;
	default: return v;
	}
}

static void put_string(Printing *p, const Spec *x, uint64_t addr)
{
	StrBuf s = { 0 };
	if (addr)
		read_print_string(p, addr, x->precision < 0 ? UINT64_MAX : (uint64_t)x->precision,
			MOST_STRING, &s);
	else if (x->precision < 0 || x->precision >= 6)
		sb_puts(&s, "(null)");
	if (!p->fault && !p->too_long)
		put_padded(p, x, s.s ? s.s : "", s.n);
	sb_free(&s);
}

static void print_conversion(Printing *p, Spec *x)
{
	char text[32];
	take_stars(p, x);
	switch (x->type) {
	case 'c':
		text[0] = (char)next_argument(p, 4);
		put_padded(p, x, text, 1);
		break;
	case 's':
		put_string(p, x, next_argument(p, 8));
		break;
	case 'p': {
		uint64_t v = next_argument(p, 8);
		int n = snprintf(text, sizeof text, v ? "0x%llx" : "(nil)", (unsigned long long)v);
		put_padded(p, x, text, (size_t)n);
		break;
	}
	case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
		print_number(p, x, integer(x, next_argument(p, x->size == SIZE_LONG ? 8 : 4)));
		break;
	default:
		print_number(p, x, next_argument(p, 8));
	}
}

static void print_text(Printing *p, const char *s)
{
	while (*s && !p->fault && !p->too_long) {
		size_t plain = strcspn(s, "%");
		Spec x;
		put_output(p, s, plain);
		s += plain;
		if (!*s)
			break;
		if (!parse_conversion(s + 1, &x) || (x.type != '%' && p->n + 1 + x.star_width +
			x.star_precision > PRINT_ARGS)) {
			put_output(p, s++, 1);
			continue;
		}
		if (x.type == '%')
			put_output(p, "%", 1);
		else
			print_conversion(p, &x);
		s = x.end;
	}
}

bool print_format(PrintBuffer *b, const PrintReader *reader, uint64_t format, uint64_t args, int32_t *result)
{
	Printing p = { .reader = reader, .args = args, .full = !b || b->lost };
	StrBuf s = { 0 };
	p.room = b && b->limit > b->text.n ? b->limit - b->text.n : 0;
	if (format)
		read_print_string(&p, format, UINT64_MAX, MOST_FORMAT, &s);
	if (!p.fault && !p.too_long && s.s)
		print_text(&p, s.s);
	*result = !format ? -1 : p.too_long ? -2 : p.n;
	if (b && !p.fault && *result >= 0) {
		if (p.full)
			b->lost++;
		else
			sb_write(&b->text, p.out.s ? p.out.s : "", p.out.n);
	}
	sb_free(&p.out);
	sb_free(&s);
	return !p.fault;
}

bool print_assertion(const Assertion *a, const PrintReader *reader, const uint32_t ctaid[3],
	const uint32_t tid[3], StrBuf *out)
{
	Printing p = { .reader = reader };
	StrBuf s[3] = { { 0 } };
	const uint64_t from[3] = { a->file, a->function, a->message };
	for (int k = 0; k < 3 && !p.fault; k++) {
		sb_puts(&s[k], "");
		if (from[k])
			read_print_string(&p, from[k], MOST_ASSERT, MOST_ASSERT, &s[k]);
	}
	if (!p.fault)
		sb_printf(out, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
			s[0].s, a->line, s[1].s, ctaid[0], ctaid[1], ctaid[2], tid[0], tid[1], tid[2],
			s[2].s);
	for (int k = 0; k < 3; k++)
		sb_free(&s[k]);
	return !p.fault;
}
