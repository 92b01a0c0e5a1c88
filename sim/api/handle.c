/* The objects that are alive, in a table, so that one that was freed, or never was one, is recognised
   without a look into it. The address of a freed object may become that of a new one; that it then stands
   for the new one cannot be seen. */
#include "sim/api/api.h"
#include <pthread.h>

enum { BUCKETS = 1024 };
static Handle *bucket[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static Handle **bucket_of(const void *p) { return &bucket[(uintptr_t)p / 64 % BUCKETS]; }

void handle_open(Handle *h, HandleKind kind)
{
	Handle **at = bucket_of(h);
	h->kind = kind;
	pthread_mutex_lock(&lock);
	h->next = *at;
	*at = h;
	pthread_mutex_unlock(&lock);
}

void handle_close(Handle *h)
{
	pthread_mutex_lock(&lock);
	for (Handle **at = bucket_of(h); *at; at = &(*at)->next)
		if (*at == h) {
			*at = h->next;
			break;
		}
	pthread_mutex_unlock(&lock);
}

bool handle_is(const void *p, HandleKind kind, const char *function)
{
	static const char *const names[] = { "module", "machine", "run", "buffer", "report" };
	bool found = false;
	pthread_mutex_lock(&lock);
	for (const Handle *h = *bucket_of(p); h && !found; h = h->next)
		found = h == p && h->kind == kind;
	pthread_mutex_unlock(&lock);
	if (!found && !p)
		misuse(NULL, "%s: the %s is NULL", function, names[kind]);
	else if (!found)
		misuse(NULL, "%s: this is no %s, or it was freed", function, names[kind]);
	return found;
}
