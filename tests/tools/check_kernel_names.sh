#!/bin/sh
# Kernels by their names: gsim, gsim-opt and gsim-sweep find them in $GSIM_PATH and in kernels/; files of the current folder come first.
srcdir=${srcdir:-$(dirname "$0")/../..}
srcdir=$(cd "$srcdir" && pwd)
build=${GSIM_BUILD:-$PWD}
tmp=${TMPDIR:-/tmp}/gsim-names.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" && : >out && : >err || exit 1
failed=0
GSIM_PATH=$srcdir/configs
export GSIM_PATH

fail() {
	echo "FAILED: $1"
	sed 's/^/    /' out err | head -20
	failed=1
}

# expect STATUS TEXT COMMAND...: the exit status, and a text that the output has
expect() {
	want=$1 text=$2
	shift 2
	"$@" >out 2>err </dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want"
	grep -q -e "$text" out err || fail "$*: no '$text'"
}
same() { cmp -s "$1" "$2" || fail "$3"; }

# a kernel: by its folder's name, by its whole name, by the last part, with an ending
"$build/gsim" -c kepler "$srcdir/kernels/short_circuit/short_circuit.ir" >whole
"$build/gsim" -c kepler short_circuit >named
same whole named "short_circuit is another kernel than its file"
"$build/gsim" -c kepler --functional "$srcdir/kernels/bench/blocks.ptx" --annotate >whole
for name in blocks bench/blocks blocks.ptx bench/blocks.ptx; do
	"$build/gsim" -c kepler --functional "$name" --annotate >named
	same whole named "$name is another kernel than bench/blocks.ptx"
done
expect 0 '^file 0 ".*kernels/loop_exits/loop_exits.ptx"' "$build/gsim-opt" loop_exits.ptx
expect 0 '^file 0 ".*kernels/bfs/bfs.ptx"' "$build/gsim-opt" bfs
expect 0 '^host main' "$build/gsim-opt" host_programs/bfs
expect 0 'short_circuit.reduced.ir: instructions: 0 in place of 38' "$build/gsim-reduce" --no-workload short_circuit -- true
[ -f short_circuit.reduced.ir ] || fail "a reduced kernel is not written here"
expect 0 'results equal' "$build/gsim" -b --functional loop_exits.ir loop_exits.ptx
expect 0 '^runs     short_circuit(' "$build/gsim" --list kernels short_circuit
expect 0 'kernel = "short_circuit"' "$build/gsim" --new-workload short_circuit

# the list: each name that it shows leads to the file beside it, for all that the source has
"$build/gsim" --list kernels >list || fail "--list kernels"
find "$srcdir/kernels" -name '*.ir' -o -name '*.ptx' | sort >files
sed 's/^[^ ]*  *//' list | sort | cmp -s - files || fail "--list kernels does not list the kernels of the source"
cut -d' ' -f1 list | sort | uniq -d | grep -q . && fail "--list kernels shows a name twice"
sed -n '1~14p' list | while read -r name file; do
	[ "$("$build/gsim-opt" "$name" 2>&1 | cksum)" = "$("$build/gsim-opt" --source "$srcdir/kernels" "$file" 2>&1 | cksum)" ] || echo "$name"
done >out
[ ! -s out ] || fail "names of --list kernels that lead elsewhere"

# what is here comes first; a folder is no module
mkdir -p short_circuit kernels
expect 0 'kernel short_circuit' "$build/gsim" short_circuit
cp "$srcdir/kernels/bench/blocks.ptx" short_circuit.ptx
expect 0 '^file 0 "short_circuit.ptx"' "$build/gsim-opt" short_circuit
expect 0 '^file 0 "./short_circuit.ptx"' "$build/gsim-opt" ./short_circuit
cp "$srcdir/kernels/short_circuit/short_circuit.ir" .
expect 2 'short_circuit: error: several files have this name: short_circuit.ir and short_circuit.ptx' "$build/gsim" short_circuit
rm -r short_circuit*

