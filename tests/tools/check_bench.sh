#!/bin/sh
# tools/bench: each part has its rows and its figures are in reason; one that does everything twice takes twice as long; what is asked wrongly ends with 2,
# a gsim that fails with 1.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
GSIM_BUILD=$(cd "$(dirname "${GSIM:-./gsim}")" && pwd)
export GSIM_BUILD
tmp=${TMPDIR:-/tmp}/gsim-bench.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
bench=$srcdir/tools/bench

fail() {
	echo "FAILED: $1"
	[ ! -f "$tmp/out" ] || cat "$tmp/out"
	failed=1
}
# runs OPTION...: tools/bench --quick
runs() { "$bench" --quick "$@" >"$tmp/out" 2>&1 || fail "$*: status $?"; }
# refuses STATUS TEXT OPTION...
refuses() {
	status=$1 text=$2
	shift 2
	"$bench" --quick "$@" >"$tmp/out" 2>&1
	[ $? = "$status" ] && grep -q -e "$text" "$tmp/out" || fail "$*: status $status and '$text' expected"
}

runs -o speed arithmetic saxpy
[ "$(grep -c '^arithmetic .* [0-9.]* [Mk] .*[0-9]$\|^saxpy .* [0-9.]* [Mk] .*[0-9]$\|^mean ' "$tmp/out")" = 3 ] || fail "rows of speed"
# arithmetic's warps, 8192 / 32, execute the loop 200 times
awk '$1 == "arithmetic" { for (i = 2; i <= NF; i++) if ($i ~ /^[0-9]+$/) { exit !($i > 256 * 200 * 6) } }' "$tmp/out" || fail "arithmetic's instructions"
runs -o mechanisms,traces collatz
"$GSIM_BUILD/gsim" --list models | sed -n 's/^\([a-z][a-z_]*\) .*/\1/p' >"$tmp/models"
awk '/^time of each/ { on = 1; getline; next } !NF { on = 0 } on { print $1 }' "$tmp/out" | diff "$tmp/models" - || fail "mechanisms"
grep -q '^ipdom  *1.00  *1.00$' "$tmp/out" || fail "ipdom is not its own measure"
[ "$(grep -c '^collatz  *[0-9.]*$' "$tmp/out")" = 1 ] || fail "a trace's ratio"
runs -o sms,threads collatz
[ "$(grep -c '^ipdom *[0-9]* SMs  \|^its *[0-9]* SMs  \|^collatz  ' "$tmp/out")" = 7 ] || fail "rows of SMs and threads"
printf '#!/bin/sh\n"%s/gsim" "$@" && exec "%s/gsim" "$@"\n' "$GSIM_BUILD" "$GSIM_BUILD" >"$tmp/twice"
chmod +x "$tmp/twice"
runs -r 2 --against "$tmp/twice" --configs "$srcdir/configs" arithmetic
awk '$1 == "mean" { n = NF; ok = $2 > 1.25 && $2 < 3.2 } END { exit !(ok && n == 4) }' "$tmp/out" || fail "a gsim that does everything twice"

refuses 2 usage: -o nothing
refuses 2 usage: -r 0
refuses 2 usage: --configs "$srcdir/configs"
refuses 2 'there is no kernel nothing' -o speed nothing
refuses 2 'no program' --against "$tmp/none"
refuses 2 'no folder' --against "$GSIM_BUILD/gsim" --configs "$tmp/none"
refuses 2 'none.lua' -m none.lua -o speed spmv
printf '#!/bin/sh\necho broken\nexit 3\n' >"$tmp/broken"
chmod +x "$tmp/broken"
refuses 1 broken --against "$tmp/broken" spmv
[ -z "$(ls "$tmp" | grep -v '^out$\|^models$\|^broken$\|^twice$')" ] || fail "what is left: $(ls "$tmp")"
exit $failed
