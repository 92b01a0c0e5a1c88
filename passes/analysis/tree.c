#include "passes/analysis/tree.h"
#include <limits.h>
#include <stdbool.h>

Tree tree_new(Arena *a, int n) { return (Tree){ arena_array(a, TreeNode, n + 1) }; }

void tree_root(Tree *t, int x) { t->node[x] = (TreeNode){ x, x, 0, INT_MAX, INT_MAX }; }

static int lesser(int a, int b) { return a < b ? a : b; }

void tree_add(Tree *t, int x, int up, int value)
{
	const TreeNode *p = &t->node[up], *j = &t->node[p->jump];
	TreeNode n = { up, up, p->depth + 1, value, value };
	if (p->jump != up && p->depth - j->depth == j->depth - t->node[j->jump].depth) {
		n.jump = j->jump;
		n.least = lesser(value, lesser(p->least, j->least));
	}
	t->node[x] = n;
}

int tree_at(const Tree *t, int x, int depth)
{
	while (t->node[x].depth > depth)
		x = t->node[t->node[x].jump].depth >= depth ? t->node[x].jump : t->node[x].up;
	return x;
}

int tree_common(const Tree *t, int a, int b)
{
	a = tree_at(t, a, t->node[b].depth);
	b = tree_at(t, b, t->node[a].depth);
	while (a != b) {
		bool far = t->node[a].jump != t->node[b].jump;
		a = far ? t->node[a].jump : t->node[a].up;
		b = far ? t->node[b].jump : t->node[b].up;
	}
	return a;
}

int tree_least(const Tree *t, int x, int top)
{
	int least = INT_MAX, depth = t->node[top].depth;
	while (t->node[x].depth > depth) {
		bool far = t->node[t->node[x].jump].depth >= depth;
		least = lesser(least, far ? t->node[x].least : t->node[x].value);
		x = far ? t->node[x].jump : t->node[x].up;
	}
	return least;
}
