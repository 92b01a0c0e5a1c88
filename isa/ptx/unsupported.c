/* Operations of PTX that gsim does not have, each with the feature to which it belongs, which messages
   name. */
#include "isa/ptx/ptx.h"

static const struct { const char *op, *what; } families[] = { /* op: the first part of the mnemonic */
	{ "tex", "textures" }, { "tld4", "textures" }, { "txq", "textures" }, { "istypep", "textures" },
	{ "suld", "surfaces" }, { "sust", "surfaces" }, { "sured", "surfaces" }, { "suq", "surfaces" },
	{ "wmma", "matrix operations" }, { "mma", "matrix operations" }, { "ldmatrix", "matrix operations" },
	{ "stmatrix", "matrix operations" }, { "movmatrix", "matrix operations" },
	{ "wgmma", "matrix operations" },
	{ "tcgen05", "matrix operations" }, { "cp", "asynchronous copies" },
	{ "mbarrier", "asynchronous barriers" },
	{ "multimem", "multicast memory" }, { "mapa", "thread block clusters" },
	{ "getctarank", "thread block clusters" },
	{ "clusterlaunchcontrol", "thread block clusters" }, { "griddepcontrol", "dependent launches" },
	{ "setmaxnreg", "register reallocation" }, { "createpolicy", "cache policies" },
	{ "discard", "cache management" }, { "applypriority", "cache management" },
	{ "alloca", "stack allocation at run time" }, { "stacksave", "stack allocation at run time" },
	{ "stackrestore", "stack allocation at run time" }, { "tensormap", "tensor maps" },
	{ "vadd", "video instructions" }, { "vsub", "video instructions" },
	{ "vabsdiff", "video instructions" },
	{ "vmin", "video instructions" }, { "vmax", "video instructions" }, { "vshl", "video instructions" },
	{ "vshr", "video instructions" }, { "vmad", "video instructions" }, { "vset", "video instructions" },
	{ "vadd2", "SIMD video instructions" }, { "vsub2", "SIMD video instructions" },
	{ "vavrg2", "SIMD video instructions" },
	{ "vabsdiff2", "SIMD video instructions" }, { "vmin2", "SIMD video instructions" },
	{ "vmax2", "SIMD video instructions" }, { "vset2", "SIMD video instructions" },
	{ "vadd4", "SIMD video instructions" },
	{ "vsub4", "SIMD video instructions" }, { "vavrg4", "SIMD video instructions" },
	{ "vabsdiff4", "SIMD video instructions" }, { "vmin4", "SIMD video instructions" },
	{ "vmax4", "SIMD video instructions" }, { "vset4", "SIMD video instructions" }
};

static const struct { const char *suffix, *what; } suffixes[] = {
	{ "f16", "half-precision arithmetic" }, { "f16x2", "half-precision arithmetic" },
	{ "bf16", "half-precision arithmetic" }, { "bf16x2", "half-precision arithmetic" },
	{ "tf32", "TensorFloat-32" },
	{ "e4m3x2", "8-bit floating point" }, { "e5m2x2", "8-bit floating point" },
	{ "ue8m0x2", "8-bit floating point" },
	{ "e2m3x2", "6-bit floating point" }, { "e3m2x2", "6-bit floating point" },
	{ "e2m1x2", "4-bit floating point" },
	{ "pack", "packed conversions" }, { "bulk", "bulk stores" },
	{ "mbarrier_init", "asynchronous barriers" },
	{ "tensormap", "tensor maps" }, { "u16x2", "packed 16-bit integers" },
	{ "s16x2", "packed 16-bit integers" },
	{ "f32x2", "packed single precision" }, { "b128", "128-bit values" },
	{ "u128", "128-bit values" }, { "s128", "128-bit values" },
	{ "shared::cluster", "thread block clusters" },
	{ "cluster", "thread block clusters" }, { "async", "asynchronous copies" },
	{ "proxy", "proxy fences" },
	{ "noftz", "half-precision arithmetic" }, { "v8", "vectors of 8 elements" },
	{ "xorsign", "min and max that combine signs" },
	{ "NaN", "min and max that keep NaNs" }, { "relu", "clamping to zero" }
};

static bool is_part(const char *s, size_t n, const char *what)
{
	return strlen(what) == n && !memcmp(s, what, n);
}

const char *ptx_unsupported(const char *s, size_t n)
{
	const char *end = s + n;
	for (bool first = true; s < end; first = false) {
		const char *dot = memchr(s, '.', (size_t)(end - s));
		size_t k = (size_t)((dot ? dot : end) - s);
		for (size_t i = 0; first && i < sizeof families / sizeof *families; i++)
			if (is_part(s, k, families[i].op))
				return families[i].what;
		for (size_t i = 0; !first && i < sizeof suffixes / sizeof *suffixes; i++)
			if (is_part(s, k, suffixes[i].suffix))
				return suffixes[i].what;
		s += k + 1;
	}
	return NULL;
}
