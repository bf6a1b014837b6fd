// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/packed_tree.h"
#include "lib/string_list.h"
#include "lib/tar.h"
#include "lib/whole.h"

/* Bytes; no host's captured files are larger together. */
#define MAX_TOTAL (256U << 20)
#define MAX_ENTRIES 400000U
#define MAX_LINKS 40 /* as in the kernel */

struct entry {
	char *path; /* without a leading slash */
	char *target; /* of a link, else NULL */
	uint64_t offset;
	uint64_t size;
	bool is_directory;
};

struct packed_tree {
	int fd;
	struct entry *entries; /* sorted by path */
	size_t count;
	size_t capacity;
};

/* State while the tree is read. */
struct reading {
	struct packed_tree *tree;
	const char *path;
	struct error *err;
	uint64_t at;
	uint64_t file_size;
	uint64_t total;
	unsigned int entries;
};

static int damaged(const struct reading *reading, const char *what)
{
	return error_doing(reading->err, EBADMSG, "reading a capture",
			   reading->path, "%s at entry %u", what,
			   reading->entries);
}

static int octal(const char *field, size_t size, uint64_t *value)
{
	size_t i = 0;

	*value = 0;
	while (i < size && field[i] == ' ')
		i++;
	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		*value = *value * 8 + (uint64_t)(field[i] - '0');
	return i < size && field[i] && field[i] != ' ' ? -EBADMSG : 0;
}

/*
 * Joins prefix, slash and name and drops parts that mean nothing: "./a//b/"
 * becomes "a/b". Returns -EBADMSG if the name leads outside.
 */
static int clean_name(const struct tar_header *header, char name[PATH_MAX])
{
	char whole[PATH_MAX], *rest = whole, *part, *to = name;

	snprintf(whole, sizeof(whole), "%.*s%s%.*s",
		 (int)sizeof(header->prefix), header->prefix,
		 *header->prefix ? "/" : "", (int)sizeof(header->name),
		 header->name);
	while ((part = strsep(&rest, "/"))) {
		if (strcmp(part, "..") == 0)
			return -EBADMSG;
		if (!*part || strcmp(part, ".") == 0)
			continue;
		if (to > name)
			*to++ = '/';
		to = stpcpy(to, part);
	}
	*to = '\0';
	return 0;
}

/* Everything that bufstat reads is below these. */
static bool is_read(const char *path)
{
	static const char *const tops[] = { "proc/",	"sys/", "run/",
					    "bufstat/", "lib/", "var/" };

	for (size_t i = 0; i < sizeof(tops) / sizeof(*tops); i++) {
		if (strncmp(path, tops[i], strlen(tops[i])) == 0)
			return true;
	}
	return false;
}

static struct entry *add_entry(struct packed_tree *tree)
{
	if (array_make_room(&tree->entries, tree->count, &tree->capacity) < 0)
		return NULL;
	tree->entries[tree->count] = (struct entry){ 0 };
	return &tree->entries[tree->count++];
}

static int take_entry(struct reading *reading, const struct tar_header *header,
		      uint64_t size)
{
	enum tar_type type = header->type ? (unsigned char)header->type :
					    TAR_FILE; /* as before POSIX */
	char name[PATH_MAX];
	struct entry *entry;

	if (clean_name(header, name) < 0)
		return damaged(reading, "it is cut short or leads outside");
	/* Skip what other tars add; a capture has no devices or hard links. */
	if (!is_read(name) ||
	    (type != TAR_FILE && type != TAR_LINK && type != TAR_DIRECTORY))
		return 0;
	entry = add_entry(reading->tree);
	if (!entry)
		return damaged(reading, strerror(ENOMEM));
	entry->path = strdup(name);
	entry->offset = reading->at;
	entry->size = size;
	entry->is_directory = type == TAR_DIRECTORY;
	if (type == TAR_LINK)
		entry->target = strndup(header->target, sizeof(header->target));
	if (!entry->path || (type == TAR_LINK && !entry->target))
		return damaged(reading, strerror(ENOMEM));
	return 0;
}

/* Reads all @size bytes. Returns -ENODATA if the file ends first. */
static int read_at(const struct packed_tree *tree, uint64_t offset,
		   void *buffer, size_t size)
{
	long got = pread_whole(tree->fd, buffer, size, offset);

	return got < 0 ? (int)got : (size_t)got < size ? -ENODATA : 0;
}

