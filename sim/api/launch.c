/* Launches: arguments as a program gives them, converted to the parameters of a kernel. */
#include "sim/api/api.h"
#include "sim/host/kernel_name.h"
#include "sim/host/parameter.h"
#include "sim/host/value.h"

enum { MOST_QUEUED = 4096 };           /* launches in streams that have not run */

/* Says what is wrong with an argument. */
static bool refuse(const GsimRun *run, const Function *k, int i, const char *what)
{
	char name[PARAMETER_NAME];
	misuse(&run->messages, "gsim_run_launch: %s: %s", parameter_name(k, i, name), what);
	return false;
}

static bool address(const GsimRun *run, const Function *k, int i, const GsimArgument *a, uint64_t *bits)
{
	const Param *p = &k->param.v[i];
	GsimBuffer *b = a->as.place.buffer;
	char text[200];
	if (!handle_is(b, HANDLE_BUFFER, "gsim_run_launch"))
		return refuse(run, k, i, b ? "this is no buffer, or it was freed" : "the buffer is NULL");
	if (b->run != run)
		return refuse(run, k, i, "the buffer is one of another run");
	if (!run_data(run->run, &run->run->buffer.v[b->index])) {
		snprintf(text, sizeof text, "%.150s is no longer there", gsim_buffer_name(b));
		return refuse(run, k, i, text);
	}
	if (a->as.place.offset > gsim_buffer_bytes(b)) {
		snprintf(text, sizeof text, "byte %llu is outside %.60s, which has %llu bytes",
			(unsigned long long)a->as.place.offset, gsim_buffer_name(b),
			(unsigned long long)gsim_buffer_bytes(b));
		return refuse(run, k, i, text);
	}
	if (!holds_address((Type)p->type)) {
		snprintf(text, sizeof text, "an address needs 64 bits, not %s", type_name[p->type]);
		return refuse(run, k, i, text);
	}
	*bits = gsim_buffer_address(b) + a->as.place.offset;
	return true;
}

/* Numbers above the largest signed one fit into types of 64 bits, and real ones. */
static bool unsigned_bits(uint64_t v, Type t, uint64_t *bits)
{
	*bits = v;
	return v <= INT64_MAX ? integer_bits((int64_t)v, t, bits)
		: type_kind[t] == 'F' ? real_bits((double)v, t, bits) : type_bits[t] == 64;
}

static bool number(const GsimRun *run, const Function *k, int i, const GsimArgument *a, uint64_t *bits)
{
	Type t = (Type)k->param.v[i].type;
	char shown[40], text[100];
	bool fits;
	if (a->kind == GSIM_INTEGER) {
		fits = integer_bits(a->as.integer, t, bits);
		snprintf(shown, sizeof shown, "%lld", (long long)a->as.integer);
	} else if (a->kind == GSIM_UNSIGNED) {
		fits = unsigned_bits(a->as.unsigned_integer, t, bits);
		snprintf(shown, sizeof shown, "%llu", (unsigned long long)a->as.unsigned_integer);
	} else {
		fits = real_bits(a->as.real, t, bits);
		snprintf(shown, sizeof shown, "%.14g", a->as.real);
	}
	snprintf(text, sizeof text, "%s does not fit into %s", shown, type_name[t]);
	return fits || refuse(run, k, i, text);
}

static bool bytes(const GsimRun *run, const Function *k, int i, const GsimArgument *a, uint8_t *at)
{
	const Param *p = &k->param.v[i];
	char text[100];
	if (a->as.bytes.n != p->size) {
		snprintf(text, sizeof text, "expected %u bytes, found %llu", p->size,
			(unsigned long long)a->as.bytes.n);
		return refuse(run, k, i, text);
	}
	if (!a->as.bytes.data)
		return refuse(run, k, i, "the bytes are NULL");
	memcpy(at, a->as.bytes.data, a->as.bytes.n);
	return true;
}

