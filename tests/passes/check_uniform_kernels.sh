#!/bin/sh
# usage: check_uniform_kernels.sh [-m MECHANISM]... [MODULE...]
# What the uniformity analysis says of every kernel of kernels/ (or of each MODULE) against executions: the kernel gets a check in front of each use of a
# register that is said to be uniform, which stops it where lanes differ, and runs with its workload, functionally, under ipdom and
# its (or each MECHANISM). As it is, it runs under ipdom (or each MECHANISM), and `gsim-opt --print uniformity` must not find a branch in the report that is uniform by
# analysis and diverged; VERBOSE=1 shows those that are divergent by analysis and never were. kernels/oracles is left out: some of these have to fail.
srcdir=${srcdir:-$(dirname "$0")/../..}
GSIM_BUILD=${GSIM_BUILD:-$PWD}
checker=${CHECKER:-$GSIM_BUILD/tests/passes/uniform_kernel}
mechanisms=
while [ "$1" = -m ]; do
	mechanisms="$mechanisms $2"
	shift 2
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if [ $# = 0 ]; then
	for module in "$srcdir"/kernels/*/*.ptx "$srcdir"/kernels/*/*.ir; do
		case $module in
		*/kernels/oracles/*) ;;
		*) set -- "$@" "$module" ;;
		esac
	done
fi
failed=0 checks=0 branches=0
for module; do
	name=$(basename "$module")
	workload=${module%.*}.lua
	[ -f "$workload" ] || workload=$(echo "$(dirname "$module")"/*.lua) # one for the folder
	[ -f "$workload" ] && set -- -w "$workload" || set --
	for mechanism in ${mechanisms:-ipdom}; do
		report=$dir/report.json
		GSIM_PATH="$srcdir/configs" "$GSIM_BUILD/gsim" -q -c kepler.lua --functional --sums --source "$srcdir/kernels" -m "$mechanism" -s "$report" "$@" "$module" >"$dir/output" 2>&1 ||
			{ echo "FAILED: $module under $mechanism:"; tail -n 5 "$dir/output"; failed=1; continue; }
		"$GSIM_BUILD/gsim-opt" --source "$srcdir/kernels" --print uniformity --profile "$report" "$module" >"$dir/marks" 2>&1 || { cat "$dir/marks"; failed=1; }
		grep 'DIVERGED\|diverged in\|warning' "$dir/marks" && { echo "FAILED: $module under $mechanism"; failed=1; }
		branches=$((branches + $(grep -c ' agree' "$dir/marks")))
		[ -z "$VERBOSE" ] || { echo "$module"; grep 'never was\|single lanes\|branches\{0,1\}, executed' "$dir/marks"; }
	done
	"$checker" "$srcdir/kernels" "$module" >"$dir/${name%.*}.ir" 2>"$dir/count" || { cat "$dir/count"; failed=1; continue; }
	read -r count <"$dir/count"
	checks=$((checks + count))
	for mechanism in ${mechanisms:-ipdom its}; do
		GSIM_PATH="$srcdir/configs" "$GSIM_BUILD/gsim" -q -c kepler.lua --functional -m "$mechanism" "$@" "$dir/${name%.*}.ir" >"$dir/output" 2>&1 ||
			{ echo "FAILED: $module under $mechanism:"; tail -n 5 "$dir/output"; failed=1; }
	done
done
echo "$checks checks, $branches branches that agree"
[ "$checks" -gt 0 ] && [ "$branches" -gt 0 ] || failed=1
exit $failed
