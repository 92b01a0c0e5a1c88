/* Host threads that run SMs side by side for a window of cycles, in rounds: one for each step of the window
 * (sim/gpu/run.h). Which thread makes a step for an SM changes no result, so each thread takes the next SM
 * that no thread has taken: one that the host keeps from running holds up the others only if it has taken an
 * SM. A thread that waits goes to sleep after LOOK_NS.
 *
 * A window may be too short to be shared, and a host may have other work for its processors. There are two
 * ways to run windows: the calling thread alone, or all threads together. The pool measures both, in host
 * time per issued instruction, and takes the faster one; for a small share of the time it tries the other one
 * again. */
#include "sim/gpu/pool.h"
#include "lib/c_locale.h"
#include "sim/gpu/run.h"
#include "sim/sm/sm.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum {
	TRY_NS = 500 * 1000,           /* nanoseconds for which a way is tried */
	/* nanoseconds for which the faster way is kept before the next trial */
	KEEP_NS = 40 * TRY_NS,
	LOOK_NS = 40 * 1000,           /* nanoseconds for which a waiting thread polls before it sleeps */
	LOOKS = 32                     /* how often it polls before it looks at the clock again */
};
/* the share of the old cost of a way that is kept when a newer figure is added to it */
#define KEPT 0.75
#define NOT_OFFERED (~(uint64_t)0)

typedef enum { ALONE, TOGETHER, WAYS } PoolWay;

enum { STEP_ADVANCE, STEP_EXCHANGE, STEP_SETTLE };

typedef struct Worker { Pool *pool; int number; pthread_t thread; } Worker;

/* What a way has cost, summed over its windows, of which older ones count less. ns: host time; work:
   instructions issued. */
typedef struct WayCost { double ns, work; } WayCost;

struct Pool {
	Gpu *gpu;
	int n, started;                /* threads, the caller's included; how many of them run */
	Worker *worker;

	_Atomic uint64_t round;        /* number of windows that threads have begun to run together */
	/* by place in Gpu.active: the last round in which a thread took the SM; NOT_OFFERED: there is none */
	_Atomic uint64_t *taken;
	atomic_int offered;            /* SMs of this round */
	atomic_int step;               /* what is done for each of them (STEP_...) */
	_Atomic Cycle until;           /* the cycle at which the window of this round ends */
	atomic_int left;               /* SMs that have not come to that cycle */
	atomic_bool stop;              /* the threads are to end */
	pthread_mutex_t lock;          /* for begin: round or stop has changed; for end: left is 0 */
	pthread_cond_t begin, end;

	PoolWay way;
	bool trial;                    /* `way` is being tried; else it is the faster one */
	WayCost cost[WAYS];
	/* cost of the windows since `way` was chosen; its work is up to `counted` */
	WayCost now;
	uint64_t counted;              /* issues of the run that have been added to now.work already */
};

/* ---- a round ---- */

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void relax(void)
{
#if defined __x86_64__ || defined __i386__
	__builtin_ia32_pause();
#endif
}

/* Makes the step of this round for the SM at place k of Gpu.active. What is made for all SMs at once is made
   for the first two places. */
static void do_step(Pool *p, int k)
{
	Gpu *g = p->gpu;
	Sm *sm = &g->sm[g->active.v[k]];
	switch (atomic_load(&p->step)) {
	case STEP_ADVANCE: window_advance(g, sm, atomic_load(&p->until)); break;
	case STEP_EXCHANGE:
		if (k == 0)
			window_apply(g);
		else if (k == 1)
			window_serve(g);
		break;
	default: window_settle(g, sm);
	}
}

/* Runs every SM of the round that no other thread has taken. Threads begin at places of their own, so most
   often a thread gets the SMs that it had before. One that comes late finds that all SMs have been taken, in
   this round or in later ones. */
static void run_free_sms(Pool *p, int me, uint64_t round)
{
	int n = atomic_load(&p->offered), first = me * n / p->n;
	for (int i = 0; i < n; i++) {
		int k = first + i < n ? first + i : first + i - n;
		uint64_t before = round - 1;
		if (!atomic_compare_exchange_strong(&p->taken[k], &before, round))
			continue;
		do_step(p, k);
		if (atomic_fetch_sub(&p->left, 1) == 1) {
			pthread_mutex_lock(&p->lock);
			pthread_cond_signal(&p->end);
			pthread_mutex_unlock(&p->lock);
		}
	}
}

/* Polls until there() holds, at most for LOOK_NS or a little more. To wake a thread that sleeps takes longer
   than most windows, so a thread that waits polls before it sleeps. */
static void look_for_a_while(bool (*there)(Pool *, uint64_t), Pool *p, uint64_t seen)
{
	double start = now_ns();
	do {
		for (int i = 0; i < LOOKS; i++) {
			if (there(p, seen))
				return;
			relax();
		}
	} while (now_ns() - start < LOOK_NS);
}

static bool is_called(Pool *p, uint64_t seen)
{
	return atomic_load(&p->round) != seen || atomic_load(&p->stop);
}

static void *worker_runs(void *arg)
{
	Worker *w = arg;
	Pool *p = w->pool;
	uselocale(c_locale()); /* threads begin with the locale that the program has chosen */
	for (uint64_t round = 0; !atomic_load(&p->stop);) {
		look_for_a_while(is_called, p, round);
		pthread_mutex_lock(&p->lock);
		while (!is_called(p, round))
			pthread_cond_wait(&p->begin, &p->lock);
		pthread_mutex_unlock(&p->lock);
		round = atomic_load(&p->round);
		run_free_sms(p, w->number, round);
	}
	return NULL;
}

