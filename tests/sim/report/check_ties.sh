#!/bin/sh
# Rows of a grid that tie (sim/report/ties.h): what is said of them is true of every column of the CSV; the text has each run once, in its table or in the line below; --all and gsim-compare.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../../..}" && pwd)
bin=$(cd "$(dirname "${GSIM:-./gsim}")" && pwd)
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-ties.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0
fail() {
	echo "FAILED: $*"
	failed=1
}

# Columns that may differ: the mechanism, its parameters and passes; what its structure did; the tie itself.
law='NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i
	free["configuration"] = free["changed"] = free["model"] = free["passes"] = free["pushes"] = free["tied_with"] = 1
	n = NF; split($0, name); next }
	$1 != kernel { kernel = $1; row = 0 }
	{ row++; for (i = 1; i <= n; i++) cell[row, i] = $i; to = $at["tied_with"] }
	to != "" { ties++
		if (cell[to, at["tied_with"]] != "") { print "row " row " of " kernel " ties with one that ties"; bad = 1 }
		for (i = 1; i <= n; i++)
			if (!(name[i] in free) && cell[to, i] != $i) { print kernel ": " $at["model"] ": " name[i]; bad = 1 } }
	END { print ties + 0 >"ties"; exit bad }'

for run in "volta.lua spmv" "kepler.lua short_circuit" "volta.lua mandelbrot" "volta.lua black_scholes"; do
	machine=${run% *} k=${run#* }
	$bin/gsim -c "$machine" --size S --grid -s $k.csv -s $k.json "$srcdir/kernels/$k/$k.ptx" >$k.txt || fail "$k: no grid"
	awk -F, "$law" $k.csv >out || fail "$k: rows that tie differ: $(head -3 out)"
	[ "$(cat ties)" -gt 2 ] || fail "$k: only $(cat ties) rows tie"
	# a row less in the table for each row that ties; each name stands in the table, or in a line below
	rows=$(grep -c '^[a-z_0-9, +]*  *[0-9]*  *[0-9]\.[0-9][0-9][0-9] ' $k.txt)
	[ $((rows + $(cat ties))) = $(($(wc -l <$k.csv) - 1)) ] || fail "$k: $rows rows and $(cat ties) that tie"
	for model in $(awk -F, 'NR > 1 { print $6 }' $k.csv); do
		sed '/^tie: /s/^tie: //' $k.txt | grep -q "^\([a-z_0-9]*, \)*$model[ ,:]" || fail "$k: $model is lost"
	done
	awk 'length > 100 && !/^remark/ && !/   machine / { exit 1 }' $k.txt || fail "$k: wider than 100"
	# in full each run has its row, and the lines below it are the same
	$bin/gsim-compare $k.json >all.txt || fail "$k: no table by gsim-compare"
	[ "$(grep -c '^[a-z_0-9]*  *[0-9]*  *[0-9]\.[0-9][0-9][0-9] ' all.txt)" = $(($(wc -l <$k.csv) - 1)) ] ||
		fail "$k: gsim-compare has not each row"
	$bin/gsim-compare --brief $k.json | cmp -s - $k.txt || fail "$k: gsim-compare --brief is another table"
	[ "$(grep '^tie: ' all.txt)" = "$(grep '^tie: ' $k.txt)" ] || fail "$k: --all has other ties"
done
# the test can fail: of two rows that do not tie a column differs
sed '/^[^,]*,.*,mimd,/s/,$/,1/' spmv.csv >wrong.csv
awk -F, "$law" wrong.csv >out && fail "the law takes any two rows for equal"
exit $failed
