/* gsim-fuzz KIND COUNT [-s SEED] [-k CASE] FILE|DIR...
 *
 * Feeds a reader COUNT mutations of the seed files, the same ones for the same SEED. A case fails when the reader dies,
 * takes longer than CASE_SECONDS, refuses without an error, accepts with one, or accepts what does not survive printing.
 * The failing input is written to fuzz-KIND-SEED-CASE and CASE alone can be run again with -k. */
#include "isa/ir.h"
#include "lib/file.h"
#include "lib/strbuf.h"
#include "tests/fuzz_front.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CASE_SECONDS = 5, MOST_BYTES = 1 << 20, MOST_MUTATIONS = 4 };

typedef struct Bytes { char *p; size_t n; } Bytes;
typedef Vec(Bytes) Corpus;

/* ---- kinds: how a seed file becomes bytes, and what a reader does with bytes ---- */

typedef struct Kind {
	const char *name, *extension;
	bool (*prepare)(Bytes *, const char *path);      /* may be NULL; false: not a seed */
	const char *(*run)(const char *, size_t);        /* NULL, or what is wrong */
} Kind;

/* What must hold for a module that a reader gave. */
static const char *check_module(Module *m, Diag *d)
{
	if (!m)
		return d->errors ? NULL : "refused without an error";
	if (d->errors)
		return "accepted with errors";
	if (!ir_verify(m, d))
		return "accepted, but the verifier refuses it";
	StrBuf sb = { 0 };
	ir_print(m, &sb);
	Module *again = ir_read(sb.s ? sb.s : "", sb.n, "printed.ir", d), *copy = module_copy(m);
	const char *bad = !again ? "its text is refused" : !module_equal(m, again) ? "its text reads as another module"
		: !module_equal(m, copy) ? "its copy is another module" : NULL;
	if (!again)
		diag_print(d, stderr);
	module_free(again);
	module_free(copy);
	sb_free(&sb);
	return bad;
}

typedef Module *Reader(const char *, size_t, const char *, Diag *);

static const char *run_reader(Reader *reader, const char *s, size_t n)
{
	Diag d = { 0 };
	Module *m = reader(s, n, "fuzz", &d);
	const char *bad = check_module(m, &d);
	module_free(m);
	diag_free(&d);
	return bad;
}

static Module *read_object(const char *s, size_t n, const char *path, Diag *d) { return elf_read(s, n, path, d); }

static const char *run_ir(const char *s, size_t n) { return run_reader(ir_read, s, n); }
static const char *run_ptx(const char *s, size_t n) { return run_reader(ptx_read, s, n); }
static const char *run_gso(const char *s, size_t n) { return run_reader(read_object, s, n); }

/* An object file from a text. */
static bool make_object(Bytes *b, const char *path)
{
	static const char object[] = "gsim-fuzz.gso";
	Diag d = { 0 };
	const char *why;
	Module *m = ir_read(b->p, b->n, path, &d);
	bool ok = m && elf_write(m, object, &d);
	free(b->p);
	b->p = ok ? file_read(object, MOST_BYTES, &b->n, &why) : NULL;
	remove(object);
	module_free(m);
	diag_free(&d);
	return b->p != NULL;
}

static bool unpack_trace(Bytes *b, const char *path) { return fuzz_unpack_trace(&b->p, &b->n); }

static const Kind kinds[] = {
	{ "ir", ".ir", NULL, run_ir },
	{ "gso", ".ir", make_object, run_gso },
	{ "ptx", ".ptx", NULL, run_ptx },
	{ "config", ".lua", NULL, fuzz_config },
	{ "workload", ".lua", NULL, fuzz_workload },
	{ "json", ".json", NULL, fuzz_json },
	{ "trace", ".trace", unpack_trace, fuzz_trace },
};
enum { NKINDS = sizeof kinds / sizeof *kinds };

/* ---- the corpus ---- */

static void add_file(Corpus *c, const Kind *kind, const char *path)
{
	const char *why;
	Bytes b;
	b.p = file_read(path, MOST_BYTES, &b.n, &why);
	if (!b.p)
		fprintf(stderr, "%s: %s\n", path, why);
	else if (!kind->prepare || kind->prepare(&b, path))
		vec_push(c, b);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && !strcmp(s + n - m, end);
}

