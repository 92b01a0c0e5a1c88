/* Waits: what is done to them has the same outcome before an event is told and after it. */
#include "sim/reconv/wait.h"
#include <check.h>

enum { WAITS = 5, WINDOW = 9, CYCLES = 400, MEMBERS = 64 };

/* What a wait is by definition: every event with the cycle in which it comes, told or not. */
typedef struct Plain { Cycle known; int n; Cycle event[MEMBERS]; } Plain;

typedef struct World {             /* some waits, and how long it takes until events are told */
	Events list, spare;
	SplitWait x[WAITS];
	Cycle comes[CYCLES * 2];   /* by event */
	uint32_t events, told;     /* events 1..told have been told */
} World;

static uint64_t chance(uint64_t *state, uint64_t n)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % n;
}

static Cycle plain_end(const Plain *p)
{
	Cycle end = p->known;
	for (int k = 0; k < p->n; k++)
		end = p->event[k] > end ? p->event[k] : end;
	return end;
}

static void tell_all(World *o)
{
	while (o->told < o->events) {
		o->told++;
		events_tell(&o->list, o->told, o->comes[o->told]);
	}
	for (int k = 0; k < WAITS; k++)
		wait_hear(&o->list, &o->spare, &o->x[k]);
	Events old = o->list;
	o->list = o->spare;
	o->spare = old;
	vec_clear(&o->spare.member);
}

/* One thing that a mechanism or the core does, in both worlds and to the plain waits. */
static void act(World *o, Plain *p, uint64_t *state, Cycle now, Cycle window_end)
{
	int a = (int)chance(state, WAITS), b = (int)chance(state, WAITS), what = (int)chance(state, 7);
	Cycle n = chance(state, 2 * WINDOW), later = window_end + chance(state, 3 * WINDOW);
	uint8_t why = (uint8_t)chance(state, STALL_COUNT);
	bool issues = plain_end(&p[a]) <= now;
	for (World *w = o; w < o + 2; w++)
		switch (what) {
		case 0: wait_not_before(&w->x[a], now + n, why, now); break;
		case 1: wait_delay(&w->list, &w->x[a], n, now); break;
		case 2: wait_join(&w->list, &w->x[a], &w->x[b], now); break;
		case 3: w->x[a] = w->x[b]; break;
		case 4:
			w->comes[++w->events] = later;
			wait_add(&w->list, &w->x[a], w->events, why);
			break;
		case 5: w->x[a] = issues ? wait_until(now + 1, why) : w->x[a]; break;
		default: break; /* nothing: time goes on */
		}
	switch (what) {
	case 0: p[a].known = p[a].known > now + n ? p[a].known : now + n; break;
	case 1:
		p[a].known += n;
		for (int k = 0; k < p[a].n; k++)
			p[a].event[k] += n;
		break;
	case 2: p[a].event[p[a].n++] = plain_end(&p[b]); break;
	case 3: p[a] = p[b]; break;
	case 4: p[a].event[p[a].n++] = later; break;
	case 5: p[a] = issues ? (Plain){ .known = now + 1 } : p[a]; break;
	default: break;
	}
	if (p[a].n == MEMBERS)
		p[a] = (Plain){ .known = plain_end(&p[a]) };
}

static void compare(const World *o, const Plain *p, Cycle now)
{
	for (int k = 0; k < WAITS; k++) {
		const SplitWait *x = &o[0].x[k], *y = &o[1].x[k];
		ck_assert_int_eq(wait_over(x, now), plain_end(&p[k]) <= now);
		ck_assert_int_eq(wait_over(y, now), plain_end(&p[k]) <= now);
		ck_assert_uint_eq(wait_foreseen(x, now), wait_foreseen(y, now));
		ck_assert_uint_eq(x->why, y->why);
		ck_assert(!y->events || wait_end(y) == PENDING);
		ck_assert(y->events || y->known == plain_end(&p[k]));
	}
}

/* One world tells of events behind each cycle, the other at the end of windows. */
START_TEST(windows_are_nobodys_affair)
{
	uint64_t state = (uint64_t)_i;
	World o[2] = { 0 };
	Plain p[WAITS] = { 0 };
	for (Cycle now = 1; now < CYCLES; now++) {
		Cycle window_end = (now / WINDOW + 1) * WINDOW;
		for (uint64_t n = chance(&state, 2); n; n--)
			act(o, p, &state, now, window_end);
		tell_all(&o[0]);
		if (now + 1 == window_end)
			tell_all(&o[1]);
		compare(o, p, now + 1);
	}
	for (int k = 0; k < 2; k++) {
		vec_free(&o[k].list.member);
		vec_free(&o[k].spare.member);
	}
}
END_TEST

/* A reason stays while its event is to come, whatever else the split has to wait for; then it is that of what
   is left. */
START_TEST(an_event_is_the_reason)
{
	Events e = { 0 };
	SplitWait x = wait_until(5, STALL_DATA);
	wait_add(&e, &x, 1, STALL_FETCH);
	wait_not_before(&x, 9, STALL_BRANCH, 5);
	ck_assert_int_eq(x.why, STALL_FETCH);
	events_tell(&e, 1, 12);
	wait_hear(&e, &e, &x);
	ck_assert_uint_eq(wait_end(&x), 12);
	wait_not_before(&x, 15, STALL_BRANCH, 11);
	ck_assert_int_eq(x.why, STALL_FETCH);
	wait_not_before(&x, 20, STALL_BRANCH, 15);
	ck_assert_int_eq(x.why, STALL_BRANCH);
	vec_free(&e.member);
}
END_TEST

/* The two halves of a split that has parted wait for the same event, each for itself. */
START_TEST(parts_wait_for_the_same)
{
	Events e = { 0 };
	SplitWait x = wait_until(5, STALL_DATA), y;
	wait_add(&e, &x, 1, STALL_DIVERGENCE);
	y = x;
	wait_delay(&e, &y, 10, 5);
	events_tell(&e, 1, 30);
	wait_hear(&e, &e, &x);
	wait_hear(&e, &e, &y);
	ck_assert_uint_eq(wait_end(&x), 30);
	ck_assert_uint_eq(wait_end(&y), 40);
	vec_free(&e.member);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("waits");
	TCase *t = tcase_create("waits");
	tcase_add_loop_test(t, windows_are_nobodys_affair, 0, 500);
	tcase_add_test(t, an_event_is_the_reason);
	tcase_add_test(t, parts_wait_for_the_same);
	suite_add_tcase(suite, t);
	SRunner *r = srunner_create(suite);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