/* Starts the threads that do not run yet. If the host refuses one, the pool goes on with those that it
   has. */
static void start_threads(Pool *p)
{
	for (; p->started < p->n; p->started++) {
		Worker *w = &p->worker[p->started];
		*w = (Worker){ .pool = p, .number = p->started };
		if (pthread_create(&w->thread, NULL, worker_runs, w))
			p->n = p->started;
	}
}

static bool is_complete(Pool *p, uint64_t round) { return !atomic_load(&p->left); }

/* n SMs are to be taken in the next round. A thread that still looks for SMs of an earlier round takes none
   of them. */
static void offer_sms(Pool *p, int n)
{
	uint64_t round = atomic_load(&p->round);
	int before = atomic_load(&p->offered);
	for (int k = n; k < before; k++)
		atomic_store(&p->taken[k], NOT_OFFERED);
	for (int k = before; k < n; k++)
		atomic_store(&p->taken[k], round);
	atomic_store(&p->offered, n);
	atomic_store(&p->left, n);
}

static void step_together(Pool *p, int step)
{
	atomic_store(&p->step, step);
	offer_sms(p, p->gpu->active.n);
	pthread_mutex_lock(&p->lock);
	uint64_t round = atomic_fetch_add(&p->round, 1) + 1;
	pthread_cond_broadcast(&p->begin);
	pthread_mutex_unlock(&p->lock);
	run_free_sms(p, 0, round);
	look_for_a_while(is_complete, p, round);
	pthread_mutex_lock(&p->lock);
	while (!is_complete(p, round))
		pthread_cond_wait(&p->end, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

static void run_together(Pool *p, Cycle until)
{
	start_threads(p);
	atomic_store(&p->until, until);
	step_together(p, STEP_ADVANCE);
	step_together(p, STEP_EXCHANGE);
	step_together(p, STEP_SETTLE);
}

static void run_alone(Pool *p, Cycle until)
{
	Gpu *g = p->gpu;
	each_active_sm(g, sm)
		window_advance(g, sm, until);
	window_apply(g);
	window_serve(g);
	each_active_sm(g, sm)
		window_settle(g, sm);
}

/* ---- the faster way ---- */

static void count_work(Pool *p)
{
	uint64_t n = 0;
	each_made_sm(p->gpu, sm)
		n += sm->issued;
	p->now.work += (double)(n - p->counted);
	p->counted = n;
}

static PoolWay faster_way(const Pool *p)
{
	const WayCost *a = &p->cost[ALONE], *t = &p->cost[TOGETHER];
	return t->ns * a->work < a->ns * t->work ? TOGETHER : ALONE;
}

/* Called when the time of the current way is over. After a trial the faster way is next, and after the faster
   way a trial of the other one. In the beginning each way is tried once. */
static void choose_way(Pool *p)
{
	WayCost *c = &p->cost[p->way];
	bool first = !p->cost[ALONE].ns || !p->cost[TOGETHER].ns;
	count_work(p);
	*c = (WayCost){ c->ns * KEPT + p->now.ns, c->work * KEPT + p->now.work };
	p->now = (WayCost){ 0 };
	p->trial = first || !p->trial;
	p->way = p->trial ? !p->way : faster_way(p);
}

Pool *pool_new(Gpu *g, int threads)
{
	Pool *p = xcalloc(1, sizeof *p);
	p->gpu = g;
	p->n = threads < 1 ? 1 : threads > g->config.sm_count ? (int)g->config.sm_count : threads;
	p->started = 1;
	p->worker = xcalloc((size_t)p->n, sizeof *p->worker);
	p->taken = xcalloc((size_t)g->config.sm_count, sizeof *p->taken);
	for (int k = 0; k < g->config.sm_count; k++)
		atomic_init(&p->taken[k], NOT_OFFERED);
	p->way = TOGETHER;
	p->trial = true;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->begin, NULL);
	pthread_cond_init(&p->end, NULL);
	return p;
}

void pool_run(Pool *p, Cycle until)
{
	if (p->n == 1) {
		run_alone(p, until);
		return;
	}
	if (p->gpu->active.n < 2) { /* there is no choice, so this tells nothing of the two ways */
		count_work(p);
		run_alone(p, until);
		uint64_t left = p->counted;
		count_work(p);
		p->now.work -= (double)(p->counted - left);
		return;
	}
	double start = now_ns();
	if (p->way == TOGETHER)
		run_together(p, until);
	else
		run_alone(p, until);
	p->now.ns += now_ns() - start;
	if (p->now.ns > (p->trial ? TRY_NS : KEEP_NS))
		choose_way(p);
}

void pool_launch_ends(Pool *p)
{
	count_work(p);
	p->counted = 0;
}

void pool_free(Pool *p)
{
	pthread_mutex_lock(&p->lock);
	atomic_store(&p->stop, true);
	pthread_cond_broadcast(&p->begin);
	pthread_mutex_unlock(&p->lock);
	for (int i = 1; i < p->started; i++)
		pthread_join(p->worker[i].thread, NULL);
	pthread_cond_destroy(&p->end);
	pthread_cond_destroy(&p->begin);
	pthread_mutex_destroy(&p->lock);
	free(p->taken);
	free(p->worker);
	free(p);
}
