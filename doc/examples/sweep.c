/* A sweep over a parameter of a machine, as CSV:
 *
 *   ./sweep MODULE MACHINE KEY VALUE...        such as  ./sweep matmul.ptx kepler.lua dram.latency 20 40 80
 *
 * Each value makes a run of the module's workload, and a line. One that fails has its status in place of
 * figures, and its messages on standard error.
 */
#include <gsim.h>
#include <stdio.h>

static const char *const figures[] = { "cycles", "warp_instructions", "simd_utilization",
	"issue.stalls.memory" };
enum { FIGURES = sizeof figures / sizeof *figures };

static void on_message(void *self, const GsimMessage *m)
{
	static const char *const severity[] = { "error", "warning", "remark" };
	(void)self;
	if (m->file)
		fprintf(stderr, "%s:%d:%d: ", m->file, m->line, m->column);
	fprintf(stderr, "%s: %s\n", severity[m->severity], m->text);
}

static void print_figures(GsimRun *run)
{
	GsimReport *report = gsim_run_report(run);
	double value;
	for (int i = 0; i < FIGURES; i++)
		if (gsim_report_total(report, figures[i], &value) == GSIM_OK)
			printf(",%.6g", value);
		else
			printf(",");
	gsim_report_free(report);
}

static GsimStatus run_with(const GsimModule *module, const GsimMachine *machine, const char *key,
	const char *value)
{
	GsimMachine *changed = gsim_machine_copy(machine);
	GsimStatus status = gsim_machine_set(changed, key, value);
	GsimRun *run = status == GSIM_OK ? gsim_run_new(module, changed, on_message, NULL) : NULL;
	if (run)
		status = gsim_run_workload(run);
	else
		status = GSIM_BAD_INPUT;
	printf("%s", value);
	if (status == GSIM_OK)
		print_figures(run);
	else
		printf(",%s", gsim_status_name(status));
	printf("\n");
	gsim_run_free(run);
	gsim_machine_free(changed);
	return status;
}

int main(int argc, char **argv)
{
	int status = 0;
	if (argc < 5) {
		fprintf(stderr, "usage: sweep MODULE MACHINE KEY VALUE...\n");
		return 2;
	}
	GsimModule *module = gsim_module_read(argv[1], NULL, on_message, NULL);
	GsimMachine *machine = gsim_machine_new(argv[2], on_message, NULL);
	if (!module || !machine)
		return 2;
	printf("%s", argv[3]);
	for (int i = 0; i < FIGURES; i++)
		printf(",%s", figures[i]);
	printf("\n");
	for (int i = 4; i < argc; i++)
		if (run_with(module, machine, argv[3], argv[i]) != GSIM_OK)
			status = 1;
	gsim_machine_free(machine);
	gsim_module_free(module);
	return status;
}
