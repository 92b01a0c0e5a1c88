/* properties: what holds of mechanisms whatever the kernel, on many random kernels. */
#include "tests/random/properties.h"
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void help(void)
{
	const PropertyInfo *list;
	int n = property_list(&list);
	puts("usage: properties [options]\n"
		"Random kernels, functionally, under every divergence mechanism: properties that hold "
		"whatever the kernel.\n"
		"      --count N        kernels (1000)\n"
		"      --seed S         number of the first; the next ones follow (1)\n"
		"      --only NAME      one property\n"
		"      --class NAME     kernels of one class: any, no_calls, acyclic, graph, graph_dag, arms "
		"(all, one after the other)\n"
		"Properties:");
	for (int i = 0; i < n; i++)
		printf("      %-10s %s\n", list[i].name, list[i].help);
	puts("Exit status: 0 when all hold, 1 when not, 2 after a wrong argument.");
}

static bool known(const char *name)
{
	const PropertyInfo *list;
	int n = property_list(&list);
	for (int i = 0; i < n; i++)
		if (!strcmp(list[i].name, name))
			return true;
	return false;
}

static bool number(const char *s, uint64_t *out)
{
	char *end;
	*out = strtoull(s, &end, 0);
	return *s >= '0' && *s <= '9' && !*end;
}

static void progress(uint64_t done, uint64_t count)
{
	static time_t last;
	time_t now = time(NULL);
	if (!isatty(2) || (now == last && done < count))
		return;
	last = now;
	fprintf(stderr, "\r%" PRIu64 "/%" PRIu64 "%s", done, count, done == count ? "\n" : "");
}

static int class_named(const char *name)
{
	int k = 0;
	while (k < PROPERTY_CLASSES && strcmp(property_classes[k], name))
		k++;
	return k < PROPERTY_CLASSES ? k : -1;
}

static int check(uint64_t seed, uint64_t count, int class, const char *only)
{
	enum { ENOUGH = 20 };
	uint64_t runs = 0, failed = 0, k;
	char text[2400];
	for (k = 0; k < count && failed < ENOUGH; k++) {
		if (!properties_hold(seed + k, class, only, text, sizeof text, &runs)) {
			printf("%s\n", text);
			fflush(stdout);
			failed++;
		}
		progress(k + 1, count);
	}
	printf("%" PRIu64 " kernels, %" PRIu64 " runs, %" PRIu64 " failed%s\n", k, runs, failed,
		failed == ENOUGH ? " (stopped)" : "");
	return failed != 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "count", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 's' },
		{ "only", required_argument, NULL, 'o' },
		{ "class", required_argument, NULL, 'k' }, { "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 } };
	uint64_t count = 1000, seed = 1;
	const char *only = NULL;
	int class = -1;
	bool ok = true;
	for (int c; ok && (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
		switch (c) {
		case 'c': ok = number(optarg, &count); break;
		case 's': ok = number(optarg, &seed); break;
		case 'o': only = optarg; ok = known(only); break;
		case 'k': ok = (class = class_named(optarg)) >= 0; break;
		case 'h': help(); return 0;
		default: fputs("usage: properties [options]; --help says more\n", stderr); return 2;
		}
	if (!ok || optind < argc) {
		fprintf(stderr, "properties: wrong argument '%s'; --help says more\n",
			argv[ok ? optind : optind - 1]);
		return 2;
	}
	return check(seed, count, class, only);
}
