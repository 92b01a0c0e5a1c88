/* The trace file: what is written is read back; damage is found and never crashes. */
#include "tests/random.h"
#include "tests/temporary.h"
#include "traces/export.h"
#include "traces/reader.h"
#include "traces/state.h"
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const TraceIns program[] = {
	{ "k", "B1", "mov.u32 %a, 1", "k.cu", 3, .block_start = true },
	{ "k", "B1", "bra %p, B2, B3", "k.cu", 4, .branch = true },
	{ "k", "B2", "add.u32 %a, %a, 1", "k.cu", 1, .block_start = true, .inserted = true },
	{ "k", "B3", "sync", NULL, 0, .block_start = true, .overhead = true },
	{ "k", "B3", "exit", "k.cu", 7 },
};
static const char *const reasons[] = { "data", "memory" };
static const TraceLaunch launch = { "k", "kepler", "ipdom", "0123456789abcdef",
	"l1.bytes=0 divergence.depth=8", "dce,linearize",
	{ 4, 1, 1 }, { 64, 1, 1 }, 32, 2, 5, program, .timed = true, .schedulers = 4, .nreasons = 2,
	.reason = reasons,
	.run = 1, .stream = 3, .started = 0x123456789abcdef };

/* Every field takes ordinary and extreme values. */
static TraceEvent any_event(uint64_t *state, uint64_t *cycle)
{
	uint64_t r = random_next(state);
	*cycle += r & 7 ? r & 3 : random_next(state) >> (r >> 8 & 63);
	TraceEvent e = { .cycle = *cycle, .kind = (uint8_t)(r % TR_COUNT), .sm = r >> 12 & 1,
		.warp = (uint16_t)(r >> 13 & 7) };
	e.mask = r & 0x10000 ? 0xffffffff : random_next(state) >> (r >> 17 & 63);
	e.a = r & 0x800000 ? r >> 24 & 15 : random_next(state) >> (r >> 24 & 63);
	e.b = r & 0x40000000 ? 0 : random_next(state) >> (r >> 31 & 63);
	if (!(r >> 40 & 15)) {
		e.split = (uint16_t)(r >> 44);
		e.depth = (uint16_t)(r >> 46);
		e.warp = (uint16_t)(r >> 20);
	}
	if (has_row(e.kind)) {
		e.a &= 0xffffffff;
		e.row = trace_row((TraceRowKind)((r >> 50) % ROW_COUNT), (uint32_t)e.a, e.mask);
		e.row.split = e.split;
		if (e.kind != TR_LEAVE) {
			e.row.rpc = r >> 48 & 1 ? (uint32_t)random_next(state) : ROW_NO_PC;
			e.row.n = r >> 49 & 1 ? (uint32_t)random_next(state) : 0;
			e.row.m = (uint32_t)(random_next(state) >> (r & 63));
			e.row.other = random_next(state) >> (r >> 6 & 63);
			e.row.flags = (uint16_t)(r >> 42);
		}
	}
	return e;
}

static char path[] = "/tmp/gsim-check-trace-XXXXXX";

static void setup(void)
{
	temporary_file(path);
}
static void teardown(void) { unlink(path); }

static void write_launches(int launches, int events)
{
	Diag d = { 0 };
	TraceWriter *w = trace_create(path, &d);
	ck_assert_ptr_nonnull(w);
	uint64_t state = 1;
	for (int l = 0; l < launches; l++) {
		uint64_t cycle = 0;
		trace_launch(w, &launch);
		for (int i = 0; i < events; i++) {
			TraceEvent e = any_event(&state, &cycle);
			trace_event(w, &e);
		}
	}
	ck_assert(trace_close(w, &d));
	ck_assert_int_eq(d.errors, 0);
}

static void same_string(const char *a, const char *b) { ck_assert_str_eq(a, b ? b : ""); }

