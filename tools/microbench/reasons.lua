-- Why a figure of tools/reproduce microbench is not near what is published, by kinds of figures: the first reason that fits. A reason:
-- title, text, and what it explains: figures (a Lua pattern), machines and chips (patterns, nil: all), contradicted (only where another
-- published figure of the same is near). causes: what shows that the reason is the cause: { machine, figure, parameters as -D takes them,
-- what the figure comes to with them }; tests/tools/check_reasons.sh tries them.
local reasons = {}

reasons.list = {
	{ title = "Sources contradict each other", contradicted = true, figures = "",
		text = "Of the same operation other figures are published, too, for another card of the same generation or by another method, and gsim is near "
			.. "one of those. The machine file follows that of its own card, or the one that was measured on the smaller piece of code." },
	{ title = "An atomic operation with a result", machines = "^volta$", figures = "^latency/atom",
		text = "It takes as long as a load that finds its data in L2, whose latency is the TITAN V's; the card needs some 30 cycles more, for the operation itself. gsim has "
			.. "them as the time for which the slice is busy (`l2.atomic_cycles`), which is one cycle by the rate of many: 31 would give this row and a thirtieth of "
			.. "the rate.",
		causes = { { "volta", "latency/atom.global.add (one lane)", "l2.atomic_cycles=31", 243 } } },
	{ title = "A model's table", machines = "^pascal$", figures = "^latency/ld.global",
		text = "PPT-GPU's latencies are those of its model; `pascal.lua` has what was measured on a P4, and global loads pass L1, as compilers have it (through it, "
			.. "`l1.global`, a load takes 83 cycles).",
		causes = { { "pascal", "latency/ld.global L1", "l1.global=true", 83 } } },
	{ title = "Memory of a compiler's model", machines = "^rdna", figures = "^latency/ld",
		text = "LLVM's model has one latency for all accesses to local memory, which orders instructions and was not measured. `rdna2.lua` has what was measured.",
		causes = { { "rdna2", "latency/ld.shared (1 ways)", "shared.latency=20", 20 } } },
	{ title = "Near or far part of L2", figures = "^latency/ld.global L2", machines = "^[ah][mo]p",
		text = "The chip's L2 has two parts, of which one is farther away; gsim has one latency for all slices." },
	{ title = "Slow path of a division", figures = "^latency/div.rn.f32",
		text = "What is published was measured with operands that take the division's slow path, a call; gsim has one time for all operands, that of the "
			.. "fast path." },
	{ title = "Divisions and roots", figures = "^latency/[drs][ieqc][vmrp][%.t][urs.]",
		text = "They are code on a GPU, whose length depends on the compiler and on the operands; gsim gives each class one latency, for all machines "
			.. "that have no figure of their own." },
	{ title = "Sines", figures = "^latency/sin.approx",
		text = "All functions of the special function unit have one latency, that of `ex2`. A sine is a multiplication in front of it: the 23.5 cycles measured are those "
			.. "of both.",
		causes = { { "ada", "latency/sin.approx.f32", "units.sfu.latency=24", 24 } } },
	{ title = "Approximations", figures = "^latency/.*approx",
		text = "PTX's approximations are one instruction of the special function unit only where the compiler flushes denormals; what was measured on the TITAN "
			.. "cards contains the scaling around it, which gsim does not have. All functions of the unit have one latency." },
	{ title = "Rates", figures = "^rate/", text = "An operation that the guide counts as several instructions is one here." },
	{ title = "Comparisons of f64", figures = "^predicate/f64",
		text = "The compiler's table has the distance that two instructions must have at least; whether the comparison has its result by then, on chips with a slow f64 "
			.. "unit, a scoreboard says. Here a comparison has the latency of the unit's other operations.",
		causes = { { "turing", "predicate/f64 to guard", "units.fp64.latency=15", 16 } } },
	{ title = "From a comparison to a guard or branch", figures = "^predicate/",
		text = "Tables of compilers say how far apart two instructions must be; a chain measures that together with what else the operation waits for." },
	{ title = "Who reads a result", figures = "^readers/",
		text = "The sum of the ways from one pipe to another and back is compared; gsim's classes of readers are fewer than the compiler table's." },
	{ title = "Barriers of a block", figures = "^barrier/.*bar.sync",
		text = "Base and slope are one parameter each; a figure of one warp count alone may contain the loop around the barrier." },
	{ title = "Barriers of a warp", figures = "^barrier/bar.warp",
		text = "The published 14 cycles of the V100 are those of a cooperative group's function, whose other instructions are part of it; on later chips, measured "
			.. "alone, a group that has not parted takes 5, which is put in.",
		causes = { { "volta", "barrier/bar.warp.sync", "barrier.warp_latency=14", 14 } } },
	{ title = "Sleep", figures = "^barrier/nanosleep", text = "One source, for 0 ns; gsim sleeps as long as it was told." },
	{ title = "Fences", figures = "^fence/",
		text = "A fence waits for what it orders; how long that takes depends on what is outstanding, and for the whole system on the host's memory, which gsim "
			.. "does not have." },
	{ title = "From the ALU to the other pipes", machines = "^turing$", figures = "^latency/match",
		text = "16 cycles are put in as the latency of the operation. In the chain two operations of the ALU stand between one and the next, for which four cycles each "
			.. "are subtracted; but what a warp operation reads from the ALU it has after six (`decoupled_latency`). The published figure may contain these two cycles, "
			.. "or not.",
		causes = { { "turing", "latency/match.all (1 values)", "units.alu.decoupled_latency=4", 16 } } },
	{ title = "What lanes do together", figures = "^latency/[smvr][haoe][flutd]",
		text = "Shuffles, votes, matches and reductions have one latency for each class, and machines that nobody has measured have that of their "
			.. "nearest relative." },
	{ title = "Bit operations", figures = "^latency/[bcp][frlo][eizp]", text = "They run in a slower unit on chips since Volta, whose latency was measured on few cards; "
		.. "the source for Maxwell contradicts maxas, whose class for them takes 6 cycles." },
	{ title = "Loads", figures = "^latency/ld", text = "Latencies of levels are sums of parameters, some of which are assumptions." },
	{ title = "Atomic operations", figures = "^[la]t[eo]",
		text = "They pass L1 and are done at L2, one after the other on one address; the way there and back is L2's." },
	{ title = "Double precision", figures = "^latency/.*f64", text = "Additions and multiply-adds share one latency; figures of two sources differ by 10 to 20 %." },
	{ title = "Conversions", figures = "^latency/cvt", text = "There and back are one figure; gsim has one latency for all conversions." },
	{ title = "Arithmetic", figures = "^latency/", text = "What a compiler's model or a tool's table says, not a measurement of the card." },
	{ title = "Launches", figures = "^launch/", text = "Overheads depend on driver and host as much as on the chip." },
	{ title = "Loops", figures = "^loop/", text = "The turn of a loop is calibrated on one published figure, its parts are not." },
	{ title = "Bandwidths", figures = "^bandwidth/", text = "Peaks are put in; what of them is reached depends on the pattern of the accesses." },
}

