#!/bin/sh
# make installcheck: what was installed works without the source tree, from an empty directory.
# From the Makefile: bindir includedir libdir pkgdatadir docdir (with DESTDIR before them), DESTDIR srcdir CC CFLAGS.
srcdir=$(cd "$srcdir" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
unset GSIM_PATH GSIM_BUILD

fail() {
	echo "FAILED: $1"
	[ -f "$dir/out" ] && head -n 20 "$dir/out"
	failed=1
}

cd "$dir" || exit 2
kernel=$pkgdatadir/kernels/short_circuit/short_circuit.ir
for program in gsim gsim-compare gsim-opt gsim-trace; do
	"$bindir/$program" --help >out 2>&1 || fail "$program --help"
done
[ -n "$DESTDIR" ] && GSIM_PATH=$pkgdatadir && export GSIM_PATH
"$bindir/gsim" --config kepler.lua "$kernel" >out 2>&1 || fail "gsim --config kepler.lua with the installed kernel"
grep -q 'SIMD utilisation' out || fail "no report"
"$bindir/gsim" --list configs >out 2>&1
grep -q 'kepler.lua' out || fail "--list configs does not show the installed machines"
"$bindir/gsim" -q --config fermi.lua "$pkgdatadir/kernels/matmul/matmul.ptx" >out 2>&1 || fail "matmul on fermi.lua"

# links of pages lead to installed files
find "$docdir" "$pkgdatadir" -name '*.md' | while read -r page; do
	grep -o ']([^)#:]*' "$page" | sed 's/^](//' | sort -u | while read -r link; do
		case $link in
		'' | http*) continue ;;
		/*) file=$DESTDIR$link ;;
		*) file=${page%/*}/$link ;;
		esac
		[ -e "$file" ] || echo "$page: $link"
	done
done >out
[ -s out ] && fail "links of installed pages lead nowhere"

# the lab: answers to give, a checker that runs the installed programs
if command -v lua5.4 >/dev/null || command -v lua >/dev/null; then
	echo 'b5 = 3' >answers
	PATH=$bindir:$PATH "$pkgdatadir/labs/03-unstructured/check" answers >out 2>&1
	grep -q '2\. b5 .* right$' out || fail "the installed lab's checker"
fi

# the library, by its pkg-config file
if command -v pkg-config >/dev/null; then
	export PKG_CONFIG_PATH="$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
	[ -n "$DESTDIR" ] && set -- --define-variable=includedir="$includedir" --define-variable=libdir="$libdir"
	[ -f "$DESTDIR$(pkg-config --variable=pkgdatadir gsim)/kernels/short_circuit/short_circuit.ir" ] || fail "README.md: pkg-config --variable=pkgdatadir gsim does not lead to the kernels"
	# who links with the shared library needs nothing else
	if [ -f "$libdir/libgsim.so" ]; then
		pkg-config --libs gsim >out
		grep -q 'lua\|-lz\|-lelf\|-liberty' out && fail "gsim.pc makes programs link with what the shared library is linked with itself"
	fi
	flags=$(pkg-config "$@" --cflags gsim) && libs=$(pkg-config "$@" --libs gsim) || fail "pkg-config gsim"
	sed -n '/^```c$/,/^```$/p' "$docdir/doc/library.md" | grep -v '^```' >example.c
	cp "$pkgdatadir/kernels/matmul/matmul.ptx" kernel.ptx && cp "$pkgdatadir/kernels/matmul/matmul.lua" kernel.lua
	$CC $CFLAGS $flags -o example example.c $libs >out 2>&1 || fail "the example of library.md does not build with gsim.pc's flags"
	LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ./example >out 2>&1 || fail "the example of library.md does not run"
	grep -q '^[1-9][0-9]* cycles$' out || fail "the example of library.md counts no cycles"
	# it exports what its header declares: functions and variables, no other name
	echo '#include "gsim-internal.h"' | $CC $CFLAGS $flags -E - | awk -f "$srcdir/tools/exports.awk" | LC_ALL=C sort -u >declared
	[ -s declared ] || fail "gsim-internal.h declares nothing"
	for library in libgsim.a libgsim.so; do
		[ -f "$libdir/$library" ] && command -v objcopy >/dev/null || continue
		what=-g
		[ $library = libgsim.so ] && what=-D
		nm $what --defined-only "$libdir/$library" | awk 'NF == 3 && $2 ~ /^[A-Z]$/ { print $3 }' | LC_ALL=C sort -u | diff declared - >out ||
			fail "$library exports other names than gsim-internal.h declares"
	done
	# every public header can be included first and alone
	(cd "$includedir/gsim-internal" && find . -name '*.h') | sed 's,^\./,,' | while read -r header; do
		echo "#include \"$header\"" >header.c
		$CC $CFLAGS $flags -fsyntax-only header.c >out 2>&1 || { echo "$header:"; cat out; touch bad; }
	done
	[ -f bad ] && fail "installed headers that do not stand alone"

	# plug-ins, by gsim-internal.pc: the examples of plug-ins.md as they are installed
	internal=$(pkg-config "$@" --cflags gsim-internal) || fail "pkg-config gsim-internal"
	srcdir=$srcdir BIN=$bindir FLAGS=$internal EXAMPLES=$docdir/doc/examples KERNELS=$pkgdatadir/kernels CC=$CC \
		"$srcdir/tests/tools/check_plugins.sh" >out 2>&1
	case $? in 0 | 77) ;; *) fail "plug-ins" ;; esac
fi
exit $failed
