#!/bin/sh
# gsim --race-check and --race-launches: what reports say, and the exit status.
set -e
srcdir=${srcdir:-$(dirname "$0")/../../..}
gsim=${GSIM:-./gsim}
export GSIM_PATH=$srcdir/configs
tmp=${TMPDIR:-/tmp}/gsim-races.$$
mkdir "$tmp"
trap 'rm -rf "$tmp"' EXIT

fail() { echo "$1"; exit 1; }
status() { # EXPECTED OPTION...
	expected=$1
	shift
	got=0
	"$gsim" "$@" > "$tmp/out" 2> "$tmp/err" || got=$?
	[ $got = "$expected" ] || { cat "$tmp/err"; fail "gsim $*: status $got, expected $expected"; }
}
races() { grep '"first".*"same_value"' "$1" || true; } # of launches and the total

# neighbours in a word, one block each; a count of all blocks, atomic and then read by all of them
cat > "$tmp/k.ir" <<'END'
global u8 flag[8]
global u32 count[1]
global u32 last[1]
kernel work()
{
	%b = mov.u32 %ctaid.x
	%f = mov.u64 flag
	%w = cvt.u64.u32 %b
	%f = add.u64 %f, %w
	%v = cvt.u16.u32 %b
	st.global.u8 [%f], %v
	%c = mov.u64 count
	red.global.add.u32 [%c], 1
	bra TELL
TELL:
	%l = mov.u64 last
	st.volatile.u32 [%l], 5
	%n = ld.global.u32 [%c]
	exit
}
kernel next()
{
	%b = mov.u32 %ctaid.x
	%f = mov.u64 flag
	%w = cvt.u64.u32 %b
	%f = add.u64 %f, %w
	%x = ld.global.u8 [%f]
	exit
}
host main()
{
	launch work, 8, 1, 0, ()
	launch next, 8, 1, 0, ()
	launch next, 4, 1, 0, ()
	exit
}
END
for way in "" --functional --reference "-m its -j 2" "-m tf_stack --window 1" "-D launch.warm=true"; do
	status 1 --race-check --race-launches $way -s "$tmp/report.json" "$tmp/k.ir"
	grep -q 'error: --race-check: blocks race in 1 of 3 launches' "$tmp/err" || fail "$way: no error"
	races "$tmp/report.json" > "$tmp/races"
	[ -s "$tmp/expected" ] || cp "$tmp/races" "$tmp/expected"
	diff -u "$tmp/expected" "$tmp/races" || fail "$way: other races"
	[ "$(grep '"dependent"' "$tmp/report.json" | tr -d ' ,\n')" = '"dependent":false"dependent":false' ] || fail "$way: launches depend"
done
grep -q 'races between blocks: 2 pairs of accesses, in 1 of 3 launches' "$tmp/out" || fail "no section"
grep -A 2 'k.ir:13 ' "$tmp/out" > "$tmp/pair"
grep -q 'work bb0 *updates block 0' "$tmp/pair" && grep -q 'k.ir:18 *work TELL *reads *block 1' "$tmp/pair" && grep -q ' 4 bytes; first at count + 0' "$tmp/pair" ||
	{ cat "$tmp/out"; fail "the pair is not told"; }
grep -A 2 'k.ir:17 ' "$tmp/out" | grep -q '4 bytes, the same value written; first at last + 0' || { cat "$tmp/out"; fail "the same value is not told"; }
status 0 --race-launches "$tmp/k.ir"
grep -q 'next behind 1 work: no dependence between blocks' "$tmp/out" || fail "no verdict"
status 0 "$tmp/k.ir"
if grep -q 'races between' "$tmp/out"; then fail "races without --race-check"; fi
status 2 --race-check --list models

