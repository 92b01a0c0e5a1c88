#!/bin/sh
# Annotated source and code against the report's totals, on kernels as they are.
srcdir=${srcdir:-$(dirname "$0")/../../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
exec "$lua" "$top/tests/sim/report/check_annotate.lua" "$top"
