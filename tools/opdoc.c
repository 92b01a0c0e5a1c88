/* opdoc FILE: rewrites what stands between the marks of generated parts in a page from the tables of isa/:
 *   <!-- generated: operations --> ... <!-- end -->, likewise: suffixes, types, special-registers.
 * The result goes to standard output. */
#include "isa/mnemonic.h"
#include "lib/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void puts_cell(const char *s) /* a '|' would end the cell */
{
	for (; *s; s++) {
		if (*s == '|')
			putchar('\\');
		putchar(*s);
	}
}

/* The values of a group that its operations may have, such as ".rn .rz"; the types for 1 and 2. */
static void print_group(char g)
{
	static const char *const classes[128] = { ['r'] = "rounding", ['c'] = "comparison", ['S'] = "space",
		['O'] = "cache",
		['E'] = "order", ['P'] = "scope", ['A'] = "atomic", ['M'] = "mode", ['W'] = "mode2",
		['b'] = "boolean", ['h'] = "half",
		['V'] = "vector", ['x'] = "approx", ['1'] = "type", ['2'] = "type" };
	const char *class = classes[(unsigned char)g];
	if (class) {
		printf(".*%s*", class);
		return;
	}
	for (const Suffix *x = suffix_table; x->name; x++)
		if (x->group == g)
			printf(".%s", x->name);
}

static const char *operand_word(char c)
{
	switch (c) {
	case 't': return "value";
	case 'w': return "value (twice as wide with .wide)";
	case '2': return "value of the second type";
	case 'p': return "predicate";
	case 'v': return "value or vector";
	case 'u': return "32 bits";
	case 'd': return "64 bits";
	case 'a': return "address";
	case 'f': return "function";
	case 's': return "string";
	default: return "any number of values";
	}
}

/* One side of the operands column in words. */
static void print_side(const char *s, const char *separator)
{
	const char *between = "";
	for (; *s && *s != ':'; s++) {
		bool optional = s[1] == '?';
		printf("%s%s%s%s", between, optional ? "[" : "", operand_word(*s), optional ? "]" : "");
		between = separator;
		s += optional;
	}
}

static void print_types(uint32_t types)
{
	const char *between = "";
	for (int t = 1; t < T_COUNT; t++)
		if (types >> t & 1) {
			printf("%s%s", between, type_name[t]);
			between = " ";
		}
}

static void print_operation(const OpInfo *o)
{
	printf("| `%s`", o->name);
	for (const char *g = o->suffixes; *g; g++)
		print_group(*g);
	printf(" | ");
	print_side(o->operands, " \\| ");
	printf(" | ");
	print_side(strchr(o->operands, ':') + 1, ", ");
	printf(" | ");
	print_types(o->types);
	printf(" | ");
	puts_cell(o->meaning);
	printf(" |\n");
}

static void operations(void)
{
	puts("| operation and suffixes | destinations | sources | types | meaning |\n|---|---|---|---|---|");
	for (int op = 1; op < OP_COUNT; op++)
		if (!(op_info[op].flags & OPF_MACH))
			print_operation(&op_info[op]);
}

static void suffixes(void)
{
	static const struct { char group; const char *name; } groups[] = {
		{ 'r', "*rounding*" }, { 'x', "*approx*" }, { 'f', "subnormals to zero" },
		{ 's', "saturation" }, { 'c', "*comparison*" },
		{ 'b', "*boolean* (combines with a predicate)" }, { 'h', "*half* of a product" },
		{ 'C', "carry" }, { 'S', "*space*" },
		{ 'V', "*vector*" }, { 'M', "*mode*" }, { 'W', "*mode2*" }, { 'A', "*atomic* operation" },
		{ 'O', "*cache* operator" },
		{ 'E', "memory *order*" }, { 'P', "*scope*" }, { 'Y', "synchronising" }, { 'L', "aligned" },
		{ 'U', "uniform" }, { 'T', "to" },
		{ 'N', "not faulting" }, { 'B', "all blocks at once" } };
	puts("| kind | suffixes |\n|---|---|");
	for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
		printf("| %s |", groups[k].name);
		for (const Suffix *x = suffix_table; x->name; x++)
			if (x->group == groups[k].group)
				printf(" `.%s`", x->name);
		puts(" |");
	}
}

static void types(void)
{
	puts("| type | bits | kind |\n|---|---|---|");
	for (int t = 1; t < T_COUNT; t++)
		printf("| `%s` | %d | %s |\n", type_name[t], type_bits[t],
			type_kind[t] == 'P' ? "predicate" : type_kind[t] == 'B' ? "bits"
			: type_kind[t] == 'U' ? "unsigned integer" : type_kind[t] == 'S' ? "signed integer"
			: "floating point");
}

static void special_registers(void)
{
	puts("| register | type |\n|---|---|");
	for (int k = 0; k < SREG_COUNT; k++)
		printf("| `%s` | `%s` |\n", sreg_name[k], type_name[sreg_type[k]]);
}

static const struct { const char *name; void (*print)(void); } parts[] = {
	{ "operations", operations }, { "suffixes", suffixes }, { "types", types },
	{ "special-registers", special_registers },
};

/* Prints the part that a line begins; false: it begins none. */
static bool print_part(const char *line)
{
	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
		char mark[64];
		snprintf(mark, sizeof mark, "<!-- generated: %s -->\n", parts[k].name);
		if (strncmp(line, mark, strlen(mark)))
			continue;
		printf("%s", mark);
		parts[k].print();
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	size_t n;
	const char *why, *path = argc == 2 ? argv[1] : NULL;
	char *text = path ? file_read(path, 1 << 24, &n, &why) : NULL;
	if (!text) {
		fprintf(stderr, path ? "%s: %s\n" : "usage: opdoc FILE\n", path, path ? why : NULL);
		return 2;
	}
	for (char *line = text; *line;) {
		char *next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
		if (print_part(line)) {
			char *end = strstr(line, "<!-- end -->\n");
			if (!end) {
				fprintf(stderr, "%s: a generated part without <!-- end -->\n", path);
				return 1;
			}
			next = end;
		} else {
			fwrite(line, 1, (size_t)(next - line), stdout);
		}
		line = next;
	}
	free(text);
	return 0;
}
