#include "tools/sweep/workers.h"
#include "lib/output.h"
#include "tools/sweep/results.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* CANNOT_WRITE: the status of a worker that has no place for its records */
enum { MOST_PROCESSES = 1024, LONGEST_MESSAGE = 400, CANNOT_WRITE = 100 };

/* What a worker says of a point: it has written a record. */
typedef struct Reply { uint64_t number; bool ok; } Reply;

typedef struct Worker {
	pid_t pid;                     /* 0: there is none */
	int to, from;                  /* pipes: tasks, replies */
	FILE *said;                    /* its standard error */
	const Task *task;              /* what it runs; NULL: it waits */
	double began;                  /* s */
	bool late;                     /* it was ended, since its task took too long */
} Worker;

typedef struct Crew {
	const Work *work;
	Worker *worker;
	int own;                       /* file for records of lost points; -1: none yet */
	int next;                      /* the first task that nobody has begun */
	WorkDone *done;
	double began, shown;
	Diag *diag;
} Crew;

static double seconds_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Reads or writes all n bytes of a pipe. */
static bool move_bytes(int fd, void *data, size_t n, bool in)
{
	for (size_t k = 0; k < n;) {
		ssize_t moved = in ? read(fd, (char *)data + k, n - k) : write(fd, (char *)data + k, n - k);
		if (moved <= 0 && !(moved < 0 && errno == EINTR))
			return false;
		k += moved > 0 ? (size_t)moved : 0;
	}
	return true;
}

/* ---- a worker ---- */

static volatile sig_atomic_t *worker_interrupted;

static void on_worker_interrupt(int sig) { *worker_interrupted = 1; }

static bool run_task(const Work *w, Runner *r, const Task *task, int results, bool *ok)
{
	Arena a = { 0 };
	Diag d = { 0 };
	Point point;
	StrBuf record = { 0 };
	bool wanted, whole = false;
	if (plan_point(w->plan, task->number, &a, &point, &wanted, &d))
		whole = runner_run(r, &point, task->key, &record) && results_append(results, &record);
	*ok = whole && strstr(record.s, "\"status\": \"ok\"") != NULL;
	sb_free(&record);
	diag_free(&d);
	arena_free(&a);
	return whole;
}

/* Runs tasks until the pipe ends. */
static int worker_main(const Work *w, int from, int to)
{
	Diag d = { 0 };
	Runner r = { .plan = w->plan, .interrupted = w->interrupted };
	Task task;
	struct sigaction action = { .sa_handler = on_worker_interrupt };
	worker_interrupted = w->interrupted;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);      /* a file that is too large is an error of write */
	sandbox_backstop();
	int results = results_create(w->folder, &d);
	diag_print(&d, stderr);
	bool good = results >= 0;
	while (good && !*w->interrupted && move_bytes(from, &task, sizeof task, true)) {
		Reply reply = { .number = task.number };
		good = run_task(w, &r, &task, results, &reply.ok) &&
			move_bytes(to, &reply, sizeof reply, false);
	}
	runner_free(&r);
	diag_free(&d);
	return good || *w->interrupted ? 0 : CANNOT_WRITE;
}

/* ---- the crew ---- */

static void close_worker(Worker *k)
{
	close(k->to);
	close(k->from);
	fclose(k->said);
	*k = (Worker){ 0 };
}

static bool start_worker(Crew *c, Worker *k)
{
	int to[2], from[2];
	FILE *said = tmpfile();
	if (!said || pipe(to) || pipe(from)) {
		diag_error(c->diag, (Loc){ 0 }, "cannot begin a process: %s", strerror(errno));
		return false;
	}
	fflush(stdout);
	fflush(stderr);
	pid_t pid = fork();
	if (!pid) {
		/* the pipes of the others must end when the crew does */
		for (int i = 0; i < c->work->processes; i++)
			if (c->worker[i].pid) {
				close(c->worker[i].to);
				close(c->worker[i].from);
			}
		close(to[1]);
		close(from[0]);
		dup2(fileno(said), STDERR_FILENO);
		_exit(worker_main(c->work, to[0], from[1]));
	}
	close(to[0]);
	close(from[1]);
	*k = (Worker){ .pid = pid, .to = to[1], .from = from[0], .said = said };
	if (pid > 0)
		return true;
	diag_error(c->diag, (Loc){ 0 }, "cannot begin a process: %s", strerror(errno));
	close_worker(k);
	return false;
}

static void give_task(Crew *c, Worker *k)
{
	if (k->task || c->next >= c->work->ntasks || *c->work->interrupted)
		return;
	k->task = &c->work->task[c->next++];
	k->began = seconds_now();
	/* where it has ended, its pipe says so */
	Task task = *k->task;
	move_bytes(k->to, &task, sizeof task, false);
}

/* The last line of what the worker said. */
static void last_line(FILE *said, char text[LONGEST_MESSAGE])
{
	char line[LONGEST_MESSAGE];
	text[0] = 0;
	rewind(said);
	while (fgets(line, sizeof line, said))
		if (line[0] != '\n')
			snprintf(text, LONGEST_MESSAGE, "%s", line);
	text[strcspn(text, "\n")] = 0;
}

