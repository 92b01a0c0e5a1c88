// Each thread sorts its own 24 numbers: copied to a local array, recursive quicksort with insertion sort at the leaves.
#define N 24
__device__ __noinline__ void sort(int *a, int lo, int hi)
{
	while (hi - lo > 4) {
		int pivot = a[(lo + hi) / 2], i = lo, j = hi;
		while (i <= j) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i <= j) {
				int t = a[i];
				a[i++] = a[j];
				a[j--] = t;
			}
		}
		sort(a, lo, j);
		lo = i;
	}
	for (int i = lo + 1; i <= hi; i++) {
		int v = a[i], j = i - 1;
		for (; j >= lo && a[j] > v; j--)
			a[j + 1] = a[j];
		a[j + 1] = v;
	}
}

extern "C" __global__ void quicksort(int *data)
{
	int a[N], *mine = data + (blockIdx.x * blockDim.x + threadIdx.x) * N;

	for (int i = 0; i < N; i++)
		a[i] = mine[i];
	sort(a, 0, N - 1);
	for (int i = 0; i < N; i++)
		mine[i] = a[i];
}
