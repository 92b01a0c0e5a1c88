#!/bin/sh
# Nothing gets faster when a machine gets worse (tools/monotone), for three kernels on two machines; and a run that does is said.
top=$(cd "${srcdir:-.}" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
export GSIM_BUILD
out=$("$top/tools/monotone" -q volta kepler) || { echo "$out"; exit 1; }
case $out in
"54 steps to a worse machine, 0 faster"*) ;;
*) echo "not nine parameters of three kernels on two machines: $out"; exit 1 ;;
esac
# With room for nothing, every run is one too fast.
out=$("$top/tools/monotone" -q -r -100000 kepler) && { echo "27 runs are too fast, but the status is 0"; exit 1; }
[ "$(echo "$out" | grep -c '^kepler, .* worse: ')" = 27 ] || { echo "$out"; exit 1; }
"$top/tools/monotone" -x >/dev/null 2>&1
[ $? = 2 ] || { echo "tools/monotone -x is no usage error"; exit 1; }
