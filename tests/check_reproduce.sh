#!/bin/sh
# tools/reproduce divergence-cost: every column of the token stack emulator, on Kepler and Maxwell.
srcdir=${srcdir:-$(dirname "$0")/..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
export GSIM_BUILD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$top/tools/reproduce" divergence-cost -o "$dir" >"$dir/out" || { cat "$dir/out"; exit 1; }
[ "$(grep -c '32 of 32 equal$' "$dir/out")" = 32 ] || { echo "not every column was compared:"; cat "$dir/out"; exit 1; }
for f in divergence-cost.csv single-cycles.svg double-cycles.svg single-stack.svg double-stack.svg double-spills.svg; do
	[ -s "$dir/$f" ] || { echo "$f was not written"; exit 1; }
done
