#!/bin/sh
# The user's own configuration: where it is found, what it changes and what wins over it, what is wrong in it; colours.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
build=$(pwd)
gsim=$build/gsim
GSIM_PATH=$srcdir/configs
TERM=xterm
export GSIM_PATH TERM
unset GSIM_USER_CONFIG XDG_CONFIG_HOME NO_COLOR
tmp=${TMPDIR:-/tmp}/gsim-user.$$
mkdir -p "$tmp/home/.config/gsim/machines" "$tmp/xdg/gsim" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir"/kernels/short_circuit/short_circuit.* "$tmp"
cd "$tmp" || exit 1
HOME=$tmp/home
export HOME
failed=0

fail() {
	echo "FAILED: $1"
	sed 's/^/    /' out err | head -20
	failed=1
}
# expect STATUS TEXT COMMAND...: the exit status, and a text of standard output or standard error
expect() {
	want=$1 text=$2
	shift 2
	"$@" >out 2>err </dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want"
	[ -z "$text" ] || grep -q -e "$text" out err || fail "$*: no '$text'"
}
own() { printf '%s\n' "$1" >home/.config/gsim/config.lua; }
esc=$(printf '\033')

# ---- where it is found, and what wins ----
expect 0 "machine (defaults)" "$gsim" short_circuit.ir
own 'return { machine = "volta.lua", threads = 2 }'
expect 0 "machine volta.lua (of the user's configuration)" "$gsim" short_circuit.ir
expect 0 "machine kepler.lua   mech" "$gsim" -c kepler.lua short_circuit.ir
expect 0 "machine (defaults)" "$gsim" --no-user-config short_circuit.ir
expect 0 "machine (defaults)" env GSIM_USER_CONFIG= "$gsim" short_circuit.ir
expect 0 "^-- the machine volta.lua, which $tmp/home/.config/gsim/config.lua chooses$" "$gsim" --print-config
"$gsim" --print-config | sed 1d >chosen
"$gsim" --print-config -c volta.lua | cmp -s chosen - || fail "--print-config differs from that of --config"
expect 0 '"config_by": "'"$tmp/home/.config/gsim/config.lua" "$gsim" -s - short_circuit.ir
expect 0 "" "$gsim" -s - -c volta.lua short_circuit.ir
grep -q config_by out && fail "config_by in the report of a run with --config"
expect 0 "^sm.count  *80 " "$gsim" --list figures
echo 'return { machine = "kepler.lua" }' >xdg/gsim/config.lua
expect 0 "machine kepler.lua (of" env XDG_CONFIG_HOME="$tmp/xdg" "$gsim" short_circuit.ir
expect 0 "machine kepler.lua (of" env GSIM_USER_CONFIG="$tmp/xdg/gsim/config.lua" "$gsim" short_circuit.ir
expect 0 "machine volta.lua (of" env XDG_CONFIG_HOME=xdg "$gsim" short_circuit.ir # names that are not absolute do not count
expect 0 "" "$gsim" --help

# ---- sweeps: the machine is in the points, so that whoever runs them gets the same ----
expect 0 "^[^ ]*gsim.* volta.lua.* short_circuit.ir$" "$build/gsim-sweep" --dry-run -m ipdom short_circuit.ir
expect 0 "--config volta.lua" "$build/gsim-sweep" --print-jobs 1 -m ipdom short_circuit.ir
expect 0 "" "$build/gsim-sweep" -q -o a -m ipdom,its short_circuit.ir
expect 0 "" "$build/gsim-sweep" -q --no-user-config -o b -c volta.lua -m ipdom,its short_circuit.ir
cmp -s a/results.csv b/results.csv || fail "a sweep with the machine of the configuration differs from one with --config"
expect 0 "" "$build/gsim-sweep" -q --no-user-config -o c -m ipdom,its short_circuit.ir
cmp -s a/results.csv c/results.csv && fail "--no-user-config does not change a sweep"

# ---- folders of machine files; names with a slash are below the configuration ----
echo 'return derive("volta.lua", { sm = { count = 3 } })' >home/.config/gsim/machines/mine.lua
own 'return { path = { "machines" }, machine = "mine.lua" }'
expect 0 "count = 3," "$gsim" --print-config
own 'return { path = "machines" }'
expect 0 "count = 3," "$gsim" --print-config -c mine.lua
expect 0 "mine.lua" "$gsim" --list machines
own 'return { machine = "machines/mine.lua" }'
expect 0 "count = 3," "$gsim" --print-config
expect 0 "" "$build/gsim-opt" short_circuit.ir

