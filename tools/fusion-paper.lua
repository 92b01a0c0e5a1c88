-- What J. Fukuhara, "Compiler Optimization for GPU Based on Code Motion" (thesis, 2023), chapter 5, says:
-- tables 5.1 (speed-up over O3: KF_trad, KFCM) and 5.2 (kernel launches: O3, KF_trad, KFCM), and what its
-- text says of them. `file`: the host program in kind, of kernels/host_programs.
local paper = {
	programs = {
		{ name = "bfs", file = "bfs", suite = "Rodinia", launches = { 24, 15, 15 }, speed = { 0.99, 0.99 } },
		{ name = "cfd", file = "cfd", suite = "Rodinia", launches = { 14003, 8003, 6003 }, speed = { 1.35, 1.48 } },
		{ name = "gaussian", file = "gaussian", suite = "Rodinia", launches = { 30, 15, 15 }, speed = { 1.02, 1.02 } },
		{ name = "huffman", file = "huffman", suite = "Rodinia", launches = { 46, 46, 44 }, speed = { 1.00, 1.00 } },
		{ name = "hybridsort", file = "hybrid_sort", suite = "Rodinia", launches = { 68, 64, 64 }, speed = { 1.02, 1.02 } },
		{ name = "lud", file = "lud", suite = "Rodinia", launches = { 46, 31, 30 }, speed = { 1.03, 1.04 } },
		{ name = "particlefilter", file = "particle_filter", suite = "Rodinia", launches = { 396, 99, 99 }, speed = { 1.03, 1.03 } },
		{ name = "srad_v1", file = "srad_v1", suite = "Rodinia", launches = { 502, 402, 301 }, speed = { 1.06, 1.11 } },
		{ name = "srad_v2", file = "srad_v2", suite = "Rodinia", launches = { 4, 2, 2 }, speed = { 1.22, 1.22 } },
		{ name = "eigenvalues", file = "eigenvalues", suite = "NVIDIA SDK", launches = { 300, 300, 201 }, speed = { 1.00, 1.25 } },
		{ name = "lineOfSight", file = "line_of_sight", suite = "NVIDIA SDK", launches = { 403, 403, 304 }, speed = { 1.00, 1.22 } },
		{ name = "mergeSort", file = "merge_sort", suite = "NVIDIA SDK", launches = { 49, 37, 37 }, speed = { 1.01, 1.01 } },
		{ name = "newdelete", file = "newdelete", suite = "NVIDIA SDK", launches = { 6, 5, 5 }, speed = { 1.02, 1.02 } },
		{ name = "barneshut", file = "barnes_hut", suite = "GCG", launches = { 93, 78, 66 }, speed = { 1.16, 1.21 } },
		{ name = "bspline", file = "b_spline", suite = "GCG", launches = { 96, 72, 72 }, speed = { 1.02, 1.02 } },
		{ name = "IFS", file = "fractal_flame", suite = "GCG", launches = { 1275, 1275, 1200 }, speed = { 1.00, 1.05 } },
		{ name = "pathReg", file = "path_regeneration", suite = "GCG", launches = { 10026, 7512, 6420 }, speed = { 1.18, 1.60 } },
		{ name = "rna_folding_gpu", file = "rna", suite = "GCG", launches = { 75774, 75774, 75771 }, speed = { 1.00, 1.00 } },
	},
	suites = { "Rodinia", "NVIDIA SDK", "GCG" },
	-- Section 5.3.2: geometric means by suite and over all: KF_trad, KFCM.
	reduction = { Rodinia = { 0.392, 0.435 }, ["NVIDIA SDK"] = { 0.109, 0.249 }, GCG = { 0.140, 0.203 }, all = { 0.271, 0.338 } },
	speed = { Rodinia = { 1.07, 1.09 }, ["NVIDIA SDK"] = { 1.01, 1.12 }, GCG = { 1.07, 1.16 }, all = { 1.06, 1.12 } },
	code = { mean = 0.356, before = 32.0, after = 39.8 }, -- section 5.3.3: growth of the device code, geometric mean; average size in kilobytes
	-- Section 5.3.2, in words.
	alike = "bfs gaussian hybridsort particlefilter srad_v2 mergeSort newdelete bspline", -- both passes do the same
	alone = "huffman eigenvalues lineOfSight IFS rna_folding_gpu", -- KFCM fuses, KF_trad nothing
}
return paper
