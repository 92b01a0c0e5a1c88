#!/bin/sh
# Parameters of which -D warns that they have no effect (sim/config/needs.def, `spills` of each mechanism): changing all of them at once changes no statistic, under any mechanism; what the warnings say; none where a parameter has an effect.
srcdir=$(cd "${srcdir:-$(dirname "$0")/../../..}" && pwd)
gsim=$(cd "$(dirname "${GSIM:-./gsim}")" && pwd)/gsim
GSIM_PATH=$srcdir/configs
export GSIM_PATH
tmp=${TMPDIR:-/tmp}/gsim-needs.$$
mkdir "$tmp" || exit 1
trap 'rm -rf "$tmp"' EXIT
cp "$srcdir/kernels/short_circuit/short_circuit.ir" "$tmp"
cp "$srcdir"/kernels/short_circuit/short_circuit.lua "$tmp" 2>/dev/null
cd "$tmp" || exit 1
failed=0
fail() {
	echo "FAILED: $*"
	failed=1
}

# another value for each parameter: name=value
$gsim --list parameters | awk '
	$2 ~ /^(true|false):$/ { print $1 "=" ($2 == "true:" ? "false" : "true"); next }
	$2 ~ /\|/ { sub(/:$/, "", $2); n = split($2, choice, "|"); print $1 "=" choice[n]; next }
	$3 ~ /^\(/ { least = substr($3, 2) + 0; most = $5 + 0; v = $2 > 0 ? 2 * $2 : 1
		print $1 "=" (v > most ? int($2 / 2) : v) }' |
	grep -v '^l2.sector_bytes=' >other # others depend on it
# the report without what only says how the machine is set
statistics() {
	sed -e '/^  "configuration": {/,/^  },*$/d' -e '/"config":/d' -e '/^  "host":/d' "$1"
}

# The parameters, one a line, that have no effect with these options; the run's statistics are in was.
find_idle() {
	$gsim -q "$@" -s values.json 2>err
	sed -n 's/^ *"values": {\(.*\)},*$/\1/p' values.json | tr -d '"' | sed 's/, /\n/g; s/: /=/g' | grep -v '^divergence.model=' |
		sed 's/^/-D /' >same
	# what is set by the test stands behind, and wins
	# shellcheck disable=SC2046
	$gsim -q $(cat same) "$@" -s was.json 2>err
	sed -n 's/^warning: -D \([^=]*\)=.*: has no effect .*/\1/p' err
}
small="-c teaching.lua -D sm.count=1"
kernel=short_circuit.ir
for machine in "$small -D divergence.depth=0" "$small -D divergence.depth=1 -D divergence.spill=memory" \
	"$small -D divergence.depth=1 -D divergence.spill=constant" "$small -D l1.bytes=0 -D fetch.cache_bytes=0 -D constant.bytes=0" \
	"--functional $small"; do
	for model in $($gsim --list models | sed -n 's/^\([a-z_]*\) .*/\1/p'); do
		find_idle $machine -m "$model" $kernel >idle
		awk -F= 'NR == FNR { idle[$1] = 1; next } $1 in idle { print "-D " $0 }' idle other >changed
		# shellcheck disable=SC2046
		$gsim -q $machine $(cat changed) -m "$model" $kernel -s is.json 2>err
		got=$?
		[ $got -lt 2 ] || fail "$model, $machine: status $got: $(grep -v '^warning: -D' err)"
		statistics was.json >was
		statistics is.json >is
		cmp -s was is || fail "$kernel, $model, $machine: a parameter without effect has one: $(diff was is | head -4)"
		cat idle >>seen
	done
done
# the reference interpreter; what is left out cannot be set alone, or is named in the report
for machine in "--reference $small" "--reference -c teaching.lua"; do
	find_idle $machine $kernel >idle
	[ "$(wc -l <idle)" -gt 100 ] || fail "$machine: only $(wc -l <idle) parameters have no effect"
	awk -F= 'NR == FNR { idle[$1] = 1; next } $1 in idle { print "-D " $0 }' idle other |
		grep -v '\.shares=\|^-D launch\.cold=\|^-D divergence\.model=' >changed
	# shellcheck disable=SC2046
	$gsim -q $machine $(cat changed) $kernel -s is.json 2>err || fail "$machine: status $?: $(grep -v '^warning: -D' err)"
	statistics was.json >was
	statistics is.json >is
	cmp -s was is || fail "$kernel, $machine: a parameter without effect has one: $(diff was is | head -4)"
done
# each row of the table has been tried
for name in $(sed -n 's/^NEEDS("\([^"]*\)".*/\1/p; s/^RUN("\([^"]*\)".*/\1/p' "$srcdir/sim/config/needs.def"); do
	grep -q "^$name\(\.\|$\)" seen || fail "$name has never been without effect"
done
# the comparison sees a parameter that has an effect
$gsim -q $small short_circuit.ir -s was.json
$gsim -q $small -D dram.latency=999 short_circuit.ir -s is.json
statistics was.json >was
statistics is.json >is
cmp -s was is && fail "the comparison sees no difference"

# ---- the warnings ----
warns() {
	text=$1
	shift
	$gsim -q -c teaching.lua "$@" short_circuit.ir >out 2>err || fail "$*: status $?"
	grep -qx -e "warning: -D $text" err && [ "$(wc -l <err)" = 1 ] || fail "$*: not '$text' but: $(cat err)"
}
silent() {
	$gsim -q "$@" short_circuit.ir 2>err
	[ ! -s err ] || fail "$*: $(cat err)"
}
warns "its.policy=hanoi: has no effect under ipdom (only its reads it)" -m ipdom -D its.policy=hanoi
warns "divergence.depth=3: has no effect under its (it spills nothing)" -m its -D divergence.depth=3
warns "divergence.chunk=3: has no effect under multi_path (it has no stack; its own parameters say what is on chip)" \
	-m multi_path -D divergence.chunk=3
warns "divergence.chunk=3: has no effect while divergence.depth is 0" -m ipdom -D divergence.depth=0 -D divergence.chunk=3
warns "l1.ways=2: has no effect while l1.bytes is 0" -D l1.bytes=0 -D l1.ways=2
warns "scheduler.active_warps=2: has no effect unless scheduler.policy is two_level" -D scheduler.policy=lrr -D scheduler.active_warps=2
warns "dram.latency=2: has no effect on functional runs, which have no time" --functional -D dram.latency=2
warns "its.policy=hanoi: has no effect under ipdom (only its reads it), nor under the other mechanism of this run" \
	--grid -m ipdom,token -D its.policy=hanoi
warns "its.policy=hanoi: has no effect in the reference interpreter, which has no mechanisms and no time" --reference -D its.policy=hanoi
warns "dram.latency=9: has no effect in the reference interpreter, which has no mechanisms and no time" --reference -D dram.latency=9
warns "divergence.model=its: has no effect beside --model" -m ipdom -D divergence.model=its
# the same in --model
warns_of_model() {
	text=$1
	shift
	$gsim -q -c teaching.lua "$@" short_circuit.ir >out 2>err || fail "$*: status $?"
	grep -qx -e "warning: --model $text" err && [ "$(wc -l <err)" = 1 ] || fail "$*: not '$text' but: $(cat err)"
}
warns_of_model "ipdom(its.policy=hanoi): has no effect under ipdom (only its reads it)" -m 'ipdom(its.policy=hanoi)'
warns_of_model "ipdom(divergence.chunk=4): has no effect while divergence.depth is 0" -m 'ipdom(divergence.chunk=4)' -D divergence.depth=0
warns_of_model "tf_sandy(divergence.depth=4): has no effect under tf_sandy (it spills nothing)" --grid -m 'tf_sandy( divergence.depth=4 ),ipdom'
warns_of_model "ipdom(spill_push=3): has no effect unless divergence.spill is constant" -m 'ipdom(spill_push=3, divergence.depth=4, divergence.spill=memory)'
# and where the machine is measured
$gsim -c teaching.lua --check-machine=latency/add.u32 -m ipdom -D its.policy=hanoi >out 2>err || fail "--check-machine: status $?"
grep -qx "warning: -D its.policy=hanoi: has no effect under ipdom (only its reads it)" err || fail "--check-machine: $(cat err)"
# none where some run reads it, a pass may weigh it, a machine file sets it, or nothing runs
silent --grid -m ipdom,its -D its.policy=hanoi
silent --functional -p dce -D dram.latency=2
silent -m its -D its.policy=hanoi
silent -m 'its(policy=hanoi)'
silent -m 'ipdom(divergence.depth=4, divergence.chunk=2)'
silent --reference -D limits.max_cycles=100000 -D warp_size=8 -D sm.max_threads_per_block=256
silent -c kepler.lua -m its
silent -m ipdom -D its.policy=hanoi --print-config >out
exit $failed
