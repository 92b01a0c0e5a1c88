#!/bin/sh
# Every kernel of kernels/ under every second pass and pipeline, and four kernels later the others, on one of four mechanisms each;
# tools/pass-grid is the long form.
srcdir=${srcdir:-$(dirname "$0")/../..}
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD} exec "$srcdir/tools/pass-grid" --quick
