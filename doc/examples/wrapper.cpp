/* gsim.h in C++: objects that free themselves, errors as exceptions, two mechanisms in two threads.
 *
 *   ./wrapper MODULE MACHINE
 *
 * Runs the module's workload under two divergence mechanisms at the same time and prints a line for each.
 */
#include <gsim.h>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Free {
	void operator()(GsimModule *p) const { gsim_module_free(p); }
	void operator()(GsimMachine *p) const { gsim_machine_free(p); }
	void operator()(GsimRun *p) const { gsim_run_free(p); }
	void operator()(GsimReport *p) const { gsim_report_free(p); }
	void operator()(char *p) const { gsim_free(p); }
};
template <typename T> using Owned = std::unique_ptr<T, Free>;

template <typename T> Owned<T> owned(T *p)
{
	if (!p)
		throw std::runtime_error(gsim_last_error());
	return Owned<T>(p);
}

void check(GsimStatus status)
{
	if (status != GSIM_OK)
		throw std::runtime_error(std::string(gsim_status_name(status)) + ": " + gsim_last_error());
}

/* No exception may pass through the library: a function that it calls only takes notes. */
void on_print(void *self, const char *text, size_t n)
{
	static_cast<std::string *>(self)->append(text, n);
}

std::string run(const GsimModule *module, const std::string &machine_file, const std::string &mechanism)
{
	Owned<GsimMachine> machine = owned(gsim_machine_new(machine_file.c_str(), nullptr, nullptr));
	check(gsim_machine_set_mechanism(machine.get(), mechanism.c_str()));
	std::string printed; /* outlives the run, which appends to it */
	Owned<GsimRun> run = owned(gsim_run_new(module, machine.get(), nullptr, nullptr));
	check(gsim_run_on_print(run.get(), on_print, &printed));
	check(gsim_run_workload(run.get()));
	Owned<GsimReport> report = owned(gsim_run_report(run.get()));
	double cycles = 0, utilization = 0;
	check(gsim_report_total(report.get(), "cycles", &cycles));
	check(gsim_report_total(report.get(), "simd_utilization", &utilization));
	char line[200];
	std::snprintf(line, sizeof line, "%s: %.0f cycles, %.1f %% of lanes busy\n", mechanism.c_str(),
		cycles, 100 * utilization);
	return printed + line;
}

} // namespace

int main(int argc, char **argv)
{
	const std::vector<std::string> mechanisms = { "ipdom", "tf_stack" };
	if (argc != 3) {
		std::fprintf(stderr, "usage: wrapper MODULE MACHINE\n");
		return 2;
	}
	std::vector<std::string> lines(mechanisms.size());
	std::vector<std::thread> threads;
	/* each thread has a module of its own: one object is used by one thread at a time */
	for (std::size_t i = 0; i < mechanisms.size(); i++)
		threads.emplace_back([&, i] {
			try {
				Owned<GsimModule> module = owned(gsim_module_read(argv[1], nullptr, nullptr,
					nullptr));
				lines[i] = run(module.get(), argv[2], mechanisms[i]);
			} catch (const std::exception &e) {
				lines[i] = mechanisms[i] + ": " + e.what() + "\n";
			}
		});
	for (std::thread &t : threads)
		t.join();
	for (const std::string &line : lines)
		std::fputs(line.c_str(), stdout);
	return 0;
}
