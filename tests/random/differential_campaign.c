/* A campaign: random kernels one after the other, each under every setting, as they are and after passes. */
#include "config.h"
#include "isa/edit.h"
#include "lib/file.h"
#include "lib/strbuf.h"
#include "sim/reconv/seam.h"
#include "tests/random.h"
#include "tests/random/differential.h"
#include "tests/random/random_pipeline.h"
#include "tests/random/random_spin.h"
#include "tests/random/random_windows.h"
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

/* kernels of a setting that fail: it is left out then; made small first; tries of by_chance */
enum { ENOUGH = 20, MINIMIZED = 3, STREWN = 400 };

typedef struct Trial {                 /* one kernel */
	Campaign *c;
	Job job;
	uint64_t seed;
	Outcome want;
	Way good;                      /* agrees, once any_good */
	Config good_config, config;    /* good's; of the run at hand */
	int64_t registers;             /* of a thread at most; 0: the setting's */
	bool far;                      /* memory is far away */
	Config machine;                /* the campaign's, with warps as wide as this kernel's */
	uint64_t instructions;         /* of the threads, under the present pipeline; 0 = not known */
	bool any_good, failed;
} Trial;

static double processor_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- a failure ---- */

static void write_module(const Campaign *c, const Job *j, uint64_t seed, const char *suffix,
	const char *comment)
{
	char path[4096];
	const char *why;
	StrBuf text = { 0 };
	snprintf(path, sizeof path, "%s/random-%" PRIu64 "%s.ir", c->keep, seed, suffix);
	job_print(j, comment, &text);
	if (file_write(path, text.s, text.n, &why))
		printf("  written to %s\n", path);
	else
		fprintf(stderr, "%s: error: %s\n", path, why);
	sb_free(&text);
}

static void fails(Trial *t, Setting *s)
{
	t->failed = true;
	s->failed++;
	s->skip = true;
	if (s->failed == ENOUGH)
		printf("%s has failed on %d kernels and is left out from here on\n", s->name, ENOUGH);
}

/* What shows it again, given the machine and the kinds of kernels that the campaign has. */
static void command(const Trial *t, const Setting *s, const Way *w, char *text, size_t n)
{
	char registers[32] = "config";
	if (t->registers)
		snprintf(registers, sizeof registers, "%lld", (long long)t->registers);
	const char *kind = t->c->spins ? " --spins" : t->c->arms ? " --arms" : "",
		*apart = t->c->apart ? " --apart" : t->c->ends ? " --ends" : "";
	snprintf(text, n, "tools/differential%s%s --count 1 --seed %"
		PRIu64 " --registers %s --%s --passes '%s'%s%s%s", kind, apart, t->seed, registers,
		w->functional ? "functional" : "timed", w->passes ? w->passes : "none", s ? " --model '" : "",
		s ? s->name : "", s ? "'" : "");
}

/* Says what differs, writes the kernel, and a small one that shows the same. s: NULL = the interpreter. */
static void report(Trial *t, const Setting *s, const Way *w, const char *what)
{
	Campaign *c = t->c;
	char name[512], suffix[128], again[512], comment[2900];
	snprintf(name, sizeof name, "%s%s%s, %s", s ? s->name : "the interpreter", w->passes ? " after " : "",
		w->passes ? w->passes : "", w->functional ? "functional" : "timed");
	command(t, s, w, again, sizeof again);
	snprintf(comment, sizeof comment, "// random kernel, seed %" PRIu64 ": %s: %.*s\n// %s\n", t->seed,
		name, (int)strcspn(what, "\n"), what, again);
	printf("seed %" PRIu64 ": %s: %s\n  again: %s\n", t->seed, name, what, again);
	snprintf(suffix, sizeof suffix, "-%.100s", s ? s->name : "interpreter");
	for (char *p = suffix; *p; p++)
		if (strchr("(), =/", *p))
			*p = '_';
	write_module(c, &t->job, t->seed, suffix, comment);
	if (!c->minimize || (s && s->failed > MINIMIZED))
		return;
	Job small = t->job;
	Way as_it_is = *w; /* of kernels that wait: it has to end */
	as_it_is.passes = NULL;
	small.module = minimized(&small, &t->machine, w,
		c->spins && s ? &as_it_is : t->any_good ? &t->good : NULL);
	strcat(suffix, "-small");
	write_module(c, &small, t->seed, suffix, comment);
	module_free((Module *)small.module);
}

