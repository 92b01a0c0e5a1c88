/* Records what a workload does as statements of a host function, in their order. sim/host/record_text.c makes
   the function of them. */
#include "sim/host/record_own.h"
#include "isa/text_lex.h"
#include "sim/host/value.h"
#include <inttypes.h>

Recorder *record_open(const Run *run)
{
	Recorder *r = xcalloc(1, sizeof *r);
	r->run = run;
	return r;
}

void record_close(Recorder *r)
{
	if (!r)
		return;
	vec_free(&r->list);
	vec_free(&r->item);
	vec_free(&r->datum);
	vec_free(&r->mentioned);
	vec_free(&r->write.data);
	strmap_free(&r->known);
	strmap_free(&r->data);
	diag_free(&r->diag);
	arena_free(&r->arena);
	free(r);
}

/* Copies the name of the file, which belongs to Lua and would be freed. */
static Loc keep_loc(Recorder *r, Loc where)
{
	where.file = where.file ? arena_strdup(&r->run->diag->arena, where.file) : NULL;
	return where;
}

/* ---- names and numbers ---- */

const char *record_name(Recorder *r, const char *name)
{
	static const char *const words[] = { "_", "inf", "nan", "WARP_SZ", "generic" };
	StrBuf s = { 0 };
	bool plain = name_is_plain(name);
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		plain &= strcmp(name, words[k]) != 0;
	if (plain)
		return name;
	sb_putc(&s, '`');
	for (; *name; name++) {
		if (*name == '`' || *name == '\\')
			sb_putc(&s, '\\');
		if ((unsigned char)*name < 32 || *name == 127)
			sb_printf(&s, "\\x%02x", (unsigned)*name);
		else
			sb_putc(&s, *name);
	}
	sb_putc(&s, '`');
	const char *quoted = arena_strdup(&r->arena, s.s);
	sb_free(&s);
	return quoted;
}

void record_value(StrBuf *s, Type t, uint64_t bits)
{
	int width = type_bits[t];
	if (type_kind[t] == 'F')
		sb_printf(s, "0%c%0*" PRIx64, width == 16 ? 'h' : width == 32 ? 'f' : 'd', width / 4, bits);
	else if (type_kind[t] == 'S')
		sb_printf(s, "%" PRId64, (int64_t)(bits << (64 - width)) >> (64 - width));
	else
		sb_printf(s, "%" PRIu64, bits);
}

/* Writes an operand like "[%b3+8]": the register `base` and an offset in bytes. */
static void put_address_operand(StrBuf *s, const char *base, uint64_t offset)
{
	sb_printf(s, offset ? "[%s+%" PRIu64 "]" : "[%s]", base, offset);
}

/* The name of the register that has the address of buffer number `buffer`. Notes that the buffer is
   mentioned. */
static const char *base_reg(Recorder *r, int buffer)
{
	while (r->mentioned.n <= buffer)
		vec_push(&r->mentioned, false);
	r->mentioned.v[buffer] = true;
	return arena_printf(&r->arena, "%%b%d", buffer);
}

static int buffer_of_address(const Recorder *r, uint64_t address)
{
	for (int k = r->run->buffer.n - 1; k >= 0; k--) {
		const RunBuffer *b = &r->run->buffer.v[k];
		/* the place behind the last element counts as one of the buffer */
		if (address - b->addr <= b->n * (uint64_t)type_bytes(b->type))
			return k;
	}
	return -1;
}

static bool is_recorded_address(const Recorder *r, Type t, uint64_t bits)
{
	return type_bits[t] == 64 && type_kind[t] != 'F' && bits >= GLOBAL_BASE &&
		buffer_of_address(r, bits) >= 0;
}

/* The operand for a 64-bit value that is an address. If it takes an instruction to compute the address, that
   is added to `before`, for a fresh register %aN; *fresh: the next such N. */
static const char *address_operand(Recorder *r, uint64_t bits, StrBuf *before, int *fresh)
{
	int k = buffer_of_address(r, bits);
	uint64_t offset = bits - r->run->buffer.v[k].addr;
	if (!offset)
		return base_reg(r, k);
	sb_printf(before, "\t%%a%d = add.u64 %s, %" PRIu64 "\n", *fresh, base_reg(r, k), offset);
	return arena_printf(&r->arena, "%%a%d", (*fresh)++);
}

