// Each thread walks down its own eight entries of a table; which way it goes depends on what it finds.
// clang.ptx and nvcc.ptx beside this file are made of it:
//   clang-14 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -O2 -g1 -S walk.cu
//   nvcc -ptx -lineinfo -arch=sm_75 walk.cu
// clang keeps the loop, nvcc makes eight copies of it. wrong.ptx is clang.ptx with one comparison changed.
#ifdef __clang__
#define __global__ __attribute__((global))
#define INDEX (__nvvm_read_ptx_sreg_tid_x() + __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x())
#else
#define INDEX (threadIdx.x + blockIdx.x * blockDim.x)
#endif

extern "C" __global__ void walk(const int *table, int *sum, int n)
{
	int i = INDEX;
	if (i >= n)
		return;
	int found = 0;
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
	for (int step = 0; step < 8; step++) {
		int v = table[i * 8 + step];
		if (v == 0)
			break;
		if (v & 1)
			found += v * 3;
		else if (v > found)
			found = v - found;
	}
	sum[i] = found;
}
