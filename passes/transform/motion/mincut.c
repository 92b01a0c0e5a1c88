/* A minimum cut: Y. Dinitz's algorithm, without recursion. */
#include "passes/transform/motion/mincut.h"

void cut_open(Cut *c, int n)
{
	c->n = n;
	c->edge.n = c->head.n = 0;
	for (int k = 0; k < n; k++)
		vec_push(&c->head, -1);
}

void cut_close(Cut *c)
{
	vec_free(&c->edge);
	vec_free(&c->head);
	vec_free(&c->level);
	vec_free(&c->at);
	vec_free(&c->queue);
}

void cut_use(Cut *c, int edge, int64_t flow)
{
	c->edge.v[edge].left -= flow;
	c->edge.v[edge ^ 1].left += flow;
}

int cut_edge(Cut *c, int from, int to, int64_t capacity)
{
	vec_push(&c->edge, ((CutEdge){ to, c->head.v[from], capacity }));
	c->head.v[from] = c->edge.n - 1;
	vec_push(&c->edge, ((CutEdge){ from, c->head.v[to], 0 }));
	c->head.v[to] = c->edge.n - 1;
	return c->edge.n - 2;
}

/* Sets the level of each node: how many edges with capacity left the shortest path from the source has; -1:
   it is not reached. False: the sink is not reached. */
static bool number_levels(Cut *c, int source, int sink)
{
	c->level.n = c->queue.n = 0;
	for (int k = 0; k < c->n; k++)
		vec_push(&c->level, -1);
	c->level.v[source] = 0;
	vec_push(&c->queue, source);
	for (int q = 0; q < c->queue.n; q++)
		for (int e = c->head.v[c->queue.v[q]]; e >= 0; e = c->edge.v[e].next)
			if (c->edge.v[e].left > 0 && c->level.v[c->edge.v[e].to] < 0) {
				c->level.v[c->edge.v[e].to] = c->level.v[c->queue.v[q]] + 1;
				vec_push(&c->queue, c->edge.v[e].to);
			}
	return c->level.v[sink] >= 0;
}

/* Sends as much flow along the path of edges in the queue as its tightest edge takes, and returns how much.
   *full: the place in the queue of the first edge that is full then. */
static int64_t push_flow(Cut *c, int *full)
{
	int64_t least = INT64_MAX;
	for (int k = 0; k < c->queue.n; k++)
		if (c->edge.v[c->queue.v[k]].left < least) {
			least = c->edge.v[c->queue.v[k]].left;
			*full = k;
		}
	for (int k = 0; k < c->queue.n; k++)
		cut_use(c, c->queue.v[k], least);
	return least;
}

/* Sends flow along paths from source to sink of which each edge leads to the next level, until there is none
   left; returns how much. The queue is the path so far, `at` is by node the next edge to try. */
static int64_t fill_paths(Cut *c, int source, int sink)
{
	int64_t sum = 0;
	int node = source;
	c->at.n = c->queue.n = 0;
	for (int k = 0; k < c->n; k++)
		vec_push(&c->at, c->head.v[k]);
	for (;;) {
		if (node == sink) {
			int full = 0;
			sum += push_flow(c, &full);
			node = c->edge.v[c->queue.v[full] ^ 1].to;
			c->queue.n = full;
			continue;
		}
		int e = c->at.v[node];
		if (e < 0) {
			if (node == source)
				return sum;
			node = c->edge.v[vec_pop(&c->queue) ^ 1].to;
			c->at.v[node] = c->edge.v[c->at.v[node]].next;
		} else if (c->edge.v[e].left > 0 && c->level.v[c->edge.v[e].to] == c->level.v[node] + 1) {
			vec_push(&c->queue, e);
			node = c->edge.v[e].to;
		} else {
			c->at.v[node] = c->edge.v[e].next;
		}
	}
}

int64_t cut_solve(Cut *c, int source, int sink)
{
	int64_t sum = 0;
	while (sum < CUT_ENDLESS && number_levels(c, source, sink))
		sum += fill_paths(c, source, sink);
	return sum;
}
