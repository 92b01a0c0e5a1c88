// European call and put prices (Black and Scholes) in single precision, with the polynomial of Abramowitz and Stegun
// 26.2.17 for the normal distribution.
__device__ __forceinline__ float cnd(float d)
{
	float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
	float w = 0.39894228f * expf(-0.5f * d * d) *
		(k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));

	return d > 0 ? 1.0f - w : w;
}

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years, float *call,
	float *put, float rate, float volatility, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
	float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
	float d2 = d1 - volatility * root, e = x * expf(-rate * t), c1 = cnd(d1), c2 = cnd(d2);
	call[i] = s * c1 - e * c2;
	put[i] = e * (1.0f - c2) - s * (1.0f - c1);
}
