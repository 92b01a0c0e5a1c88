/* Messages, from the Diag of an object to the function that the program has given for it. */
#include "sim/api/api.h"

enum { TEXTS = 20, LAST_ERROR = 4096 };        /* texts of errors and warnings of one call */
static _Thread_local char last_error[LAST_ERROR];

const char *gsim_last_error(void) { return last_error; }

void messages_open(Messages *m, GsimOnMessage *call, void *self)
{
	*m = (Messages){ .call = call, .self = self };
	messages_begin(m);
}

void messages_begin(Messages *m) { m->diag.limit = m->diag.item.n - m->diag.remarks + TEXTS; }

static void tell(const Messages *m, const GsimMessage *message)
{
	if (message->severity == GSIM_ERROR)
		snprintf(last_error, sizeof last_error, "%s", message->text);
	if (m && m->call) {
		int lent = locale_lend();
		m->call(m->self, message);
		locale_take(lent);
	}
}

void messages_say(const Messages *m, GsimSeverity severity, const char *text)
{
	tell(m, &(GsimMessage){ .severity = severity, .text = text });
}

void messages_tell(Messages *m)
{
	int dropped = m->diag.errors - m->errors;
	for (; m->told < m->diag.item.n; m->told++) {
		const DiagItem it = m->diag.item.v[m->told];
		GsimSeverity severity = it.warning ? GSIM_WARNING : it.remark ? GSIM_REMARK : GSIM_ERROR;
		dropped -= severity == GSIM_ERROR;
		tell(m, &(GsimMessage){ severity, it.loc.file, it.loc.line, it.loc.line ? it.loc.col : 0,
			it.text });
	}
	m->errors = m->diag.errors;
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
