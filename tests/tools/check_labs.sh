#!/bin/sh
# The labs: their pages show what the programs print, sheets of answers fit their questions (--update writes both anew), labs/README.md
# and README.md list all of them, and the checker accepts right answers in many spellings and refuses wrong ones.
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
lua=$(command -v lua5.4 || command -v lua) || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
GSIM_BUILD=$(cd "$GSIM_BUILD" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
PATH=$GSIM_BUILD:$PATH GSIM_PATH=$top/configs
export PATH GSIM_PATH GSIM_BUILD
failed=0

# Commands are typed in the top folder; traces and the like that they write land in $work.
work=$tmp/work
mkdir "$work" "$work/build"
for d in labs kernels configs tools passes sim isa doc; do ln -s "$top/$d" "$work/$d"; done
for f in gsim gsim-trace gsim-opt; do ln -s "$GSIM_BUILD/$f" "$work/build/$f"; done
programs="gsim|gsim-trace|gsim-opt|labs/check" updated_by=tests/tools/check_labs.sh
. "$top/tests/tools/pages.sh"
[ "$1" = --update ] && update=yes

# Solutions are whole: all that the checker prints, with nothing left out.
fill() { # PAGE
	awk -v update="$update" -v lab="$2" '
		/^\$ labs\/check --solutions / { print; while (("labs/check --solutions " lab) | getline line > 0) print line; skip = 1; next }
		/^```/ { skip = 0 }
		!skip { print }
	' "$1" >"$tmp/filled"
	if [ "$update" ]; then
		cp "$tmp/filled" "$1"
	else
		diff -u "$1" "$tmp/filled" || { echo "$1 is stale; $updated_by --update in the build directory writes it"; failed=1; }
	fi
}

cd "$top" || exit 1
for lab in labs/[0-9]*; do
	for page in $lab/README.md $lab/lecturer.md; do
		fill "$page" "$lab"
		page "$page" 1
	done
	labs/check --sheet "$lab" >"$tmp/sheet" || failed=1
	[ "$update" ] && cp "$tmp/sheet" "$lab/answers.txt"
	diff -u "$lab/answers.txt" "$tmp/sheet" || { echo "$lab/answers.txt: other questions; --update writes it anew"; failed=1; }
	for list in labs/README.md README.md; do
		grep -q "(\(labs/\)\{0,1\}${lab#labs/}/README.md)" $list || { echo "$list does not list $lab"; failed=1; }
	done

	# An empty sheet has no right answer, and a full one no wrong one, however it is spelled; of wrong ones none is right.
	labs/check --solutions "$lab" >"$tmp/right" || failed=1
	"$lab/check" "$tmp/sheet" >"$tmp/out" && { echo "$lab: an empty sheet is accepted"; failed=1; }
	grep -q ' right$' "$tmp/out" && { echo "$lab: an empty answer is right"; failed=1; }
	for spelling in plain units plain_lower listed; do
		"$lua" tests/tools/check_labs.lua $spelling "$tmp/sheet" "$tmp/right" >"$tmp/typed" || failed=1
		"$lab/check" "$tmp/typed" >"$tmp/out" || { echo "$lab: right answers, $spelling, are refused:"; cat "$tmp/out"; failed=1; }
	done
	"$lua" tests/tools/check_labs.lua wrong "$tmp/sheet" "$tmp/right" >"$tmp/typed" || failed=1
	"$lab/check" "$tmp/typed" >"$tmp/out" && { echo "$lab: wrong answers are accepted"; failed=1; }
	grep ' right$' "$tmp/out" && { echo "$lab: a wrong answer is accepted"; failed=1; }
	grep -c 'not right' "$tmp/out" | grep -qx "$(grep -c . "$tmp/right")" || { echo "$lab: not understood:"; cat "$tmp/out"; failed=1; }
done
grep -o '([0-9][^/)]*/README.md)' labs/README.md | tr -d '()' | while read -r listed; do
	[ -e "labs/$listed" ] || echo "labs/README.md lists labs/$listed, which is not there"
done >"$tmp/out"
[ -s "$tmp/out" ] && { cat "$tmp/out"; failed=1; }

# What a person may type, and what is no answer.
"$lua" tests/tools/check_labs.lua kinds labs/kinds.lua || failed=1

# Figure 1 of the paper has nine fetches, three of them of the block B5; lab 1 by hand: 4 + 2 + 3 + 4 instructions for 16 + 2 + 9 + 16 lanes.
holds() { labs/check --solutions "labs/$1" | grep -qx "$2" || { echo "labs/$1: the simulator does not say '$2'"; failed=1; }; }
holds 01-if-and-loop 'warp = 13'
holds 01-if-and-loop 'threads = 43'
holds 01-if-and-loop 'body = 6'
holds 02-nested-branches 'depth = 9'
holds 03-unstructured 'fetches = 9'
holds 03-unstructured 'b5 = 3'
holds 04-thread-frontiers 'fetches = 6'
holds 05-uniformity 'wide = 2'
holds 06-locks 'until_block = C'
holds 06-locks 'both = 0'
holds 07-regrouping 'ipdom = 8'
holds 07-regrouping 'tbc = 4'
holds 09-memory 'sectors = 3'
holds 09-memory 'apart = 8'
holds 09-memory 'conflicts = 6'

# A file that is not one of answers is bad input.
echo 'fetchs = 9' >"$tmp/typed"
labs/03-unstructured/check "$tmp/typed" >"$tmp/out" 2>&1
[ $? = 2 ] && grep -q "typed:1: error: no question 'fetchs'" "$tmp/out" || { echo "a wrong name:"; cat "$tmp/out"; failed=1; }
exit $failed