static void same_launch(const TraceLaunch *l)
{
	same_string(l->kernel, launch.kernel);
	same_string(l->machine, launch.machine);
	same_string(l->model, launch.model);
	same_string(l->configuration, launch.configuration);
	same_string(l->changed, launch.changed);
	same_string(l->passes, launch.passes);
	ck_assert_mem_eq(l->grid, launch.grid, sizeof l->grid);
	ck_assert_mem_eq(l->block, launch.block, sizeof l->block);
	ck_assert_int_eq(l->warp_size, launch.warp_size);
	ck_assert_int_eq(l->sms, launch.sms);
	ck_assert_int_eq(l->nins, launch.nins);
	ck_assert(l->timed == launch.timed);
	ck_assert_int_eq(l->schedulers, launch.schedulers);
	ck_assert_int_eq(l->nreasons, launch.nreasons);
	ck_assert_int_eq(l->run, launch.run);
	ck_assert_int_eq(l->stream, launch.stream);
	ck_assert_uint_eq(l->started, launch.started);
	for (int i = 0; i < l->nreasons; i++)
		same_string(l->reason[i], launch.reason[i]);
	for (int i = 0; i < l->nins; i++) {
		const TraceIns *a = &l->ins[i], *b = &launch.ins[i];
		same_string(a->function, b->function);
		same_string(a->block, b->block);
		same_string(a->text, b->text);
		same_string(a->file, b->file);
		ck_assert_int_eq(a->line, b->line);
		ck_assert(a->block_start == b->block_start && a->branch == b->branch);
		ck_assert(a->overhead == b->overhead && a->inserted == b->inserted);
	}
}

static void same_event(const TraceEvent *a, const TraceEvent *b)
{
	ck_assert_uint_eq(a->cycle, b->cycle);
	ck_assert_uint_eq(a->mask, b->mask);
	ck_assert_uint_eq(a->a, b->a);
	ck_assert_uint_eq(a->b, b->b);
	ck_assert_uint_eq(a->sm, b->sm);
	ck_assert_uint_eq(a->warp, b->warp);
	ck_assert_uint_eq(a->split, b->split);
	ck_assert_uint_eq(a->depth, b->depth);
	ck_assert_uint_eq(a->kind, b->kind);
	ck_assert(!has_row(a->kind) || trace_row_equal(&a->row, &b->row));
}

static void round_trip(int launches, int events)
{
	write_launches(launches, events);
	Diag d = { 0 };
	TraceReader *r = trace_open(path, &d);
	ck_assert_ptr_nonnull(r);
	uint64_t state = 1;
	TraceEvent e, want;
	const TraceLaunch *l = NULL;
	for (int n = 0; n < launches; n++) {
		uint64_t cycle = 0;
		ck_assert_int_eq(trace_next(r, &e, &l), 2);
		same_launch(l);
		for (int i = 0; i < events; i++) {
			ck_assert_int_eq(trace_next(r, &e, &l), 1);
			want = any_event(&state, &cycle);
			same_event(&e, &want);
		}
	}
	ck_assert_int_eq(trace_next(r, &e, &l), 0);
	ck_assert_int_eq(trace_next(r, &e, &l), 0);
	ck_assert_int_eq(d.errors, 0);
	trace_reader_free(r);
}

START_TEST(empty_trace) { round_trip(0, 0); } END_TEST
START_TEST(launches_without_events) { round_trip(3, 0); } END_TEST
START_TEST(many_chunks) { round_trip(2, 100000); } END_TEST

/* Reads a trace to its end; -1 when that gave an error, with exactly one message. */
static int read_bytes(void *p, size_t n)
{
	Diag d = { 0 };
	FILE *f = n ? fmemopen(p, n, "rb") : fopen("/dev/null", "rb");
	ck_assert_ptr_nonnull(f);
	TraceReader *r = trace_open_stream(f, "trace", &d);
	TraceEvent e;
	const TraceLaunch *l = NULL;
	int k = -1;
	while (r && (k = trace_next(r, &e, &l)) > 0)
		if (k == 2)
			for (int i = 0; i < l->nins; i++)
				ck_assert_uint_lt(strlen(l->ins[i].text), 1000000);
	trace_reader_free(r);
	ck_assert_int_eq(d.errors, k < 0);
	diag_free(&d);
	return k;
}

