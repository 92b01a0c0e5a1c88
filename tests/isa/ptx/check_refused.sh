#!/bin/sh
# Modules of which only some kernels can run: the others are kept, listed, printed, and refused when they are launched, with
# the place of what gsim has not, in the same words by the machine, with and without timing, and by the reference interpreter.
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
opt=${GSIM_OPT:-./gsim-opt}
GSIM_PATH=$srcdir
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-refused.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
lua=$srcdir/tests/isa/ptx/partly.lua
failed=0

fail() {
	echo "FAILED: $1"
	head -n 5 "$tmp/err"
	failed=1
}

# expect STATUS TEXT COMMAND...: the exit status and a line of the messages
expect() {
	want=$1 text=$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	[ $got = "$want" ] && { [ -z "$text" ] || grep -q -e "$text" "$tmp/out" "$tmp/err"; } || fail "$*: status $got, expected $want and '$text'"
}

# every STATUS TEXT ARGUMENT...: however it runs; the message is one line, the same each time
every() {
	status=$1 text=$2
	shift 2
	for how in "-c teaching.lua" "-m mimd --functional" "-m its -p linearize,dce" --reference; do
		# shellcheck disable=SC2086
		expect "$status" "$text" $gsim -q $how "$@"
		[ "$status" = 0 ] || { [ "$(wc -l <"$tmp/err")" = 1 ] || fail "$how $*: more than one line"; }
	done
}

for arch in sm_75 sm_100; do
	ptx=partly.$arch.ptx
	cp "$srcdir/tests/isa/ptx/$ptx" "$tmp/$ptx"
	line() { grep -n "$1" "$tmp/$ptx" | head -n 1 | cut -d: -f1; }
	tex=$(line '^[[:space:]]*tex\.2d') matrix=$(line wmma.load.a) half=$(line 'add.f16 ') elsewhere=$(line '_Z9elsewheref')
	inside=$(sed -n "$((tex + 1)),\$p" "$tmp/$ptx" | grep -n '^[[:space:]]*tex\.2d' | head -n 1 | cut -d: -f1)
	inside=$((tex + inside))

	# ---- what can run: newer compilers say which parameters are pointers ----
	pointer=
	[ $arch = sm_100 ] && pointer=' ptr(generic, 1)'
	cat >"$tmp/want" <<END
runs     plain(u64 plain_param_0$pointer, u32 plain_param_1)
refused  textured(u64 textured_param_0$pointer, u32 textured_param_1) maxntid(64, 1, 1) minnctapersm(2)
         $tmp/$ptx:$inside:2: tex.2d.v4.f32.f32: textures are not supported by gsim
refused  calls_texture(u64 calls_texture_param_0$pointer, u32 calls_texture_param_1)
         $tmp/$ptx:$tex:2: its calls lead to function _Z6sampleyf: tex.2d.v4.f32.f32: textures are not supported by gsim
runs     chooses(u64 chooses_param_0$pointer, u32 chooses_param_1, u32 chooses_param_2)
refused  matrix(u64 matrix_param_0$pointer, u64 matrix_param_1$pointer, u64 matrix_param_2$pointer)
         $tmp/$ptx:$matrix:2: wmma.load.a.sync.aligned.row.m16n16k16.global.f16: matrix operations are not supported by gsim
refused  halves(u64 halves_param_0$pointer, b8 halves_param_1[2] align 2)
         $tmp/$ptx:$half:3: add.f16: half-precision arithmetic is not supported by gsim
refused  external(u64 external_param_0$pointer)
         $tmp/$ptx:$elsewhere:43: its calls lead to function _Z9elsewheref: it has no body in this module
