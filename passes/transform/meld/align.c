/* Global alignment of two sequences (Needleman and Wunsch, J. Mol. Biol. 48, 1970) with a constant cost for
 * each element that stays alone. The paper takes a local one (Smith and Waterman); what that leaves out at
 * the ends costs nothing to align. */
#include "passes/transform/meld/meld.h"

/* Computes best[i * (m + 1) + j]: the greatest sum for the elements from number i and from number j on. */
static void fill_scores(int n, int m, const int *score, int gap, int64_t *best)
{
	int row = m + 1;
	for (int i = n; i >= 0; i--)
		for (int j = m; j >= 0; j--) {
			int64_t x = i < n ? best[(i + 1) * row + j] - gap : j < m ? INT64_MIN : 0;
			if (j < m && best[i * row + j + 1] - gap > x)
				x = best[i * row + j + 1] - gap;
			if (i < n && j < m && score[i * m + j] >= 0 &&
				best[(i + 1) * row + j + 1] + score[i * m + j] > x)
				x = best[(i + 1) * row + j + 1] + score[i * m + j];
			best[i * row + j] = x;
		}
}

int meld_align(int n, int m, const int *score, int gap, AlignedItem *out, int64_t *best)
{
	int row = m + 1, count = 0;
	int64_t *b = xmalloc(sizeof *b * (size_t)(n + 1) * (size_t)row);
	fill_scores(n, m, score, gap, b);
	*best = b[0];
	for (int i = 0, j = 0; i < n || j < m;) {
		int64_t here = b[i * row + j];
		bool pair = i < n && j < m && score[i * m + j] >= 0 &&
			here == b[(i + 1) * row + j + 1] + score[i * m + j];
		bool first = !pair && i < n && here == b[(i + 1) * row + j] - gap;
		out[count++] = (AlignedItem){ { pair || first ? i : NO_INS, pair || !first ? j : NO_INS },
			false };
		i += pair || first;
		j += pair || !first;
	}
	free(b);
	return count;
}