static void put_file(const void *p, size_t n)
{
	const char *why;
	ck_assert(file_write(path, p, n, &why));
}

START_TEST(every_truncation_is_found)
{
	write_launches(2, 40);
	size_t n;
	const char *why;
	char *whole = file_read(path, 1 << 20, &n, &why);
	for (size_t k = 0; k < n; k++) {
		ck_assert_msg(read_bytes(whole, k) < 0, "the first %zu of %zu bytes were taken for a trace",
			k, n);
	}
	ck_assert_int_eq(read_bytes(whole, n), 0);
	whole[n] = 'x'; /* file_read leaves room for one byte */
	ck_assert_int_lt(read_bytes(whole, n + 1), 0);
	free(whole);
}
END_TEST

START_TEST(every_flipped_bit_is_found)
{
	write_launches(2, 40);
	size_t n;
	const char *why;
	char *whole = file_read(path, 1 << 20, &n, &why);
	for (size_t k = 0; k < n * 8; k++) {
		whole[k / 8] ^= (char)(1 << k % 8);
		ck_assert_msg(read_bytes(whole, n) < 0, "bit %zu of byte %zu can change", k % 8, k / 8);
		whole[k / 8] ^= (char)(1 << k % 8);
	}
	free(whole);
}
END_TEST

START_TEST(lengths_are_bounded)
{
	uint8_t bomb[HEADER_BYTES + CHUNK_BYTES + 100] = { 0 };
	memcpy(bomb, TRACE_MAGIC, 8);
	put_u32(bomb + 8, TRACE_VERSION);
	static const struct { int kind; uint32_t raw, stored; } cases[] = {
		{ CHUNK_LAUNCH, 0xffffffff, 100 }, { CHUNK_LAUNCH, 100, 0xffffffff },
		{ CHUNK_LAUNCH, 64 << 20, 100 },
		{ CHUNK_LAUNCH, 0, 0 }, { CHUNK_EVENTS, 1000, 100 }, { CHUNK_END, 20, 21 }, { 'x', 1, 1 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bomb[HEADER_BYTES] = (uint8_t)cases[i].kind;
		put_u32(bomb + HEADER_BYTES + 1, cases[i].raw);
		put_u32(bomb + HEADER_BYTES + 5, cases[i].stored);
		ck_assert_msg(read_bytes(bomb, sizeof bomb) < 0, "case %zu", i);
	}
}
END_TEST

START_TEST(other_versions_are_refused)
{
	uint8_t head[HEADER_BYTES] = { 0 };
	memcpy(head, TRACE_MAGIC, 8);
	put_u32(head + 8, TRACE_VERSION + 1);
	put_file(head, sizeof head);
	Diag d = { 0 };
	ck_assert_ptr_null(trace_open(path, &d));
	ck_assert_int_eq(d.errors, 1);
	ck_assert_ptr_nonnull(strstr(d.item.v[0].text, "version 5"));
	diag_free(&d);
}
END_TEST

START_TEST(write_errors_are_reported)
{
	Diag d = { 0 };
	ck_assert_ptr_null(trace_create("/nonexistent/directory/t.trace", &d));
	ck_assert_int_eq(d.errors, 1);
	TraceWriter *w = trace_create("/dev/full", &d);
	if (w) { /* not on every system */
		trace_launch(w, &launch);
		ck_assert(!trace_close(w, &d));
		ck_assert_int_eq(d.errors, 2);
	}
	diag_free(&d);
}
END_TEST

/* ---- exporters ---- */

#define SMALL(KERNEL) { KERNEL, "fermi", "ipdom", "fedcba9876543210", "l1.bytes=0", "dce", { 1, 1, 1 }, \
	{ 8, 1, 1 }, 4, 1, 5, program }