END
	# printed modules and objects keep what is refused, with its place
	$opt "$tmp/$ptx" -o "$tmp/$ptx.ir" && $opt "$tmp/$ptx.ir" -o "$tmp/again.ir" && cmp "$tmp/$ptx.ir" "$tmp/again.ir" ||
		fail "$ptx: text is not kept"
	$opt "$tmp/$ptx" -o "$tmp/$ptx.gso" && $opt "$tmp/$ptx.gso" -o "$tmp/again.ir" && cmp "$tmp/$ptx.ir" "$tmp/again.ir" ||
		fail "$ptx: an object does not keep it"
	for form in "$ptx" "$ptx.ir" "$ptx.gso"; do
		expect 0 "" $gsim --list kernels "$tmp/$form"
		diff "$tmp/want" "$tmp/out" || fail "--list kernels $form"
	done

	# ---- launches ----
	for form in "$ptx" "$ptx.gso"; do
		every 0 "" -w "$lua" "$tmp/$form" -- plain
		every 0 "" -w "$lua" "$tmp/$form" -- chooses 0
		every 2 "^$tmp/$ptx:$inside:2: error: kernel textured: tex.2d.v4.f32.f32: textures are not supported by gsim$" \
			-w "$lua" "$tmp/$form" -- textured
		every 2 "^$tmp/$ptx:$tex:2: error: kernel calls_texture: its calls lead to function _Z6sampleyf: tex" -w "$lua" "$tmp/$form" -- calls_texture
		every 2 "^$tmp/$ptx:$tex:2: error: chooses: not supported, .*call .*thread (0,0,0): function _Z6sampleyf: tex" \
			-w "$lua" "$tmp/$form" -- chooses 1
	done
	every 2 ":$matrix:2: error: kernel matrix: wmma" -w "$lua" "$tmp/$ptx" -- matrix
	every 2 ":$half:3: error: kernel halves: add.f16" -w "$lua" "$tmp/$ptx" -- halves
	every 2 ":$elsewhere:43: error: kernel external: its calls lead to" -w "$lua" "$tmp/$ptx" -- external
	expect 0 "no body in this module" $gsim --disassemble "$tmp/$ptx"
	expect 2 "$ptx:$matrix:2: error: matrix is refused: it has no graph: wmma" $opt --cfg matrix "$tmp/$ptx"
done

# ---- known operations in forms that gsim has not; second names of functions ----
cp "$srcdir/tests/isa/ptx/forms.ptx" "$tmp"
lua=$srcdir/tests/isa/ptx/forms.lua
cat >"$tmp/want" <<END
runs     plain(u64 out)
refused  reduces(u64 out)
         21:2: redux.sync.min.f32 is not supported by gsim: has a type that it cannot take; expected one of .b32 .u32 .s32
refused  adds_vectors(u64 out)
         28:2: atom.global.v4.f32.add is not supported by gsim: atom does not take the suffix '.v4'
refused  loads_eight(u64 out)
         35:2: ld.global.v8.f32: vectors of 8 elements are not supported by gsim
refused  loads_wide(u64 out)
         41:4: ld.global.v4.f64 is not supported by gsim: accesses more than 16 bytes
refused  swaps(u64 out)
         48:2: atom.global.cas.b16 is not supported by gsim: has a type that it cannot take; expected one of .b32 .b64 .u32 .u64 .s32 .s64 .f32 .f64
refused  combines(u64 out)
         54:6: set.lt.and.u32.s32 is not supported by gsim: set does not take the suffix '.and'
refused  strays(u64 out)
         59:2: ld.b32 is not supported by gsim: accesses 'pad', which is in .shared
refused  calls_lowest(u64 out)
         66:2: its calls lead to function lowest: min.f32 is not supported by gsim: min takes 2 source operands, not 3
runs     second_names(u64 out)
END
$opt "$tmp/forms.ptx" -o "$tmp/forms.ir" && $opt "$tmp/forms.ir" -o "$tmp/again.ir" && cmp "$tmp/forms.ir" "$tmp/again.ir" || fail "forms.ptx: text is not kept"
$opt "$tmp/forms.ptx" -o "$tmp/forms.gso" || fail "forms.gso"
for form in forms.ptx forms.ir forms.gso; do
	expect 0 "" $gsim --list kernels "$tmp/$form"
	sed "s|$tmp/forms.ptx:||" "$tmp/out" | diff "$tmp/want" - || fail "--list kernels $form"
	every 0 "" -w "$lua" "$tmp/$form" -- plain
	every 0 "" -w "$lua" "$tmp/$form" -- second_names
