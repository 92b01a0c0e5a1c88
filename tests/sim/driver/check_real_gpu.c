/* Launches on a real GPU, for which the stand-in of the driver is linked in: results are those of the
 * reference interpreter, and whatever call of the driver fails or lacks, an error says which. */
#include "sim/driver/real_gpu.h"
#include "sim/host/run.h"
#include "tests/check.h"

void *stand_in_find(void *self, const char *name);

static const char text[] =
	".version 7.8\n.target sm_70\n.address_size 64\n"
	".visible .global .align 4 .u32 total[4] = { 1, 2, 3, 4 };\n"
	".visible .const .align 4 .u32 factor = 3;\n"
	".visible .global .align 8 .u64 place = total;\n"
	".visible .entry scale(.param .u64 pa, .param .u32 pn)\n{\n"
	"	.reg .u32 i, n, x, f; .reg .u64 a; .reg .pred q;\n"
	"	ld.param.u64 a, [pa]; ld.param.u32 n, [pn]; mov.u32 i, %tid.x;\n"
	"	setp.ge.u32 q, i, n; @q ret;\n"
	"	mad.wide.u32 a, i, 4, a; ld.global.u32 x, [a]; ld.const.u32 f, [factor]; \n"
	"	mul.lo.u32 x, x, f; st.global.u32 [a], x; atom.global.add.u32 x, [total+4], x; ret;\n}\n"
	/* follows pointers in memory, and through a variable */
	".visible .entry follow(.param .u64 pa)\n{\n"
	"	.reg .u64 a, b; .reg .u32 x;\n"
	"	ld.param.u64 a, [pa]; ld.global.u64 b, [a]; ld.global.u32 x, [b]; add.u32 x, x, 5;\n"
	"	st.global.u32 [b], x; ld.global.u64 b, [place]; st.global.u32 [b+8], x; ret;\n}\n"
	/* a structure with a number, an address and a number */
	".visible .entry through(.param .align 8 .b8 ps[24])\n{\n"
	"	.reg .u64 a; .reg .u32 x, y;\n"
	"	ld.param.u32 x, [ps]; ld.param.u64 a, [ps+8]; ld.param.u32 y, [ps+16]; add.u32 x, x, y;\n"
	"	st.global.u32 [a], x; ret;\n}\n"
	".extern .shared .align 4 .b8 room[];\n"
	".visible .entry wide(.param .u64 pa)\n{\n"
	"	.reg .u64 a; .reg .u32 x;\n"
	"	ld.param.u64 a, [pa]; mov.u32 x, 77; st.shared.u32 [room+59996], x; \n"
	"	ld.shared.u32 x, [room+59996]; st.global.u32 [a], x; ret;\n}\n"
	".visible .entry astray(.param .u64 pa)\n{\n"
	"	.reg .u64 a; .reg .u32 x;\n"
	"	ld.param.u64 a, [pa]; ld.global.u64 a, [a]; st.global.u32 [a], x; ret;\n}\n"
	".visible .entry spin(.param .u64 pa)\n{\n"
	"	.reg .u64 a; .reg .u32 x; .reg .pred q;\n"
	"	ld.param.u64 a, [pa];\nA:\n	ld.volatile.global.u32 x, [a]; setp.ne.u32 q, x, 12345;\n"
	"	@q bra A; ret;\n}\n"
	".visible .entry stop()\n{\n	trap;\n}\n";
static const char texture[] =
	".version 7.8\n.target sm_70\n.address_size 64\n"
	".global .texref picture;\n"
	".visible .entry look()\n{\n	.reg .f32 a, b, c, d, x;\n"
	"	tex.1d.v4.f32.f32 {a, b, c, d}, [picture, {x}]; ret;\n}\n";

static const char whole[] =
	"local a = gpu.buffer('u32', 40, function(i) return i end)\n"
	"gpu.launch{ kernel = 'scale', grid = 1, block = 64, args = { a, 40 } }\n"
	"local p = gpu.buffer('u64', 2, { a + 3 })\n"
	"gpu.launch{ kernel = 'follow', grid = 1, block = 1, args = { p } }\n"
	"gpu.launch{ kernel = 'wide', grid = 1, block = 1, shared = 60000, args = { a + 9 } }\n"
	"gpu.launch{ kernel = 'through', grid = 1, block = 1, cooperative = true, "
		"args = { string.pack('<i4i4i8i4i4', 7, 0, gpu.symbol('total'):address(), 8, 0) } }\n"
	"gpu.check(gpu.symbol('total'):get(0) == 15)\n"
	/* so much that memory is asked for once more */
	"local b = gpu.buffer('u32', 2 << 20)\n"
	"gpu.launch{ kernel = 'scale', grid = 1, block = 64, args = { b, 40 } }\n"
	"gpu.symbol('factor'):set(0, 10)\n"
	"gpu.launch{ kernel = 'scale', grid = 1, block = 64, stream = 2, args = { a, 40 } }\n";
