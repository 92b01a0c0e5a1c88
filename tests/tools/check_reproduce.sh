#!/bin/sh
# tools/reproduce. divergence-cost: every column of the token stack's model, on Kepler and Maxwell. The others: what they
# check themselves, and that their files are whole.
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
export GSIM_BUILD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$top/tests/part.sh"
models=$("$GSIM_BUILD/gsim" --list models | grep -c '^[a-z]')

# whole FILE: an SVG of balanced elements, in which something is drawn
whole() {
	[ -s "$1" ] && tr -d '\n' <"$1" | sed 's/>/>\n/g' | awk '
		match($0, /<[^<]*>$/) { t = substr($0, RSTART, RLENGTH); drawn += t ~ /^<(rect|path|circle)/
			if (t ~ /^<\//) { depth--; if (depth < 0) exit 1 } else if (t !~ /\/>$/) depth++ }
		END { exit depth != 0 || drawn < 10 }' || { echo "$1 is no whole picture"; exit 1; }
}

divergence_cost() {
	"$top/tools/reproduce" divergence-cost -o "$dir" >"$dir/out" || { cat "$dir/out"; exit 1; }
	[ "$(grep -c '32 of 32 equal$' "$dir/out")" = 32 ] || { echo "not every column was compared:"; cat "$dir/out"; exit 1; }
	for f in divergence-cost.csv single-cycles.svg double-cycles.svg single-stack.svg double-stack.svg double-spills.svg; do
		[ -s "$dir/$f" ] || { echo "$f was not written"; exit 1; }
	done
	awk -F, 'NF != 7 || NR > 1 && $7 <= 0 { bad = 1 } END { exit bad || NR != 1 + 32 * (3 * 2 + 2 * 6) }' "$dir/divergence-cost-more.csv" ||
		{ echo "divergence-cost-more.csv has not each n of 18 curves"; exit 1; }
	for f in single-three double-three double-predicted double-difference; do whole "$dir/$f.svg"; done

	# What doc/validity.md says that a spill through modelled memory costs, on Kepler and Maxwell.
	sed -n 's/^  spills through memory: a spill and a reload, cycles *about [0-9]* *\([0-9]*\) .*/\1/p' "$dir/out" | tr '\n' ' ' >"$dir/cost"
	sed -n 's/^| the same through modelled memory .* | \([0-9]*\) | [^|]* | \([0-9]*\) |$/\1 \2 /p' "$top/doc/validity.md" | tr -d '\n' >"$dir/said"
	[ -s "$dir/cost" ] && cmp "$dir/said" "$dir/cost" || { echo "doc/validity.md: a spill through memory takes $(cat "$dir/cost")"; exit 1; }

	# What doc/validity.md says that 14 divergent threads cost: in percent, on Kepler and Maxwell.
	sed -n 's/^  \([a-z]* loop\): cost of 14 .* \([0-9]*\) % of [0-9]*$/\1 \2/p' "$dir/out" | sort >"$dir/cost"
	sed -n -e 's/^| single loop: 14 divergent .* | \([0-9]*\) % | - | \([0-9]*\) % |$/single loop \1\nsingle loop \2/p' \
		-e 's/^| double loop: the same .* | \([0-9]*\) % | - | \([0-9]*\) % |$/double loop \1\ndouble loop \2/p' "$top/doc/validity.md" | sort >"$dir/said"
	[ "$(wc -l <"$dir/cost")" = 4 ] && diff "$dir/said" "$dir/cost" || { echo "doc/validity.md says otherwise"; exit 1; }
}

gains_and_bounds() {
	"$top/tools/reproduce" gains -o "$dir/g" >"$dir/out" || { cat "$dir/out"; exit 1; }
	[ "$(wc -l <"$dir/g/gains.csv")" = 10 ] || { echo "gains.csv has not nine rows"; exit 1; }
	"$top/tools/reproduce" bounds -q -o "$dir/b" >"$dir/out" || { cat "$dir/out"; exit 1; }
	grep -q ' comparisons, 0 wrong' "$dir/out" || { echo "nothing was compared"; exit 1; }
}

mechanisms() {
	(cd "$dir" && "$top/tools/reproduce" mechanisms -o m) >"$dir/out" || { cat "$dir/out"; exit 1; }
	awk -F, -v rows=$((3 * 2 * models)) 'NR == 1 { n = NF } NF < n { bad = 1 } END { exit bad || NR != 1 + rows }' "$dir/m/mechanisms.csv" ||
		{ echo "mechanisms.csv has not a row for each of $models mechanisms, with and without the pass, on three kernels"; exit 1; }
	[ "$(grep -c '^mechanism ' "$dir/m/mechanisms.txt")" = 3 ] || { echo "mechanisms.txt has not three tables"; exit 1; }
	[ "$(grep -c '^[a-z]' "$dir/out")" -ge $((models + 4)) ] || { echo "not a line for each mechanism:"; cat "$dir/out"; exit 1; }
	whole "$dir/m/mechanisms.svg"
}

k_way_and_refetch() {
	"$top/tools/reproduce" k-way -o "$dir/k" >"$dir/out" || { cat "$dir/out"; exit 1; }
	awk -F, '$2 == "token" && $3 == "unbounded" { n++ } NF != 6 { bad = 1 } END { exit bad || n != 32 }' "$dir/k/k-way.csv" ||
		{ echo "k-way.csv has not 32 points for each line"; exit 1; }
	whole "$dir/k/k-way-cycles.svg"
	whole "$dir/k/k-way-lanes.svg"

	"$top/tools/reproduce" refetch -o "$dir/f" >"$dir/out" || { cat "$dir/out"; exit 1; }
	[ "$(grep -c ',5,' "$dir/f/refetch.csv")" = "$models" ] || { echo "refetch.csv has not a line for each mechanism and k"; exit 1; }
	whole "$dir/f/refetch.svg"
}

# linearization and flattening: doc/measured-passes.md shows what they print.
two_papers() {
	"$top/tests/tools/check_readme.sh" --keep "$dir/p" doc/measured-passes.md || exit 1
	linearization
	flattening
}

# Some kernels are so small that they grow by more than the paper's; what must hold is named here.
linearization() {
	[ "$(grep -c ': met$' "$dir/p/1")" -ge 16 ] && [ "$(grep -c '^  T-L[124] .*: met$' "$dir/p/1")" = 7 ] || { cat "$dir/p/1"; exit 1; }
	awk -F, 'NF != 6 { bad = 1 } $1 == "4" { n++ } END { exit bad || n != 7 * 6 }' "$dir/p/files/linearization.csv" ||
		{ echo "linearization.csv has not six levels of seven kernels"; exit 1; }
	# Registers and occupancy: as the paper's mum, which loses warps, and mcx, which comes to the limit of registers; one
	# that is lower makes it spill, as the paper's does.
	awk '$1 == "suffix_tree" && $6 == "occupancy" { mum = $5 > $3 && $9 < $7 }
		$1 == "photons_loop" && $6 == "occupancy" { mcx = $5 == 63 && $5 > $3 } END { exit !(mum && mcx) }' "$dir/p/files/linearization.txt" ||
		{ echo "registers, occupancy and spills do not react:"; grep occupancy "$dir/p/files/linearization.txt"; exit 1; }
	for passes in none linearize; do
		GSIM_PATH=$top/configs "$GSIM_BUILD/gsim" -q -c fermi.lua -m ipdom -D sm.count=1 -D sm.max_registers_per_thread=60 -p $passes -s "$dir/spills.json" \
			"$top/kernels/photons/photons.ptx" -- 600 12 7 128 && sed -n 's/.*"local_accesses": \([0-9]*\).*/\1/p' "$dir/spills.json" | tail -n 1
	done >"$dir/spills"
	[ "$(sed -n 1p "$dir/spills")" = 0 ] && [ "$(sed -n 2p "$dir/spills")" -gt 0 ] || { echo "spills do not react to the limit of registers:"; cat "$dir/spills"; exit 1; }
}

# The published program prints this sum; every run's turns are those of the closed form. Its overhead is less
# than the paper's, so that it pays from an earlier k on.
flattening() {
	GSIM_PATH="$top/configs" "$GSIM_BUILD/gsim" -q --functional -c turing.lua -m its -p 'flatten(rule=always,loops=[$L__BB1_5])' \
		"$top/kernels/flattening/flattening.ptx" -- 1 1234 3000 31 2 >"$dir/out" || { cat "$dir/out"; exit 1; }
	grep -q 'sum 15047055, average 470220, last lane 356379;' "$dir/out" || { cat "$dir/out"; exit 1; }
	[ "$(grep -c ' met$' "$dir/p/2")" -ge 8 ] && grep -q 'turns of A and B as the closed form says: .* met$' "$dir/p/2" &&
		grep -q 'cycles as predicted.* met$' "$dir/p/2" || { cat "$dir/p/2"; exit 1; }
	whole "$dir/p/files/flattened-its.svg"
	whole "$dir/p/files/merged-its.svg"
}

# darm: the laws, on bitonic sort and two synthetic kernels; figures are whole, and each number of the CSV has
# its place.
darm() {
	"$top/tools/reproduce" darm -qq -o "$dir/d" >"$dir/out" || { cat "$dir/out"; exit 1; }
	[ "$(grep -c '^         here: .*: agrees$' "$dir/out")" = 5 ] && grep -q '^  SB2 .* 1\.000 (1\.000) ' "$dir/out" || { cat "$dir/out"; exit 1; }
	awk -F, 'NF != 8 { bad = 1 } $1 == "7" && $6 == "speed-up" { n++ } $1 == "10" && $6 == "melds" { m++ } END { exit bad || n != 12 || m != 15 }' "$dir/d/darm.csv" ||
		{ echo "darm.csv has not four speed-ups and five thresholds of each of three programs"; exit 1; }
	awk -F, '$6 == "shared to before" && $3 == "BIT" && $5 == "meld" { n += $7 == 0.729 && $8 < 1 } $6 == "shared accesses of divergent steps" { n += $7 == "" } END { exit n != 2 }' \
		"$dir/d/darm.csv" || { echo "darm.csv: the paper's number is no ratio, or one that the paper has not"; exit 1; }
	speed=$(awk -F, '$1 == "7" && $3 == "BIT" && $5 == "meld" && $6 == "speed-up" { printf "%.3f (%.3f)", $8, $7 }' "$dir/d/darm.csv")
	grep -q "^  mean, both *of 1 *$speed" "$dir/out" || { echo "darm: the mean of what both have is not bitonic sort's $speed"; exit 1; }
	for f in figure7-exec_mask figure8 figure9-shared figure9-global figure10; do whole "$dir/d/$f.svg"; done
}

# code-motion: four kernels under eight pipelines; the small ones have their instructions in the thesis'
# order, and what misses is said.
code_motion() {
	"$top/tools/reproduce" code-motion -qq -o "$dir/c" >"$dir/out"
	[ $? -le 1 ] || { cat "$dir/out"; exit 1; }
	for small in 'differences: sscm < scm = lcm = O3' 'differences: sscm arms < scm = lcm = O3' 'differences: spre > O3' 'histogram: lcm > O3 > scm'; do
		grep -A 1 "^  T-S1 .*lua: $small$" "$dir/out" | grep -q ': agrees$' || { echo "code-motion: not so: $small"; cat "$dir/out"; exit 1; }
	done
	said=$(sed -n 's/^\([0-9]*\) of what .* missed.*/\1/p' "$dir/out")
	[ "$(grep -c ': does not agree$' "$dir/out")" = "${said:-none}" ] || { echo "code-motion: not as many miss as it says"; cat "$dir/out"; exit 1; }
	awk -F, '{ q = $0; sub(/"[^"]*"/, "x", q); if (split(q, f, ",") != 8) bad = 1 } f[1] == "4.7" && f[6] == "speed-up" { n++; bad = bad || f[8] <= 0 }
		END { exit bad || n != 4 * 8 }' "$dir/c/code-motion.csv" || { echo "code-motion.csv has not eight speed-ups of each of four kernels"; exit 1; }
	whole "$dir/c/figure4.7-titan_black-ipdom.svg"
	whole "$dir/c/instructions.svg"
}

# queries: loads of figure 4.11 and of a stencil.
queries() {
	"$top/tools/reproduce" queries -qq -o "$dir/q" >"$dir/out"
	[ $? -le 1 ] || { cat "$dir/out"; exit 1; }
	for small in 'figure 4.11, loads in a turn: O3 2' 'figure 4.11, loads in a turn: esrqp 2' 'figure 4.11, loads in a turn: ssrqp 1' \
		'stencil: accesses side by side: SRQP removes nothing' 'stencil: apart: SRQP leaves one load of three .*' 'stencil: more sectors .*'; do
		grep -A 1 "^  T-Q[12] *$small$" "$dir/out" | grep -q ': agrees$' || { echo "queries: not so: $small"; cat "$dir/out"; exit 1; }
	done
	awk -F, 'NF != 8 { bad = 1 } $1 == "4.14" && $6 == "speed-up" { n++ } END { exit bad || n < 6 * 4 || n % 6 }' "$dir/q/queries.csv" ||
		{ echo "queries.csv has not each pass for each of six kernels"; exit 1; }
	whole "$dir/q/figure4.14-titan_black-ipdom.svg"
	whole "$dir/q/loads.svg"
}

# fusion: the thesis' means, launches of its programs as they are, laws; what misses is said.
fusion() {
	"$top/tools/reproduce" fusion -qq -o "$dir/u" >"$dir/out"
	[ $? -le 1 ] || { cat "$dir/out"; exit 1; }
	[ "$(grep -A 1 '^  T-K1 ' "$dir/out" | grep -c '^         here: .*: agrees$')" = 8 ] || { echo "fusion: the thesis' means are others"; cat "$dir/out"; exit 1; }
	grep -q '^  law  ' "$dir/out" && ! grep -A 1 '^  law  ' "$dir/out" | grep -q ': does not agree$' || { echo "fusion: a law is broken"; cat "$dir/out"; exit 1; }
	said=$(sed -n 's/^\([0-9]*\) of what .* missed.*/\1/p' "$dir/out")
	[ "$(grep -c ': does not agree$' "$dir/out")" = "${said:-none}" ] || { echo "fusion: not as many miss as it says"; cat "$dir/out"; exit 1; }
	awk '{ gsub(/"[^"]*"/, "x") } { if (split($0, f, ",") != 8) bad = 1 } f[5] == "O3" && f[6] == "launches" && f[7] != "" { n += f[7] == f[8] } END { exit bad || n < 2 }' "$dir/u/fusion.csv" ||
		{ echo "fusion.csv: not the launches of the thesis' programs"; exit 1; }
	grep -A 1 '^  5.2    lud: 46 launches, 31, 30$' "$dir/out" | grep -q ': agrees$' || { echo "fusion: not the thesis' launches of lud"; cat "$dir/out"; exit 1; }
	awk -F '"' '/^5.2,/ && /launches/ { split($1, a, ","); split($2, form, ", "); split($3, v, ","); n[a[3], form[1], form[2]] = v[4] }
		END { for (m in n) { split(m, k, SUBSEP); if (k[2] == "kfcm" && n[m] > n[k[1], "kf-trad", k[3]]) bad = 1; rows++ } exit bad || rows < 3 * 6 }' "$dir/u/fusion.csv" ||
		{ echo "fusion.csv: kfcm leaves more launches than kf-trad"; exit 1; }
	for f in table5.1 table5.2 launch-cost; do whole "$dir/u/$f.svg"; done
}

# microbench: laws of what operations take, on two machines, whose rows doc/validity.md shows. More warps, ways, depth or values never take less; nothing that
# consists of an operation takes less than it.
microbench() {
	"$top/tools/reproduce" microbench -q -o "$dir/b" >"$dir/out" || { cat "$dir/out"; exit 1; }
	awk -F, '
		function rising(machine, name, list,    n, k, v) {
			n = split(list, v, " ")
			for (k = 2; k <= n; k++)
				if (!(took[machine, name v[k] ")"] >= took[machine, name v[k - 1] ")"]) || took[machine, name v[k] ")"] == "") bad(machine, name v[k])
		}
		function least(machine, a, b) { if (took[machine, a] == "" || took[machine, a] < took[machine, b]) bad(machine, a " against " b) }
		function bad(machine, what) { print machine ": " what; failed = 1 }
		NR > 1 { q = $0; sub(/"[^"]*"/, "x", q); if (split(q, f, ",") != 8) bad($1, $0); took[$1, $2] = $4; seen[$1]++ }
		END {
			for (m in seen) {
				if (seen[m] < 150) bad(m, seen[m] " rows")
				rising(m, "ways/brx.idx (", "1 2 4 8 16 32"); rising(m, "ways/chain of ifs (", "1 2 4 8 16 32")
				for (k = 2; k <= 5; k++) least(m, "if/nest of " k, "if/nest of " (k - 1))
				for (k = 2; k <= 32; k *= 2) {
					least(m, "barrier/bar.sync (" k " warps)", "barrier/bar.sync (" k / 2 " warps)")
					least(m, "latency/match.any (" k " values)", "latency/match.any (" k / 2 " values)")
					least(m, "latency/ld.shared (" k " ways)", "latency/ld.shared (" k / 2 " ways)")
				}
				for (k = 1; k <= 16; k *= 4) for (n = 1; n <= 31; n += 15)
					least(m, "if/else of " k " a side (" n " lanes)", "if/else of " k " a side (0 lanes)")
				least(m, "latency/div.rn.f32", "latency/fma.f32"); least(m, "latency/div.rn.f64", "latency/fma.f64")
				least(m, "latency/div.u32", "latency/mad.lo.u32"); least(m, "latency/ld.global L2", "latency/ld.global L1")
				least(m, "latency/ld.global DRAM", "latency/ld.global L2"); least(m, "predicate/to guard", "predicate/to selp")
				least(m, "latency/atom.global.add (32 lanes on one address)", "latency/atom.global.add (one lane)")
				least(m, "fence/membar.sys", "fence/membar.gl")
			}
			exit failed || !seen["kepler"] || !seen["volta"]
		}' "$dir/b/microbench.csv" || { echo "microbench.csv: not whole, or not so"; exit 1; }
	# what is left out here comes before the reading of DRAM, and has opened other rows there
	grep '^| [a-z0-9]* | [a-z]*/' "$dir/b/table.md" | grep -v '| latency/ld.global DRAM ' >"$dir/rows"
	[ "$(wc -l <"$dir/rows")" -gt 50 ] || { echo "microbench has no rows of the table"; exit 1; }
	! grep -vxF -f "$top/doc/validity.md" "$dir/rows" || { echo "doc/validity.md shows other rows; tools/reproduce microbench -u writes them"; exit 1; }
	for f in barrier ifelse ways nest conflicts match; do whole "$dir/b/$f.svg"; done
}

uniform() {
	"$top/tools/reproduce" uniform -q -o "$dir/u" >"$dir/out" || { cat "$dir/out"; exit 1; }
	awk -F, 'NF != 11 || NR > 1 && ($6 > $5 || $11 > $10) { bad = 1 } NR > 1 { fewer += $6 < $5 } END { exit bad || NR < 9 || !fewer }' "$dir/u/uniform.csv" ||
		{ echo "uniform.csv: not whole, or not so"; exit 1; }
}

usage_errors() {
	for bad in "" nothing "refetch extra" "refetch -o" "refetch -x"; do
		"$top/tools/reproduce" $bad >/dev/null 2>"$dir/out"
		[ $? = 2 ] && grep -q '^usage' "$dir/out" || { echo "tools/reproduce $bad is no usage error"; exit 1; }
	done
}

for section in divergence_cost gains_and_bounds mechanisms k_way_and_refetch two_papers darm code_motion queries fusion microbench uniform usage_errors; do
	in_part && $section
done
[ -z "$(find "$dir" -size 0)" ] || { echo "empty files:"; find "$dir" -size 0; exit 1; }
