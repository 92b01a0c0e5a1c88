/* A folder like that of a user who was sent a module: what may be read, and around it what nothing that the
   module names may reach: links, FIFOs, hidden files, files above the folder. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include "lib/file.h"
#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char secret[] = "sk_1c9e77a0b2";  /* stands in no seed */
static const char old[] = "old\n";
enum { FULL = 1021 };               /* bytes that a file can have on a full disk; buffers have another size */
static char top[512], in[520];         /* in: the module's folder */

/* In `in`; above it stand files of the same names that hold the secret, which the links lead to. */
static const char *const name[] = { "s.cu", "s.ir", "s.bin" };

static char *path_of(const char *folder, const char *prefix, const char *leaf)
{
	static char path[1200];
	snprintf(path, sizeof path, "%s/%s%s", folder, prefix, leaf);
	return path;
}

static bool put(const char *folder, const char *prefix, const char *leaf, bool hidden)
{
	StrBuf text = { 0 };
	const char *why;
	for (int k = 0; k < 40; k++)
		sb_printf(&text, strstr(leaf, ".ir") ? "global u32 `%s%d`\n" : "%s%d\n",
			hidden ? secret : "own", k);
	if (strstr(leaf, ".bin") && !hidden) {
		text.n = 0;
		sb_puts(&text, old);
	}
	bool ok = file_write(path_of(folder, prefix, leaf), text.s, text.n, &why);
	sb_free(&text);
	return ok;
}

static bool make_entry(const char *leaf)
{
	char target[64];
	snprintf(target, sizeof target, "../%s", leaf);
	return put(top, "", leaf, true) && put(in, "", leaf, false) && put(in, "sub/", leaf, false) &&
		put(in, ".", leaf, true) &&
		!symlink(target, path_of(in, "link-", leaf)) && !mkfifo(path_of(in, "fifo-", leaf), 0600);
}

static void remove_all(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	char path[1200];
	while (dir && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(path, sizeof path, "%.600s/%s", folder, e->d_name);
		if (unlink(path))
			remove_all(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

static void clean_up(void) { remove_all(top); }

const char *around_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	bool ok = true;
	if (*top)
		return in;
	if (snprintf(top, sizeof top, "%s/gsim-fuzz-XXXXXX", tmp ? tmp : "/tmp") >= (int)sizeof top ||
		!mkdtemp(top)) {
		*top = 0;
		return NULL;
	}
	atexit(clean_up);
	snprintf(in, sizeof in, "%s/in", top);
	ok = !mkdir(in, 0700) && !mkdir(path_of(in, "", "sub"), 0700) &&
		!symlink("..", path_of(in, "", "up"));
	for (size_t k = 0; ok && k < sizeof name / sizeof *name; k++)
		ok = make_entry(name[k]);
	return ok ? in : NULL;
}

bool around_holds_secret(const char *s, size_t n) { return n && memmem(s, n, secret, strlen(secret)); }

static bool is_ours(const char *leaf)
{
	for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
		size_t n = strlen(leaf), m = strlen(name[k]);
		if (n >= m && !strcmp(leaf + n - m, name[k]))
			return true;
	}
	return !strcmp(leaf, "up") || !strcmp(leaf, "sub");
}

/* Takes away what was made in the folder. The result: what is wrong with it, NULL: nothing. It may be no
   hidden file, and none that ends where the disk is full; `bad`, if given, says that it may be none at
   all. */
static const char *take_away(const char *folder, const char *own, bool full, const char *bad)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	const char *found = NULL;
	while (dir && (e = readdir(dir))) {
		const char *leaf = e->d_name;
		if (!strcmp(leaf, ".") || !strcmp(leaf, "..") || is_ours(leaf) || !strcmp(leaf, own))
			continue;
		struct stat st;
		bool part = full && !lstat(path_of(folder, "", leaf), &st) && st.st_size == FULL;
		if (*leaf == '.' || part || bad)
			found = *leaf == '.' ? "a hidden file was made"
				: part ? "a part of a file was left on a full disk" : bad;
		unlink(path_of(folder, "", leaf));
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool holds(const char *folder, const char *prefix, const char *leaf, const char *begin)
{
	size_t n;
	const char *why;
	char *s = file_read(path_of(folder, prefix, leaf), 1 << 16, &n, &why);
	bool same = s && !strncmp(s, begin, strlen(begin));
	free(s);
	return same;
}

const char *around_changed(const char *own, bool full)
{
	char sub[600];
	snprintf(sub, sizeof sub, "%s/sub", in);
	const char *bad = take_away(in, own, full, NULL), *below = take_away(sub, "", full, NULL),
		*above = take_away(top, "in", full, "a file was made above the folder");
	if (!holds(in, "", "s.bin", old) || !holds(in, "sub/", "s.bin", old) ||
		!holds(in, ".", "s.bin", secret) || !holds(top, "", "s.bin", secret))
		return "a file that was there before was written over";
	return bad ? bad : below ? below : above;
}

void around_full_disk(bool full)
{
	struct rlimit limit;
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = full ? FULL : limit.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
}
