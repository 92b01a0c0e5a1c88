#!/bin/sh
# A few seconds of random host programs; tools/fusions is the long run. Programs for which something does not hold are left in the build folder.
set -e
./fusions --count "${FUSIONS:-150}" --seed 1 >fusions.out || { cat fusions.out; exit 1; }
# most programs have one result, and a share of the launches that stand one behind the other depend on each other between blocks
awk '/ launches; of / { illegal = $9 / $4 } / programs, / { racy = $3 / $1 } END { exit racy > 0.25 || illegal < 0.1 || illegal > 0.5 }' fusions.out || { cat fusions.out; exit 1; }
# the same number is the same program, and reads back
./fusions --print --seed 7 >fusions.out
./fusions --print --seed 7 | cmp - fusions.out
grep -q '^host main()' fusions.out
for bad in "--count x" "--seed -1" "extra" "--nonsense"; do
	status=0
	# shellcheck disable=SC2086
	./fusions $bad >fusions.out 2>&1 || status=$?
	[ "$status" = 2 ] && [ -s fusions.out ] || { echo "fusions $bad: status $status"; cat fusions.out; exit 1; }
done
rm -f fusions.out
