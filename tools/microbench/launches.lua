-- Launches one behind the other, and blocks that do nothing but read the clock.
return function(bench)
	bench.row { figure = "launch/one more kernel", unit = "ns", mode = "launches" }
	bench.row { figure = "launch/one more block on an SM", unit = "cycles", mode = "turns", long = "short_blocks", blocks = 8192, threads = 32, slow = true }
end
