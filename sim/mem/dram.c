/* DRAM: channels with a data bus each, banks with one open row each, served in the order of arrival. */
#include "sim/mem/internal.h"

void dram_init(Dram *d, const Config *c)
{
	*d = (Dram){ .channels = (uint64_t)c->dram_channels, .banks = (uint64_t)c->dram_banks,
		.sector = (uint64_t)c->l2_sector, .width = (uint64_t)c->dram_width,
		.row_shift = shift_of(c->dram_row) - shift_of(c->l2_line), .hit = (Cycle)c->dram_hit,
		.activate = (Cycle)(c->dram_miss - c->dram_hit), .latency = (Cycle)c->dram_latency };
	d->bus = xcalloc(d->channels, sizeof *d->bus);
	d->bank = xcalloc(d->channels * d->banks, sizeof *d->bank);
}

void dram_close_rows(Dram *d)
{
	for (uint64_t i = 0; i < d->channels * d->banks; i++)
		d->bank[i].row = 0;
}

void dram_rewind(Dram *d)
{
	memset(d->bus, 0, d->channels * sizeof *d->bus);
	for (uint64_t i = 0; i < d->channels * d->banks; i++)
		d->bank[i].free = 0;
}

void dram_free(Dram *d)
{
	free(d->bus);
	free(d->bank);
}

static void sample(Intervals *to, Cycle at, unsigned reads, unsigned writes, uint64_t row_hits)
{
	Interval *x = intervals_at(to, at);
	x->dram_reads += reads;
	x->dram_writes += writes;
	x->dram_row_hits += row_hits;
}

/* A bank is busy while it changes rows and while its burst is on the bus; column accesses overlap. */
Cycle dram_access(Dram *d, Cycle floor, Cycle at, uint64_t line, unsigned n, bool write, Totals *st)
{
	uint64_t inner = line / d->channels, channel = (line + fold(inner)) % d->channels;
	uint64_t row = inner >> d->row_shift, bytes = n * d->sector;
	Bank *b = &d->bank[channel * d->banks + (row + fold(row / d->banks)) % d->banks];
	uint64_t open = later(at * d->width, b->free);
	bool hit = b->row == row + 1;
	st->dram_row_hits += n - 1 + hit;
	if (!hit)
		open += d->activate * d->width;
	b->row = row + 1;
	b->free = open + bytes;
	if (write)
		st->dram_writes += n;
	else
		st->dram_reads += n;
	Cycle end = timeline_book(&d->bus[channel], floor, open / d->width + d->hit, d->width, bytes);
	st->quiet = later(st->quiet, end);
	if (d->intervals)
		sample(d->intervals, end - 1, write ? 0 : n, write ? n : 0, n - 1 + hit);
	return end + (write ? 0 : d->latency);
}
