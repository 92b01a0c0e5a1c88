#!/bin/sh
# The branch that a report ranks first is the one whose change pays most.
srcdir=${srcdir:-$(dirname "$0")/../../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
exec "$lua" "$top/tests/sim/record/check_pays.lua" "$top"
