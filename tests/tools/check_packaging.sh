#!/bin/sh
# What make install installs: files of known kinds only, each in one Debian package; links of its pages lead to installed files; versions agree; nothing stays
# after make uninstall. The packages themselves are made and tried by tools/package.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gsim-packaging.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
root="$tmp/a root" # names of folders may have spaces
failed=0

fail() {
	echo "FAILED: $1"
	[ -s "$tmp/out" ] && head -n 20 "$tmp/out"
	failed=1
}

version=$(sed -n 's/^#define GSIM_VERSION "\(.*\)"/\1/p' "$srcdir/gsim.h")
make -s install DESTDIR="$root" prefix=/usr libdir=/usr/lib/some-arch zshcompletiondir=/usr/share/zsh/vendor-completions \
	bashcompletiondir=/usr/share/bash-completion/completions fishcompletiondir=/usr/share/fish/vendor_completions.d >"$tmp/out" 2>&1 || fail "make install"
# what --enable-shared would install, too
for library in "libgsim-$version.so" libgsim.so; do : >>"$root/usr/lib/some-arch/$library"; done
(cd "$root" && find . \( -type f -o -type l \) | sed 's,^\./,,' | LC_ALL=C sort) >"$tmp/files"
[ "$(wc -l <"$tmp/files")" -gt 500 ] || fail "few files are installed"

# sources that are installed: public headers, what headers for plug-ins include, examples, what labs begin with
grep -vE '^usr/(bin/gsim(-(compare|opt|reduce|sweep|trace|tune))?|include/gsim\.h|include/gsim-internal/([a-z_-]+/)*[a-z_-]+\.(h|def))$' "$tmp/files" |
	grep -vE '^usr/lib/some-arch/(libgsim(\.a|\.so|-[0-9.]+\.so)|pkgconfig/gsim(-internal)?\.pc)$' |
	grep -vE '^usr/share/(man/man1/gsim[a-z-]*\.1|bash-completion/completions/gsim[a-z-]*|fish/vendor_completions\.d/gsim[a-z-]*\.fish|zsh/vendor-completions/_gsim[a-z-]*)$' |
	grep -vE '^usr/share/doc/gsim/(LICENSE|[A-Z]+\.md|web/README\.md|doc/[a-z_-]+\.(md|png|svg|json)|doc/(schemas?/)[a-z_.-]+\.json|doc/examples/[a-z_]+\.(c|cpp|ir|lua))$' |
	grep -vE '^usr/share/gsim/(configs/(tables/)?[a-z0-9_]+\.lua|kernels/README\.md|kernels/[a-z0-9_/]+\.(cu|cl|ir|lua|ptx))$' |
	grep -vE '^usr/share/gsim/labs/(README\.md|check|check\.lua|kinds\.lua|[0-9][0-9]-[a-z-]+/([a-z0-9_]+\.(md|ir|lua|cu|ptx)|README\.md|answers\.txt|check))$' |
	grep -vE '^usr/share/gsim/labs/10-write-your-own/(sides\.h|(solutions/)?(same_sides|crowd)\.c)$' |
	grep -vE '^usr/share/gsim/tools/(gsim-tune|programs|([a-z]+/)?[a-z-]+\.lua)$' >"$tmp/out" && fail "files of an unknown kind are installed; if they are meant, name their kind in $0"

# every file in one package: what the patterns of debian/*.install name, and debian/not-installed
: >"$tmp/taken"
for list in "$srcdir"/debian/*.install "$srcdir/debian/not-installed"; do
	: >"$tmp/out"
	while read -r pattern; do
		pattern=$(echo "$pattern" | sed -e 's,[.],\\.,g' -e 's,\*,[^/]*,g')
		grep -E "^$pattern(/|\$)" "$tmp/files" >"$tmp/some" || echo "$pattern"
		cat "$tmp/some" >>"$tmp/of-list"
	done <"$list" >"$tmp/out"
	[ ! -s "$tmp/out" ] || fail "$list names nothing that is installed"
	LC_ALL=C sort -u "$tmp/of-list" | if [ "${list##*/}" = gsim-doc.install ]; then grep -v '/LICENSE$'; else cat; fi >>"$tmp/taken"
	rm "$tmp/of-list"
done
LC_ALL=C sort "$tmp/taken" | uniq -d >"$tmp/out"
[ ! -s "$tmp/out" ] || fail "files in several packages"
LC_ALL=C sort -u "$tmp/taken" | LC_ALL=C comm -3 - "$tmp/files" >"$tmp/out"
[ ! -s "$tmp/out" ] || fail "files in no package"

