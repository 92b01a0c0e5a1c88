// Memory set by a launch, as a vector of thrust sets its own.
extern "C" __global__ void set_words(unsigned *words, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		words[i] = 0;
}
