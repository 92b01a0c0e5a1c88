#!/bin/sh
# A few seconds of mutated input for the readers; longer: tests/gsim-fuzz KIND COUNT -s SEED DIR...
set -e
trap "rm -rf gsim-fuzz-front" EXIT
srcdir=${srcdir:-.}
tests/gsim-fuzz ir 6000 "$srcdir/tests/isa"
tests/gsim-fuzz gso 3000 "$srcdir/tests/isa"
tests/gsim-fuzz ptx 500 "$srcdir/tests/ptx"
GSIM_PATH=$srcdir tests/gsim-fuzz config 600 "$srcdir/configs"
tests/gsim-fuzz workload 600 "$srcdir/tests/front"
tests/gsim-fuzz json 3000 "$srcdir/tests/front"
tests/gsim-fuzz trace 3000 "$srcdir/tests/trace"
