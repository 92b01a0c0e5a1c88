#include "lib/file.h"
#include "lib/arena.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char too_large[] = "it is too large", directory[] = "it is a directory",
	special[] = "it is no ordinary file",
	shorter[] = "it became shorter while it was read";
const char file_absent[] = "there is no such file";

static bool fail_with(const char **why, const char *reason)
{
	*why = reason;
	return false;
}

/* ---- files that the user names ---- */

/* Reads to the end of the file; NULL, with a reason: reading failed, or there are more than limit bytes.
   expected: a guess at the size. */
static char *read_all(int fd, size_t expected, size_t limit, size_t *n, const char **why)
{
	size_t used = 0, cap = expected + 2;  /* one byte so that the end of the file shows, one for the 0 */
	char *data = xrealloc(NULL, cap);
	for (;;) {
		if (used + 1 >= cap)
			data = xrealloc(data, cap *= 2);
		ssize_t got = read(fd, data + used, cap - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		used += got > 0 ? (size_t)got : 0;
		*why = got < 0 ? strerror(errno) : used > limit ? too_large : NULL;
		if (got <= 0 || *why)
			break;
	}
	if (*why) {
		free(data);
		return NULL;
	}
	data[used] = 0;
	*n = used;
	return data;
}

static char *read_path(const char *path, bool ordinary, size_t limit, size_t *n, const char **why)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | (ordinary ? O_NONBLOCK | O_NOCTTY : 0));
	if (fd < 0 || fstat(fd, &st)) {
		*why = strerror(errno);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	bool sized = S_ISREG(st.st_mode);
	char *data = NULL;
	if (S_ISDIR(st.st_mode))
		*why = directory;
	else if (ordinary && !sized)
		*why = special;
	else if (sized && (uint64_t)st.st_size > limit)
		*why = too_large;
	else
		data = read_all(fd, sized ? (size_t)st.st_size : 1 << 16, limit, n, why);
	close(fd);
	return data;
}

char *file_read(const char *path, size_t limit, size_t *n, const char **why)
{
	return read_path(path, false, limit, n, why);
}

char *file_read_ordinary(const char *path, size_t limit, size_t *n, const char **why)
{
	return read_path(path, true, limit, n, why);
}

bool file_write(const char *path, const void *p, size_t n, const char **why)
{
	FILE *f = fopen(path, "wb");
	bool ok = f && fwrite(p, 1, n, f) == n;
	if (f && fclose(f))
		ok = false;
	if (!ok)
		*why = strerror(errno);
	return ok;
}

const char *file_refuses(const char *path)
{
	struct stat st;
	const char *slash = strrchr(path, '/');
	if (!stat(path, &st))
		return S_ISDIR(st.st_mode) ? "it is a directory" : access(path, W_OK) ? strerror(errno)
			: NULL;
	char *dir = slash ? xstrdup(path) : xstrdup(".");
	if (slash)
		dir[slash == path ? 1 : slash - path] = 0;
	bool ok = *path && !stat(dir, &st) && !access(dir, W_OK);
	const char *why = ok ? S_ISDIR(st.st_mode) ? NULL : strerror(ENOTDIR) : *path ? strerror(errno)
		: "it has no name";
	free(dir);
	return why;
}

bool file_is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* ---- files that others name ---- */

const char *file_name_refused(const char *name)
{
	size_t n;
	if (!*name || name[strlen(name) - 1] == '/')
		return "a file's name is expected";
	if (*name == '/')
		return "an absolute name leads out of the folder";
	for (const char *p = name; *p; p += n + (p[n] == '/')) {
		n = strcspn(p, "/");
		if (n == 2 && p[0] == '.' && p[1] == '.')
			return "'..' leads out of the folder";
		if (n > 1 && *p == '.')
			return "a name that begins with a dot is hidden";
	}
	return NULL;
}

/* Why `part` in an open folder could not be opened: it is a symbolic link, it does not exist, or errno's
   text. */
static const char *open_error(int parent, const char *part)
{
	int error = errno;
	struct stat st;
	if (!fstatat(parent, part, &st, AT_SYMLINK_NOFOLLOW) && S_ISLNK(st.st_mode))
		return "a symbolic link is not followed";
	return error == ENOENT || error == ENOTDIR ? file_absent : strerror(error);
}

/* Opens the folder that the name has in front of its last part, one part after the other, so that no link
   leads elsewhere. *leaf: the last part of the name. -1, with a reason: it cannot be opened. */
