#!/bin/sh
# A warp that takes k ways of equal length (kernels/k_way): its time is linear, T(k) = T(1) + s (k - 1), and 32 / k lanes go
# together. Exact for each k from 1 to 32: all latencies are constant, the second turn finds its code in the cache, and a
# stack without a bound never spills. s is a way's own time, rounds x (latencies of the loop + redirection) + what the
# mechanism takes from one way to the next: it grows by the same for each round.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-k-way.$$
layout='-D code.layout=source' # the ways stand behind the place where they meet, so that all end with the same jump
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

# run MACHINE MODEL MODULE ROUNDS [OPTION...]: lines "k cycles lanes" of k = 1 to 32
run() {
	machine=$1 model=$2 module=$3 rounds=$4
	shift 4
	k=1
	while [ $k -le 32 ]; do
		$gsim -q -c "$machine" -m "$model" $layout "$@" "$srcdir/kernels/k_way/$module" -- $k "$rounds" >"$tmp/one" 2>&1 ||
			{ echo "FAILED: $machine $model $module k = $k:"; cat "$tmp/one"; exit 1; }
		sed -n 's/^k_way k \([0-9]*\) rounds [0-9]* cycles \([0-9]*\)\( lanes \)*/\1 \2 /p' "$tmp/one"
		k=$((k + 1))
	done
}

# linear WHAT FILE: the second column grows by the same, s, in each of 31 lines
linear() {
	awk -v what="$1" 'NR == 2 { s = $2 - last }
		NR > 1 && $2 - last != s { print what ": k = " $1 " takes " $2 - last " more, not " s; bad = 1 }
		{ last = $2 } END { if (NR != 32 || s <= 0) { print what ": " NR " points, s = " s; bad = 1 } exit bad }' "$2" || failed=1
	s=$(awk 'NR == 2 { print $2 - last } { last = $2 }' "$2")
}

for pair in kepler.lua:ipdom kepler.lua:token maxwell.lua:token volta.lua:its hopper.lua:its; do
	machine=${pair%:*} model=${pair#*:}
	for rounds in 1 2 3; do
		run "$machine" "$model" k_way.ir $rounds -D divergence.depth=0 >"$tmp/$rounds"
		linear "$machine $model, $rounds rounds" "$tmp/$rounds"
		[ $rounds = 3 ] && [ $((s - s2)) != $((s2 - s1)) ] && { echo "FAILED: s is not linear in the rounds"; failed=1; }
		[ $rounds = 1 ] && s1=$s
		[ $rounds = 2 ] && s2=$s
		awk '$3 * $1 < 31.999 || $3 * $1 > 32.001 { print "k = " $1 ": " $3 " lanes, not " 32 / $1; exit 1 }' "$tmp/$rounds" ||
			{ echo "FAILED: $machine $model"; failed=1; }
	done
	echo "$machine $model: s = $s1, $s2, $s for 1, 2, 3 rounds"
done

# With a bounded stack: linear but for spills, 42 + 42 cycles for each chunk of four tokens beyond sixteen
# (kepler.lua).
run kepler.lua token k_way.ir 1 >"$tmp/bounded"
run kepler.lua token k_way.ir 1 -D divergence.depth=0 >"$tmp/free"
paste "$tmp/free" "$tmp/bounded" | awk '{ extra = $5 - $2; k = $1; chunks = k > 16 ? int((k - 16 + 3) / 4) : 0
	if (extra != 84 * chunks) { print "token, k = " k ": spills take " extra ", not " 84 * chunks; bad = 1 } } END { exit bad }' || failed=1
exit $failed