/* no addresses in buffers */
static const char arguments_only[] =
	"local a = gpu.buffer('u32', 40, function(i) return i end)\n"
	"gpu.launch{ kernel = 'scale', grid = 1, block = 64, args = { a, 40 } }\n"
	"gpu.launch{ kernel = 'through', grid = 1, block = 1, args = { string.pack('<i4i4i8i4i4', "
		"7, 0, a:address() + 12, 8, 0) } }\n"
	"local b = gpu.buffer('u32', 4000)\n"
	"gpu.launch{ kernel = 'scale', grid = 1, block = 64, args = { b, 40 } }\n"
	"gpu.launch{ kernel = 'scale', grid = 1, block = 64, args = { a + 20, 10 } }\n";

/* What became of a workload on the GPU. */
typedef struct Seen { bool opened, loaded, same, moved, runs_on; RunStatus status; char text[4000]; } Seen;

static Config config;
static const char *ptx = text;

static Run *run_workload_text(const Module *m, const char *workload, RealGpu *g, Diag *d)
{
	RunOptions o = { .reference = !g, .real_gpu = g, .workload_text = workload, .gpu = { .threads = 1 } };
	Run *r = run_new(&config, m, &o, d);
	ck_assert(r != NULL);
	run_module(r);
	return r;
}

static void run_and_compare(RealGpu *g, const char *workload, Seen *seen, Diag *d)
{
	Diag other = { 0 };
	Module *m = module_read_text(ptx, strlen(ptx), "text.ptx", NULL, d);
	ck_assert(m != NULL);
	Run *gpu = run_workload_text(m, workload, g, d);
	seen->status = gpu->status;
	if (gpu->status == RUN_OK) {
		Run *reference = run_workload_text(m, workload, NULL, &other);
		ck_assert(reference->status == RUN_OK);
		seen->same = run_same(gpu, reference, "on the GPU", "by the reference interpreter", NULL, d);
		run_free(reference);
	}
	seen->moved = real_gpu_facts(g)->moved;
	seen->runs_on = real_gpu_runs_on(g);
	run_free(gpu);
	module_free(m);
	diag_free(&other);
}

/* Runs the workload on a stand-in that has been told so. */
static Seen try_on(const char *told, const char *workload)
{
	Seen seen = { 0 };
	Diag d = { 0 };
	setenv("STAND_IN", told, 1);
	config_defaults(&config);
	config.sm_max_shared = config.sm_shared = 65536;
	RealGpu *g = real_gpu_open(stand_in_find, NULL, 0.5, &d);
	seen.opened = g != NULL;
	seen.loaded = g && real_gpu_load(g, ptx, "text.ptx", (uint64_t)config.memory_limit, &d);
	if (seen.loaded)
		run_and_compare(g, workload, &seen, &d);
	if (g)
		real_gpu_close(g);
	for (int i = 0; i < d.item.n; i++)
		snprintf(seen.text + strlen(seen.text), sizeof seen.text - strlen(seen.text), "%s\n",
			d.item.v[i].text);
	diag_free(&d);
	return seen;
}

#define SAYS(S, WHAT) ck_assert_msg(strstr((S).text, WHAT) != NULL, "no '%s' in: %s", WHAT, (S).text)

START_TEST(results)
{
	Seen s = try_on("", whole);
	ck_assert_msg(s.status == RUN_OK && s.same && !s.moved, "%s", s.text);
	s = try_on("slow=wide", whole);
	ck_assert_msg(s.status == RUN_OK && s.same, "%s", s.text);
}
END_TEST

