#include "tools/reduce/guilty.h"
#include "lib/file.h"
#include "passes/pass.h"
#include <errno.h>
#include <sys/wait.h>

typedef struct Hunt {
	const TrialTest *test;
	Judge *judge;
	Module *m;
	Arena *arena;
	GuiltyEnd end;                 /* of the search as a whole; GUILTY_FOUND: it goes on */
	const char **text;
} Hunt;

/* One trial. Returns its exit status; -1: it ended otherwise, and the search is over if h->end says so. */
static int try_passes(Hunt *h, const char *passes, int64_t most)
{
	TrialRun run, *all = &run;
	const char *why;
	h->judge->passes = passes;
	h->judge->most = most;
	if (h->end != GUILTY_FOUND)
		return -1;
	if (!trial_begin(&run, h->test, h->m, 0, &why)) {
		*h->text = arena_printf(h->arena, "cannot begin a process: %s", why);
		h->end = GUILTY_ERROR;
		return -1;
	}
	if (!trial_wait(&all, 1, &run, h->test, NULL, NULL)) {
		trial_kill(&run);
		h->end = GUILTY_INTERRUPTED;
		return -1;
	}
	return run.end == TRIAL_LATE || !WIFEXITED(run.status) ? -1 : WEXITSTATUS(run.status);
}

static bool is_wrong(Hunt *h, const char *passes, int64_t most) { return !try_passes(h, passes, most); }

/* What the built-in question says. VERDICTS: nothing. */
static Verdict verdict_of(Hunt *h, const char *passes)
{
	h->judge->tells = true;
	int v = try_passes(h, passes, INT64_MAX) - VERDICT_STATUS;
	h->judge->tells = false;
	return v < 0 || v >= VERDICTS ? VERDICTS : (Verdict)v;
}

static bool is_sound(Hunt *h, const char *text)
{
	if (h->end == GUILTY_FOUND) {
		*h->text = text;
		h->end = GUILTY_NONE;
	}
	return false;
}

/* Is something wrong with all passes, and is it so only because of them? */
static bool check_input(Hunt *h, const char *passes, Guilty *g)
{
	if (!h->test->judge) {
		if (!is_wrong(h, passes, INT64_MAX))
			return is_sound(h, "COMMAND does not find what all passes leave interesting");
		return !is_wrong(h, "", INT64_MAX) ||
			is_sound(h, "COMMAND finds it interesting without passes");
	}
	g->all = verdict_of(h, passes);
	if (g->all == VERDICT_UNFIT && h->judge->races) {
		h->judge->races = false;
		g->all = verdict_of(h, passes);
	}
	h->judge->wanted = VERDICT_WRONG;
	return (g->all > VERDICT_SAME && g->all < VERDICT_UNFIT) || is_sound(h, g->all == VERDICTS
		? "it takes too long" : verdict_text[g->all]);
}

/* The smallest number of passes that make the module wrong. */
static int first_step(Hunt *h, const char *passes, int steps)
{
	int sound = 0, wrong = steps;
	while (wrong - sound > 1 && h->end == GUILTY_FOUND) {
		int k = sound + (wrong - sound) / 2;
		if (is_wrong(h, pipeline_prefix(h->arena, passes, k), INT64_MAX))
			wrong = k;
		else
			sound = k;
	}
	return wrong;
}

/* The smallest number of changes that make the module wrong. */
static int64_t first_change(Hunt *h, const char *passes)
{
	int64_t sound = 0, wrong = 1;
	for (; !is_wrong(h, passes, wrong) && h->end == GUILTY_FOUND && wrong < INT64_MAX / 4; wrong *= 2)
		sound = wrong;
	while (wrong - sound > 1 && h->end == GUILTY_FOUND) {
		int64_t k = sound + (wrong - sound) / 2;
		if (is_wrong(h, passes, k))
			wrong = k;
		else
			sound = k;
	}
	return wrong;
}

/* What the trial has noted: the last change, and what is wrong, a line each. */
static void read_note(Hunt *h, Guilty *g)
{
	const char *why;
	size_t n;
	char *text = file_read(h->judge->note, 1 << 16, &n, &why);
	g->what = g->why = "";
	if (!text)
		return;
	size_t line = strcspn(text, "\n");
	g->what = arena_strndup(h->arena, text, line);
	g->why = text[line] ? arena_strndup(h->arena, text + line + 1, strcspn(text + line + 1, "\n")) : "";
	free(text);
}

/* The text of pass number `step`. */
static const char *pass_text(Arena *a, const char *passes, int step)
{
	const char *all = pipeline_prefix(a, passes, step);
	return all + strlen(pipeline_prefix(a, passes, step - 1)) + strspn(all +
		strlen(pipeline_prefix(a, passes, step - 1)), ", \t\n");
}

GuiltyEnd guilty_find(const TrialTest *t, Module *m, const char *passes, Arena *a, Guilty *g,
	const char **text)
{
	Hunt h = { t, t->self, m, a, GUILTY_FOUND, text };
	*g = (Guilty){ .all = VERDICTS };
	if (!check_input(&h, passes, g))
		return h.end;
	g->steps = pipeline_steps(passes);
	g->step = first_step(&h, passes, g->steps);
	g->until = pipeline_prefix(a, passes, g->step);
	g->pass = pass_text(a, passes, g->step);
	g->change = first_change(&h, g->until);
	is_wrong(&h, g->until, g->change);
	read_note(&h, g);
	g->alone = g->step == 1 || is_wrong(&h, g->pass, INT64_MAX);
	if (t->judge)
		h.judge->wanted = verdict_of(&h, g->alone ? g->pass : g->until);
	h.judge->passes = g->alone ? g->pass : g->until;
	h.judge->most = INT64_MAX;
	return h.end;
}
