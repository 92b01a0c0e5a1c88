/* The last resort against a script that comes to no check of its limits: a timer of the thread's processor
   time ends the process. */
#include "sim/sandbox/backstop.h"
#include "sim/sandbox/sandbox.h"
#include <unistd.h>

static bool wanted;

#if defined(_POSIX_TIMERS) && _POSIX_TIMERS > 0 && defined(_POSIX_THREAD_CPUTIME) && !defined(__EMSCRIPTEN__)
static void write_text(const char *s)
{
	ssize_t n = write(STDERR_FILENO, s, strlen(s));
	(void)n;
}

static void on_timer(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code != SI_TIMER) {  /* the signal comes from the system's own limit (RLIMIT_CPU) */
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	const Sandbox *s = info->si_value.sival_ptr;
	write_text(*s->path ? s->path : "the script");
	write_text(": error: the time limit is reached inside one operation of Lua (a table with very many "
		"keys?)\n");
	_exit(2);
}

bool sandbox_backstop(void)
{
	struct sigaction a = { .sa_sigaction = on_timer, .sa_flags = SA_SIGINFO };
	wanted = !sigaction(SIGXCPU, &a, NULL);
	return wanted;
}

void backstop_open(Sandbox *s)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU,
		.sigev_value.sival_ptr = s };
	s->timed = wanted && !timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &s->timer);
}

void backstop_close(Sandbox *s)
{
	if (s->timed)
		timer_delete(s->timer);
	s->timed = false;
}

void backstop_set(Sandbox *s, double seconds)
{
	struct itimerspec t = { 0 };
	t.it_value.tv_sec = (time_t)seconds;
	t.it_value.tv_nsec = (long)((seconds - (double)t.it_value.tv_sec) * 1e9);
	if (s->timed)
		timer_settime(s->timer, 0, &t, NULL);
}
#else
bool sandbox_backstop(void) { return false; }
void backstop_open(Sandbox *s) { s->timed = false; }
void backstop_close(Sandbox *s) { s->timed = false; }
void backstop_set(Sandbox *s, double seconds) {}
#endif
