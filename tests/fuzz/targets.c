/* The list of fuzz targets. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include "lib/file.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#define SEEDS(...) (const char *const[]){ __VA_ARGS__, NULL }
#define IR_SEEDS SEEDS("tests/isa", "tests/passes", "tests/sim/config/machines", "tests/tools/front", \
	"kernels")

const Target fuzz_targets[] = {
	{ .name = "ir", .help = "IR text: reader, verifier, printer, copy, passes, lowering for every "
		"mechanism",
		.seeds = IR_SEEDS, .extension = ".ir", .run = fuzz_ir, .words = words_of_operations,
		.text = true, .smoke = 4000 },
	{ .name = "launch", .help = "IR text whose kernels and host function run: reference interpreter and "
		"machine",
		.seeds = IR_SEEDS, .extension = ".ir", .run = fuzz_launch, .words = words_of_operations,
		.text = true, .smoke = 600 },
	{ .name = "reduce", .help = "IR text: the ways in which gsim-reduce makes modules smaller",
		.seeds = IR_SEEDS, .extension = ".ir", .run = fuzz_reduce, .words = words_of_operations,
		.text = true, .smoke = 800 },
	{ .name = "import", .help = "IR text in a file, among files that it may import and others that it "
		"may not",
		.seeds = SEEDS("tests/fuzz/seeds/import"), .extension = ".ir", .run = fuzz_import,
		.text = true, .smoke = 1000 },
	{ .name = "elf", .help = "object files: reader and writer",
		.seeds = IR_SEEDS, .extension = ".ir", .prepare = fuzz_make_object, .run = fuzz_elf,
		.words = words_of_operations,
		.smoke = 3000 },
	{ .name = "ptx", .help = "PTX text: reader, and the module it gives",
		.seeds = SEEDS("tests/isa/ptx", "kernels"), .extension = ".ptx", .run = fuzz_ptx,
		.words = words_of_operations,
		.text = true, .smoke = 500 },
	{ .name = "machine", .help = "machine files in Lua: sandbox, configuration, its printed form",
		.seeds = SEEDS("configs", "tests/random/hostile"), .extension = ".lua", .run = fuzz_machine,
		.words = words_of_keys,
		.text = true, .smoke = 600 },
	{ .name = "options", .help = "values of --model, --set and --passes",
		.seeds = SEEDS(NULL), .extension = "", .make = fuzz_make_options, .run = fuzz_options,
		.words = words_of_keys,
		.text = true, .smoke = 400 },
	{ .name = "workload", .help = "workloads in Lua on a small module, within hard limits",
		.seeds = SEEDS("tests/fuzz/seeds/workload", "tests/tools/front", "tests/sim/config/machines",
		"kernels"), .extension = ".lua", .run = fuzz_workload, .text = true,
		.smoke = 600 },
	{ .name = "json", .help = "reports as gsim-compare reads them, and as profiles",
		.seeds = SEEDS("tests/tools/front", "tests/fuzz/seeds/json"), .extension = ".json",
		.run = fuzz_json, .text = true, .smoke = 3000 },
	{ .name = "trace", .help = "traces: reader and exporters; inputs are unpacked",
		.seeds = SEEDS("tests/traces", "tests/fuzz/seeds/trace"), .extension = ".trace",
		.prepare = fuzz_unpack_trace, .run = fuzz_trace, .smoke = 3000 },
	{ .name = "run", .help = "random kernels, mechanisms and machines, out of bytes: memory must be the "
		"reference's",
		.seeds = SEEDS(NULL), .extension = "", .make = fuzz_make_runs, .run = fuzz_run,
		.smoke = 1000 },
	{ .name = NULL }
};

const Target *fuzz_target(const char *name)
{
	for (const Target *t = fuzz_targets; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

uint32_t fuzz_hash(const char *s, size_t n)
{
	return (uint32_t)crc32(0, (const unsigned char *)s, (unsigned)n);
}

const char *fuzz_file(const char *s, size_t n)
{
	static char path[64];
	static int fd = -1;
	const char *why;
	if (fd < 0) {
		fd = memfd_create("gsim-fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	return fd >= 0 && file_write(path, s, n, &why) ? path : NULL;
}
