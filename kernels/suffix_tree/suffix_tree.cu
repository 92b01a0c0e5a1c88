// Finds where the suffixes of queries match a reference text, as MUMmerGPU does: a thread walks the suffix tree of the text with
// its query; where it cannot go on, it records the match and goes on from the suffix link. The walk ends in three ways (no such
// child, a letter inside an edge differs, the query is over), all of which share what follows.
struct Node {
	int child[4];     // 0: none (the root is 1)
	int start, depth; // the edge into the node: text[start ...]; letters from the root to the node's end
	int parent, link;
};

// match[query's offset + i] = letters of the query from i on that occur in the text, together, at found[query's offset + i]; a
// length below `least` is recorded as 0.
extern "C" __global__ void suffix_tree(const Node *node, const unsigned char *text, const unsigned char *query, const int *offset,
	int queries, int least, int *match, int *found)
{
	int q = blockIdx.x * blockDim.x + threadIdx.x, at = 1, next, low, k, depth = 0;

	if (q >= queries)
		return;
	const unsigned char *letter = query + offset[q];
	int n = offset[q + 1] - offset[q], from = offset[q];

	for (int i = 0; i < n; i++) {
		// Behind a suffix link: go down to `depth` letters again; only first letters need to be compared.
		while (node[at].depth < depth) {
			next = node[at].child[letter[i + node[at].depth]];
			if (node[next].depth > depth) {
				k = depth - node[at].depth;
				low = next;
				goto inside;
			}
			at = next;
		}
		for (;;) {
			if (i + depth >= n)
				goto record;
			next = node[at].child[letter[i + depth]];
			if (next == 0)
				goto record;
			low = next;
			k = 1;
			depth++;
inside:
			for (; k < node[low].depth - node[at].depth; k++, depth++)
				if (i + depth >= n || text[node[low].start + k] != letter[i + depth])
					goto part;
			at = low;
		}
part:
		found[from + i] = depth < least ? -1 : node[low].start + k - depth;
		goto both;
record:
		found[from + i] = depth < least ? -1 : node[at].start + node[at].depth - node[node[at].parent].depth - depth;
both:
		match[from + i] = depth < least ? 0 : depth;
		if (at != 1 && node[at].link != 0)
			at = node[at].link;
		else
			at = 1;
		if (depth > 0)
			depth--;
	}
}
