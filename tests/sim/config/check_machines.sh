#!/bin/sh
# Every machine file: it loads, prints a file that loads to the same, says of each of its numbers where it comes from, and runs
# the kernels or refuses them in a sentence: each machine a third of them, the next machine another (all: every machine every kernel).
# A load takes as long as the sources have measured. usage: check_machines.sh [all]
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
. "$srcdir/tests/part.sh"
tmp=${TMPDIR:-/tmp}/gsim-machines.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
	echo "FAILED: $1"
	failed=1
}

# runs MACHINE MODULE: or it is refused for the lanes of a warp, or the threads of a block
runs() {
	$gsim -q --alone --laws --verify -c "$1" "$2" >"$tmp/out" 2>&1
	status=$?
	[ $status = 0 ] && return
	[ $status = 2 ] && grep -q '[.]lua:[0-9]*: error: .*\(is for warps of 32 lanes; on this machine they have [0-9]* (warp_size = [0-9]*)\|is larger than sm.max_threads_per_block = [0-9]*\)$' "$tmp/out" &&
		refused="$refused $1:${2##*/}" && return
	fail "$2 on $1"
	head -n 5 "$tmp/out"
}

# the files of the folder are those that are installed, and those that other tests go over
ls "$srcdir"/configs | grep "[.]lua$" >"$tmp/files"
sed -n 's,^\tconfigs/\([a-z0-9_]*[.]lua\).*,\1,p' "$srcdir/Makefile.am" | diff "$tmp/files" - || fail "Makefile.am lists other machine files"
sed -n 's/^\t"\(.*\)",$/\1/p' "$srcdir/tests/machines.h" | diff "$tmp/files" - || fail "tests/machines.h lists other machine files"

# each figure has a source that was read or quoted, or is an assumption
GSIM_PATH=$srcdir $gsim --list configs | grep "^$srcdir/configs/.* no source" && fail "figures without P, S or assumption"

refused= want=
machine=0
for file in "$srcdir"/configs/*.lua; do
	machine=$((machine + 1)) kernel=0
	in_part || continue
	name=${file##*/}
	[ "$name" != sandy.lua ] || want=' sandy.lua:warp_reduce.ptx'
	$gsim --print-config -c "$name" >"$tmp/a.lua" || fail "$name does not load"
	$gsim --print-config -c "$tmp/a.lua" >"$tmp/b.lua" || fail "what $name prints does not load"
	cmp -s "$tmp/a.lua" "$tmp/b.lua" || fail "what $name prints loads to another machine, or with other marks"
	for from in "$name" "$tmp/a.lua"; do
		$gsim --list figures -c "$from" | sed 's/ [^ ]*[.]lua:.*//' >"$tmp/marks.${from##*/}"
	done
	cmp -s "$tmp/marks.$name" "$tmp/marks.a.lua" && [ -s "$tmp/marks.a.lua" ] || fail "what $name prints loses marks"
	for module in "$srcdir"/tests/tools/front/loop.ir "$srcdir"/tests/sim/config/machines/lanes.ir "$srcdir"/kernels/*/*.ptx "$srcdir"/kernels/*/*.ir; do
		case $module in */kernels/bench/* | */kernels/host_programs/* | */kernels/oracles/* | */kernels/linearization/* | */kernels/melding/*) continue ;; esac
		kernel=$((kernel + 1))
		[ $(((machine + kernel) % 3)) = 0 ] || [ "$1" = all ] || case $module in *warp_reduce*) ;; *) continue ;; esac
		runs "$name" "$module"
	done
	# behind each number, or above it, stands whether its source was read (P), others quote it (S), or there is none; all of
	# teaching.lua is an assumption, as it says
	[ "$name" = teaching.lua ] || awk '/= *-?[0-9]/ && !/\([PS]\)|assumption|see / && last !~ /^\t*--/ { print FILENAME ":" FNR ": " $0; bad = 1 }
		{ last = $0 } END { exit bad }' "$file" || fail "$name has numbers without a source"
done

# which are refused: none on machines with warps of 32 or 64 lanes
[ "$(echo "$refused" | sed 's/ teaching.lua:[^ ]*//g')" = "$want" ] || fail "refused are$refused"

# the guide's rates are exact, and no division is faster than the fma that it is made of
if in_part; then lua5.4 "$srcdir/tests/sim/config/check_rates.lua" "$srcdir" "$gsim" || failed=1; fi

# latencies MACHINE: of a load from L1, L2, DRAM and shared memory
latencies() {
	set -- "$1" $($gsim --print-config -c "$1" | awk '/^\t\talu = /, /}/' |
		sed -n 's/^\t*\(decoupled_\|\)latency = \([0-9]*\),.*/\2/p')
	[ "$3" -gt 0 ] || set -- "$1" "$2" "$2"
	$gsim -q -c "$1" -D l1.global=true "$srcdir/tests/sim/config/machines/latency.ir" -- "$2" "$3"
}
while read -r machine want; do
	in_part || continue
	got=$(latencies "$machine")
	[ "$got" = "$want" ] || fail "$machine: L1, L2, DRAM and shared memory take $got cycles, not $want"
done <<END
kepler.lua 35 200 376 47
titan_black.lua 35 200 376 47
maxwell.lua 82 207 383 28
volta.lua 33 213 313 27
turing.lua 32 236 403.375 23
titan_rtx.lua 32 236 409 23
ampere.lua 33 200 290 23
hopper.lua 41 263 479 29
pascal.lua 82 216 393 23
p100.lua 82 234 412 24
ada.lua 43 273 541 30
blackwell.lua 43 273 541 30
END
exit $failed
