#!/bin/sh
# gsim --on gpu and tools/hardware, with the stand-in of the CUDA driver (tests/sim/driver/stand_in_cuda.c) as the library that the
# program finds: what runs there has gsim's results, what goes wrong there has its message and exit status.
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
build=$(pwd)
flags=$(sed -n 's/^Cflags: //p' gsim-internal-uninstalled.pc)
cc=${CC:-cc}
command -v ${cc%% *} >/dev/null || { echo "no compiler here"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
GSIM_PATH=${GSIM_PATH:-$top/configs}
export GSIM_PATH
failed=0

fail() {
	echo "FAILED: $1"
	[ -s "$tmp/out" ] && head -n 20 "$tmp/out"
	failed=1
}
says() { grep -q -- "$1" "$tmp/out" || fail "no '$1' in what is said"; }

# driver NAME FLAG...: a library in a folder of its own
driver() {
	driver_name=$1
	shift
	mkdir "$tmp/$driver_name" && $cc -O1 "$@" $flags -D_GNU_SOURCE -shared -o "$tmp/$driver_name/libcuda.so.1" \
		"$top/tests/sim/driver/stand_in_cuda.c" >"$tmp/out" 2>&1 || { fail "the stand-in does not compile"; exit 1; }
}

# on DRIVER STATUS TOLD ARGUMENT...: gsim with the arguments ends so
on() {
	on_driver=$1 on_status=$2 on_told=$3
	shift 3
	STAND_IN=$on_told LD_LIBRARY_PATH=$tmp/$on_driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$build/gsim" "$@" >"$tmp/out" 2>&1
	on_ended=$?
	[ $on_ended = "$on_status" ] || fail "gsim $*, STAND_IN=$on_told: status $on_ended, expected $on_status"
}

driver whole
driver old -DOLD_DRIVER
if "$build/gsim" --list passes --load "$tmp/whole/libcuda.so.1" 2>&1 | grep -q 'cannot load plug-ins'; then
	echo "this gsim cannot load libraries"
	exit 77
fi

cat >"$tmp/double.ptx" <<'END'
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.visible .global .align 4 .u32 count;
.global .align 1 .b8 words[7] = { 104, 101, 108, 108, 111, 10, 0 };
.visible .entry double(.param .u64 p_a, .param .u32 p_n)
{
	.reg .u32 i, n, x; .reg .u64 a; .reg .pred q;
	ld.param.u64 a, [p_a]; ld.param.u32 n, [p_n];
	mov.u32 i, %tid.x;
	setp.ge.u32 q, i, n;
	@q ret;
	mad.wide.u32 a, i, 4, a;
	ld.global.u32 x, [a];
	add.u32 x, x, x;
	st.global.u32 [a], x;
	atom.global.add.u32 x, [count], 1;
	ret;
}
.visible .entry spin(.param .u64 p_a)
{
	.reg .u32 x; .reg .u64 a; .reg .pred q;
	ld.param.u64 a, [p_a];
A:
	ld.volatile.global.u32 x, [a]; setp.ne.u32 q, x, 12345; @q bra A;
	ret;
}
.visible .entry hello()
{
	.reg .u64 f;
	mov.u64 f, words; cvta.global.u64 f, f;
	{
	.param .b64 p0; .param .b64 p1; .param .b32 r;
	st.param.b64 [p0], f; st.param.b64 [p1], 0;
	call.uni (r), vprintf, (p0, p1);
	}
	ret;
}
END
cat >"$tmp/double.lua" <<'END'
local a = gpu.buffer("u32", 100, function(i) return i end)
gpu.launch{ kernel = "double", grid = 1, block = 128, args = { a, 100 } }
print("a[7]", a:get(7))
gpu.check(a:get(7) == 14 and gpu.symbol("count"):get(0) == 100)
if gpu.args[1] == "save" then a:save("a.bin") end
END
echo 'gpu.launch{ kernel = "spin", grid = 1, block = 1, args = { gpu.buffer("u32", 4) } }' >"$tmp/spin.lua"
echo 'gpu.launch{ kernel = "hello", grid = 1, block = 1 }' >"$tmp/hello.lua"

# ---- what goes well ----
on whole 0 "" --on gpu "$tmp/double.ptx" -- save
says '^on the GPU: Stand-in, 1 GPU, compute capability 9.0, 132 SMs, 1980 MHz, driver 12.4$'
says "^results: identical to the GPU's in 3 buffers, 411 bytes"
[ "$(grep -c '^a\[7\]' "$tmp/out")" = 1 ] || fail "the workload prints once"
[ -s "$tmp/a.bin" ] || fail "the workload saves"
on whole 0 "" --on gpu-alone "$tmp/double.ptx"
says '^a\[7\].14$'
says '^  double  *1  *[0-9.]*$'
on whole 0 "" --on gpu --functional --verify -p if-convert -q "$tmp/double.ptx"
[ "$(cat "$tmp/out")" = "a[7]	14" ] || fail "--quiet"
on whole 0 "" --on gpu-alone -w "$tmp/hello.lua" -q "$tmp/double.ptx"
says '^hello$'
on whole 0 "" --on gpu -s - "$tmp/double.ptx"
says '^on the GPU: '
on old 0 "" --on gpu -q "$tmp/double.ptx"
says "^warning: this driver does not let gsim choose addresses"
on whole 0 "slow=double" --on gpu -q "$tmp/double.ptx"

# ---- what does not ----

on whole 1 "wrong=double" --on gpu -q "$tmp/double.ptx"
says 'buffer 1 (u32\[100\]): element 0 is 0 on the machine, 1 on the GPU; 1 elements differ'
on whole 1 "" --on gpu-alone --launch-seconds 1 -w "$tmp/spin.lua" "$tmp/double.ptx"
says 'spin.lua:1: error: kernel spin on the GPU: no end within 1 seconds'
if command -v timeout >/dev/null; then
	STAND_IN= LD_LIBRARY_PATH=$tmp/whole${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} timeout --preserve-status -s INT 1 "$build/gsim" --on gpu-alone \
		--launch-seconds 60 -w "$tmp/spin.lua" "$tmp/double.ptx" >"$tmp/out" 2>&1
	[ $? = 130 ] || fail "an interrupt ends the program by SIGINT"
	says 'interrupted in kernel spin'
fi
on whole 2 "none" --on gpu "$tmp/double.ptx"
says '^error: the CUDA driver shows no GPU$'
on whole 2 "fail=cuInit:1" --on gpu-alone "$tmp/double.ptx"
says '^error: cuInit: CUDA_ERROR_UNKNOWN (unknown error)$'
on whole 2 "" --on gpu -D warp_size=16 "$tmp/double.ptx"
says 'the GPU has warps of 32 lanes'
on none 2 "" --on gpu "$tmp/double.ptx"
says '^error: --on: no CUDA driver here: '
cp "$tmp/double.ptx" "$tmp/double.ir"
on whole 2 "" --on gpu "$tmp/double.ir"
says "the GPU's driver takes PTX alone"
for wrong in "--on cpu" "--on gpu --grid" "--on gpu --reference" "--on gpu-alone -s x.json" "--launch-seconds 3" "--on gpu --launch-seconds 0" \
	"--on gpu --list kernels"; do
	on whole 2 "" $wrong "$tmp/double.ptx"
	[ "$(wc -l <"$tmp/out")" = 1 ] || fail "$wrong: expected one line"
done

# ---- tools/hardware ----

# hardware DRIVER STATUS TOLD ARGUMENT...: tools/hardware with the arguments ends so, and writes h.csv
hardware() {
	hardware_driver=$1 hardware_status=$2 hardware_told=$3
	shift 3
	rm -f "$tmp/h.csv"
	STAND_IN=$hardware_told LD_LIBRARY_PATH=$tmp/$hardware_driver${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} GSIM_BUILD=$build \
		"$top/tools/hardware" -o "$tmp/h.csv" "$@" >"$tmp/out" 2>&1
	hardware_ended=$?
	[ $hardware_ended = "$hardware_status" ] || fail "tools/hardware $*, STAND_IN=$hardware_told: status $hardware_ended, expected $hardware_status"
}
rows() { [ "$(wc -l <"$tmp/h.csv")" = "$1" ] || fail "expected $1 lines in the CSV, found: $(cat "$tmp/h.csv")"; }

hardware whole 0 "" -r 2 "predicate/to guard"
rows 3
for line in 'machine,chip,figure,value,unit,seen,source,least,greatest,runs' \
	'hopper,"Stand-in, 1 GPU",predicate/to guard,1,cycles,P,"tools/hardware: driver 12.4, 132 SMs at 1980 MHz",1,1,2'; do
	grep -qxF "$line" "$tmp/h.csv" || fail "no line '$line' in the CSV"
done
says '^2 figures measured, 0 not; '
# A launch without an end, one that fails and a driver that dies cost the figures of their kernels only.
hardware whole 1 "hang=predicate_to_guard_long" -r 2 "predicate/to"
says '^predicate/to guard: 0 of 2 runs: kernel predicate_to_guard_long on the GPU: no end within 2 seconds$'
grep -q '^hopper,.*,predicate/to branch,1,' "$tmp/h.csv" || fail "what comes behind a hanging kernel is not measured"
hardware whole 1 "die=predicate_to_guard_long" -r 1 "predicate/to"
says '^predicate/to guard: 0 of 1 runs: gsim ended '
grep -q '^hopper,.*,predicate/to branch,1,' "$tmp/h.csv" || fail "what comes behind a kernel that kills the driver is not measured"
hardware whole 2 "fail=cuLaunchKernel:3" -r 1 "predicate/to guard"
says 'cuLaunchKernel: CUDA_ERROR_UNKNOWN (unknown error)'
hardware whole 1 "capability=75" -r 1 "latency/re"
says '^latency/redux.*: 0 of 1 runs: needs compute capability 8.0$'
rows 2
hardware whole 0 "capability=75" -r 1 "predicate/to guard"
grep -q '^turing,"Stand-in, 1 GPU",predicate/to guard,1,' "$tmp/h.csv" || fail "an older GPU: $(cat "$tmp/h.csv")"
hardware whole 0 "capability=60" -r 1 "predicate/to guard"
grep -q '^p100,' "$tmp/h.csv" || fail "a GPU before Volta: $(cat "$tmp/h.csv")"
hardware whole 2 "none" "predicate/to guard"
says '^tools/hardware: the CUDA driver shows no GPU$'
hardware none 2 "" "predicate/to guard"
says '^tools/hardware: --on: no CUDA driver here: '
hardware whole 2 "" -r 0
hardware whole 2 "" "no such figure"

exit $failed
