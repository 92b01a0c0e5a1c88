#!/bin/sh
# What once took the square of the number of blocks: 31,623 of them take a fraction of a second each, so ten say that it is back.
set -eu
trap 'rm -f scaling.*' EXIT

# SHAPES THINGS [SECONDS]
fast() {
	tools/bench-passes --shapes "$1" --things "$2" --most 31623 --limit "${3:-10}" >scaling.out
	if [ "$(wc -l <scaling.out)" -lt 2 ] || grep over scaling.out; then
		echo "$1: $2: too slow, or not measured" >&2
		exit 1
	fi
}

fast carried-far ssa,dce,const-prop,copy-prop
fast ladder,nested,brx-wide,nest-left,nest-entered structurize
# Deep nests of irreducible loops: 0.2 and 0.3 seconds, and once 13 and 16.
fast tangle-parted,web-parted uniformity 4
# No address is asked for, so nobody needs sets of live registers: once 3.6 seconds for 10,000 blocks.
fast carried-far srqp 4
rm -f scaling.out

# --annotate looked at all instructions for each line: 12,000 lines take half a second, and then took minutes.
{
	printf 'kernel k()\n{\n\treg u32 %%t\n\treg pred %%p\nB: %%t = mov.u32 %%tid.x\n\tbra L0\n'
	awk 'BEGIN { for (i = 0; i < 4000; i++) printf "L%d:\n\t%%p = setp.lt.u32 %%t, %d\n\tbra %%p, M%d, L%d\nM%d:\n\tbra L%d\n", i, i % 31 + 1, i, i + 1, i, i + 1 }'
	printf 'L4000: exit\n}\n'
} >scaling.ir
echo 'gpu.launch { kernel = "k", grid = 1, block = 32, args = {} }' >scaling.lua
"${srcdir:-.}/tests/within" 20 ./gsim --functional --annotate scaling.ir >scaling.out || { echo "gsim --annotate: too slow, or it failed" >&2; exit 1; }
grep -q '^ .* sum of the lines$' scaling.out || { echo "gsim --annotate: no sum" >&2; exit 1; }
rm -f scaling.out scaling.ir scaling.lua

# ---- how time grows ----
# Hundredths of a second of processor time that the command takes.
cost() {
	("$@" >/dev/null 2>scaling.err || { cat scaling.err >&2; exit 1; }
	times) | awk 'NR == 2 { gsub(/[ms]/, " "); print int(($1 * 60 + $2 + $3 * 60 + $4) * 100 + 0.5) }'
}

# grows WHAT MAKE SMALL LARGE COMMAND...: MAKE N writes the input of size N. The power of the size with which
# time grows is 2 where a step goes over all others, and 1 where it doesn't; between them lies room for caches
# and for sorting.
grows() {
	what=$1 make=$2 small=$3 large=$4
	shift 4
	$make "$small"
	a=$(cost "$@")
	$make "$large"
	b=$(cost "$@")
	echo "$what: $small take $a, $large take $b hundredths of a second"
	awk -v a="$a" -v b="$b" -v n="$small" -v m="$large" 'BEGIN { exit !(b != "" && log(b / (a < 2 ? 2 : a)) / log(m / n) < 1.6) }' || {
		echo "$what: time grows too fast" >&2
		exit 1
	}
}

many_buffers() {
	cat >scaling.ir <<-END
	kernel k(u64 a) { exit }
	host main() {
	%i = mov.u32 0
	bra L
	L: %a = alloc.u64 1
	%i = add.u32 %i, 1
	%p = setp.lt.u32 %i, $1
	bra %p, L, E
	E: exit
	}
	END
}
grows 'buffers that --verify compares' many_buffers 20000 160000 ./gsim -q --verify scaling.ir

# A row of launches of two small kernels, each of a buffer of its own: kfcm judged each with all before it.
launches() {
	{
		for k in 0 1; do printf 'kernel k%d(u64 a)\n{\n%%q = ld.param.u64 [a]\n%%x = ld.global.u32 [%%q]\nst.global.u32 [%%q+4], %%x\nexit\n}\n' $k; done
		awk -v n="$1" 'BEGIN { print "host main() {"; for (i = 0; i < n; i++) printf "%%a%d = alloc.u64 64\n", i
			for (i = 0; i < n; i++) printf "launch k%d, (1,1,1), (32,1,1), 0, (%%a%d)\n", i % 2, i; print "exit\n}" }'
	} >scaling.ir
}
grows 'launches in a row under kfcm' launches 200 1000 ./gsim-opt -p kfcm -o /dev/null scaling.ir