done
sed -n 's/^refused  \([a-z_]*\).*/\1/p' "$tmp/want" >"$tmp/names"
while read -r name; do
	why=$(sed -n "/^refused  $name(/{n;s/^ *[0-9:]* //p;}" "$tmp/want")
	every 2 ": error: kernel $name: $why$" -w "$lua" "$tmp/forms.ptx" -- "$name"
done <"$tmp/names"

# ---- one register in braces, floats in wider registers: braces.lua checks what comes out ----
every 0 "" "$srcdir/tests/isa/ptx/braces.ptx"

# ---- variables, signatures and directives that gsim has not ----
cat >"$tmp/odd.ptx" <<'END'
.version 8.5
.target sm_90
.address_size 64
.global .texref picture;
.global .samplerref how = { addr_mode_0 = clamp_to_edge, filter_mode = linear };
.extern .global .surfref canvas[2];
.tex .u32 old;
.global .b128 wide[2] = { 1, 2 };
.func (.param .b32 r) other(.param .b32 a);
.func (.param .b32 r) first(.param .b32 a) { .reg .b32 x; .reg .b128 y; ld.param.b32 x, [a]; st.param.b32 [r], x; ret; }
.alias other, first;
.entry fine() { ret; }
.entry handle(.param .u64 out) { .reg .b64 t; mov.u64 t, picture; ret; }
.entry by_value(.param .u32 n, .param .texref t, .param .u32 m) { ret; }
.entry quad() { .reg .b64 a; .reg .b128 q; ret; }
.entry counter() { .shared .b32 gone[4]; .global .u64 also[1] = { fine }; .reg .b32 a; mov.u32 a, %pm0; ret; }
.entry second(.param .u64 out) { .param .b32 r; .param .b32 a; call (r), other, (a); ret; }
.func unused() { .reg .f16 h; add.f16 h, h, h; { ret; } }
END
cat >"$tmp/want" <<END
runs     fine()
refused  handle(u64 out)
         $tmp/odd.ptx:4:17: variable picture: .texref: textures are not supported by gsim
refused  by_value(u32 n, b64 t, u32 m)
         $tmp/odd.ptx:14:39: .texref: textures are not supported by gsim
refused  quad()
         $tmp/odd.ptx:15:35: .b128: 128-bit values are not supported by gsim
refused  counter()
         $tmp/odd.ptx:16:99: special register %pm0 is not supported by gsim (a performance counter)
refused  second(u64 out)
         $tmp/odd.ptx:10:64: its calls lead to function first: .b128: 128-bit values are not supported by gsim
END
$opt "$tmp/odd.ptx" -o "$tmp/odd.ir" && $opt "$tmp/odd.ir" -o "$tmp/again.ir" && cmp "$tmp/odd.ir" "$tmp/again.ir" || fail "odd.ptx: text is not kept"
for form in odd.ptx odd.ir; do
	expect 0 "" $gsim --list kernels "$tmp/$form"
	diff "$tmp/want" "$tmp/out" || fail "--list kernels $form"
done
expect 0 'refused ".tex: textures' cat "$tmp/odd.ir"
if grep -q 'gone\|also' "$tmp/odd.ir"; then fail "variables of a refused kernel stay"; fi
expect 2 "nowhere.ptx: error: cannot be read" $gsim --list kernels "$tmp/nowhere.ptx"
printf 'host main() {\n}\n' >"$tmp/none.ir"
expect 0 "none.ir has no kernels" $gsim --list kernels "$tmp/none.ir"

exit $failed
