#!/bin/sh
# printf and assert of compiled kernels: the text, its order, the stream, bounds, faults.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
GSIM_PATH=$srcdir
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-printf.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
lua=$srcdir/tests/isa/ptx/printing.lua
failed=0

fail() {
	echo "FAILED: $1"
	head -n 5 "$tmp/out" "$tmp/err"
	failed=1
}

# run STATUS OPTION... KERNEL [NUMBER]: of $ptx
run() {
	want=$1
	shift
	"$gsim" -q -w "$lua" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, expected $want"
}

for arch in sm_75 sm_100; do
	ptx=$srcdir/tests/isa/ptx/printing.$arch.ptx
	# ---- what is printed: printing.formats is what the same calls print on a host ----
	{ cat "$srcdir/tests/isa/ptx/printing.formats"; echo "after formats"; } >"$tmp/want"
	cat >"$tmp/strings" <<'END'
(null)
*********nothing
0123456 abcdefghijklmnopqrstuvwxyzabcde global word (null)
1234567 abcdefghijklmnopqrstuvwxyzabcde global word (null)
2345678 abcdefghijklmnopqrstuvwxyzabcde global word (null)
A**
B**
C**
after strings
nothing
nothing
END
	sed -i 1d "$tmp/strings"
	for how in "" "-m mimd" "-c volta.lua" "-c teaching.lua --functional" "-m dwf" "-m tbc --functional" "-p linearize(opt=4)" --reference; do
		# shellcheck disable=SC2086
		run 0 $how "$ptx" -- formats
		cmp -s "$tmp/want" "$tmp/out" || fail "$arch $how: formats"
	done
	# the lines' order may be another one in the reference interpreter
	for how in "-m ipdom" "-m its --functional" "-m mimd" "-c volta.lua"; do
		# shellcheck disable=SC2086
		run 0 $how "$ptx" -- strings
		LC_ALL=C sort "$tmp/out" | cmp -s - "$tmp/strings" || fail "$arch $how: strings"
	done
done
ptx=$srcdir/tests/isa/ptx/printing.sm_75.ptx

# ---- the order: one for every number of host threads; lanes of a warp in order ----
for how in "" "--functional" "-m mimd" "-m its"; do
	# shellcheck disable=SC2086
	run 0 $how -D sm.count=4 "$ptx" -- order 3
	cp "$tmp/out" "$tmp/one"
	# shellcheck disable=SC2086
	run 0 $how -D sm.count=4 -j 3 "$ptx" -- order 3
	cmp -s "$tmp/one" "$tmp/out" || fail "$how: the order depends on -j"
	run 0 --reference "$ptx" -- order 3
	LC_ALL=C sort "$tmp/one" >"$tmp/a"
	LC_ALL=C sort "$tmp/out" >"$tmp/b"
	cmp -s "$tmp/a" "$tmp/b" || fail "$how: other lines than the reference interpreter's"
	[ "$(wc -l <"$tmp/one")" = 257 ] || fail "$how: $(wc -l <"$tmp/one") lines" # 64 + 64 x (0 + 1 + 2) and the workload's
	for warp in 0 1; do
		grep '^thread .* of block 1' "$tmp/one" | awk -v warp=$warp 'int($2 / 32) == warp' | sort -n -k2 -c 2>"$tmp/err" || fail "$how: lanes of warp $warp out of order"
	done
done

# ---- the stream: before the report; standard error where standard output is JSON or a table ----
"$gsim" -w "$lua" "$ptx" -- often 1 >"$tmp/out" 2>"$tmp/err"
[ "$(head -n 3 "$tmp/out" | tail -n 1)" = "after often" ] && grep -q '^launch\|often' "$tmp/out" || fail "printed lines stand before the report"
"$gsim" -s - -w "$lua" "$ptx" -- often 1 >"$tmp/out" 2>"$tmp/err"
[ "$(head -n 1 "$tmp/err")" = "line 0 of thread 0" ] && [ "$(head -c 1 "$tmp/out")" = "{" ] || fail "-s - prints into the JSON"
run 0 --verify "$ptx" -- often 1
[ "$(grep -c line "$tmp/out")" = 2 ] || fail "--verify prints twice"