# Labels before one instruction: sets of reconvergence points had a bit for each block in each block.
labels() {
	{
		printf '.version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n'
		awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "L%d:\n", i }'
		printf 'ret;\n}\n'
	} >scaling.ptx
}
echo 'gpu.launch { kernel = "k", grid = 1, block = 32, args = {} }' >scaling.lua
for model in token its tf_stack tf_sandy; do
	grows "labels under $model" labels 6250 50000 ./gsim -q --functional -m $model scaling.ptx
done

# Branches that part a warp: a row of them, a row of loops, a nest of them.
branches() {
	shape=$1
	{
		printf 'kernel k()\n{\n\treg u32 %%t, %%x\n\treg pred %%p\nB: %%t = mov.u32 %%tid.x\n\tbra L0\n'
		awk -v n="$2" -v shape="$shape" 'BEGIN {
			for (i = 0; i < n && shape == "row"; i++)
				printf "L%d: %%p = setp.lt.u32 %%t, %d\nbra %%p, M%d, L%d\nM%d: %%x = add.u32 %%t, 1\nbra L%d\n", i, i % 31 + 1, i, i + 1, i, i + 1
			for (i = 0; i < n && shape == "loops"; i++)
				printf "L%d: %%x = mov.u32 %%t\nbra H%d\nH%d: %%x = add.u32 %%x, 16\n%%p = setp.lt.u32 %%x, 32\nbra %%p, H%d, L%d\n", i, i, i, i, i + 1
			for (i = 0; i < n && shape == "nest"; i++)
				printf "L%d: %%p = setp.ge.u32 %%t, %d\nbra %%p, L%d, J%d\nJ%d: bra %s%d\n", i, i % 31, i + 1, i, i, i ? "J" : "E", i ? i - 1 : 0
			printf shape == "nest" ? "L%d: bra J%d\nE0: exit\n}\n" : "L%d: exit\n}\n", n, n - 1 }'
	} >scaling.ir
}
row() { branches row "$1"; }
loops() { branches loops "$1"; }
nest() { branches nest "$1"; }
for model in token its tf_stack; do
	grows "a row of branches under $model" row 1500 9000 ./gsim -q --functional -m $model scaling.ir
	grows "a row of loops under $model" loops 1500 9000 ./gsim -q --functional -m $model scaling.ir
done
# exec_mask: sets of stops had a bit for each stop at each block, 800 MB for these.
row 24000
(ulimit -v 500000; ./gsim -q -j 1 --functional -m exec_mask scaling.ir) || { echo "a row of branches under exec_mask: memory grows too fast" >&2; exit 1; }
# its keeps a register for each barrier beyond 16 that is open at once, so that a nest has as many live
# registers as it is deep
grows "a nest of branches under token" nest 1500 9000 ./gsim -q --functional -m token scaling.ir
grows "a nest of branches under tf_stack" nest 1500 9000 ./gsim -q --functional -m tf_stack scaling.ir

deep_calls() {
	cat >scaling.ir <<-END
	func down(u32 %n) -> (u32 %r) {
	A: %p = setp.eq.u32 %n, 0
	bra %p, B, C
	B: %r = mov.u32 1
	ret
	C: %m = sub.u32 %n, 1
	(%s) = call down, (%m)
	%r = add.u32 %s, 1
	ret
	}
	kernel deep(u32 n) {
	A: %n = ld.param.u32 [n]
	(%r) = call down, (%n)
	exit
	}
	END
	echo "gpu.launch { kernel = 'deep', grid = 1, block = 1, args = { $1 } }" >scaling.lua
}
trace="./gsim -q -D sm.count=1 -D sm.local_bytes=16777216 -t scaling.trace scaling.ir"
deep_trace() {
	deep_calls "$1"
	$trace -m $model
}
for model in ipdom token multi_path aware dual_path tf_sandy exec_mask its; do
	grows "a trace of deep calls under $model" deep_calls 3000 24000 $trace -m $model
done
for model in token multi_path; do
	grows "reading a trace of deep calls under $model" deep_trace 6000 48000 ./gsim-trace --summary scaling.trace
done

# ---- memory ----
# Launches that have ended and that no report names are forgotten: 30,000 of them once took 110 MB.
cat >scaling.ir <<-END
kernel few(u64 out) { exit }
kernel many(u64 out) { exit }
END
cat >scaling.lua <<-END
local out = gpu.buffer("u32", 1)
for i = 1, tonumber(gpu.args[1]) do
	gpu.launch { kernel = i % 1000 == 1 and "few" or "many", grid = 1, block = 32, stream = i % 3, args = { out } }
end
END
(ulimit -v 70000; ./gsim -q -j 1 --sums -D sm.count=1 -s scaling.json scaling.ir -- 30000) || { echo "--sums: memory grows with launches" >&2; exit 1; }
grep -q '"kernel": "many", "launches": 29970,' scaling.json || { echo "--sums: launches are missing" >&2; exit 1; }
