static __device__ __forceinline__ float scaled(float a, float b)
{
	return a > b ? a * b
		: a / b;
}
