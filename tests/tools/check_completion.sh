#!/bin/sh
# Completion for bash, zsh and fish offers what the programs have: options, machines, mechanisms, passes, parameters and their values, files
# by their endings. The same lines are completed in each shell that there is.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
BUILD=$(pwd)
COMPLETION=${COMPLETION:-$BUILD/completion}
GSIM_PATH=$srcdir/configs
export BUILD COMPLETION GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-completion.$$
mkdir -p "$tmp/here/folder" || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp/here" || exit 1
touch a.ptx b.ir c.json d.lua e.trace f.csv
failed=0 shells=0

# The line, what is offered. What stands before the last = of a word is left out, and / behind a folder: shells differ in these.
cat >"$tmp/wanted" <<'END'
gsim -c vo|volta.lua
gsim --config vo|volta.lua
gsim --config=vo|volta.lua
gsim -bc vo|volta.lua
gsim -c d|d.lua
gsim -b -p linearize,dc|linearize,dce
gsim -p no|none
gsim -D divergence.mod|divergence.model=
gsim -D divergence.model=it|its
gsim --set=divergence.model=it|its
gsim -D launch.cold=|false true
gsim -D dram.latency=|
gsim -m dw|dwf dws
gsim -m ipdom,tok|ipdom,token
gsim --model=ipdom,its,dw|ipdom,its,dwf ipdom,its,dws
gsim --print-|--print-config
gsim --list c|configs
gsim --size |L M S XL
gsim a.|a.ptx
gsim -q fl|flattening float_max fluid
gsim-opt short_c|short_circuit short_circuit.ptx
gsim-sweep -q fo|folder
gsim --files |folder
gsim -w |d.lua folder
gsim --annotate=|code source
gsim --sensitivity=dram.la|dram.latency
gsim --on |gpu gpu-alone
gsim-trace --events push,po|push,pop
gsim-trace |e.trace folder
gsim-opt --print pd|pdom
gsim-opt --passes structurize,line|structurize,linearize
gsim-sweep -c volta.lua,ke|volta.lua,kepler.lua
gsim-sweep -m a|all aware
gsim-sweep -m ipdom,spec|ipdom,spec_reconv
gsim-sweep --plot-kind |bars heat lines
gsim-sweep --plot-y cyc|cycles
gsim-sweep -D scheduler.policy=lrr,gt|lrr,gto lrr,gty
gsim-compare --brief |c.json folder
gsim-tune --ro|--rounds
gsim-tune |f.csv folder
END

check() { # SHELL COMMAND...
	shell=$1
	shift
	while IFS= read -r line; do set -- "$@" "${line%|*}"; done <"$tmp/wanted"
	HOME=$tmp XDG_CONFIG_HOME=$tmp/x XDG_DATA_HOME=$tmp/x timeout 120 "$@" >"$tmp/offered" 2>"$tmp/err" </dev/null || {
		echo "FAILED: $shell: status $?"
		cat "$tmp/err"
		failed=1
	}
	shells=$((shells + 1))
	sed -e 's/[^ ]*=\([^ ]\)/\1/g' -e 's,/ , ,g' -e 's, $,,' "$tmp/offered" >"$tmp/plain"
	cut -d'|' -f2 "$tmp/wanted" | diff - "$tmp/plain" >"$tmp/diff" || {
		echo "FAILED: $shell offers something else"
		cut -d'|' -f1 "$tmp/wanted" | paste -d'|' - "$tmp/plain" | diff "$tmp/wanted" -
		cat "$tmp/err"
		failed=1
	}
}

for shell in bash zsh fish; do
	command -v $shell >/dev/null || { echo "$shell is not there"; continue; }
	case $shell in
	bash) check bash bash --norc --noprofile "$srcdir/tests/tools/complete.bash" ;;
	zsh) check zsh zsh -f "$srcdir/tests/tools/complete.zsh" ;;
	fish) check fish fish --no-config "$srcdir/tests/tools/complete.fish" ;;
	esac
done

# README.md: what a user with a prefix of his own adds to his shell finds the programs, manuals and completion
home=$tmp/home share=$tmp/home/.local/share
mkdir -p "$home/.local/bin" "$share/bash-completion" "$share/zsh" "$share/fish" "$share/man"
ln -s "$BUILD/gsim" "$BUILD/gsim-opt" "$home/.local/bin"
ln -s "$COMPLETION/bash" "$share/bash-completion/completions"
ln -s "$COMPLETION/zsh" "$share/zsh/site-functions"
ln -s "$COMPLETION/fish" "$share/fish/vendor_completions.d"
ln -s "$BUILD/man" "$share/man/man1"
snippet() { awk -v fence="\`\`\`$1" '$0 == fence { on = 1; next } /^```$/ { on = 0 } on' "$srcdir/README.md" >"$tmp/rc"; }
finds() { # SHELL COMMAND...: the output names the program below the prefix, the manual and what is offered
	HOME=$home XDG_DATA_HOME=$share XDG_CONFIG_HOME=$tmp/x timeout 60 "$@" >"$tmp/found" 2>&1 </dev/null
	for wanted in "$home/.local/bin/gsim" "$(command -v man >/dev/null && echo man1/gsim.1)" completed; do
		grep -q -e "$wanted" "$tmp/found" || { echo "FAILED: README.md, $1: no $wanted"; cat "$tmp/rc" "$tmp/found"; failed=1; }
	done
}
command -v bash >/dev/null && snippet bash && finds bash --norc --noprofile -c '. "$0"; command -v gsim; man -w gsim
	COMP_WORDS=(gsim -c vo) COMP_CWORD=2 COMP_LINE="gsim -c vo"; _gsim; [[ ${COMPREPLY[*]} == volta.lua ]] && echo completed' "$tmp/rc"
command -v zsh >/dev/null && snippet zsh && finds zsh -f -c '. "$0"; whence -p gsim; man -w gsim; [[ $_comps[gsim] == _gsim ]] && echo completed' "$tmp/rc"
command -v fish >/dev/null && snippet fish && finds fish --no-config -c 'source $argv[1]; command -v gsim; man -w gsim
	string match -q "volta.lua*" (complete -C "gsim -c vo"); and echo completed' "$tmp/rc"

# what each shell is given has all options of each program, and all programs
"$BUILD/tools/usage/generate" options >"$tmp/options"
while read -r program letter name; do
	grep -q "^$letter $name [-+?]" "$COMPLETION/bash/$program" || { echo "FAILED: bash has no $program --$name"; failed=1; }
	grep -q -e "--$name[=[}]" "$COMPLETION/zsh/_$program" || { echo "FAILED: zsh has no $program --$name"; failed=1; }
	grep -q "^complete -c $program .*-l $name " "$COMPLETION/fish/$program.fish" || { echo "FAILED: fish has no $program --$name"; failed=1; }
done <"$tmp/options"
[ -s "$tmp/options" ] || failed=1
[ $failed = 0 ] || exit 1
[ $shells -gt 0 ] || exit 77
