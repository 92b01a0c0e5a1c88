#!/bin/sh
# A few seconds of random host programs; tools/fusions is the long run. Programs for which something does not hold are left in the build folder.
set -e
./fusions --count "${FUSIONS:-45}" --seed 1 >fusions.out || { cat fusions.out; exit 1; }
# Most programs have one result; of the launches that stand one behind the other a share depends on each other
# between blocks. Launches were fused in half of the programs, fewer are executed, barriers of the grid were
# put between bodies, and where no dependence is assumed the detector found races.
awk '/ launches; of / { illegal = $9 / $4 } / programs, / { racy = $3 / $1 }
	/^(kf-trad|bkf|fkf|kfcm): [0-9]/ { n++; fused = $2 / $4; low += fused < 0.5; less += $7 < $10 }
	/^with options: / { barriers = $21 } /^no-grid-sync: / { races = $36 + 0 }
	END { exit racy > 0.25 || illegal < 0.1 || illegal > 0.5 || n != 4 || low || less != 4 || !barriers || !races }' fusions.out || { cat fusions.out; exit 1; }
# the same number is the same program, and reads back
./fusions --print --seed 7 >fusions.out
./fusions --print --seed 7 | cmp - fusions.out
grep -q '^host main()' fusions.out
# a block of the source that is no longer there has a name of its own in each body
cat >fusions.out <<'END'
kernel k(u64 p) {
	source A, GONE, B
A:
	%p = ld.param.u64 [p]
	bra B
B:
	%t = mov.u32 %tid.x
	%p = mad.wide.u32 %t, 4, %p
	st.global.u32 [%p], 1
	exit
}
host main() {
	%a = alloc.u64 256
	launch k, 1, 64, 0, (%a)
	launch k, 1, 64, 0, (%a)
	exit
}
END
./gsim-opt -p 'kf-trad(same-kernel=1)' fusions.out -o fusions.ir
./gsim-opt fusions.ir | grep -q 'source k_A, k_GONE, k_B, k_A2, k_GONE_2, k_B2$'
for bad in "--count x" "--seed -1" "extra" "--nonsense"; do
	status=0
	# shellcheck disable=SC2086
	./fusions $bad >fusions.out 2>&1 || status=$?
	[ "$status" = 2 ] && [ -s fusions.out ] || { echo "fusions $bad: status $status"; cat fusions.out; exit 1; }
done
rm -f fusions.out fusions.ir