# an earlier folder of $GSIM_PATH decides; one that stands in two places there is ambiguous
mkdir -p own/kernels/a own/kernels/b
cp "$srcdir/kernels/short_circuit/short_circuit.ir" own/kernels/a/blocks.ir
GSIM_PATH=own:$GSIM_PATH expect 0 '^file 0 "own/kernels/a/blocks.ir"' "$build/gsim-opt" blocks
cp own/kernels/a/blocks.ir own/kernels/b/blocks.ir
GSIM_PATH=own:$GSIM_PATH expect 2 'blocks: error: several kernels have this name: a/blocks and b/blocks' "$build/gsim" blocks
GSIM_PATH=own:$GSIM_PATH expect 0 'own/kernels/b/blocks.ir' "$build/gsim-opt" b/blocks
GSIM_PATH=own/kernels/b expect 0 'own/kernels/b/blocks.ir' "$build/gsim-opt" blocks

# without one: where it looked, and what is near
expect 2 "^short_circit: error: cannot be read: No such file or directory, and no kernel has this name in the folders of .GSIM_PATH, in .*/kernels, in kernels/; the nearest is short_circuit; gsim --list kernels shows" "$build/gsim" short_circit
expect 2 "^nowhere: error: cannot be read: No such file .* in kernels/" "$build/gsim-reduce" nowhere -- true
for program in gsim gsim-opt gsim-sweep; do
	expect 2 "^nowhere: error: cannot be read: No such file .* in kernels/" "$build/$program" nowhere
	expect 2 "^nowhere/: error: cannot be read: " "$build/$program" nowhere/
	expect 2 "^../bfs: error: cannot be read: No such file or directory$" "$build/$program" ../bfs
	expect 2 "^kernels: error: cannot be read: Is a directory" "$build/$program" kernels
	expect 2 "error: " "$build/$program" ''
done
GSIM_PATH=$tmp/none
case $("$build/gsim" --list kernels 2>&1) in
"error: there are no kernels in the folders of "* | */kernels/*) ;;
*) fail "--list kernels without kernels" ;;
esac

# a sweep: the point's key is that of the content, its column the name; a plan's file may name kernels, and nothing outside its folder
GSIM_PATH=$srcdir/configs
sweep() { "$build/gsim-sweep" -q -c kepler -m ipdom "$@" || fail "gsim-sweep $*"; }
sweep -o results.named --json-lines lines.named short_circuit
sweep -o results.whole --json-lines lines.whole "$srcdir/kernels/short_circuit/short_circuit.ir"
key() { grep -o '"key": *"[0-9a-f]*"' "$1"; }
[ -n "$(key lines.named)" ] && [ "$(key lines.named)" = "$(key lines.whole)" ] || fail "the key of a point depends on the module's name"
grep -q '^short_circuit,kepler,ipdom,' results.named/results.csv || fail "the column does not show the name"
"$build/gsim-sweep" -m ipdom --vary 'n=short_circuit,spmv' --dry-run '{n}' | grep -q '^gsim -m ipdom spmv$' || fail "a name with a variable"
mkdir plan
echo 'return { modules = { "short_circuit", "own" }, mechanisms = { "ipdom" } }' >plan/plan.lua
cp "$srcdir/kernels/short_circuit/short_circuit.ir" plan/own.ir
cp "$srcdir/kernels/short_circuit/short_circuit.lua" plan/own.lua
sweep -o planned --plan plan/plan.lua
grep -q '^short_circuit,kepler' planned/results.csv && grep -q '^plan/own,kepler' planned/results.csv || fail "a plan's names"
ln -s "$srcdir/kernels/short_circuit/short_circuit.ir" plan/link.ir
for name in link ../bfs /etc/passwd; do
	echo "return { modules = { '$name' } }" >plan/plan.lua
	expect 2 'modules: .*\(link\|[.][.]\|below\|absolute\|leads\)' "$build/gsim-sweep" -q -o refused --plan plan/plan.lua
done
exit $failed
