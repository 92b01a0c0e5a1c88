#!/bin/sh
# Reports (host figures aside) and traces do not depend on -j, and what a trace adds up to is what the report says.
# check_jobs.sh all [MACHINE...]: every module of kernels/.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
trace=${GSIM_TRACE:-./gsim-trace}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-jobs.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0 runs=0
others=2       # numbers of host threads, compared with one

fail() {
	echo "FAILED: $module on $machine $*"
	failed=1
}

# run JOBS OPTIONS...: leaves JOBS.json, without host figures, and JOBS.trace
run() {
	jobs=$1
	shift
	$gsim -q -c "$machine" -j "$jobs" -t "$tmp/$jobs.trace" -s "$tmp/$jobs-full.json" "$@" "$module" >"$tmp/out" 2>&1 ||
		{ fail "$* -j $jobs: status $?"; head -n 5 "$tmp/out"; return 1; }
	grep -v '"host"' "$tmp/$jobs-full.json" >"$tmp/$jobs.json"
}

# reported NAME: the values of the launches in the report, one a line; summed NAME: of the launches in the
# trace
reported() {
	sed -n -e '/^  "total"/q' -e '/^ *{"/d' -e '/"l1"/d' -e "s/^      .*\"$1\": \([0-9][0-9]*\).*/\1/p" "$tmp/1.json"
}
summed() { sed -n "s/^  $1  *\([0-9][0-9]*\)\$/\1/p" "$tmp/summary"; }

figures() {
	$trace --summary "$tmp/1.trace" >"$tmp/summary" || fail "gsim-trace: status $?"
	grep -q "machine $machine, " "$tmp/summary" || fail "the trace does not name the machine"
	grep -v '^      "\(inserted\|overhead\|uniform\)"' "$tmp/1.json" >"$tmp/own" && mv "$tmp/own" "$tmp/1.json"
	for name in warp_instructions pushes pops max_depth depth_sum spills fills merges; do
		[ "$(reported $name)" = "$(summed $name)" ] ||
			fail "$*: $name in the trace $(summed $name | tr '\n' ' '), in the report $(reported $name | tr '\n' ' ')"
	done
	[ -n "$(reported warp_instructions)" ] || fail "no launch in the report"
}

same() { # OPTIONS...
	runs=$((runs + 1))
	run 1 "$@" || return
	for other in $others; do
		run $other "$@" || return
		cmp -s "$tmp/1.json" "$tmp/$other.json" || fail "$*: the report differs between -j 1 and -j $other"
		cmp -s "$tmp/1.trace" "$tmp/$other.trace" || fail "$*: the trace differs between -j 1 and -j $other"
	done
	figures "$@"
}

if [ "$1" = all ]; then
	shift
	machines=${*:-kepler.lua fermi.lua maxwell.lua}
	cd "$srcdir" && modules=$(ls kernels/*/*.ptx kernels/short_circuit/*.ir kernels/calculator/*.ir) && cd "$OLDPWD" || exit 1
else
	machines="kepler.lua fermi.lua vega20.lua"
	modules="kernels/histogram/histogram.ptx kernels/list_insert/list_insert.ptx kernels/scan/scan.ptx
		kernels/spin_lock/spin_lock.ptx kernels/kmeans/kmeans.ptx kernels/quicksort/quicksort.ptx"
fi
for module in $modules; do
	module=$srcdir/$module
	for machine in $machines; do
		others='2 7'
		same
	done
	others=2
	machine=kepler.lua
	same -m ipdom -p linearize
	same -m mimd
	same --functional -m tf_stack
done
echo "$runs runs compared"
exit $failed
