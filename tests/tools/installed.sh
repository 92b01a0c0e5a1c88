#!/bin/sh
# make installcheck: what was installed works without the source tree, from an empty directory.
# From the Makefile: bindir mandir includedir libdir pkgdatadir docdir (with DESTDIR before them), DESTDIR srcdir CC CFLAGS.
srcdir=$(cd "$srcdir" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
unset GSIM_PATH GSIM_BUILD
GSIM_USER_CONFIG=
export GSIM_USER_CONFIG

fail() {
	echo "FAILED: $1"
	[ -f "$dir/out" ] && head -n 20 "$dir/out"
	failed=1
}

cd "$dir" || exit 2
kernel=$pkgdatadir/kernels/short_circuit/short_circuit.ir
for program in gsim gsim-compare gsim-opt gsim-reduce gsim-sweep gsim-trace gsim-tune; do
	"$bindir/$program" --help >out 2>&1 || fail "$program --help"
	grep -q "^\.SH SYNOPSIS" "$mandir/man1/$program.1" || fail "no manual of $program"
	[ -z "$bashcompletiondir" ] || grep -q "^complete -F .* $program\$" "$DESTDIR$bashcompletiondir/$program" || fail "no completion for $program"
done
sed 's/\\-/-/g; s/\\&//g' "$mandir/man1/gsim.1" | grep -q -F ".I ${pkgdatadir#"$DESTDIR"}/configs" || fail "man gsim does not say where machines are"
[ -n "$DESTDIR" ] && GSIM_PATH=$pkgdatadir && export GSIM_PATH
"$bindir/gsim" --config kepler.lua "$kernel" >out 2>&1 || fail "gsim --config kepler.lua with the installed kernel"
grep -q 'SIMD utilisation' out || fail "no report"
"$bindir/gsim-sweep" -c kepler.lua,volta.lua -m ipdom,its "$kernel" >out 2>&1 && grep -q '^4 points: 4 ok' out || fail "gsim-sweep"
printf 'chip,figure,value\nA,latency/add.u32,4\nA,rate/add.u32,64\n' >rows.csv
"$bindir/gsim-tune" --rounds 0 -o tuned.lua rows.csv >out 2>&1 || fail "gsim-tune"
"$bindir/gsim" --config tuned.lua "$kernel" >out 2>&1 || fail "the machine that gsim-tune wrote"
"$bindir/gsim" --list configs >out 2>&1
grep -q 'kepler.lua' out || fail "--list configs does not show the installed machines"
"$bindir/gsim" -q --config fermi.lua "$pkgdatadir/kernels/matmul/matmul.ptx" >out 2>&1 || fail "matmul on fermi.lua"

# links of pages lead to installed files
find "$docdir" "$pkgdatadir" -name '*.md' | while read -r page; do
	grep -o ']([^)#:]*' "$page" | sed 's/^](//' | sort -u | while read -r link; do
		link=$(echo "$link" | sed 's/%20/ /g')
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
		PKG_CONFIG_LIBDIR=$libdir/pkgconfig PKG_CONFIG_PATH='' pkg-config --cflags --libs gsim >/dev/null ||
			fail "gsim.pc asks for development packages where the shared library is"
		grep -q 'lua\|-lz\|-lelf\|-liberty' out && fail "gsim.pc makes programs link with what the shared library is linked with itself"
	fi
	flags=$(pkg-config "$@" --cflags gsim) && libs=$(pkg-config "$@" --libs gsim) || fail "pkg-config gsim"
	archive=$(pkg-config "$@" --static --libs gsim | sed 's/-lgsim/-l:libgsim.a/')
	sed -n '/^```c$/,/^```$/p' "$docdir/doc/library.md" | grep -v '^```' >add.c
	cp "$docdir/doc/examples/sweep.c" "$docdir/doc/examples/wrapper.cpp" . || fail "the examples are not installed"
	LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
	export LD_LIBRARY_PATH
	SANITIZER=
	for option in $CFLAGS; do
		case $option in -fsanitize=* | --coverage) SANITIZER="$SANITIZER $option" ;; esac
	done
	# What pkg-config prints is for a shell to read: of folders with a space it has a backslash.
	# build HOW FLAGS COMPILER STANDARD FILE: ./program, linked as pkg-config says or with the archive
	build() {
		rm -f program
		eval "$3 -std=$4 -Wall -Wextra -pedantic -Werror -pthread $SANITIZER $flags -o program $5 $2" >out 2>&1 || fail "$5 does not build, $1"
	}
	for how in default archive; do
		with=$libs
		[ $how = archive ] && with=$archive
		build $how "$with" "$CC" c99 add.c
		./program >out 2>&1 || fail "add.c of library.md does not run, $how"
		grep -q '^99 + 1000 = 1099, [1-9][0-9]* cycles$' out || fail "add.c of library.md prints something else, $how"
		if command -v ldd >/dev/null && [ -f "$libdir/libgsim.so" ]; then
			ldd ./program >out
			grep -q libgsim out
			[ $? = $([ $how = archive ] && echo 1 || echo 0) ] || fail "add.c is linked with the other library, $how"
		fi
		build $how "$with" "$CC" c11 sweep.c
		./program "$pkgdatadir/kernels/matmul/matmul.ptx" kepler.lua dram.latency 20 200 >out 2>&1 || fail "sweep.c does not run, $how"
		[ "$(grep -c '^[0-9]*,[1-9][0-9]*,[1-9][0-9]*,' out)" = 2 ] || fail "the table of sweep.c, $how"
		command -v "${CXX:-c++}" >/dev/null || continue
		build $how "$with" "${CXX:-c++}" c++11 wrapper.cpp
		./program "$kernel" kepler.lua >out 2>&1 || fail "wrapper.cpp does not run, $how"
		[ "$(grep -c '^[a-z_]*: [1-9][0-9]* cycles, ' out)" = 2 ] || fail "wrapper.cpp prints something else, $how"
	done
	# it exports the functions that gsim.h declares, and no other name
	echo '#include <gsim.h>' | eval "$CC $flags -E -x c -" | sed 's/^\(# [0-9]* "[^"]*gsim[.]h"\).*/\1/' | awk -f "$srcdir/tools/exports.awk" | LC_ALL=C sort -u >declared
	[ -s declared ] || fail "gsim.h declares nothing"
	for library in libgsim.a libgsim.so; do
		[ -f "$libdir/$library" ] && command -v objcopy >/dev/null || continue
		what=-g
		[ $library = libgsim.so ] && what=-D
		nm $what --defined-only "$libdir/$library" | awk 'NF == 3 && $2 ~ /^[A-Z]$/ { print $3 }' | LC_ALL=C sort -u | diff declared - >out ||
			fail "$library exports other names than gsim.h declares"
	done
	if [ -f "$libdir/libgsim.so" ]; then
		objdump -p "$libdir/libgsim.so" 2>/dev/null | grep -q "SONAME *libgsim-$(pkg-config --modversion gsim).so" || fail "the shared library's name has no version"
	fi
	# every internal header can be included first and alone
	case $includedir in *' '*) ln -s "$includedir" include && set -- --define-variable=includedir="$dir/include" ;; esac
	internal=$(pkg-config "$@" --cflags gsim-internal) || fail "pkg-config gsim-internal"
	(cd "$includedir/gsim-internal" && find . -name '*.h') | sed 's,^\./,,' | while read -r header; do
		echo "#include \"$header\"" >header.c
		$CC $CFLAGS $internal -fsyntax-only header.c >out 2>&1 || { echo "$header:"; cat out; touch bad; }
	done
	[ -f bad ] && fail "installed headers that do not stand alone"

	# plug-ins, by gsim-internal.pc: the examples of plug-ins.md as they are installed
	srcdir=$srcdir BIN=$bindir FLAGS=$internal EXAMPLES=$docdir/doc/examples KERNELS=$pkgdatadir/kernels CC=$CC \
		"$srcdir/tests/tools/check_plugins.sh" >out 2>&1
	case $? in 0 | 77) ;; *) fail "plug-ins" ;; esac
fi
exit $failed
