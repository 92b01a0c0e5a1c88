#include "tools/reduce/trial.h"
#include "lib/file.h"
#include "tools/reduce/edits.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICKS = 10 /* a second */ };

double trial_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- files ---- */

const char *trial_file(Arena *a, const TrialTest *t, int slot, bool before)
{
	return arena_printf(a, "%s/%s%d.ir", t->folder, before ? "before" : "candidate", slot);
}

char *trial_folder(Arena *a, const char **why)
{
	const char *top = getenv("TMPDIR");
	char *name = arena_printf(a, "%s/gsim-reduce.XXXXXX", top && *top ? top : "/tmp");
	if (mkdtemp(name))
		return name;
	*why = strerror(errno);
	return NULL;
}

void trial_folder_remove(const char *folder, int slots)
{
	Arena a = { 0 };
	TrialTest t = { .folder = folder };
	for (int k = 0; k < slots; k++) {
		unlink(trial_file(&a, &t, k, false));
		unlink(trial_file(&a, &t, k, true));
	}
	rmdir(folder);
	arena_free(&a);
}

static bool write_module(const char *path, const Module *m)
{
	const char *why;
	StrBuf text = { 0 };
	reduce_print(m, &text);
	bool ok = file_write(path, text.s ? text.s : "", text.n, &why);
	sb_free(&text);
	return ok;
}

/* ---- the process ---- */

/* The word with the file's name in place of each {}, and the other's in place of each {before}. */
static char *fill_in(Arena *a, const char *word, const char *file, const char *before, bool *named)
{
	StrBuf b = { 0 };
	for (const char *p = word; *p;) {
		if (!strncmp(p, "{}", 2)) {
			sb_puts(&b, file);
			*named = true;
			p += 2;
		} else if (before && !strncmp(p, "{before}", 8)) {
			sb_puts(&b, before);
			p += 8;
		} else {
			sb_putc(&b, *p++);
		}
	}
	char *filled = arena_strdup(a, b.s ? b.s : "");
	sb_free(&b);
	return filled;
}

static void silence(const TrialTest *t)
{
	int null = open("/dev/null", O_RDWR);
	if (null < 0)
		return;
	dup2(null, 0);
	if (!t->verbose || t->judge) {
		dup2(null, 1);
		dup2(null, 2);
	}
}

static int run_command(const TrialTest *t, Module *m, int slot, bool *lost)
{
	Arena a = { 0 };
	bool named = false;
	const char *file = trial_file(&a, t, slot, false), *before = trial_file(&a, t, slot, true);
	Module *made = t->make ? t->make(t->self, m) : m;
	if (!made)
		return 1;
	if (!write_module(file, made) || (t->make && !write_module(before, m))) {
		*lost = true;
		return 1;
	}
	char **argv = arena_array(&a, char *, t->ncommand + 2);
	for (int k = 0; k < t->ncommand; k++)
		argv[k] = fill_in(&a, t->command[k], file, t->make ? before : NULL, &named);
	if (!named)
		argv[t->ncommand] = (char *)(uintptr_t)file;
	execvp(argv[0], argv);
	return errno == ENOENT ? 127 : 126;
}

static void child(const TrialTest *t, Module *m, int slot, bool *lost)
{
	const struct itimerval none = { { 0, 0 }, { 0, 0 } };
	setpgid(0, 0);
	setitimer(ITIMER_REAL, &none, NULL);
	for (int sig = 1; sig < 32; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, SIG_DFL);
	silence(t);
	_exit(t->judge ? t->judge(t->self, m) : run_command(t, m, slot, lost));
}

static void forget_lost(TrialRun *r)
{
	munmap(r->lost, sizeof *r->lost);
	r->lost = NULL;
}

bool trial_begin(TrialRun *r, const TrialTest *t, Module *m, int slot, const char **why)
{
	/* the process tells it by memory that it shares: each exit status may be that of a command */
	bool *lost = mmap(NULL, sizeof *lost, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*r = (TrialRun){ .slot = slot, .began = trial_now() };
	if (lost == MAP_FAILED) {
		*why = strerror(errno);
		return false;
	}
	r->lost = lost;
	fflush(stdout);
	fflush(stderr);
	r->pid = fork();
	if (!r->pid)
		child(t, m, slot, lost);
	if (r->pid < 0) {
		*why = strerror(errno);
		r->pid = 0;
		forget_lost(r);
		return false;
	}
	setpgid(r->pid, r->pid);       /* both do it: nobody knows who comes first */
	return true;
}

/* ---- waiting ---- */

static void note_end(TrialRun *r, int status)
{
	kill(-r->pid, SIGKILL);        /* what it has left behind */
	r->pid = 0;
	r->status = status;
	if (r->late)
		r->end = TRIAL_LATE;
	else if (*r->lost)
		r->end = TRIAL_LOST;
	else
		r->end = WIFEXITED(status) && !WEXITSTATUS(status) ? TRIAL_YES : TRIAL_NO;
	forget_lost(r);
}

static void end_late(TrialRun *const *all, int n, const TrialTest *t)
{
	double now = trial_now();
	for (int k = 0; k < n; k++)
		if (all[k]->pid && !all[k]->late && now - all[k]->began > t->seconds) {
			all[k]->late = true;
			kill(-all[k]->pid, SIGKILL);
			kill(all[k]->pid, SIGKILL);
		}
}

static void on_tick(int sig) {}

/* Has wait return some times a second. */
static void set_ticks(bool on)
{
	struct sigaction a = { .sa_handler = on_tick };
	struct itimerval every = { { 0, on ? 1000000 / TICKS : 0 }, { 0, on ? 1000000 / TICKS : 0 } };
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

bool trial_wait(TrialRun *const *all, int n, TrialRun *which, const TrialTest *t, void (*tick)(void *),
	void *self)
{
	set_ticks(true);
	while (which->pid && !*t->interrupted) {
		int status;
		pid_t pid = waitpid(-1, &status, 0);
		for (int k = 0; k < n && pid > 0; k++)
			if (all[k]->pid == pid)
				note_end(all[k], status);
		end_late(all, n, t);
		if (pid < 0 && tick)
			tick(self);
		if (pid < 0 && errno == ECHILD)
			break;
	}
	set_ticks(false);
	return !which->pid;
}

void trial_kill(TrialRun *r)
{
	int status;
	if (!r->pid)
		return;
	kill(-r->pid, SIGKILL);
	kill(r->pid, SIGKILL);
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	r->pid = 0;
	forget_lost(r);
}
