/* A diagnosis in words: one line that says what has happened, and one for each thing known about it. */
#include "sim/record/diagnosis.h"
#include "lib/strbuf.h"

const char *const stuck_name[STUCK_COUNT] = { "runs", "barrier", "warp_sync", "grid_barrier", "held",
	"ended" };

static void put_lane_list(StrBuf *b, Mask m)
{
	sb_puts(b, m & (m - 1) ? "lanes" : "lane");
	const char *sep = " ";
	for (int l = 0; l < 64; l++) {
		if (!(m >> l & 1))
			continue;
		int to = l;
		while (to < 63 && m >> (to + 1) & 1)
			to++;
		sb_printf(b, to > l ? "%s%d-%d" : "%s%d", sep, l, to);
		sep = ",";
		l = to;
	}
}

static void put_code_place(StrBuf *b, const CodePlace *p)
{
	sb_printf(b, "block %s", p->block);
	if (p->line)
		sb_printf(b, " (%s:%d)", p->file ? p->file : "?", p->line);
	places_print_inlined(p->file, p->line, p->inlined.v, p->inlined.n, b);
}

static bool same_warp(const StuckLanes *a, const StuckLanes *b)
{
	return a->warp == b->warp && !memcmp(a->block, b->block, sizeof a->block);
}

/* "of warp 3", or nothing for the warp that the report begins with. */
static void put_warp(StrBuf *b, const StuckLanes *x, const Diagnosis *d)
{
	if (memcmp(x->block, d->who.block, sizeof x->block))
		sb_printf(b, " of warp %d of block (%u, %u, %u)", x->warp, x->block[0], x->block[1],
			x->block[2]);
	else if (x->warp != d->who.warp)
		sb_printf(b, " of warp %d", x->warp);
}

static bool is_single(Mask m) { return !(m & (m - 1)); }

/* Says in what structure the mechanism holds the lanes, which other lanes have to come to which place before
   the mechanism lets them run, and where they would go on then. */
static void put_held(StrBuf *b, const StuckLanes *x, const Diagnosis *d)
{
	if (x->in)
		sb_printf(b, is_single(x->lanes) ? "waits in %s" : "wait in %s", x->in);
	else
		sb_printf(b, is_single(x->lanes) ? "is not scheduled by %s" : "are not scheduled by %s",
			d->model);
	if (x->waits || x->others)
		sb_puts(b, x->waits ? " until " : " behind ");
	if (x->others)
		put_lane_list(b, x->others);
	if (x->waits) {
		sb_puts(b, !x->others ? "others come to " : is_single(x->others) ? " comes to "
			: " come to ");
		put_code_place(b, &x->until);
	}
	if (!x->at.block || (x->waits && !strcmp(x->at.block, x->until.block)))
		return;
	sb_puts(b, "; would go on at ");
	put_code_place(b, &x->at);
}

/* What the lanes do: "wait at a barrier in block B (k.ir:7)". */
static void put_doing(StrBuf *b, const StuckLanes *x, const Diagnosis *d)
{
	bool one = is_single(x->lanes);
	switch (x->how) {
	case STUCK_RUNS: sb_puts(b, one ? "spins too, in " : "spin too, in "); break;
	case STUCK_BARRIER: sb_puts(b, one ? "waits at a barrier in " : "wait at a barrier in "); break;
	case STUCK_GRID:
		sb_puts(b, one ? "waits at the grid's barrier in " : "wait at the grid's barrier in ");
		break;
	case STUCK_WARPSYNC: sb_printf(b, "%s at a warp-level operation in ", one ? "waits" : "wait"); break;
	case STUCK_ENDED: sb_puts(b, one ? "has ended" : "have ended"); return;
	default: put_held(b, x, d); return;
	}
	put_code_place(b, &x->at);
}

