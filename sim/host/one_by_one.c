/* Runs launches one after the other, each to its end, where the simulated machine has no part in it: in the
   reference interpreter or on a real GPU. */
#include "sim/host/run.h"
#include "isa/unread.h"
#include "sim/driver/real_gpu.h"
#include <time.h>

static double wall_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool launch_reference(Run *run, const Launch *l, LaunchStats *s, Fault *fault)
{
	Unread unread;
	bool watched = unread_open(&unread, l);
	InterpOptions options = { .warp_size = (int)run->config->warp_size,
		.max_steps = (uint64_t)run->config->max_cycles,
		.thread_instructions = &s->totals.thread_instructions,
		.interrupted = run->options.gpu.interrupted,
		.watch = watched ? unread_watch : NULL,
		.self = &unread };
	double start = wall_seconds();
	bool ok = interp_launch(l, &options, fault);
	s->totals.seconds = wall_seconds() - start;
	unread_close(&unread);
	s->totals.inserted_values = unread.values;
	s->totals.inserted_unread = unread.unread;
	return ok;
}

bool run_one_by_one(Run *run, const LaunchStats **failed, Fault *fault)
{
	const RunOptions *o = &run->options;
	for (int i = 0; i < run->pending.n; i++) {
		const Launch *l = &run->pending.v[i]->launch;
		LaunchStats *s = run->pending.v[i]->stats;
		s->kernel = l->kernel->name;
		memcpy(s->grid, l->grid, sizeof s->grid);
		memcpy(s->block, l->block, sizeof s->block);
		s->reference = true;
		s->totals.launches = 1;
		s->warp_size = (int)run->config->warp_size;
		s->completed = o->real_gpu ? real_gpu_launch(o->real_gpu, l, &s->totals.seconds,
			o->gpu.interrupted, fault) : launch_reference(run, l, s, fault);
		if (!s->completed) {
			*failed = s;
			if (o->real_gpu && !fault->loc.line)   /* it does not tell which instruction failed */
				fault->loc = run->pending.v[i]->where;
			return false;
		}
	}
	return true;
}

bool run_fetch(Run *run, const RunBuffer *b, bool writes)
{
	if (!run->options.real_gpu)
		return true;
	Fault fault = { 0 };
	const Alloc *a = b ? memory_find(run->memory, b->addr, b->n * (uint64_t)type_bytes(b->type), NULL)
		: NULL;
	if ((b && !a) || real_gpu_fetch(run->options.real_gpu, a, writes, &fault))
		return true;
	run_fault(run, &fault, (Loc){ 0 });
	return false;
}
