/* Buffers of runs: memory that the host and kernels share. */
#include "sim/api/api.h"
#include "sim/host/parameter.h"

/* The object that stands for a buffer of the run, made when it is asked for first. */
static GsimBuffer *buffer_at(GsimRun *run, int index)
{
	while (run->buffer.n <= index)
		vec_push(&run->buffer, NULL);
	if (!run->buffer.v[index]) {
		GsimBuffer *b = xcalloc(1, sizeof *b);
		handle_open(&b->handle, HANDLE_BUFFER);
		b->run = run;
		b->index = index;
		run->buffer.v[index] = b;
	}
	return run->buffer.v[index];
}

static void forget(GsimRun *run, int index)
{
	GsimBuffer *b = run->buffer.v[index];
	run->buffer.v[index] = NULL;
	if (b) {
		handle_close(&b->handle);
		free(b);
	}
}

void buffers_free(GsimRun *run)
{
	for (int i = 0; i < run->buffer.n; i++)
		forget(run, i);
	vec_free(&run->buffer);
}

static RunBuffer *record_of(const GsimBuffer *b) { return &b->run->run->buffer.v[b->index]; }
static uint64_t buffer_bytes(const RunBuffer *b) { return b->n * (uint64_t)type_bytes(b->type); }

/* ---- making ---- */

static GsimBuffer *new_buffer(GsimRun *run, const char *type, uint64_t count)
{
	Type t = type ? element_named(type) : T_NONE;
	if (t == T_NONE || !count) {
		misuse(&run->messages, t == T_NONE
			? "gsim_buffer_new: unknown element type '%.40s': expected " ELEMENTS
			: "gsim_buffer_new: a buffer of %s has at least one element",
			type ? type : "NULL");
		return NULL;
	}
	if (run_begin(run) != GSIM_OK)
		return NULL;
	run_settle(run);
	int index = run_new_buffer(run->run, t, count);
	if (index >= 0)
		return buffer_at(run, index);
	misuse(&run->messages, "gsim_buffer_new: a buffer of %llu elements of %s does not fit into "
		"limits.memory_bytes = %lld", (unsigned long long)count, type,
		(long long)run->config.memory_limit);
	return NULL;
}

GsimBuffer *gsim_buffer_new(GsimRun *run, const char *type, uint64_t count)
{
	if (!run_enter(run, __func__))
		return NULL;
	GsimBuffer *b = new_buffer(run, type, count);
	run_leave(run, GSIM_OK);
	return b;
}

