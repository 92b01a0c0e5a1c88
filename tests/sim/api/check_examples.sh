#!/bin/sh
# The header in C99, C11 and C++11, and the programs of doc/library.md, compiled as the page has them and linked with the archive as it
# is installed. C++ is left out where there is no compiler for it.
srcdir=${srcdir:-$(dirname "$0")/../../..}
srcdir=$(cd "$srcdir" && pwd)
tmp=${TMPDIR:-/tmp}/gsim-examples.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
cc=${CC:-cc} cxx=${CXX:-c++}
flags="-Wall -Wextra -pedantic -Werror -I$srcdir"
GSIM_PATH=$srcdir/configs
export GSIM_PATH

fail() {
	echo "FAILED: $1"
	[ -s "$tmp/out" ] && head -n 20 "$tmp/out"
	failed=1
}

command -v pkg-config >/dev/null || { echo "no pkg-config here"; exit 77; }
command -v "$cxx" >/dev/null || { echo "no compiler for C++ here"; cxx=; }
printf '#include "gsim.h"\n#include "gsim.h"\nint main(void) { GsimLaunch l = GSIM_LAUNCH; return l.n + (int)gsim_real(0).as.real; }\n' >"$tmp/header.c"
cp "$tmp/header.c" "$tmp/header.cpp"
# shellcheck disable=SC2086
for standard in c99 c11; do
	$cc -std=$standard $flags -fsyntax-only "$tmp/header.c" >"$tmp/out" 2>&1 || fail "gsim.h in $standard"
done
# shellcheck disable=SC2086
for standard in ${cxx:+c++11 c++17}; do
	$cxx -std=$standard $flags -fsyntax-only "$tmp/header.cpp" >"$tmp/out" 2>&1 || fail "gsim.h in $standard"
done

# every function of the header stands in the page
grep -oE '\<gsim_[a-z_]+\(' "$srcdir/gsim.h" | tr -d '(' | sort -u | while read -r function; do
	grep -q "\`$function\`" "$srcdir/doc/library.md" || echo "$function"
done >"$tmp/out"
[ -s "$tmp/out" ] && fail "functions of gsim.h that doc/library.md does not list"

cp libgsim.a "$tmp/libgsim.a"
[ -s libgsim.sym ] && OBJCOPY=${OBJCOPY:-objcopy} "$srcdir/tools/hide-symbols" "$tmp/libgsim.a" libgsim.sym
needs=$(sed -n 's/^Requires: *//p' gsim.pc)
# shellcheck disable=SC2086
libs="$tmp/libgsim.a $(sed -n 's/^Libs: .*-lgsim//p; s/^Libs.private://p' gsim.pc) ${needs:+$(pkg-config --libs $needs)} -pthread"

# what the archive was compiled with, a program that is linked with it needs, too
for option in asan:-fsanitize=address ubsan:-fsanitize=undefined gcov:--coverage; do
	nm libgsim.a 2>/dev/null | grep -q " U __${option%%:*}_" && libs="$libs ${option#*:}"
done

# build COMPILER STANDARD NAME.c|NAME.cpp: the program NAME
build() {
	# shellcheck disable=SC2086
	$1 -std=$2 $flags -o "$tmp/${3%.*}" "$tmp/$3" $libs >"$tmp/out" 2>&1 || fail "$3 does not build"
}
sed -n '/^```c$/,/^```$/p' "$srcdir/doc/library.md" | grep -v '^```' >"$tmp/add.c"
cp "$srcdir"/doc/examples/sweep.c "$srcdir/doc/examples/wrapper.cpp" "$tmp"
build "$cc" c99 add.c
"$tmp/add" >"$tmp/out" 2>&1 || fail "add.c does not run"
grep -q '^99 + 1000 = 1099, [1-9][0-9]* cycles$' "$tmp/out" || fail "add.c prints something else"
build "$cc" c11 sweep.c
"$tmp/sweep" "$srcdir/kernels/matmul/matmul.ptx" kepler.lua dram.latency 20 200 x >"$tmp/rows" 2>"$tmp/out"
[ $? -eq 1 ] || fail "sweep.c with a wrong value"
grep -q "^error: dram.latency = 'x': expected a whole number" "$tmp/out" || fail "sweep.c does not tell what is wrong"
awk -F, 'NR == 1 && $0 != "dram.latency,cycles,warp_instructions,simd_utilization,issue.stalls.memory" { bad = 1 }
	NR == 2 || NR == 3 { bad = bad || NF != 5; cycles[NR] = $2 }
	NR == 4 && $0 != "x,bad input" { bad = 1 }
	END { exit bad || NR != 4 || cycles[3] <= cycles[2] }' "$tmp/rows" || { cp "$tmp/rows" "$tmp/out"; fail "the table of sweep.c"; }
if [ "$cxx" ]; then
	build "$cxx" c++11 wrapper.cpp
	"$tmp/wrapper" "$srcdir/kernels/short_circuit/short_circuit.ir" kepler.lua >"$tmp/out" 2>&1 || fail "wrapper.cpp does not run"
	grep -q '^ipdom: [1-9][0-9]* cycles, [1-9][0-9.]* % of lanes busy$' "$tmp/out" || fail "wrapper.cpp: ipdom"
	grep -q '^tf_stack: [1-9][0-9]* cycles, [1-9][0-9.]* % of lanes busy$' "$tmp/out" || fail "wrapper.cpp: tf_stack"
	"$tmp/wrapper" /no/such.ir kepler.lua >"$tmp/out" 2>&1
	grep -q '^ipdom: /no/such.ir: cannot be read' "$tmp/out" || fail "wrapper.cpp: an error is no exception"
fi
exit $failed
