#!/bin/sh
# Every number of passes/constants.h is used by a pass, tools/sweep-constants knows the passes that go by it, and doc/measured-constants.md
# has its value, and no other's.
top=${srcdir:-.}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
sed -n 's/^#define \([A-Z_]*\) \(.*\)/\1 \2/p' "$top/passes/constants.h" >"$tmp/numbers"
[ -s "$tmp/numbers" ] || { echo "no numbers in passes/constants.h"; exit 1; }
bad=0
while read -r name value; do
	grep -rlw "$name" "$top/passes" --include='*.[ch]' | grep -qv '/constants\.h$' || { echo "$name: nothing uses it"; bad=1; }
	"$top/tools/sweep-constants" -l "$name" >/dev/null || { echo "$name: tools/sweep-constants does not know its passes"; bad=1; }
done <"$tmp/numbers"
sed -n 's/^| `\([A-Z_]*\)` | `\([^`]*\)` |.*/\1 \2/p' "$top/doc/measured-constants.md" >"$tmp/rows"
sort "$tmp/numbers" >"$tmp/a"
sort -u "$tmp/rows" >"$tmp/b"
diff "$tmp/a" "$tmp/b" || { echo "passes/constants.h (<) and doc/measured-constants.md (>) differ"; bad=1; }
! "$top/tools/sweep-constants" -l NO_NUMBER >/dev/null 2>&1 || { echo "tools/sweep-constants takes a name that is none"; bad=1; }
exit $bad
