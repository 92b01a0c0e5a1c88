#!/bin/sh
# A few seconds of mutated input for the readers; longer: tests/gsim-fuzz KIND COUNT -s SEED DIR...
set -e
srcdir=${srcdir:-.}
tests/gsim-fuzz ir 6000 "$srcdir/tests/isa"
tests/gsim-fuzz gso 3000 "$srcdir/tests/isa"
