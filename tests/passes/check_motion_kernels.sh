#!/bin/sh
# Code motion on the small kernels of motion/loops.ir: what warps execute, in the order of the thesis' experiments, registers, and the same results under four mechanisms.
gsim=${GSIM:-./gsim} opt=${GSIM_OPT:-./gsim-opt}
src=${srcdir:-.}
file=$src/tests/passes/motion/loops.ir
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0

set -- -p webs,copy-prop,dce
for pass in lcm pre spre scm sscm; do
	set -- "$@" -p "webs,$pass,copy-prop,dce"
done
"$gsim" -q -c "$src/configs/volta.lua" --grid --verify -m ipdom -m its -m tf_stack -m exec_mask "$@" --stats "$tmp/grid.csv" "$file" || bad=1

executed() { # kernel, pass or nothing: warp instructions under ipdom
	awk -F, -v k="$1" -v p="\"webs,${2:+$2,}copy-prop,dce\"" '{ line = $0 } $1 == k && $6 == "ipdom" && index(line, "," p ",") {
		sub(/.*"[^"]*",/, "", line); split(line, f, ","); print f[7] }' "$tmp/grid.csv"
}
compare() { # kernel, pass, relation, pass
	a=$(executed "$1" "$2") b=$(executed "$1" "$4")
	if [ -z "$a" ] || [ -z "$b" ] || ! [ "$a" "$3" "$b" ]; then
		echo "$1: ${2:-as it is} $a, ${4:-as it is} $b warp instructions: not $3"
		bad=1
	fi
}
compare differences lcm -eq ''
compare differences scm -eq ''
compare differences sscm -lt ''
compare differences spre -gt ''
compare histogram lcm -gt ''
compare histogram spre -gt ''
compare histogram scm -lt ''
compare histogram sscm -eq scm

registers() { "$opt" --print pressure -p "webs,$1,copy-prop,dce" "$file" | awk -v k="$2:" '$3 == k { at = 1 } at && /at most/ { print $3; exit }'; }
for kernel in differences histogram; do
	lazy=$(registers lcm $kernel) sparse=$(registers sscm $kernel)
	[ -n "$lazy" ] && [ "$sparse" -ge "$lazy" ] || { echo "$kernel: sscm has $sparse registers, lcm $lazy"; bad=1; }
done

# No more registers than asked for, or than there were; fewer than without the limit.
pressed() { "$opt" --print pressure -p "webs,$1" "$file" | awk '/at most/ { n += $3 } END { print n }'; }
before=$(pressed dce) free=$(pressed sscm) held=$(pressed 'sscm(max-pressure=1)')
[ "$held" -le "$before" ] && [ "$held" -lt "$free" ] || { echo "registers: $before, with sscm $free, with max-pressure=1 $held"; bad=1; }

# A load that not all threads may execute moves only where it is marked.
for option in '' '(nonfaulting=1)'; do
	"$gsim" -q --verify -p "sscm$option,copy-prop,dce" "$src/tests/passes/motion/loads.ir" || bad=1
	"$opt" -p "sscm$option,copy-prop,dce" "$src/tests/passes/motion/loads.ir" >"$tmp/loads.ir"
	plain=$(grep -c 'ld\.global\.u32' "$tmp/loads.ir") marked=$(grep -c 'ld\.global\.nonfaulting\.u32' "$tmp/loads.ir")
	[ "$plain $marked" = "$([ "$option" ] && echo 0 1 || echo 2 0)" ] || { echo "sscm$option: $plain plain loads, $marked marked ones"; bad=1; }
done
exit $bad
