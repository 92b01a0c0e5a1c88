#!/bin/sh
# The benchmark of the loop flattening paper after flattening: its arguments and the figures that the paper's repository shows.
gsim=${GSIM:-./gsim}
src=${srcdir:-.}
"$gsim" --functional --quiet -D sm.count=1 -m ipdom -p 'flatten(rule=always,level=2)' "$src/kernels/flattening/flattening.ptx" -- 1 1234 3000 31 2 >flatten.out 2>&1
status=$?
want='flattening_2 k 31: sum 15047055, average 470220, last lane 356379; turns of B, original 30000000, flattened 1042896'
got=$(cat flatten.out)
rm -f flatten.out
[ $status -eq 0 ] && [ "$got" = "$want" ] || { echo "exit status $status; $got; expected: $want"; exit 1; }