/* The host reads and writes between launches, in every order. */
static const char in_between[] =
	"local a, b = gpu.buffer('u32', 40, 1), gpu.buffer('u32', 40, 2)\n"
	"local n = 0\n"
	"for k = 1, 200 do\n"
	"	local c, i = ({ a, b })[k % 2 + 1], k * 7 % 40\n"
	"	if k % 3 == 0 then c:set(i, c:get((i + n) % 40) + k) end\n"
	"	if k % 5 == 0 then gpu.launch{ kernel = 'scale', grid = 1, block = 64, args = { c, 1 + i } } "
	"end\n"
	"	if k % 7 == 0 then n = (n + gpu.symbol('total'):get(1)) % 40 end\n"
	"	if k % 11 == 0 then gpu.symbol('factor'):set(0, k % 4) end\n"
	"	if k % 13 == 0 then gpu.symbol('total'):fill(n) end\n"
	"	if k % 17 == 0 then c = gpu.buffer('u32', 40, { n }) a, b = b, c end\n"
	"	if k % 19 == 0 then c:view('u8'):fill(1) end\n"
	"end\n";

START_TEST(host_between_launches)
{
	static const char *const told[] = { "", "elsewhere" };
	for (int i = 0; i < 2; i++) {
		Seen s = try_on(told[i], in_between);
		ck_assert_msg(s.status == RUN_OK && s.same, "%s", s.text);
	}
}
END_TEST

/* Bytes are copied when the other side does not have them, and then alone: two variables and a buffer go to
   the GPU once, and a buffer that the host has written goes once more; what the host reads comes back. */
START_TEST(copies)
{
	static const char workload[] = "local a = gpu.buffer('u32', 40, 1)\n"
		"for k = 1, 9 do gpu.launch{ kernel = 'scale', grid = 1, block = 64, args = { a, 40 } } end\n"
		"gpu.check(a:get(5) == 19683 and a:get(6) == 19683)\n"
		"a:set(0, 1)\n"
		"gpu.launch{ kernel = 'scale', grid = 1, block = 64, args = { a, 40 } }\n";
	ck_assert(try_on("fail=cuMemcpyHtoD_v2:4", workload).status != RUN_OK);
	ck_assert(try_on("fail=cuMemcpyHtoD_v2:5", workload).same);
	/* the buffer before it is read, and after the last launch; one variable */
	ck_assert(try_on("fail=cuMemcpyDtoH_v2:3", workload).status != RUN_OK);
	ck_assert(try_on("fail=cuMemcpyDtoH_v2:4", workload).same);
}
END_TEST

/* A driver that places buffers where it likes. */
START_TEST(moved)
{
	static const char *const told[] = { "elsewhere", "without=cuMemAddressReserve",
		"without=cuMemSetAccess",
		"fail=cuMemGetAllocationGranularity:1" };
	for (int i = 0; i < 4; i++) {
		Seen s = try_on(told[i], arguments_only);
		ck_assert_msg(s.status == RUN_OK && s.same && s.moved, "%s: %s", told[i], s.text);
		/* a pointer in a buffer does not hold, and leads nowhere */
		s = try_on(told[i], "local a = gpu.buffer('u32', 4)\nlocal p = gpu.buffer('u64', 1, { a })\n"
			"gpu.launch{ kernel = 'follow', grid = 1, block = 1, args = { p } }\n");
		ck_assert_msg(!(s.status == RUN_OK && s.same), "%s", told[i]);
	}
}
END_TEST

START_TEST(wrong)
{
	Seen s = try_on("wrong=wide", "local a = gpu.buffer('u32', 4)\n"
		"gpu.launch{ kernel = 'wide', grid = 1, block = 1, shared = 60000, args = { a + 1 } }\n");
	ck_assert(s.status == RUN_OK && !s.same);
}
END_TEST

/* Calls without which gsim does as well: it places buffers elsewhere, compares one variable less, or has an
   end already. */
static bool can_do_without(const char *call)
{
	static const char *const may[] = { "cuGetErrorName", "cuGetErrorString",
		"cuMemGetAllocationGranularity",
		"cuMemAddressReserve", "cuMemAddressFree", "cuMemUnmap", "cuMemRelease", "cuMemFree_v2",
		"cuEventDestroy_v2", "cuModuleUnload", "cuModuleGetGlobal_v2", "cuMemAlloc_v2",
		"cuDevicePrimaryCtxRelease_v2" };
	for (size_t i = 0; i < sizeof may / sizeof *may; i++)
		if (!strcmp(may[i], call))
			return true;
	return false;
}

