#!/bin/sh
# The labs: their pages show what the programs print, and sheets of answers fit their questions (--update writes both anew); the commands that they
# name run, and what they say of the page in the browser is so; labs/README.md and README.md list all of them; and the checker accepts right answers
# in many spellings and refuses wrong ones.
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

# Solutions are whole: all that the checker prints, in the file $tmp/right, with nothing left out.
fill() { # PAGE
	awk -v right="$tmp/right" '
		/^\$ labs\/check --solutions / { print; while ((getline line <right) > 0) print line; skip = 1; next }
		/^```/ { skip = 0 }
		!skip { print }
	' "$1" >"$tmp/filled"
	if [ "$update" ]; then
		cp "$tmp/filled" "$1"
	else
		diff -u "$1" "$tmp/filled" || { echo "$1 is stale; $updated_by --update in the build directory writes it"; failed=1; }
	fi
}

# The other commands that a page names, in blocks of sh or in a sentence, run as well: with a program's error
# (a livelock, say) at most.
said() { # PAGE
	awk '
		/^```/ { within = !within; block = within && /^```sh/; next }
		block { print; next }
		!within { for (k = split($0, part, "`"); k > 1; k--) if (k % 2 == 0) print part[k] }
	' "$1" | grep -E '^(gsim|gsim-trace|gsim-opt) .*\.(ir|ptx|trace)' | grep -Ev '\.\.\.|[A-Z]{4}|mine' | sed 's/  *#.*//' | sort -u >"$tmp/commands"
	while read -r command; do
		(cd "$work" && exec sh -c "$command") >"$tmp/out" 2>&1 </dev/null
		[ $? -le 1 ] || { echo "$1: $command:"; cat "$tmp/out"; failed=1; }
	done <"$tmp/commands"
}

# Lab 10 has plug-ins, which its pages load from the working directory. The pages show what the lecturer's files do; as
# students get them they compile, without a warning, and break laws.
own=labs/10-write-your-own
LAB_SOURCES=$top/$own/solutions
PKG_CONFIG_PATH=$GSIM_BUILD${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export LAB_SOURCES PKG_CONFIG_PATH
cd "$top" || exit 1
for folder in . solutions; do
	for file in same_sides crowd; do
		${CC:-cc} -Wall -Wextra -Wno-unused-parameter -Werror -O2 $(pkg-config --cflags gsim-internal) -I$own -shared -o "$work/$file.so" "$own/$folder/$file.c" >"$tmp/out" 2>&1 ||
			{ echo "$own/$folder/$file.c does not compile without a warning:"; cat "$tmp/out"; exit 1; }
	done
done
LAB_SOURCES= $own/check >"$tmp/out" && { echo "$own as students get it is accepted"; failed=1; }
for broken in 'branches with equal sides go' 'most: the walk through figure 1 (lab 3)'; do
	grep -qF "$broken: does not hold" "$tmp/out" || { echo "$own as students get it does not break '$broken':"; cat "$tmp/out"; failed=1; }
done

for lab in labs/[0-9]*; do
	labs/check --solutions "$lab" >"$tmp/right" || failed=1
	cp "$tmp/right" "$tmp/${lab#labs/}.right"
	for page in $lab/README.md $lab/lecturer.md; do
		fill "$page" "$lab"
		page "$page" 1
	done
	said "$lab/README.md"
	labs/check --sheet "$lab" >"$tmp/sheet" || failed=1
	[ "$update" ] && cp "$tmp/sheet" "$lab/answers.txt"
	diff -u "$lab/answers.txt" "$tmp/sheet" || { echo "$lab/answers.txt: other questions; --update writes it anew"; failed=1; }
	for list in labs/README.md README.md; do
		grep -q "(\(labs/\)\{0,1\}${lab#labs/}/README.md)" $list || { echo "$list does not list $lab"; failed=1; }
	done

	# An empty sheet has no right answer, and a full one no wrong one, however it is spelled; of wrong
	# ones none is right. One run checks them all.
	for spelling in plain units plain_lower listed wrong; do
		"$lua" tests/tools/check_labs.lua $spelling "$tmp/sheet" "$tmp/right" >"$tmp/$spelling" || failed=1
	done
	"$lab/check" "$tmp/sheet" "$tmp/plain" "$tmp/units" "$tmp/plain_lower" "$tmp/listed" "$tmp/wrong" >"$tmp/out" && { echo "$lab: wrong answers are accepted"; failed=1; }
	grep 'does not hold' "$tmp/out" && { echo "$lab: a law of the solutions"; failed=1; }
	awk -v n="$(grep -c . "$tmp/right")" -v lab="$lab" '
		function whole() { if (want && got != n) { print lab ": of answers " of ", " got " are \"" want "\", expected " n; bad = 1 } }
		/^\/.*:$/ {
			whole()
			of = substr($0, 1, length - 1); sub(/.*\//, "", of); got = 0
			want = of == "sheet" ? "no answer yet" : of == "wrong" ? "not right: look again" : "right"
		}
		want && substr($0, length($0) - length(want)) == " " want { got++; next }
		want && /^ *[0-9]+\. / { print of ": " $0 }
		END { whole(); exit bad }' "$tmp/out" || failed=1
done
# One file alone, and no file: the answers of the lab.
"labs/10-write-your-own/check" "$tmp/plain" >"$tmp/out" || { echo "right answers are refused:"; cat "$tmp/out"; failed=1; }
"labs/10-write-your-own/check" "$tmp/wrong" >"$tmp/out" && { echo "wrong answers are accepted:"; cat "$tmp/out"; failed=1; }
labs/01-if-and-loop/check >"$tmp/out" && { echo "an empty sheet is accepted:"; cat "$tmp/out"; failed=1; }
grep -o '([0-9][^/)]*/README.md)' labs/README.md | tr -d '()' | while read -r listed; do
	[ -e "labs/$listed" ] || echo "labs/README.md lists labs/$listed, which is not there"
done >"$tmp/out"
[ -s "$tmp/out" ] && { cat "$tmp/out"; failed=1; }

# What the pages say of the page in the browser, of those that their commands have written.
for name in "${CHROMIUM:-chromium}" chromium-headless-shell chromium-browser google-chrome none; do
	command -v "$name" >/dev/null 2>&1 && break
done
if [ "$name" = none ]; then
	echo "no Chromium is installed, so what the labs say of the page is not looked at"
else
	mkdir "$tmp/browser"
	CHROMIUM=$name srcdir=$top timeout 1200 "$lua" tests/tools/check_labs_page.lua "$work" "$tmp/browser" || failed=1
fi

# What a person may type, and what is no answer.
"$lua" tests/tools/check_labs.lua kinds labs/kinds.lua || failed=1

# Figure 1 of the paper has nine fetches, three of them of the block B5; lab 1 by hand: 4 + 2 + 3 + 4
# instructions for 16 + 2 + 9 + 16 lanes.
holds() { grep -qx "$2" "$tmp/$1.right" || { echo "labs/$1: the simulator does not say '$2'"; failed=1; }; }
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
holds 08-transformations 'turning = 36'
holds 08-transformations 'eight = 24'
holds 09-memory 'sectors = 3'
holds 09-memory 'apart = 8'
holds 09-memory 'conflicts = 6'
holds 10-write-your-own 'fetches = 7'
holds 10-write-your-own 'left = 7'

# A file that is not one of answers is bad input.
echo 'fetchs = 9' >"$tmp/typed"
labs/03-unstructured/check "$tmp/typed" >"$tmp/out" 2>&1
[ $? = 2 ] && grep -q "typed:1: error: no question 'fetchs'" "$tmp/out" || { echo "a wrong name:"; cat "$tmp/out"; failed=1; }
# Of several sheets each gets its verdict, whatever another has in it; a mark of the byte order and ends of
# lines of other systems are no fault, and of two answers to a question neither counts.
printf 'depth = 9\nx = 3\nnonsense\n' >"$tmp/bad"
printf '\357\273\277depth = 9\r\n' >"$tmp/marked"
printf 'depth = 9\ndepth = 3\n' >"$tmp/twice"
labs/check labs/02-nested-branches "$tmp/bad" "$tmp/none" "$tmp/marked" "$tmp/twice" >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] && [ "$(grep -c ' depth .* 9 .*right$' "$tmp/out")" = 2 ] && grep -q ' depth .*answered twice, in lines 1 and 2' "$tmp/out" &&
	grep -q "bad:2: error: no question 'x'" "$tmp/err" && grep -q "bad:3: error: expected NAME = ANSWER" "$tmp/err" &&
	grep -q "cannot read $tmp/none" "$tmp/err" || { echo "several sheets:"; cat "$tmp/out" "$tmp/err"; failed=1; }
labs/check labs/02-nested-branches "$tmp/marked" >"$tmp/out" 2>&1
[ $? = 1 ] && grep -q ' depth .* 9 .*right$' "$tmp/out" || { echo "a marked sheet:"; cat "$tmp/out"; failed=1; }
exit $failed
