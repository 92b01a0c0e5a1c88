/* Kernels from short descriptions of their graph, for tests: "A:T,F T:J F:J J" (two targets: true, false;
 * more: brx; none: exit, or `X:ret`, `X:trap`). Block number k decides with predicate %pk, index %ik. */
#ifndef TEST_GRAPHS_H
#define TEST_GRAPHS_H
#include "passes/analysis/analysis.h"
#include <stdio.h>

static inline Block *graph_block(Function *f, const char *label)
{
	for (int i = 0; i < f->block.n; i++)
		if (!strcmp(f->block.v[i]->label, label))
			return f->block.v[i];
	fprintf(stderr, "no block %s\n", label);
	abort();
}

static inline void graph_term(Module *m, Function *f, Block *b, Block **to, int n, Op none)
{
	char name[16];
	if (n == 0) {
		vec_push(&b->ins, ins_make(m, none, T_NONE, 0, 0));
	} else if (n == 1) {
		block_jump(m, b, to[0]);
	} else if (n == 2) {
		snprintf(name, sizeof name, "%%p%d", b->id);
		block_branch(m, b, function_reg(m, f, name, T_PRED), false, to[0], to[1]);
	} else {
		snprintf(name, sizeof name, "%%i%d", b->id);
		Ins i = ins_make(m, OP_BRX, T_NONE, 0, 1);
		i.opd[0] = opd_reg(function_reg(m, f, name, T_U32));
		vec_push(&b->ins, i);
		b->nsucc = n;
		b->succ = arena_array(&m->arena, Block *, n);
		memcpy(b->succ, to, sizeof *to * (size_t)n);
	}
}

static inline Function *graph_kernel(Module *m, const char *text)
{
	Function *f = function_new(m, FN_KERNEL, "k");
	char *copy = xstrdup(text), *save = NULL, *list[64];
	int n = 0;
	for (char *t = strtok_r(copy, " ", &save); t; t = strtok_r(NULL, " ", &save)) {
		list[n++] = t;
		char *colon = strchr(t, ':');
		if (colon)
			*colon = 0;
		function_block(m, f, t)->user = true;
		if (colon)
			*colon = ':';
	}
	for (int i = 0; i < n; i++) {
		Block *to[32];
		int k = 0;
		Op none = OP_EXIT;
		char *s = strchr(list[i], ':'), *inner = NULL;
		for (char *t = s ? strtok_r(s + 1, ",", &inner) : NULL; t; t = strtok_r(NULL, ",", &inner)) {
			if (!strcmp(t, "ret"))
				none = OP_RET;
			else if (!strcmp(t, "trap"))
				none = OP_TRAP;
			else
				to[k++] = graph_block(f, t);
		}
		graph_term(m, f, f->block.v[i], to, k, none);
	}
	free(copy);
	function_mark_blocks(m, f);
	return f;
}
#endif
