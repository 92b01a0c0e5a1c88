#include "passes/transform/fusion/launches.h"

/* ---- parts and statements ---- */

static int new_part(Host *h, PartKind kind, int block, int to)
{
	vec_push(&h->part, ((Part){ .kind = kind, .block = block, .to = to, .first = -1, .last = -1 }));
	return h->part.n - 1;
}

/* A statement behind another one of the part; -1: at the part's begin. */
static int new_stmt(Host *h, int part, int behind, StmtKind kind, int at)
{
	Part *p = &h->part.v[part];
	int id = h->stmt.n, next = behind < 0 ? p->first : h->stmt.v[behind].next;
	vec_push(&h->stmt, ((Stmt){ .kind = kind, .part = part, .prev = behind, .next = next, .at = at, .ins = -1, .launch = -1, .home = id }));
	*(behind < 0 ? &p->first : &h->stmt.v[behind].next) = id;
	*(next < 0 ? &p->last : &h->stmt.v[next].prev) = id;
	return id;
}

static void begin(Host *h, int part, int at) { new_stmt(h, part, -1, STMT_BEGIN, at); }

static void link(Host *h, int from, int to)
{
	list_add(&h->arena, &h->part.v[from].succ, to);
	list_add(&h->arena, &h->part.v[to].pred, from);
}

typedef struct Registers { Arena *arena; IntList list; } Registers;
static void note_register(void *self, int reg) { list_add(((Registers *)self)->arena, &((Registers *)self)->list, reg); }

static int new_launch(Host *h, const Ins *i, BitSet reads, BitSet writes)
{
	const Opd *stream = ins_src(i, LAUNCH_STREAM);
	Registers used = { .arena = &h->arena };
	Launch l = { .ins = *i, .reads = reads, .writes = writes, .waits = stream->kind == OPD_IMM && !stream->imm };
	l.ins.guard = -1;
	l.ins.guard_neg = 0;
	l.ins.mark = 0;
	ins_reads(h->r->f, &l.ins, note_register, &used);
	l.reg = used.list.v;
	l.nreg = used.list.n;
	vec_push(&h->launch, l);
	return h->launch.n - 1;
}

static BitSet set_of(Host *h, BitSet a, BitSet b)
{
	BitSet s = bs_new(&h->arena, h->nbuffer);
	bs_copy(s, a);
	bs_union(s, b);
	return s;
}

static bool guarded_launch(const Ins *i) { return i->op == OP_LAUNCH && i->guard >= 0; }

static bool same_guard(const Ins *a, const Ins *b) { return guarded_launch(b) && a->guard == b->guard && a->guard_neg == b->guard_neg; }

static void add_statement(Host *h, int part, int block, int k, const BufferUse *u)
{
	const Ins *i = &h->r->f->block.v[block]->ins.v[k];
	bool launch = i->op == OP_LAUNCH;
	int id = new_stmt(h, part, h->part.v[part].last, launch ? STMT_LAUNCH : STMT_CODE, launch ? k : k + 1);
	h->stmt.v[id].ins = k;
	if (launch) {
		BitSet none = bs_new(&h->arena, h->nbuffer);
		int l = new_launch(h, i, u ? set_of(h, u->reads, none) : none, u ? set_of(h, u->writes, u->kills) : none);
		h->launch.v[l].visible = analysis_effects(h->an)->function[ins_src(i, 0)->id].visible;
		h->stmt.v[id].launch = l;
	} else if (u) {
		h->stmt.v[id].changes = set_of(h, u->writes, u->kills);
		h->stmt.v[id].touches = set_of(h, h->stmt.v[id].changes, u->reads);
	}
}

/* The block's parts, in order; the last one's number. */
static int add_block(Host *h, const Buffers *buffers, int block)
{
	const Block *b = h->r->f->block.v[block];
	int part = new_part(h, PART_BLOCK, block, -1), use = buffers->first[block], end = use + buffers->count[block];
	begin(h, part, 0);
	for (int k = 0; k < b->ins.n - 1;) {
		int into = part, other = -1, first = k;
		if (guarded_launch(&b->ins.v[k])) {
			into = new_part(h, PART_GUARDED, block, -1);
			other = new_part(h, PART_ELSE, block, -1);
			begin(h, into, k);
			begin(h, other, k);
		}
		do {
			while (use < end && buffers->use[use].ins < k)
				use++;
			add_statement(h, into, block, k, use < end && buffers->use[use].ins == k ? &buffers->use[use] : NULL);
			if (other >= 0)    /* what is computed for one of them is computed before the guard is asked */
				h->stmt.v[h->part.v[into].last].at = first;
			k++;
		} while (other >= 0 && k < b->ins.n - 1 && same_guard(&b->ins.v[first], &b->ins.v[k]));
		if (other < 0)
			continue;
		int rest = new_part(h, PART_BLOCK, block, -1);
		begin(h, rest, k);
		link(h, part, into);
		link(h, part, other);
		link(h, into, rest);
		link(h, other, rest);
		part = rest;
	}
	return part;
}

