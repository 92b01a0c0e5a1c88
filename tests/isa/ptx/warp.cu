/* Threads together: barriers, votes, shuffles, matches, atomics, fences. */
extern "C" __global__ void barriers(int *out, int n)
{
	__shared__ int total;
	int t = threadIdx.x, v = out[t];
	if (t == 0)
		total = 0;
	__syncthreads();
	int c = __syncthreads_count(v > n), a = __syncthreads_and(v > 0), o = __syncthreads_or(v < 0);
	atomicAdd(&total, c + a * 2 + o);
	__threadfence_block();
	__syncthreads();
	out[t] = total;
	if (t < 64)
		asm volatile("bar.sync 1, 64;" ::: "memory");
	else
		asm volatile("bar.arrive 2, %0;" :: "r"(n) : "memory");
	asm volatile("barrier.sync %0;" :: "r"(n & 7) : "memory");
	__threadfence();
	__threadfence_system();
	__syncwarp();
	__syncwarp(0xff);
}

extern "C" __global__ void shuffles(float *f, int *out, double *d, unsigned long long *l)
{
	int t = threadIdx.x, v = out[t];
	for (int k = 16; k > 0; k /= 2)
		v += __shfl_down_sync(0xffffffff, v, k);
	v += __shfl_up_sync(0xffffffff, v, 1, 8) + __shfl_xor_sync(0xffffffff, v, 5) + __shfl_sync(0xffff, v, t / 2, 16);
	f[t] = __shfl_sync(0xffffffff, f[t], v);
	d[t] = __shfl_xor_sync(0xffffffff, d[t], 3);
	l[t] = __match_any_sync(0xffffffff, v) + __match_any_sync(0xff, l[t]);
	int same;
	out[t] = __match_all_sync(0xffffffff, v, &same) + same + __any_sync(0xffffffff, v > 3) + __all_sync(0xffffffff, v > 4) +
		__popc(__ballot_sync(0xffffffff, v & 1)) + __uni_sync(0xffffffff, v > 5);
	if (v & 1)
		out[t + 32] = __activemask() != 0;
}

extern "C" __global__ void atomics(int *i, unsigned *u, unsigned long long *l, float *f, double *d, short *gone)
{
	__shared__ int s[32];
	__shared__ float sf;
	int t = threadIdx.x;
	s[t] = 0;
	sf = 0;
	__syncthreads();
	atomicAdd(&s[t & 3], t);
	atomicMax(&s[4], t);
	atomicMin(&s[5], -t);
	atomicExch(&s[6], t);
	atomicAdd(&sf, 0.5f);
	atomicOr(&s[7], 1 << t);
	int old = atomicAdd(i, t);
	old += atomicSub(i + 1, t) + atomicExch(i + 2, t) + atomicMin(i + 3, t) + atomicMax(i + 4, t) + atomicCAS(i + 5, t, old);
	old += atomicAnd(i + 6, t) + atomicOr(i + 7, t) + atomicXor(i + 8, t);
	unsigned w = atomicInc(u, 7) + atomicDec(u + 1, 9) + atomicMin(u + 2, old) + atomicMax(u + 3, old);
	l[t] = atomicAdd(l, 1ull) + atomicCAS(l + 1, 5ull, 6ull) + atomicExch(l + 2, (unsigned long long)w) + atomicMax(l + 3, 4ull) +
		atomicOr(l + 4, 3ull);
	f[t] = atomicAdd(f, 1.5f) + atomicExch(f + 1, 2.5f) + s[t];
	d[t] = atomicAdd(d, 2.5);
	atomicAdd_block(i + 9, 3);
	atomicAdd_system(i + 10, 3);
	atomicAdd(t > 5 ? &s[9] : i + 11, 1);
	asm volatile("red.global.add.u32 [%0], %1;" :: "l"(u), "r"(t));
	asm volatile("fence.acq_rel.gpu;" ::: "memory");
	asm volatile("fence.sc.cta;" ::: "memory");
}
