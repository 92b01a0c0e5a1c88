// Counts matches of the pattern  a (b | cd)* e  that begin at each position of a text: a small automaton in a switch.
extern "C" __global__ void string_search(const char *text, unsigned n, unsigned *length, unsigned *count)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k = i;
	int state = 0;

	if (i >= n)
		return;
	while (state < 3) {
		char c = k < n ? text[k] : 0;
		k++;
		switch (state) {
		case 0:
			state = c == 'a' ? 1 : 4;
			break;
		case 1:
			switch (c) {
			case 'b': break;
			case 'c': state = 2; break;
			case 'e': state = 3; break;
			default: state = 4;
			}
			break;
		case 2:
			state = c == 'd' ? 1 : 4;
			break;
		}
	}
	if (state == 3)
		atomicAdd(count, 1);
	length[i] = state == 3 ? k - i : 0;
}
