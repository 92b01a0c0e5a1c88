#!/bin/sh
# Every workload of kernels/ that takes arguments says of a wrong one which it is and what was expected, with status 2, and reads none unchecked.
srcdir=${srcdir:-$(dirname "$0")/../../..}
GSIM=${GSIM:-./gsim}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
out=$(mktemp)
trap 'rm -f "$out"' EXIT
bad=0 n=0
for w in "$srcdir"/kernels/*/*.lua; do
	if grep -n 'gpu\.args' "$w" | grep -v '^[0-9]*:--\|not gpu.args\[1\] then\|if gpu.args\[1\] then'; then
		echo "$w reads an argument that gpu.argument does not check"
		bad=1
	fi
	grep -q 'gpu\.argument(1' "$w" || continue
	for module in "${w%.lua}".ptx "${w%.lua}".ir "${w%/*}"/figure1.ir "${w%/*}"/diamond.ir; do [ -f "$module" ] && break; done
	for given in x -4 2.5 99999999999; do
		n=$((n + 1))
		"$GSIM" -q --functional --source "$srcdir/kernels" -w "$w" "$module" -- $given >"$out" 2>&1
		[ $? = 2 ] && grep -q "^$w:[0-9]*: error: argument 1 is '$given'; expected " "$out" && continue
		echo "$w -- $given:"
		head -n 3 "$out"
		bad=1
	done
done
[ "$n" -ge 150 ] || { echo "only $n arguments were tried"; exit 1; }
exit $bad