# each thread reads its neighbour's word and writes its own, four times; barriers of the grid stand in between
cat > "$tmp/rounds.ir" <<'END'
global u32 x[256]
kernel rounds()
{
	%b = mov.u32 %ctaid.x
	%t = mov.u32 %tid.x
	%i = mad.lo.u32 %b, 32, %t
	%j = add.u32 %i, 1
	%j = and.b32 %j, 127
	%p = mov.u64 x
	%own = mad.wide.u32 %i, 4, %p
	%other = mad.wide.u32 %j, 4, %p
	%n = mov.u32 0
	bra ROUND
ROUND:
	%v = ld.global.u32 [%other]
	barrier.grid // before
	%v = add.u32 %v, %i
	st.global.u32 [%own], %v
	barrier.grid // behind
	%n = add.u32 %n, 1
	%again = setp.lt.u32 %n, 4
	bra %again, ROUND, END
END:
	exit
}
host main()
{
	launch rounds, 4, 32, 0, ()
	launch rounds, 4, 32, 0, ()
	exit
}
END
for way in --reference --functional "" "-m its -j 2"; do
	status 0 --race-check --race-launches $way "$tmp/rounds.ir"
	grep -q 'rounds behind 1 rounds: dependent between blocks' "$tmp/out" || fail "$way: accesses before a barrier of the grid are forgotten"
	for barrier in before=64 behind=48; do # of four blocks each reads a word of the next one, in four rounds; the last barrier lies behind all reads
		sed "/barrier.grid .. ${barrier%=*}/d" "$tmp/rounds.ir" > "$tmp/one.ir"
		status 1 --race-check $way -s "$tmp/report.json" "$tmp/one.ir"
		races "$tmp/report.json" > "$tmp/races"
		[ "$(grep -c "\"bytes\": ${barrier#*=},.*\"offset\": 0}" "$tmp/races")" = 2 ] && [ "$(grep -c "\"bytes\": $((2 * ${barrier#*=}))," "$tmp/races")" = 1 ] || { cat "$tmp/races"; fail "$way: without the barrier $barrier"; }
	done
done

# with another grid, blocks of one number are different ones: next reads what work has written
sed 's/launch next, 8/launch next, 4/' "$tmp/k.ir" > "$tmp/grids.ir"
status 0 --race-launches --functional "$tmp/grids.ir"
grep -q 'next behind 1 work: dependent between blocks' "$tmp/out" || fail "grids that differ"

# Rodinia's search: blocks read and write the same flags and costs, and all say that there is more; blocks of
# one level depend on others of the level before
status 1 --race-check --race-launches --functional -s - "$srcdir/kernels/bfs/bfs.ptx"
grep -q '"dependent": true' "$tmp/out" || fail "levels of bfs do not depend on each other"
races "$tmp/out" | grep -q '"reads"' || fail "bfs: no read races"
for clean in matmul/matmul.ptx scan/scan.ptx; do
	[ -f "$srcdir/kernels/$clean" ] || fail "no $clean"
	status 0 --race-check --functional "$srcdir/kernels/$clean"
	status 0 --race-check --reference "$srcdir/kernels/$clean"
done

# as a host function that fusion refuses: the two launches of a level depend on each other, and fused all the
# same their accesses race
search=$srcdir/kernels/host_programs/bfs.ir
status 1 --source "$srcdir/kernels" --race-check --race-launches --functional -p kfcm -s "$tmp/report.json" "$search"
if grep -q '"kernel": "fused' "$tmp/report.json"; then fail "kfcm fuses the search"; fi
[ "$(grep -c '"dependent": true' "$tmp/report.json")" -gt 10 ] || fail "the kernels of the search do not depend on each other"
if races "$tmp/report.json" | grep -q reads; then fail "a kernel of the search by itself reads what other blocks write"; fi
status 1 --source "$srcdir/kernels" --race-check --functional -p 'kfcm(assume-no-grid-sync=1)' -s "$tmp/report.json" "$search"
races "$tmp/report.json" | grep '"label": "bfs_expand_.*"writes".*"label": "bfs_update_.*"reads"' > "$tmp/races" || true
[ -s "$tmp/races" ] || fail "what the first body writes and other blocks read in the second is not found"
