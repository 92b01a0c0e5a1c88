#include "passes/transform/fusion/launches.h"

/* ---- parts and statements ---- */

static int new_part(Host *h, HostPartKind kind, int block, int to)
{
	vec_push(&h->part, ((HostPart){ .kind = kind, .block = block, .to = to, .first = -1, .last = -1 }));
	return h->part.n - 1;
}

int host_new_stmt(Host *h, int part, int behind, StmtKind kind, int at)
{
	HostPart *p = &h->part.v[part];
	int id = h->stmt.n, next = behind < 0 ? p->first : h->stmt.v[behind].next;
	vec_push(&h->stmt, ((Stmt){ .kind = kind, .part = part, .prev = behind, .next = next, .at = at,
		.ins = -1, .launch = -1, .home = id }));
	*(behind < 0 ? &p->first : &h->stmt.v[behind].next) = id;
	*(next < 0 ? &p->last : &h->stmt.v[next].prev) = id;
	return id;
}

static void begin_part(Host *h, int part, int at) { host_new_stmt(h, part, -1, STMT_BEGIN, at); }

static void link_parts(Host *h, int from, int to)
{
	list_add(&h->arena, &h->part.v[from].succ, to);
	list_add(&h->arena, &h->part.v[to].pred, from);
}

typedef struct Registers { Arena *arena; IntList list; } Registers;
static void note_register(void *self, int reg)
{
	list_add(((Registers *)self)->arena, &((Registers *)self)->list, reg);
}

int host_new_launch(Host *h, const Ins *i, BitSet reads, BitSet writes)
{
	const Opd *stream = ins_src(i, LAUNCH_STREAM);
	Registers used = { .arena = &h->arena };
	StmtLaunch l = { .ins = *i, .reads = reads, .writes = writes,
		.waits = stream->kind == OPD_IMM && !stream->imm };
	l.ins.guard = -1;
	l.ins.guard_neg = 0;
	l.ins.mark = 0;
	ins_reads(h->r->f, &l.ins, note_register, &used);
	l.reg = used.list.v;
	l.nreg = used.list.n;
	vec_push(&h->launch, l);
	return h->launch.n - 1;
}

BitSet host_set(Host *h, BitSet a, BitSet b)
{
	BitSet s = bs_new(&h->arena, h->nbuffer);
	bs_copy(s, a);
	bs_union(s, b);
	return s;
}

static bool guarded_launch(const Ins *i) { return i->op == OP_LAUNCH && i->guard >= 0; }

static bool same_guard(const Ins *a, const Ins *b)
{
	return guarded_launch(b) && a->guard == b->guard && a->guard_neg == b->guard_neg;
}

static void add_statement(Host *h, int part, int block, int k, const BufferUse *u)
{
	const Ins *i = &h->r->f->block.v[block]->ins.v[k];
	bool launch = i->op == OP_LAUNCH;
	int id = host_new_stmt(h, part, h->part.v[part].last, launch ? STMT_LAUNCH : STMT_CODE,
		launch ? k : k + 1);
	h->stmt.v[id].ins = k;
	if (launch) {
		BitSet none = bs_new(&h->arena, h->nbuffer);
		int l = host_new_launch(h, i, u ? host_set(h, u->reads, none) : none,
			u ? host_set(h, u->writes, u->kills) : none);
		h->launch.v[l].visible = analysis_effects(h->an)->function[ins_src(i, 0)->id].visible;
		h->stmt.v[id].launch = l;
	} else if (u) {
		h->stmt.v[id].changes = host_set(h, u->writes, u->kills);
		h->stmt.v[id].touches = host_set(h, h->stmt.v[id].changes, u->reads);
	}
}

