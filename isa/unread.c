#include "isa/unread.h"
#include "isa/effects.h"
#include <stdlib.h>

enum { MOST_BYTES = 1 << 30 };

static bool counts_as_inserted(const Ins *i) { return i->origin && i->ndst && i->op != OP_MOV; }

static bool made_by_passes(const Function *f)
{
	for (int b = 0; b < f->block.n; b++)
		for (int i = 0; i < f->block.v[b]->ins.n; i++)
			if (counts_as_inserted(&f->block.v[b]->ins.v[i]))
				return true;
	return false;
}

bool unread_open(Unread *u, const Launch *l)
{
	*u = (Unread){ .kernel = l->kernel };
	if (!made_by_passes(l->kernel))
		return false;
	size_t blocks = kernel_grid_barrier(l->module, l->kernel)
		? (size_t)l->grid[0] * l->grid[1] * l->grid[2] : 1;
	size_t block = (size_t)l->block[0] * l->block[1] * l->block[2] * (size_t)function_values(l->kernel);
	if (blocks > MOST_BYTES / block)
		return false;
	u->waits = xcalloc(blocks * block, sizeof *u->waits);
	return true;
}

void unread_close(Unread *u)
{
	free(u->waits);
	u->waits = NULL;
}

static bool *waiting_write(Unread *u, int reg)
{
	return &u->waits[u->thread * (size_t)function_values(u->kernel) + (size_t)reg];
}

static void note_read(void *self, int reg) { *waiting_write(self, reg) = false; }

static void goes(void *self, int reg)
{
	Unread *u = self;
	u->unread += *waiting_write(u, reg);
	*waiting_write(u, reg) = false;
}

void unread_watch(void *self, uint32_t thread, const Function *f, const Ins *i)
{
	Unread *u = self;
	if (f != u->kernel)
		return;
	u->thread = thread;
	ins_reads(f, i, note_read, u);
	ins_defs(f, i, goes, u);
	for (int d = 0; d < i->ndst && counts_as_inserted(i); d++, u->values++)
		*waiting_write(u, ins_dst(i, d)->id) = true;
	for (int r = 0; r < f->reg.n && (i->op == OP_EXIT || i->op == OP_RET); r++)
		goes(u, r);
}
