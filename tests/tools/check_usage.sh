#!/bin/sh
# What is made of the programs' tables of options: --help, manuals; and what the tables themselves have to keep.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build=$(pwd)
generate=$build/tools/usage/generate
tmp=${TMPDIR:-/tmp}/gsim-usage.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

fail() {
	echo "FAILED: $1"
	[ ! -s "$tmp/out" ] || head -n 20 "$tmp/out"
	failed=1
}
: >"$tmp/out"
"$generate" options >"$tmp/options" || fail "no list of options"
programs=$(cut -d' ' -f1 "$tmp/options" | sort -u)
[ "$(echo "$programs" | wc -l)" -ge 6 ] || fail "there are programs without a table"

# a short option means one thing in all programs: it is short for one name. -j says how many at a time: threads of one run, points of a sweep
awk '$2 != "-" { if ($2 == "j" && $3 == "processes") $3 = "threads"; if (($2 in name) && name[$2] != $3) print "-" $2 ": --" name[$2] " and --" $3; name[$2] = $3 }
	END { exit length(name) < 10 }' "$tmp/options" >"$tmp/out" || fail "the letters are not read right here"
[ ! -s "$tmp/out" ] || fail "a short option has two meanings"

for program in $programs; do
	"$generate" help "$program" x x x >"$tmp/help"
	"$build/$program" --help | diff - "$tmp/help" >"$tmp/out" || fail "$program --help is not what its table says"
	[ "$(awk 'length > 100' "$tmp/help")" = '' ] || fail "$program --help has lines of more than 100 columns"
	page=$build/man/$program.1
	[ -s "$page" ] || fail "there is no $page"
	for section in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
		grep -q -x "\.SH $section" "$page" || fail "$page has no section $section"
	done
	# each option is known to the program, and has a paragraph of the manual that begins with it
	awk -v program="$program" '$1 == program { print $3 }' "$tmp/options" >"$tmp/names"
	sed -n '/^\.TP/{n;s/\\-/-/g;s/\\f.//g;s/^-., //;s/^--\([a-z-]*\).*/\1/p;}' "$page" | diff "$tmp/names" - >"$tmp/out" ||
		fail "$page has other options than the table"
	while read -r name; do
		"$build/$program" "--$name" --no-such-option </dev/null >"$tmp/out" 2>&1
		grep -q "unknown option --$name" "$tmp/out" && fail "$program does not know its option --$name"
	done <"$tmp/names"
done

# manuals: what tools that show them say of them
if command -v mandoc >/dev/null; then
	for page in "$build"/man/*.1; do
		mandoc -T lint "$page" >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ] || fail "mandoc -T lint $page"
	done
else
	echo "mandoc is not there: manuals are not looked at by it"
fi
if command -v groff >/dev/null; then
	for page in "$build"/man/*.1; do
		groff -man -ww -Tutf8 "$page" 2>"$tmp/out" >"$tmp/shown"
		[ ! -s "$tmp/out" ] || fail "groff -man -ww $page"
		[ "$(wc -l <"$tmp/shown")" -gt 40 ] || fail "$page is empty"
	done
else
	echo "groff is not there: manuals are not looked at by it"
fi
exit $failed
