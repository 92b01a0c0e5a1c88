#!/bin/sh
# libgsim exports what gsim-internal.h declares, and nothing else: the static library as it is installed, and the shared one where it is built.
srcdir=${srcdir:-$(dirname "$0")/../..}
names=libgsim.sym
tmp=${TMPDIR:-/tmp}/gsim-exports.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
	echo "FAILED: $1"
	[ -s "$tmp/diff" ] && head -n 20 "$tmp/diff"
	failed=1
}

# exported NM-OPTION FILE: names that a linker finds there
exported() {
	${NM:-nm} "$1" --defined-only "$2" 2>/dev/null | awk 'NF == 3 && $2 ~ /^[A-Z]$/ { print $3 }' | LC_ALL=C sort -u
}

# names in the headers, found in another way than tools/exports.awk does: those of the library's symbols that
# any token is
${CC:-cc} -std=gnu11 -E -P -I"$srcdir" "$srcdir/gsim-internal.h" >"$tmp/headers" 2>/dev/null || { echo "no compiler here"; exit 77; }
grep -oE '[A-Za-z_][A-Za-z_0-9]*' "$tmp/headers" | LC_ALL=C sort -u >"$tmp/tokens"
exported -g libgsim.a | LC_ALL=C comm -12 - "$tmp/tokens" >"$tmp/declared"
diff "$tmp/declared" $names >"$tmp/diff" || fail "libgsim.sym is not what gsim-internal.h declares and the library defines"
[ "$(wc -l <$names)" -gt 200 ] || fail "libgsim.sym has few names"

# every header that is installed is in gsim-internal.h
${CC:-cc} -std=gnu11 -E -I"$srcdir" "$srcdir/gsim-internal.h" >"$tmp/lines"
sed -n '/^nobase_internalinclude_HEADERS/,/[^\\]$/p' "$srcdir/Makefile.am" | grep -o "[a-z_/-]*[.]h" | grep -v "^gsim-plugin" | while read -r header; do
	grep -q "/$header\"" "$tmp/lines" || echo "$header"
done >"$tmp/diff"
[ -s "$tmp/diff" ] && fail "headers that are installed and not in gsim-internal.h"

# what is installed
if [ -f libgsim.a ] && command -v "${OBJCOPY:-objcopy}" >/dev/null; then
	cp libgsim.a "$tmp/libgsim.a"
	OBJCOPY=${OBJCOPY:-objcopy} "$srcdir/tools/hide-symbols" "$tmp/libgsim.a" $names || fail "hide-symbols"
	exported -g "$tmp/libgsim.a" | diff $names - >"$tmp/diff" || fail "the static library exports something else"
fi

# the example of doc/library.md, linked with what is installed, run beside a kernel and its workload
sed -n '/^```c$/,/^```$/p' "$srcdir/doc/library.md" | grep -v '^```' >"$tmp/example.c"
cp "$srcdir/kernels/matmul/matmul.ptx" "$tmp/kernel.ptx"
cp "$srcdir/kernels/matmul/matmul.lua" "$tmp/kernel.lua"
# shellcheck disable=SC2046,SC2086
if [ -f "$tmp/libgsim.a" ] && command -v pkg-config >/dev/null; then
	libs="$(sed -n 's/^Libs: .*-lgsim//p; s/^Libs.private://p' gsim.pc) $(pkg-config --libs $(sed -n 's/^Requires[^:]*://p' gsim.pc))"
	${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -I"$srcdir" -o "$tmp/example" "$tmp/example.c" "$tmp/libgsim.a" $libs >"$tmp/diff" 2>&1 ||
		fail "the example of doc/library.md does not build"
	configs=$(cd "$srcdir/configs" && pwd)
	(cd "$tmp" && GSIM_PATH=$configs ./example) >"$tmp/diff" 2>&1 || fail "the example of doc/library.md does not run"
	grep -q '^[1-9][0-9]* cycles$' "$tmp/diff" || fail "the example of doc/library.md counts no cycles"
fi
for library in libgsim-*.so; do
	[ -f "$library" ] || continue
	exported -D "$library" | diff $names - >"$tmp/diff" || fail "the shared library exports something else"
done
exit $failed
