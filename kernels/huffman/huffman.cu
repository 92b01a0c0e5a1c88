// Compression with a code of Huffman, as huffman of Rodinia: bytes are counted; the host makes the code; each thread encodes four bytes, whose place
// among the block's bits is a prefix sum of lengths; a sum over blocks; and each block's bits move to their place in the whole. Codes and
// lengths are looked up again after each atomic operation, which might have changed them as far as a compiler can tell.
#define LONGEST 16 // bits of a code word; a block has no more than half a word for each byte
extern "C" __global__ void count_bytes(const unsigned *data, int words, unsigned *count)
{
	__shared__ unsigned mine[256];
	int i;

	for (i = threadIdx.x; i < 256; i += blockDim.x)
		mine[i] = 0;
	__syncthreads();
	for (i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x)
		for (int b = 0; b < 32; b += 8)
			atomicAdd(&mine[data[i] >> b & 255], 1);
	__syncthreads();
	for (i = threadIdx.x; i < 256; i += blockDim.x)
		atomicAdd(&count[i], mine[i]);
}

// blockDim is a power of 2; `bits` has room for 2 * blockDim words of each block, length[b] is how many bits block b has.
extern "C" __global__ void encode(const unsigned *data, int words, const unsigned *code, const unsigned *size, unsigned *bits, unsigned *length)
{
	extern __shared__ unsigned sum[];
	unsigned *out = sum + blockDim.x;
	int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t, step = 1;
	unsigned four = i < words ? data[i] : 0, all = 0;

	if (i < words)
		for (int b = 0; b < 32; b += 8)
			all += size[four >> b & 255];
	sum[t] = all;
	out[t] = out[n + t] = 0;
	for (int d = n / 2; d > 0; d /= 2, step *= 2) { // up the tree
		__syncthreads();
		if (t < d)
			sum[step * (2 * t + 2) - 1] += sum[step * (2 * t + 1) - 1];
	}
	if (t == 0) {
		length[blockIdx.x] = sum[n - 1];
		sum[n - 1] = 0;
	}
	for (int d = 1; d < n; d *= 2) { // and down
		step /= 2;
		__syncthreads();
		if (t < d) {
			int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1;
			unsigned before = sum[left];
			sum[left] = sum[right];
			sum[right] += before;
		}
	}
	__syncthreads();
	if (i < words) {
		unsigned at = sum[t];
#pragma unroll 1
		for (int b = 0; b < 32; b += 8) {
			unsigned byte = data[i] >> b & 255, room = 32 - at % 32;
			if (size[byte] <= room) {
				atomicOr(&out[at / 32], code[byte] << (room - size[byte]));
			} else {
				atomicOr(&out[at / 32], code[byte] >> (size[byte] - room));
				atomicOr(&out[at / 32 + 1], code[byte] << (32 - (size[byte] - room)));
			}
			at += size[byte];
		}
	}
	__syncthreads();
	bits[2 * (i - t) + t] = out[t];
	bits[2 * (i - t) + n + t] = out[n + t];
}

// start[b] = length[0] + ... + length[b - 1], by one thread for each block of the encoding.
extern "C" __global__ void starts(const unsigned *length, unsigned *start, int blocks)
{
	int b = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned s = 0;

	if (b > blocks)
		return;
	for (int k = 0; k < b; k++)
		s += length[k];
	start[b] = s;
}

// A thread for each block of the encoding, which has `room` words, moves its bits.
extern "C" __global__ void pack_bits(const unsigned *bits, const unsigned *length, const unsigned *start, unsigned *packed, int room, int blocks)
{
	int b = blockIdx.x * blockDim.x + threadIdx.x;

	if (b >= blocks)
		return;
	unsigned word = start[b] / 32, shift = start[b] % 32, left = 0;
	int k = 0;
	for (; 32 * k < length[b]; k++) {
		unsigned long long two = (unsigned long long)bits[b * room + k] << 32 >> shift;
		atomicOr(&packed[word + k], left | (unsigned)(two >> 32));
		left = (unsigned)two;
	}
	if (left)
		atomicOr(&packed[word + k], left);
}
