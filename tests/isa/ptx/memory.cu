/* Shared, constant and global variables, their initial values, vector and volatile accesses. */
struct Node { int key; float weight; Node *next; short tag[3]; };

__device__ Node tail = { 7, 2.5f, 0, { 1, -2, 3 } };
__device__ Node head = { 3, 0.5f, &tail, { 4, 5, -6 } };
__device__ int grid_of[2][3] = { { 1, 2, 3 }, { 4 } };
__device__ const char text[] = "words in memory\n";
__device__ const char *names[3] = { text, text + 6, 0 };
__device__ double pi[2] = { 3.141592653589793, -0.0 };
__device__ unsigned char bytes[5] = { 255, 1, 0, 128 };
__device__ unsigned long long big = 0xfedcba9876543210ull;
__constant__ float coef[4] = { 1.0f, -0.25f, 1e-20f, 3e38f };
__constant__ int lut[256];
__device__ volatile int flag;
extern __shared__ float4 dyn[];

extern "C" __global__ void transpose(float *out, const float *in, int n)
{
	__shared__ float tile[32][33];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void dynamic(float4 *out, const float4 *__restrict__ in, int n)
{
	int t = threadIdx.x;
	dyn[t] = in[t];
	__syncthreads();
	float4 a = dyn[(t + 1) % n];
	out[t] = make_float4(a.w, a.z, a.y, a.x);
	((float *)dyn)[t] = a.x;
	__syncthreads();
	out[t].x = ((volatile float *)dyn)[t ^ 1];
}

extern "C" __global__ void tables(int *out, float *f, double *d, int k)
{
	int t = threadIdx.x;
	const Node *p = &head;
	int sum = 0;
	while (p) {
		sum += p->key + p->tag[t % 3];
		f[t] += p->weight * coef[t & 3];
		p = p->next;
	}
	out[t] = sum + grid_of[t & 1][k] + lut[t] + bytes[t % 5] + names[t & 1][k] + (int)(big >> t);
	d[t] = pi[t & 1];
	flag = sum;
	while (flag == k)
		flag = sum + 1;
}

extern "C" __global__ void widths(unsigned char *b, signed char *c, unsigned short *h, short *s, unsigned long long *l, float2 *v)
{
	int t = threadIdx.x;
	b[t] = b[t + 1] + 1;
	c[t] = c[t + 1] >> 1;
	h[t] = h[t + 1] * 3;
	s[t] = s[t + 1] / 3;
	l[t] = __ldg(l + t + 1) + __ldg(b + 64) + __ldg(s + 64);
	v[t] = make_float2(v[t + 1].y, v[t + 1].x);
	uchar4 q = ((uchar4 *)b)[t];
	((ushort4 *)h)[t] = make_ushort4(q.x, q.y, q.z, q.w);
	((double2 *)v)[t] = ((double2 *)l)[t];
	((volatile unsigned char *)b)[7] = ((volatile unsigned char *)b)[8];
}
