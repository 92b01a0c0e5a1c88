/* The report for people: one screen of at most 40 lines and 100 columns. */
#include "lib/names.h"
#include "sim/report/filled.h"
#include "sim/report/kernels.h"
#include "sim/report/races.h"
#include "sim/report/text.h"
#include "passes/pass.h"
#include <limits.h>
#include <stddef.h>

enum { MOST_CAUSES = 7, BLOCK_LINES = 3, BLOCK_NAME = 52, LAUNCH_NAME = 30, HOST_NAME = 43,
	CONFIGURATION_LINES = 2, MOST_HOST_BLOCKS = 5, BAR = 40, SHORTEST_PATH = 20 };

/* Prints a number, with commas between groups of three digits. */
static const char *group_digits(char text[32], uint64_t v)
{
	char digits[32];
	int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)v), k = 0;
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			text[k++] = ',';
		text[k++] = digits[i];
	}
	text[k] = 0;
	return text;
}

static void put_named_number(StrBuf *out, const char *name, uint64_t v)
{
	char text[32];
	sb_printf(out, "%s %s", name, group_digits(text, v));
}

double text_share(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

/* Ends a line: cuts the text that was appended since `start` to TEXT_WIDTH. */
static void end_line(StrBuf *out, size_t start)
{
	if (out->n > start + TEXT_WIDTH) {
		out->n = start + TEXT_WIDTH - 3;
		out->s[out->n] = 0;
		sb_puts(out, "...");
	}
	while (out->n > start && out->s[out->n - 1] == ' ')
		out->s[--out->n] = 0;
	sb_putc(out, '\n');
}

/* Puts items one after another, over at most `most` lines. hidden: how many items have found no place. */
typedef struct Wrap { StrBuf *out; size_t start; int most, lines, hidden; } Wrap;

static void wrap_item(Wrap *w, const char *item)
{
	size_t limit = TEXT_WIDTH - (w->lines == w->most - 1 ? 30 : 0);
	if (!w->hidden && w->out->n - w->start + strlen(item) > limit && ++w->lines < w->most) {
		w->start = w->out->n + 1;
		sb_puts(w->out, "\n      ");
	}
	w->hidden += w->hidden || w->lines == w->most;
	if (!w->hidden)
		sb_puts(w->out, item);
}

static void wrap_end(Wrap *w)
{
	if (w->hidden)
		sb_printf(w->out, "   %d more " REPORT_ALL, w->hidden);
	sb_putc(w->out, '\n');
}

/* ---- sections ---- */

/* Puts the dimensions of a grid or block, without those at the end that are 1. */
static void put_size_words(StrBuf *out, const char *what, const uint32_t d[3])
{
	int n = d[2] != 1 ? 3 : d[1] != 1 ? 2 : 1;
	sb_printf(out, "   %s %u", what, d[0]);
	for (int k = 1; k < n; k++)
		sb_printf(out, " x %u", d[k]);
}

/* Puts the module, machine, mechanism and passes. If the module's path does not fit, its end is kept, which
   tells more than its beginning. */
static void put_module(const Run *run, const Title *t, const LaunchStats *s, StrBuf *out)
{
	size_t length = strlen(t->module);
	StrBuf rest = { 0 };
	sb_printf(&rest, "   machine %s%s   mechanism %s   passes %s", t->config ? t->config : "(defaults)",
		t->config_by ? " (of the user's configuration)" : "", title_model(t),
		t->passes && *t->passes ? t->passes : "none");
	if (t->log && t->log->limit)
		sb_printf(&rest, ", %d change%s", t->log->limit->change.n,
			t->log->limit->change.n == 1 ? "" : "s");
	sb_puts(&rest, run->options.reference ? "   reference interpreter" : s->timed ? ""
		: "   functional");
	bool fits = rest.n + SHORTEST_PATH < TEXT_WIDTH; /* else the rest stands whole on the next line */
	size_t room = fits ? TEXT_WIDTH - rest.n : TEXT_WIDTH;
	bool longer = length > room;
	sb_printf(out, "%s%s%s%s\n", longer ? "..." : "", t->module + (longer ? length - room + 3 : 0),
		fits ? "" : "\n", rest.s);
	sb_free(&rest);
}

/* Puts the changes of the machine file, except for the mechanism, which stands above. */
static void put_config_changes(const Title *t, bool all, StrBuf *out)
{
	ConfigKey key;
	char hash[CONFIG_HASH], name[CONFIG_NAME];
	Wrap w = { out, out->n, .most = all ? INT_MAX : CONFIGURATION_LINES };
	StrBuf item = { 0 };
	sb_printf(out, "configuration %s", config_hash_text(t->effective, hash));
	for (int i = 0; config_change(t->file, t->effective, &i, &key);) {
		if (key.offset == offsetof(Config, model))
			continue;
		item.n = 0;
		sb_printf(&item, "   %s=", config_key_name(&key, name));
		config_print_value(&key, config_get(t->effective, &key), &item);
		wrap_item(&w, item.s);
	}
	sb_free(&item);
	wrap_end(&w);
}

/* Puts the size that was asked for and what it made of the workload's arguments. */
static void put_size(const Run *run, StrBuf *out)
{
	const RunOptions *o = &run->options;
	size_t start = out->n;
	char text[32];
	if (!o->size)
		return;
	sb_printf(out, "size %s   arguments", run_size_name[o->size]);
	for (int i = 0; i < o->nargs; i++)
		sb_printf(out, " %s", o->args[i]);
	if (!o->nargs)
		sb_puts(out, " the workload's own");
	if (run->sized.threads && !run->sized.overridden)
		sb_printf(out, "   for %s threads", group_digits(text, run->sized.threads));
	end_line(out, start);
	if (run->sized.overridden) {
		start = out->n;
		sb_printf(out, "of these %d from the command line, in place of the size's: threads need not "
			"be the %s of size %s", run->sized.overridden, group_digits(text, run->sized.threads),
			run_size_name[o->size]);
		end_line(out, start);
	}
	if (!run->sized.reason || o->size == SIZE_S)
		return;
	start = out->n;
	sb_printf(out, "does not fill every machine: %s", run->sized.reason);
	end_line(out, start);
}

/* Puts what the passes took for granted: the results are right only if that is true. */
static void put_assumptions(const PassLog *l, StrBuf *out)
{
	size_t start = out->n;
	for (int k = 0; l && k < l->count.n; k++)
		if (l->count.v[k].assumed)
			sb_printf(out, "%s%s by %s in %s (%lld times)", out->n == start ? "assumed: " : ", ",
				l->count.v[k].what, l->count.v[k].pass,
				l->count.v[k].function[0] ? l->count.v[k].function : "the module",
				(long long)l->count.v[k].n);
	if (out->n > start)
		end_line(out, start);
}

/* Puts which passes changed nothing, and why. */
static void put_idle_passes(const PassLog *l, StrBuf *out)
{
	size_t start = out->n;
	for (int k = 0; l && k < l->idle.n; k++)
		sb_printf(out, "%s%s changed nothing: %s", k ? "; " : "", l->idle.v[k].pass,
			l->idle.v[k].why);
	if (out->n > start)
		end_line(out, start);
}

static void put_profile(const Title *t, StrBuf *out)
{
	if (t->profiled)
		sb_puts(out, "passes decided by a functional run of this workload, made first (--no-profile "
			"leaves it out)\n");
}

static void put_plugin_names(const Title *t, StrBuf *out)
{
	size_t start = out->n;
	for (int k = 0; k < t->nplugins; k++)
		sb_printf(out, "%s%s (%s)", k ? ", " : "plug-ins: ", t->plugin[k].name, t->plugin[k].file);
	if (out->n > start)
		end_line(out, start);
}

static const char *put_spilled(char text[48], const LaunchStats *l)
{
	snprintf(text, 48, l->spilled ? ", %llu bytes spilled" : "", (unsigned long long)l->spilled);
	return text;
}

static void put_report_title(Run *run, const Title *t, const LaunchStats *s, bool all, StrBuf *out)
{
	put_module(run, t, s, out);
	put_plugin_names(t, out);
	put_profile(t, out);
	put_assumptions(t->log, out);
	put_idle_passes(t->log, out);
	char spilled[48];
	size_t start = out->n;
	if (s->totals.launches == 1) {
		const LaunchStats *l = run->launch.v[0];
		sb_printf(out, "kernel %.50s", l->kernel);
		put_size_words(out, "grid", l->grid);
		put_size_words(out, "block", l->block);
		if (!run->options.reference)
			sb_printf(out, "   %llu registers%s   occupancy %s%s%s%s",
				(unsigned long long)l->registers, put_spilled(spilled, l),
				PERCENT(l->occupancy), l->occupancy_limit ? " (limit: " : "",
				l->occupancy_limit ? l->occupancy_limit : "", l->occupancy_limit ? ")" : "");
	} else {
		sb_printf(out, "%llu launches", (unsigned long long)s->totals.launches);
	}
	end_line(out, start);
	if (s->totals.launches == 1 && run->launch.v[0]->whole) {
		start = out->n;
		sb_printf(out, "timed whole, not sampled: %s", run->launch.v[0]->whole);
		end_line(out, start);
	}
	put_config_changes(t, all, out);
	put_size(run, out);
	filled_text(run, out);
	if (!s->completed)
		sb_puts(out, run->status == RUN_INTERRUPTED ? "INTERRUPTED: what was measured so far\n"
			: "FAILED: see the errors\n");
}

static void put_uniform(const LaunchStats *s, StrBuf *out)
{
	size_t start = out->n;
	if (!s->totals.uniform_warp)
		return;
	put_named_number(out, "on the uniform datapath", s->totals.uniform_warp);
	sb_printf(out, " warp instructions, %s",
		PERCENT(text_share(s->totals.uniform_warp, s->totals.warp_instructions)));
	if (s->uniform_registers)
		sb_printf(out, "   %llu uniform registers of a warp",
			(unsigned long long)s->uniform_registers);
	end_line(out, start);
}

/* Puts within which bounds the cycles are where a part of the blocks was timed, or why all were. */
static void put_sampled(const LaunchStats *s, StrBuf *out)
{
	const Totals *t = &s->totals;
	char a[32], b[32], c[32];
	size_t start = out->n;
	double within = stats_within(t);
	if (!t->sampled)
		return;
	sb_printf(out, "  sampled: +-%s (95 %%): %s to %s cycles   %s of ",
		PERCENT(t->cycles ? within / (double)t->cycles : 0),
		group_digits(a, stats_low(t)),
		group_digits(b, (uint64_t)((double)t->cycles + within)), group_digits(c, t->timed_blocks));
	sb_printf(out, "%s blocks timed", group_digits(a, t->sampled_blocks));
	if (t->launches > 1)
		sb_printf(out, ", in %s of %s launches", group_digits(a, t->sampled),
			group_digits(b, t->launches));
	end_line(out, start);
}

/* Puts the main figures. last: names the launch to whose end the cycles of the program are counted. */
static void put_lead(const LaunchStats *s, const char *last, StrBuf *out)
{
	char a[REPORT_PERCENT], b[32];
	if (s->timed) {
		sb_printf(out, "cycles            %16s   warp instructions   %16s   %.3f per cycle\n",
			group_digits(a, s->totals.cycles), group_digits(b, s->totals.warp_instructions),
			s->totals.cycles ? (double)s->totals.warp_instructions / (double)s->totals.cycles
					 : 0);
		sb_printf(out, "program's cycles  %16s   from the host's first call to the end of %s\n",
			group_digits(a, s->totals.program_cycles), last);
		put_sampled(s, out);
	} else if (!s->reference)
		sb_printf(out, "cycles            %16s   warp instructions   %16s\n", "not measured",
			group_digits(b, s->totals.warp_instructions));
	if (s->reference) {
		sb_printf(out, "thread instructions %14s   (the reference interpreter measures no other "
			"instructions)\n", group_digits(a, s->totals.thread_instructions));
		if (s->totals.inserted_values)
			sb_printf(out, "inserted by passes %15s values   %s of them never read\n",
				group_digits(a, s->totals.inserted_values),
				group_digits(b, s->totals.inserted_unread));
		return;
	}
	if (s->own_slots)
		snprintf(a, sizeof a, "n/a");
	else
		report_percent(a, stats_utilization(s));
	sb_printf(out, "SIMD utilisation  %16s   thread instructions %16s", a,
		group_digits(b, s->totals.thread_instructions));
	if (!s->own_slots)
		sb_printf(out, "   %s off by guard", PERCENT(text_share(s->totals.lanes_predicated_off,
			s->totals.lanes_useful + s->totals.lanes_predicated_off + s->totals.lanes_inactive)));
	sb_printf(out, "\nstack depth       %7llu max %4.2f mean   pushes %llu   pops %llu   reconvergences "
		"%llu   spills %llu\n", (unsigned long long)s->totals.max_depth, stats_mean_depth(s),
		(unsigned long long)s->totals.pushes, (unsigned long long)s->totals.pops,
		(unsigned long long)s->totals.reconvergences, (unsigned long long)s->totals.spills);
	size_t start = out->n;
	put_named_number(out, "inserted by passes", s->totals.inserted_warp);
	put_named_number(out, " warp,", s->totals.inserted_thread);
	put_named_number(out, " thread instructions   overhead of the mechanism and lowering",
		s->totals.overhead_warp);
	end_line(out, start);
	put_uniform(s, out);
	if (s->totals.noop_fetches) {
		start = out->n;
		put_named_number(out, "blocks fetched for no lane", s->totals.noop_fetches);
		end_line(out, start);
	}
}

/* warp: in these cycles the scheduler had a warp */
typedef struct Cause { const char *name; uint64_t cycles; bool warp; } Cause;

static int by_cycles(const void *a, const void *b)
{
	const Cause *x = a, *y = b;
	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void put_cause(const char *name, int all, int with_warp, bool warp, StrBuf *out)
{
	size_t start = out->n;
	sb_printf(out, "  %-18s %7s", name, PERCENT(all / 1000.0));
	if (warp)
		sb_printf(out, " %22s  %.*s", PERCENT(with_warp / 1000.0), (with_warp * BAR + 500) / 1000,
			"########################################");
	end_line(out, start);
}

/* Puts what the waits for memory waited for, as shares of them. */
static void put_levels(const LaunchStats *s, StrBuf *out)
{
	const uint64_t *level = s->totals.stalls + STALL_COUNT;
	size_t start = out->n;
	int tenths[LEVEL_COUNT];
	report_shares(level, LEVEL_COUNT, tenths);
	for (int k = 0; k < LEVEL_COUNT; k++)
		if (level[k])
			sb_printf(out, "%s  %s %s", out->n == start ? "  memory, by level:" : "",
				level_name[k], PERCENT(tenths[k] / 1000.0));
	if (out->n > start)
		end_line(out, start);
}

/* Puts shares of all scheduler-cycles, and of those in which the scheduler had a warp. Each column adds up to
   100 %. */
static void put_stall_causes(const LaunchStats *s, StrBuf *out)
{
	Cause cause[STALL_COUNT + 1] = { { "issued", s->totals.issued, true } };
	uint64_t part[STALL_COUNT + 1] = { 0 }, busy[STALL_COUNT + 1] = { 0 };
	int all[STALL_COUNT + 1], warp[STALL_COUNT + 1], n = 1, shown = 0, rest_all = 0, rest_warp = 0;
	for (int i = 0; i < STALL_COUNT; i++)
		if (s->totals.stalls[i])
			cause[n++] = (Cause){ stall_name[i], s->totals.stalls[i], i != STALL_EMPTY };
	qsort(cause + 1, (size_t)n - 1, sizeof *cause, by_cycles);
	for (int i = 0; i < n; i++) {
		part[i] = cause[i].cycles;
		busy[i] = cause[i].warp ? cause[i].cycles : 0;
	}
	report_shares(part, n, all);
	report_shares(busy, n, warp);
	sb_puts(out, "\nwhere the scheduler-cycles went    of those with a warp\n");
	for (; shown < n && shown < (n > MOST_CAUSES ? MOST_CAUSES - 1 : MOST_CAUSES); shown++)
		put_cause(cause[shown].name, all[shown], warp[shown], cause[shown].warp, out);
	for (int i = shown; i < n; i++) {
		rest_all += all[i];
		rest_warp += warp[i];
	}
	if (shown < n)
		put_cause("other", rest_all, rest_warp, true, out);
	put_levels(s, out);
}

static void put_memory(const LaunchStats *s, StrBuf *out)
{
	uint64_t accesses = s->totals.global_loads + s->totals.global_stores + s->totals.atomics +
		s->totals.local_accesses;
	size_t start = out->n + 1;
	put_named_number(out, "\nmemory  global loads", s->totals.global_loads);
	put_named_number(out, "  stores", s->totals.global_stores);
	put_named_number(out, "  atomics", s->totals.atomics);
	put_named_number(out, "  shared", s->totals.shared_accesses);
	put_named_number(out, "  local", s->totals.local_accesses);
	end_line(out, start);
	if (s->totals.nonfaulting_loads) {
		start = out->n;
		put_named_number(out, "        nonfaulting loads", s->totals.nonfaulting_loads);
		put_named_number(out, "  lanes", s->totals.nonfaulting_lanes);
		put_named_number(out, "  with nothing to load:", s->totals.nonfaulting_zero_loads);
		put_named_number(out, "  lanes", s->totals.nonfaulting_zero_lanes);
		end_line(out, start);
	}
	if (!s->timed)
		return;
	start = out->n;
	put_named_number(out, "        sectors", s->totals.transactions);
	sb_printf(out, " (%.1f an access)  ",
		accesses ? (double)s->totals.transactions / (double)accesses : 0);
	put_named_number(out, "bank conflicts", s->totals.shared_conflicts);
	sb_puts(out, " cycles  ");
	put_named_number(out, "DRAM reads", s->totals.dram_reads);
	put_named_number(out, "  writes", s->totals.dram_writes);
	end_line(out, start);
	start = out->n;
	sb_printf(out, "        hits: L1 %s  L2 %s  DRAM row %s",
		PERCENT(text_share(s->totals.l1_hits, s->totals.l1_accesses)),
		PERCENT(text_share(s->totals.l2_hits, s->totals.l2_hits + s->totals.l2_misses)),
		PERCENT(text_share(s->totals.dram_row_hits, s->totals.dram_reads + s->totals.dram_writes)));
	put_named_number(out, "   misses: constant", s->totals.constant_misses);
	put_named_number(out, "  instruction", s->totals.fetch_misses);
	end_line(out, start);
}

static int by_fetches(const void *a, const void *b)
{
	const BlockStats *x = *(const BlockStats *const *)a, *y = *(const BlockStats *const *)b;
	if (x->fetches != y->fetches)
		return x->fetches < y->fetches ? 1 : -1;
	return x < y ? -1 : x > y;
}

/* Puts the blocks: up to 12 in the order of the source, of more those first that were fetched most. */
static void put_blocks(const LaunchStats *s, bool everything, StrBuf *out)
{
	Vec(const BlockStats *) all = { 0 };
	StrBuf item = { 0 };
	Arena names = { 0 };
	char line[24];
	bool several = false; /* the blocks are those of several functions */
	for (int i = 0; i < s->tables.blocks.n; i++) {
		vec_push(&all, &s->tables.blocks.v[i]);
		several |= strcmp(s->tables.blocks.v[i].function, s->tables.blocks.v[0].function) != 0;
	}
	if (all.n > 12 && !everything)
		qsort(all.v, (size_t)all.n, sizeof *all.v, by_fetches);
	const char **name = arena_array(&names, const char *, all.n + 1);
	for (int i = 0; i < all.n; i++) {
		const BlockStats *b = all.v[i];
		snprintf(line, sizeof line, ":%d", b->line);
		name[i] = arena_printf(&names, "%s%s%s%s", several ? b->function : "", several ? "." : "",
			b->label, b->line && label_is_fresh(b->label) ? line : "");
	}
	names_shown(&names, name, all.n, BLOCK_NAME, name);
	Wrap w = { out, out->n + 1, .most = everything ? INT_MAX : BLOCK_LINES };
	sb_puts(out, "\nfetches per block (lanes)");
	for (int i = 0; i < all.n; i++) {
		const BlockStats *b = all.v[i];
		item.n = 0;
		sb_printf(&item, "   %s %llu (%.1f)", name[i], (unsigned long long)b->fetches,
			b->fetches ? (double)b->threads / (double)b->fetches : 0);
		wrap_item(&w, item.s);
	}
	sb_free(&item);
	arena_free(&names);
	wrap_end(&w);
	vec_free(&all);
}

/* Puts a row for each launch. all: how many launches there were; everything: the report names each of
   them. */
static void put_launch_rows(const Run *run, uint64_t all, bool everything, StrBuf *out)
{
	char depth[16], start[24];
	Arena names = { 0 };
	const char **kernel = arena_array(&names, const char *, run->launch.n + 1);
	bool timed = !run->options.gpu.functional && !run->options.reference, streams = false;
	for (int i = 0; i < run->launch.n; i++)
		streams |= run->launch.v[i]->stream != 0;
	int wide = streams ? 36 : 43;
	for (int i = 0; i < run->launch.n; i++)
		kernel[i] = run->launch.v[i]->kernel;
	names_shown(&names, kernel, run->launch.n, LAUNCH_NAME, kernel);
	sb_printf(out, "\n%-*s%s %12s %14s %8s %8s\n", wide + 2, "launches", streams ? " stream" : "",
		timed ? "starts" : "", timed ? "cycles" : "instructions", "SIMD", "depth");
	for (int i = 0; i < run->launch.n; i++) {
		const LaunchStats *s = run->launch.v[i];
		if (!everything && i == LISTED_LAUNCHES - 1 && all > LISTED_LAUNCHES) {
			sb_printf(out, "  %llu more %s\n", (unsigned long long)all - (unsigned)i,
				run->options.sums ? "(--sums leaves them out)" : REPORT_ALL);
			break;
		}
		const char *name = arena_printf(&names, "%d %s <%u,%u,%u> <%u,%u,%u>", i + 1, kernel[i],
			s->grid[0], s->grid[1], s->grid[2], s->block[0], s->block[1], s->block[2]);
		snprintf(depth, sizeof depth, "%llu", (unsigned long long)s->totals.max_depth);
		snprintf(start, sizeof start, "%llu", (unsigned long long)s->started);
		sb_printf(out, "  %-*s ", wide, name);
		if (streams)
			sb_printf(out, "%6d ", s->stream);
		sb_printf(out, "%12s %14llu ", s->timed ? start : "",
			(unsigned long long)(s->timed ? s->totals.cycles : s->totals.thread_instructions));
		if (s->own_slots || s->reference)
			sb_printf(out, "%8s", "n/a");
		else
			sb_printf(out, "%8s", PERCENT(stats_utilization(s)));
		sb_printf(out, " %8s\n", s->reference ? "n/a" : depth);
	}
	arena_free(&names);
}

static void put_host_block_rows(const Run *run, bool everything, StrBuf *out)
{
	const Function *f = run->host;
	Arena names = { 0 };
	const char **name = arena_array(&names, const char *, f->block.n + 1);
	for (int k = 0; k < f->block.n; k++)
		name[k] = f->block.v[k]->label;
	names_shown(&names, name, f->block.n, HOST_NAME, name);
	sb_printf(out, "\n%-45s %12s\n", "blocks of the host function", "times");
	for (int k = 0; k < f->block.n; k++) {
		if (!everything && k == MOST_HOST_BLOCKS - 1 && f->block.n > MOST_HOST_BLOCKS) {
			sb_printf(out, "  %d more " REPORT_ALL "\n", f->block.n - k);
			break;
		}
		sb_printf(out, "  %-*s %12llu\n", HOST_NAME, name[k], (unsigned long long)run->host_ran[k]);
	}
	arena_free(&names);
}

static void put_launch_figures(const LaunchStats *s, const char *last, bool all, StrBuf *out)
{
	put_lead(s, last, out);
	if (s->timed)
		put_stall_causes(s, out);
	if (s->reference)
		return;
	text_branches(s, all, out);
	put_memory(s, out);
	put_blocks(s, all, out);
	if (all)
		text_lines(s, out);
}

/* Puts a section for each kernel, then, unless the report is of sums, for each launch. */
static void put_parts(Run *run, bool sums, StrBuf *out)
{
	for (int k = 0; run_kernels(run) > 1 && k < run_kernels(run); k++) {
		sb_printf(out, "\n==== kernel %s: its launches together\n", run_kernel(run, k)->kernel);
		put_launch_figures(run_kernel(run, k), "its last launch", true, out);
	}
	for (int i = 0; !sums && i < run->launch.n; i++) {
		const LaunchStats *s = run->launch.v[i];
		sb_printf(out, "\n==== launch %d: kernel %s", i + 1, s->kernel);
		put_size_words(out, "grid", s->grid);
		put_size_words(out, "block", s->block);
		sb_putc(out, '\n');
		put_launch_figures(s, "this launch", true, out);
	}
}

void report_text(Run *run, const Title *title, bool all, StrBuf *out)
{
	const LaunchStats *s = run_total(run);
	put_report_title(run, title, s, all, out);
	if (!run->launch.n)
		return;
	sb_putc(out, '\n');
	put_launch_figures(s, "the last launch", all, out);
	kernels_text(run, all, out);
	report_races(run, s, all, out);
	if (s->totals.launches > 1)
		put_launch_rows(run, s->totals.launches, all && !run->options.sums, out);
	if (run->host && run->host->block.n > 1)
		put_host_block_rows(run, all, out);
	if (all && s->totals.launches > 1)
		put_parts(run, title->sums, out);
}
