#!/bin/sh
# What README.md shows below a `$ gsim ...` or `$ tools/reproduce ...` is what it prints; `...` stands for lines left out.
# --update writes new figures.
srcdir=${srcdir:-$(dirname "$0")/..}
GSIM_BUILD=${GSIM_BUILD:-$PWD}
GSIM_BUILD=$(cd "$GSIM_BUILD" && pwd)
PATH=$GSIM_BUILD:$PATH
tmp=${TMPDIR:-/tmp}/gsim-readme.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$srcdir" || exit 1
GSIM_PATH=$PWD/configs
export PATH GSIM_PATH GSIM_BUILD

n=0
grep '^\$ \(gsim\|tools/reproduce\) ' README.md | sed 's/^\$ //' >"$tmp/commands"
while read -r command; do
	n=$((n + 1))
	case $command in tools/*) command="$command -o $tmp/files" ;; esac
	sh -c "$command" >"$tmp/$n" 2>&1 </dev/null || { echo "README: $command: status $?"; exit 1; }
done <"$tmp/commands"
[ "$n" -ge 2 ] || { echo "README shows $n commands"; exit 1; }

# Each line shown becomes the next line of the output that has the same words, figures aside; one that has none is marked.
awk -v dir="$tmp" '
	function words(s) { gsub(/[0-9][0-9,.]*/, "0", s); gsub(/[ \t]+/, " ", s); return s }
	/^\$ (gsim|tools\/reproduce) / { file = dir "/" ++n; print; next }
	/^```/ { file = "" }
	file == "" || $0 == "..." { print; next }
	{
		want = words($0); found = 0
		while ((getline line < file) > 0)
			if (words(line) == want) { found = 1; break }
		print found ? line : "?? " $0
	}
' README.md >"$tmp/README.md"
if [ "$1" = --update ]; then
	cp "$tmp/README.md" README.md
elif ! diff -u README.md "$tmp/README.md"; then
	echo "README.md shows other figures than gsim; tests/check_readme.sh --update in the build directory writes them"
	exit 1
fi
