/* Shapes of control flow. */
extern "C" __global__ void choose(int *out, int n)
{
	int t = threadIdx.x, v = out[t];
	switch (v) {
	case 0: v += 3; break;
	case 1: v *= n;
	case 2: v -= 5; break;
	case 3: out[t + 1] = 7; return;
	case 4: v ^= 9; break;
	case 5: v = out[v + t]; break;
	case 6: v = -v; break;
	case 1000: v = 1; break;
	default: v = ~v;
	}
	out[t] = v;
}

extern "C" __global__ void loops(int *out, const int *in, int n, int m)
{
	int t = threadIdx.x, sum = 0;
	for (int i = 0; i < n; i++) {
		int v = in[i * m + t];
		if (v == 0)
			break;
		if (v < 0)
			continue;
		for (int j = v; j > 0; j -= 3) {
			sum += j;
			if (sum > 1000)
				goto out;
		}
		do
			sum ^= v--;
		while (v > t && (sum & 3 || v & 1));
	}
	if (sum == 5 || (n > 3 && in[t] == m) || (m == 7 && t & 1))
		sum = -1;
out:
	out[t] = sum;
#pragma unroll 1
	for (int i = 0; i < 4 && out[t] != n; i++)
		if (in[++t] == 12345)
			__trap();
}

extern "C" __global__ void local_arrays(int *out, int n)
{
	int a[16];
	short b[10] = { 0 };
	double d[4];
	struct { char c; long long l; } q[3];
	int t = threadIdx.x;
	for (int i = 0; i < 16; i++)
		a[i] = out[i] * t;
	b[n & 7] = t;
	d[n & 3] = t;
	d[(n + 1) & 3] = 2;
	q[n % 3].c = t;
	q[(n + 1) % 3].l = n;
	out[t] = a[n] + a[out[n]] + b[t & 7] + (int)d[t & 3] + q[t % 3].c + (int)q[t % 3].l;
}

extern "C" __global__ void __launch_bounds__(128, 4) clocks(long long *out, unsigned *u)
{
	long long from = clock64();
	unsigned c = clock();
	__nanosleep(100);
	u[threadIdx.x] = clock() - c;
	out[threadIdx.x] = clock64() - from;
	unsigned r;
	unsigned long long g;
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
	u[r] = r;
	asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
	u[r & 31] = r;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
	u[r & 15] = r;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
	out[1] = g + warpSize + threadIdx.y + blockDim.z + gridDim.y + blockIdx.z;
}

extern "C" __global__ void inline_asm(unsigned *u, int n)
{
	unsigned t = threadIdx.x, v = u[t], w;
	asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 r0;\n\tshfl.sync.up.b32 r0|p, %1, %2, 0, 0xffffffff;\n\t"
		     "@p add.u32 r0, r0, %1;\n\tmov.u32 %0, r0;\n\t}" : "=r"(w) : "r"(v), "r"(n));
	asm volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.and.b32 p|q, %1, 0, !q;\n\t@!p not.b32 %0, %0;\n\t{\n\t.reg .u32 r0;\n\t"
		     "mul.lo.u32 r0, %1, 3;\n\t@q xor.b32 %0, %0, r0;\n\t}\n\t}" : "+r"(w) : "r"(v));
	asm volatile("{\n\t.reg .pred p;\n\tsetp.gt.s32 p, %1, 5;\n\t@p bra DONE_%=;\n\tadd.u32 %0, %0, 1;\nDONE_%=:\n\t}"
		     : "+r"(w) : "r"(n));
	asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 77; @p exit; @!p bra.uni L1; L1: }" :: "r"(w));
	asm volatile("{ .reg .b16 a, b; mov.b32 {a, b}, %0; mov.b32 %0, {b, a}; }" : "+r"(w));
	asm volatile("{ .reg .b32 a, b; .reg .b64 c; mov.b64 c, {%0, %0}; mov.b64 {_, b}, c; add.u32 %0, %0, b; }" : "+r"(w));
	u[t] = w;
}
