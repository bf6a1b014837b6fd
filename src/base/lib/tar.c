// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "lib/tar.h"

_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a header is a block");

static const char zeros[TAR_BLOCK];

/* Splits a path that is too long for the name field at a slash. */
static int set_name(struct tar_header *header, const char *path)
{
	size_t length = strlen(path);
	const char *slash;

	if (length <= sizeof(header->name)) {
		memcpy(header->name, path, length);
		return 0;
	}
	slash = strchr(path + length - sizeof(header->name) - 1, '/');
	if (!slash || (size_t)(slash - path) > sizeof(header->prefix) ||
	    !slash[1])
		return -ENAMETOOLONG;
	memcpy(header->prefix, path, (size_t)(slash - path));
	memcpy(header->name, slash + 1, strlen(slash + 1));
	return 0;
}

static int write_header(FILE *out, const char *path, enum tar_type type,
			const char *target, size_t size)
{
	struct tar_header header = { .type = (char)type };

	path += *path == '/';
	if (set_name(&header, path) < 0 ||
	    strlen(target) > sizeof(header.target))
		return -ENAMETOOLONG;
	memcpy(header.target, target, strlen(target));
	snprintf(header.mode, sizeof(header.mode), "%07o",
		 type == TAR_FILE ? 0644 : 0755);
	memcpy(header.uid, "0000000", sizeof(header.uid));
	memcpy(header.gid, "0000000", sizeof(header.gid));
	snprintf(header.size, sizeof(header.size), "%011zo", size);
	memcpy(header.mtime, "00000000000", sizeof(header.mtime));
	memcpy(header.magic, "ustar", sizeof(header.magic));
	memcpy(header.version, "00", sizeof(header.version));
	snprintf(header.checksum, sizeof(header.checksum), "%06o",
		 tar_checksum(&header));
	header.checksum[sizeof(header.checksum) - 1] = ' ';
	fwrite(&header, 1, sizeof(header), out);
	return 0;
}

int tar_write_file(FILE *out, const char *path, const void *data, size_t size)
{
	int ret = write_header(out, path, TAR_FILE, "", size);

	if (ret < 0)
		return ret;
	fwrite(data, 1, size, out);
	fwrite(zeros, 1, -size % TAR_BLOCK, out);
	return 0;
}

int tar_write_link(FILE *out, const char *path, const char *target)
{
	return write_header(out, path, TAR_LINK, target, 0);
}

int tar_write_directory(FILE *out, const char *path)
{
	return write_header(out, path, TAR_DIRECTORY, "", 0);
}

void tar_write_end(FILE *out)
{
	fwrite(zeros, 1, TAR_BLOCK, out);
	fwrite(zeros, 1, TAR_BLOCK, out);
}
