// Counts the ways to place n queens with the first two given by the thread: backtracking with a stack in a local array.
#define MOST 12
extern "C" __global__ void queens(int n, unsigned *ways)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x, col[MOST], row = 2;
	unsigned count = 0;

	if (tid >= n * n)
		return;
	col[0] = tid / n;
	col[1] = tid % n;
	int d = col[1] - col[0];
	if (d > 1 || d < -1) {
		col[2] = -1;
		while (row >= 2) {
			int c = ++col[row];
			if (c == n) {
				row--;
				continue;
			}
			bool ok = true;
			for (int r = 0; r < row; r++) {
				int e = col[r] - c;
				if (e == 0 || e == row - r || e == r - row) {
					ok = false;
					break;
				}
			}
			if (!ok)
				continue;
			if (row == n - 1)
				count++;
			else
				col[++row] = -1;
		}
	}
	ways[tid] = count;
}
