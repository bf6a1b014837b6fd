// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a captured host: whatever they say, nothing is made or changed
 * outside of the directory that they are unpacked into.
 */
#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "fuzz.h"
#include "memory_file.h"
#include "tar.h"
#include "tar_format.h"

/* In here the directory and the file that an input would like to get at. */
#define AROUND "/dev/shm/bufstat-fuzz-tar-XXXXXX"
#define KEPT "kept"

static int remove_one(const char *path, const struct stat *status, int type,
		      struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

static size_t seen;

static int count_one(const char *path, const struct stat *status, int type,
		     struct FTW *place)
{
	(void)path;
	(void)type;
	seen++;
	if (place->level == 1 && S_ISREG(status->st_mode))
		fuzz_require(status->st_size == sizeof(KEPT));
	/* What is below the directory may be anything. */
	return place->level == 1 && S_ISDIR(status->st_mode) ?
		       FTW_SKIP_SUBTREE :
		       FTW_CONTINUE;
}

/* An input has to get past the sums; one that has bytes in the padding of the
 * first header, which a seed has not, keeps those it came with. */
static void mend_sums(char *data, size_t size)
{
	struct tar_header header;
	char text[sizeof(header.size) + 1] = "";

	for (size_t at = 0; at + TAR_BLOCK <= size;) {
		memcpy(&header, data + at, TAR_BLOCK);
		if (header.padding[0])
			return;
		if (header.name[0]) {
			snprintf(header.checksum, sizeof(header.checksum),
				 "%06o", tar_checksum(&header));
			memcpy(data + at, &header, TAR_BLOCK);
		}
		memcpy(text, header.size, sizeof(header.size));
		at += TAR_BLOCK;
		if (header.type == TAR_FILE)
			at += (strtoull(text, NULL, 8) % size + TAR_BLOCK - 1) /
			      TAR_BLOCK * TAR_BLOCK;
	}
}

static void extract(const char *path)
{
	char around[] = AROUND, name[sizeof(AROUND) + 16];
	struct error err;
	int dir, fd;

	fuzz_require(mkdtemp(around));
	snprintf(name, sizeof(name), "%s/" KEPT, around);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	fuzz_require(fd >= 0 && write(fd, KEPT, sizeof(KEPT)) == sizeof(KEPT));
	close(fd);
	snprintf(name, sizeof(name), "%s/inside", around);
	fuzz_require(mkdir(name, 0700) == 0);
	dir = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fuzz_require(dir >= 0);

	tar_extract(path, dir, &err);
	close(dir);
	seen = 0;
	fuzz_require(nftw(around, count_one, 8, FTW_PHYS | FTW_ACTIONRETVAL) ==
		     0);
	fuzz_require(seen == 3);
	fuzz_require(nftw(around, remove_one, 8, FTW_PHYS | FTW_DEPTH) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *mended = malloc(size + 1);
	struct memory_file file;

	fuzz_require(mended);
	memcpy(mended, data, size);
	mend_sums(mended, size);
	file = memory_file(mended, size);
	extract(file.path);
	close(file.fd);
	free(mended);
	return 0;
}