/* ---- statements ---- */

int record_item(Recorder *r, const char *key, RecordItem x)
{
	int k = strmap_get(&r->known, key);
	if (k < 0) {
		strmap_put(&r->known, key, k = r->item.n);
		vec_push(&r->item, x);
	}
	return k;
}

static void record_text(Recorder *r, StrBuf *text)
{
	const char *s = arena_strdup(&r->arena, text->s);
	vec_push(&r->list, record_item(r, s, (RecordItem){ .text = s }));
	sb_free(text);
}

/* The name of a constant variable with the data. Equal data share one variable. */
static const char *datum(Recorder *r, Type t, const uint8_t *bytes, uint64_t n)
{
	StrBuf key = { 0 };
	sb_printf(&key, "%d ", (int)t);
	for (uint64_t k = 0; k < n; k++)
		sb_printf(&key, "%02x", bytes[k]);
	int at = strmap_get(&r->data, key.s);
	if (at < 0) {
		uint8_t *copy = arena_alloc(&r->arena, n);
		memcpy(copy, bytes, n);
		const char *name;
		int try = r->datum.n;
		do
			name = arena_printf(&r->arena, "data%d", try++);
		while (module_find_symbol(r->run->module, name, -1) ||
			module_find_function(r->run->module, name) ||
			(r->datum.n && !strcmp(vec_last(&r->datum).name, name)));
		strmap_put(&r->data, arena_strdup(&r->arena, key.s), at = r->datum.n);
		vec_push(&r->datum, ((Datum){ name, t, copy, n }));
		r->bytes += n;
	}
	sb_free(&key);
	return r->datum.v[at].name;
}

/* The operand for the address at an offset in the buffer; s, fresh: as `before` and `fresh` of
   address_operand(). */
static const char *place_operand(Recorder *r, int buffer, uint64_t offset, StrBuf *s, int *fresh)
{
	return address_operand(r, r->run->buffer.v[buffer].addr + offset, s, fresh);
}

static bool is_constant_buffer(const Recorder *r, const RunBuffer *b)
{
	const Symbol *s = b->symbol ? module_find_symbol(r->run->module, b->name, -1) : NULL;
	return s && s->space == SP_CONST;
}

enum { FEW = 4 };  /* up to so many elements are recorded as one store each */

/* Adds statements that write the elements `from` to `to` - 1 of Recorder.write, none of which is an
   address. */
static void say_elements(Recorder *r, uint64_t from, uint64_t to)
{
	Type t = r->write.type;
	uint64_t size = (uint64_t)type_bytes(t), n = to - from, offset = r->write.offset + from * size;
	const uint8_t *data = r->write.data.v;
	uint64_t first = n ? value_bits(t, data, from) : 0;
	bool same = true;
	for (uint64_t k = from; k < to; k++)
		same &= value_bits(t, data, k) == first;
	const RunBuffer *b = n ? &r->run->buffer.v[r->write.buffer] : NULL;
	/* st cannot write constants */
	bool few = n && n <= FEW && !(same && n > 1) && !is_constant_buffer(r, b);
	for (uint64_t k = from; k < to && few; k++) {
		StrBuf s = { 0 };
		sb_printf(&s, "\tst.global.%s ", type_name[t]);
		put_address_operand(&s, base_reg(r, r->write.buffer), r->write.offset + k * size);
		sb_puts(&s, ", ");
		record_value(&s, t, value_bits(t, data, k));
		sb_putc(&s, '\n');
		record_text(r, &s);
	}
	if (!n || few)
		return;
	StrBuf s = { 0 };
	int fresh = 0;
	const char *to_place = place_operand(r, r->write.buffer, offset, &s, &fresh);
	if (same) {
		sb_printf(&s, "\tfill.%s %s, ", type_name[t], to_place);
		record_value(&s, t, first);
		sb_printf(&s, ", %" PRIu64 "\n", n);
	} else {
		const char *name = datum(r, t, data + from * size, n * size);
		sb_printf(&s, "\t%%d = mov.u64 %s\n\tcopy %s, %%d, %" PRIu64 "\n", name, to_place, n * size);
	}
	record_text(r, &s);
}

