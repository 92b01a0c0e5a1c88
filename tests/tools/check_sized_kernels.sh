#!/bin/sh
# Every workload of kernels/ declares its sizes. At size M it has right results on a machine whose SM holds 256 threads, so that all are quick;
# the arguments of L and XL on volta.lua are there, and grow or have a reason. Larger sizes: tools/sizes.
srcdir=${srcdir:-$(dirname "$0")/../..}
GSIM=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
out=$(mktemp)
trap 'rm -f "$out"' EXIT
bad=0 n=0 grown=0
fail() {
	echo "$*"
	head -n 3 "$out"
	bad=1
}
line() { sed -n "s/^$1  *//p" "$out"; } # the arguments of a size
for w in "$srcdir"/kernels/*/*.lua; do
	for module in "${w%.lua}".ptx "${w%.lua}".ir "${w%/*}"/figure1.ir "${w%/*}"/diamond.ir; do [ -f "$module" ] && break; done
	n=$((n + 1))
	options="--source $srcdir/kernels -w $w $module"
	"$GSIM" --list sizes -c volta.lua $options >"$out" 2>&1 || fail "$w: --list sizes fails:"
	[ "$(line S)" = "its defaults" ] || fail "$w: S is not its defaults:"
	if [ "$(line L)" != "its defaults" ] && [ "$(line M)" != "$(line L)" ] && [ "$(line L)" != "$(line XL)" ]; then
		grown=$((grown + 1))
	else
		grep -q '^does not fill every machine: .' "$out" || fail "$w neither grows nor says why:"
	fi
	"$GSIM" -q --functional -c volta.lua -D sm.max_warps=8 -D sm.max_threads_per_block=256 --size M $options >"$out" 2>&1 ||
		fail "$w: wrong at size M:"
done
[ $n -ge 95 ] && [ $grown -ge 60 ] || { echo "only $grown of $n workloads grow"; exit 1; }

# The campaign over all of them: two that are right, and one that cannot run.
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit $bad
folder=$(mktemp -d)
trap 'rm -rf "$out" "$folder"' EXIT
GSIM_BUILD=${GSIM_BUILD:-$PWD} "$srcdir/tools/sizes" -o "$folder" compaction/compaction.ptx continue_loop/continue_loop.ir >"$out" 2>&1 ||
	fail "tools/sizes fails:"
grep -q '^2 of 2 have right results; 0 leave more than 80 %.*, 0 of them for a reason' "$out" || fail "tools/sizes counts otherwise: $(tail -n 2 "$out")"
grep -q '^compaction/compaction.ptx,M,volta.lua,2048,2048,0\.[0-9]*,[0-9]*,yes,$' "$folder/sizes.csv" || fail "tools/sizes writes: $(cat "$folder/sizes.csv")"
GSIM_BUILD=${GSIM_BUILD:-$PWD} "$srcdir/tools/sizes" -l -o "$folder" compaction/compaction.ptx >"$out" 2>&1 && grep -q '	L   163840$' "$out" ||
	fail "tools/sizes -l shows:"
GSIM_BUILD=${GSIM_BUILD:-$PWD} "$srcdir/tools/sizes" -c nosuch.lua -o "$folder" compaction/compaction.ptx >"$out" 2>&1
[ $? = 1 ] && grep -q "WRONG: .*nosuch.lua" "$out" || fail "tools/sizes runs on a machine that is not there:"
for wrong in "-s H" "-x" "nosuch.ptx"; do
	GSIM_BUILD=${GSIM_BUILD:-$PWD} "$srcdir/tools/sizes" -o "$folder" $wrong >"$out" 2>&1
	[ $? = 2 ] || fail "tools/sizes $wrong is no usage error:"
done
exit $bad
