-- What C. Saumya, K. Sundararajah and M. Kulkarni, "DARM: Control-Flow Melding for SIMT Thread Divergence
-- Reduction" (CGO 2022), measured on a Vega 20: for tools/reproduce-darm.lua. The figures have no numbers in
-- the text; these are facts from the raw results of the paper's artefact (repository
-- charitha22/cgo22ae-darm-benchmarks), by threads of a block: { DARM, branch fusion }. Table I and II, and
-- what is said in words, are the paper's.
return {
	mean = 1.15, best = 1.16, -- geometric means over everything, and over the block sizes at which the baseline is fastest
	speed = {
		BIT = { [32] = { 1.105, 0.979 }, [64] = { 1.460, 0.970 }, [128] = { 1.296, 0.981 }, [256] = { 1.238, 1.000 } },
		PCM = { [32] = { 1.374, 1.262 }, [64] = { 1.309, 1.182 }, [128] = { 1.242, 1.228 }, [256] = { 1.121, 1.025 } },
		MS = { [32] = { 1.181, 1.179 }, [64] = { 1.180, 1.182 }, [128] = { 1.174, 1.173 }, [256] = { 1.163, 1.163 } },
		LUD = { [16] = { 1.157, 1.154 }, [32] = { 1.081, 1.081 }, [64] = { 1.099, 1.074 }, [128] = { 0.993, 1.009 } },
		NQU = { [64] = { 1.190, 1.000 }, [96] = { 1.186, 1.000 }, [128] = { 1.187, 1.000 }, [256] = { 1.182, 1.000 } },
		SRAD = { [256] = { 0.972, 1.223 }, [1024] = { 0.927, 0.986 } },
		DCT = { [16] = { 1.001, 1.000 }, [64] = { 1.000, 1.001 }, [256] = { 1.010, 1.022 } },
	},
	synthetic = { -- one number for each
		SB1 = { 1.284, 1.286 }, SB1R = { 1.164, 1.164 }, SB2 = { 1.292, 1.000 }, SB2R = { 1.197, 1.000 }, SB3 = { 1.407, 0.996 }, SB3R = { 1.297, 0.994 },
		SB4 = { 1.950, 1.283 }, SB4R = { 1.579, 1.194 },
	},
	lanes = { -- ALU utilisation in percent: before, DARM, branch fusion
		BIT = { 61, 57, 61 }, PCM = { 19, 36, 24 }, MS = { 34, 38, 38 }, LUD = { 12, 22, 22 }, NQU = { 31, 45, 31 }, SRAD = { 92.5, 98, 96.5 },
		DCT = { 64, 100, 100 },
	},
	shared = { -- instructions to those before: DARM, branch fusion
		BIT = { 0.729, 1 }, PCM = { 0.661, 0.744 }, LUD = { 1.394, 1.394 }, NQU = { 1.009, 1 }, SRAD = { 0.917, 0.917 },
		SB1 = { 0.800, 0.800 }, SB2 = { 0.889, 1 }, SB3 = { 0.833, 1 }, SB4 = { 0.727, 0.909 },
	},
	global = { LUD = { 0.541 }, MS = { 1.129 } },
	threshold = { -- speed-up at 0.1, 0.2, ... 0.5
		BIT = { 1.446, 1.446, 1.447, 1.382, 1.384 }, PCM = { 1.373, 1.373, 1.373, 1.373, 1.262 }, MS = { 1.18, 1.18, 1.18, 1.18, 1.18 },
		LUD = { 1.098, 1.098, 1.094, 1.098, 1.000 }, NQU = { 1.153, 1.153, 1.153, 1.066, 1.066 }, SRAD = { 1.198, 1.194, 1.156, 1.178, 0.996 },
		DCT = { 1.017, 1.016, 1.016, 1.000, 0.996 },
	},
	compile = { BIT = 1.0444, PCM = 1.0443, MS = 1.0035, LUD = 1.0502, NQU = 1.0109, SRAD = 1.0244, DCT = 1.0093 }, -- table II
	table1 = { -- does it meld? tail merging, branch fusion, DARM
		{ "diamond, alike", "diamond", "sb1", { true, true, true } },
		{ "diamond, different", "diamond", "sb1r", { false, true, true } },
		{ "if-thens", "if_then", "sb2", { false, false, true } },
		{ "if-thens, different", "if_then", "sb2r", { false, false, true } },
		{ "nested", "nested", "sb3", { false, false, true } },
		{ "loops", "loops", "loops", { false, false, true } },
	},
}