/* ---- the function ---- */

static void add_edges(Host *h, const Cfg *c, int block, const int *first, const int *edges, int last)
{
	const IntList *succ = &c->graph->succ[block];
	for (int k = 0; k < succ->n; k++) {
		int to = first[succ->v[k]];
		if (edges[block] < 0 || c->graph->pred[succ->v[k]].n + (succ->v[k] == 0) < 2) {
			link(h, last, to);
		} else {
			link(h, last, edges[block] + k);
			link(h, edges[block] + k, to);
		}
	}
}

/* Critical edges get a part each: what is put there is on no other way. */
static void add_edge_parts(Host *h, const Cfg *c, int block)
{
	const IntList *succ = &c->graph->succ[block];
	int at = c->f->block.v[block]->ins.n - 1;
	for (int k = 0; k < succ->n; k++)
		begin(h, new_part(h, PART_EDGE, block, succ->v[k]), at);
}

static void find_endless(Host *h)
{
	Vec(int) todo = { 0 };
	for (int p = 0; p < h->part.n; p++) {
		h->part.v[p].endless = h->part.v[p].succ.n > 0 || (h->part.v[p].kind == PART_EDGE && !h->part.v[p].pred.n);
		if (!h->part.v[p].endless)
			vec_push(&todo, p);
	}
	while (todo.n) {
		const Part *p = &h->part.v[vec_pop(&todo)];
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
	int *first = arena_array(&h->arena, int, c->n + 1), *last = arena_array(&h->arena, int, c->n + 1), *edges = arena_array(&h->arena, int, c->n + 1);
	h->nbuffer = buffers->n;
	if (c->graph->pred[0].n)
		begin(h, new_part(h, PART_START, 0, -1), 0);
	for (int k = 0; k < c->nreach; k++) {
		int b = c->rpo[k]->id;
		first[b] = h->part.n;
		last[b] = add_block(h, buffers, b);
		edges[b] = c->graph->succ[b].n > 1 ? h->part.n : -1;
		if (edges[b] >= 0)
			add_edge_parts(h, c, b);
	}
	if (c->graph->pred[0].n)
		link(h, 0, first[0]);
	for (int k = 0; k < c->nreach; k++)
		add_edges(h, c, c->rpo[k]->id, first, edges, last[c->rpo[k]->id]);
	find_endless(h);
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

int host_nsucc(const Host *h, int s) { return h->stmt.v[s].next >= 0 ? 1 : h->part.v[h->stmt.v[s].part].succ.n; }
int host_npred(const Host *h, int s) { return h->stmt.v[s].prev >= 0 ? 1 : h->part.v[h->stmt.v[s].part].pred.n; }

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
const char *host_kernel(const Host *h, int launch) { return h->r->m->func.v[ins_src(&h->launch.v[launch].ins, 0)->id]->name; }
const char *host_label(const Host *h, int stmt) { return h->r->f->block.v[h->part.v[h->stmt.v[stmt].part].block]->label; }

/* ---- what a launch may pass ---- */

static bool meet(const Host *h, BitSet a, BitSet b)
{
	if (!h->nbuffer)           /* all memory that there is has no name */
		return true;
	for (int k = 0; k < a.n; k++)
		if (a.w[k] & b.w[k])
			return true;
	return false;
}

static bool defines(const Function *f, const Ins *i, const Launch *l)
{
	for (int k = 0; k < l->nreg; k++)
		if (ins_writes(f, i, l->reg[k]))
			return true;
	return false;
}

bool host_passes(const Host *h, int launch, int stmt)
{
	const Stmt *s = &h->stmt.v[stmt];
	const Launch *l = &h->launch.v[launch];
	if (s->kind != STMT_CODE)
		return s->kind != STMT_LAUNCH;
	const Ins *i = &h->r->f->block.v[h->part.v[s->part].block]->ins.v[s->ins];
	bool memory = s->touches.w != NULL;
	if (op_info[i->op].kind != K_ALU && !memory) /* checks and what orders launches; what touches memory is in the list of buffers.h */
		return false;
	if (defines(h->r->f, i, l) || (memory && i->op != OP_ALLOC && !l->waits) || (i->op == OP_CALL && l->visible))
		return false;
	return !memory || !(meet(h, l->writes, s->touches) || meet(h, l->reads, s->changes));
}

/* ---- changes ---- */

int host_put_behind(Host *h, int stmt, int launch)
{
	const Stmt *s = &h->stmt.v[stmt];
	h->part.v[s->part].changed = true;
	int at = s->ins >= 0 && h->part.v[s->part].kind == PART_BLOCK ? s->ins + 1 : s->at;
	int id = new_stmt(h, s->part, stmt, STMT_LAUNCH, at);
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

/* ---- joining ---- */

static void say(Host *h, int launch, const char *text)
{
	Loc loc = host_loc(h, launch);
	const char *key = arena_printf(&h->arena, "%d:%d:%s", loc.line, loc.col, text);
	if (strmap_get(&h->said, key) >= 0)
		return;
	strmap_put(&h->said, key, 1);
	pass_remark(h->r, loc, "%s", text);
}

static const char *pair_name(Host *h, int first, int second)
{
	return arena_printf(&h->arena, "%s of line %d and %s", host_kernel(h, first), host_loc(h, first).line, host_kernel(h, second));
}

bool host_may_join(Host *h, int stmt, int first, int second, FusionVerdict *v)
{
	const Stmt *s = &h->stmt.v[stmt];
	const Part *p = &h->part.v[s->part];
	char key[64];
	snprintf(key, sizeof key, "%d,%d,%d,%d", first, second, p->block, s->at);
	if (strmap_get(&h->refused, key) >= 0)
		return false;
	*v = (FusionVerdict){ 0 };
	if (p->kind == PART_START) /* sums of shared bytes have no place there */
		v->why = "they would be launched before the entry, to which a loop leads back";
	else if (h->joiner.judge(h->joiner.self, h->an, p->block, s->at, &h->launch.v[first].ins, &h->launch.v[second].ins, v))
		return true;
	strmap_put(&h->refused, arena_strdup(&h->arena, key), 1);
	if (pass_explains(h->r))
		say(h, second, arena_printf(&h->arena, "%s: not fused: %s", pair_name(h, first, second), v->why ? v->why : "refused"));
	return false;
}

static bool stands_behind(const Host *h, int stmt, int other)
{
	while (other >= 0 && other != stmt)
		other = h->stmt.v[other].next;
	return other == stmt;
}

/* Instructions that have come before number `at` of a block, for the launch in stmt: statements are numbered anew, and the new ones are statements, too. */
static void note_code(Host *h, int stmt, int at, int n)
{
	int part = h->stmt.v[stmt].part, block = h->part.v[part].block, behind = h->stmt.v[stmt].prev;
	while (h->part.v[part].kind != PART_BLOCK) {
		part = h->part.v[part].pred.v[0];
		behind = h->part.v[part].last;
	}
	for (int k = 0; k < h->stmt.n; k++) {
		Stmt *s = &h->stmt.v[k];
		if (h->part.v[s->part].block != block || s->at < at)
			continue;
		if (s->at > at || s->part > part || (s->part == part && k != behind && stands_behind(h, k, behind)))
			s->at += n;
		if (s->ins >= at)
			s->ins += n;
	}
	for (int k = 0; k < n; k++) {
		behind = new_stmt(h, part, behind, STMT_CODE, at + k + 1);
		h->stmt.v[behind].ins = at + k;
	}
}

void host_join(Host *h, int stmt, int first, int second, const FusionVerdict *v)
{
	int part = h->stmt.v[stmt].part, at = h->stmt.v[stmt].at;
	Block *b = h->r->f->block.v[h->part.v[part].block];
	Launch one = h->launch.v[first], two = h->launch.v[second];
	int n = b->ins.n;
	Ins i = h->joiner.make(h->joiner.self, h->an, &h->e, b, at, &one.ins, &two.ins, v);
	int l = new_launch(h, &i, set_of(h, one.reads, two.reads), set_of(h, one.writes, two.writes));
	h->launch.v[l].visible = one.visible || two.visible;
	if (b->ins.n > n)
		note_code(h, stmt, at, b->ins.n - n);
	Stmt *s = &h->stmt.v[stmt];
	h->stmt.v[s->home].lost = true;
	s->home = stmt;
	s->lost = false;
	s->launch = l;
	s->fused = true;
	h->part.v[part].changed = true;
	h->fusions++;
	if (pass_explains(h->r))
		say(h, second, arena_printf(&h->arena, "%s become %s%s", pair_name(h, first, second), host_kernel(h, l),
			v->between == FUSION_NOTHING ? "" : v->between == FUSION_BLOCK ? ", with a block barrier between them" : ", with a barrier of the grid between them"));
}
