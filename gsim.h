/* libgsim: the simulator as a library. doc/library.md is its guide.
 *
 *   GsimModule *module = gsim_module_read("kernel.ptx", NULL, on_message, NULL);
 *   GsimMachine *machine = gsim_machine_new("kepler.lua", on_message, NULL);
 *   GsimRun *run = gsim_run_new(module, machine, on_message, NULL);
 *   gsim_run_workload(run);                               or buffers and launches of the program's own
 *   GsimReport *report = gsim_run_report(run);
 *   double cycles;
 *   gsim_report_total(report, "cycles", &cycles);
 *
 * A module is the code of kernels, a machine the numbers of a GPU; a run is a module on a machine, with
 * memory and launches; a report is what a run has measured. Each is made by a function of this header,
 * belongs to the caller, and is freed by him, in any order: a run keeps what it needs of its module and
 * machine, and a report what it needs of its run. Buffers belong to their run.
 *
 * Errors. A function that returns a pointer returns NULL after an error, one that returns a status something
 * else than GSIM_OK, one that returns a number -1. What is wrong is told as messages to the function that
 * was given for them, before the call returns, and gsim_last_error() has the last one; where an object is
 * NULL or was freed, nobody else has it. What may come from a user of the program, and is wrong, is
 * GSIM_BAD_INPUT: files, pipelines, parameters of machines and mechanisms, kernels to launch and their
 * arguments. What the program itself has wrong is GSIM_MISUSE, and changes nothing: NULL or a freed object in
 * place of a live one, a number out of range, an option or figure that is not there, calls in a wrong order.
 * No input and no wrong call ends the program, but for one: gsim_run_cancel does not recognise a run that was
 * freed, so that a run must not be freed while another thread or a signal handler may cancel it. Memory that
 * the host cannot give ends the program.
 *
 * Functions of the program that the library calls must return: no exception and no longjmp may leave them.
 * What they are given as self must live as long as any object that tells them something: a copy tells the
 * function of the object that it was made of, a report that of its run.
 *
 * Threads. Different objects may be used by different threads at the same time. One object is used by one
 * thread at a time, a run with its buffers; gsim_run_cancel alone may be called from any thread meanwhile.
 *
 * Locales. The program may have any: numbers are read and written with points, and texts compared, as in the
 * locale "C". Functions that the program gives for messages, prints and progress are called in its own.
 *
 * Texts that functions take end with a zero byte, and are copied. Texts that they return as `const char *`
 * belong to the object and live as long as it does, or as a comment says; those that they return as `char *`
 * are the caller's, who frees them by gsim_free.
 */
#ifndef GSIM_H
#define GSIM_H
#include <stddef.h>
#include <stdint.h>

/* The version of this header. Programs that were compiled for a version run with libraries of the same
   major and minor number; until 1.0, an interface of another minor number may differ in any way. */
#define GSIM_VERSION_MAJOR 0
#define GSIM_VERSION_MINOR 1
#define GSIM_VERSION_PATCH 0
#define GSIM_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GsimModule GsimModule;
typedef struct GsimMachine GsimMachine;
typedef struct GsimRun GsimRun;
typedef struct GsimBuffer GsimBuffer;
typedef struct GsimReport GsimReport;

typedef enum GsimStatus {
	GSIM_OK = 0,
	GSIM_FAILED = 1,               /* the simulated program failed, or results differ */
	/* a module, machine, workload, pipeline, value or file is wrong, or the machine cannot run it */
	GSIM_BAD_INPUT = 2,
	GSIM_INTERRUPTED = 3,          /* gsim_run_cancel was called */
	GSIM_MISUSE = 4,               /* the call is wrong */
	GSIM_NOT_MEASURED = 5          /* this kind of run does not measure the figure */
} GsimStatus;

/* ---- messages and the library itself ---- */

typedef enum GsimSeverity { GSIM_ERROR, GSIM_WARNING, GSIM_REMARK } GsimSeverity;

