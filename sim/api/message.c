/* Messages, from the Diag of an object to the function that the program has given for it. */
#include "sim/api/api.h"

enum { TEXTS = 20, LAST_ERROR = 4096 };        /* texts of errors and warnings of one call */
static _Thread_local char last_error[LAST_ERROR];

/* A function of the program that gets a message in this thread and has not returned, as others from which
   the library was called. */
typedef struct Hearing { const Messages *of; const struct Hearing *outer; } Hearing;
static _Thread_local const Hearing *hearing;

const char *gsim_last_error(void) { return last_error; }

void messages_open(Messages *m, GsimOnMessage *call, void *self)
{
	*m = (Messages){ .call = call, .self = self };
	messages_begin(m);
}

void messages_begin(Messages *m) { m->diag.limit = m->diag.item.n - m->diag.remarks + TEXTS; }

static void keep_last_error(const GsimMessage *message)
{
	char line[24] = "", column[24] = "";
	if (message->line)
		snprintf(line, sizeof line, "%d:", message->line);
	if (message->line && message->column)
		snprintf(column, sizeof column, "%d:", message->column);
	snprintf(last_error, sizeof last_error, "%s%s%s%s%s%s", message->file ? message->file : "",
		message->file ? ":" : "", line, column, message->file || *line ? " " : "", message->text);
}

static void tell(const Messages *m, const GsimMessage *message)
{
	if (message->severity == GSIM_ERROR)
		keep_last_error(message);
	if (m && m->call) {
		const Hearing now = { m, hearing };
		hearing = &now;
		int lent = locale_lend();
		m->call(m->self, message);
		locale_take(lent);
		hearing = now.outer;
	}
}

bool messages_quiet(const Messages *m, const char *function)
{
	const Hearing *h = hearing;
	while (h && h->of != m)
		h = h->outer;
	if (h)
		misuse(NULL, "%s: called from the function that gets the messages of the same object",
			function);
	return !h;
}

void messages_say(const Messages *m, GsimSeverity severity, const char *text)
{
	tell(m, &(GsimMessage){ .severity = severity, .text = text });
}

void messages_tell(Messages *m)
{
	int dropped = m->diag.errors - m->errors;
	m->errors = m->diag.errors;
	while (m->told < m->diag.item.n) {
		const DiagItem it = m->diag.item.v[m->told++];
		GsimSeverity severity = it.warning ? GSIM_WARNING : it.remark ? GSIM_REMARK : GSIM_ERROR;
		dropped -= severity == GSIM_ERROR;
		tell(m, &(GsimMessage){ severity, it.loc.file, it.loc.line, it.loc.line ? it.loc.col : 0,
			it.text });
	}
	if (dropped > 0) {
		char text[64];
		snprintf(text, sizeof text, "%d more errors are not told", dropped);
		messages_say(m, GSIM_ERROR, text);
	}
}

GsimStatus misuse(const Messages *m, const char *fmt, ...)
{
	char text[LAST_ERROR];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	messages_say(m, GSIM_ERROR, text);
	return GSIM_MISUSE;
}