/* Adds the block's parts, in order, with their statements. Returns the number of the last part. */
static int add_host_block(Host *h, const Buffers *buffers, int block)
{
	const Block *b = h->r->f->block.v[block];
	int part = new_part(h, PART_BLOCK, block, -1), use = buffers->first[block],
		end = use + buffers->count[block];
	begin_part(h, part, 0);
	for (int k = 0; k < b->ins.n - 1;) {
		int into = part, other = -1, first = k;
		if (guarded_launch(&b->ins.v[k])) {
			into = new_part(h, PART_GUARDED, block, -1);
			other = new_part(h, PART_ELSE, block, -1);
			begin_part(h, into, k);
			begin_part(h, other, k);
		}
		do {
			while (use < end && buffers->use[use].ins < k)
				use++;
			add_statement(h, into, block, k, use < end && buffers->use[use].ins == k
				? &buffers->use[use] : NULL);
			/* host code that a fusion needs for one of these launches is put before all of
			   them */
			if (other >= 0)
				h->stmt.v[h->part.v[into].last].at = first;
			k++;
		} while (other >= 0 && k < b->ins.n - 1 && same_guard(&b->ins.v[first], &b->ins.v[k]));
		if (other < 0)
			continue;
		int rest = new_part(h, PART_BLOCK, block, -1);
		begin_part(h, rest, k);
		link_parts(h, part, into);
		link_parts(h, part, other);
		link_parts(h, into, rest);
		link_parts(h, other, rest);
		part = rest;
	}
	return part;
}

/* ---- the function ---- */

static void add_host_edges(Host *h, const Cfg *c, int block, const int *first, const int *edges, int last)
{
	const IntList *succ = &c->graph->succ[block];
	for (int k = 0; k < succ->n; k++) {
		int to = first[succ->v[k]];
		if (edges[block] < 0 || c->graph->pred[succ->v[k]].n + (succ->v[k] == 0) < 2) {
			link_parts(h, last, to);
		} else {
			link_parts(h, last, edges[block] + k);
			link_parts(h, edges[block] + k, to);
		}
	}
}

/* Adds a part for each edge out of the block. Those of critical edges come to use: what is put on such an
   edge is on no other way. */
static void add_edge_parts(Host *h, const Cfg *c, int block)
{
	const IntList *succ = &c->graph->succ[block];
	int at = c->f->block.v[block]->ins.n - 1;
	for (int k = 0; k < succ->n; k++)
		begin_part(h, new_part(h, PART_EDGE, block, succ->v[k]), at);
}

static void find_endless_parts(Host *h)
{
	Vec(int) todo = { 0 };
	for (int p = 0; p < h->part.n; p++) {
		h->part.v[p].endless = h->part.v[p].succ.n > 0 ||
			(h->part.v[p].kind == PART_EDGE && !h->part.v[p].pred.n);
		if (!h->part.v[p].endless)
			vec_push(&todo, p);
	}
	while (todo.n) {
		const HostPart *p = &h->part.v[vec_pop(&todo)];
		for (int k = 0; k < p->pred.n; k++)
			if (h->part.v[p->pred.v[k]].endless) {
				h->part.v[p->pred.v[k]].endless = false;
				vec_push(&todo, p->pred.v[k]);
			}
	}
	vec_free(&todo);
}

void host_open(Host *h, PassRun *r, Analyses *an, Joiner joiner)
{
	*h = (Host){ .r = r, .an = an, .joiner = joiner, .e = edit_open(r->m, r->f, r->origin) };
	const Cfg *c = analysis_cfg(an);
	const Buffers *buffers = analysis_buffers(an);
	int *first = arena_array(&h->arena, int, c->n + 1), *last = arena_array(&h->arena, int, c->n + 1),
		*edges = arena_array(&h->arena, int, c->n + 1);
	h->nbuffer = buffers->n;
	if (c->graph->pred[0].n)
		begin_part(h, new_part(h, PART_START, 0, -1), 0);
	for (int k = 0; k < c->nreach; k++) {
		int b = c->rpo[k]->id;
		first[b] = h->part.n;
		last[b] = add_host_block(h, buffers, b);
		edges[b] = c->graph->succ[b].n > 1 ? h->part.n : -1;
		if (edges[b] >= 0)
			add_edge_parts(h, c, b);
	}
	if (c->graph->pred[0].n)
		link_parts(h, 0, first[0]);
	for (int k = 0; k < c->nreach; k++)
		add_host_edges(h, c, c->rpo[k]->id, first, edges, last[c->rpo[k]->id]);
	find_endless_parts(h);
}

