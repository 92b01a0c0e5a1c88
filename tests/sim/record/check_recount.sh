#!/bin/sh
# Whom lost lanes are charged to, on kernels and machines as they are: the report against a recount of the trace.
srcdir=${srcdir:-$(dirname "$0")/../../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
exec "$lua" "$top/tests/sim/record/check_recount.lua" "$top" "$@"
