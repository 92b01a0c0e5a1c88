#!/bin/sh
# The modules in tests/passes/results/ leave the same results under every pass, alone and among others, as without; each is made of what passes may take
# for something else.
sim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
src=${srcdir:-.}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0 n=0
passes=$("$opt" --list | sed '/^analyses/,$d; /^passes/d; s/ .*//; /^$/d')
for file in "$src"/tests/passes/results/*.ir; do
	for pass in $passes; do
		for pipeline in "$pass" "webs,copy-prop,$pass,simplify-cfg"; do
			n=$((n + 1))
			"$sim" -q --functional --verify-each -c "$src/configs/kepler.lua" -p "$pipeline" "$file" >"$tmp/out" 2>&1 && continue
			echo "$file: -p $pipeline:"
			head -5 "$tmp/out"
			bad=1
		done
	done
done
[ "$n" -ge 60 ] || { echo "only $n runs"; bad=1; }
exit $bad
