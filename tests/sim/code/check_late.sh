#!/bin/sh
# Linearization behind register allocation: guards cost one register and nothing else, where the pass before costs several; results are right, and the
# instructions are the same where both work on the source's order of blocks. Kernels with calls are refused.
gsim=${GSIM:-./gsim}
src=${srcdir:-.}
bad=0
figures() { # registers, warp instructions
	"$gsim" -c "$src/configs/fermi.lua" --functional --verify -m ipdom -D code.layout=source "$@" "$src/kernels/suffix_tree/suffix_tree.ptx" >late.out 2>&1 || { cat late.out; exit 1; }
	sed -n 's/.* \([0-9]*\) registers .*/\1/p; s/.*warp instructions *\([0-9,]*\).*/\1/p' late.out | tr '\n' ' '
}
before=$(figures)
early=$(figures -p linearize)
late=$(figures -D divergence.linearize=true)
rm -f late.out
set -- $before $early $late
[ $# -eq 6 ] || { echo "no figures: $*"; exit 1; }
[ "$5" -eq $(($1 + 1)) ] || { echo "$5 registers with guards behind allocation, $1 without guards"; bad=1; }
[ "$5" -lt "$3" ] || { echo "$5 registers with guards behind allocation, $3 with guards before it"; bad=1; }
[ "$6" = "$4" ] && [ "$6" != "$2" ] || { echo "warp instructions $2, linearized before $4, behind $6"; bad=1; }
"$gsim" -q --functional -D divergence.linearize=true "$src/kernels/recursion/recursion.ptx" >late.out 2>&1
[ $? -eq 2 ] && grep -q 'divergence.linearize is for kernels without calls' late.out || { echo "recursion:"; cat late.out; bad=1; }
rm -f late.out
exit $bad