-- Of the guide's rates that come out more than 0.2 % off: why.
reasons.rates = {
	text = "A rate is measured between two chains, of 96 and 32 rounds, in each of 32 warps; configured rates are the guide's exactly. What is left comes from the policy, "
		.. "greedy then oldest, under which warps do not end together: with `scheduler.policy=lrr` each of these is exact. The last warps to end "
		.. "(`rate/fma.f64`: four chains each, 20 cycles an operation) do not fill a unit; the shorter its latency the less, and none is missing at 10. Where "
		.. "the ends of the longer run overlap more than those of the shorter, their difference is less than its part of the time, so that a rate seems to lie "
		.. "above what the unit can do: with chains of a quarter of this length `rate/fma.f32` of Kepler was 197 of 192, which no unit gives.",
	causes = { { "titan_black", "rate/fma.f64", "scheduler.policy=lrr", 64 }, { "titan_black", "rate/fma.f64", "units.fp64.latency=10", 64 },
		{ "kepler", "rate/add.u32", "scheduler.policy=lrr", 160 } },
}

-- contradicted: another published figure of the same machine and operation is near.
function reasons.of(machine, figure, row, contradicted)
	for _, r in ipairs(reasons.list) do
		if figure:find(r.figures) and (not r.contradicted or contradicted) and (not r.machines or machine:find(r.machines))
			and (not r.chips or row.chip:find(r.chips)) then
			return r
		end
	end
	error("no reason for " .. figure)
end

return reasons