static void put_memory_word(StrBuf *b, const Diagnosis *d)
{
	const StuckWord *w = &d->word;
	bool one = is_single(d->who.lanes);
	if (!d->reads) {
		sb_printf(b, "\n  %s no memory on %s way: nothing that others do can end it",
			one ? "it reads" : "they read", one ? "its" : "their");
		return;
	}
	sb_printf(b, "\n  %s on the memory word at ", one ? "it waits" : "they wait");
	if (w->space == SP_SHARED && w->buffer)
		sb_printf(b, "%#llx of shared memory (byte %llu of %s)", (unsigned long long)w->address,
			(unsigned long long)w->offset, w->buffer);
	else if (w->space == SP_SHARED)
		sb_printf(b, "%#llx of shared memory", (unsigned long long)w->address);
	else if (w->buffer)
		sb_printf(b, "%#llx (byte %llu of %s)", (unsigned long long)w->address,
			(unsigned long long)w->offset, w->buffer);
	else
		sb_printf(b, "%#llx", (unsigned long long)w->address);
	sb_printf(b, ", which is %llu", (unsigned long long)w->value);
	if (w->different > 1)
		sb_printf(b, "; some on others (%d lanes)", w->different - 1);
	if (!d->written) {
		sb_puts(b, "; no atomic operation or volatile store of this launch is known to have changed "
			"it");
		return;
	}
	sb_printf(b, "\n  thread (%u, %u, %u) changed it last, in ", d->thread[0], d->thread[1],
		d->thread[2]);
	put_code_place(b, &d->by);
	sb_puts(b, ": ");
	put_lane_list(b, d->writer.lanes);
	sb_puts(b, same_warp(&d->writer, &d->who) ? " of the same warp" : "");
	put_warp(b, &d->writer, d);
	sb_putc(b, ' ');
	put_doing(b, &d->writer, d);
}

static void put_stuck_head(StrBuf *b, const Diagnosis *d, const char *kernel)
{
	const StuckLanes *x = &d->who;
	sb_printf(b, "%s in kernel %s", d->kind == FAULT_LIVELOCK ? "livelock" : "deadlock", kernel);
	if (!x->lanes)
		return;
	sb_printf(b, ", block (%u, %u, %u), warp %d: ", x->block[0], x->block[1], x->block[2], x->warp);
	put_lane_list(b, x->lanes);
	if (d->kind == FAULT_LIVELOCK) {
		sb_printf(b, " come%s back to the branch of ", x->lanes & (x->lanes - 1) ? "" : "s");
		put_code_place(b, &x->at);
		sb_puts(b, " with the same values in all registers that decide, and no memory has changed");
		uint64_t others = d->spinning;
		for (Mask m = x->lanes; m; m &= m - 1)
			others--;
		if (others)
			sb_printf(b, "; %llu other lane%s of the machine spin%s too",
				(unsigned long long)others, others > 1 ? "s" : "", others > 1 ? "" : "s");
		return;
	}
	sb_putc(b, ' ');
	put_doing(b, x, d);
	if (d->expected)
		sb_printf(b, ", which can never complete: %u of %u threads have arrived and no other can "
			"come", d->arrived, d->expected);
}

/* Says how many blocks have not begun because the resident ones leave no room: threads that wait may wait for
   them. */
static void put_unbegun(StrBuf *b, const Diagnosis *d)
{
	bool one = d->unbegun == 1;
	if (d->unbegun)
		sb_printf(b, "\n  %llu of the %llu blocks %s not begun and cannot: the %llu that have leave "
			"no room (limited by %s), and none of them ends", (unsigned long long)d->unbegun,
			(unsigned long long)d->blocks, one ? "has" : "have", (unsigned long long)d->resident,
			d->limit);
}

void diagnosis_text(const Diagnosis *d, const char *kernel, StrBuf *b)
{
	bool held = false, warp = d->who.how == STUCK_WARPSYNC;
	put_stuck_head(b, d, kernel);
	if (d->kind == FAULT_LIVELOCK)
		put_memory_word(b, d);
	put_unbegun(b, d);
	for (int k = 0; k < d->nheld; k++) {
		const StuckLanes *x = &d->held[k];
		held |= x->how == STUCK_HELD;
		warp |= x->how == STUCK_WARPSYNC;
		if (x->lanes == d->writer.lanes && d->written && same_warp(x, &d->writer))
			continue; /* put_memory_word has named these lanes already */
		if (d->kind == FAULT_BARRIER && x->lanes == d->who.lanes && same_warp(x, &d->who))
			continue;
		sb_puts(b, "\n  ");
		put_lane_list(b, x->lanes);
		put_warp(b, x, d);
		sb_putc(b, ' ');
		put_doing(b, x, d);
	}
	if (d->more)
		sb_printf(b, "\n  and %llu more lanes wait", (unsigned long long)d->more);
	if (warp && d->kind == FAULT_BARRIER)
		sb_puts(b, "\n  PTX leaves undefined what a warp-level operation does where threads of its "
			"mask never come to one");
	if (held && d->holds)
		sb_printf(b, "\n  mechanism %s %s", d->model, d->holds);
	else if (held)
		sb_printf(b, "\n  mechanism %s does not let them run", d->model);
}