/* What is wrong or worth knowing. Its texts live until the call of the function that gets it has returned. */
typedef struct GsimMessage {
	GsimSeverity severity;
	const char *file;              /* NULL: it speaks of no file */
	int line, column;              /* from 1; 0: not known */
	const char *text;              /* one sentence or several, without a newline at the end */
} GsimMessage;

/* Gets messages. It is called in the thread that called the library, before that call returns; self is what
   was given with it. It may call other functions of this header, but for the object that it hears of only
   gsim_run_cancel: any other call for that is GSIM_MISUSE, and does not free it. */
typedef void GsimOnMessage(void *self, const GsimMessage *message);

/* The version of the library, such as "0.1.0". Static text. */
const char *gsim_version(void);
/* The last error of a call in this thread, as "file:line:column: text" with as much of the place as is known,
   or "". It lives until the thread's next error; a call that succeeds leaves it as it is. */
const char *gsim_last_error(void);
/* "ok", "failed", "bad input", "interrupted", "misuse", "not measured"; for another number "unknown". */
const char *gsim_status_name(GsimStatus status);
/* Frees a text that a function has returned as `char *`; NULL is allowed. */
void gsim_free(void *text);
/* For programs that run workloads or machine files of strangers. Those are stopped in time by themselves,
   but for one operation of Lua (doc/library.md), which nothing can interrupt; after this call it ends the
   process with a message and status 2. Takes the signal SIGXCPU. Returns 1, or 0 when the system cannot do
   that. */
int gsim_backstop(void);

/* ---- modules ---- */

/* Reads a module: IR, PTX or an ELF object, told apart by what is in them. The file may be a pipe, which is
   waited for. folder: the module may import files of this folder and below; NULL: of the folder that it lies
   in. on_message may be NULL; it and self are also what later calls for the module tell. NULL after
   errors. */
GsimModule *gsim_module_read(const char *path, const char *folder, GsimOnMessage *on_message, void *self);
/* Does the same with bytes in memory, which need not end with a zero byte. name: what messages and reports
   call them; no such file is read. folder NULL: the module may not import anything. */
GsimModule *gsim_module_parse(const void *data, size_t bytes, const char *name, const char *folder,
	GsimOnMessage *on_message, void *self);
/* Makes a module of its own that is the same now, passes may then change either. NULL: misuse. */
GsimModule *gsim_module_copy(const GsimModule *module);
/* Frees a module; NULL is allowed. */
void gsim_module_free(GsimModule *module);
/* How many kernels the module defines; -1: misuse. */
int gsim_module_kernels(const GsimModule *module);
/* The name of kernel number i, from 0, in the order of the source. NULL: misuse. It lives until passes run
   on the module or it is freed; so do the other names of modules. */
const char *gsim_module_kernel(const GsimModule *module, int i);
/* Can the kernel run? GSIM_BAD_INPUT: there is something in it that gsim does not have, and the message
   says what and where. A kernel is named as gsim_run_launch takes it. GSIM_MISUSE: it has no such
   kernel. */
GsimStatus gsim_module_kernel_runs(GsimModule *module, const char *kernel);
/* How many parameters the kernel takes; -1: misuse, or no such kernel. */
int gsim_module_parameters(const GsimModule *module, const char *kernel);
/* The name of parameter number i, from 0, and the type of its elements: u8 to u64, s8 to s64, b8 to b64,
   f16 to f64. *count, unless count is NULL, gets the number of elements, which is 1 but for structures.
   NULL: misuse. */
const char *gsim_module_parameter_name(const GsimModule *module, const char *kernel, int i);
const char *gsim_module_parameter_type(const GsimModule *module, const char *kernel, int i, uint32_t *count);
/* The module as IR text, which gsim_module_parse reads again. NULL: misuse. */
char *gsim_module_print(const GsimModule *module);
/* Writes it to a file: an ELF object if its name ends in .gso, else IR text. */
GsimStatus gsim_module_write(GsimModule *module, const char *path);
/* Gives passes that decide by a profile what the run of a report has counted. GSIM_BAD_INPUT: it has no
   such figures. A warning says when the report is of another module, or of code that passes had changed. */
