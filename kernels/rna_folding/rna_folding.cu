// How a strand of RNA folds at least energy, by dynamic programming over pieces of growing length, as the program of that name in GPU Computing Gems:
// for each length a launch for pieces whose ends pair (a hairpin, a stack on the piece inside, or a loop with one piece inside), one for
// pieces that fall into two, and one that takes the best. Energies are integers, and a simple model.
#define NONE 1000000
#define SHORTEST 3 // bases in a hairpin at least
#define LOOP 6     // unpaired bases in a loop at most

__device__ __forceinline__ bool pairs(int a, int b) { return a + b == 3 || a + b == 5; } // A 0, C 1, G 2, U 3: AU, CG, GU

__device__ __forceinline__ int bond(int a, int b) { return a + b == 5 ? 10 : a == 0 || b == 0 ? 20 : 30; }

// closed[i * n + j]: least energy of bases i to j = i + length - 1 if these two pair.
extern "C" __global__ void close_pieces(const unsigned char *base, int *closed, int n, int length)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = i + length - 1;

	if (j >= n)
		return;
	int best = NONE;
	if (pairs(base[i], base[j])) {
		best = 40 + 2 * (length - 2) - bond(base[i], base[j]);
#pragma unroll 1
		for (int left = 0; left <= LOOP; left++)
#pragma unroll 1
			for (int right = 0; left + right <= LOOP; right++) {
				int p = i + 1 + left, q = j - 1 - right;
				if (q - p <= SHORTEST || closed[p * n + q] == NONE)
					continue;
				int energy = closed[p * n + q] - bond(base[i], base[j]);
				if (left + right > 0)
					energy += 12 + 3 * (left + right) + (left > right ? left - right : right - left);
				best = min(best, energy);
			}
	}
	closed[i * n + j] = best;
}

// split[i]: least energy of two pieces side by side that make bases i to j.
extern "C" __global__ void split_pieces(const int *open, int *split, int n, int length)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = i + length - 1;

	if (j >= n)
		return;
	int best = 0;
#pragma unroll 1
	for (int k = i + SHORTEST + 1; k < j - SHORTEST - 1; k++)
		best = min(best, open[i * n + k] + open[(k + 1) * n + j]);
	split[i] = best;
}

// open[i * n + j]: least energy of bases i to j, whatever pairs; `splits` says whether pieces of that length can fall into two.
extern "C" __global__ void best_pieces(const int *closed, const int *split, int *open, int n, int length, int splits)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = i + length - 1;

	if (j >= n)
		return;
	int best = min(min(open[(i + 1) * n + j], open[i * n + j - 1]), closed[i * n + j]);
	if (splits)
		best = min(best, split[i]);
	open[i * n + j] = best;
}