# links of installed pages, to files and to their headings; once more for a prefix with a space
make -s install-data install-data-hook DESTDIR="$root" prefix='/a prefix' >"$tmp/out" 2>&1 || fail "make install with a space in prefix"
find "$root" -name '*.md' | while read -r page; do
	grep -o ']([^)]*)' "$page" | sed -e 's/^](//' -e 's/)$//' | sort -u | while read -r link; do
		link=$(echo "$link" | sed 's/%20/ /g') file=${link%%#*}
		case $link in
		http://* | https://*) continue ;;
		'#'*) file=$page ;;
		/*) file=$root$file ;;
		*) file=${page%/*}/$file ;;
		esac
		if [ ! -e "$file" ]; then
			echo "${page#"$root"}: $link: no such file"
			continue
		fi
		case $link in *'#'*) ;; *) continue ;; esac
		grep -q "<a id=\"${link#*#}\">" "$file" || sed -n 's/^##* //p' "$file" | tr 'A-Z ' 'a-z-' | sed 's/[^a-z0-9_-]//g' | grep -qx -e "${link#*#}" || echo "${page#"$root"}: $link: no such heading"
	done
done >"$tmp/out"
[ ! -s "$tmp/out" ] || fail "links of installed pages lead nowhere"

rm -rf "$root/a prefix"

# what pkg-config prints of a folder with a space is one word for a shell
if command -v pkg-config >/dev/null; then
	for module in gsim gsim-internal; do
		PKG_CONFIG_DISABLE_UNINSTALLED=1 PKG_CONFIG_PATH=. pkg-config --define-variable=includedir='/an include' --define-variable=libdir='/a lib' --cflags --libs $module >"$tmp/flags" 2>"$tmp/out" || fail "pkg-config $module"
		eval "set -- $(cat "$tmp/flags")"
		case $1 in '-I/an include' | '-I/an include/gsim-internal') ;; *) fail "pkg-config $module of a folder with a space: $(cat "$tmp/flags")" ;; esac
	done
fi

# the tarball has every file of the tree
if [ "$(git -C "$srcdir" rev-parse --show-toplevel 2>/dev/null)" = "$srcdir" ]; then
	make -s distdir distdir="$tmp/tarball" >"$tmp/out" 2>&1 || fail "make distdir"
	git -C "$srcdir" ls-files | while read -r file; do
		[ -e "$srcdir/$file" ] && [ ! -e "$tmp/tarball/$file" ] && [ "$file" != .gitignore ] && echo "$file"
	done >"$tmp/out"
	[ ! -s "$tmp/out" ] || fail "files of the tree that make dist leaves out (EXTRA_DIST)"
	chmod -R u+w "$tmp/tarball"
fi

# versions; symbols; scripts
packaged=$(sed -n '1s/^gsim (\([^)]*\)-[^-)]*) .*/\1/p' "$srcdir/debian/changelog")
[ "$packaged" = "$version" ] || fail "debian/changelog is for $packaged, gsim.h for $version"
grep -q "^Package: libgsim-$version\$" "$srcdir/debian/control" && [ -f "$srcdir/debian/libgsim-$version.install" ] && [ -f "$srcdir/debian/libgsim-$version.symbols" ] ||
	fail "the library's package has no such version in its name"
grep -q "^## .*$version" "$srcdir/CHANGELOG.md" || fail "CHANGELOG.md has no section for $version"
sed -n 's/^ \([a-z_]*\)@Base .*/\1/p' "$srcdir/debian/libgsim-$version.symbols" | diff - libgsim.sym >"$tmp/out" || fail "debian/libgsim-$version.symbols is not what the library exports"
for script in "$srcdir/debian/rules" "$srcdir/debian/tests/use" "$srcdir/debian/tests/develop" "$srcdir/tools/package" "$srcdir/tools/release"; do
	[ -x "$script" ] || fail "$script cannot be executed"
done
# the build folder is named nowhere, but in the name of a prefix that lies in it, as that of make distcheck does
here=$(pwd) prefix=$(sed -n 's/^prefix = //p' Makefile)
grep -rlF -e "$here" -e "$srcdir/" "$root/usr" | while read -r file; do
	LC_ALL=C sed "s,$prefix,,g" "$file" | grep -qaF -e "$here" -e "$srcdir/" && echo "$file"
done >"$tmp/out"
[ -s "$tmp/out" ] && grep -qe -ffile-prefix-map Makefile && fail "installed files name the folder of the build"

make -s uninstall DESTDIR="$root" prefix=/usr libdir=/usr/lib/some-arch zshcompletiondir=/usr/share/zsh/vendor-completions \
	bashcompletiondir=/usr/share/bash-completion/completions fishcompletiondir=/usr/share/fish/vendor_completions.d >"$tmp/out" 2>&1 || fail "make uninstall"
rm -f "$root/usr/lib/some-arch"/libgsim-*.so
find "$root" \( -type f -o -type l \) >"$tmp/out"
[ ! -s "$tmp/out" ] || fail "make uninstall leaves files"
exit $failed