# ---- bounds: what a launch prints is kept up to a limit; endless printing ends with the launch's own limit
# ----
run 0 -D limits.print_bytes=100 "$ptx" -- often 50
[ "$(grep -c '^line . of thread .$' "$tmp/out")" = 5 ] || fail "limits.print_bytes: not 5 lines"
grep -q 'printing.lua:[0-9]*: warning: kernel often: the output of 95 calls of printf is lost: a launch prints at most limits.print_bytes = 100 bytes' "$tmp/err" ||
	fail "limits.print_bytes: no word of what is lost"
run 1 -D limits.max_cycles=300000 -D limits.print_bytes=1000 "$ptx" -- often 2000000000
grep -q 'has run for limits.max_cycles' "$tmp/err" && grep -q 'calls of printf is lost' "$tmp/err" || fail "endless printing"

# ---- faults ----
for how in "" "--functional" "-m mimd" --reference; do
	# shellcheck disable=SC2086
	run 1 $how "$ptx" -- bad_string 5
	grep -q 'printing.sm_75.ptx:[0-9]*:[0-9]*: error: bad_string: access outside every allocation, .*vprintf.*thread (0,0,0): 1 byte at global address 0x5' "$tmp/err" ||
		fail "$how: bad_string"
	# shellcheck disable=SC2086
	run 1 $how "$ptx" -- asserts 40
	grep -q 'printing.sm_75.ptx:[0-9]*:[0-9]*: error: asserts: assertion failed, .*: printing.cu:[0-9]*: void asserts(int, int \*): block: \[1,0,0\], thread: \[8,0,0\] Assertion `t < n && "too many threads"` failed\.$' "$tmp/err" ||
		fail "$how: asserts"
	# shellcheck disable=SC2086
	run 0 $how "$ptx" -- asserts 64
	# shellcheck disable=SC2086
	run 2 $how "$ptx" -- allocates
	grep -q 'error: kernel allocates: its calls lead to function malloc: memory allocation by kernels is not supported by gsim' "$tmp/err" ||
		fail "$how: allocates"
done

# ---- the IR has them as operations; text and objects keep them ----
$opt "$ptx" -o "$tmp/p.ir" && $opt "$tmp/p.ir" -o "$tmp/q.ir" && cmp "$tmp/p.ir" "$tmp/q.ir" || fail "text is not kept"
[ "$(grep -c ' = vprintf %' "$tmp/p.ir")" -gt 15 ] && grep -q '	assertfail %' "$tmp/p.ir" || fail "no vprintf or assertfail in the IR"
cat >"$tmp/by_hand.ir" <<'END'
const b8 text[8] = { 37, 117, 58, 37, 100, 10 }
kernel k(u64 out) {
	local b32 args[2]
	%f = mov.u64 text
	%a = mov.u64 args
	%a = cvta.local.u64 %a
	%t = mov.u32 %tid.x
	%p = setp.gt.u32 %t, 1
	st.local.u32 [args], %t
	st.local.s32 [args+4], -5
	@%p %n = vprintf %f, %a
	%o = ld.param.u64 [out]
	%w = mul.wide.u32 %t, 4
	%o = add.u64 %o, %w
	st.global.u32 [%o], %n
	exit
}
host main() {
	%b = alloc.u64 16
	launch k, 1, 4, 0, (%b)
	%v = ld.global.u32 [%b+4]
	%q = setp.eq.u32 %v, 0
	check %q
	%v = ld.global.u32 [%b+12]
	%q = setp.eq.u32 %v, 2
	check %q, "vprintf took two arguments"
}
END
for how in "" --functional --reference; do
	# shellcheck disable=SC2086
	"$gsim" -q $how "$tmp/by_hand.ir" >"$tmp/out" 2>"$tmp/err" || fail "by_hand.ir $how"
	[ "$(cat "$tmp/out")" = "2:-5
3:-5" ] || fail "by_hand.ir $how prints something else"
done

exit $failed
