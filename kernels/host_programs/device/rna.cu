// What the program for folding RNA does around its launches by length.
extern "C" __global__ void set_energies(int *energy, int value, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		energy[i] = value;
}

// The whole strand's energy is put aside.
extern "C" __global__ void put_aside(const int *open, int n, int *result, int strand)
{
	if (blockIdx.x == 0 && threadIdx.x == 0)
		result[strand] = open[n - 1];
}
