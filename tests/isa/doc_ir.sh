#!/bin/sh
# doc/ir.md: its generated parts are what the tables say, and its examples are modules. To renew the page:
#   tools/opdoc doc/ir.md >ir.md.new && mv ir.md.new doc/ir.md
set -e
page=${srcdir:-.}/doc/ir.md
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tools/opdoc "$page" >"$dir/ir.md"
diff -u "$page" "$dir/ir.md"
awk -v dir="$dir" '/^```/ { if (!f && $0 == "```ir") f = dir "/example-" ++n ".ir"; else f = ""; next } f { print > f }' "$page"
test -f "$dir/example-3.ir"
for example in "$dir"/example-*.ir; do
	./gsim-opt "$example" >"$dir/printed.ir"
	./gsim-opt "$dir/printed.ir" >"$dir/again.ir"
	diff -u "$dir/printed.ir" "$dir/again.ir"
done