static void add_path(Corpus *c, const Kind *kind, const char *path)
{
	struct stat st;
	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		add_file(c, kind, path);
		return;
	}
	struct dirent **list = NULL;
	int n = scandir(path, &list, NULL, alphasort);
	for (int k = 0; k < n; k++) {
		char full[4096];
		snprintf(full, sizeof full, "%s/%s", path, list[k]->d_name);
		if (ends_with(full, kind->extension))
			add_file(c, kind, full);
		free(list[k]);
	}
	free(list);
}

/* ---- mutations ---- */

typedef struct Rng { uint64_t s; } Rng;

static uint64_t next(Rng *r) /* splitmix64 */
{
	uint64_t z = r->s += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}
static size_t below(Rng *r, size_t n) { return n ? next(r) % n : 0; }

/* Replaces cut bytes at a place with others. */
static void splice(Bytes *b, size_t at, size_t cut, const char *with, size_t n)
{
	if (b->n - cut + n > MOST_BYTES)
		return;
	char *p = xmalloc(b->n - cut + n + 1);
	memcpy(p, b->p, at);
	memcpy(p + at, with, n);
	memcpy(p + at + n, b->p + at + cut, b->n - at - cut);
	b->n = b->n - cut + n;
	p[b->n] = 0;
	free(b->p);
	b->p = p;
}

typedef struct Span { size_t at, n; } Span;

static Span any_span(Rng *r, const Bytes *b, size_t most)
{
	size_t at = below(r, b->n + 1);
	return (Span){ at, below(r, (b->n - at < most ? b->n - at : most) + 1) };
}

/* A line with its end. */
static Span any_line(Rng *r, const Bytes *b)
{
	size_t at = below(r, b->n), end;
	while (at > 0 && b->p[at - 1] != '\n')
		at--;
	for (end = at; end < b->n && b->p[end] != '\n'; end++)
		;
	return (Span){ at, end < b->n ? end + 1 - at : end - at };
}

static bool word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '%' || c == '.' || c == '$';
}

/* A word or a single other character. */
static Span any_token(Rng *r, const Bytes *b)
{
	size_t at = below(r, b->n), end = at;
	while (at > 0 && word_char(b->p[at - 1]))
		at--;
	while (end < b->n && word_char(b->p[end]))
		end++;
	return (Span){ at, end > at ? end - at : at < b->n };
}

