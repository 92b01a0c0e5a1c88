#include "tools/sweep/slurm.h"
#include "lib/file.h"
#include "lib/output.h"
#include "tools/sweep/inputs_copy.h"
#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* POINTS_A_TASK: points last milliseconds to seconds, and a task of Slurm takes seconds to begin */
enum { MOST_ROUNDS = 5, POINTS_A_TASK = 50, MOST_TASKS = 100000, DEFAULT_ARRAY = 1001, MOST_JOBS = 1000,
	MOST_SAID = 1 << 16 };

typedef struct SlurmRun {
	const SlurmWork *work;
	Sweep *sweep;
	const char *folder;            /* of this run, below that of the results */
	int tasks, array;              /* of the whole sweep; the most of an array job */
	Vec(long) job;                 /* those that were submitted in this round */
	Arena arena;
	Diag *diag;
} SlurmRun;

/* ---- commands ---- */

/* What the command prints. NULL: it failed; its message is in *said. */
static char *run_command(Arena *a, const char *command, const char **said)
{
	StrBuf out = { 0 };
	FILE *f = popen(arena_printf(a, "%s 2>&1", command), "r");
	char block[4096];
	for (size_t n; f && (n = fread(block, 1, sizeof block, f)) > 0;)
		if (out.n < MOST_SAID)
			sb_write(&out, block, n);
	int status = f ? pclose(f) : -1;
	char *text = arena_strdup(a, out.s ? out.s : "");
	sb_free(&out);
	*said = text;
	return status ? NULL : text;
}

/* The most tasks of an array job: indices are below MaxArraySize. */
static int most_of_array(Arena *a)
{
	const char *said;
	const char *text = run_command(a, "scontrol show config", &said);
	text = text ? strstr(text, "MaxArraySize") : NULL;
	text = text ? strchr(text, '=') : NULL;
	long n = text ? strtol(text + 1, NULL, 10) : DEFAULT_ARRAY;
	return n < 1 ? 1 : n > MOST_TASKS ? MOST_TASKS : (int)n;
}

/* ---- the folder of the run ---- */

static const char *absolute(Arena *a, const char *path)
{
	char *whole = realpath(path, NULL);
	const char *copy = arena_strdup(a, whole ? whole : path);
	free(whole);
	return copy;
}

/* A script that runs one shard: that with the number of the task, from $FIRST on. */
static bool write_script(SlurmRun *r)
{
	StrBuf b = { 0 };
	const char *why, *path = arena_printf(&r->arena, "%s/job.sh", r->folder);
	char cwd[4096];
	if (!getcwd(cwd, sizeof cwd))
		cwd[0] = 0;
	sb_puts(&b, "#!/bin/sh\n# A task of an array job: one shard of a sweep. $1: the shard of task 0.\n"
		"cd ");
	put_shell_word(&b, cwd);
	sb_puts(&b, " || exit\nexec ");
	put_shell_word(&b, arena_printf(&r->arena, "%s/gsim-sweep", r->folder));
	sb_printf(&b, " --shard $(($1 + SLURM_ARRAY_TASK_ID))/%d -j 1 -q --inputs ", r->tasks);
	put_shell_word(&b, arena_printf(&r->arena, "%s/inputs", r->folder));
	sb_puts(&b, " -o ");
	put_shell_word(&b, absolute(&r->arena, r->sweep->folder));
	sb_printf(&b, " %s\n", r->work->words);
	bool ok = file_write(path, b.s, b.n, &why) && !chmod(path, 0777);
	if (!ok)
		diag_error(r->diag, (Loc){ path, 0, 0 }, "cannot be written");
	sb_free(&b);
	return ok;
}

static bool make_run_folder(SlurmRun *r)
{
	const char *results = absolute(&r->arena, r->sweep->folder);
	for (int k = 0;; k++) {
		r->folder = arena_printf(&r->arena, "%s/slurm-%lld-%ld-%d", results, (long long)time(NULL),
			(long)getpid(), k);
		if (!mkdir(r->folder, 0777))
			break;
		if (errno == EEXIST && k < 100)
			continue;
		diag_error(r->diag, (Loc){ r->folder, 0, 0 }, "cannot make the folder: %s", strerror(errno));
		return false;
	}
	return copy_file("/proc/self/exe", arena_printf(&r->arena, "%s/gsim-sweep", r->folder), 0777, r->diag)
		&& inputs_copy(r->sweep, arena_printf(&r->arena, "%s/inputs", r->folder), r->diag) &&
		write_script(r);
}

/* ---- jobs ---- */

/* Which shards lack records: the places in the list of points are divided as --shard does. */
static bool *lacking_shards(const SlurmRun *r)
{
	bool *lacks = xcalloc((size_t)r->tasks, sizeof *lacks);
	for (int i = 0; i < r->sweep->ntasks; i++)
		if (!results_find(&r->sweep->results, r->sweep->task[i].key))
			lacks[i % r->tasks] = true;
	return lacks;
}

