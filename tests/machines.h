/* The machine files that are shipped, for tests that go over all of them. tests/sim/config/check_machines.sh
   compares the list with the folder. */
#ifndef GSIM_TESTS_MACHINES_H
#define GSIM_TESTS_MACHINES_H
static const char *const machine_files[] = {
	"ada.lua",
	"ampere.lua",
	"blackwell.lua",
	"fermi.lua",
	"hopper.lua",
	"kepler.lua",
	"maxwell.lua",
	"p100.lua",
	"pascal.lua",
	"rdna2.lua",
	"sandy.lua",
	"teaching.lua",
	"titan_black.lua",
	"titan_rtx.lua",
	"turing.lua",
	"vega20.lua",
	"volta.lua",
};
enum { MACHINE_FILES = sizeof machine_files / sizeof *machine_files };
#endif
