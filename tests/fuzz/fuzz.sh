#!/bin/sh
# A few seconds of mutated input for every fuzz target, and all inputs that once showed a fault. tools/fuzz is the long run.
set -e
srcdir=${srcdir:-.}
TMPDIR=$PWD GSIM_PATH=$srcdir/configs
export srcdir TMPDIR GSIM_PATH
trap 'rm -rf gsim-fuzz-??????' EXIT
tests/gsim-fuzz --smoke
for folder in "$srcdir"/tests/fuzz/found/*; do
	[ ! -d "$folder" ] || tests/gsim-fuzz "${folder##*/}" "$folder"/*
done
# errors of the command line
for bad in "" "nothing" "ir /nonexistent" "--mutate nothing" "--nonsense" "--seeds ir /nonexistent"; do
	status=0
	# shellcheck disable=SC2086
	tests/gsim-fuzz $bad >fuzz.out 2>&1 || status=$?
	[ "$status" = 2 ] && [ -s fuzz.out ] || { echo "gsim-fuzz $bad: status $status"; cat fuzz.out; exit 1; }
done
[ "$(tests/gsim-fuzz --dictionary ir | grep -c -e '"add"' -e '"\.u32"' -e '"%tid.x"')" = 3 ]
tests/gsim-fuzz --list | grep -q '^run '
rm -f fuzz.out
