// The counter of paths that are left, before they are counted again.
extern "C" __global__ void clear_count(unsigned *left)
{
	*left = 0;
}
