#!/bin/sh
# The programs of kernels/host_programs: their results are right, timed and in the reference interpreter, and they launch kernels as often as said here.
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
cd "$top" || exit 2
log=$(mktemp -d)
stats=$log/stats.json
trap 'rm -r "$log"' EXIT
failed=0 programs=0

run() { # launches, options, program and arguments
	launches=$1 options=$2 module=kernels/host_programs/$3.ir
	shift 3
	if ! gsim -q --config kepler.lua $options --stats "$stats" "$module" -- "$@" >"$log/out" 2>&1; then
		echo "FAILED: gsim --config kepler.lua $options $module -- $*"
		head -n 5 "$log/out"
		failed=$((failed + 1))
		return
	fi
	found=$(grep -c '^      "grid": ' "$stats")
	[ "$found" = "$launches" ] && return
	echo "$module -- $*: $found launches, not $launches"
	failed=$((failed + 1))
}

program() { # launches, name and arguments of the thesis' size, launches and arguments of a small size
	programs=$((programs + 1))
	[ -f "kernels/host_programs/$2.ir" ] || { echo "no program $2"; failed=$((failed + 1)); }
	name=$2 large=$1
	shift 2
	[ "$large" = - ] || run "$large" "--reference" "$name" $1
	run "$2" "--verify" "$name" $3
}

# Launches of table 5.2 of Fukuhara's thesis (2023), and of a small size.
program 24 bfs "" 24 ""
program - cfd "" 31 ""
program 30 gaussian "" 14 8
program 46 huffman "" 13 "80 1 10"
program 68 hybrid_sort "" 34 "300 2"
program 46 lud "" 46 ""
program 396 particle_filter "32 99" 24 ""
program 502 srad_v1 "24 20 100" 32 ""
program 4 srad_v2 "" 4 ""
program - eigenvalues "" 9 ""
program 403 line_of_sight "64 100" 23 ""
program - merge_sort "" 21 ""
program 6 newdelete "" 6 ""
program 93 barnes_hut "" 31 "64 1"
program 96 b_spline "" 96 ""
program 1275 fractal_flame "75 14 32" 68 ""
program 10026 path_regeneration "2514 30 1092" 478 ""
program - rna "" 174 ""

for module in kernels/host_programs/*.ir; do
	name=${module##*/}
	grep -q "^program [0-9-]* ${name%.ir} " tests/tools/check_host_programs.sh || { echo "$module is not run"; failed=$((failed + 1)); }
done
echo "$programs programs, $failed failed"
[ "$failed" = 0 ]
