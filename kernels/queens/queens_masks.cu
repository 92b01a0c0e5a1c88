// Counts the ways to place n queens, at most 16, with sets as masks: the columns that are taken, and those under attack along the diagonals to the left
// and to the right, seen from the row in question. The host has placed the queens of the first rows; a thread goes on from one such beginning for the
// last `rows` rows. Where no column is free a thread takes its last queen back, elsewhere it places one: the two arms of the loop's branch, which undo
// each other. Both keep what they need in shared memory.
extern "C" __global__ void queens_masks(const unsigned *beginning, int beginnings, int n, int rows, unsigned *ways)
{
	extern __shared__ unsigned s[];
	int thread = blockIdx.x * blockDim.x + threadIdx.x, step = 2 * blockDim.x, row = 1;
	unsigned *placed = s + threadIdx.x, *rest = placed + blockDim.x, all = (1u << n) - 1, count = 0;

	if (thread >= beginnings)
		return;
	// To the right, bits leave row by row and come back when queens are taken back: 16 places are kept for them.
	unsigned columns = beginning[3 * thread], left = beginning[3 * thread + 1], right = beginning[3 * thread + 2] << 16;
	unsigned free = all & ~(columns | left | right >> 16);

	placed[0] = rest[0] = 0;
	do {
		if (free == 0) {
			row--;
			unsigned queen = placed[row * step];
			free = rest[row * step];
			columns ^= queen;
			left = left >> 1 ^ queen;
			right = right << 1 ^ queen << 16;
		} else {
			unsigned queen = free & -free;
			free ^= queen;
			if (row == rows) {
				count++;
			} else {
				placed[row * step] = queen;
				rest[row * step] = free;
				columns ^= queen;
				left = (left ^ queen) << 1;
				right = (right ^ queen << 16) >> 1;
				free = all & ~(columns | left | right >> 16);
				row++;
			}
		}
	} while (row > 0);
	ways[thread] = count;
}
