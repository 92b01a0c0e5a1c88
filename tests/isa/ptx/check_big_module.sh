#!/bin/sh
# Lowering takes memory and time in proportion to what there is.
# A module of many kernels: lowering copies no more than what a kernel reaches.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-big.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
kernels=400 limit=120000 # kilobytes; one copy of the module for each kernel needs forty times that

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

# A kernel of many values and few registers needs time in proportion to its size, not to its square: a second,
# not minutes.
awk -v n=24000 'BEGIN {
	print "kernel k(u64 out) {\nA: %o = ld.param.u64 [out]\n %t = mov.u32 %tid.x\n %s = mov.u32 0"
	for (k = 0; k < n; k++) print " %v" k " = mad.lo.u32 %t, " k ", 5"
	for (k = 0; k < n; k++) print " %s = mad.lo.u32 %s, 3, %v" k
	print " st.global.u32 [%o], %s\n exit\n}"
}' >"$tmp/spills.ir"
(ulimit -t 30 && exec $gsim --disassemble -D sm.max_registers_per_thread=32 "$tmp/spills.ir") >"$tmp/out" 2>"$tmp/err" || {
	echo "FAILED: spilling takes long: status $?"
	head -n 5 "$tmp/err"
	failed=1
}
[ "$(grep -c 'st\.local' "$tmp/out")" -ge 20000 ] || { echo "FAILED: few values are spilled"; failed=1; }
exit $failed
