-- What lies around a workload: it may load some of it, and write over none of it.
local b = gpu.buffer("u8", 4000, 65)
for _, name in ipairs { "new.bin", "s.bin", "sub/new.bin", "sub/s.bin", "link-s.bin", "fifo-s.bin", ".s.bin", ".new.bin", "../s.bin", "../new.bin", "up/s.bin", "up/new.bin", "w.lua", "sub", "sub/.new/x" } do
	pcall(b.save, b, name)
	pcall(b.load, b, name)
	pcall(b.save, b, "./" .. name)
end
b:load("s.bin")
b:save("last.bin")
b:save("last.bin")
b:save(".bashrc")
