#!/bin/sh
# Figures over time and their laws: check_intervals.lua. check_intervals.sh all: every kernel with a workload, on three machines.
srcdir=${srcdir:-$(dirname "$0")/../../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
CHECK_TMP=${TMPDIR:-/tmp}/gsim-intervals.$$
mkdir "$CHECK_TMP" || exit 1
trap 'rm -rf "$CHECK_TMP"' EXIT
export CHECK_TMP GSIM_PATH

# Launches of one stream and of two, that overlap; a wait of many intervals at once; a barrier of the whole
# grid; a block that starts when another one has ended.
cat >"$CHECK_TMP/waits.ir" <<'IR'
kernel waits(u64 out, u32 n)
{
	reg u64 %o, %a
	reg u32 %t, %k, %n
	reg pred %p
E:	%t = mov.u32 %tid.x
	%k = mov.u32 %ctaid.x
	%n = mov.u32 %ntid.x
	%t = mad.lo.u32 %k, %n, %t
	%n = ld.param.u32 [n]
	%o = ld.param.u64 [out]
	%a = mad.wide.u32 %t, 4, %o
	%p = setp.lt.u32 %t, 48
	bra %p, S, J
S:	nanosleep.u32 3777
	bra J
J:	%k = ld.global.u32 [%a]
	%k = add.u32 %k, 1
	st.global.u32 [%a], %k
	%n = sub.u32 %n, 1
	%p = setp.ne.u32 %n, 0
	bra %p, J, X
X:	exit
}
kernel meets(u64 out)
{
	reg u64 %o, %a
	reg u32 %t, %k
E:	%t = mov.u32 %tid.x
	%o = ld.param.u64 [out]
	%a = mad.wide.u32 %t, 4, %o
	%k = atom.add.u32.global [%a], 1
	barrier.grid
	%k = atom.add.u32.global [%a], %k
	exit
}
IR
# The second launch begins while the stores of the first, whose blocks have ended, are under way.
cat >"$CHECK_TMP/stores.ir" <<'IR'
kernel stores(u64 out)
{
	reg u64 %o, %a
	reg u32 %t, %k, %n
E:	%t = mov.u32 %tid.x
	%k = mov.u32 %ctaid.x
	%n = mov.u32 %ntid.x
	%t = mad.lo.u32 %k, %n, %t
	%o = ld.param.u64 [out]
	%a = mad.wide.u32 %t, 128, %o
	st.global.u32 [%a], %t
	exit
}
IR
cat >"$CHECK_TMP/stores.lua" <<'LUA'
local a, b = gpu.buffer("u32", 65536), gpu.buffer("u32", 65536)
gpu.launch { kernel = "stores", grid = 8, block = 128, stream = 1, args = { a } }
gpu.launch { kernel = "stores", grid = 1, block = 32, stream = 2, args = { b } }
LUA
cat >"$CHECK_TMP/waits.lua" <<'LUA'
local a, b = gpu.buffer("u32", 8192), gpu.buffer("u32", 8192)
gpu.launch { kernel = "waits", grid = 3, block = 96, args = { a, 4 } }
gpu.launch { kernel = "waits", grid = 70, block = 64, stream = 1, args = { a, 2 } }
gpu.launch { kernel = "waits", grid = 2, block = 40, stream = 2, args = { b, 30 } }
gpu.launch { kernel = "waits", grid = 1, block = 1, stream = 2, args = { b, 1 } }
gpu.sync()
gpu.launch { kernel = "meets", grid = 2, block = 32, args = { a } }
LUA
"$lua" "$top/tests/sim/record/check_intervals.lua" "$top" "$@"