/* ---- one kernel ---- */

/* What a mechanism must say that cannot run such kernels. Lanes that are apart cannot wait for each other
   where a stack, of a warp or a block, keeps some from running. And post-dominators that count ends of
   threads as ways (ipdom alone has them) lie behind the barrier in front of which some end in an arm. */
static bool stack_refuses(const Campaign *c, const Setting *s, const char *text)
{
	const ReconvModel *m = reconv_model((int)s->config.model);
	const char *apart = m->sync_waits ? "in an entry of the block's stack until"
		: "part of the lanes of its mask";
	const char *late = "reach a block barrier after one that other lanes of their warp have reached "
		"without them";
	return (c->apart && strstr(text, apart)) || (c->ends && !strcmp(m->name, "ipdom") &&
		strstr(text, late));
}

/* The kernel does not end this way as it is, and need not after passes. */
static bool endless(Trial *t, const Job *j, Setting *s, const Way *w)
{
	if (!w->passes) {
		WayEnd end = way_end(j, &t->machine, w);
		s->endless[w->functional] = end != ENDS;
		t->c->endless += end == STUCK;
		t->c->long_runs += end == STILL_RUNS;
		if (end == STILL_RUNS)
			printf("seed %" PRIu64 ": %s, %s: still runs after limits.max_cycles = %" PRId64
				", without a livelock or deadlock\n", t->seed, s->name,
				w->functional ? "functional" : "timed", t->config.max_cycles);
	}
	return s->endless[w->functional];
}

/* A copy in which some blocks take longer. */
static Module *delayed(const Module *m, uint64_t rng)
{
	Module *t = module_copy(m);
	for (int k = 0; k < t->func.n; k++) {
		Function *f = t->func.v[k];
		Edit e = edit_open(t, f, (uint8_t)module_origin(t, "delayed"));
		int r = edit_reg(&e, "idle", T_U32);
		for (int b = 0; b < f->block.n; b++) {
			uint64_t most = 1u << random_next(&rng) % 6;
			for (uint64_t n = random_next(&rng) % (most + 1); n; n--) {
				Ins i = edit_new(&e, &f->block.v[b]->ins.v[0], OP_MOV, T_U32, 1, 1);
				i.opd[0] = opd_reg(r);
				i.opd[1] = opd_imm(0);
				edit_insert(&e, f->block.v[b], 0, i);
			}
		}
		edit_close(&e);
	}
	return t;
}

static bool ends_delayed(Trial *t, const Way *w, const Module *m)
{
	bool ends = false;
	for (uint64_t n = 1; !ends && n <= STREWN / 8; n++) {
		Job j = t->job;
		Module *copy = delayed(m, t->seed * STREWN + n);
		j.module = copy;
		ends = ENDS == way_end(&j, &t->machine, w);
		module_free(copy);
	}
	return ends;
}

static bool ends_strewn(Trial *t, const Way *w)
{
	bool ends = true;
	for (uint64_t n = 1; ends && n <= STREWN; n++) {
		RandomKernel *k = random_spin_kernel(t->seed, t->seed * STREWN + n);
		Job j = { k, k->module, { k->grid[0], k->grid[1], k->grid[2] } };
		ends = ENDS == way_end(&j, &t->machine, w);
		random_kernel_free(k);
	}
	return ends;
}

/* Whether threads that wait for each other end may depend on who has come first, by chance. So a kernel
   counts as one that ends under a mechanism only if it does, too, however long other instructions take and
   wherever threads part to meet again at once; and m, which passes have made of it, as one that does not only
   if it does not however long instructions take. */
static bool by_chance(Trial *t, const Way *w, const Module *m)
{
	bool chance = !ends_strewn(t, w) || ends_delayed(t, w, m);
	t->c->by_chance += chance;
	return chance;
}

/* Of memory: where it is far away, SMs run side by side for long, and what is put off to the end of a window
   is late. */
static void set_distance(Trial *t)
{
	if (t->far)
		t->config.icnt_latency = t->config.l1_latency = t->config.fetch_miss =
			t->config.sm_block_launch = 300;
}

