/* printf and assert of kernels, and what else the device's run-time library is asked for. `formats` prints what the same
 * calls print on the host. */
#include <cassert>
#include <cstdio>
#include <cstdlib>

__device__ char word[16] = "global word";

extern "C" {

__global__ void formats(int i, long long l, double d, const char *s)
{
	printf("plain text, 100%%\n");
	printf("%d %i %u %o %x %X %c|\n", i, -i, -i, i, i, i, 'A' + i % 26);
	printf("%5d|%-5d|%05d|%+d|% d|%.4d|%8.4d|%-8.4d|%+5d|\n", i, i, i, i, i, i, i, i, i);
	printf("%#o %#x %#X %#.3x %#10x|%-#10x|%010x|\n", i, i, i, i, i, i, i);
	printf("%hhd %hhu %hd %hu %ld %lu %lld %llx %lo\n", i * 1000, i * 1000, i * 100000, i * 100000, l, l, -l, l, l);
	printf("%f %e %g %E %G %F\n", d, d, d, d, d, d);
	printf("%.0f %#.0f %.3e %10.2f|%-10.2f|%+.1f|% .1f|%010.3f|%.10g\n", d, d, d, d, d, d, d, d, d);
	printf("%a %A %.2a\n", d, -d, d);
	printf("%f %F %e %5.1f|%-9f|%09f\n", 1 / (d - d), -1 / (d - d), 0 * (1 / (d - d)), 1 / (d - d), 1 / (d - d), 1 / (d - d));
	printf("%s|%15s|%-15s|%.3s|%*s|%-*s|%.*s\n", s, s, s, s, 14, s, 14, s, 4, s);
	printf("%*d|%*d|%.*f|%*.*e|%.*d\n", 6, i, -6, i, 2, d, 12, 3, d, -1, i);
	printf("%d %lld %c %f %d %s %d\n", i, l, 'x', d, i + 1, s, i + 2);
	printf("%p %5c|%-5c|%%|%3d%%\n", (void *)0x1234abcdu, 'y', 'z', i);
	printf("no end of line");
	printf("\n%d\n", 0);
}

__global__ void order(int n)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	if (t % 3 == 0)
		printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
	for (int i = 0; i < t % n; i++)
		printf("%d: turn %d\n", t, i);
}

__global__ void strings(int *out, const char *null)
{
	__shared__ char shared[32];
	char local[8];
	int t = threadIdx.x;
	for (int i = t; i < 31; i += blockDim.x)
		shared[i] = 'a' + i % 26;
	shared[31] = 0;
	for (int i = 0; i < 7; i++)
		local[i] = '0' + (t + i) % 10;
	local[7] = 0;
	__syncthreads();
	out[3 * t] = printf("%s %s %s %s\n", local, shared, word, null);
	for (int i = 0; i < 7; i++) /* what was printed stays */
		local[i] = '*';
	out[3 * t + 1] = printf("%.3s", local) + printf("nothing\n");
	out[3 * t + 2] = null ? 0 : printf(null);
	word[t] = 'A' + t;
	out[3 * t] += printf("%c%.2s\n", word[t], local);
}

__global__ void often(int n)
{
	for (int i = 0; i < n; i++)
		printf("line %d of thread %d\n", i, threadIdx.x);
}

__global__ void bad_string(const char *s) { printf("%s\n", s + threadIdx.x); }

__global__ void asserts(int n, int *out)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	assert(t < n && "too many threads");
	out[t] = t;
}

__global__ void allocates(int **out) { out[threadIdx.x] = (int *)malloc(64); }

}
