/* Races between blocks: the accesses of each launch are noted while it runs (isa/races.h); the races found
   among them become part of the launch's statistics. */
#include "sim/host/races.h"

/* the last launch of a stream so far; launch: its number in the run, from 1 */
typedef struct RaceLast { int stream, launch; uint32_t grid[3]; RaceLog *log; } RaceLast;

struct RunRaces {
	Races *races;
	Vec(RaceLast) last;
};

void run_races_open(Run *run, Pending *p)
{
	if (!run->options.races && !run->options.race_launches)
		return;
	if (!run->races) {
		run->races = arena_new(&run->arena, RunRaces);
		run->races->races = races_new(run->module);
	}
	p->launch.races = race_open(run->races->races, run->options.race_launches);
}

void run_races_free(Run *run)
{
	if (!run->races)
		return;
	for (int k = 0; k < run->races->last.n; k++)
		race_close(run->races->last.v[k].log);
	vec_free(&run->races->last);
	races_free(run->races->races);
}

/* ---- what was found ---- */

/* Fills in the name of the buffer or variable that has the address, and the offset in it, if there is one. */
static void put_buffer(Run *run, uint64_t addr, RaceStats *s)
{
	for (int k = 0; k < run->buffer.n; k++) {
		const RunBuffer *b = &run->buffer.v[k];
		if (addr - b->addr < b->n * (uint64_t)type_bytes(b->type)) {
			s->buffer = b->name;
			s->offset = addr - b->addr;
		}
	}
}

static RaceEnd race_end(Run *run, const RaceSide *x)
{
	Loc loc = ins_loc(run->module, x->ins);
	RaceEnd e = { x->function->name, x->block->label, loc.line > 0 ? loc.file : NULL,
		loc.line > 0 ? loc.line : 0, race_verb(x->ins), x->number };
	e.inlined = place_list_of(run->module, x->ins->inlined, &run->arena);
	return e;
}

static RaceStats *race_table(Run *run, RacePairs *p)
{
	RaceStats *t = arena_array(&run->arena, RaceStats, p->n + 1);
	for (int k = 0; k < p->n; k++) {
		const RacePair *x = &p->v[k];
		t[k] = (RaceStats){ .end = { race_end(run, &x->side[0]), race_end(run, &x->side[1]) },
			.bytes = x->bytes, .same = x->same };
		put_buffer(run, x->addr, &t[k]);
	}
	return t;
}

static RaceLast *last_of(RunRaces *r, int stream)
{
	for (int k = 0; k < r->last.n; k++)
		if (r->last.v[k].stream == stream)
			return &r->last.v[k];
	vec_push(&r->last, ((RaceLast){ .stream = stream }));
	return &vec_last(&r->last);
}

/* Compares the launch with the one before it in its stream, then keeps its accesses for the next launch
   there. */
static void compare_with_last(Run *run, Pending *p, LaunchStats *s)
{
	RaceLast *last = last_of(run->races, s->stream);
	RacePairs found = { 0 };
	if (last->log) {
		races_between(last->log, p->launch.races, memcmp(last->grid, p->launch.grid,
			sizeof last->grid) != 0, &found);
		s->behind = last->launch;
		s->nbetween = found.n;
		s->between_stats = race_table(run, &found);
		vec_free(&found);
		race_close(last->log);
	}
	last->log = p->launch.races;
	last->launch = run->launch.n;
	memcpy(last->grid, p->launch.grid, sizeof last->grid);
	p->launch.races = NULL;
}

void run_races_found(Run *run, Pending *p)
{
	LaunchStats *s = p->stats;
	RacePairs found = { 0 };
	if (!p->launch.races)
		return;
	if (run->options.races) {
		races_find(p->launch.races, &found);
		s->races_checked = true;
		s->tables.races.n = found.n;
		s->tables.races.v = race_table(run, &found);
		run->racing += found.n > 0;
		vec_free(&found);
	}
	if (run->options.race_launches)
		compare_with_last(run, p, s);
}

void run_races_judge(Run *run)
{
	if (run->racing)
		run_fail(run, RUN_FAILED, (Loc){ 0 }, "--race-check: blocks race in %d of %d launches; the "
			"report names the accesses", run->racing, run->launch.n);
}