# ---- what is wrong ----
wrong() { # TEXT CONFIGURATION
	own "$2"
	expect 2 "^$tmp/home/.config/gsim/config.lua:$1" "$gsim" --list models
}
everywhere() { # TEXT CONFIGURATION
	wrong "$@"
	for program in "$build/gsim-opt short_circuit.ir" "$build/gsim-compare a b" "$build/gsim-sweep --dry-run short_circuit.ir" \
		"$build/gsim-trace none" "$build/gsim-reduce short_circuit.ir -- true"; do
		# shellcheck disable=SC2086
		expect 2 "^$tmp/home/.config/gsim/config.lua:$1" $program
	done
	expect 0 "" "$gsim" --no-user-config --list models
}
everywhere "1:1: error: the file must return a table, such as .*, not nil" ''
wrong "1:10: error: unknown field 'machin'; did you mean 'machine'?" 'return { machin = "x" }'
wrong "1:10: error: unknown field 'x'; expected machine, threads, color or path" 'return { x = 1 }'
wrong "2:2: error: threads: expected a whole number from 1 to 256, found 0" 'return {
	threads = 0 }'
wrong "1:10: error: threads: expected a whole number" 'return { threads = 1.5 }'
wrong "1:10: error: color: expected auto, always or never, found 'red'" 'return { color = "red" }'
wrong "1:10: error: machine: expected the name of a machine file, found a number" 'return { machine = 3 }'
wrong "1:10: error: machine: .* found an empty text" 'return { machine = "" }'
wrong "1:10: error: path: expected a folder, or a list of them, found a table" 'return { path = { {} } }'
wrong "1:10: error: path: expected a list of folders" 'return { path = "a:b" }'
wrong "[12]: error: unexpected symbol" 'return {'
wrong "1: error: the instruction limit" 'while true do end'
wrong "1: error: .*os" 'os.execute("touch owned")'
[ ! -e owned ] || fail "the configuration runs commands"
own 'return { machine = "nowhere" }'
expect 2 "config.lua: error: this file chooses the machine nowhere" "$gsim" short_circuit.ir
expect 2 "/none: error: cannot be read" env GSIM_USER_CONFIG="$tmp/none" "$gsim" --list models
expect 2 "error: --color: expected auto, always or never, not x" "$gsim" --color x --list models

# ---- random changes: an error with its place, or none ----
good='return { machine = "volta.lua", threads = 2, color = "never", path = { "a", "/b" } }'
awk -v good="$good" 'BEGIN {
	srand(1)
	for (i = 0; i < 150; i++) {
		text = good
		for (k = 1 + int(rand() * 3); k > 0; k--) {
			at = 1 + int(rand() * length(text)); n = int(rand() * 6)
			from = 1 + int(rand() * length(text))
			text = substr(text, 1, at - 1) substr(text, from, int(rand() * 4)) substr(text, at + n)
		}
		print text
	}
}' >changed
while IFS= read -r line; do
	own "$line"
	timeout 20 "$gsim" --list models >out 2>err
	got=$?
	case $got in
	0) [ ! -s err ] || fail "a message and status 0: $line" ;;
	2) grep -q "^$tmp/home/.config/gsim/config.lua:[0-9]*:.*error: " err || fail "no place: $line" ;;
	*) fail "status $got: $line" ;;
	esac
done <changed

# ---- colours: on terminals and where they are asked for ----
own 'return { color = "always" }'
b="$gsim -b -p linearize -D launch.warm=true short_circuit.ir"
expect 0 "${esc}\[32m  better${esc}\[m$" $b
expect 0 "" $b --color never
grep -q "$esc" out && fail "colours with --color never"
expect 0 "" env NO_COLOR=1 $b
grep -q "$esc" out && fail "colours with NO_COLOR"
expect 0 "${esc}\[32m  better" env NO_COLOR=1 $b --color always
expect 0 "" $b -s both.json
expect 0 "${esc}\[32m  better" "$build/gsim-compare" both.json
grep -q "$esc" both.json && fail "colours in a report"
expect 0 "" $b -s both.txt
grep -q "$esc" both.txt && fail "colours in a file"
expect 2 "nowhere.ir: ${esc}\[1;31merror:${esc}\[m " "$gsim" nowhere.ir
expect 2 "^nowhere.ir: error: " "$gsim" --no-user-config nowhere.ir
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
	own 'return {}'
	expect 0 "${esc}\[1;31merror:" script -qec "$gsim nowhere.ir || true" /dev/null
	expect 0 "" env TERM=dumb script -qec "$gsim nowhere.ir || true" /dev/null
	grep -q "$esc" out && fail "colours on a dumb terminal"
fi
exit $failed