static const TraceLaunch two_kernels[2] = { SMALL("k"), SMALL("second,\"k\"") };
static const TraceEvent story[] = {
	{ 0, 0xf, 0, 4, .kind = TR_BLOCK_START },
	{ 0, 0xf, 0, 0, .depth = 1, .kind = TR_ISSUE },
	{ 1, 0xf, 1, 0, .depth = 1, .kind = TR_ISSUE },
	{ 1, 0x5, 2, 2, .depth = 2, .kind = TR_PUSH },
	{ 3, 0x5, 2, 0, .depth = 2, .kind = TR_ISSUE },
	{ 3, 0xa, 3, 0, .warp = 1, .depth = 1, .kind = TR_ISSUE },
	{ 4, 0x5, 0x100000000100, 2, .depth = 2, .kind = TR_MEMORY },
	{ 5, 0x5, 4, 0, .depth = 2, .kind = TR_SPILL },
	{ 6, 0xa, 3, 1, .depth = 1, .kind = TR_POP },
	{ 7, 0xf, 99, 0, .depth = 1, .kind = TR_ISSUE }, /* no such instruction */
	{ 8, 0xf, 4, 0, .depth = 1, .kind = TR_EXIT },
	{ 9, 0xf, 0, 0, .kind = TR_BLOCK_END },
};

static char *exported(const TraceExporter *x, TraceFilter f, const TraceLaunch two[2])
{
	Diag d = { 0 };
	TraceWriter *w = trace_create(path, &d);
	for (int l = 0; l < 2; l++) {
		trace_launch(w, &two[l]);
		for (size_t i = 0; i < sizeof story / sizeof *story; i++)
			trace_event(w, &story[i]);
	}
	ck_assert(trace_close(w, &d));
	TraceReader *r = trace_open(path, &d);
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	ck_assert(trace_export(r, x, &f, out, &d));
	fclose(out);
	trace_reader_free(r);
	ck_assert_int_eq(d.errors, 0);
	return text;
}

START_TEST(text_is_readable)
{
	TraceFilter f = TRACE_EVERYTHING;
	f.kernel = "k";
	char *text = exported(&trace_text, f, two_kernels);
	ck_assert_str_eq(text,
		"launch 0: kernel k, grid (1, 1, 1), block (8, 1, 1), machine fermi, model ipdom, 1 SMs, "
		"warps of 4\n"
		"  run 0, stream 0\n"
		"  configuration fedcba9876543210, changed: l1.bytes=0\n"
		"  passes dce\n"
		"   cycle  sm warp split depth event           lanes   \n"
		"       0   0    0     0     0 block_start              thread block 0, 4 threads\n"
		"       0   0    0     0     1 issue           1111        0 B1: mov.u32 %a, 1  // k.cu:3\n"
		"       1   0    0     0     1 issue           1111        1 B1: bra %p, B2, B3  // k.cu:4\n"
		"       1   0    0     0     2 push            1.1.        2 B2\n"
		"       3   0    0     0     2 issue           1.1.        2 B2: add.u32 %a, %a, 1  // "
		"k.cu:1  (inserted by a pass)\n"
		"       3   0    1     0     1 issue           .1.1        3 B3: sync  (added by lowering)\n"
		"       4   0    0     0     2 memory          1.1.     0x100000000100, 2 sectors\n"
		"       5   0    0     0     2 spill           1.1.        4 entries\n"
		"       6   0    0     0     1 pop             .1.1        3 B3\n"
		"       7   0    0     0     1 issue           1111       99\n"
		"       8   0    0     0     1 exit            1111        4 B3, 0 lanes left\n"
		"       9   0    0     0     0 block_end                thread block 0\n");
	free(text);
}
END_TEST

