/* JSON: a sink into which a document is put item by item, and a reader of whole texts. */
#ifndef GSIM_JSON_H
#define GSIM_JSON_H
#include "lib/diag.h"
#include "lib/strbuf.h"
#include <stdint.h>

/* Functions that take a document, item by item, and make text or something else of it. In an object, `key`
   must be called before each item. */
typedef struct JsonSink JsonSink;
struct JsonSink {
	void (*begin)(JsonSink *, char bracket, bool flat);  /* '{' or '['; flat: text keeps it in one line */
	void (*end)(JsonSink *);
	void (*key)(JsonSink *, const char *);
	void (*count)(JsonSink *, uint64_t);
	void (*integer)(JsonSink *, int64_t);                /* a number that may be below 0 */
	void (*real)(JsonSink *, double);                    /* a number that is not finite becomes null */
	void (*text)(JsonSink *, const char *);              /* NULL becomes null */
	void (*boolean)(JsonSink *, bool);
};

/* Put a key and its value. */
void json_put_count(JsonSink *, const char *key, uint64_t);
void json_put_real(JsonSink *, const char *key, bool known, double);  /* known false: null */
void json_put_text(JsonSink *, const char *key, const char *);

/* most open brackets; most members of an object that is read */
enum { JSON_DEPTH = 32, JSON_MEMBERS = 4096 };

/* A sink that writes text: JsonText t; json_text(&t, &out); then use t.sink. */
typedef struct JsonText {
	JsonSink sink;
	StrBuf *out;
	/* open brackets; depth from which on all is in one line, 0 = at no depth */
	int depth, flat;
	bool some[JSON_DEPTH], keyed;
	char close[JSON_DEPTH];
} JsonText;
void json_text(JsonText *, StrBuf *);

/* Writes the number in decimal, with the fewest significant digits from 6 to 17 with which it reads back as
   the same number. */
void json_print_real(StrBuf *, double);

typedef enum { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;
typedef struct JsonValue JsonValue;
struct JsonValue {
	JsonKind kind;
	double number;             /* the number; JSON_BOOL: 0 or 1 */
	const char *text;          /* the string; JSON_NUMBER: the number as it was written */
	int n;                     /* arrays, objects: number of members */
	JsonValue *item;           /* the members, in the order of the text */
	const char **key;          /* objects: the members' keys */
};

/* Reads the text, which must be one value, into the arena. NULL: the text is no JSON; diag has an error with
   its place. */
const JsonValue *json_read(Arena *, const char *text, size_t n, const char *path, Diag *);
/* the member with this key; NULL: the object has none, or the value is no object */
const JsonValue *json_get(const JsonValue *object, const char *key);
const JsonValue *json_path(const JsonValue *, const char *path);         /* "memory.l1.hits" */
bool json_is_number(const JsonValue *);                                  /* false for NULL too */
double json_number(const JsonValue *object, const char *path);           /* 0 when no number is there */
const char *json_string(const JsonValue *object, const char *key);       /* "" when no string is there */
/* the value as text: a string's text, a number as it was written, true, false, null; "" for NULL, arrays,
   objects */
const char *json_shown(const JsonValue *);
#endif