/* Submits the shards from `first` on, of at most r->array, that lack points. */
static bool submit_array(SlurmRun *r, const bool *lacks, int first)
{
	StrBuf list = { 0 }, command = { 0 };
	const char *said, *text = NULL;
	for (int i = first; i < r->tasks && i < first + r->array; i++) {
		if (!lacks[i])
			continue;
		int end = i;
		while (end + 1 < r->tasks && end + 1 < first + r->array && lacks[end + 1])
			end++;
		sb_printf(&list, end > i ? "%s%d-%d" : "%s%d", list.n ? "," : "", i - first, end - first);
		i = end;
	}
	if (list.n) {
		sb_printf(&command, "sbatch --parsable --job-name=gsim-sweep --array=%s --output=", list.s);
		put_shell_word(&command, arena_printf(&r->arena, "%s/task-%%A-%%a.txt", r->folder));
		sb_printf(&command, " %s ", r->work->options);
		put_shell_word(&command, arena_printf(&r->arena, "%s/job.sh", r->folder));
		sb_printf(&command, " %d", first + 1);
		text = run_command(&r->arena, command.s, &said);
		if (!text || strtol(text, NULL, 10) <= 0)
			diag_error(r->diag, (Loc){ 0 }, "sbatch: %s",
				*said ? said : "it printed no number of a job");
		else
			vec_push(&r->job, strtol(text, NULL, 10));
	}
	bool ok = !list.n || (text && strtol(text, NULL, 10) > 0);
	sb_free(&list);
	sb_free(&command);
	return ok;
}

static bool submit_round(SlurmRun *r)
{
	bool *lacks = lacking_shards(r), ok = true;
	vec_clear(&r->job);
	for (int first = 0; first < r->tasks && ok && r->job.n < MOST_JOBS; first += r->array)
		ok = submit_array(r, lacks, first);
	free(lacks);
	return ok;
}

/* How many tasks of the job are in the queue or run. squeue forgets a job that has ended. */
static int tasks_in_queue(Arena *a, long job)
{
	const char *said, *text = run_command(a, arena_printf(a, "squeue -h -r -j %ld -o %%T", job), &said);
	int n = 0;
	if (!text)
		return strstr(said, "Invalid job id") ? 0 : 1;
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		n += strncmp(text, "COMPLETED", 9) && strncmp(text, "FAILED", 6) &&
			strncmp(text, "CANCELLED", 9) &&
			strncmp(text, "TIMEOUT", 7) && strncmp(text, "NODE_FAIL", 9) &&
			strncmp(text, "OUT_OF_ME", 9);
	return n;
}

static void cancel_jobs(SlurmRun *r)
{
	const char *said;
	for (int i = 0; i < r->job.n; i++)
		run_command(&r->arena, arena_printf(&r->arena, "scancel %ld", r->job.v[i]), &said);
}

static void wait_for_jobs(SlurmRun *r)
{
	struct timespec pause = { .tv_nsec = 200000000 };
	for (int waiting = 1; waiting && !*r->work->interrupted;) {
		Arena a = { 0 };
		waiting = 0;
		for (int i = 0; i < r->job.n; i++)
			waiting += tasks_in_queue(&a, r->job.v[i]);
		arena_free(&a);
		if (r->work->progress) {
			fprintf(stderr, "\r\033[K%d of %d tasks in the queue", waiting, r->tasks);
			fflush(stderr);
		}
		if (waiting)
			nanosleep(&pause, NULL);
		/* a long job is asked about seldom */
		if (pause.tv_sec < 10)
			pause.tv_sec += pause.tv_nsec >= 800000000;
		pause.tv_nsec = pause.tv_sec ? 0 : pause.tv_nsec + 200000000;
	}
	if (r->work->progress)
		fprintf(stderr, "\r\033[K");
	if (*r->work->interrupted)
		cancel_jobs(r);
}

/* Why tasks did not do their work, as far as Slurm's accounts tell. */
static void say_states(SlurmRun *r)
{
	for (int i = 0; i < r->job.n; i++) {
		const char *said, *text = run_command(&r->arena,
			arena_printf(&r->arena, "sacct -n -X -P -j %ld -o JobID,State,ExitCode,NodeList",
			r->job.v[i]), &said);
		diag_error(r->diag, (Loc){ 0 }, "job %ld: %s", r->job.v[i], text && *text ? text
			: "Slurm keeps no accounts of it (sacct); what its tasks said stands in task-*.txt");
	}
}

static int count_missing(const Sweep *s) { return sweep_count(s).missing; }

static bool run_rounds(SlurmRun *r)
{
	int missing = count_missing(r->sweep);
	for (int round = 0; missing && round < MOST_ROUNDS && !*r->work->interrupted; round++) {
		if (!submit_round(r))
			return false;
		for (int i = 0; i < r->job.n && !r->work->quiet; i++)
			output_printf(stderr, "job %ld, tasks in %s\n", r->job.v[i], r->folder);
		if (!r->work->wait)
			return true;
		wait_for_jobs(r);
		if (!results_reload(&r->sweep->results, r->diag))
			return false;
		int now = count_missing(r->sweep);
		if (now == missing && !*r->work->interrupted)
			break;
		missing = now;
	}
	if (missing && !*r->work->interrupted) {
		diag_error(r->diag, (Loc){ r->folder, 0, 0 }, "%d points were not run by any task", missing);
		say_states(r);
		return false;
	}
	return true;
}

bool slurm_run(const SlurmWork *w, Sweep *s, Diag *diag)
{
	SlurmRun r = { .work = w, .sweep = s, .diag = diag };
	bool ok = true;
	if (count_missing(s)) {
		r.tasks = w->tasks ? w->tasks : (s->ntasks + POINTS_A_TASK - 1) / POINTS_A_TASK;
		r.tasks = r.tasks > s->ntasks ? s->ntasks : r.tasks > MOST_TASKS ? MOST_TASKS : r.tasks;
		r.array = most_of_array(&r.arena);
		ok = make_run_folder(&r) && run_rounds(&r);
	}
	vec_free(&r.job);
	arena_free(&r.arena);
	return ok;
}