static bool parameter(const GsimRun *run, const Function *k, int i, const GsimArgument *a, uint8_t *params)
{
	const Param *p = &k->param.v[i];
	uint64_t bits = 0;
	char text[100];
	switch (a->kind) {
	case GSIM_BYTES:
		return bytes(run, k, i, a, params + p->offset);
	case GSIM_BUFFER: case GSIM_INTEGER: case GSIM_UNSIGNED: case GSIM_REAL:
		break;
	default:
		snprintf(text, sizeof text, "%d is no kind of argument", (int)a->kind);
		return refuse(run, k, i, text);
	}
	if (p->array) {
		snprintf(text, sizeof text, "expected %u bytes, found a number or buffer", p->size);
		return refuse(run, k, i, text);
	}
	if (a->kind == GSIM_BUFFER ? !address(run, k, i, a, &bits) : !number(run, k, i, a, &bits))
		return false;
	value_store((Type)p->type, params + p->offset, 0, bits);
	return true;
}

static bool write_launch_arguments(const GsimRun *run, const Function *k, const GsimLaunch *l,
	uint8_t *params)
{
	bool fit = true;
	if (l->n != k->param.n) {
		StrBuf text = { 0 };
		parameters_print(k, l->n, &text);
		misuse(&run->messages, "gsim_run_launch: %s", text.s);
		sb_free(&text);
		return false;
	}
	for (int i = 0; i < l->n && fit; i++)
		fit = parameter(run, k, i, &l->arguments[i], params);
	return fit;
}

/* What is wrong with a launch before its kernel is known, or NULL. */
static const char *refuse_launch(const GsimLaunch *l)
{
	return !l->kernel ? "the kernel is NULL" : l->n < 0 ? "n is below 0"
		: l->n && !l->arguments ? "the arguments are NULL"
		: l->stream < 0 || l->stream > STREAM_LIMIT ? "stream: expected a number from 0 to 1024"
		: NULL;
}

static const Function *find_launched_kernel(const GsimRun *run, const char *name)
{
	StrBuf why = { 0 };
	const Function *k = kernel_by_name(run->module, name, &why);
	if (!k)
		misuse(&run->messages, "gsim_run_launch: %s", why.s);
	sb_free(&why);
	if (k && k->param_bytes > MAX_PARAM_BYTES) {
		misuse(&run->messages, "gsim_run_launch: the parameters of %s take more than %d bytes",
			k->name, MAX_PARAM_BYTES);
		return NULL;
	}
	return k;
}

static GsimStatus queue(GsimRun *run, const GsimLaunch *l, const Function *k, const uint8_t *params)
{
	Launch launch = { .kernel = k, .params = params, .dynamic_shared = l->shared,
		.cooperative = l->cooperative != 0 };
	for (int i = 0; i < 3; i++) {
		launch.grid[i] = i && !l->grid[i] ? 1 : l->grid[i];
		launch.block[i] = i && !l->block[i] ? 1 : l->block[i];
	}
	if (run->run->pending.n >= MOST_QUEUED)
		run_settle(run);
	bool queued = run_state(run) == GSIM_OK && run_queue(run->run, &launch, l->stream, (Loc){ 0 });
	if (queued && !l->stream)
		run_sync(run->run);
	return run_state(run);
}

static GsimStatus launch(GsimRun *run, const GsimLaunch *given)
{
	GsimLaunch l = { 0 };
	if (!given || given->size < offsetof(GsimLaunch, arguments) + sizeof given->arguments)
		return misuse(&run->messages, given ? "gsim_run_launch: size is not that of a GsimLaunch"
			: "gsim_run_launch: the launch is NULL");
	l = *given;
	if (refuse_launch(&l))
		return misuse(&run->messages, "gsim_run_launch: %s", refuse_launch(&l));
	GsimStatus status = run_begin(run);
	if (status != GSIM_OK)
		return status;
	const Function *k = find_launched_kernel(run, l.kernel);
	if (!k)
		return GSIM_BAD_INPUT;
	uint8_t *params = xcalloc(1, k->param_bytes + 1);
	status = write_launch_arguments(run, k, &l, params) ? queue(run, &l, k, params) : GSIM_BAD_INPUT;
	free(params);
	return status;
}

GsimStatus gsim_run_launch(GsimRun *run, const GsimLaunch *given)
{
	return run_enter(run, __func__) ? run_leave(run, launch(run, given)) : GSIM_MISUSE;
}
