#!/bin/sh
# Every program and every script of tools/ says with --help how it is used, on standard output, with status 0; an unknown option is a usage
# error: a line with how it is used or where that is said, on standard error, and status 2. None of them does anything else then.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
GSIM_BUILD=$(pwd)
export GSIM_BUILD
tmp=${TMPDIR:-/tmp}/gsim-help.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0 count=0

fail() {
	echo "FAILED: $1"
	cat "$tmp/out" "$tmp/err"
	failed=1
}

# helps COMMAND...: as above, in an empty folder
helps() {
	count=$((count + 1))
	mkdir "$tmp/here"
	(cd "$tmp/here" && "$@" --help >"$tmp/out" 2>"$tmp/err" </dev/null) || fail "$* --help: status $?"
	grep -q "^usage: \|^${1##*/} " "$tmp/out" || fail "$* --help does not say how it is used"
	[ ! -s "$tmp/err" ] || fail "$* --help writes to standard error"
	(cd "$tmp/here" && "$@" --no-such-option >"$tmp/out" 2>"$tmp/err" </dev/null)
	status=$?
	[ $status = 2 ] || fail "$* --no-such-option: status $status"
	grep -q "^usage: \|see .* --help" "$tmp/err" || fail "$* --no-such-option does not say how it is used"
	[ ! -s "$tmp/out" ] || fail "$* --no-such-option writes to standard output"
	rmdir "$tmp/here" || { fail "$* leaves something"; rm -r "$tmp/here"; }
}

for tool in "$srcdir"/tools/*; do
	[ -f "$tool" ] && head -n 1 "$tool" | grep -q '^#!' && helps "$tool"
done
for program in gsim gsim-compare gsim-opt gsim-reduce gsim-sweep gsim-trace gsim-tune; do
	helps "$GSIM_BUILD/$program"
	"$GSIM_BUILD/$program" --help >"$tmp/long" 2>"$tmp/err"
	"$GSIM_BUILD/$program" -h >"$tmp/out" 2>"$tmp/err" && cmp -s "$tmp/long" "$tmp/out" || fail "$program -h is not --help"
done
[ "$count" -ge 26 ] || fail "only $count programs and scripts were tried"
exit $failed