static void try(Trial *t, const Module *module, Setting *s, Way *w)
{
	char text[1700];
	bool refused;
	Job j = t->job;
	j.module = module;
	double before = processor_seconds();
	t->config = s->config;
	t->config.warp_size = t->machine.warp_size;
	t->config.sm_max_regs = t->registers ? t->registers : s->config.sm_max_regs;
	set_distance(t);
	w->config = &t->config;
	if (t->c->spins && endless(t, &j, s, w))
		return;
	bool agrees = way_agrees(&j, &t->machine, w, &t->want, &refused,
		t->c->spins ? NULL : &t->instructions, text, sizeof text);
	s->seconds += processor_seconds() - before;
	s->runs++;
	t->c->runs++;
	if (refused && t->registers && t->registers < s->config.sm_max_regs &&
		strstr(text, "raise sm.max_registers_per_thread")) {
		t->registers++; /* from the least on that is enough for all settings so far */
		try(t, module, s, w);
		return;
	}
	bool stack = !agrees && stack_refuses(t->c, s, text);
	s->refused += refused || stack;
	/* its blocks do not fit on the machine at once, and it says so */
	if (stack || (refused && strstr(text, "the kernel has a barrier of the whole grid")))
		return;
	if (agrees && !refused) {
		if (!w->passes && !t->any_good) {
			t->good_config = t->config;
			t->good = *w;
			t->good.config = &t->good_config;
			t->any_good = true;
		}
		return;
	}
	if (t->c->spins && !refused && way_end(&j, &t->machine, w) != ENDS && by_chance(t, w, module))
		return;
	fails(t, s);
	report(t, s, w, text);
}

static void try_settings(Trial *t, const Module *module, const char *passes)
{
	Campaign *c = t->c;
	t->instructions = 0;
	for (int k = 0; k < c->setting.n; k++) {
		Setting *s = &c->setting.v[k];
		Way w = { .model = (int)s->config.model, .passes = passes };
		for (int how = 0; how < 2 && !s->skip && s->failed < ENOUGH; how++) {
			w.functional = how == 0;
			if (w.functional ? c->functional : c->timed)
				try(t, module, s, &w);
		}
	}
}

static void try_passes(Trial *t, const char *passes)
{
	char text[1700];
	Way w = { .model = -1, .passes = passes, .functional = true };
	Module *m = transformed_for(&t->machine, t->job.module, w.passes, text, sizeof text);
	Job j = t->job;
	j.module = m;
	if (!m || (w.passes && !way_agrees(&j, &t->machine, &w, &t->want, NULL, NULL, text, sizeof text))) {
		t->failed = true;
		report(t, NULL, &w, text);
	} else {
		try_settings(t, m, w.passes);
	}
	if (m)
		module_free(m);
}

static void try_all(Trial *t)
{
	Campaign *c = t->c;
	for (int p = 0; p < c->passes.n; p++)
		try_passes(t, c->passes.v[p]);
	for (uint64_t p = 0; p < c->pipelines; p++) {
		StrBuf pipeline = { 0 };
		if (c->spins)
			random_defaults(t->seed * 1000003 + p, &pipeline);
		else
			random_pipeline(t->seed * 1000003 + p, t->job.module, &t->machine, &pipeline);
		try_passes(t, pipeline.s);
		sb_free(&pipeline);
	}
}

/* Every setting's mechanism, with options that the seed chooses. */
static void try_windows(Trial *t)
{
	Campaign *c = t->c;
	for (int k = 0; k < c->setting.n; k++) {
		Setting *s = &c->setting.v[k];
		StrBuf said = { 0 };
		char text[1800];
		double before = processor_seconds();
		if (s->failed >= ENOUGH)
			continue;
		t->config = s->config;
		t->config.warp_size = t->machine.warp_size;
		set_distance(t);
		random_machine(&t->config, (int)s->config.model, t->seed, &said);
		Ran how = windows_agree(&t->job, &t->config, (int)s->config.model, text, sizeof text);
		s->seconds += processor_seconds() - before;
		s->runs += WINDOW_RUNS;
		c->runs += WINDOW_RUNS;
		s->refused += how == RAN_REFUSED;
		if (how == RAN_BADLY) {
			printf("seed %" PRIu64 ":%s: %s\n", t->seed, said.s, text);
			fails(t, s);
		}
		sb_free(&said);
	}
}

/* For half of the kernels, on the machine that is nobody's, warps are wider or narrower than PTX's. */
static int64_t warp_for(const Campaign *c, uint64_t seed)
{
	static const int64_t other[] = { 64, 64, 16, 8 };
	uint64_t x = seed * 0x9e3779b97f4a7c15u;
	return c->own_machine || x >> 33 & 1 ? c->config.warp_size : other[x >> 34 & 3];
}

