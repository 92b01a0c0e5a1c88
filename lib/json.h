/* JSON: a sink that text or something else comes out of, and a reader of whole texts. */
#ifndef GSIM_JSON_H
#define GSIM_JSON_H
#include "lib/diag.h"
#include "lib/strbuf.h"
#include <stdint.h>

/* Where a document goes, item by item. Inside an object each item follows its key. */
typedef struct JsonSink JsonSink;
struct JsonSink {
	void (*begin)(JsonSink *, char bracket, bool flat);  /* '{' or '['; flat: text keeps it in one line */
	void (*end)(JsonSink *);
	void (*key)(JsonSink *, const char *);
	void (*count)(JsonSink *, uint64_t);
	void (*integer)(JsonSink *, int64_t);                /* what may be below 0 */
	void (*real)(JsonSink *, double);                    /* not finite: null */
	void (*text)(JsonSink *, const char *);              /* NULL: null */
	void (*boolean)(JsonSink *, bool);
};

/* A key and its value. */
void json_put_count(JsonSink *, const char *key, uint64_t);
void json_put_real(JsonSink *, const char *key, bool known, double);  /* not known: null */
void json_put_text(JsonSink *, const char *key, const char *);

enum { JSON_DEPTH = 32, JSON_MEMBERS = 4096 }; /* JSON_MEMBERS: of an object that is read */

/* A sink that writes text: JsonText t; json_text(&t, &out); then use t.sink. */
typedef struct JsonText {
	JsonSink sink;
	StrBuf *out;
	int depth, flat;           /* open brackets; depth from which they are in one line, 0 = none */
	bool some[JSON_DEPTH], keyed;
	char close[JSON_DEPTH];
} JsonText;
void json_text(JsonText *, StrBuf *);

/* The shortest decimal form that reads back as the same number. */
void json_print_real(StrBuf *, double);

typedef enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;
typedef struct JsonValue JsonValue;
struct JsonValue {
	JsonKind kind;
	double number;             /* also of JSON_BOOL: 0 or 1 */
	const char *text;          /* strings; numbers: as written */
	int n;                     /* arrays, objects: members */
	JsonValue *item;
	const char **key;          /* objects, in the order of the text */
};

/* The value that is the whole text, in the arena; NULL with a located error. */
const JsonValue *json_read(Arena *, const char *text, size_t n, const char *path, Diag *);
/* NULL when there is none or it is no object */
const JsonValue *json_get(const JsonValue *object, const char *key);
const JsonValue *json_path(const JsonValue *, const char *path);         /* "memory.l1.hits" */
bool json_is_number(const JsonValue *);                                  /* false for NULL too */
double json_number(const JsonValue *object, const char *path);           /* 0 when it is none */
const char *json_string(const JsonValue *object, const char *key);       /* "" when it is none */
/* a string's text, a number as written, true, false, null; "" when there is none or it has members */
const char *json_shown(const JsonValue *);
#endif
