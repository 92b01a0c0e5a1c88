#!/bin/sh
# Plug-ins: the examples of the documents are compiled, loaded by the programs and give the results of the reference interpreter; what is no plug-in,
# or one for another gsim, or has a fault, is refused in one line with exit status 2. make installcheck runs this with what is installed:
# BIN, the folder of the programs, FLAGS, what pkg-config says of gsim-internal, and EXAMPLES, the folder of the examples, come from there.
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
bin=$(cd "${BIN:-.}" && pwd)
examples=${EXAMPLES:-$top/doc/examples}
flags=${FLAGS:-$(sed -n 's/^Cflags: //p' gsim-internal-uninstalled.pc)}
cc=${CC:-cc}
command -v ${cc%% *} >/dev/null || { echo "no compiler here"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
GSIM_PATH=${GSIM_PATH:-$top/configs}
export GSIM_PATH
gsim=$bin/gsim
failed=0

fail() {
	echo "FAILED: $1"
	[ -s "$tmp/out" ] && head -n 20 "$tmp/out"
	failed=1
}

# object NAME SOURCE FLAG...: a plug-in of the source
object() {
	object_name=$1 object_source=$2
	shift 2
	$cc -Wall -Wextra -Wno-unused-parameter -Werror -O1 "$@" $flags -shared -o "$tmp/$object_name.so" "$object_source" >"$tmp/out" 2>&1 ||
		{ fail "$object_source does not compile: $*"; exit 1; }
}

# refused FILE MESSAGE: gsim and gsim-opt say just that of the file
refused() {
	for program in "gsim --list passes" "gsim-opt --list"; do
		"$bin/${program%% *}" --load "$1" ${program#* } >"$tmp/out" 2>&1
		[ $? = 2 ] && [ "$(wc -l <"$tmp/out")" = 1 ] && grep -qF "$1: error: $2" "$tmp/out" || fail "$program, of $1: expected one line with: $2"
	done
}

# well NAME COMMAND...: the command ends well
well() {
	well_name=$1
	shift
	"$@" >"$tmp/out" 2>&1 || fail "$well_name"
}
says() { grep -q -- "$1" "$tmp/out" || fail "no '$1' in what is said"; }

object div_shift "$examples/div_shift.c"
object arm_by_arm "$examples/arm_by_arm.c"
pass=$tmp/div_shift.so mechanism=$tmp/arm_by_arm.so
if ! "$gsim" --load "$pass" --list passes >"$tmp/out" 2>&1 && grep -q 'cannot load plug-ins' "$tmp/out"; then
	echo "this gsim cannot load plug-ins"
	exit 77
fi

# ---- what is loaded can be named ----
well "--list passes" "$gsim" --load "$pass" --list passes
says '^div-shift '
well "--list models, of two plug-ins" "$gsim" --load "$pass" --load "$mechanism" --list models
says '^arm_by_arm '
says '^    arm_by_arm\.first *newest (newest|oldest)'
well "--list parameters" "$gsim" --load "$mechanism" --list parameters
says '^arm_by_arm\.first '
well "gsim-opt --list" "$bin/gsim-opt" --load "$pass" --list
says '^div-shift '
well "--load behind what names it" "$gsim" -q -m arm_by_arm -p div-shift "$examples/digits.ir" --load "$pass" --load "$mechanism"
well "--print-config" "$gsim" -m 'arm_by_arm(first=oldest)' --load "$mechanism" --print-config
says 'model = "arm_by_arm"'
says 'first = "oldest"'
cp "$tmp/out" "$tmp/mine.lua"
well "a machine file that names a plug-in's mechanism" "$gsim" --config "$tmp/mine.lua" --load "$mechanism" -q "$examples/digits.ir"
"$gsim" --config "$tmp/mine.lua" -q "$examples/digits.ir" >"$tmp/out" 2>&1 && fail "the same without the plug-in"
says "unknown value 'arm_by_arm'"
"$gsim" --load "$pass" -p div-shft -q "$examples/digits.ir" >"$tmp/out" 2>&1 && fail "a pass that is not there"
says 'the nearest is `div-shift`'

# ---- results are the reference interpreter's ----
well "gsim-opt -p div-shift" "$bin/gsim-opt" --load "$pass" -p div-shift --pass-stats "$examples/digits.ir"
says 'div-shift .*remainders made masks *2$'
[ "$(grep -c ' = \(div\|rem\)\.' "$tmp/out")" = 0 ] || fail "a division is left"
well "-b --verify-each" "$gsim" --load "$pass" --config kepler.lua -b -p div-shift --verify-each "$examples/digits.ir"
says 'fewer cycles, as many warp instructions, .*results equal$'
well "--grid" "$gsim" --load "$pass" --load "$mechanism" --config kepler.lua --grid --verify --laws -m ipdom -m arm_by_arm \
	-m 'arm_by_arm(first=oldest)' -p none -p div-shift "$examples/digits.ir"
says '^results: those of 6 of 6 runs are the reference interpreter'
for kernel in calculator/calculator.ir loop_exits/loop_exits.ptx recursion/recursion.ptx scan/scan.ptx short_circuit/short_circuit.ir; do
	[ -f "${KERNELS:-$top/kernels}/$kernel" ] || { fail "no kernel $kernel"; continue; }
	well "$kernel under arm_by_arm" "$gsim" --load "$pass" --load "$mechanism" --config kepler.lua --functional --alone --verify --laws -q \
		-m arm_by_arm -b -p div-shift,linearize "${KERNELS:-$top/kernels}/$kernel"
done
if [ -x ./differential ] && [ -z "$BIN" ]; then
	well "random kernels" ./differential --passes div-shift --passes tail-merge,div-shift -m arm_by_arm -m 'arm_by_arm(first=oldest)' --count 25 --keep "$tmp" \
		--load "$pass" --load "$mechanism"
fi
well "a trace" "$gsim" --load "$mechanism" --config teaching.lua -m arm_by_arm -t "$tmp/run.trace" --html "$tmp/run.html" -q "$examples/digits.ir"
well "gsim-trace, which needs no plug-in" "$bin/gsim-trace" --summary "$tmp/run.trace"
says 'arm_by_arm'
well "several threads of the host" "$gsim" --load "$mechanism" --config kepler.lua -m arm_by_arm -j 4 -s "$tmp/four.json" -q "$examples/digits.ir"
well "one thread of the host" "$gsim" --load "$mechanism" --config kepler.lua -m arm_by_arm -s "$tmp/one.json" -q "$examples/digits.ir"
grep -v '"seconds"\|per_second' "$tmp/one.json" >"$tmp/one" && grep -v '"seconds"\|per_second' "$tmp/four.json" | diff "$tmp/one" - >"$tmp/out" || fail "-j 4 gives another report"

# ---- reports ----
well "a report" "$gsim" --load "$pass" --load "$mechanism" -m ipdom -s "$tmp/with.json" "$examples/digits.ir"
says "^plug-ins: div-shift ($pass), arm-by"
grep -q '"plug_ins": \[$' "$tmp/with.json" && grep -q '"name": "div-shift", .*"passes": \["div-shift"\], "mechanisms": \[\]' "$tmp/with.json" &&
	grep -q '"mechanisms": \["arm_by_arm"\]' "$tmp/with.json" || fail "the report does not name the plug-ins"
well "a report of a run without plug-ins" "$gsim" -m ipdom -s "$tmp/without.json" "$examples/digits.ir"
grep -q '^plug-ins:\|"plug_ins"' "$tmp/out" "$tmp/without.json" && fail "a report without plug-ins speaks of them"
grep -v '"plug_ins"\|"name": "\(div-shift\|arm-by-arm\)"\|"arm_by_arm\.\|"hash"\|"values"\|seconds' "$tmp/with.json" >"$tmp/with"
grep -v '"hash"\|"values"\|seconds' "$tmp/without.json" >"$tmp/without"
diff "$tmp/with" "$tmp/without" | grep '^[<>]' | grep -v '^< *\],*$' >"$tmp/out" && fail "what is loaded and not named changes the report"
well "gsim-compare of a run with plug-ins and one without" "$bin/gsim-compare" "$tmp/with.json" "$tmp/without.json"
says '^nothing differs'
object arm_by_arm "$examples/arm_by_arm.c" -O2 -DANOTHER
object other "$examples/arm_by_arm.c" -O0
well "a run with another content of a plug-in" "$gsim" --load "$tmp/other.so" --config kepler.lua -m arm_by_arm -s "$tmp/other.json" -q "$examples/digits.ir"
well "gsim-compare of two contents of a plug-in" "$bin/gsim-compare" "$tmp/one.json" "$tmp/other.json"
says 'content of the plug-in arm-by-arm'

# ---- what is refused ----
here=$(cd "$tmp" && pwd)
refused "$tmp/none.so" 'No such file or directory'
refused "$tmp" 'it is a directory'
echo 'kernel k() { exit }' >"$tmp/text.so"
refused "$tmp/text.so" 'this is no plug-in of gsim'
echo 'int x;' >"$tmp/x.c"
$cc -shared -fPIC -o "$tmp/plain.so" "$tmp/x.c" && refused "$tmp/plain.so" 'this is no plug-in of gsim'
head -c 9000 "$mechanism" >"$tmp/cut.so"
refused "$tmp/cut.so" 'this plug-in cannot be loaded: the file is cut off'
printf 'x\n' | cat - "$mechanism" >"$tmp/garbage.so"
refused "$tmp/garbage.so" 'this plug-in cannot be loaded: invalid ELF header'
(cd "$tmp" && "$gsim" --load arm_by_arm.so --list models >"$tmp/out" 2>&1) || fail "a name without a slash is a file of the folder"
escape=$(printf 'a\033[1mb')
cp "$tmp/cut.so" "$tmp/$escape.so"
"$gsim" --load "$tmp/$escape.so" --list models >"$tmp/out" 2>&1
grep -q "$(printf '\033')" "$tmp/out" && fail "a name's control characters come to the terminal"

bad() { # FAULT MESSAGE [FLAG]
	object bad "$top/tests/tools/plugins/bad.c" -DFAULT="$1" $3
	refused "$tmp/bad.so" "$2"
}
bad PASS_TAKEN 'there is a pass dce already'
bad PASS_NAMELESS 'a pass has no name of letters, digits, - and _'
bad PASS_TWO_KINDS 'the pass tame has to have either .function or .module'
bad PASS_HELPLESS 'the pass tame has no help'
bad PASS_IDLE 'the pass tame does not say why it changes nothing, if it does not (.idle)'
bad OPTION_RANGE 'the pass tame: its option turns has a default out of its range'
bad OPTION_TWICE 'the pass tame: its option turns is there twice'
bad MODEL_TAKEN 'there is a mechanism ipdom already'
bad MODEL_OF_MACHINE "l1 is the name of the machine's own parameters"
bad MODEL_NAME_BAD 'a mechanism has no name of small letters, digits and _'
bad NO_HOOK 'the mechanism tame lacks the hook reach'
bad NO_SPECIAL 'the mechanism tame lacks the hook special'
bad PARAM_RANGE 'the mechanism tame: its parameter turns has a default out of its range'
bad PARAM_UNITLESS 'the mechanism tame: its parameter turns has no unit'
bad REGROUPS 'the mechanism tame regroups lanes, for which it needs sync_waits and lane_scoreboard'
bad NAMELESS 'this plug-in has no name of letters, digits, - and _'
bad NONE 'this plug-in has neither passes nor mechanisms' -DEMPTY
bad NONE 'this plug-in does not say what it has: GSIM_PLUGIN is missing' -DWITHOUT_DESCRIPTOR
bad NONE 'this plug-in cannot be loaded: undefined symbol: nowhere_defined' -DUNDEFINED
object bad "$top/tests/tools/plugins/bad.c" -DFAULT=LOWER_SILENT
"$gsim" --load "$tmp/bad.so" -m tame -c kepler.lua "$top/labs/01-if-and-loop/if.ir" >"$tmp/out" 2>&1
[ $? = 2 ] && grep -q 'the mechanism refuses .*, and does not say why' "$tmp/out" || fail "a mechanism that refuses without a word"
object bad "$top/tests/tools/plugins/bad.c" -DFAULT=NONE
well "what has no fault" "$gsim" --load "$tmp/bad.so" --list models
says '^tame '
"$gsim" --load "$tmp/bad.so" --load "$tmp/bad.so" --list models >"$tmp/out" 2>&1
[ $? = 2 ] && says "$tmp/bad.so: error: a plug-in tame is loaded already, from $tmp/bad.so" || fail "one plug-in twice"

# ---- for another gsim ----
build=$(echo '#include "gsim-fingerprint.h"
GSIM_PLUGIN_BUILD' | $cc $flags -E -P - | tr -d '"\n')
release=${build%% *}
# a header is looked for beside the one that includes it first
cp "$(echo '#include "gsim-plugin.h"' | $cc $flags -M -x c - | tr -s ' \\' '\n\n' | grep 'gsim-plugin\.h$')" "$tmp/gsim-plugin.h"
another() { # BUILD MESSAGE
	echo "#define GSIM_PLUGIN_BUILD \"$1\"" >"$tmp/gsim-fingerprint.h"
	object another "$top/tests/tools/plugins/bad.c" -DFAULT=NONE -I"$tmp"
	refused "$tmp/another.so" "$2"
}
another '9.8.7 (1-2)' "this plug-in was made for gsim 9.8.7, and this is gsim $release: compile it again"
another "$release (1-2)" "this plug-in was made for another build of gsim $release, whose internal headers differ: compile it again"
# of two objects one was compiled before the headers changed
$cc -I"$tmp" $flags -DFAULT=NONE -DWITHOUT_DESCRIPTOR -c -o "$tmp/old.o" "$top/tests/tools/plugins/bad.c" &&
	$cc $flags -shared -o "$tmp/mixed.so" "$examples/div_shift.c" "$tmp/old.o" || fail "two objects"
refused "$tmp/mixed.so" "this plug-in was made for another build of gsim $release"

# ---- what a plug-in includes is installed, and no more ----
if [ -z "$BIN" ]; then
	echo '#include "gsim-plugin.h"' | $cc $flags -MM -MT x -x c - | tr -s ' \\' '\n\n' | sed -n 's,^'"$top"'\/,,p' | sed 's,^[^:]*/\.\./,,' | grep -v 'gsim-fingerprint.h$' | LC_ALL=C sort -u >"$tmp/included"
	sed -n '/^nobase_internalinclude_HEADERS/,/[^\\]$/p' "$top/Makefile.am" | grep -oE '[a-z_/-]+\.(h|def)' | LC_ALL=C sort >"$tmp/listed"
	diff "$tmp/listed" "$tmp/included" >"$tmp/out" || fail "nobase_internalinclude_HEADERS in Makefile.am (<) is not what gsim-plugin.h includes (>)"
fi

# ---- only the command line loads ----
printf 'return { load = "%s" }\n' "$mechanism" >"$tmp/load.lua"
"$gsim" --config "$tmp/load.lua" -q "$examples/digits.ir" >"$tmp/out" 2>&1
[ $? = 2 ] || fail "a machine file that asks for a plug-in is accepted"
exit $failed
