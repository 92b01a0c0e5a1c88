#include "tools/shares.h"
#include "lib/interrupt.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PROCESSES = 256, LOOK_MS = 200 };

/* What a process writes into the pipe: in one piece, since it is not longer than what a pipe takes whole. */
typedef struct Message { int piece; char result[SHARES_RESULT]; } Message;

static size_t message_bytes(const Shares *s) { return offsetof(Message, result) + s->bytes; }

/* The process number k of n: every n-th piece. */
static void make_share(const Shares *s, int k, int n, int to)
{
	Message m = { 0 };
	/* whoever interrupts the program has this process ended at once */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	for (m.piece = k; m.piece < s->pieces; m.piece += n) {
		s->make(s->context, m.piece, m.result);
		if (write(to, &m, message_bytes(s)) != (ssize_t)message_bytes(s))
			_exit(1);
	}
	_exit(0);
}

static void make_alone(const Shares *s)
{
	Message m;
	for (int i = 0; i < s->pieces && !is_interrupted(s->interrupted); i++) {
		s->make(s->context, i, m.result);
		s->take(s->context, i, m.result);
	}
}

/* Takes results until no process has the pipe open any more. */
static void take_results(const Shares *s, int from, const pid_t *pid, int n)
{
	Message m;
	struct pollfd p = { .fd = from, .events = POLLIN };
	bool told = false;
	for (;;) {
		if (is_interrupted(s->interrupted) && !told) {
			for (int i = 0; i < n; i++)
				kill(pid[i], SIGTERM);
			told = true;
		}
		if (poll(&p, 1, LOOK_MS) <= 0)
			continue;
		ssize_t got = read(from, &m, message_bytes(s));
		if (got == (ssize_t)message_bytes(s) && m.piece >= 0 && m.piece < s->pieces)
			s->take(s->context, m.piece, m.result);
		else if (got >= 0 || errno != EINTR)
			break;
	}
}

static void wait_for_all(const pid_t *pid, int n)
{
	for (int i = 0, status; i < n; i++)
		while (waitpid(pid[i], &status, 0) < 0 && errno == EINTR)
			;
}

bool shares_make(const Shares *s, int processes, Diag *diag)
{
	pid_t pid[MOST_PROCESSES];
	int n = processes < s->pieces ? processes : s->pieces, pipes[2], began = 0;
	must(s->bytes <= SHARES_RESULT);
	if (n <= 1) {
		make_alone(s);
		return true;
	}
	n = n < MOST_PROCESSES ? n : MOST_PROCESSES;
	bool ok = !pipe(pipes), piped = ok;
	fflush(NULL);
	for (int k = 0; k < n && ok; k++) {
		pid_t p = fork();
		if (!p) {
			close(pipes[0]);
			make_share(s, k, n, pipes[1]);
		}
		ok = p > 0;
		if (ok)
			pid[began++] = p;
	}
	if (!ok)
		diag_error(diag, (Loc){ 0 }, "cannot begin a process: %s", strerror(errno));
	if (!ok && !piped)
		return false;
	close(pipes[1]);
	take_results(s, pipes[0], pid, began);
	close(pipes[0]);
	wait_for_all(pid, began);
	return ok;
}
