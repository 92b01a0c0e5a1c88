#include "tools/sweep/results.h"
#include "lib/file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_RECORD = 1 << 22, MOST_TRIES = 10000, LARGEST_FILE = 1 << 30 };
static const char suffix[] = ".jsonl", prefix[] = "results-";

/* ---- reading ---- */

static bool is_results_file(const char *name)
{
	size_t n = strlen(name);
	return n > sizeof suffix + sizeof prefix - 2 && !strncmp(name, prefix, sizeof prefix - 1) &&
		!strcmp(name + n - (sizeof suffix - 1), suffix);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_key(const void *a, const void *b)
{
	const RecordPlace *x = a, *y = b;
	int order = strcmp(x->key, y->key);
	if (!order)
		order = (int)y->ok - (int)x->ok;
	/* of records that failed, the last of a file */
	if (!order)
		order = (x->file > y->file) - (x->file < y->file);
	return order ? order : (x->offset < y->offset) - (x->offset > y->offset);
}

static bool is_key(const char *s, size_t n)
{
	return n == POINT_KEY - 1 && strspn(s, "0123456789abcdef") >= n;
}

/* The value of a key at the begin of a line that this program wrote: {"key": "...". Finds it without reading
   the whole record. NULL: the line has no such begin. */
static const char *begin_of_key(const char *line, size_t n)
{
	static const char head[] = "{\"key\":";
	const char *p = line + sizeof head - 1, *end = line + n;
	if (n < sizeof head + POINT_KEY + 2 || memcmp(line, head, sizeof head - 1))
		return NULL;
	while (p < end && *p == ' ')
		p++;
	return p + POINT_KEY < end && *p == '"' && p[POINT_KEY] == '"' && is_key(p + 1, POINT_KEY - 1) ? p + 1
		: NULL;
}

static const char check_key[] = ", \"check\": \"";
enum { CHECK_TAIL = sizeof check_key - 1 + 16 + 2 };
	/* bytes behind what is checked: the key, the hash, "} */

void results_seal(StrBuf *record)
{
	char text[17];
	snprintf(text, sizeof text, "%016llx", (unsigned long long)hash_fnv1a(record->s, record->n));
	sb_printf(record, "%s%s\"}\n", check_key, text);
}

static bool is_sealed(const char *line, size_t n)
{
	char text[17];
	if (n <= CHECK_TAIL || memcmp(line + n - CHECK_TAIL, check_key, sizeof check_key - 1))
		return false;
	snprintf(text, sizeof text, "%016llx", (unsigned long long)hash_fnv1a(line, n - CHECK_TAIL));
	return !memcmp(line + n - 18, text, 16) && !memcmp(line + n - 2, "\"}", 2);
}

/* Whether the file has the content of which the record has the hash. Each file is read once. */
static bool is_unchanged(Results *r, const char *path, const char *hash)
{
	int i = strmap_get(&r->now_at, path);
	if (i < 0) {
		size_t n;
		const char *why;
		char *data = file_read_ordinary(path, LARGEST_FILE, &n, &why);
		FileNow now = { "" };
		if (data)
			snprintf(now.hash, sizeof now.hash, "%016llx",
				(unsigned long long)hash_content(data, n));
		free(data);
		vec_push(&r->now, now);
		strmap_put(&r->now_at, arena_strdup(&r->arena, path), i = r->now.n - 1);
	}
	return !strcmp(r->now.v[i].hash, hash);
}

/* The files that the workload loaded are as they were. */
static bool is_of_these_files(Results *r, const JsonValue *record)
{
	const JsonValue *files = json_get(record, "files");
	for (int i = 0; files && files->kind == JSON_ARRAY && i < files->n; i++)
		if (!is_unchanged(r, json_string(&files->item[i], "file"),
			json_string(&files->item[i], "hash")))
			return false;
	return true;
}

static void take_line(Results *r, int file, uint64_t offset, const char *line, size_t n)
{
	Arena a = { 0 };
	Diag none = { 0 };
	const char *key = begin_of_key(line, n);
	const JsonValue *v = key && is_sealed(line, n) ? json_read(&a, line, n, "record", &none) : NULL;
	if (!v || !json_get(v, "status")) {
		r->broken++;
	} else if (!is_of_these_files(r, v)) {
		r->outdated++;
	} else {
		RecordPlace p = { .ok = !strcmp(json_string(v, "status"), "ok"), .file = file,
			.offset = offset, .bytes = (uint32_t)n };
		const char *said = strstr(line, "\"status\":");
		p.said = said ? hash_fnv1a(said, (size_t)(line + n - CHECK_TAIL - said)) : 0;
		memcpy(p.key, key, POINT_KEY - 1);
		vec_push(&r->record, p);
	}
	arena_free(&a);
	diag_free(&none);
}

/* Reads a file line by line; what has no newline behind it was not written to its end. */
static void take_file(Results *r, int file, FILE *f)
{
	char *line = NULL;
	size_t room = 0;
	uint64_t offset = 0;
	for (ssize_t n; (n = getline(&line, &room, f)) > 0; offset += (uint64_t)n) {
		if (line[n - 1] != '\n' || n > LONGEST_RECORD)
			r->broken++;
		else
			take_line(r, file, offset, line, (size_t)n - 1);
	}
	free(line);
}

static void keep_first_of_each(Results *r)
{
	int n = 0;
	if (r->record.n)
		qsort(r->record.v, (size_t)r->record.n, sizeof *r->record.v, by_key);
	for (int i = 0; i < r->record.n; i++) {
		const RecordPlace *last = n ? &r->record.v[n - 1] : NULL, *p = &r->record.v[i];
		if (!last || strcmp(last->key, p->key))
			r->record.v[n++] = *p;
		else
			r->disagree += last->ok && p->ok && last->said != p->said;
	}
	r->record.n = n;
}

static FILE *open_results(const Results *r, const char *name)
{
	Arena a = { 0 };
	int fd = open(arena_printf(&a, "%s/%s", r->folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	struct stat s;
	if (fd >= 0 && (fstat(fd, &s) || !S_ISREG(s.st_mode))) {
		close(fd);
		fd = -1;
	}
	arena_free(&a);
	return fd < 0 ? NULL : fdopen(fd, "r");
}

bool results_reload(Results *r, Diag *diag)
{
	DIR *d = opendir(r->folder);
	if (!d) {
		diag_error(diag, (Loc){ r->folder, 0, 0 }, "cannot read the folder of results: %s",
			strerror(errno));
		return false;
	}
	vec_clear(&r->file);
	vec_clear(&r->record);
	vec_clear(&r->now);
	strmap_free(&r->now_at);
	r->broken = r->outdated = r->disagree = 0;
	for (struct dirent *e; (e = readdir(d));)
		if (is_results_file(e->d_name))
			vec_push(&r->file, arena_strdup(&r->arena, e->d_name));
	closedir(d);
	if (r->file.n)
		qsort(r->file.v, (size_t)r->file.n, sizeof *r->file.v, by_text);
	for (int i = 0; i < r->file.n; i++) {
		FILE *f = open_results(r, r->file.v[i]);
		if (!f)
			continue;
		take_file(r, i, f);
		fclose(f);
	}
	keep_first_of_each(r);
	return true;
}

bool results_open(Results *r, const char *folder, Diag *diag)
{
	r->folder = arena_strdup(&r->arena, folder);
	if (mkdir(folder, 0777) && errno != EEXIST) {
		diag_error(diag, (Loc){ folder, 0, 0 }, "cannot make the folder of results: %s",
			strerror(errno));
		return false;
	}
	return results_reload(r, diag);
}

const RecordPlace *results_find(const Results *r, const char *key)
{
	for (int low = 0, high = r->record.n; low < high;) {
		int middle = low + (high - low) / 2, order = strcmp(key, r->record.v[middle].key);
		if (!order)
			return &r->record.v[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

char *results_read(const Results *r, const RecordPlace *p)
{
	FILE *f = open_results(r, r->file.v[p->file]);
	char *line = xcalloc(1, (size_t)p->bytes + 1);
	bool ok = f && !fseeko(f, (off_t)p->offset, SEEK_SET) && fread(line, 1, p->bytes, f) == p->bytes;
	if (f)
		fclose(f);
	if (ok)
		return line;
	free(line);
	return NULL;
}

void results_free(Results *r)
{
	vec_free(&r->file);
	vec_free(&r->record);
	vec_free(&r->now);
	strmap_free(&r->now_at);
	arena_free(&r->arena);
}

/* ---- writing ---- */

int results_create(const char *folder, Diag *diag)
{
	char host[64] = "host";
	Arena a = { 0 };
	int fd = -1;
	gethostname(host, sizeof host - 1);
	for (char *p = host; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", *p))
			*p = '-';
	const char *path = "";
	for (int k = 0; k < MOST_TRIES && fd < 0; k++) {
		path = arena_printf(&a, "%s/%s%s-%lld-%ld-%d%s", folder, prefix, host, (long long)time(NULL),
			(long)getpid(), k, suffix);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		diag_error(diag, (Loc){ arena_strdup(&diag->arena, path), 0, 0 }, "cannot be written: %s",
			strerror(errno));
	arena_free(&a);
	return fd;
}

bool results_append(int fd, const StrBuf *record)
{
	for (size_t n = 0; n < record->n;) {
		ssize_t wrote = write(fd, record->s + n, record->n - n);
		if (wrote < 0 && errno != EINTR)
			return false;
		n += wrote > 0 ? (size_t)wrote : 0;
	}
	return true;
}
