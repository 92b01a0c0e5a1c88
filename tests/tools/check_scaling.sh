#!/bin/sh
# What once took the square of the number of blocks: 31,623 of them take a fraction of a second each, so ten say that it is back.
set -eu

# SHAPES THINGS
fast() {
	tools/bench-passes --shapes "$1" --things "$2" --most 31623 --limit 10 >scaling.out
	if [ "$(wc -l <scaling.out)" -lt 2 ] || grep over scaling.out; then
		echo "$1: $2: too slow, or not measured" >&2
		exit 1
	fi
}

fast carried-far ssa,dce,const-prop,copy-prop
fast ladder,nested,brx-wide,nest-left,nest-entered structurize
rm -f scaling.out