static void mutate_byte(Rng *r, Bytes *b)
{
	static const unsigned char odd[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', '"', '`', '{', '}', '(', ')', '[', ']', '%', '@', '!', '\\', '/', '-' };
	if (!b->n)
		return;
	size_t at = below(r, b->n);
	b->p[at] = next(r) & 1 ? (char)odd[below(r, sizeof odd)] : (char)(b->p[at] ^ 1 << below(r, 8));
}

static void mutate_number(Rng *r, Bytes *b)
{
	static const char *const numbers[] = { "0", "1", "-1", "31", "32", "64", "65535", "65536", "2147483647", "2147483648", "4294967295",
		"4294967296", "9223372036854775807", "18446744073709551615", "99999999999999999999999", "0x", "0xffffffff", "0f7fc00001",
		"0d7ff0000000000001", "1e400", "1.", "nan", "-inf" };
	const char *with = numbers[below(r, sizeof numbers / sizeof *numbers)];
	for (int tries = 0; tries < 20; tries++) {
		Span s = any_token(r, b);
		if (s.n && b->p[s.at] >= '0' && b->p[s.at] <= '9') {
			splice(b, s.at, s.n, with, strlen(with));
			return;
		}
	}
}

/* Four or eight bytes that count or point somewhere, in binary forms. */
static void mutate_word(Rng *r, Bytes *b)
{
	static const uint64_t values[] = { 0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX, INT64_MAX, 64, 4096 };
	size_t n = next(r) & 1 ? 4 : 8;
	if (b->n < n)
		return;
	uint64_t v = next(r) & 1 ? values[below(r, sizeof values / sizeof *values)] : below(r, b->n * 2);
	size_t at = below(r, b->n - n + 1);
	memcpy(b->p + (at & ~(size_t)3), &v, n);
}

static void mutate(Rng *r, Bytes *b, const Corpus *c)
{
	const Bytes *other = &c->v[below(r, (size_t)c->n)];
	Span s, t;
	switch (below(r, 11)) {
	case 0: case 1:
		mutate_byte(r, b);
		break;
	case 2: /* a range goes */
		s = any_span(r, b, 64);
		splice(b, s.at, s.n, "", 0);
		break;
	case 3: /* a range from somewhere comes in */
		s = any_span(r, other, 256);
		splice(b, below(r, b->n + 1), 0, other->p + s.at, s.n);
		break;
	case 4: /* a line replaces another, or stands twice */
		s = any_line(r, b);
		t = any_line(r, other);
		splice(b, s.at, next(r) & 1 ? s.n : 0, other->p + t.at, t.n);
		break;
	case 5:
		s = any_line(r, b);
		splice(b, s.at, s.n, "", 0);
		break;
	case 6: case 7: /* a word replaces another */
		s = any_token(r, b);
		t = any_token(r, other);
		splice(b, s.at, s.n, other->p + t.at, t.n);
		break;
	case 8:
		mutate_number(r, b);
		break;
	case 9:
		mutate_word(r, b);
		break;
	default: /* the end is missing */
		if (below(r, 4) == 0)
			b->n = below(r, b->n + 1);
		else
			mutate_byte(r, b);
	}
}

static Bytes make_case(const Corpus *c, uint64_t seed, uint64_t number)
{
	Rng r = { seed * 0x9e3779b97f4a7c15u + number };
	const Bytes *from = &c->v[below(&r, (size_t)c->n)];
	Bytes b = { xmalloc(from->n + 1), from->n };
	memcpy(b.p, from->p, from->n + 1);
	for (size_t k = 1 + below(&r, MOST_MUTATIONS); k > 0; k--)
		mutate(&r, &b, c);
	Bytes exact = { xmalloc(b.n), b.n }; /* as long as its content: a reading past the end is seen */
	memcpy(exact.p, b.p, b.n);
	free(b.p);
	return exact;
}

/* ---- running ---- */

typedef struct Shared { volatile uint64_t number; char bad[200]; } Shared; /* between the process that runs and its parent */

static void run_cases(const Kind *kind, const Corpus *c, uint64_t seed, uint64_t from, uint64_t to, Shared *sh)
{
	for (uint64_t k = from; k < to; k++) {
		sh->number = k;
		Bytes b = make_case(c, seed, k);
		alarm(CASE_SECONDS);
		const char *bad = kind->run(b.p, b.n);
		alarm(0);
		free(b.p);
		if (bad) {
			snprintf(sh->bad, sizeof sh->bad, "%s", bad);
			exit(1);
		}
	}
	exit(0);
}

static int report(const Kind *kind, const Corpus *c, uint64_t seed, Shared *sh, int status)
{
	char path[128];
	const char *why;
	Bytes b = make_case(c, seed, sh->number);
	snprintf(path, sizeof path, "fuzz-%s-%llu-%llu", kind->name, (unsigned long long)seed, (unsigned long long)sh->number);
	file_write(path, b.p, b.n, &why);
	free(b.p);
	fprintf(stderr, "gsim-fuzz: %s case %llu: %s (input in %s)\n", kind->name, (unsigned long long)sh->number,
		*sh->bad ? sh->bad : WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "took too long" : "the reader died", path);
	return 1;
}

static int usage(void)
{
	fputs("usage: gsim-fuzz KIND COUNT [-s SEED] [-k CASE] FILE|DIR...\nkinds:", stderr);
	for (int k = 0; k < NKINDS; k++)
		fprintf(stderr, " %s", kinds[k].name);
	fputc('\n', stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const Kind *kind = NULL;
	for (int k = 0; argc > 2 && k < NKINDS; k++)
		if (!strcmp(argv[1], kinds[k].name))
			kind = &kinds[k];
	if (!kind)
		return usage();
	uint64_t from = 0, to = strtoull(argv[2], NULL, 10), seed = 1;
	Corpus c = { 0 };
	for (int k = 3; k < argc; k++) {
		if (!strcmp(argv[k], "-s") && k + 1 < argc) {
			seed = strtoull(argv[++k], NULL, 10);
		} else if (!strcmp(argv[k], "-k") && k + 1 < argc) {
			from = strtoull(argv[++k], NULL, 10);
			to = from + 1;
		} else {
			add_path(&c, kind, argv[k]);
		}
	}
	if (!c.n)
		return usage();
	Shared *sh = mmap(NULL, sizeof *sh, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(sh != MAP_FAILED);
	pid_t pid = fork();
	must(pid >= 0);
	if (!pid)
		run_cases(kind, &c, seed, from, to, sh);
	int status;
	must(waitpid(pid, &status, 0) == pid);
	int rc = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : report(kind, &c, seed, sh, status);
	for (int k = 0; k < c.n; k++)
		free(c.v[k].p);
	vec_free(&c);
	return rc;
}
