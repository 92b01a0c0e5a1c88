/* A tree that grows at its leaves, with questions about ancestors in logarithmic time: every node has a
   second link far up (E. Myers, An Applicative Random-Access Stack, 1983). Each node has a value; the least
   one along a path can be asked for. */
#ifndef GSIM_TREE_H
#define GSIM_TREE_H
#include "lib/arena.h"

/* jump: an ancestor far up; least: the least value from this node up to jump, without the value of jump
   itself */
typedef struct TreeNode { int up, jump, depth, value, least; } TreeNode;
typedef struct Tree { TreeNode *node; } Tree;

Tree tree_new(Arena *, int n);
void tree_root(Tree *, int x);
void tree_add(Tree *, int x, int up, int value);     /* adds x below up, which is in the tree already */
int tree_common(const Tree *, int a, int b);         /* nearest common ancestor */
int tree_at(const Tree *, int x, int depth);         /* the ancestor of x (x itself too) at that depth */
/* the least value of the nodes from x up to top, which is an ancestor and not included; INT_MAX: there are
   none */
int tree_least(const Tree *, int x, int top);
#endif
