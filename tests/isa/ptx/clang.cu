// Compiled by clang without CUDA's headers: its control flow and its PTX differ from nvcc's.
#define global __attribute__((global))
#define device __attribute__((device))
#define shared __attribute__((shared))
#define constant __attribute__((constant))
#define tid() __nvvm_read_ptx_sreg_tid_x()
#define sync() __syncthreads()

shared unsigned values[512];
extern shared int dynamic[];
constant float weights[4] = { 1.f, 0.5f, -2.f, 3.25f };
device int counter = 5;
device short message[3] = { 1, -2 };
device double scale = 0.5;

extern "C" global void bitonic(unsigned *out, const unsigned *in, int n)
{
	unsigned t = tid();
	values[t] = in[t];
	sync();
	for (unsigned k = 2; k <= (unsigned)n; k *= 2)
		for (unsigned j = k / 2; j > 0; j /= 2) {
			unsigned x = t ^ j;
			if (x > t) {
				if ((t & k) == 0) {
					if (values[t] > values[x]) {
						unsigned h = values[t];
						values[t] = values[x];
						values[x] = h;
					}
				} else if (values[t] < values[x]) {
					unsigned h = values[t];
					values[t] = values[x];
					values[x] = h;
				}
			}
			sync();
		}
	out[t] = values[t];
}

device __attribute__((noinline)) int collatz(unsigned long long v, int limit)
{
	int steps = 0;
	while (v != 1 && steps < limit) {
		v = v & 1 ? 3 * v + 1 : v / 2;
		steps++;
	}
	return steps;
}

struct Pair { int a; float b; long long c; };
device __attribute__((noinline)) Pair swap(Pair p, short s)
{
	Pair q = { (int)p.c, -p.b, p.a + s };
	return q;
}

extern "C" global void mixed(int *out, float *f, double *d, int n)
{
	int t = tid();
	dynamic[t] = collatz(out[t] + 1ull, n);
	sync();
	Pair p = { dynamic[n - t], f[t], t };
	p = swap(p, (short)n);
	f[t] = p.b * weights[t & 3] + message[t & 1] * (float)scale;
	d[t] = d[t + 1] / f[t] + (double)p.c;
	switch (p.a % 7) {
	case 0: out[t] = 5; break;
	case 1: out[t] = -n; break;
	case 2: out[t] = n / 3; break;
	case 3: out[t] = __builtin_popcount(n) + __builtin_clz(n); break;
	case 4: return;
	case 5: out[t] = counter++; break;
	}
	__nvvm_atom_add_gen_i(out + 1, t);
	int local[9];
	for (int i = 0; i < 9; i++)
		local[i] = out[i] * i;
	out[t + 2] = local[n % 9] + (out[t] << (n & 31) | (unsigned)out[t] >> (32 - (n & 31)));
}
