#!/bin/sh
# Loads on both sides of a branch, on Kepler's memory: who runs both sides at a time takes less time than who does not, and
# nearly half of it, and less than who takes turns at long waits and hides some so; who also subdivides warps at loads takes still less where there is an L1 to hit.
srcdir=${srcdir:-$(dirname "$0")/../../..}
top=$(cd "$srcdir" && pwd)
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cycles() { # options
	gsim -q --config kepler.lua --laws "$@" -s "$tmp/report" "$top/kernels/two_chases/two_chases.ir" >&2 || exit 1
	"$lua" -e "print(dofile('$top/tools/json.lua').read('$tmp/report').launches[1].cycles)"
}

below() { # what, its cycles, percent, of what, its cycles
	echo "$1: $2 cycles, $4: $5"
	[ $((100 * $2)) -lt $(($3 * $5)) ] || { echo "not below $3 % of it"; exit 1; }
}

ipdom=$(cycles -m ipdom) || exit 1
aware=$(cycles -m aware) || exit 1
below aware "$aware" 65 ipdom "$ipdom" # loads of one side are under way while the other waits, but no side issues beside the other
for model in dual_path multi_path dws sbi 'swi(same_warp=true)'; do
	both=$(cycles -m "$model") || exit 1
	below "$model" "$both" 55 ipdom "$ipdom"
	below "$model" "$both" 90 "aware, which runs one group at a time," "$aware"
done
passes='linearize(interleave=1,split-loads=1)' # in software: the loops of both sides take turns together
both=$(cycles -m ipdom -p "$passes") || exit 1
below "$passes" "$both" 75 ipdom "$ipdom"
off=$(cycles -m dws -D l1.global=true -D dws.memory=off) || exit 1
for when in aggressive:90 revive:90 lazy:100; do # lazy: from 2 to 11 %, as latencies fall together
	split=$(cycles -m dws -D l1.global=true -D dws.memory=${when%:*}) || exit 1
	below "dws.memory=${when%:*}" "$split" "${when#*:}" "dws.memory=off" "$off"
done
branch=$(cycles -m dws -D l1.global=true -D dws.merge=branch) || exit 1
below "dws.merge=branch" "$branch" 100 "dws.memory=off" "$off"
