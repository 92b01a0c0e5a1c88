-- What J. Fukuhara, "Compiler Optimization for GPU Based on Code Motion" (thesis, 2023), measured: for
-- tools/reproduce-code-motion.lua and tools/reproduce-queries.lua. Its figures have no numbers in the text;
-- these are the ones that the text says. Speed-ups: "improved by 8 %" is 1.08. Environment 1 is a TITAN Black
-- (GK110B, CUDA 5.0), environment 2 a TITAN RTX (TU102, CUDA 11.1). Kernels have the names of kernels/ where
-- tools/reproduce-*.lua run them.
return {
	-- Section 4.2.3, pages 21 to 24, figure 4.7 (environment 1): speed-up by pass (SSCM: sscm); 1: no
	-- change is said, nil: nothing is said in numbers.
	motion = {
		nearest_neighbours = { spre = 1.05, sscm = 1.05 },
		fluid = { lcm = 1.08, scm = 1.08, spre = 1.08, sscm = 1.08 },
		finite_differences = { lcm = 1, scm = 1, sscm = 1.0807 },
		barnes_hut = { lcm = 1 },
	},
	-- Section 4.2.3, experiment B, figure 4.8: change of the run time's efficiency by sscm in percent,
	-- least and most; grids and blocks; where it loses.
	photons = { least = -8.9, most = 66.4, most_at = { 240, 128 }, blocks = { 1, 30, 60, 120, 240 }, threads = { 32, 64, 128, 192, 256 },
		loses = { { 30, 128 }, { 30, 192 }, { 60, 32 }, { 120, 32 } }, units = 15 },
	-- Section 4.3.4, pages 35 to 40, figures 4.14 to 4.17: speed-up by pass, environments 1 and 2.
	queries = {
		{
			b_plus_tree = { srqp = 1.21, esrqp = 1.21, ssrqp = 1.22 },
			bfs = { srqp = 1, esrqp = 1, ["ssrqp-s"] = 1.196, ssrqp = 1.225 },
			huffman = { srqp = 1.07, esrqp = 1.07, ["ssrqp-s"] = 1.07, ssrqp = 1.07 },
			boxes = { srqp = 1.015, esrqp = 1.015, ["ssrqp-s"] = 1, ssrqp = 1.015 },
			cells = { srqp = 1.01, esrqp = 1.01, ["ssrqp-s"] = 1.04, ssrqp = 1.03 },
			barnes_hut = { srqp = 1, esrqp = 1, ["ssrqp-s"] = 1.10, ssrqp = 1.10 },
			kmeans = { srqp = 1, esrqp = 1, ["ssrqp-s"] = 1.40, ssrqp = 1.40 },
			nearest_neighbours = { srqp = 1, esrqp = 1, ["ssrqp-s"] = 1.03, ssrqp = 1.03 },
			mean = { srqp = 1.011, esrqp = 1.011, ["ssrqp-s"] = 1.026, ssrqp = 1.034 },
		},
		{
			b_plus_tree = { srqp = 1.585, esrqp = 1.585, ["ssrqp-s"] = 1.849, ssrqp = 1.88 },
			kmeans = { ["ssrqp-s"] = 1.10, ssrqp = 1.10 },
			barnes_hut = { srqp = 1, esrqp = 1, ["ssrqp-s"] = 1, ssrqp = 1 },
			nearest_neighbours = { srqp = 1, esrqp = 1, ["ssrqp-s"] = 1, ssrqp = 1 },
			mean = { srqp = 1.02, esrqp = 1.02, ["ssrqp-s"] = 1.032, ssrqp = 1.032 },
		},
	},
	-- The same section, figures 4.19 and 4.20: speed-up over the program whose accesses are coalesced;
	-- `none`: with the other pattern alone.
	patterns = {
		{
			sobel = { none = 0.98, srqp = 1.02, esrqp = 1.02, ["ssrqp-s"] = 0.91, ssrqp = 1.02 },
			bilateral = { none = 0.95, srqp = 1.14, esrqp = 1.14, ["ssrqp-s"] = 1.08, ssrqp = 1.14 },
		},
		{
			sobel = { none = 1, ["ssrqp-s"] = 1 },
			bilateral = { none = 0.89, srqp = 1.03, esrqp = 1.03, ["ssrqp-s"] = 1, ssrqp = 1.03 },
		},
	},
}
