#!/bin/sh
# The figures of the linearization paper (kernels/linearization): the edges that its definition 1 calls unstructured, how often a
# warp fetches each block under immediate post-dominators and how deep its stack is, before and after the pass. The stack pushes no
# entry for a side that begins where the sides meet, so that it is shallower than the paper's by one for each such branch.
srcdir=${srcdir:-$(dirname "$0")/../..}
top=$(cd "$srcdir" && pwd)
command -v lua5.4 >/dev/null || command -v lua >/dev/null || exit 77 # skipped
GSIM_BUILD=${GSIM_BUILD:-$PWD}
. "$top/tools/programs"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$top/kernels/linearization" || exit 2
failed=0

same() { # what, found, expected
	[ "$2" = "$3" ] && return
	echo "FAILED: $1: $2, not $3"
	failed=1
}

edges() { # figure, unstructured edges in the order of their blocks
	same "$1: unstructured edges" "$(gsim-opt --cfg "$1" "$1.ir" | awk '
		match($0, /label="B[0-9]*/) { name[$1] = substr($0, RSTART + 7, RLENGTH - 7) }
		/color=red/ { list = list " " name[$1] name[$3] }
		END { print substr(list, 2) }')" "$2"
}

cat >"$tmp/fetches.lua" <<'END'
local l = dofile(arg[1] .. "/tools/json.lua").read(arg[2]).launches[1]
local t = { "depth " .. l.divergence.max_depth .. ":" }
for _, b in ipairs(l.blocks) do t[#t + 1] = b.label .. "=" .. b.fetches end
print(table.concat(t, " "))
END
warp() { # figure, conditions, passes, depth and fetches
	gsim -q -c fermi.lua -m ipdom --verify --laws -p "$3" -w figures.lua -s "$tmp/report" "$1.ir" -- "$2" 1 || failed=1
	same "$1, $2, $3" "$("$lua" "$tmp/fetches.lua" "$top" "$tmp/report")" "$4"
}

guards() { # figure, blocks that get guards, back edges
	same "$1: guards" "$(gsim-opt -p 'linearize(opt=0)' "$1.ir" | sed -n 's/^\(B[0-9]*\)_guard:.*/\1/p' | sort | tr '\n' ' ' | sed 's/ $//')" "$2"
	same "$1: back edges" "$(gsim-opt -p 'linearize(opt=0)' "$1.ir" | awk '
		/^B[0-9]*_back:/ { from = $1; sub(/_.*/, "", from) }
		from && $1 == "bra" { to = $3; sub(/_.*/, "", to); print from to; from = "" }' | tr '\n' ' ' | sed 's/ $//')" "$3"
}

edges figure1 "B2B3 B2B5 B3B5"
edges figure2a ""
edges figure2b ""
edges figure3 ""
edges figure5 "B2B5 B3B6"
edges figure6a "B1B5 B2B3"

guards figure1 "B2 B3 B4 B5" ""
guards figure5 "B2 B3 B4 B5" "B4B2"
guards figure5_crossing "B2 B3 B4 B5" "B4B2" # in this order B5 stands before B3: its retreating edge needs no more
guards figure6a "B2 B3 B5" "B5B3"            # B3 and B4 are one unit

warp figure1 paper none "depth 4: B1=1 B2=1 B3=2 B4=1 B5=3 B6=1"
warp figure1 paper linearize "depth 2: B1=1 B2=1 B3=1 B4=1 B5=1 B6=1"
warp figure2b paper none "depth 2: B1=1 B2=2 B3=2 B4=30 B5=2 B6=2 B7=1"
warp figure3 paper none "depth 7: B1=1 B2=1 B3=1 B4=1 B5=1 B6=1 B7=1 B8=1 B9=1 B10=1"

warp figure2b paper 'linearize(merge=1)' "depth 2: B1=1 B2=3 B3=3 B4=25 B5=3 B6=3 B7=1" # the inner loop's 30 turns become 25
warp figure3 paper 'linearize(depth=3)' "depth 2: B1=1 B2=1 B3=1 B4=1 B5=1 B6=1 B7=1 B8=1 B9=1 B10=1"
warp figure3 paper 'linearize(depth=5)' "depth 4: B1=1 B2=1 B3=1 B4=1 B5=1 B6=1 B7=1 B8=1 B9=1 B10=1"
same "figure1, whole: guards" "$(gsim-opt -p 'linearize(whole=1,opt=0)' figure1.ir | sed -n 's/^\(B[0-9]*\)_guard:.*/\1/p' | tr '\n' ' ')" "B1 B2 B3 B4 B5 B6 "
same "figure2a, in the order of figure 7" "$(gsim-opt -p 'linearize(order=[B1,B2,B5,B3,B6,B4,B7],opt=0)' figure2a.ir | awk '
	/^[A-Za-z0-9_]*_(guard|entry):/ { at = $1 }
	/^figure2a_entry/ || /_guard:/ { name = $1; sub(/:.*/, "", name) }
	name && $1 == "bra" { to[name] = $NF; for (k = 2; k <= NF; k++) if ($k ~ /!/) { to[name] = $(k - 1); break }; name = "" }
	END { for (g = to["figure2a_entry"]; g in to; g = to[g]) { b = g; sub(/_.*/, "", b); printf "%s ", b } }')" "B1 B2 B5 B3 B6 B4 B7 "

gsim -q -c fermi.lua -m ipdom --verify -p 'linearize(order=[B2,B5,B3,B6,B4,B7])' -w figures.lua -t "$tmp/trace" figure2a.ir -- 1 1 || failed=1
same "figure2a, as a warp runs it" "$(gsim-trace --csv "$tmp/trace" | awk -F, '
	$8 == "issue" && $16 ~ /^B[0-9]$/ && $16 != last { printf "%s ", last = $16 }')" "B1 B2 B5 B3 B6 B4 B7 B8 "

# Branch interleaving by itself: what is loaded is asked for on both sides before it is used on either, and B6
# falls apart behind its load (section 5.1). The same threads come to each block, no instruction of the source
# is there twice, and it takes less time.
cat >"$tmp/lanes.lua" <<'END'
local l = dofile(arg[1] .. "/tools/json.lua").read(arg[2]).launches[1]
local t = { l.cycles }
for _, b in ipairs(l.blocks) do if b.label:find("^B%d+$") then t[#t + 1] = b.label .. "=" .. b.threads end end
print(table.concat(t, " "))
END
lanes() { # passes, conditions, warps: cycles, then threads of each block
	gsim -q -c volta.lua -D launch.warm=true -m ipdom --verify --laws -p "$1" -w figures.lua -s "$tmp/report" figure2a.ir -- "$2" "$3" >&2 && "$lua" "$tmp/lanes.lua" "$top" "$tmp/report"
}
for passes in 'linearize(interleave=1)' 'linearize(interleave=1,split-loads=1)' 'linearize(interleave=1,split-loads=1,opt=0)'; do
	same "figure2a, $passes: instructions of the source" "$(gsim-opt -p "$passes" figure2a.ir | grep '^	%' | grep -vc '!origin')" \
		"$(gsim-opt figure2a.ir | grep -c '^	%')"
	for seed in 1 2 3; do
		before=$(lanes none $seed 4)
		after=$(lanes "$passes" $seed 4)
		same "figure2a, $passes, $seed: threads of each block" "${after#* }" "${before#* }"
		[ "$passes" = "${passes%opt=0)}" ] || continue
		[ "${after%% *}" -lt $((95 * ${before%% *} / 100)) ] || { echo "FAILED: figure2a, $passes, $seed: ${after%% *} cycles, without ${before%% *}"; failed=1; }
	done
done
gsim -q -c volta.lua -m ipdom --verify -p 'linearize(interleave=1,split-loads=1)' -w figures.lua -t "$tmp/trace" figure2a.ir -- 1 1 || failed=1
same "figure2a, interleaved, as a warp runs it" "$(gsim-trace --csv "$tmp/trace" | awk -F, '
	$8 == "issue" && $16 ~ /^B[0-9](_use)?$/ && $16 != last { printf "%s ", last = $16 }')" "B1 B2 B5 B6 B3 B4 B7 B6_use B8 "

# Unrolled loops on both sides of a branch: where more registers would live at once than option registers
# allows, nothing is interleaved, and nothing spills.
cat >"$tmp/worst.lua" <<'END'
for _, l in ipairs(dofile(arg[1] .. "/tools/json.lua").read(arg[2]).launches) do
	if l.kernel == arg[3] then print(l.static.registers, l.cycles) end
end
END
worst() { # configuration, passes, kernel of lu: registers, cycles
	gsim -q -c "$1" -m ipdom -p "$2" -s "$tmp/report" "$top/kernels/lu/lu.ptx" >&2 && "$lua" "$tmp/worst.lua" "$top" "$tmp/report" "$3"
}
for config in fermi.lua kepler.lua volta.lua; do
	for kernel in perimeter perimeter_16; do
		before=$(worst $config none $kernel)
		after=$(worst $config 'linearize(interleave=1,split-loads=1)' $kernel)
		echo "$config: $kernel: registers and cycles $before, then $after"
		set -- $before $after
		[ $# -eq 4 ] && [ "$3" -le $(($1 + 16)) ] && [ $((100 * $4)) -le $((102 * $2)) ] || { echo "FAILED: $config, $kernel: registers, cycles: $before, then $after"; failed=1; }
	done
done
gsim-opt --remarks -p 'linearize(interleave=1,split-loads=1,registers=1)' "$top/kernels/two_chases/two_chases.ir" 2>&1 >"$tmp/after.ir" | grep -q \
	'two_chases: left alone: a region of 4 units would take .* registers would live at once; .* do so far, and option registers allows' || { echo "FAILED: registers=1"; failed=1; }

# Whatever decides the branches: structured, every block once as before, at most two new blocks for each, one
# fetch of each block in graphs without loops.
for f in figure1 figure2a figure3 figure5 figure5_crossing figure6a figure6c; do
	for passes in linearize 'linearize(opt=0)'; do
		gsim-opt -p "$passes" "$f.ir" >"$tmp/after.ir" || failed=1
		gsim-opt --cfg "$f" "$tmp/after.ir" | grep -q '^	// structured' || { echo "FAILED: $f, $passes: not structured"; failed=1; }
		same "$f, $passes: blocks of the source" "$(grep -c '^B[0-9]*:' "$tmp/after.ir")" "$(grep -c '^B[0-9]*:' "$f.ir")"
		[ "$(grep -c '^[A-Za-z].*:' "$tmp/after.ir")" -le $((3 * $(grep -c '^B[0-9]*:' "$f.ir"))) ] || { echo "FAILED: $f: too many blocks"; failed=1; }
		case $f in
		figure5* | figure6*) continue ;;
		esac
		for seed in 1 2 3; do
			gsim -q -c fermi.lua -m ipdom --verify -p "$passes" -w figures.lua -s "$tmp/report" "$f.ir" -- $seed 1 || failed=1
			"$lua" "$tmp/fetches.lua" "$top" "$tmp/report" | grep -q 'B[0-9]*=[02-9]' && { echo "FAILED: $f: a block twice"; failed=1; }
		done
	done
done
exit $failed