static GsimBuffer *find_variable_buffer(GsimRun *run, const char *name)
{
	const char *near = NULL;
	if (!name) {
		misuse(&run->messages, "gsim_buffer_of_variable: the name is NULL");
		return NULL;
	}
	if (run_begin(run) != GSIM_OK)
		return NULL;
	int index = run_find_symbol(run->run, name, &near);
	if (index >= 0)
		return buffer_at(run, index);
	misuse(&run->messages, "gsim_buffer_of_variable: the module has no global or const variable "
		"'%.200s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

GsimBuffer *gsim_buffer_of_variable(GsimRun *run, const char *name)
{
	if (!run_enter(run, __func__))
		return NULL;
	GsimBuffer *b = find_variable_buffer(run, name);
	run_leave(run, GSIM_OK);
	return b;
}

int gsim_run_buffers(GsimRun *run)
{
	if (!run_enter(run, __func__))
		return -1;
	int n = run->run ? run->run->buffer.n : 0;
	run_leave(run, GSIM_OK);
	return n;
}

GsimBuffer *gsim_run_buffer(GsimRun *run, int i)
{
	GsimBuffer *b = NULL;
	if (!run_enter(run, __func__))
		return NULL;
	int n = run->run ? run->run->buffer.n : 0;
	if (i >= 0 && i < n)
		b = buffer_at(run, i);
	else
		misuse(&run->messages, "%s: number %d of %d buffers", __func__, i, n);
	run_leave(run, GSIM_OK);
	return b;
}

GsimStatus gsim_buffer_free(GsimBuffer *buffer)
{
	if (!handle_is(buffer, HANDLE_BUFFER, __func__) || !run_enter(buffer->run, __func__))
		return GSIM_MISUSE;
	GsimRun *run = buffer->run;
	const RunBuffer *b = record_of(buffer);
	if (b->symbol)
		return run_leave(run, misuse(&run->messages, "%s: %s is a variable of the module", __func__,
			b->name));
	run_settle(run);
	memory_release(run->run->memory, b->addr);
	forget(run, buffer->index);
	return run_leave(run, GSIM_OK);
}

/* ---- looking ---- */

const char *gsim_buffer_name(const GsimBuffer *buffer)
{
	return handle_is(buffer, HANDLE_BUFFER, __func__) ? record_of(buffer)->name : NULL;
}

const char *gsim_buffer_type(const GsimBuffer *buffer)
{
	return handle_is(buffer, HANDLE_BUFFER, __func__) ? type_name[record_of(buffer)->type] : NULL;
}

uint64_t gsim_buffer_bytes(const GsimBuffer *buffer)
{
	return handle_is(buffer, HANDLE_BUFFER, __func__) ? buffer_bytes(record_of(buffer)) : 0;
}

uint64_t gsim_buffer_address(const GsimBuffer *buffer)
{
	return handle_is(buffer, HANDLE_BUFFER, __func__) ? record_of(buffer)->addr : 0;
}

/* ---- contents ---- */

/* Where n bytes of the buffer begin; NULL, with a message: not all of them are there. */
static uint8_t *bytes_at(GsimBuffer *buffer, uint64_t offset, const void *data, size_t n,
	const char *function)
{
	const GsimRun *run = buffer->run;
	const RunBuffer *b = record_of(buffer);
	uint64_t bytes = buffer_bytes(b);
	uint8_t *at = run_data(run->run, b);
	if (!at)
		misuse(&run->messages, "%s: %s is no longer there", function, b->name);
	else if (offset > bytes || n > bytes - offset)
		misuse(&run->messages, "%s: %llu bytes from byte %llu on: %s has %llu bytes", function,
			(unsigned long long)n, (unsigned long long)offset, b->name,
			(unsigned long long)bytes);
	else if (n && !data)
		misuse(&run->messages, "%s: the data are NULL", function);
	else
		return at + offset;
	return NULL;
}

static GsimStatus copy(GsimBuffer *buffer, uint64_t offset, void *to, const void *from, size_t n,
	const char *function)
{
	if (!handle_is(buffer, HANDLE_BUFFER, function) || !run_enter(buffer->run, function))
		return GSIM_MISUSE;
	run_settle(buffer->run);
	uint8_t *at = bytes_at(buffer, offset, to ? to : from, n, function);
	if (at && n)
		memcpy(to ? to : at, to ? at : from, n);
	return run_leave(buffer->run, at ? GSIM_OK : GSIM_MISUSE);
}

GsimStatus gsim_buffer_read(GsimBuffer *buffer, uint64_t offset, void *data, size_t n)
{
	return copy(buffer, offset, data, NULL, n, __func__);
}

GsimStatus gsim_buffer_write(GsimBuffer *buffer, uint64_t offset, const void *data, size_t n)
{
	return copy(buffer, offset, NULL, data, n, __func__);
}

GsimStatus gsim_buffer_compare(GsimBuffer *buffer, const char *how, double tolerance)
{
	int k = 0;
	if (!handle_is(buffer, HANDLE_BUFFER, __func__) || !run_enter(buffer->run, __func__))
		return GSIM_MISUSE;
	GsimRun *run = buffer->run;
	while (how && k < COMPARE_HOWS && strcmp(how, compare_how_name[k]))
		k++;
	if (!how || k == COMPARE_HOWS)
		return run_leave(run, misuse(&run->messages, "%s: expected 'exact', 'set', 'tolerance' or "
			"'ignore', found '%.40s'", __func__, how ? how : "NULL"));
	if (k == COMPARE_TOLERANCE && !(tolerance >= 0))
		return run_leave(run, misuse(&run->messages, "%s: tolerance: expected a number of at least 0",
			__func__));
	record_of(buffer)->how = (CompareHow)k;
	record_of(buffer)->tolerance = tolerance;
	return run_leave(run, GSIM_OK);
}
