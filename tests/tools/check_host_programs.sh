#!/bin/sh
# The programs of kernels/host_programs: their results are right, timed and in the reference interpreter, and they launch kernels as often as said here, as they are and fused.
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
	if ! gsim -q --config kepler.lua --source kernels $options --stats "$stats" "$module" -- "$@" >"$log/out" 2>&1; then
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

# Fused without regard to what blocks read of others, as the thesis did: results may be wrong, the number of
# launches counts.
fused() { # launches, pass, name, arguments
	gsim -q --config kepler.lua --source kernels --functional --stats "$stats" -p "$2(assume-no-grid-sync=1)" "kernels/host_programs/$3.ir" -- $4 >"$log/out" 2>&1
	[ $? -le 1 ] && found=$(grep -c '^      "grid": ' "$stats") && [ "$found" = "$1" ] && return
	echo "$3 -- $4: $found launches by $2, not $1"
	head -n 5 "$log/out"
	failed=$((failed + 1))
}

# Launches of the thesis' size (- where that takes long), name and arguments; launches of a small size, its
# arguments, launches by kf-trad and kfcm (- where the data decide).
program() {
	programs=$((programs + 1))
	[ -f "kernels/host_programs/$2.ir" ] || { echo "no program $2"; failed=$((failed + 1)); }
	[ "$1" = - ] || run "$1" "--reference" "$2" $3
	run "$4" "--verify" "$2" $5
	for pass in "kfcm" "kfcm(grid-barrier=1)"; do # fused where that is proved to be right, with results that are
		# shellcheck disable=SC2086
		gsim -q --config kepler.lua --source kernels --verify -p "$pass" "kernels/host_programs/$2.ir" -- $5 >"$log/out" 2>&1 && continue
		echo "FAILED: gsim --config kepler.lua --verify -p $pass kernels/host_programs/$2.ir -- $5"
		head -n 5 "$log/out"
		failed=$((failed + 1))
	done
	[ "$6" = - ] && return
	fused "$6" kf-trad "$2" "$5"
	fused "$7" kfcm "$2" "$5"
}

# As table 5.2 of Fukuhara's thesis (2023) has them.
program 24 bfs "" 24 "" - -
program - cfd "" 31 "" 19 15
program 30 gaussian "" 30 "" 15 15
program 46 huffman "" 13 "80 1 10" 13 12
program 68 hybrid_sort "" 34 "300 2" 32 32
program 46 lud "" 46 "" 31 30
program 396 particle_filter "99" 24 "" 6 6
program 502 srad_v1 "100" 32 "" 26 19
program 4 srad_v2 "" 4 "" 2 2
program - eigenvalues "" 9 "" 9 7
program 403 line_of_sight "100" 23 "" 23 19
program - merge_sort "" 21 "" 16 16
program 6 newdelete "" 6 "" 5 5
program 93 barnes_hut "" 31 "64 1" 26 22
program 96 b_spline "" 96 "" 72 72
program 1275 fractal_flame "75" 68 "" 68 64
program 10026 path_regeneration "2514 30 1092" 478 "" 358 306
program - rna "" 174 "" 174 171

for module in kernels/host_programs/*.ir; do
	name=${module##*/}
	grep -q "^program [0-9-]* ${name%.ir} " tests/tools/check_host_programs.sh || { echo "$module is not run"; failed=$((failed + 1)); }
done
echo "$programs programs, $failed failed"
[ "$failed" = 0 ]