RandomKernel *campaign_kernel(const Campaign *c, uint64_t seed)
{
	RandomParams p = RANDOM_DEFAULTS(seed);
	if (c->spins)
		return random_spin_kernel(seed, 0);
	p.features = c->features;
	p.size = c->size;
	p.arms = c->arms;
	p.apart = c->apart;
	p.ends = c->ends;
	p.warp_size = (int)warp_for(c, seed);
	return random_kernel_new(&p);
}

/* For half of the kernels few, so that values are spilled. */
static int64_t registers_for(const Campaign *c, uint64_t seed)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15u;
	if (c->registers >= 0)
		return c->registers;
	return x >> 63 ? REGISTERS_LEAST + (int64_t)(x >> 40 & 15) : 0;
}

/* One kernel in four, on the machine that is nobody's. */
static bool far_for(const Campaign *c, uint64_t seed)
{
	return !c->own_machine && (seed * 0x9e3779b97f4a7c15u >> 38 & 3) == 0;
}

static bool test(Campaign *c, uint64_t seed)
{
	RandomKernel *k = campaign_kernel(c, seed);
	Trial t = { .c = c, .job = { k, k->module, { k->grid[0], k->grid[1], k->grid[2] } }, .seed = seed,
		.registers = registers_for(c, seed), .far = far_for(c, seed), .machine = c->config };
	Diag d = { 0 };
	t.machine.warp_size = warp_for(c, seed);
	for (int i = 0; i < c->setting.n; i++)
		c->setting.v[i].skip = false;
	if (!ir_verify(k->module, &d)) {
		printf("seed %" PRIu64 ": the kernel is not valid: %s\n", seed, d.item.v[0].text);
		t.failed = true;
	} else {
		outcome_reference(&t.job, (int)t.machine.warp_size, &t.want);
		c->thread_instructions += t.want.thread_instructions;
		if (t.want.how == RAN_WELL) {
			(c->windows ? try_windows : try_all)(&t);
		} else {
			printf("seed %" PRIu64 ": %s\n", seed, t.want.text);
			t.failed = true;
			write_module(c, &t.job, seed, "", "// the reference interpreter fails\n");
		}
		outcome_free(&t.want);
	}
	diag_free(&d);
	random_kernel_free(k);
	return !t.failed;
}

/* ---- all of them ---- */

static void progress(const Campaign *c, uint64_t done)
{
	static time_t last;
	time_t now = time(NULL);
	bool end = done >= c->count;
	if (!isatty(2) || (now == last && !end))
		return;
	last = now;
	fprintf(stderr, "\r%" PRIu64 "/%" PRIu64 ", %" PRIu64 " failed%s", done, c->count, c->failed,
		end ? "\n" : "");
}

static void print_table(const Campaign *c)
{
	int width = 9;
	for (int k = 0; k < c->setting.n; k++)
		if ((int)strlen(c->setting.v[k].name) > width)
			width = (int)strlen(c->setting.v[k].name);
	printf("%-*s %9s %9s %9s %9s\n", width, "mechanism", "runs", "refused", "failed", "runs/s");
	for (int k = 0; k < c->setting.n; k++) {
		const Setting *s = &c->setting.v[k];
		printf("%-*s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9.0f\n", width, s->name, s->runs,
			s->refused, s->failed, s->seconds > 0 ? (double)s->runs / s->seconds : 0);
	}
}

bool campaign_run(Campaign *c)
{
	double start = processor_seconds();
	for (uint64_t k = c->shard; k < c->count && (!c->most_runs || c->runs < c->most_runs);
		k += c->shards) {
		c->kernels++;
		c->failed += !test(c, c->seed + k);
		fflush(stdout);
		progress(c, k + c->shards);
	}
	print_table(c);
	printf("%" PRIu64 " runs, %" PRIu64 " thread instructions in the reference's, %.1f s\n", c->runs,
		c->thread_instructions, processor_seconds() - start);
	if (c->spins)
		printf("%" PRIu64 " times a kernel does not end under a mechanism as it is, %" PRIu64
			" times it is not known, %" PRIu64 " times it does by chance, and not after passes\n",
			c->endless, c->long_runs, c->by_chance);
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", c->kernels - c->failed, c->failed);
	return c->failed == 0;
}
