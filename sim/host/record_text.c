#include "sim/host/record_own.h"
#include "sim/host/value.h"
#include <inttypes.h>

/* ---- loops ---- */

/* LONGEST: most statements in the body of a loop; WORTH: statements that a loop must save at least */
enum { LONGEST = 256, WORTH = 3 };

/* The number of the item for a loop that executes the n statements of `body` so many times. */
static int loop(Recorder *r, const int *body, int n, uint64_t times)
{
	StrBuf key = { 0 };
	sb_printf(&key, "%" PRIu64 " times", times);
	for (int k = 0; k < n; k++)
		sb_printf(&key, " %d", body[k]);
	RecordItem x = { .body = arena_array(&r->arena, int, n), .n = n, .times = times };
	memcpy(x.body, body, sizeof *body * (size_t)n);
	int id = record_item(r, arena_strdup(&r->arena, key.s), x);
	sb_free(&key);
	return id;
}

/* How many times in a row the `period` statements from place k of the list on stand there. */
static uint64_t count_repeats(const Recorder *r, int k, int period)
{
	uint64_t times = 1;
	for (int at = k + period; at + period <= r->list.n &&
		!memcmp(r->list.v + k, r->list.v + at, sizeof(int) * (size_t)period); at += period)
		times++;
	return times;
}

/* Replaces sequences of `period` statements that repeat by loops. True: there was one. */
static bool roll(Recorder *r, int period)
{
	int to = 0, before = r->list.n;
	for (int k = 0; k < r->list.n;) {
		uint64_t times = count_repeats(r, k, period);
		if (times < 2 || (times - 1) * (uint64_t)period < WORTH) {
			r->list.v[to++] = r->list.v[k++];
			continue;
		}
		int id = loop(r, r->list.v + k, period, times);
		k += (int)times * period;
		r->list.v[to++] = id;
	}
	r->list.n = to;
	return to < before;
}

/* Replaces all sequences that repeat by loops, short ones first: sequences with such loops in them may then
   repeat, too. */
static void roll_all(Recorder *r)
{
	for (int period = 1; period <= LONGEST && 2 * period <= r->list.n; period++)
		if (roll(r, period))
			period = 0;
}

/* ---- text ---- */

static void put_items(const Recorder *r, const int *list, int n, int depth, int *label, int *deepest,
	StrBuf *s)
{
	*deepest = depth > *deepest ? depth : *deepest;
	for (int k = 0; k < n; k++) {
		const RecordItem *x = &r->item.v[list[k]];
		if (x->text) {
			sb_puts(s, x->text);
			continue;
		}
		int here = (*label)++;
		sb_printf(s, "\t%%i%d = mov.u32 0\nloop%d:\n", depth, here);
		put_items(r, x->body, x->n, depth + 1, label, deepest, s);
		sb_printf(s, "\t%%i%d = add.u32 %%i%d, 1\n\t%%again = setp.lt.u32 %%i%d, %"
			PRIu64 "\n\tbra %%again, loop%d, end%d\nend%d:\n", depth, depth, depth, x->times,
			here, here, here);
	}
}

static void put_data(const Recorder *r, StrBuf *out)
{
	for (int k = 0; k < r->datum.n; k++) {
		const Datum *d = &r->datum.v[k];
		uint64_t n = d->n / (uint64_t)type_bytes(d->type);
		sb_printf(out, "const %s %s[%" PRIu64 "] = {", type_name[d->type], d->name, n);
		for (uint64_t e = 0; e < n; e++) {
			sb_puts(out, e % 16 ? ", " : e ? ",\n\t" : "\n\t");
			record_value(out, d->type, value_bits(d->type, d->bytes, e));
		}
		sb_puts(out, "\n}\n");
	}
}

/* Writes the instructions that take the addresses of variables of the module, for those that statements
   use. */
static void put_variables(Recorder *r, StrBuf *out)
{
	for (int k = 0; k < r->mentioned.n; k++)
		if (r->mentioned.v[k] && r->run->buffer.v[k].symbol)
			sb_printf(out, "\t%%b%d = mov.u64 %s\n", k, record_name(r, r->run->buffer.v[k].name));
}

bool record_finish(Recorder *r, StrBuf *out, Diag *diag)
{
	StrBuf body = { 0 };
	int label = 0, deepest = 0;
	record_end_write(r);
	if (module_find_function(r->run->module, "main") || module_find_symbol(r->run->module, "main", -1))
		diag_error(&r->diag, (Loc){ r->run->module->name, 0, 0 },
			"the module has a main already; expected one to which the recording can give a host "
			"function main");
	for (int k = 0; k < r->diag.item.n; k++) {
		const DiagItem *x = &r->diag.item.v[k];
		if (x->warning)
			diag_warning(diag, x->loc, "%s", x->text);
		else
			diag_error(diag, x->loc, "%s", x->text);
	}
	if (r->diag.errors)
		return false;
	roll_all(r);
	put_items(r, r->list.v, r->list.n, 0, &label, &deepest, &body);
	ir_print(r->run->module, out);
	sb_puts(out, "\n// What the host did.\n");
	put_data(r, out);
	sb_puts(out, "host main() {\n");
	for (int k = 0; k < deepest; k++)
		sb_printf(out, "\treg u32 %%i%d\n", k);
	put_variables(r, out);
	sb_printf(out, "%s\texit\n}\n", body.s ? body.s : "");
	sb_free(&body);
	return true;
}
