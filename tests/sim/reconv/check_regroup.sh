#!/bin/sh
# kernels/regroup: where joining lanes of several warps wins, and where it loses.
srcdir=${srcdir:-$(dirname "$0")/../../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
exec "$lua" "$top/tests/sim/reconv/check_regroup.lua" "$top"
