/* Targets that read modules: IR text, PTX, object files. A module that was accepted keeps the verifier's
 * rules, survives printing, copying and writing, goes through the passes, and every mechanism makes code of
 * it. */
#include "tests/fuzz/fuzz.h"
#include "lib/file.h"
#include "sim/launcher.h"

static const char *survives_text(const Module *m, Diag *d)
{
	StrBuf sb = { 0 };
	ir_print(m, &sb);
	Module *again = ir_read(sb.s ? sb.s : "", sb.n, "printed.ir", d), *copy = module_copy(m);
	const char *bad = !again ? "its text is refused"
		: !module_equal(m, again) ? "its text reads as another module"
		: !module_equal(m, copy) ? "its copy is another module" : NULL;
	if (!again)
		diag_print(d, stderr);
	module_free(again);
	module_free(copy);
	sb_free(&sb);
	return bad;
}

static const char *check_module(Module *m, Diag *d)
{
	if (!m)
		return d->errors ? NULL : "refused without an error";
	if (d->errors)
		return "accepted with errors";
	if (!ir_verify(m, d))
		return "accepted, but the verifier refuses it";
	return survives_text(m, d);
}

const char *fuzz_import(const char *s, size_t n)
{
	StrBuf path = { 0 }, text = { 0 };
	Diag d = { 0 };
	const char *why, *folder = around_folder();
	sb_printf(&path, "%s/m.ir", folder ? folder : "");
	if (!folder || !file_write(path.s, s, n, &why))
		return "no file for the input";
	Module *m = module_read(path.s, &d);
	const char *bad = !m && !d.errors ? "refused without an error"
		: m && d.errors ? "accepted with errors" : NULL;
	if (m)
		ir_print(m, &text);
	for (int k = 0; k < d.item.n; k++)
		sb_puts(&text, d.item.v[k].text);
	if (around_holds_secret(text.s, text.n))
		bad = "it has what it may not read";
	module_free(m);
	sb_free(&text);
	sb_free(&path);
	diag_free(&d);
	return bad;
}

/* ---- what is done with a module ---- */

static const char *transforms(const Module *m, const char *pipeline)
{
	Module *copy = module_copy(m);
	Diag d = { 0 };
	const char *bad = NULL;
	if (pipeline_run(copy, pipeline, NULL, &d))
		bad = check_module(copy, &d);
	else if (!d.errors)
		bad = "a pass fails without an error";
	else if (strstr(d.item.v[d.item.n - 1].text, "which is a bug in it"))
		bad = "a pass leaves a module that the verifier refuses";
	if (bad)
		fprintf(stderr, "%s: %s\n", pipeline, bad);
	diag_free(&d);
	module_free(copy);
	return bad;
}

/* Machine code of every kernel. A mechanism may refuse it, in words. */
static const char *lowers(const Module *m, int model)
{
	Config c;
	Diag d = { 0 };
	GpuOptions options = { .functional = true };
	config_defaults(&c);
	c.model = model;
	c.l2_bytes = 32768;
	Memory *memory = memory_new(16 << 20);
	uint64_t *address = xcalloc((size_t)m->symbol.n + 1, sizeof *address);
	Gpu *g = memory_load_module(memory, m, address) ? gpu_new(&c, m, memory, address, &options, &d)
		: NULL;
	for (int k = 0; g && k < m->func.n; k++) {
		StrBuf text = { 0 };
		if (m->func.v[k]->kind == FN_KERNEL && !m->func.v[k]->declared_only)
			gpu_disassemble(g, m->func.v[k], &text, &d);
		sb_free(&text);
	}
	gpu_free(g);
	free(address);
	memory_free(memory);
	diag_free(&d);
	return NULL;
}

static int count_models(void)
{
	int n = 0;
	while (model_keys(n))
		n++;
	return n;
}

const char *fuzz_ir(const char *s, size_t n)
{
	static const char *const pipelines[] = { "linearize", "dce", "simplify-cfg",
		"dce,linearize(opt=4),simplify-cfg,dce" };
	Diag d = { 0 };
	Module *m = ir_read(s, n, "fuzz", &d);
	const char *bad = check_module(m, &d);
	uint32_t h = fuzz_hash(s, n);
	if (m && !bad)
		bad = transforms(m, pipelines[h % 4]);
	if (m && !bad)
		bad = lowers(m, (int)(h / 4 % (unsigned)count_models()));
	module_free(m);
	diag_free(&d);
	return bad;
}

const char *fuzz_ptx(const char *s, size_t n)
{
	Diag d = { 0 };
	Module *m = ptx_read(s, n, "fuzz", &d);
	const char *bad = check_module(m, &d);
	if (m && !bad)
		bad = lowers(m, (int)(fuzz_hash(s, n) % (unsigned)count_models()));
	module_free(m);
	diag_free(&d);
	return bad;
}

/* ---- object files ---- */

static const char *survives_object(const Module *m, Diag *d)
{
	const char *path = fuzz_file("", 0), *why;
	size_t n;
	if (!path || !elf_write(m, path, d))
		return "it cannot be written";
	char *object = file_read(path, 16 * MOST_BYTES, &n, &why);
	Module *again = object ? elf_read(object, n, "written.gso", d) : NULL;
	const char *bad = !again ? "what was written is refused"
		: !module_equal(m, again) ? "what was written is another module" : NULL;
	module_free(again);
	free(object);
	return bad;
}

const char *fuzz_elf(const char *s, size_t n)
{
	Diag d = { 0 };
	Module *m = elf_read(s, n, "fuzz", &d);
	const char *bad = check_module(m, &d);
	if (m && !bad)
		bad = survives_object(m, &d);
	module_free(m);
	diag_free(&d);
	return bad;
}

bool fuzz_make_object(Bytes *b, const char *path)
{
	Diag d = { 0 };
	const char *object = fuzz_file("", 0), *why;
	Module *m = ir_read(b->p, b->n, path, &d);
	bool ok = m && object && elf_write(m, object, &d);
	free(b->p);
	b->p = ok ? file_read(object, MOST_BYTES, &b->n, &why) : NULL;
	module_free(m);
	diag_free(&d);
	return b->p != NULL;
}
