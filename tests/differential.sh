#!/bin/sh
# A few seconds of differential testing; tools/differential is the long run. Kernels that fail are left in the build folder.
set -e
./differential --count "${DIFFERENTIAL_COUNT:-400}" --seed 1 --functional --minimize
./differential --count "${DIFFERENTIAL_TIMED:-40}" --seed 100001 --timed --minimize
# every failure of the command line is a message and exit status 2
for bad in "--count x" "--models ipdom,nothing" "--passes nosuchpass" "--without magic" "--set a=1" "--size 0" "extra" "--nonsense"; do
	status=0
	# shellcheck disable=SC2086
	./differential $bad >differential.out 2>&1 || status=$?
	[ "$status" = 2 ] && [ -s differential.out ] || { echo "differential $bad: status $status"; cat differential.out; exit 1; }
done
# a kernel printed with --print is a module that reads back
./differential --print --seed 7 | grep -q '^host main()'
rm -f differential.out