/* The call's name as messages have it. */
static const char *told_name(const char *call, char name[80])
{
	snprintf(name, 80, "%s", call);
	char *version = strstr(name, "_v2");
	if (version)
		*version = 0;
	return name;
}

static const struct { const char *name; int when; } calls[] = {
#define C(MEMBER, NAME, WHEN, ARGUMENTS) { #NAME, CUDA_##WHEN },
	CUDA_CALLS(C)
#undef C
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Whichever call fails, at the first time or the second, the message names it. */
START_TEST(failures)
{
	char told[120], name[80];
	for (int i = 0; i < CALLS; i++)
		for (int n = 1; n <= 2; n++) {
			snprintf(told, sizeof told, "fail=%s:%d", calls[i].name, n);
			Seen s = try_on(told, whole);
			bool well = s.opened && s.loaded && s.status == RUN_OK && s.same;
			ck_assert_msg(!well || n == 2 || can_do_without(calls[i].name),
				"%s fails, and nobody sees it", calls[i].name);
			if (well || can_do_without(calls[i].name))
				continue;
			SAYS(s, told_name(calls[i].name, name));
			SAYS(s, "CUDA_ERROR_UNKNOWN (unknown error)");
		}
}
END_TEST

START_TEST(old_drivers)
{
	char told[120];
	for (int i = 0; i < CALLS; i++) {
		snprintf(told, sizeof told, "without=%s", calls[i].name);
		Seen s = try_on(told, arguments_only);
		if (calls[i].when == CUDA_NEWER) {
			ck_assert_msg(s.status == RUN_OK && s.same, "%s: %s", told, s.text);
			continue;
		}
		ck_assert(!s.opened);
		SAYS(s, calls[i].name);
	}
	Seen s = try_on("without=cuLaunchCooperativeKernel", whole);
	ck_assert(s.status == RUN_BAD_INPUT);
	SAYS(s, "no cooperative launches");
	s = try_on("none", whole);
	ck_assert(!s.opened);
	SAYS(s, "shows no GPU");
}
END_TEST

/* Launches that fail. */
START_TEST(faults)
{
	Seen s = try_on("", "local a = gpu.buffer('u64', 4, 64)\n"
		"gpu.launch{ kernel = 'astray', grid = 1, block = 1, args = { a } }\n");
	ck_assert(s.status == RUN_FAILED && !s.runs_on);
	SAYS(s, "kernel astray on the GPU: cuEventQuery: CUDA_ERROR_ILLEGAL_ADDRESS");
	s = try_on("", "gpu.launch{ kernel = 'stop', grid = 1, block = 1 }\n");
	ck_assert(s.status == RUN_FAILED);
	SAYS(s, "CUDA_ERROR_LAUNCH_FAILED");
	s = try_on("", "local a = gpu.buffer('u32', 4)\n"
		"gpu.launch{ kernel = 'spin', grid = 1, block = 1, args = { a } }\n");
	ck_assert(s.status == RUN_FAILED && s.runs_on);
	SAYS(s, "kernel spin on the GPU: no end within 0.5 seconds");
	ptx = texture;
	s = try_on("", "gpu.launch{ kernel = 'look', grid = 1, block = 1 }\n");
	ptx = text;
	ck_assert(s.status == RUN_BAD_INPUT && !s.runs_on);
	SAYS(s, "kernel look on the GPU: ");
	SAYS(s, "textures are not supported by gsim");
	s = try_on("hang=wide", whole);
	ck_assert(s.status == RUN_FAILED && s.runs_on);
	SAYS(s, "kernel wide on the GPU: no end within");
}
END_TEST

/* PTX that the driver's compiler does not take. */
START_TEST(not_compiled)
{
	ptx = ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n	nonsense;\n}\n";
	Seen s = try_on("", whole);
	ptx = text;
	ck_assert(s.opened && !s.loaded);
	SAYS(s, "the driver does not load it: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX");
	SAYS(s, "ptxas application ptx input, line 6");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("real_gpu");
	TCase *t = tcase_create("real_gpu");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, results);
	tcase_add_test(t, host_between_launches);
	tcase_add_test(t, copies);
	tcase_add_test(t, moved);
	tcase_add_test(t, wrong);
	tcase_add_test(t, failures);
	tcase_add_test(t, old_drivers);
	tcase_add_test(t, faults);
	tcase_add_test(t, not_compiled);
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