START_TEST(csv_is_quoted)
{
	TraceFilter f = TRACE_EVERYTHING;
	f.from = 1;
	f.to = 3;
	f.warp = 0;
	f.kinds = 1u << TR_ISSUE;
	f.kernel = "second,\"k\"";
	char *text = exported(&trace_csv, f, two_kernels);
	ck_assert_str_eq(text,
		"launch,kernel,cycle,sm,warp,split,depth,event,mask,a,b,run,stream,clock,function,block,file,"
		"line,text,added\n"
		"1,\"second,\"\"k\"\"\",1,0,0,0,1,issue,0xf,1,0,0,0,,k,B1,k.cu,4,\"bra %p, B2, B3\",\n"
		"1,\"second,\"\"k\"\"\",3,0,0,0,2,issue,0x5,2,0,0,0,,k,B2,k.cu,1,\"add.u32 %a, %a, "
		"1\",pass\n");
	free(text);
}
END_TEST

START_TEST(summary_counts)
{
	TraceFilter f = TRACE_EVERYTHING;
	f.kernel = "k";
	char *text = exported(&trace_summary, f, two_kernels);
	static const struct { const char *name; int value; } rows[] = {
		{ "events", 12 }, { "last_cycle", 9 }, { "warp_instructions", 4 }, { "lanes", 14 },
		{ "inserted", 1 },
		{ "overhead", 1 }, { "noop_fetches", 0 }, { "pushes", 1 }, { "pops", 1 }, { "max_depth", 2 },
		{ "depth_sum", 6 },
		{ "spills", 1 }, { "fills", 0 }, { "merges", 0 }, { "thread_blocks", 1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char line[64];
		snprintf(line, sizeof line, "  %-20s %12d\n", rows[i].name, rows[i].value);
		ck_assert_msg(strstr(text, line) != NULL, "expected '%s' in\n%s", line, text);
	}
	ck_assert_ptr_nonnull(strstr(text, "  block k B1: fetches 1, lanes 4\n"));
	ck_assert_ptr_nonnull(strstr(text, "  block k B2: fetches 1, lanes 2\n"));
	ck_assert_ptr_nonnull(strstr(text, "  block k B3: fetches 1, lanes 2\n"));
	free(text);
}
END_TEST

static int count(const char *text, const char *what)
{
	int n = 0;
	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

START_TEST(perfetto_has_tracks_slices_and_counters)
{
	char *text = exported(&trace_perfetto, TRACE_EVERYTHING, two_kernels);
	ck_assert_int_eq(count(text, "\"thread_name\""), 2);
	ck_assert_int_eq(count(text, "\"ph\":\"X\""), 2 * 3);
	ck_assert_int_eq(count(text, "\"ph\":\"i\""), 2 * (1 + 7));
	/* B1 lasts from cycle 0 to the issue of B2 in cycle 3; the second launch begins after the first's
	   last cycle */
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"B1\",\"cat\":\"block\",\"pid\":1,\"tid\":0,\"ts\":0,"
		"\"dur\":3,"));
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"B1\",\"cat\":\"block\",\"pid\":1,\"tid\":0,\"ts\":10,"
		"\"dur\":3,"));
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"depth of warp "
		"0\",\"pid\":1,\"ts\":1,\"args\":{\"entries\":2}"));
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"second,\\\"k\\\"\",\"cat\":\"launch\",\"ts\":10,"));
	free(text);
}
END_TEST

/* Launches of two streams stand where they were on the clock of their run; another run comes behind all of
   the one before. */