GsimStatus gsim_module_profile(GsimModule *module, const GsimReport *report);

enum {
	GSIM_REMARKS = 1,              /* remarks say what passes did or left alone, and why */
	GSIM_COUNTS = 2                /* remarks say how often passes did what */
};
/* Runs a pipeline such as "linearize(opt=4),dce" on the module; "" and "none" do nothing. Passes know the
   latencies and limits of the machine; NULL: of the machine of the defaults. flags: the sum of the wanted
   ones above. The module stays as it was when it fails. */
GsimStatus gsim_module_passes(GsimModule *module, const GsimMachine *machine, const char *pipeline,
	int flags);

/* ---- machines ---- */

/* Reads a machine file, which is looked for as given, then in $GSIM_PATH, then among the installed
   machines; file NULL: the machine of the defaults. NULL after errors. Messages are as for
   gsim_module_read. */
GsimMachine *gsim_machine_new(const char *file, GsimOnMessage *on_message, void *self);
/* Makes another machine that is the same now. NULL: misuse. */
GsimMachine *gsim_machine_copy(const GsimMachine *machine);
/* Frees a machine; NULL is allowed. */
void gsim_machine_free(GsimMachine *machine);
/* Sets a parameter, as "l1.latency" to "30"; values are written as in gsim's option -D. GSIM_BAD_INPUT:
   there is no such parameter or it cannot have the value. What several parameters must be together is
   checked by gsim_run_new. */
GsimStatus gsim_machine_set(GsimMachine *machine, const char *key, const char *value);
/* Sets the divergence mechanism, NAME or NAME(key=value, ...), as gsim's option -m does. */
GsimStatus gsim_machine_set_mechanism(GsimMachine *machine, const char *mechanism);
/* A parameter's value, as gsim_machine_set takes it. NULL: there is no such parameter. */
char *gsim_machine_get(GsimMachine *machine, const char *key);
/* The name of parameter number i of all machines, from 0; NULL: there are no more. Lives until the next
   call in this thread. */
const char *gsim_machine_key(int i);
/* A machine file that gives exactly this machine. NULL: misuse. */
char *gsim_machine_print(const GsimMachine *machine);

/* ---- runs ---- */

/* Makes a run of the module, as it is now, on the machine, as it is now. Options are set first; the run
   begins with the first call for it that needs memory or launches. NULL: the parameters of the machine do
   not go together. on_message and self get the messages of the run. */
GsimRun *gsim_run_new(const GsimModule *module, const GsimMachine *machine, GsimOnMessage *on_message,
	void *self);
/* Frees a run with its buffers; NULL is allowed. A trace that is being written is closed. While another call
   for the run has not returned, as in a function that the run calls, it does nothing, and gsim_last_error()
   says so. Nobody may cancel the run any more. */
void gsim_run_free(GsimRun *run);
/* Sets an option before the run begins. Options are named and mean what those of the program gsim do, and
   more may come with any version. Unless it is said otherwise the last value counts. "true" and "false":
     functional      results and divergence statistics without timing
     reference       run in the reference interpreter: results only
     laws            a broken conservation law fails the run
     race-check      races between blocks of a launch are looked for, and fail the run
     race-launches   tell of each launch whether its blocks depend on other blocks of the launch before it
     annotate        count for each instruction
     sums            the report has sums over launches, not each launch, of which there may be very many
   numbers:
     threads         host threads, 1 to 256, 1; results do not depend on it
     window          cycles that SMs run side by side at most, 1 to 1000000; results do not depend on it
     interval        cycles of an interval of figures over time, 1 to 1000000000
     workload-steps  most steps that the workload may take; default: that of gsim
     workload-seconds  most seconds of processor time that it may take; default: that of gsim
   texts:
     workload        the workload's file; default: the module's name with .lua
     workload-text   the workload itself; workload then says what it is called and which folder is its own
     argument        one more argument of the workload
     size            S, M, L or XL: how large the workload is, where it declares sizes (gpu.sizes)
     files           one more folder for the workload's files; they are written in the first
     trace           the file that gets a trace of every launch
   reference excludes functional, laws, trace and annotate, and interval excludes functional and reference:
   the call that would begin the run is GSIM_MISUSE then, and options can still be set.
   GSIM_MISUSE: there is no such option, it cannot have the value, or the run has begun. */
