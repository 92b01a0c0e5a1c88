/* Host threads. SM i belongs to thread i mod n; between two windows all meet, so who runs an SM changes nothing. */
#include "sim/machine.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

typedef struct Worker { Pool *pool; int index; pthread_t thread; } Worker;

struct Pool {
	Gpu *gpu;
	int n;                     /* threads, the caller's included */
	Worker *worker;
	Cycle until;
	atomic_uint round, done;
	atomic_bool stop;
};

static void share(Pool *p, int index)
{
	for (int i = index; i < p->gpu->config.sm_count; i += p->n)
		sm_run(&p->gpu->sm[i], p->until);
}

/* Windows are short: wait by looking, and let others run when that takes long. */
static void wait_for(atomic_uint *x, unsigned value, atomic_bool *stop)
{
	for (unsigned spins = 0; atomic_load_explicit(x, memory_order_acquire) != value; spins++) {
		if (stop && atomic_load_explicit(stop, memory_order_acquire))
			return;
		if (spins > 2000)
			sched_yield();
	}
}

static void *work(void *arg)
{
	Worker *w = arg;
	Pool *p = w->pool;
	for (unsigned round = 1;; round++) {
		wait_for(&p->round, round, &p->stop);
		if (atomic_load(&p->stop))
			return NULL;
		share(p, w->index);
		atomic_fetch_add_explicit(&p->done, 1, memory_order_release);
	}
}

Pool *pool_new(Gpu *g, int threads)
{
	Pool *p = xcalloc(1, sizeof *p);
	p->gpu = g;
	p->n = threads < 1 ? 1 : threads > g->config.sm_count ? (int)g->config.sm_count : threads;
	p->worker = xcalloc((size_t)p->n, sizeof *p->worker);
	for (int i = 1; i < p->n; i++) {
		p->worker[i] = (Worker){ .pool = p, .index = i };
		if (pthread_create(&p->worker[i].thread, NULL, work, &p->worker[i])) {
			atomic_store(&p->stop, true); /* no threads to be had: this one does it all */
			for (int k = 1; k < i; k++)
				pthread_join(p->worker[k].thread, NULL);
			p->n = 1;
			break;
		}
	}
	return p;
}

void pool_run(Pool *p, Cycle until)
{
	p->until = until;
	if (p->n > 1) {
		atomic_store(&p->done, 0);
		atomic_fetch_add_explicit(&p->round, 1, memory_order_release);
	}
	share(p, 0);
	if (p->n > 1)
		wait_for(&p->done, (unsigned)p->n - 1, NULL);
}

void pool_free(Pool *p)
{
	atomic_store(&p->stop, true);
	for (int i = 1; i < p->n; i++)
		pthread_join(p->worker[i].thread, NULL);
	free(p->worker);
	free(p);
}
