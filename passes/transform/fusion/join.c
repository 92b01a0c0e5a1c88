#include "passes/transform/fusion/launches.h"

static void say_once(Host *h, int launch, const char *text)
{
	Loc loc = host_loc(h, launch);
	StrMap *said = h->joiner.said ? h->joiner.said : &h->said;
	const char *key = arena_printf(&h->r->m->arena, "%d:%d:%s", loc.line, loc.col, text);
	if (strmap_get(said, key) >= 0)
		return;
	strmap_put(said, key, 1);
	pass_remark(h->r, loc, "%s", text);
}

static const char *pair_name(Host *h, int first, int second)
{
	return arena_printf(&h->arena, "%s of line %d and %s", host_kernel(h, first), host_loc(h, first).line,
		host_kernel(h, second));
}

bool host_may_join(Host *h, int stmt, int first, int second, FusionVerdict *v)
{
	const Stmt *s = &h->stmt.v[stmt];
	const HostPart *p = &h->part.v[s->part];
	char key[64];
	snprintf(key, sizeof key, "%d,%d,%d,%d", first, second, p->block, s->at);
	if (strmap_get(&h->refused, key) >= 0)
		return false;
	*v = (FusionVerdict){ 0 };
	/* host code that adds up bytes of shared memory could not be put there */
	if (p->kind == PART_START)
		v->why = "they would be launched before the entry, to which a loop leads back";
	else if (h->joiner.judge(h->joiner.self, h->an, p->block, s->at, &h->launch.v[first].ins,
		&h->launch.v[second].ins, v))
		return true;
	strmap_put(&h->refused, arena_strdup(&h->arena, key), 1);
	if (pass_explains(h->r))
		say_once(h, second, arena_printf(&h->arena, "%s: not fused: %s", pair_name(h, first, second),
			v->why ? v->why : "refused"));
	return false;
}

static bool stands_behind(const Host *h, int stmt, int other)
{
	while (other >= 0 && other != stmt)
		other = h->stmt.v[other].next;
	return other == stmt;
}

/* To make the launch in stmt, n instructions were inserted before instruction `at` of the block: updates the
   numbers of instructions in the block's statements, and adds statements for the new instructions. */
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
		if (s->at > at || s->part > part || (s->part == part && k != behind &&
			stands_behind(h, k, behind)))
			s->at += n;
		if (s->ins >= at)
			s->ins += n;
	}
	for (int k = 0; k < n; k++) {
		behind = host_new_stmt(h, part, behind, STMT_CODE, at + k + 1);
		h->stmt.v[behind].ins = at + k;
	}
}

void host_join(Host *h, int stmt, int first, int second, const FusionVerdict *v)
{
	int part = h->stmt.v[stmt].part, at = h->stmt.v[stmt].at;
	Block *b = h->r->f->block.v[h->part.v[part].block];
	StmtLaunch one = h->launch.v[first], two = h->launch.v[second];
	int n = b->ins.n;
	Ins i = h->joiner.make(h->joiner.self, h->an, &h->e, b, at, &one.ins, &two.ins, v);
	int l = host_new_launch(h, &i, host_set(h, one.reads, two.reads),
		host_set(h, one.writes, two.writes));
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
		say_once(h, second, arena_printf(&h->arena, "%s become %s%s", pair_name(h, first, second),
			host_kernel(h, l), v->between == FUSION_NOTHING ? ""
			: v->between == FUSION_BLOCK ? ", with a block barrier between them"
			: ", with a barrier of the grid between them"));
}
