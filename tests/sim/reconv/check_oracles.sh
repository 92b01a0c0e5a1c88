#!/bin/sh
# The examples of kernels/oracles under each mechanism against tests/sim/reconv/oracles/oracle.csv.
srcdir=${srcdir:-$(dirname "$0")/../../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
exec "$lua" "$top/tests/sim/reconv/check_oracles.lua" "$top" "$@"
