#!/bin/sh
# What README.md and the pages below show under a `$ gsim ...` or `$ tools/reproduce ...` is what it prints; `...` stands for
# lines left out. --update writes new figures. doc/measured-melding.md, doc/measured-code-motion.md, doc/measured-fusion.md and doc/measured-defaults.md, whose commands run for minutes, are
# looked at with --long alone, which comes last, or one of them: --update --long, --update --long doc/measured-fusion.md. So is the table of single
# operations on all machines in doc/validity.md, of which check_reproduce.sh looks at two; --update writes it. doc/measured-passes.md is
# looked at by check_reproduce.sh, which runs its commands: --keep DIR PAGE leaves what the commands of PAGE print in the new folder DIR, as 1, 2 and so on,
# and their files in DIR/files. README's picture shows the graph and the fetches that gsim has.
srcdir=${srcdir:-$(dirname "$0")/../..}
GSIM_BUILD=${GSIM_BUILD:-$PWD}
GSIM_BUILD=$(cd "$GSIM_BUILD" && pwd)
PATH=$GSIM_BUILD:$PATH
if [ "$1" = --keep ]; then
	tmp=$2
	shift 2
	set -- --long "$@"
else
	tmp=${TMPDIR:-/tmp}/gsim-readme.$$
	trap 'rm -rf "$tmp"' EXIT
fi
mkdir "$tmp" || exit 1
cd "$srcdir" || exit 1
GSIM_PATH=$PWD/configs
export PATH GSIM_PATH GSIM_BUILD
failed=0

programs="gsim|tools/reproduce|tools/pass-defaults" updated_by=tests/tools/check_readme.sh
. tests/tools/pages.sh

# The table of single operations, and what is said of its rows.
single_operations() {
	tools/reproduce microbench ${update:+-u} -o "$tmp/microbench" >/dev/null || exit 1
	sed -n '/^<!-- table: microbench -->$/,/^<!-- end -->$/p' doc/validity.md | sed '1d;$d' >"$tmp/table.md"
	diff -u "$tmp/table.md" "$tmp/microbench/table.md" || { echo "doc/validity.md: tools/reproduce microbench -u writes its table"; failed=1; }
}

[ "$1" = --update ] && update=yes && shift
if [ "$1" = --long ]; then
	for name in ${2:-doc/measured-passes.md doc/measured-melding.md doc/measured-code-motion.md doc/measured-fusion.md doc/measured-defaults.md}; do
		page "$name" 1 # some targets are missed, as they say
	done
	[ "$2" ] || single_operations
	exit $failed
fi
page README.md
page doc/hardware-or-pass.md
page doc/validity.md
page doc/gsim.md
page doc/passes.md

[ -z "$update" ] || single_operations

# The picture: its edges are those of the graph, its numbers those of a run under ipdom.
kernel=kernels/short_circuit/short_circuit.ir
gsim-opt --cfg short_circuit $kernel | sed -n '
	s/^\t\(b[0-9]*\) \[label="\([A-Z0-9]*\)\\l.*/name \1 \2/p
	/dashed/d
	s/^\t\(b[0-9]*\) -> \(b[0-9]*\) .*/edge \1 \2/p' |
	awk '$1 == "name" { name[$2] = $3 } $1 == "edge" { print name[$2] " to " name[$3] }' | sort >"$tmp/edges"
sed -n 's/.*<title>\(B[0-9]* to B[0-9]*\)<.*/\1/p' doc/short_circuit.svg | sort >"$tmp/drawn"
[ -s "$tmp/edges" ] && diff "$tmp/edges" "$tmp/drawn" || { echo "doc/short_circuit.svg: another graph"; failed=1; }
gsim -q --functional -m ipdom -s "$tmp/run.json" $kernel
sed -n '/"total"/,$s/.*"label": "\(B[0-9]*\)", "fetches": \([0-9]*\), "threads": \([0-9]*\).*/\1 \2 \3/p' "$tmp/run.json" |
	awk '{ print $1 ": " $2 ($2 == 1 ? " fetch, " : " fetches, ") $3 " lanes" }' >"$tmp/fetches"
sed -n -e 's/.*font-weight="bold">\(B[0-9]*\)<.*/\1: /p' -e 's/.*>\([0-9]* fetch.*\)<.*/\1/p' doc/short_circuit.svg | paste -d '\0' - - >"$tmp/shown"
[ -s "$tmp/fetches" ] && diff "$tmp/fetches" "$tmp/shown" || { echo "doc/short_circuit.svg: other fetches"; failed=1; }
exit $failed
