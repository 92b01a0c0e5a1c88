#!/bin/sh
# tools/release: what it refuses, and a release of a small tree, made twice, in other folders, at another time and with other modes: the same bytes.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
command -v git >/dev/null || { echo "skipped: git is not installed"; exit 77; }
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gsim-check-release.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
unset GIT_DIR GIT_WORK_TREE
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_DATE='2026-01-02T03:04:05Z' GIT_COMMITTER_DATE='2026-01-02T03:04:05Z'
failed=0

fail() {
	echo "FAILED: $1"
	sed 's/^/    /' "$tmp/out" | head -20
	failed=1
}
# refuses TEXT
refuses() {
	"$tree/tools/release" --no-page -b "$tmp/build" -o "$tmp/none" >"$tmp/out" 2>&1 && fail "it does not refuse: $1"
	grep -q "error: .*$1" "$tmp/out" || fail "no '$1'"
	[ ! -d "$tmp/none" ] || fail "it has begun a release: $1"
}
commit() { git -C "$tree" add -A && git -C "$tree" -c user.name=x -c user.email=x@example.org commit -qm x; }

# a tree that has what a release takes, with a configure that makes no more than a distribution of it
tree=$tmp/tree
mkdir -p "$tree/tools" "$tree/debian" "$tree/labs/01-one/solutions" "$tree/kernels" "$tree/configs" "$tree/doc" "$tree/web" "$tmp/build"
cp "$srcdir/tools/release" "$srcdir/tools/head" "$tree/tools" && chmod u+w "$tree"/tools/*
echo '#define GSIM_VERSION "1.2.3"' >"$tree/gsim.h"
printf '# Changes\n\n## Unreleased (1.2.3)\n- new\n\n## 1.2.2 (2025-01-01)\n- old\n' >"$tree/CHANGELOG.md"
echo 'gsim (1.2.2-0gsim1) unstable; urgency=medium' >"$tree/debian/changelog"
for file in README.md CONTRIBUTING.md LICENSE web/README.md tools/programs tools/json.lua labs/README.md labs/01-one/README.md labs/01-one/lecturer.md labs/01-one/solutions/s.c kernels/k.ir configs/c.lua doc/d.md; do
	echo "$file" >"$tree/$file"
done
printf '#!/bin/sh\ncat >configure <<X\n#!/bin/sh\nprintf "distdir:\\\\n\\\\tcp -r %%s gsim-1.2.3\\\\n" "\\$(dirname "\\$0")" >Makefile\nX\nchmod +x configure\n' >"$tree/bootstrap"
printf '#!/bin/sh\necho "solutions of ${2##*/}"\n' >"$tree/labs/check"
printf '#!/bin/sh\n' >"$tmp/build/gsim"
chmod +x "$tree/bootstrap" "$tree/labs/check" "$tmp/build/gsim"

refuses "no git checkout"
git -C "$tree" init -q && commit
refuses "CHANGELOG.md has no section for 1.2.3"
sed -i 's/^## Unreleased (1.2.3)/## 1.2.3 (2026-01-02)/' "$tree/CHANGELOG.md"
refuses "changes that are not committed"
commit
refuses "debian/changelog has no entry for 1.2.3"
sed -i 's/1\.2\.2/1.2.3/' "$tree/debian/changelog" && commit
touch "$tree/new"
refuses "changes that are not committed"
rm "$tree/new"
sed -i '/^- new/d' "$tree/CHANGELOG.md" && commit
refuses "CHANGELOG.md has no section for 1.2.3"
sed -i 's/^## 1.2.3.*/&\n- new/' "$tree/CHANGELOG.md" && commit
"$tree/tools/release" -b "$tmp/build" -o "$tmp/none" >"$tmp/out" 2>&1 && fail "a release without gsim.html"
grep -q 'there is no gsim.html' "$tmp/out" || fail "no word of gsim.html"
rm -rf "$tmp/none"
echo page >"$tmp/build/gsim.html"

release() { (cd "$tmp" && "$1/tools/release" -b build -o "$2") >"$tmp/out" 2>&1 || fail "a release of $1"; }
release "$tree" "$tmp/first"
(umask 077 && mkdir -p "$tmp/some where" && git clone -q "$tree" "$tmp/some where/else") && sleep 1
release "$tmp/some where/else" second
diff -r "$tmp/first" "$tmp/second" >"$tmp/out" 2>&1 || fail "two releases of one commit differ"
[ "$(ls "$tmp/first" | tr '\n' ' ')" = "RELEASE-NOTES.md SHA256SUMS gsim-1.2.3-labs.tar.xz gsim-1.2.3-lecturer.tar.xz gsim-1.2.3.tar.xz gsim.html " ] || fail "other files: $(ls "$tmp/first")"
(cd "$tmp/first" && sha256sum -c --status SHA256SUMS && [ "$(wc -l <SHA256SUMS)" = 5 ]) || fail "SHA256SUMS"
[ "$(cat "$tmp/first/RELEASE-NOTES.md")" = "- new" ] || fail "the release notes are not the version's section"
tar -tf "$tmp/first/gsim-1.2.3-labs.tar.xz" >"$tmp/out"
grep -q 'lecturer\|solved\|solutions' "$tmp/out" && fail "students get the solutions"
grep -q '/labs/01-one/README.md' "$tmp/out" && grep -q '/gsim.html' "$tmp/out" || fail "students get no labs"
tar -xOf "$tmp/first/gsim-1.2.3-lecturer.tar.xz" gsim-1.2.3-lecturer/labs/01-one/answers-solved.txt 2>&1 | grep -qx 'solutions of 01-one' || fail "lecturers get no solutions"
tar -tvf "$tmp/first/gsim-1.2.3.tar.xz" | grep -v ' 0/0 .* 2026-01-02 03:04 gsim-1.2.3/' >"$tmp/out" && fail "the tarball's owners or times"
grep -q configure "$tmp/out" || tar -tf "$tmp/first/gsim-1.2.3.tar.xz" | grep -q '/configure$' || fail "the tarball has no configure"
exit $failed
