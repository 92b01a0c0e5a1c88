#!/bin/sh
# The tables in doc/gsim.md are what the program prints. With --update: writes them.
set -e
srcdir=${srcdir:-$(dirname "$0")/../..}
gsim=${GSIM:-./gsim}
compare=${GSIM_COMPARE:-./gsim-compare}
manual=$srcdir/doc/gsim.md
tmp=${TMPDIR:-/tmp}/gsim-manual.$$
mkdir "$tmp"
trap 'rm -rf "$tmp"' EXIT

"$gsim" --list options > "$tmp/options"
"$gsim" --list statistics > "$tmp/statistics"
"$compare" --help > "$tmp/gsim-compare"
"$gsim" --list models | awk '/^[a-z]/ { if (name) exit 1; name = $1 } /^    source: ./ { name = "" } END { exit name != "" }' ||
	{ echo "a mechanism of --list models does not name its source"; exit 1; }
# a mechanism's number of cycles, entries, ... names where it comes from
"$gsim" --list models | grep '^ .*([-0-9]* to [0-9]* ' | grep -v '([^)]*\(assumption\|the paper\|LLVM\|CUDA\|20[0-9][0-9]\)' > "$tmp/unsourced" || true
if [ -s "$tmp/unsourced" ]; then
	echo "parameters of --list models that name neither a source nor an assumption:"
	cat "$tmp/unsourced"
	exit 1
fi
"$gsim" --list models | sed -n 's/^\([a-z_]*\) .*/^\1\\./p' > "$tmp/prefixes" # mechanisms' own parameters are not in the manual
"$gsim" --list parameters | grep -v -f "$tmp/prefixes" |
	sed 's/^\(divergence\.model  *\)[^:]*:/\1one of gsim --list models:/' > "$tmp/parameters" # nor are their names

# the glossary says what each reason for a stall means
for reason in $("$gsim" --list statistics | sed -n 's/^issue\.stalls\.\([a-z_]*\) .*/\1/p'); do
	grep -q "^| \`$reason\` |" "${manual%gsim.md}glossary.md" || { echo "doc/glossary.md has no reason $reason"; exit 1; }
done

# figures of rows are in the report
"$gsim" -q -s "$tmp/report.json" "$srcdir/tests/tools/front/loop.ir" >/dev/null
for path in $(grep -o '^[a-z]*\[\]\.[a-z_]*' "$tmp/statistics"); do
	list=${path%%\[*} key=${path##*.}
	[ "$list" = partings ] && continue # there are none in this run
	sed -n "/\"$list\": \[$/ { n; p; q; }" "$tmp/report.json" | grep -q "\"$key\": " || { echo "--list statistics has $path, rows of a report have no such figure"; exit 1; }
done

awk -v dir="$tmp" '
	/^<!-- table: / { table = $3; print; next }
	table != "" && /^```$/ {
		print
		while ((getline line < (dir "/" table)) > 0) print line
		close(dir "/" table)
		while ((getline line) > 0 && line != "```") ;
		print "```"
		table = ""
		next
	}
	{ print }
' "$manual" > "$tmp/manual"

if [ "$1" = --update ]; then
	cp "$tmp/manual" "$manual"
elif ! diff -u "$manual" "$tmp/manual"; then
	echo "doc/gsim.md differs from the program; tests/tools/check_manual.sh --update in the build directory writes it"
	exit 1
fi
