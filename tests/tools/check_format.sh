#!/bin/sh
# The code has the look that tools/format-check asks for, and each fault is found.
srcdir=${srcdir:-$(dirname "$0")/../..}
tmp=${TMPDIR:-/tmp}/gsim-format.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
"$srcdir/tools/format-check" || exit 1

# fault MESSAGE LINE: a file with the line (printf's) has that fault and no other
fault() {
	printf "/* words */\n$2" >"$tmp/a.c"
	"$srcdir/tools/format-check" "$tmp/a.c" >"$tmp/out" && { echo "not found: $2"; exit 1; }
	[ "$(wc -l <"$tmp/out")" = 1 ] && grep -q "$1" "$tmp/out" || { echo "$2: $1 expected"; cat "$tmp/out"; exit 1; }
}
long=$(printf '%0111d' 0)
fault ':2: the line has 111 columns, at most 110 ' "$long\n"
fault ':2: the line has 111 columns' "\t\t\t$(printf %087d 0)\n"
fault ':2: blanks end the line' 'int x; \n'
fault ':2: blanks begin the line' '    int x;\n'
fault ': no newline ends the file' 'int x;'
printf '/* words\n   go on, "and on\n   " */\nint x; /* a table:\n          of words */\n%s\n' "$(printf '\t\t\t%086d' 0)" >"$tmp/a.c"
"$srcdir/tools/format-check" "$tmp/a.c" || exit 1
