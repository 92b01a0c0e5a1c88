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

void mem_touch(MemSystem *m, uint64_t first, uint64_t n, bool written)
{
	unsigned line = shift_of(m->c.l2_line), sector = shift_of(m->c.l2_sector);
	uint64_t last = first + n - 1, per_line = ((uint64_t)1 << (line - sector)) - 1;
	for (uint64_t k = first >> line; k <= last >> line; k++) {
		uint64_t from = k == first >> line ? first >> sector & per_line : 0,
			to = k == last >> line ? last >> sector & per_line : per_line;
		l2_touch(&m->l2, k, (uint32_t)((2u << to) - (1u << from)), written);
	}
}

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

/* ---- a request on its way ---- */

/* Takes the parts of a request to L2; t: becomes when each is there. */
static inline void send_request(MemSystem *m, const SmMem *s, const Request *r, Cycle *t)
{
	Cycle at = r->after >= 0 ? later(r->at, s->queue.v[r->after].done) : r->at;
	for (int k = 0; k < r->nparts; k++)
		t[k] = at + (Cycle)k * r->step;
	icnt_up(&m->icnt, s->sm, r->cycle, s->part.v + r->part, r->nparts, r->kind != ACC_LOAD, t);
}

/* Serves the parts of a request, in order; t: when each is at L2, becomes when each is served. */
static inline void serve_request(MemSystem *m, const SmMem *s, const Request *r, Cycle *t, bool *from_dram)
{
	const Piece *part = s->part.v + r->part;
	for (int k = 0; k < r->nparts; k++)
		t[k] = m->intervals ? sampled_access(m, r, &part[k], t[k], &from_dram[k])
			: l2_access(&m->l2, &m->dram, r->cycle, t[k], (AccessKind)r->kind, &part[k], r->stats,
			&from_dram[k]);
}

/* Brings the replies back, and tells the SM's side; t: when each part was served. */
static inline void answer_request(MemSystem *m, SmMem *s, int request, Cycle *t, const bool *from_dram)
{
	const Request *r = &s->queue.v[request];
	const Piece *part = s->part.v + r->part;
	Cycle at = r->after >= 0 ? later(r->at, s->queue.v[r->after].done) : r->at;
	Totals *st = r->stats;
	icnt_down(&m->icnt, s->sm, r->cycle, part, r->nparts, r->returns, t);
	for (int k = 0; k < r->nparts; k++) {
		unsigned n = count_bits(part[k].sectors);
		st->l2_replies += n;
		st->quiet = later(st->quiet, t[k]);
		if (m->intervals)
			intervals_at(m->intervals, t[k] - 1)->l2_replies += n;
		if (r->owner == OWNER_FETCH) {
			Cycle usual = at + free_trip(m, n);
			t[k] = at + (Cycle)m->c.fetch_miss + (t[k] > usual ? t[k] - usual : 0);
		}
	}
	smmem_served(s, request, t, from_dram);
}

void mem_send(MemSystem *m, SmMem *s)
{
	s->sent = s->queue.n && !s->chained && !m->intervals;
	if (!s->sent)
		return;
	vec_reserve(&s->arrives, s->part.n);
	vec_reserve(&s->from_dram, s->part.n);
	for (int k = 0; k < s->queue.n; k++)
		send_request(m, s, &s->queue.v[k], s->arrives.v + s->queue.v[k].part);
}

void mem_receive(MemSystem *m, SmMem *s)
{
	for (int k = 0; s->sent && k < s->queue.n; k++) {
		int part = s->queue.v[k].part;
		answer_request(m, s, k, s->arrives.v + part, s->from_dram.v + part);
	}
	if (s->queue.n)
		smmem_drained(s);
	s->sent = false;
}

/* The whole way of a request whose SM has not sent its requests beforehand. */
static void serve_whole(MemSystem *m, SmMem *s, int request)
{
	Cycle done[MAX_PIECES];
	bool from_dram[MAX_PIECES];
	const Request *r = &s->queue.v[request];
	send_request(m, s, r, done);
	serve_request(m, s, r, done, from_dram);
	answer_request(m, s, request, done, from_dram);
}

void mem_serve(MemSystem *m, SmMem **sms, int n)
{
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
		int k = m->next.v[i];
		do { /* as long as this SM's next request comes before those of all others */
			const Request *r = &s->queue.v[k];
			if (s->sent)
				serve_request(m, s, r, s->arrives.v + r->part, s->from_dram.v + r->part);
			else
				serve_whole(m, s, k);
		} while (++k < s->queue.n && (!m->order.n ||
			heap_before((Stamp){ s->queue.v[k].cycle, i }, m->order.v[0])));
		m->next.v[i] = k;
		if (k < s->queue.n)
			stamp_push(&m->order, s->queue.v[k].cycle, i);
	}
}

void mem_drain(MemSystem *m, SmMem **sms, int n)
{
	for (int i = 0; i < n; i++)
		mem_send(m, sms[i]);
	mem_serve(m, sms, n);
	for (int i = 0; i < n; i++)
		mem_receive(m, sms[i]);
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
