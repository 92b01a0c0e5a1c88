/* The memory system behind the SMs: serves their queues through interconnect, L2 and DRAM. */
#include "sim/mem/internal.h"

struct MemSystem {
	Config c;
	Interconnect icnt;
	L2 l2;
	Dram dram;
	StampHeap order; /* the cycle of the first request of each SM's queue that is not served yet */
	Vec(int) next;                 /* [sm]: index of this request in the SM's queue */
	Intervals *intervals;          /* where the memory system counts, too, or NULL */
	/* with intervals: what L2 and DRAM count of the part of a request that is being served */
	Totals own;
};

MemSystem *mem_new(const Config *c)
{
	MemSystem *m = xcalloc(1, sizeof *m);
	must(!config_memory_refused(c));
	m->c = *c;
	icnt_init(&m->icnt, c);
	l2_init(&m->l2, c);
	dram_init(&m->dram, c);
	return m;
}

const L2 *mem_l2(const MemSystem *m) { return &m->l2; }
const Dram *mem_dram(const MemSystem *m) { return &m->dram; }

void mem_empty(MemSystem *m)
{
	l2_empty(&m->l2);
	dram_close_rows(&m->dram);
}

void mem_rewind(MemSystem *m)
{
	icnt_rewind(&m->icnt);
	l2_rewind(&m->l2);
	dram_rewind(&m->dram);
}

void mem_free(MemSystem *m)
{
	if (!m)
		return;
	icnt_free(&m->icnt);
	l2_free(&m->l2);
	dram_free(&m->dram);
	free(m->order.v);
	vec_free(&m->next);
	free(m);
}

/* A load of n sectors that finds every resource free and hits in L2. */
static Cycle free_trip(const MemSystem *m, unsigned n)
{
	return icnt_free_trip(&m->icnt, n) + ceil_div(n * m->l2.sector, m->l2.width) + m->l2.latency;
}

void mem_sample(MemSystem *m, Intervals *to) { m->intervals = m->dram.intervals = to; }

/* As l2_access, for a part of the request that is at L2 at cycle `at`. L2's counts go to the launch and to
   the interval with that cycle; DRAM adds its counts to its intervals itself. */
static Cycle sampled_access(MemSystem *m, const Request *r, const Piece *part, Cycle at, bool *from_dram)
{
	Totals *own = &m->own, *st = r->stats;
	Cycle reply = l2_access(&m->l2, &m->dram, r->cycle, at, (AccessKind)r->kind, part, own,
		from_dram);
	Interval *x = intervals_at(m->intervals, at);
#define S(FIELD, PATH, HOW, KNOWN, ...) \
	if (STAT_##KNOWN == STAT_L2) \
		x->FIELD += own->FIELD; \
	if (STAT_##KNOWN == STAT_L2 || STAT_##KNOWN == STAT_DRAM) \
		st->FIELD += own->FIELD, own->FIELD = 0;
	STATS(S)
#undef S
	st->quiet = later(st->quiet, own->quiet);
	own->quiet = 0;
	return reply;
}

/* Takes a request through one unit after the other; each unit serves the request's parts in order. t: becomes
   when each part is done; from_dram: whether by DRAM. intervals: those of the memory system, a constant NULL
   where there are none. */
static inline __attribute__((always_inline)) void serve_with(MemSystem *m, SmMem *s, const Request *r,
	Cycle *t, bool *from_dram, Intervals *intervals)
{
	Totals *st = r->stats;
	const Piece *part = s->part.v + r->part;
	Cycle at = r->after >= 0 ? later(r->at, s->queue.v[r->after].done) : r->at;
	uint64_t sectors = 0;
	for (int k = 0; k < r->nparts; k++)
		t[k] = at + (Cycle)k * r->step;
	icnt_up(&m->icnt, s->sm, r->cycle, part, r->nparts, r->kind != ACC_LOAD, t);
	for (int k = 0; k < r->nparts; k++)
		t[k] = intervals ? sampled_access(m, r, &part[k], t[k], &from_dram[k])
			: l2_access(&m->l2, &m->dram, r->cycle, t[k], (AccessKind)r->kind, &part[k], st,
			&from_dram[k]);
	icnt_down(&m->icnt, s->sm, r->cycle, part, r->nparts, r->returns, t);
	for (int k = 0; k < r->nparts; k++) {
		unsigned n = count_bits(part[k].sectors);
		sectors += n;
		st->quiet = later(st->quiet, t[k]);
		if (intervals)
			intervals_at(intervals, t[k] - 1)->l2_replies += n;
		if (r->owner == OWNER_FETCH) {
			Cycle usual = at + free_trip(m, n);
			t[k] = at + (Cycle)m->c.fetch_miss + (t[k] > usual ? t[k] - usual : 0);
		}
	}
	st->l2_replies += sectors;
}

static inline void serve(MemSystem *m, SmMem *s, const Request *r, Cycle *t, bool *from_dram)
{
	serve_with(m, s, r, t, from_dram, NULL);
}
static __attribute__((noinline)) void serve_sampled(MemSystem *m, SmMem *s, const Request *r, Cycle *t,
	bool *from_dram)
{
	serve_with(m, s, r, t, from_dram, m->intervals);
}

void mem_drain(MemSystem *m, SmMem **sms, int n)
{
	Cycle done[MAX_PIECES];
	bool from_dram[MAX_PIECES];
	vec_reserve(&m->next, n);
	for (int i = 0; i < n; i++) {
		m->next.v[i] = 0;
		must(sms[i]->sm < m->icnt.n);
		if (sms[i]->queue.n)
			stamp_push(&m->order, sms[i]->queue.v[0].cycle, (uint32_t)i);
	}
	while (m->order.n) {
		uint32_t i = stamp_pop(&m->order).id;
		SmMem *s = sms[i];
		int r = m->next.v[i];
		do { /* as long as this SM's next request comes before those of all others */
			if (m->intervals)
				serve_sampled(m, s, &s->queue.v[r], done, from_dram);
			else
				serve(m, s, &s->queue.v[r], done, from_dram);
			smmem_served(s, r, done, from_dram);
		} while (++r < s->queue.n && (!m->order.n ||
			heap_before((Stamp){ s->queue.v[r].cycle, i }, m->order.v[0])));
		m->next.v[i] = r;
		if (r < s->queue.n)
			stamp_push(&m->order, s->queue.v[r].cycle, i);
		else
			smmem_drained(s);
	}
}

Cycle mem_round_trip(const Config *c)
{
	int64_t n = 2 * c->icnt_latency + c->l2_latency;
	return (Cycle)(n > 1 ? n : 1);
}

Cycle mem_window(const Config *c)
{
	int64_t w = (int64_t)mem_round_trip(c);
	if (c->l1_bytes && c->l1_latency < w)
		w = c->l1_latency;
	if (c->fetch_bytes && c->fetch_miss < w)
		w = c->fetch_miss;
	return (Cycle)(w > 1 ? w : 1);
}