START_TEST(launches_stand_where_they_started)
{
	TraceLaunch two[2] = { two_kernels[0], two_kernels[0] };
	two[0].timed = two[1].timed = true;
	two[0].started = 1000;
	two[1].started = 1004;
	two[1].stream = 2;
	char *text = exported(&trace_perfetto, TRACE_EVERYTHING, two);
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"B1\",\"cat\":\"block\",\"pid\":1,\"tid\":0,"
		"\"ts\":1000,\"dur\":3,"));
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"B1\",\"cat\":\"block\",\"pid\":1,\"tid\":0,"
		"\"ts\":1004,\"dur\":3,"));
	ck_assert_ptr_nonnull(strstr(text, "\"passes\":\"dce\",\"run\":0,\"stream\":2,\"started\":1004}"));
	free(text);
	text = exported(&trace_csv, TRACE_EVERYTHING, two);
	ck_assert_ptr_nonnull(strstr(text, "\n0,k,9,0,0,0,0,block_end,0xf,0,0,0,0,1009,,,,,,\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n1,k,0,0,0,0,0,block_start,0xf,0,4,0,2,1004,,,,,,\n"));
	free(text);
	text = exported(&trace_summary, TRACE_EVERYTHING, two);
	ck_assert_ptr_nonnull(strstr(text, "  run 0, stream 2, started in cycle 1004 of the run\n"));
	free(text);
	two[1].run = 1;
	two[1].started = 2;
	text = exported(&trace_perfetto, TRACE_EVERYTHING, two);
	ck_assert_ptr_nonnull(strstr(text, "\"name\":\"B1\",\"cat\":\"block\",\"pid\":1,\"tid\":0,"
		"\"ts\":1012,\"dur\":3,"));
	free(text);
}
END_TEST

/* ---- windows of cycles by the index ---- */

/* Three launches of 3000 events in order, in chunks of a few dozen, with many states among them. */
static void write_windows(void)
{
	Diag d = { 0 };
	TraceWriter *w = trace_create(path, &d);
	uint64_t state = 9;
	ck_assert_ptr_nonnull(w);
	trace_states(w, 4 * EVENT_BYTES, 1000);
	for (int l = 0; l < 3; l++) {
		TraceLaunch t = launch;
		t.kernel = l == 1 ? "other" : "k";
		t.timed = l < 2;
		trace_launch(w, &t);
		for (int k = 0; k < 3000; k++) {
			uint64_t r = random_next(&state);
			TraceEvent e = { .cycle = (uint64_t)k, .kind = r % 7 ? TR_ISSUE : TR_RECONVERGE,
				.mask = 1 + (r >> 8 & 0xff), .a = r >> 16 & 3,
				.warp = (uint16_t)(r >> 20 & 7), .sm = (uint16_t)(k & 1) };
			if (k < 16) /* a warp for each slot, or the state is empty and not in the trace */
				e = (TraceEvent){ .cycle = e.cycle, .kind = TR_WARP_START, .mask = 0xff,
					.warp = (uint16_t)(k / 2), .sm = e.sm };
			if (!t.timed) /* each SM has a clock of its own */
				e.cycle = (uint64_t)k / 2 + (k & 1 ? 500 : 0);
			trace_event(w, &e);
		}
	}
	ck_assert(trace_close(w, &d));
}

/* The export, NULL where it failed. whole: as of a trace without an index. */
static char *window(const char *bytes, size_t n, const TraceExporter *x, const TraceFilter *f, bool whole)
{
	Diag d = { 0 };
	char *text;
	size_t size;
	FILE *in = fmemopen((void *)bytes, n, "rb"), *out = open_memstream(&text, &size);
	TraceReader *r = trace_open_stream(in, "trace", &d);
	ck_assert_ptr_nonnull(r);
	r->looked = whole;
	bool ok = trace_export(r, x, f, out, &d);
	fclose(out);
	trace_reader_free(r);
	ck_assert_int_eq(d.errors, !ok);
	diag_free(&d);
	if (ok)
		return text;
	free(text);
	return NULL;
}

