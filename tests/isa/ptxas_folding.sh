#!/bin/sh
# tests/isa/ptxas_folding.lua where NVIDIA's ptxas is installed; $PTXAS names it.
top=${srcdir:-.}
lua=$(command -v lua5.4 || command -v lua) || exit 77 # skipped
for ptxas in "$PTXAS" "$(command -v ptxas)" "$CUDA_HOME/bin/ptxas" /usr/local/cuda/bin/ptxas; do
	[ -n "$ptxas" ] && [ -x "$ptxas" ] && break
	ptxas=
done
[ -n "$ptxas" ] || { echo "skipped: no ptxas"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$lua" "$top/tests/isa/ptxas_folding.lua" "$ptxas" ./gsim "$dir"