static void say_address(Recorder *r, uint64_t k)
{
	StrBuf s = { 0 };
	int fresh = 0;
	const char *value = address_operand(r, value_bits(r->write.type, r->write.data.v, k), &s, &fresh);
	sb_puts(&s, "\tst.global.u64 ");
	put_address_operand(&s, base_reg(r, r->write.buffer), r->write.offset + 8 * k);
	sb_printf(&s, ", %s\n", value);
	record_text(r, &s);
}

/* Makes statements of the host's writes that have been collected in Recorder.write. */
void record_end_write(Recorder *r)
{
	uint64_t n = (uint64_t)r->write.data.n / (r->write.data.n ? (uint64_t)type_bytes(r->write.type) : 1),
		from = 0;
	for (uint64_t k = 0; k < n; k++)
		if (is_recorded_address(r, r->write.type, value_bits(r->write.type, r->write.data.v, k))) {
			say_elements(r, from, k);
			say_address(r, k);
			from = k + 1;
		}
	say_elements(r, from, n);
	vec_clear(&r->write.data);
}

void record_write(Recorder *r, int buffer, Type t, uint64_t offset, const uint8_t *data, uint64_t n)
{
	if (!r || !n)
		return;
	bool on = r->write.data.n && r->write.buffer == buffer && r->write.type == t &&
		offset == r->write.offset + (uint64_t)r->write.data.n;
	if (!on)
		record_end_write(r);
	if (r->bytes + (uint64_t)r->write.data.n + n > DATA_LIMIT) {
		if (!r->diag.errors)
			diag_error(&r->diag, (Loc){ 0 }, "the host writes more than %d bytes that a "
				"recording would have to hold", DATA_LIMIT);
		return;
	}
	if (!on) {
		r->write.buffer = buffer;
		r->write.type = t;
		r->write.offset = offset;
	}
	vec_reserve(&r->write.data, r->write.data.n + (int)n);
	memcpy(r->write.data.v + r->write.data.n, data, n);
	r->write.data.n += (int)n;
}

void record_buffer(Recorder *r, int buffer)
{
	if (!r)
		return;
	StrBuf s = { 0 };
	const RunBuffer *b = &r->run->buffer.v[buffer];
	record_end_write(r);
	sb_printf(&s, "\t%s = alloc.u64 %" PRIu64 "\n", base_reg(r, buffer),
		b->n * (uint64_t)type_bytes(b->type));
	record_text(r, &s);
}

void record_launch(Recorder *r, const Launch *l, int stream, Loc where)
{
	if (!r)
		return;
	StrBuf s = { 0 }, args = { 0 };
	const Function *f = l->kernel;
	int fresh = 0;
	record_end_write(r);
	for (int k = 0; k < f->param.n; k++) {
		const Param *p = &f->param.v[k];
		uint64_t bits = value_bits((Type)p->type, l->params + p->offset, 0);
		if (p->array)
			diag_error(&r->diag, keep_loc(r, where),
				"parameter %s of kernel %s is a structure; a recorded host function passes "
				"scalars", p->name, f->name);
		sb_puts(&args, k ? ", " : "");
		if (is_recorded_address(r, (Type)p->type, bits))
			sb_puts(&args, address_operand(r, bits, &s, &fresh));
		else
			record_value(&args, (Type)p->type, bits);
	}
	sb_printf(&s, "\tlaunch%s %s, (%u, %u, %u), (%u, %u, %u), %u, ", l->cooperative ? ".cooperative" : "",
		record_name(r, f->name), l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
		l->block[2], l->dynamic_shared);
	if (stream)
		sb_printf(&s, "%d, ", stream);
	sb_printf(&s, "(%s)\n", args.s ? args.s : "");
	record_text(r, &s);
	sb_free(&args);
}

void record_order(Recorder *r, bool wait, int first, int second)
{
	if (!r)
		return;
	StrBuf s = { 0 };
	record_end_write(r);
	sb_printf(&s, "\t%s %d, %d\n", wait ? "wait" : "record", first, second);
	record_text(r, &s);
}

void record_sync(Recorder *r)
{
	if (!r)
		return;
	StrBuf s = { 0 };
	record_end_write(r);
	sb_puts(&s, "\tsynchronize\n");
	record_text(r, &s);
}

void record_flush(Recorder *r, Loc where)
{
	if (r)
		diag_warning(&r->diag, keep_loc(r, where), "gpu.flush is left out of the recording: a host "
			"function has no statement for it");
}