GsimStatus gsim_run_set(GsimRun *run, const char *option, const char *value);
/* Before the run begins: function gets what kernels and the workload print, n bytes at a time, in which
   control characters are question marks. By default, nobody does. */
typedef void GsimOnPrint(void *self, const char *text, size_t n);
GsimStatus gsim_run_on_print(GsimRun *run, GsimOnPrint *function, void *self);
/* Before the run begins: function is called now and then while launches run, in the thread that runs them,
   with the cycles of the run's clock and the warp instructions so far. Of the functions for the run, it and
   that of gsim_run_on_print may call gsim_run_cancel alone; any other call for the run is GSIM_MISUSE. */
typedef void GsimOnProgress(void *self, uint64_t cycles, uint64_t warp_instructions);
GsimStatus gsim_run_on_progress(GsimRun *run, GsimOnProgress *function, void *self);
/* Asks the run to end early, from any thread, a function that the run calls, or a signal handler: what it
   does now, and what is asked of it later, ends with GSIM_INTERRUPTED, with what was measured until then.
   The run must not be freed meanwhile: this function alone does not find out that it was. */
GsimStatus gsim_run_cancel(GsimRun *run);

/* Runs the workload, in Lua (the options workload and workload-text), or the module's host function main.
   Buffers and launches of the program's own may come before and after. A workload of a module from memory
   is named by an option. */
GsimStatus gsim_run_workload(GsimRun *run);

typedef enum GsimArgumentKind {
	GSIM_INTEGER, GSIM_UNSIGNED, GSIM_REAL, GSIM_BUFFER, GSIM_BYTES
} GsimArgumentKind;
/* An argument of a kernel. Numbers are converted to the type of the parameter; those that do not fit are an
   error, as are bytes of another number than the parameter has. */
typedef struct GsimArgument {
	GsimArgumentKind kind;
	union {
		int64_t integer;
		uint64_t unsigned_integer;
		double real;
		struct { GsimBuffer *buffer; uint64_t offset; } place; /* a byte of a buffer: its address */
		struct { const void *data; size_t n; } bytes;  /* for parameters that are structures */
	} as;
} GsimArgument;

static inline GsimArgument gsim_integer(int64_t value)
{
	GsimArgument a;
	a.kind = GSIM_INTEGER;
	a.as.integer = value;
	return a;
}

static inline GsimArgument gsim_unsigned(uint64_t value)
{
	GsimArgument a;
	a.kind = GSIM_UNSIGNED;
	a.as.unsigned_integer = value;
	return a;
}

static inline GsimArgument gsim_real(double value)
{
	GsimArgument a;
	a.kind = GSIM_REAL;
	a.as.real = value;
	return a;
}

/* offset: bytes from the begin of the buffer, at most its size. */
static inline GsimArgument gsim_place(GsimBuffer *buffer, uint64_t offset)
{
	GsimArgument a;
	a.kind = GSIM_BUFFER;
	a.as.place.buffer = buffer;
	a.as.place.offset = offset;
	return a;
}

