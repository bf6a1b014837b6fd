// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "tar.h"
#include "tar_format.h"

/* What all of a host's files that are captured never come to. */
#define MAX_TOTAL (256U << 20)
#define MAX_ENTRIES 1000000U

struct extraction {
	FILE *in;
	int dir;
	const char *path;
	struct error *err;
	uint64_t total;
	unsigned int entries;
};

static int damaged(const struct extraction *extraction, const char *what)
{
	return error_set(extraction->err, EBADMSG,
			 "reading a capture: %s: %s at entry %u",
			 extraction->path, what, extraction->entries);
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

/* The prefix, a slash and the name. */
static void full_name(const struct tar_header *header, char name[PATH_MAX])
{
	snprintf(name, PATH_MAX, "%.*s%s%.*s", (int)sizeof(header->prefix),
		 header->prefix, *header->prefix ? "/" : "",
		 (int)sizeof(header->name), header->name);
}

/*
 * Opens the directory of @path, made if it is not there, and sets *@last to
 * what is behind it. No link is followed: a tar file may have made it.
 */
static int open_parent(int dir, char *path, const char **last)
{
	int fd = dup(dir), next;
	char *slash;

	for (; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		*slash = '\0';
		if (!*path || strcmp(path, ".") == 0)
			continue;
		if (strcmp(path, "..") == 0) {
			close(fd);
			return -EBADMSG;
		}
		if (mkdirat(fd, path, 0700) < 0 && errno != EEXIST)
			next = -1;
		else
			next = openat(fd, path,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					      O_CLOEXEC);
		close(fd);
		fd = next;
	}
	*last = path;
	return fd < 0 ? -errno : fd;
}

static int copy_data(struct extraction *extraction, int fd, uint64_t size)
{
	char block[TAR_BLOCK];

	for (; size; size -= size < TAR_BLOCK ? size : TAR_BLOCK) {
		size_t part = size < TAR_BLOCK ? (size_t)size : TAR_BLOCK;

		if (fread(block, 1, TAR_BLOCK, extraction->in) != TAR_BLOCK)
			return -EBADMSG;
		if (fd >= 0 && write(fd, block, part) != (ssize_t)part)
			return errno ? -errno : -EIO;
	}
	return 0;
}

static int make_file(struct extraction *extraction, int parent,
		     const char *name, uint64_t size)
{
	_cleanup_(closep) int fd = openat(
		parent, name,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	return copy_data(extraction, fd, size);
}

static int make_entry(struct extraction *extraction,
		      const struct tar_header *header, uint64_t size)
{
	char name[PATH_MAX], target[sizeof(header->target) + 1];
	_cleanup_(closep) int parent = -1;
	const char *last;

	full_name(header, name);
	parent = open_parent(extraction->dir, name, &last);
	if (parent < 0)
		return parent;
	if (strcmp(last, "..") == 0)
		return -EBADMSG;
	switch (header->type) {
	case '\0': /* of tar before POSIX */
	case TAR_FILE:
		return make_file(extraction, parent, last, size);
	case TAR_LINK:
		snprintf(target, sizeof(target), "%.*s",
			 (int)sizeof(header->target), header->target);
		return symlinkat(target, parent, last) < 0 ? -errno : 0;
	case TAR_DIRECTORY:
		if (*last && strcmp(last, ".") != 0 &&
		    mkdirat(parent, last, 0700) < 0 && errno != EEXIST)
			return -errno;
		return 0;
	default:
		/* Other tars' extras; a capture has no devices or hard links. */
		return copy_data(extraction, -1, size);
	}
}

/* Returns 1 at the end marker. */
static int next_entry(struct extraction *extraction)
{
	static const struct tar_header end;
	struct tar_header header;
	uint64_t checksum, size;
	int ret;

	if (fread(&header, 1, TAR_BLOCK, extraction->in) != TAR_BLOCK)
		return damaged(extraction, "it is cut short");
	if (memcmp(&header, &end, TAR_BLOCK) == 0)
		return 1;
	if (octal(header.checksum, sizeof(header.checksum), &checksum) < 0 ||
	    checksum != tar_checksum(&header) ||
	    octal(header.size, sizeof(header.size), &size) < 0)
		return damaged(extraction, "it is no tar file or is damaged");
	extraction->entries++;
	extraction->total += size;
	if (size > MAX_TOTAL || extraction->total > MAX_TOTAL ||
	    extraction->entries > MAX_ENTRIES)
		return damaged(extraction, "it is larger than any capture");

	ret = make_entry(extraction, &header, size);
	if (ret == -EBADMSG)
		return damaged(extraction, "it is cut short or leads outside");
	if (ret < 0)
		return damaged(extraction, strerror(-ret));
	return 0;
}

int tar_extract(const char *path, int dir, struct error *err)
{
	_cleanup_(fclosep) FILE *in = fopen(path, "re");
	struct extraction extraction = {
		.in = in,
		.dir = dir,
		.path = path,
		.err = err,
	};
	int ret;

	if (!in)
		return error_errno(err, errno, "reading a capture", path);
	do
		ret = next_entry(&extraction);
	while (ret == 0);
	return ret < 0 ? ret : 0;
}
