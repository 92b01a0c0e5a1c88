-- Why a figure of tools/reproduce microbench is not near what is published, by kinds of figures, the first that fits. A reason: title,
-- text, and what it explains: figures (a Lua pattern), machines (a pattern, nil: all), chips (the same).
local reasons = {}

reasons.list = {
	{ title = "Another card", machines = "^volta$", chips = "^TITAN V$", figures = "^latency/ld",
		text = "`volta.lua` is the V100 of Jia et al.; the TITAN V has less L2, another clock and other memory. Where two published figures contradict each "
			.. "other, the machine file follows the one of its own card." },
	{ title = "Another card", machines = "^turing$", chips = "^RTX 2070$", figures = "^latency/ld",
		text = "`turing.lua` is an RTX 2060 (TU106), with latencies of its L2 and shared memory as measured on that chip's T4 relative." },
	{ title = "Two sources contradict each other", machines = "^pascal$", figures = "^latency/ld",
		text = "PPT-GPU's table does not say which chip it was measured on; `pascal.lua` follows Jia et al., who measured the same chip (a P4), and "
			.. "Accel-Sim's model of a TITAN X, which agree." },
	{ title = "Near or far part of L2", figures = "^latency/ld.global L2",
		text = "The chip's L2 has two parts, of which one is farther away; gsim has one latency for all slices." },
	{ title = "Slow path of a division", figures = "^latency/div.rn.f32",
		text = "What was published was measured with operands that take the division's slow path (a call); gsim has the fast path's time for every operand." },
	{ title = "Divisions and roots", figures = "^latency/[drs][ieqc][vmrp]", chips = "",
		text = "They are code on a GPU, whose length depends on the compiler and on the operands (slow paths are calls); gsim gives each class one latency." },
	{ title = "Rates of conversions and bit operations", figures = "^rate/",
		text = "The guide's rate is that of the narrowest unit that takes part; on gsim the operation runs in the unit that the machine file gives it." },
	{ title = "From a comparison to a guard or branch", figures = "^predicate/",
		text = "Tables of compilers say how far apart two instructions must be, which is an upper bound for how soon the second can issue; a chain measures the "
			.. "distance together with what else the operation waits for." },
	{ title = "Who reads a result", figures = "^readers/",
		text = "Ways from one pipe to another: the sum of two ways is compared, of which gsim's latencies give each one." },
	{ title = "Barriers of a block", figures = "^barrier/bar.sync",
		text = "Base and slope are one parameter each; what is published for one warp count only may contain the loop around the barrier." },
	{ title = "Barriers of a warp", figures = "^barrier/bar.warp",
		text = "A group of lanes that has not parted passes in the time of an instruction; what is published was measured with a loop or a cooperative group around it." },
	{ title = "Fences", figures = "^fence/",
		text = "A fence of the block waits for nothing here that takes time, but is an instruction." },
	{ title = "What lanes do together", figures = "^latency/[smvr][hao]",
		text = "Shuffles, votes and matches run in units that are shared by a processing block's neighbours; gsim has a latency for each class." },
	{ title = "Loads", figures = "^latency/ld",
		text = "Latencies of other levels are sums of parameters, some of which are assumptions." },
	{ title = "Atomic operations", figures = "^[la]t[eo]", text = "They pass L1 and are done at L2, one after the other on one address; what the way there and back takes is L2's." },
	{ title = "Launches", figures = "^launch/", text = "Overheads depend on driver and host as much as on the chip." },
	{ title = "Loops", figures = "^loop/", text = "The turn of a loop is calibrated on one published figure, its parts are not." },
	{ title = "Other figures", figures = "", text = "No reason is known." },
}

function reasons.of(machine, figure, row)
	for _, r in ipairs(reasons.list) do
		if figure:find(r.figures) and (not r.machines or machine:find(r.machines)) and (not r.chips or row.chip:find(r.chips)) then return r end
	end
end

return reasons