void host_close(Host *h)
{
	edit_close(&h->e);
	vec_free(&h->stmt);
	vec_free(&h->part);
	vec_free(&h->launch);
	strmap_free(&h->refused);
	strmap_free(&h->said);
	arena_free(&h->arena);
}

int host_nsucc(const Host *h, int s)
{
	return h->stmt.v[s].next >= 0 ? 1 : h->part.v[h->stmt.v[s].part].succ.n;
}
int host_npred(const Host *h, int s)
{
	return h->stmt.v[s].prev >= 0 ? 1 : h->part.v[h->stmt.v[s].part].pred.n;
}

int host_succ(const Host *h, int s, int k)
{
	const Stmt *x = &h->stmt.v[s];
	return x->next >= 0 ? x->next : h->part.v[h->part.v[x->part].succ.v[k]].first;
}

int host_pred(const Host *h, int s, int k)
{
	const Stmt *x = &h->stmt.v[s];
	return x->prev >= 0 ? x->prev : h->part.v[h->part.v[x->part].pred.v[k]].last;
}

Loc host_loc(const Host *h, int launch) { return ins_loc(h->r->m, &h->launch.v[launch].ins); }
const char *host_kernel(const Host *h, int launch)
{
	return h->r->m->func.v[ins_src(&h->launch.v[launch].ins, 0)->id]->name;
}
const char *host_label(const Host *h, int stmt)
{
	return h->r->f->block.v[h->part.v[h->stmt.v[stmt].part].block]->label;
}

/* ---- what a launch may pass ---- */

static bool buffers_meet(const Host *h, BitSet a, BitSet b)
{
	if (!h->nbuffer)           /* no buffer is known: all accesses may meet */
		return true;
	for (int k = 0; k < a.n; k++)
		if (a.w[k] & b.w[k])
			return true;
	return false;
}

static bool defines_operand(const Function *f, const Ins *i, const StmtLaunch *l)
{
	for (int k = 0; k < l->nreg; k++)
		if (ins_writes(f, i, l->reg[k]))
			return true;
	return false;
}

bool host_passes(const Host *h, int launch, int stmt)
{
	const Stmt *s = &h->stmt.v[stmt];
	const StmtLaunch *l = &h->launch.v[launch];
	if (s->kind != STMT_CODE)
		return s->kind != STMT_LAUNCH;
	const Ins *i = &h->r->f->block.v[h->part.v[s->part].block]->ins.v[s->ins];
	bool memory = s->touches.w != NULL;
	/* other instructions than computations may check something or order launches; those that touch memory
	   are in the list of buffers.h, and are looked at below */
	if (op_info[i->op].kind != K_ALU && !memory)
		return false;
	if (defines_operand(h->r->f, i, l) || (memory && i->op != OP_ALLOC && !l->waits) ||
		(i->op == OP_CALL && l->visible))
		return false;
	return !memory || !(buffers_meet(h, l->writes, s->touches) || buffers_meet(h, l->reads, s->changes));
}

/* ---- changes ---- */

int host_put_behind(Host *h, int stmt, int launch)
{
	const Stmt *s = &h->stmt.v[stmt];
	h->part.v[s->part].changed = true;
	int at = s->ins >= 0 && h->part.v[s->part].kind == PART_BLOCK ? s->ins + 1 : s->at;
	int id = host_new_stmt(h, s->part, stmt, STMT_LAUNCH, at);
	h->stmt.v[id].launch = launch;
	return id;
}

int host_put_before(Host *h, int stmt, int launch)
{
	const Stmt *s = &h->stmt.v[stmt];
	return host_put_behind(h, s->prev < 0 ? stmt : s->prev, launch);
}

void host_leave(Host *h, int stmt)
{
	h->part.v[h->stmt.v[stmt].part].changed = true;
	h->stmt.v[stmt].kind = STMT_HOME;
}

void host_take(Host *h, int stmt)
{
	Stmt *s = &h->stmt.v[stmt];
	h->part.v[s->part].changed = true;
	h->stmt.v[s->home].lost = true;
	s->kind = STMT_GONE;
}
