#include "sim/reconv/wait.h"

/* Adds a member to the wait's set. */
static void put_member(Events *e, SplitWait *x, Awaited m)
{
	m.next = x->events;
	vec_push(&e->member, m);
	x->events = (uint32_t)e->member.n;
}

/* A wait that is over need not keep the reason of its event. */
static void refresh(SplitWait *x, Cycle now) { x->of_event = wait_awaits(x, now); }

static void no_earlier(SplitWait *x, Cycle c) { x->known = x->known > c ? x->known : c; }

void wait_not_before(SplitWait *x, Cycle c, uint8_t why, Cycle now)
{
	refresh(x, now);
	if (!x->of_event && x->known < c)
		x->why = why;
	no_earlier(x, c);
}

void wait_delay(Events *e, SplitWait *x, Cycle n, Cycle now)
{
	uint32_t at = x->events;
	refresh(x, now);
	x->known += n;
	x->events = 0;
	for (Awaited m; at; at = m.next) {
		m = e->member.v[at - 1];
		put_member(e, x, (Awaited){ m.told, m.late + n, m.event, 0 });
	}
}

static bool has_event(const Events *e, const SplitWait *x, uint32_t event, Cycle late)
{
	uint32_t at = x->events;
	while (at && (e->member.v[at - 1].event != event || e->member.v[at - 1].late < late))
		at = e->member.v[at - 1].next;
	return at != 0;
}

void wait_join(Events *e, SplitWait *into, const SplitWait *x, Cycle now)
{
	if (!wait_awaits(x, now)) {
		wait_not_before(into, x->known, x->why, now);
		return;
	}
	refresh(into, now);
	if (!into->of_event)
		into->why = x->why;
	into->of_event = true;
	no_earlier(into, x->known);
	for (uint32_t at = x->events; at; at = e->member.v[at - 1].next) {
		Awaited m = e->member.v[at - 1];
		if (!has_event(e, into, m.event, m.late))
			put_member(e, into, m);
	}
}

void wait_add(Events *e, SplitWait *x, uint32_t event, uint8_t why)
{
	put_member(e, x, (Awaited){ .told = PENDING, .event = event });
	x->why = why;
	x->of_event = true;
}

void wait_add_told(SplitWait *x, Cycle c, uint8_t why)
{
	no_earlier(x, c);
	x->why = why;
	x->of_event = true;
}

void events_tell(Events *e, uint32_t event, Cycle c)
{
	for (int k = 0; k < e->member.n; k++)
		if (e->member.v[k].event == event)
			e->member.v[k].told = c;
}

void wait_hear(const Events *from, Events *to, SplitWait *x)
{
	uint32_t at = x->events;
	x->events = 0;
	for (Awaited m; at; at = m.next) {
		m = from->member.v[at - 1];
		if (m.told < PENDING)
			no_earlier(x, m.told + m.late);
		else
			put_member(to, x, m);
	}
}
