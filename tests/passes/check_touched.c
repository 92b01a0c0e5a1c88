/* What kernels are said to read and write (passes/analysis/touched.h), against what they do: the workloads of
 * kernels/ are recorded as host functions and run launch by launch in the reference interpreter. What a
 * launch changes must be said to be written; buffers that it is said not to read are filled with something
 * else, and all others must come out the same; what each thread is certain to write must have been
 * written. */
#include "passes/analyses.h"
#include "sim/host/record.h"
#include "sim/host/run.h"
#include "tests/check.h"
#include <stdlib.h>
#include <unistd.h>

static const char *const names[] = { "bfs", "gaussian", "srad", "heat", "particle_filter", "huffman",
	"b_spline", "kmeans", "merge_sort", "scan", "histogram", "spmv",
	"fluid", "hot_spot", "stencil", "tracking", "two_streams", "hybrid_sort", "nearest_neighbours",
	"dct_quantization" };

typedef struct Watch {
	Module *m;
	EffectTable *effects;
	Arena arena;
	Touched **touched;
	const uint64_t *symbol;
	int launches, poisoned, unread;
} Watch;

/* ---- what the launch may do, by allocation ---- */

typedef struct Said { bool reads, writes; } Said;

static void say(Said *said, const Memory *memory, uint64_t address, bool reads, bool writes)
{
	for (uint64_t k = 0; k < memory_count(memory); k++) {
		const Alloc *a = memory_nth(memory, k);
		if (a->live && address - a->addr <= a->size) {
			said[k].reads |= reads;
			said[k].writes |= writes;
		}
	}
}

static void gather(const Watch *w, const Launch *l, const Touched *t, Said *said)
{
	for (int p = 0; p < l->kernel->param.n; p++) {
		uint64_t v = 0;
		memcpy(&v, l->params + l->kernel->param.v[p].offset,
			(size_t)type_bytes(l->kernel->param.v[p].type));
		say(said, l->memory, v, bs_has(t->reads, p), bs_has(t->writes, p));
	}
	for (int s = 0; s < w->m->symbol.n; s++)
		if (w->symbol[s])
			say(said, l->memory, w->symbol[s], bs_has(t->symbol_reads, s),
				bs_has(t->symbol_writes, s));
	for (uint64_t k = 0; k < memory_count(l->memory); k++) {
		said[k].reads |= t->reads_any;
		said[k].writes |= t->writes_any;
	}
}

/* ---- runs of one launch ---- */

static uint8_t **contents(const Memory *memory)
{
	uint64_t n = memory_count(memory);
	uint8_t **v = calloc(n + 1, sizeof *v);
	for (uint64_t k = 0; k < n; k++) {
		const Alloc *a = memory_nth(memory, k);
		v[k] = malloc(a->size + 1);
		if (a->live)
			memcpy(v[k], a->data, a->size);
	}
	return v;
}

static void drop(uint8_t **v, uint64_t n)
{
	for (uint64_t k = 0; k < n; k++)
		free(v[k]);
	free(v);
}

static void fill_others(const Memory *memory, const Said *said, Watch *w)
{
	for (uint64_t k = 0; k < memory_count(memory); k++) {
		const Alloc *a = memory_nth(memory, k);
		if (said[k].reads || !a->live)
			continue;
		w->unread++;
		for (uint64_t i = 0; i < a->size; i++)
			a->data[i] ^= (uint8_t)(0x5a + i);
	}
}

static bool launch(void *self, const Launch *l, int stream, Loc where, Fault *fault)
{
	Watch *w = self;
	InterpOptions o = { .warp_size = 32 };
	(void)stream;
	(void)where;
	if (!w->touched[l->kernel->id])
		w->touched[l->kernel->id] = touched_of(&w->arena, w->effects, w->m->func.v[l->kernel->id]);
	const Touched *t = w->touched[l->kernel->id];
	uint64_t n = memory_count(l->memory);
	Said *said = calloc(n + 1, sizeof *said);
	gather(w, l, t, said);
	uint8_t **before = contents(l->memory);
	fill_others(l->memory, said, w);
	ck_assert_msg(interp_launch(l, &o, fault), "%s", fault->text);
	uint8_t **odd = contents(l->memory);
	for (uint64_t k = 0; k < n; k++)
		if (memory_nth(l->memory, k)->live)
			memcpy(memory_nth(l->memory, k)->data, before[k], memory_nth(l->memory, k)->size);
	ck_assert_msg(interp_launch(l, &o, fault), "%s", fault->text);
	for (uint64_t k = 0; k < n; k++) {
		const Alloc *a = memory_nth(l->memory, k);
		if (!a->live)
			continue;
		ck_assert_msg(said[k].writes || !memcmp(before[k], a->data, a->size), "%s writes %s",
			l->kernel->name, a->name);
		ck_assert_msg(!said[k].reads || !memcmp(odd[k], a->data, a->size),
			"%s reads what it is said not to: %s differs", l->kernel->name, a->name);
		/* written in both runs, or in none */
		for (uint64_t i = 0; i < a->size && !said[k].reads; i++)
			ck_assert_msg(odd[k][i] == a->data[i] ||
				odd[k][i] == (uint8_t)(before[k][i] ^ (uint8_t)(0x5a + i)),
				"%s reads what it is said not to: %s differs", l->kernel->name, a->name);
	}
	w->launches++;
	drop(before, n);
	drop(odd, n);
	free(said);
	return true;
}

/* ---- programs ---- */

static Module *recorded(const char *path, Diag *d)
{
	static Config c;
	StrBuf text = { 0 };
	Module *m = module_read(path, d);
	ck_assert_msg(m != NULL, "%s", path);
	config_defaults(&c);
	Run *r = run_new(&c, m, &(RunOptions){ .gpu = { .functional = true }, .record = true, .trial = true },
		d);
	ck_assert_msg(r && run_module(r) == RUN_OK, "%s: %s", path, r ? r->failure : "");
	ck_assert(record_finish(r->recorder, &text, d));
	Module *host = ir_read(text.s, text.n, path, d);
	ck_assert_ptr_nonnull(host);
	run_free(r);
	module_free(m);
	sb_free(&text);
	return host;
}

START_TEST(kernels)
{
	char path[500];
	Diag d = { 0 };
	const char *top = getenv("srcdir");
	snprintf(path, sizeof path, "%s/kernels/%s/%s.ptx", top ? top : ".", names[_i], names[_i]);
	if (access(path, R_OK))
		snprintf(path, sizeof path, "%s/kernels/%s/%s.ir", top ? top : ".", names[_i], names[_i]);
	Watch w = { .m = recorded(path, &d) };
	Memory *memory = memory_new((uint64_t)1 << 32);
	uint64_t *address = calloc((size_t)w.m->symbol.n + 1, sizeof *address);
	w.symbol = address;
	w.effects = effects_build(&w.arena, w.m);
	w.touched = arena_array(&w.arena, Touched *, w.m->func.n + 1);
	ck_assert(memory_load_module(memory, w.m, address));
	Fault fault = { 0 };
	bool ok = host_run(w.m, module_find_function(w.m, "main"), memory, address,
		&(HostHooks){ .self = &w, .launch = launch }, &fault);
	ck_assert_msg(ok && w.launches > 0 && w.unread > 0, "%s: %d launches, %d buffers not read: %s", path,
		w.launches, w.unread, fault.text);
	memory_free(memory);
	free(address);
	arena_free(&w.arena);
	module_free(w.m);
	diag_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("touched");
	TCase *t = tcase_create("kernels");
	tcase_add_loop_test(t, kernels, 0, (int)(sizeof names / sizeof *names));
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