/* Returns 1 at the end marker. */
static int next_entry(struct reading *reading)
{
	static const struct tar_header end;
	struct tar_header header;
	uint64_t checksum, size;
	int ret;

	ret = read_at(reading->tree, reading->at, &header, TAR_BLOCK);
	if (ret == -ENODATA)
		return damaged(reading, "it is cut short");
	if (ret < 0)
		return error_errno(reading->err, -ret, "reading a capture",
				   reading->path);
	if (memcmp(&header, &end, TAR_BLOCK) == 0)
		return 1;
	if (octal(header.checksum, sizeof(header.checksum), &checksum) < 0 ||
	    checksum != tar_checksum(&header) ||
	    octal(header.size, sizeof(header.size), &size) < 0)
		return damaged(reading, "it is not a tar file, or it is "
					"damaged");
	reading->entries++;
	reading->at += TAR_BLOCK;
	reading->total += size;
	if (size > MAX_TOTAL || reading->total > MAX_TOTAL ||
	    reading->entries > MAX_ENTRIES)
		return damaged(reading, "it is larger than any capture");

	/* Only a file has data after its header. */
	if (header.type == TAR_LINK || header.type == TAR_DIRECTORY)
		size = 0;
	ret = take_entry(reading, &header, size);
	if (ret < 0)
		return ret;
	reading->at += (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	if (reading->at > reading->file_size)
		return damaged(reading, "it is cut short or leads outside");
	return 0;
}

/*
 * A slash sorts before all else, so that a directory's contents come right
 * after it.
 */
static int compare_paths(const char *a, const char *b)
{
	for (; *a == *b; a++, b++) {
		if (!*a)
			return 0;
	}
	if (!*a || !*b)
		return *a ? 1 : -1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}

static int by_path(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return compare_paths(a->path, b->path);
}

/*
 * Whether @path is below the directory in the first @length bytes of
 * @directory.
 */
static bool is_below(const char *path, const char *directory, size_t length)
{
	return !length ||
	       (strncmp(path, directory, length) == 0 && path[length] == '/');
}

/*
 * Checks that no name is there twice, except directories, and that none is
 * below a file.
 */
static int check_names(const struct reading *reading)
{
	const struct packed_tree *tree = reading->tree;
	const char *why = NULL, *name = NULL;

	for (size_t i = 1; !why && i < tree->count; i++) {
		const struct entry *one = &tree->entries[i - 1],
				   *next = one + 1;

		name = next->path;
		if (strcmp(one->path, next->path) == 0) {
			if (!one->is_directory || !next->is_directory)
				why = strerror(EEXIST);
		} else if (!one->is_directory &&
			   is_below(name, one->path, strlen(one->path))) {
			why = strerror(ENOTDIR);
		}
	}
	return why ? error_doing(reading->err, EBADMSG, "reading a capture",
				 reading->path, "%s: %s", why, name) :
		     0;
}

static int read_entries(struct reading *reading)
{
	struct packed_tree *tree = reading->tree;
	struct stat status;
	int ret;

	tree->fd = open(reading->path, O_RDONLY | O_CLOEXEC);
	if (tree->fd < 0 || fstat(tree->fd, &status) < 0)
		return error_errno(reading->err, errno, "reading a capture",
				   reading->path);
	reading->file_size = (uint64_t)status.st_size;
	do
		ret = next_entry(reading);
	while (!ret);
	if (ret < 0)
		return ret;
	if (tree->count)
		qsort(tree->entries, tree->count, sizeof(*tree->entries),
		      by_path);
	return check_names(reading);
}

int packed_tree_open(const char *path, struct packed_tree **tree,
		     struct error *err)
{
	struct reading reading = { .path = path, .err = err };
	int ret;

	*tree = NULL;
	reading.tree = calloc(1, sizeof(*reading.tree));
	if (!reading.tree)
		return error_errno(err, ENOMEM, "reading a capture", path);
	reading.tree->fd = -1;
	ret = read_entries(&reading);
	if (ret < 0)
		packed_tree_close(reading.tree);
	else
		*tree = reading.tree;
	return ret;
}

void packed_tree_close(struct packed_tree *tree)
{
	if (!tree)
		return;
	closep(&tree->fd);
	for (size_t i = 0; i < tree->count; i++) {
		free(tree->entries[i].path);
		free(tree->entries[i].target);
	}
	free(tree->entries);
	free(tree);
}

int *packed_tree_fd(struct packed_tree *tree)
{
	return &tree->fd;
}

/* Returns the index of the first entry that does not sort before @path. */
static size_t first_from(const struct packed_tree *tree, const char *path)
{
	size_t first = 0, after = tree->count;

	while (first < after) {
		size_t middle = first + (after - first) / 2;

		if (compare_paths(tree->entries[middle].path, path) < 0)
			first = middle + 1;
		else
			after = middle;
	}
	return first;
}

/*
 * Sets *@entry to that of @path, in which no component is a link, or to NULL
 * for a directory that has no entry of its own. Returns 0 or -ENOENT.
 */
static int look_up(const struct packed_tree *tree, const char *path,
		   const struct entry **entry)
{
	size_t at = first_from(tree, path);

	*entry = NULL;
	if (!*path)
		return 0;
	if (at == tree->count)
		return -ENOENT;
	if (strcmp(tree->entries[at].path, path) == 0)
		*entry = &tree->entries[at];
	else if (!is_below(tree->entries[at].path, path, strlen(path)))
		return -ENOENT;
	return 0;
}

static bool is_directory(const struct entry *entry)
{
	return !entry || entry->is_directory;
}

/* State while a path is resolved. */
struct walk {
	char place[PATH_MAX]; /* resolved so far, without links */
	char rest[2 * PATH_MAX]; /* still to resolve */
	unsigned int links;
};

/* Goes on with what the link says, from the directory that it is in. */
static int follow(struct walk *walk, const char *target, const char *rest)
{
	char next[sizeof(walk->rest)];

	if (++walk->links > MAX_LINKS)
		return -ELOOP;
	if (snprintf(next, sizeof(next), "%s/%s", target, rest) >=
	    (int)sizeof(next))
		return -ENAMETOOLONG;
	if (*target == '/')
		*walk->place = '\0';
	strcpy(walk->rest, next);
	return 0;
}

static void go_up(struct walk *walk)
{
	char *slash = strrchr(walk->place, '/');

	*(slash ? slash : walk->place) = '\0';
}

/* Resolves one component. Returns 1 if it is a link, which is followed now. */
static int go_into(const struct packed_tree *tree, struct walk *walk,
		   const char *part, const char *rest, bool follow_last,
		   const struct entry **entry)
{
	size_t length = strlen(walk->place);
	bool is_last = !rest[strspn(rest, "/")];
	int ret;

	if (!is_directory(*entry))
		return -ENOTDIR;
	if (length + strlen(part) + 2 > sizeof(walk->place))
		return -ENAMETOOLONG;
	sprintf(walk->place + length, "%s%s", length ? "/" : "", part);
	ret = look_up(tree, walk->place, entry);
	if (ret < 0 || !*entry || !(*entry)->target ||
	    (is_last && !follow_last))
		return ret;
	walk->place[length] = '\0';
	ret = follow(walk, (*entry)->target, rest);
	*entry = NULL;
	return ret < 0 ? ret : 1;
}

/* Resolves a path as the kernel does, with the tree as its root. */
static int resolve(const struct packed_tree *tree, const char *path,
		   bool follow_last, struct walk *walk,
		   const struct entry **entry)
{
	char *part, *rest;
	int ret = 0;

	*walk = (struct walk){ 0 };
	*entry = NULL;
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(walk->rest, path);
	rest = walk->rest;
	while (ret >= 0 && (part = strsep(&rest, "/"))) {
		if (!*part || strcmp(part, ".") == 0)
			continue;
		if (strcmp(part, "..") == 0) {
			if (!is_directory(*entry))
				return -ENOTDIR;
			go_up(walk);
			*entry = NULL;
			continue;
		}
		ret = go_into(tree, walk, part, rest ? rest : "", follow_last,
			      entry);
		if (ret == 1)
			rest = walk->rest;
	}
	return ret < 0 ? ret : 0;
}

int packed_tree_find(const struct packed_tree *tree, const char *path)
{
	const struct entry *entry;
	struct walk walk;

	return resolve(tree, path, true, &walk, &entry);
}

int packed_tree_read(const struct packed_tree *tree, const char *path,
		     size_t limit, char **data, size_t *size)
{
	_cleanup_(freep) char *buffer = NULL;
	const struct entry *entry;
	struct walk walk;
	int ret = resolve(tree, path, true, &walk, &entry);

	if (ret < 0)
		return ret;
	if (is_directory(entry))
		return -EISDIR;
	if (entry->size > limit)
		return -EFBIG;
	buffer = malloc(entry->size + 1);
	if (!buffer)
		return -ENOMEM;
	ret = read_at(tree, entry->offset, buffer, entry->size);
	if (ret == -ENODATA)
		ret = -EIO;
	if (ret < 0)
		return ret;
	buffer[entry->size] = '\0';
	*data = steal_ptr(buffer);
	if (size)
		*size = entry->size;
	return 0;
}

int packed_tree_link(const struct packed_tree *tree, const char *path,
		     const char **target)
{
	const struct entry *entry;
	struct walk walk;
	int ret = resolve(tree, path, false, &walk, &entry);

	if (ret < 0)
		return ret;
	if (!entry || !entry->target)
		return -EINVAL;
	*target = entry->target;
	return 0;
}

int packed_tree_list(const struct packed_tree *tree, const char *path,
		     struct string_list *names)
{
	const char *last = "", *name;
	const struct entry *entry;
	struct walk walk;
	size_t length, last_length = 0;
	int ret = resolve(tree, path, true, &walk, &entry);

	if (!ret && !is_directory(entry))
		ret = -ENOTDIR;
	length = strlen(walk.place);
	for (size_t i = first_from(tree, walk.place); !ret && i < tree->count;
	     i++) {
		name = tree->entries[i].path;
		if (strcmp(name, walk.place) == 0)
			continue;
		if (!is_below(name, walk.place, length))
			break;
		name += length + (length > 0);
		/* A directory is one name, however many entries are in it. */
		if (last_length && strncmp(name, last, last_length) == 0 &&
		    strcspn(name, "/") == last_length)
			continue;
		last = name;
		last_length = strcspn(name, "/");
		if (*name == '.')
			continue;
		ret = string_list_add_bytes(names, name, last_length);
	}
	return ret;
}