/* data must stay until the launch is called for. */
static inline GsimArgument gsim_bytes(const void *data, size_t n)
{
	GsimArgument a;
	a.kind = GSIM_BYTES;
	a.as.bytes.data = data;
	a.as.bytes.n = n;
	return a;
}

/* A launch. Later versions may add members at the end; size says which ones there are, and those that are
   not there are 0. GsimLaunch launch = GSIM_LAUNCH; then the others. */
typedef struct GsimLaunch {
	size_t size;                   /* sizeof(GsimLaunch) */
	const char *kernel;            /* its name; a part of the only C++ name that has it will do */
	uint32_t grid[3], block[3];    /* in y and z 0 is taken for 1 */
	uint32_t shared;               /* dynamic shared memory, bytes */
	int cooperative;               /* 1: all blocks of the grid are there at once */
	/* 0: the default stream, in which the launch has ended when gsim_run_launch returns. 1 to 1024: it
	   has ended after gsim_run_sync, or after a call that reads or writes a buffer or makes a report */
	int stream;
	int n;                         /* number of arguments */
	const GsimArgument *arguments;
} GsimLaunch;
#define GSIM_LAUNCH { sizeof(GsimLaunch), NULL, { 1, 1, 1 }, { 1, 1, 1 }, 0, 0, 0, 0, NULL }

/* Launches a kernel. GSIM_FAILED: it failed, as by an access outside of all buffers; the message has the
   place. GSIM_BAD_INPUT: there is no such kernel or an argument does not fit, and the run goes on as before;
   or the machine has refused the launch. After a launch has failed or the machine has refused it, the run
   takes no other one; what it has measured, and its buffers, can be read. gsim_run_sync tells which of the
   two it was. */
GsimStatus gsim_run_launch(GsimRun *run, const GsimLaunch *launch);
/* Waits for the launches of all streams. The status of the run: GSIM_OK as long as it takes more launches. */
GsimStatus gsim_run_sync(GsimRun *run);
/* Empties all caches, so that later launches find nothing there that earlier ones loaded. */
GsimStatus gsim_run_flush(GsimRun *run);
/* Ends a run: waits for its launches, judges races, closes the trace. Returns the status of the whole run, as
   gsim_run_sync does: wrong calls, and launches that have changed nothing, do not count. GSIM_FAILED also:
   there are races; GSIM_BAD_INPUT also: the trace could not be written. Buffers can still be read and reports
   made. */
GsimStatus gsim_run_end(GsimRun *run);

/* What a comparison has found: how many buffers and variables are identical; alike, in the way that was
   asked for; different; freed; not compared. */
typedef struct GsimCompared {
	int identical, alike, different, freed, ignored;
	uint64_t bytes;                /* of the identical ones */
} GsimCompared;
/* Compares what two runs left in memory: their buffers in the order in which they were made, and variables
   by name. GSIM_FAILED: they differ, and messages of `before` say where. result may be NULL. */
GsimStatus gsim_run_compare(GsimRun *before, GsimRun *after, GsimCompared *result);

/* ---- buffers ---- */

/* Makes a buffer of count > 0 zeroed elements of a type: u8 u16 u32 u64 s8 s16 s32 s64 f32 f64. The type
   matters to comparisons and messages alone. NULL: misuse, the run could not begin, or the memory of the
   machine (limits.memory_bytes) is full. */
GsimBuffer *gsim_buffer_new(GsimRun *run, const char *type, uint64_t count);
/* A global or constant variable of the module as a buffer. NULL: there is none of that name. */
GsimBuffer *gsim_buffer_of_variable(GsimRun *run, const char *name);
/* How many buffers the run has, those of variables and of its workload and freed ones, too; -1: misuse. */
int gsim_run_buffers(GsimRun *run);
/* Buffer number i, from 0: variables in the order of the module, then the others in the order in which they
   were made. The same buffer is the same object each time. NULL: misuse. */