static int open_parent(const char *folder, const char *name, bool links, const char **leaf, const char **why)
{
	if ((*why = file_name_refused(name)))
		return -1;
	int fd = open(*folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		*why = errno == ENOENT || errno == ENOTDIR ? file_absent : strerror(errno);
	for (const char *slash; fd >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
		char part[256];
		if (snprintf(part, sizeof part, "%.*s", (int)(slash - name), name) >= (int)sizeof part) {
			*why = strerror(ENAMETOOLONG);
			close(fd);
			return -1;
		}
		if (!*part || !strcmp(part, "."))
			continue;
		int next = openat(fd, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (links ? 0 : O_NOFOLLOW));
		if (next < 0)
			*why = open_error(fd, part);
		close(fd);
		fd = next;
	}
	*leaf = name;
	return fd;
}

int file_open_in(const char *folder, const char *name, bool links, uint64_t *size, const char **why)
{
	const char *leaf;
	struct stat st;
	int parent = open_parent(folder, name, links, &leaf, why);
	if (parent < 0)
		return -1;
	int fd = openat(parent, leaf, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
		(links ? 0 : O_NOFOLLOW));
	if (fd < 0)
		*why = open_error(parent, leaf);
	close(parent);
	if (fd < 0)
		return -1;
	bool known = !fstat(fd, &st);
	if (known && S_ISREG(st.st_mode)) {
		*size = (uint64_t)st.st_size;
		return fd;
	}
	*why = known && S_ISDIR(st.st_mode) ? directory : special;
	close(fd);
	return -1;
}

bool file_fill(int fd, void *p, size_t n, const char **why)
{
	size_t used = 0;
	ssize_t got = 1;
	while (used < n && got) {
		got = read(fd, (char *)p + used, n - used);
		if (got < 0 && errno != EINTR)
			break;
		used += got > 0 ? (size_t)got : 0;
	}
	*why = got < 0 ? strerror(errno) : shorter;
	close(fd);
	return used == n;
}

char *file_read_in(const char *folder, const char *name, size_t limit, size_t *n, const char **why)
{
	uint64_t size;
	int fd = file_open_in(folder, name, false, &size, why);
	if (fd < 0)
		return NULL;
	char *data = size > limit ? NULL : read_all(fd, (size_t)size, limit, n, why);
	if (size > limit)
		*why = too_large;
	close(fd);
	return data;
}

/* ---- writing ---- */

static bool write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);
		if (done < 0 && errno != EINTR)
			return false;
		p += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return true;
}

static int find_id(const FilesWritten *own, const struct stat *st)
{
	int k = own->n - 1;
	while (k >= 0 && !(own->v[k].device == st->st_dev && own->v[k].inode == st->st_ino))
		k--;
	return k;
}

/* Writes a new file in an open folder. False, with errno: it failed, for instance because a file or link with
   that name exists. */
static bool create(int parent, const char *leaf, const void *p, size_t n, FileId *id)
{
	struct stat st;
	int fd = openat(parent, leaf, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	bool ok = fd >= 0 && write_all(fd, p, n) && !fstat(fd, &st);
	int error = errno;
	if (fd >= 0 && close(fd) && ok) {
		ok = false;
		error = errno;
	}
	if (ok)
		*id = (FileId){ st.st_dev, st.st_ino };
	else if (fd >= 0)
		unlinkat(parent, leaf, 0);
	errno = error;
	return ok;
}

/* Replaces a file in an open folder. The bytes are written to a new file first, which then takes the name:
   after a failure the old file is still there. */
static bool replace_file(int parent, const char *leaf, const void *p, size_t n, FileId *id)
{
	static _Atomic int count;
	char name[64];
	int tries = 0, error;
	bool ok;
	do {
		snprintf(name, sizeof name, ".gsim-%ld-%d", (long)getpid(), ++count);
		ok = create(parent, name, p, n, id);
	} while (!ok && errno == EEXIST && ++tries < 100);
	if (!ok || !renameat(parent, name, parent, leaf))
		return ok;
	error = errno;
	unlinkat(parent, name, 0);
	errno = error;
	return false;
}

bool file_write_in(const char *folder, const char *name, bool any, FilesWritten *own, const void *p, size_t n,
	const char **why)
{
	const char *leaf;
	struct stat st;
	FileId id;
	int parent = open_parent(folder, name, false, &leaf, why), k = -1;
	if (parent < 0)
		return fail_with(why, *why == file_absent ? "there is no such folder" : *why);
	bool there = !fstatat(parent, leaf, &st, AT_SYMLINK_NOFOLLOW), ok = false;
	if (there && !S_ISREG(st.st_mode))
		*why = S_ISDIR(st.st_mode) ? directory : "something is there that is no ordinary file";
	else if (there && (k = find_id(own, &st)) < 0 && !any)
		*why = "the file exists, and this run has not written it";
	else if (!(ok = there ? replace_file(parent, leaf, p, n, &id) : create(parent, leaf, p, n, &id)))
		*why = strerror(errno);
	else if (k >= 0)
		own->v[k] = id; /* the old file is gone; another file may get its inode number */
	else
		vec_push(own, id);
	close(parent);
	return ok;
}
