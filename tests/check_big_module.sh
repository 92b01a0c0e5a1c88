#!/bin/sh
# A module of many kernels needs memory in proportion to its size: lowering copies no more than what a kernel reaches.
srcdir=${srcdir:-$(dirname "$0")/..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-big.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
kernels=400 limit=100000 # kilobytes; one copy of the module for each kernel needs forty times that

awk -v n=$kernels 'BEGIN {
	print ".version 8.0\n.target sm_70\n.address_size 64"
	for (k = 0; k < n; k++) {
		print ".visible .entry kernel_" k "(.param .u64 out, .param .u32 n)\n{"
		print "\t.reg .pred %p<12>;\n\t.reg .b32 %r<40>;\n\t.reg .b64 %d<4>;\n\t.local .align 4 .b8 buffer[64];"
		print "\tld.param.u64 %d1, [out];\n\tld.param.u32 %r1, [n];\n\tmov.u32 %r2, %tid.x;"
		for (b = 0; b < 10; b++) {
			printf "\tsetp.lt.u32 %%p%d, %%r2, %d;\n\t@%%p%d bra M%d;\n", b + 1, b * 3, b + 1, b
			printf "\tadd.u32 %%r%d, %%r%d, %%r2;\nM%d:\n", b + 3, b + 2, b
			printf "\tmad.lo.u32 %%r%d, %%r%d, %%r1, %%r2;\n", b + 5, b + 4
		}
		print "\tst.local.u32 [buffer], %r5;\n\tst.global.u32 [%d1], %r5;\n\tret;\n}"
	}
}' >"$tmp/big.ptx"
cat >"$tmp/big.lua" <<'E2'
local out = gpu.buffer("u32", 1)
for _, k in ipairs(gpu.kernels()) do gpu.launch { kernel = k, grid = 1, block = 32, args = { out, 3 } } end
E2

# within OPTIONS...: gsim in so much memory
within() {
	(ulimit -v $limit && exec $gsim "$@") >"$tmp/out" 2>"$tmp/err" || {
		echo "FAILED: gsim $*: status $? within $limit kB"
		head -n 5 "$tmp/err"
		failed=1
	}
}

(ulimit -v $limit && exec $gsim --version) >"$tmp/out" 2>&1 || { # a sanitizer's shadow memory is larger
	echo "no limit of memory can be set here"
	exit 77
}
for model in ipdom exec_mask; do
	within --disassemble -m $model "$tmp/big.ptx"
	[ "$(grep -c '^kernel_[0-9]*\.[^:]*:$' "$tmp/out")" -ge $kernels ] || { echo "FAILED: kernels are missing"; failed=1; }
done
within -q --functional "$tmp/big.ptx"
exit $failed
