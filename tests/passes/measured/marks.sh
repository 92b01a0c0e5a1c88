#!/bin/sh
# What `gsim-opt --print uniformity --profile` says of branches that the analysis and a run judge alike, and otherwise: every mark, on branches made for it, and
# reports that are not of one plain run.
srcdir=${srcdir:-$(dirname "$0")/../../..}
GSIM_BUILD=${GSIM_BUILD:-$PWD}
GSIM_PATH=$srcdir/configs
export GSIM_PATH
gsim=$GSIM_BUILD/gsim opt=$GSIM_BUILD/gsim-opt
module=$srcdir/tests/passes/measured/branches.ir
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
# run NAME ARGUMENTS...: a run of gsim; show NAME ARGUMENTS...: what gsim-opt says, in $tmp/out and $tmp/err
run() {
	report=$tmp/$1.json
	shift
	"$gsim" -q -s "$report" "$@" >"$tmp/gsim.out" 2>&1 || { cat "$tmp/gsim.out"; fail "gsim $*: fails"; }
}
show() {
	report=$tmp/$1.json
	shift
	"$opt" --print uniformity --profile "$report" "$@" >"$tmp/out" 2>"$tmp/err"
}
says() { # BASIC REGULAR EXPRESSION: a whole line of it, blanks as one
	sed 's/  */ /g' "$tmp/out" | grep -q -x -e "$1" || { fail "no line \`$1\` in:"; grep '^  [A-Z]\|functions' "$tmp/out"; }
}
tells() { grep -q -e "$1" "$tmp/err" || { fail "no \`$1\` on standard error:"; cat "$tmp/err"; }; }

run plain "$module"
show plain "$module" || fail "a report of a plain run is refused"
[ -s "$tmp/err" ] && { fail "a report of the same module is complained about"; cat "$tmp/err"; }
says ' GIVEN branches.ir:[0-9]* divergent 1 0 7.0 100.0 % divergent by analysis, never was (executed once); by the caller.s %v'
says ' SAME branches.ir:[0-9]* uniform 1 0 32.0 0.0 % agree'
says ' PARTS branches.ir:[0-9]* divergent 1 1 32.0 15.6 % agree; by %tid.x'
says ' CLAIM branches.ir:[0-9]* uniform 1 1 32.0 21.9 % uniform by .uni, DIVERGED: the source is wrong'
says ' NEVER branches.ir:[0-9]* divergent 1 0 32.0 100.0 % divergent by analysis, never was (executed once); by %tid.x'
says ' UNSEEN branches.ir:[0-9]* divergent 0 0 - - not executed; by %tid.x'
says ' JOINED branches.ir:[0-9]* divergent 1 1 32.0 15.6 % agree; by .*ways from PARTS.*'
says ' TURN branches.ir:[0-9]* divergent 31 30 16.0 93.6 % agree; by %tid.x'
says ' BEHIND branches.ir:[0-9]* divergent 1 1 32.0 46.9 % agree; by turns of the cycle left at TURN'
says ' SINGLE branches.ir:[0-9]* divergent 1 0 1.0 0.0 % divergent by analysis, but met single lanes only; by ld.global:[0-9]*'
says ' LOAD branches.ir:[0-9]* divergent 1 0 32.0 0.0 % divergent by analysis, never was (executed once); by ld.global:[0-9]* from one address'
says ' HEAD branches.ir:[0-9]* divergent - - - - not in the report; by %tid.x'
says ' a host function: one thread, in no warp'
says 'all functions: 13 branches, executed 41 times: 1 UNIFORM BY .uni DIVERGED (1 time, 2.4 %), 3 divergent by analysis never were (3 times, 7.3 %), .*, 1 is not in the report'
show plain --filter second "$module"
says ' 1 branch, executed 1 time: 1 divergent by analysis never was (1 time, 100.0 %)'
grep -q 'all functions' "$tmp/out" && fail "a single function is summed up"

