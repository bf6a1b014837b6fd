/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tar files (POSIX ustar) with files, directories and symbolic links, which is
 * all that a captured tree has. packed_tree.h reads them.
 */
#ifndef BUFSTAT_TAR_H
#define BUFSTAT_TAR_H

#include <stddef.h>
#include <stdio.h>

/*
 * Each writes one entry. @path is absolute and loses its leading slash. Returns
 * 0, or -ENAMETOOLONG with nothing written if the path or target does not fit
 * the format. A write error shows in ferror().
 */
int tar_write_file(FILE *out, const char *path, const void *data, size_t size);
int tar_write_link(FILE *out, const char *path, const char *target);
int tar_write_directory(FILE *out, const char *path);

/* Writes the end marker. Without it the file counts as cut short. */
void tar_write_end(FILE *out);

#define TAR_BLOCK 512

enum tar_type { TAR_FILE = '0', TAR_LINK = '2', TAR_DIRECTORY = '5' };

/* Numbers are octal; a string that fills its field has no NUL. */
struct tar_header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char target[100];
	char magic[6]; /* "ustar" and a NUL */
	char version[2];
	char user[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155]; /* comes before the name, with a slash */
	char padding[12];
};

/* Adds up all bytes, with the checksum field taken as spaces. */
static inline unsigned int tar_checksum(const struct tar_header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	size_t first = offsetof(struct tar_header, checksum);
	unsigned int sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i - first < sizeof(header->checksum) ? ' ' : bytes[i];
	return sum;
}

#endif
