#!/bin/sh
# The tables in doc/ are what the programs print. With --update: writes them.
set -e
srcdir=${srcdir:-$(dirname "$0")/../..}
gsim=${GSIM:-./gsim}
programs="gsim-compare gsim-opt gsim-reduce gsim-sweep gsim-trace gsim-tune"
manual=$srcdir/doc/gsim.md
tmp=${TMPDIR:-/tmp}/gsim-manual.$$
mkdir "$tmp"
trap 'rm -rf "$tmp"' EXIT

"$gsim" --list options > "$tmp/options"
"$gsim" --list statistics > "$tmp/statistics"
for program in $programs; do
	"${gsim%/*}/$program" --help > "$tmp/$program"
done
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

# rows of STALLS: rank and name. The documents repeat the order and the reasons.
sed -n '/^#define STALLS/,/^$/s/^\tS([A-Z]*, "\([a-z_]*\)", \([0-9]*\),.*/\2 \1/p' "$srcdir/sim/record/totals.h" > "$tmp/stalls"
"$gsim" --list statistics | sed -n 's/^issue\.stalls\.\([a-z_]*\) .*/\1/p' > "$tmp/reasons"
cut -d' ' -f2 "$tmp/stalls" | diff "$tmp/reasons" - || { echo "rows of STALLS are not read right here"; exit 1; }
sort -n "$tmp/stalls" | sed -n 's/^[0-9]* \(.*\)/`\1`/p' | grep -v no_warp | tr '\n' ' ' | sed 's/ $//; s/ /, /g' > "$tmp/order"
tr '\n' ' ' <"${manual%gsim.md}timing.md" | sed -n 's/.*counts, in this order: \([^.]*\)\..*/\1/p' | tr -d '\n' > "$tmp/told"
[ "$(cat "$tmp/order")" = "$(cat "$tmp/told")" ] || { echo "doc/timing.md says another order of stalls than their ranks: $(cat "$tmp/order")"; exit 1; }
for document in timing glossary; do # the tables have a row for each reason, in the order of STALLS
	awk '/^\| reason \|/ { on = 1; next } on && !/^\|/ { exit } on && /^\| `/ { print $2 }' "${manual%gsim.md}$document.md" | tr -d '\`' |
		diff "$tmp/reasons" - || { echo "the table of stalls in doc/$document.md is not that of STALLS"; exit 1; }
done

# figures of rows are in the report
"$gsim" -q -s "$tmp/report.json" "$srcdir/tests/tools/front/loop.ir" >/dev/null
for path in $(grep -o '^[a-z]*\[\]\.[a-z_]*' "$tmp/statistics"); do
	list=${path%%\[*} key=${path##*.}
	[ "$list" = partings ] && continue # there are none in this run
	sed -n "/\"$list\": \[$/ { n; p; q; }" "$tmp/report.json" | grep -q "\"$key\": " || { echo "--list statistics has $path, rows of a report have no such figure"; exit 1; }
done

stale=0
lua=$(command -v lua5.4 || command -v lua) || lua=
if [ -n "$lua" ]; then
	"$lua" "$srcdir/tests/tools/statistics_schema.lua" <"$tmp/statistics" >"$tmp/schema"
	if [ "$1" = --update ]; then
		cp "$tmp/schema" "$srcdir/doc/schemas/statistics.schema.json"
	elif ! diff -u "$srcdir/doc/schemas/statistics.schema.json" "$tmp/schema"; then
		echo "doc/schemas/statistics.schema.json differs from --list statistics; tests/tools/check_manual.sh --update writes it"
		stale=1
	fi
fi
for page in gsim passes reducing sweeps trace; do
	document=${manual%gsim.md}$page.md
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
	' "$document" > "$tmp/manual"
	grep -o '^<!-- table: [^ ]*' "$document" >> "$tmp/tables" || true
	if [ "$1" = --update ]; then
		cp "$tmp/manual" "$document"
	elif ! diff -u "$document" "$tmp/manual"; then
		echo "doc/$page.md differs from the programs; tests/tools/check_manual.sh --update in the build directory writes it"
		stale=1
	fi
done
for program in options $programs; do # every program has its table in one of them
	grep -q -x -e "<!-- table: $program" "$tmp/tables" || { echo "no page has the table of $program"; stale=1; }
done
exit $stale
