#!/bin/sh
# libgsim exports the functions of gsim.h and nothing else: the static library as it is installed, and the shared one where it is built.
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

# the functions of the header, found in another way than tools/exports.awk does, which made libgsim.sym
grep -E '^[A-Za-z].* \*?gsim_[a-z_]+\(' "$srcdir/gsim.h" | grep -v '^static' | grep -oE 'gsim_[a-z_]+\(' | tr -d '(' | LC_ALL=C sort -u >"$tmp/declared"
diff "$tmp/declared" $names >"$tmp/diff" || fail "libgsim.sym is not what gsim.h declares"
[ "$(wc -l <$names)" -gt 40 ] || fail "libgsim.sym has few names"
exported -g libgsim.a | LC_ALL=C comm -13 - $names >"$tmp/diff"
[ -s "$tmp/diff" ] && fail "functions of gsim.h that the library does not define"

# every header that is installed is in gsim-internal.h
${CC:-cc} -std=gnu11 -E -I"$srcdir" "$srcdir/gsim-internal.h" >"$tmp/lines"
sed -n '/^nobase_internalinclude_HEADERS/,/[^\\]$/p' "$srcdir/Makefile.am" | grep -o "[a-z_/-]*[.]h" | grep -v "^gsim-plugin" | while read -r header; do
	grep -q "/$header\"" "$tmp/lines" || echo "$header"
done >"$tmp/diff"
[ -s "$tmp/diff" ] && fail "headers that are installed and not in gsim-internal.h"

# what is installed
if command -v "${OBJCOPY:-objcopy}" >/dev/null; then
	cp libgsim.a "$tmp/libgsim.a"
	OBJCOPY=${OBJCOPY:-objcopy} "$srcdir/tools/hide-symbols" "$tmp/libgsim.a" $names || fail "hide-symbols"
	exported -g "$tmp/libgsim.a" | diff $names - >"$tmp/diff" || fail "the static library exports something else"
fi
for library in libgsim-*.so; do
	[ -f "$library" ] || continue
	exported -D "$library" | diff $names - >"$tmp/diff" || fail "the shared library exports something else"
done
exit $failed