# The same code by a pipeline on both sides; other code on one side.
run passes -p if-convert,linearize "$module"
show passes -p if-convert,linearize "$module" || fail "a report of a run with passes is refused"
says ' PARTS (decision) branches.ir:[0-9]* - 1 1 32.0 15.6 % a pass took the branch away'
says ' CLAIM branches.ir:[0-9]* uniform 1 1 32.0 21.9 % uniform by .uni, DIVERGED: the source is wrong'
show passes "$module"
says ' PARTS (decision) branches.ir:[0-9]* divergent 1 1 32.0 15.6 % agree; by %tid.x'
says ' CLAIM branches.ir:[0-9]* uniform 1 1 32.0 21.9 % uniform by analysis, diverged in other code'
show plain -p if-convert,linearize "$module"
says ' PARTS branches.ir:[0-9]* - 1 1 32.0 15.6 % no branch of this module'
sed 's|// not executed|// never|' "$module" >"$tmp/other.ir"
show plain "$tmp/other.ir"
tells 'plain.json: warning: the module of this report had the hash'
says ' CLAIM other.ir:[0-9]* uniform 1 1 32.0 21.9 % uniform by analysis, diverged in other code'
run unrolled -p 'unroll(factor=2)' "$module"
show unrolled -p 'unroll(factor=2)' "$module"
says ' TURN (2 copies) branches.ir:[0-9]* divergent 31 30 16.0 93.6 % agree; by %tid.x'

# Reports of two runs and of several, of the reference interpreter, of machines whose lanes meet or part
# otherwise.
run both -b -p linearize "$module"
show both "$module" || fail "a report of -b is refused"
says ' TURN branches.ir:[0-9]* divergent 31 30 16.0 93.6 % agree; by %tid.x'
run grid --grid -m ipdom -m its "$module"
show grid "$module" && fail "a report of a grid is taken"
tells 'grid.json:1:1: error: this is a report of several runs (gsim --grid); expected one of a single run'
run reference --reference "$module"
show reference "$module" || fail "a report of the reference interpreter is refused"
says ' the report counts no branches; that of a run on a machine does, timed or --functional'
says ' TURN: divergent; by %tid.x'
run mimd -m mimd "$module"
show mimd "$module"
tells 'warning: this report is of a run under mimd'
says ' PARTS branches.ir:[0-9]* divergent 32 0 1.0 15.6 % divergent by analysis, but met single lanes only; by %tid.x'
run dwf -m dwf "$module"
show dwf "$module"
says ' verdicts for lanes that meet wherever they are at one instruction, as under dwf'

# On a machine whose warp is two of the kernel's a vote parts the two.
cat >"$tmp/vote.ir" <<'END'
kernel k()
{
	reg u32 %t
	reg pred %p
A:	%t = mov.u32 %tid.x
	%p = setp.lt.u32 %t, 3
	%p = vote.sync.any.pred %p, 0xffffffff
	bra %p, B, C
B:	bra C
C:	exit
}
host main() { launch k, 1, 64, 0, ()
ret }
END
run vote "$tmp/vote.ir"
show vote "$tmp/vote.ir"
says ' A vote.ir:8 uniform 2 0 32.0 50.0 % agree'
run wide -D warp_size=64 "$tmp/vote.ir"
show wide "$tmp/vote.ir"
says ' verdicts for warps of 64 lanes, of which warp-level operations see 32 at a time'
says ' A vote.ir:8 divergent 1 1 64.0 50.0 % agree; by vote:7'

# A verdict that a report contradicts is said to be one, by a report made for it.
sed 's/\("label": "SAME".*"divergent": \)0/\11/' "$tmp/plain.json" >"$tmp/wrong.json"
show wrong "$module"
says ' SAME branches.ir:[0-9]* uniform 1 1 32.0 0.0 % uniform by analysis, DIVERGED: a fault of the analysis'
exit $bad
