/* Trying candidates, each in a process of its own: is the module still interesting? */
#ifndef GSIM_REDUCE_TRIAL_H
#define GSIM_REDUCE_TRIAL_H
#include "isa/ir.h"
#include <signal.h>
#include <sys/types.h>

/* How a trial ended. TRIAL_YES: the candidate is interesting; TRIAL_LATE: it took too long. */
typedef enum { TRIAL_YES, TRIAL_NO, TRIAL_LATE, TRIAL_LOST } TrialEnd;

/* The question. Either `command` is run: a word {} in it, or a part of a word, stands for the candidate's
   file, which is the last word where there is none. Or `judge` is called in the process, and its return value
   is the exit status. */
typedef struct TrialTest {
	char **command; int ncommand;
	int (*judge)(void *self, Module *);
	/* makes the module of which `command` gets the file, and what {before} stands for keeps the
	   candidate; NULL: the candidate itself. It returns NULL where there is none */
	Module *(*make)(void *self, Module *);
	void *self;
	bool verbose;                  /* what a command writes is shown */
	double seconds;                /* longest time of a trial */
	const char *folder;            /* for candidates' files */
	volatile sig_atomic_t *interrupted;
} TrialTest;

typedef struct TrialRun {
	pid_t pid;                     /* 0: it has ended */
	int slot;                      /* number of its file */
	double began;                  /* s */
	TrialEnd end;
	int status;                    /* as waitpid has it */
	bool late;
	bool *lost;                    /* shared with the process: its candidate could not be written */
} TrialRun;

enum { TRIALS_MOST = 256 };                    /* at the same time */
double trial_now(void);                        /* s */
/* Begins a trial. False: no process can be made; `why` gets a reason. */
bool trial_begin(TrialRun *, const TrialTest *, Module *, int slot, const char **why);
/* Waits until this one of n trials has ended; those that take too long are ended meanwhile. False: it was
   interrupted. tick (may be NULL) is called some times a second. */
bool trial_wait(TrialRun *const *all, int n, TrialRun *which, const TrialTest *, void (*tick)(void *),
	void *self);
void trial_kill(TrialRun *);                   /* ends it, whatever it does */
/* The name of a candidate's file; before: of the one that {before} stands for. */
const char *trial_file(Arena *, const TrialTest *, int slot, bool before);
/* Makes, and removes, the folder for candidates' files; NULL with a reason. */
char *trial_folder(Arena *, const char **why);
void trial_folder_remove(const char *folder, int slots);
#endif
