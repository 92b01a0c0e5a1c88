#!/bin/sh
# No pass makes a program wait for ever that ends without it: kernels that end under a mechanism as they are end after the pass as well, and it says which loop it is
# for which it has left something alone. tools/differential --spins makes more of them.
sim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
configs=${srcdir:-.}/configs
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 ended=0

kernel() { # its blocks, from the branch of the entry on
	printf 'kernel k(u64 out) {\nreg u32 %%v, %%t, %%i\nreg u64 %%p\nreg pred %%c, %%d, %%e\nENTRY:\n%%p = ld.param.u64 [out]\n%%t = mov.u32 %%tid.x\n%%i = mov.u32 0\n'
	printf '%%c = setp.eq.u32 %%t, 0\n%%v = and.b32 %%t, 1\n%%e = setp.eq.u32 %%v, 0\n%s\nexit\n}\n' "$1"
	printf 'host main() {\n%%o = alloc.u64 4096\nlaunch k, (1, 1, 1), (32, 1, 1), 0, (%%o)\nexit\n}\n'
}
# what stands for "threads stay in L until the flag is set"
look='%v = ld.volatile.global.u32 [%p]
%d = setp.eq.u32 %v, 0'
give='st.volatile.global.u32 [%p], 1'

ends() { # mechanism, passes
	"${srcdir:-.}/tests/within" 60 "$sim" --functional -q --alone -c "$configs/kepler.lua" -m "$1" -p "$2" "$tmp/k.ir" >"$tmp/said" 2>&1 && return 0
	grep -qE 'livelock|deadlock' "$tmp/said" || { echo "$1, $2: neither an end nor a livelock"; cat "$tmp/said"; bad=1; }
	return 1
}
check() { # pass, the loop in a remark, code
	kernel "$3" >"$tmp/k.ir"
	"$opt" --remarks -p "$1" -o /dev/null "$tmp/k.ir" 2>"$tmp/said" || { cat "$tmp/said" "$tmp/k.ir"; bad=1; }
	grep -q "\(remark\|warning\): ${1%%(*}: k: .*the loop at $2, by its [a-z]* in line [0-9]*, may wait for what other threads do" "$tmp/said" ||
		{ echo "$1 does not name the loop at $2:"; cat "$tmp/said" "$tmp/k.ir"; bad=1; }
	for model in ipdom token its tf_stack multi_path exec_mask; do
		ends "$model" none || continue
		ended=$((ended + 1))
		ends "$model" "$1" || { echo "$1 under $model: ends as it is, and not behind the pass"; cat "$tmp/said"; bad=1; }
	done
}
check tail-merge B "bra %c, A, B
A: $give
bra J
B: $look
bra %d, B, C
C: $give
bra J
J:"
unstructured="bra %c, P, W
P: st.global.u32 [%p+8], 5
bra S2
W: $look
bra %d, W, C
C: bra %e, S1, S2
S1: st.global.u32 [%p+4], 1
bra J
S2: $give
bra J
J:"
check linearize W "$unstructured"
# a loop with two ways out, one of which gives the sign
check 'linearize(merge=1)' B "bra L
L: bra %c, G, B
G: $give
bra J
B: $look
bra %d, B, E
E: %i = add.u32 %i, 1
%d = setp.lt.u32 %i, 3
bra %d, L, J
J:"
exits="bra L
L: %i = mov.u32 0
bra I
I: %i = add.u32 %i, 1
%d = setp.lt.u32 %i, 3
bra %d, I, B
B: bra %c, G, M
M: $look
bra %d, L, E
E: st.global.u32 [%p+4], 1
bra J
G: $give
bra J
J:"
check 'flatten(rule=always)' L "$exits"
check structurize L "$exits"
# where ways meet no longer, some wait before others have given the sign
check structurize W "bra %e, A, B
A: bra %c, G, B
G: $give
bra M
B: st.global.u32 [%p+4], 1
bra M
M: %i = add.u32 %i, 1
bra %e, W, Q
Q: bra %c, W, N
W: $look
bra %d, W, N
N:"
check unroll L "bra %c, G, L
G: $give
bra J
L: $look
bra %d, L, J
J:"
check loop-rotate L "bra %c, G, L
G: $give
bra J
L: $look
bra %d, M, J
M: %i = add.u32 %i, 1
bra L
J:"
echo "$ended runs end"
[ $ended -gt 15 ] || bad=1
exit $bad
