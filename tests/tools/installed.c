/* A program outside the source tree, built with the flags of gsim.pc only: installed.c MODULE MACHINE. The example of
   doc/library.md. */
#include "gsim.h"

int main(int argc, char **argv)
{
	Diag diag = { 0 };
	Config config;
	RunOptions options = { .laws = true, .print = stdout };
	RunStatus status = RUN_BAD_INPUT;
	Module *m = argc == 3 ? module_read(argv[1], &diag) : NULL;
	if (m && config_load(&config, argv[2], &diag) && config_check(&config, &diag) &&
		pipeline_run(m, "linearize,dce", NULL, &diag)) {
		Run *run = run_new(&config, m, &options, &diag);
		if (run) {
			status = run_module(run);
			printf("%llu cycles\n", (unsigned long long)run_total(run)->cycles);
			run_free(run);
		}
	}
	diag_print(&diag, stderr);
	diag_free(&diag);
	if (m)
		module_free(m);
	return status;
}