START_TEST(windows_are_those_of_the_whole)
{
	static const TraceExporter *const all[] = { &trace_text, &trace_csv, &trace_perfetto,
		&trace_summary };
	size_t n;
	const char *why;
	write_windows();
	char *bytes = file_read(path, 1 << 24, &n, &why);
	uint64_t state = 4;
	for (int k = 0; k < 120; k++) {
		uint64_t r = random_next(&state);
		TraceFilter f = TRACE_EVERYTHING;
		f.from = r & 1 ? 0 : (r >> 8) % 3200;
		f.to = r & 2 ? UINT64_MAX : f.from + (r >> 24) % (r & 4 ? 10 : 2000);
		f.launch = r & 0x18 ? -1 : (int64_t)((r >> 40) % 3);
		f.kernel = f.launch < 0 && r & 0x20 ? "k" : NULL;
		char *want = window(bytes, n, all[k % 4], &f, true),
			*got = window(bytes, n, all[k % 4], &f, false);
		ck_assert_str_eq(got, want);
		free(want);
		free(got);
	}
	free(bytes);
}
END_TEST

/* Each chunk is damaged in turn: a reader of the whole always sees it, one of a window only where its events
   are, and little before them. */
START_TEST(windows_read_little_of_the_trace)
{
	size_t n;
	const char *why;
	int chunks = 0, seen = 0, launches = 0;
	write_windows();
	char *bytes = file_read(path, 1 << 24, &n, &why);
	TraceFilter f = TRACE_EVERYTHING;
	f.from = 1500;
	f.to = 1520;
	f.launch = 1;
	char *want = window(bytes, n, &trace_csv, &f, true);
	for (size_t at = HEADER_BYTES; bytes[at] != CHUNK_END;
		at += CHUNK_BYTES + get_u32((uint8_t *)bytes + at + 5)) {
		if (bytes[at] == CHUNK_INDEX)
			continue;
		bytes[at + CHUNK_BYTES + 2] ^= 0x55;
		char *whole = window(bytes, n, &trace_csv, &f, true),
			*got = window(bytes, n, &trace_csv, &f, false);
		bytes[at + CHUNK_BYTES + 2] ^= 0x55;
		ck_assert_ptr_null(whole);
		ck_assert(!got || !strcmp(got, want));
		chunks++;
		launches += bytes[at] == CHUNK_LAUNCH && !got;
		seen += bytes[at] == CHUNK_EVENTS && !got;
		ck_assert(bytes[at] != CHUNK_STATE || got);
		free(got);
	}
	ck_assert_int_gt(chunks, 150);
	ck_assert_int_eq(launches, 1);
	ck_assert_int_ge(seen, 1);
	ck_assert_int_lt(seen, chunks / 20);
	free(want);
	free(bytes);
}
END_TEST

START_TEST(kinds_have_names)
{
	for (int k = 0; k < TR_COUNT; k++)
		ck_assert_int_eq(trace_kind(trace_kind_name[k], strlen(trace_kind_name[k])), k);
	ck_assert_int_eq(trace_kind("issues", 6), -1);
	ck_assert_int_eq(trace_kind("issue,push", 5), TR_ISSUE);
	ck_assert_int_eq(trace_kind("", 0), -1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("trace");
	TCase *t = tcase_create("file");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, empty_trace);
	tcase_add_test(t, launches_without_events);
	tcase_add_test(t, many_chunks);
	tcase_add_test(t, every_truncation_is_found);
	tcase_add_test(t, every_flipped_bit_is_found);
	tcase_add_test(t, lengths_are_bounded);
	tcase_add_test(t, other_versions_are_refused);
	tcase_add_test(t, write_errors_are_reported);
	suite_add_tcase(s, t);
	t = tcase_create("export");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, text_is_readable);
	tcase_add_test(t, csv_is_quoted);
	tcase_add_test(t, summary_counts);
	tcase_add_test(t, perfetto_has_tracks_slices_and_counters);
	tcase_add_test(t, launches_stand_where_they_started);
	tcase_add_test(t, kinds_have_names);
	tcase_add_test(t, windows_are_those_of_the_whole);
	tcase_add_test(t, windows_read_little_of_the_trace);
	suite_add_tcase(s, t);
	SRunner *run = srunner_create(s);
	srunner_run_all(run, CK_NORMAL);
	int failed = srunner_ntests_failed(run);
	srunner_free(run);
	return failed != 0;
}
