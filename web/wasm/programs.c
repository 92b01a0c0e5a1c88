/* The programs in one: the first argument says which. */
#include <stdio.h>
#include <string.h>

int gsim_main(int argc, char **argv);
int gsim_opt_main(int argc, char **argv);
int gsim_trace_main(int argc, char **argv);

int main(int argc, char **argv)
{
	static const struct { const char *name; int (*run)(int, char **); } programs[] = {
		{ "gsim", gsim_main }, { "gsim-opt", gsim_opt_main }, { "gsim-trace", gsim_trace_main },
	};
	for (size_t k = 0; argc > 1 && k < sizeof programs / sizeof *programs; k++)
		if (!strcmp(argv[1], programs[k].name))
			return programs[k].run(argc - 1, argv + 1);
	fputs("error: expected gsim, gsim-opt or gsim-trace\n", stderr);
	return 2;
}