static bool put_lost(Crew *c, const Worker *k, int status)
{
	char line[LONGEST_MESSAGE], why[2 * LONGEST_MESSAGE];
	Arena a = { 0 };
	Point point;
	StrBuf record = { 0 };
	bool wanted, ok;
	last_line(k->said, line);
	if (k->late)
		snprintf(why, sizeof why, "it took more than %d s", c->work->seconds);
	else if (WIFSIGNALED(status))
		snprintf(why, sizeof why, "the process ended by signal %d%s%s", WTERMSIG(status),
			*line ? ": " : "", line);
	else
		snprintf(why, sizeof why, "the process ended with status %d%s%s", WEXITSTATUS(status),
			*line ? ": " : "", line);
	if (c->own < 0)
		c->own = results_create(c->work->folder, c->diag);
	ok = c->own >= 0 && plan_point(c->work->plan, k->task->number, &a, &point, &wanted, c->diag);
	if (ok) {
		runner_put_lost(c->work->plan, &point, k->task->key, k->late ? "timed out" : "crashed", why,
			&record);
		ok = results_append(c->own, &record);
		if (!ok)
			diag_error(c->diag, (Loc){ c->work->folder, 0, 0 }, "results cannot be written: %s",
				strerror(errno));
	}
	sb_free(&record);
	arena_free(&a);
	return ok;
}

/* A worker has ended: in the midst of a task, or since it could not write. */
static bool worker_ended(Crew *c, Worker *k)
{
	int status;
	char line[LONGEST_MESSAGE];
	while (waitpid(k->pid, &status, 0) < 0 && errno == EINTR)
		;
	bool ok = true;
	if (!*c->work->interrupted && !k->late && WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_WRITE) {
		last_line(k->said, line);
		diag_error(c->diag, (Loc){ 0 }, "%s", *line ? line : "results cannot be written");
		ok = false;
	} else if (!*c->work->interrupted && k->task) {
		ok = put_lost(c, k, status);
		c->done->done++;
		c->done->failed++;
	}
	close_worker(k);
	return ok && (c->next >= c->work->ntasks || *c->work->interrupted || start_worker(c, k));
}

static bool hear_worker(Crew *c, Worker *k)
{
	Reply reply;
	if (!move_bytes(k->from, &reply, sizeof reply, true))
		return worker_ended(c, k);
	c->done->done++;
	c->done->failed += !reply.ok;
	k->task = NULL;
	return true;
}

static void show_progress(Crew *c)
{
	double now = seconds_now(), took = now - c->began;
	int done = c->done->done, all = c->work->ntasks;
	if (!c->work->progress || now - c->shown < 0.2)
		return;
	c->shown = now;
	fprintf(stderr, "\r\033[K%d of %d points", done, all);
	if (c->done->failed)
		fprintf(stderr, ", %d failed", c->done->failed);
	if (done)
		fprintf(stderr, ", %.0f s left", took / done * (all - done));
	fflush(stderr);
}

static void end_late(Crew *c)
{
	for (int i = 0; c->work->seconds && i < c->work->processes; i++) {
		Worker *k = &c->worker[i];
		if (k->pid && k->task && !k->late && seconds_now() - k->began > c->work->seconds) {
			k->late = true;
			kill(k->pid, SIGKILL);
		}
	}
}

static bool busy(const Crew *c)
{
	for (int i = 0; i < c->work->processes; i++)
		if (c->worker[i].task)
			return true;
	return false;
}

/* Gives tasks and hears replies until none is left. */
static bool crew_works(Crew *c)
{
	struct pollfd *seen = xcalloc((size_t)c->work->processes, sizeof *seen);
	bool ok = true;
	for (;;) {
		for (int i = 0; i < c->work->processes; i++)
			if (c->worker[i].pid)
				give_task(c, &c->worker[i]);
		if (!busy(c) || *c->work->interrupted)
			break;
		for (int i = 0; i < c->work->processes; i++)
			seen[i] = (struct pollfd){ c->worker[i].task ? c->worker[i].from : -1, POLLIN, 0 };
		poll(seen, (nfds_t)c->work->processes, 200);
		for (int i = 0; i < c->work->processes && ok; i++)
			if (seen[i].fd >= 0 && seen[i].revents)
				ok = hear_worker(c, &c->worker[i]);
		if (!ok)
			break;
		end_late(c);
		show_progress(c);
	}
	free(seen);
	return ok;
}

static void end_crew(Crew *c, bool kill_them)
{
	for (int i = 0; i < c->work->processes; i++) {
		Worker *k = &c->worker[i];
		if (!k->pid)
			continue;
		if (kill_them || *c->work->interrupted)
			kill(k->pid, SIGTERM);
		close(k->to);
		int status;
		while (waitpid(k->pid, &status, 0) < 0 && errno == EINTR)
			;
		close(k->from);
		fclose(k->said);
	}
	if (c->own >= 0)
		close(c->own);
	if (c->work->progress)
		fprintf(stderr, "\r\033[K");
}

bool work_run(const Work *w, WorkDone *done, Diag *diag)
{
	Work bounded = *w;
	if (bounded.processes > bounded.ntasks)
		bounded.processes = bounded.ntasks;
	if (bounded.processes > MOST_PROCESSES)
		bounded.processes = MOST_PROCESSES;
	Crew c = { .work = &bounded, .own = -1, .done = done, .diag = diag, .began = seconds_now() };
	c.worker = xcalloc((size_t)bounded.processes + 1, sizeof *c.worker);
	*done = (WorkDone){ 0 };
	void (*pipes)(int) = signal(SIGPIPE, SIG_IGN);
	bool ok = true;
	for (int i = 0; i < bounded.processes && ok; i++)
		ok = start_worker(&c, &c.worker[i]);
	ok = ok && crew_works(&c);
	end_crew(&c, !ok);
	signal(SIGPIPE, pipes);
	free(c.worker);
	return ok;
}