GsimBuffer *gsim_run_buffer(GsimRun *run, int i);
/* Frees a buffer before its run ends; a kernel that uses it then fails. Its number stays its own, for which
   gsim_run_buffer makes another object, with name and size but no contents. Variables cannot be freed. */
GsimStatus gsim_buffer_free(GsimBuffer *buffer);
/* The name of a variable, or a name for messages such as "buffer 2". NULL: misuse. */
const char *gsim_buffer_name(const GsimBuffer *buffer);
/* The type of its elements; NULL: misuse. Static text. */
const char *gsim_buffer_type(const GsimBuffer *buffer);
/* Its size in bytes, and the address of its first byte in the simulated memory; 0: misuse. */
uint64_t gsim_buffer_bytes(const GsimBuffer *buffer);
uint64_t gsim_buffer_address(const GsimBuffer *buffer);
/* Copies n bytes from byte number offset on out of the buffer, or into it. The bytes are those of a
   little-endian host. GSIM_MISUSE: not all of them lie in the buffer, or it was freed. */
GsimStatus gsim_buffer_read(GsimBuffer *buffer, uint64_t offset, void *data, size_t n);
GsimStatus gsim_buffer_write(GsimBuffer *buffer, uint64_t offset, const void *data, size_t n);
/* How gsim_run_compare compares the buffer: "exact", "set" (the same elements in any order), "tolerance"
   (two elements may differ by that share of the larger magnitude, or of 1 if both are smaller) or
   "ignore". */
GsimStatus gsim_buffer_compare(GsimBuffer *buffer, const char *how, double tolerance);

/* ---- reports ---- */

/* What the run has measured until now. NULL: misuse. */
GsimReport *gsim_run_report(GsimRun *run);
/* Frees a report; NULL is allowed. */
void gsim_report_free(GsimReport *report);
/* The report as JSON, as `gsim --stats FILE.json` writes it. NULL: misuse. */
const char *gsim_report_json(const GsimReport *report);
/* The report for people, as gsim prints it; all: every launch, branch, block and line. NULL: misuse, or the
   run could not begin. */
const char *gsim_report_text(const GsimReport *report, int all);
/* Writes it to a file: text if its name ends in .txt, tables and pictures of figures over time if it ends
   in .csv or .svg (the option interval), else JSON. */
GsimStatus gsim_report_write(const GsimReport *report, const char *path);
/* How many launches the report has; with the option sums 0. -1: misuse. */
int gsim_report_launches(const GsimReport *report);
/* A figure of all launches together, of launch number i, from 0, or of all launches of a kernel. name: one
   that gsim_statistic gives, or any other path of a number in a launch or total of the report's JSON, such
   as "simd_utilization" or "static.registers". Counts are exact up to 2^53. GSIM_NOT_MEASURED: *value is
   not changed. GSIM_MISUSE: there is no such figure, launch or kernel. */
GsimStatus gsim_report_total(const GsimReport *report, const char *name, double *value);
GsimStatus gsim_report_launch(const GsimReport *report, int i, const char *name, double *value);
GsimStatus gsim_report_kernel(const GsimReport *report, const char *kernel, const char *name, double *value);
/* Any text, number or truth value of the report's JSON, by the path of its keys, such as "status", "error" or
   "configuration.hash": texts without quotes and escapes, numbers as they are written there. It lives as long
   as the report. Lists, and keys that have a point in them or more than 63 bytes, cannot be reached:
   gsim_report_json has them. NULL: there is none. */
const char *gsim_report_value(const GsimReport *report, const char *path);
/* Two reports side by side, as gsim-compare --brief prints them. NULL: misuse, or a run could not begin. */
char *gsim_report_compare(const GsimReport *before, const GsimReport *after);
/* Describes statistic number i, from 0: its name, unit and meaning, static texts; unit and meaning may be
   NULL. Returns the name, or NULL: there are no more. */
const char *gsim_statistic(int i, const char **unit, const char **meaning);

#ifdef __cplusplus
}
#endif
#endif
