// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * access_file WHAT FILE DEVICE: reads the module's file in various ways while
 * pages of DEVICE come into the page cache between two reads.
 *	bytes		one byte at a time
 *	seek		again from the start, on the same descriptor
 *	offsets		pread() at offsets, past the end too
 *	descriptors	two descriptors, opened before and after
 *	write		opening it to write is refused
 * Exit status 0: the file behaves as it should.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/devices_file.h"

static const char *path;
static int device;

static int open_file(void)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

static void slurp(int fd, size_t step, struct devices_file *file)
{
	const char *wrong;

	if (devices_file_read(fd, step, file) < 0)
		err(1, "reading %s", path);
	wrong = devices_file_check(file);
	if (wrong)
		errx(1, "%s:\n%s", wrong, file->text);
}

/* Brings at least one more page into the cache, from another MiB each time. */
static void disturb(void)
{
	unsigned long before = meminfo_buffers_kib();
	char bytes[32768];

	if (read(device, bytes, sizeof(bytes)) != sizeof(bytes))
		errx(1, "the device has ended");
	if (lseek(device, 1024 * 1024, SEEK_CUR) < 0)
		err(1, "seeking on the device");
	if (meminfo_buffers_kib() <= before)
		errx(1, "reading the device changed nothing");
}

static void same(const struct devices_file *a, const struct devices_file *b)
{
	if (a->size != b->size || memcmp(a->text, b->text, a->size) != 0)
		errx(1, "one snapshot, two texts:\n%s%s", a->text, b->text);
}

/* Reads some lines, disturbs, then reads the rest. */
static void by_bytes(void)
{
	struct devices_file bytes, again;
	int fd = open_file();
	char first[40];

	for (size_t i = 0; i < sizeof(first); i++)
		if (read(fd, first + i, 1) != 1)
			errx(1, "no byte at %zu", i);
	disturb();
	if (devices_file_read(fd, 1, &bytes) < 0)
		err(1, "reading %s", path);
	if (lseek(fd, 0, SEEK_SET) != 0)
		err(1, "lseek");
	slurp(fd, 65536, &again);
	if (again.size != sizeof(first) + bytes.size ||
	    memcmp(again.text, first, sizeof(first)) != 0 ||
	    memcmp(again.text + sizeof(first), bytes.text, bytes.size) != 0)
		errx(1, "byte by byte:\n%.40s%s\nat once:\n%s", first,
		     bytes.text, again.text);
}

static void seek(void)
{
	struct devices_file first, second;
	int fd = open_file();

	slurp(fd, 65536, &first);
	disturb();
	if (lseek(fd, 0, SEEK_SET) != 0)
		err(1, "lseek");
	slurp(fd, 100, &second);
	same(&first, &second);
}

static void offsets(void)
{
	struct devices_file whole;
	int fd = open_file();
	char piece[64];

	slurp(fd, 65536, &whole);
	disturb();
	for (size_t at = 0; at < whole.size; at += 37) {
		size_t left = whole.size - at;
		ssize_t got = pread(fd, piece, sizeof(piece), (off_t)at);

		/* A seq_file may stop at the end of a record. */
		if (got <= 0 || (size_t)got > left ||
		    memcmp(piece, whole.text + at, (size_t)got) != 0)
			errx(1, "pread at %zu of %zu: %zd", at, whole.size,
			     got);
	}
	for (size_t beyond = 0; beyond < 5000; beyond += 1000)
		if (pread(fd, piece, sizeof(piece),
			  (off_t)(whole.size + beyond)) != 0)
			errx(1, "pread %zu past the end", beyond);
}

static void descriptors(void)
{
	struct devices_file old, new, old_again;
	int first = open_file(), second;

	disturb();
	second = open_file();
	slurp(second, 50, &new);
	slurp(first, 50, &old);
	if (old.pages >= new.pages)
		errx(1, "the later snapshot has no more: %lu, %lu", old.pages,
		     new.pages);
	close(second);
	if (lseek(first, 0, SEEK_SET) != 0)
		err(1, "lseek");
	slurp(first, 65536, &old_again);
	same(&old, &old_again);
}

static void refuse_write(void)
{
	static const int modes[] = { O_WRONLY, O_RDWR };
	/*
	 * Root may open anything for writing. Without a write method, write()
	 * then fails.
	 */
	for (int i = 0; i < 2; i++) {
		int fd = open(path, modes[i] | O_CLOEXEC);

		if (fd >= 0 && write(fd, "x", 1) >= 0)
			errx(1, "it can be written");
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {
		{ "bytes", by_bytes },	   { "seek", seek },
		{ "offsets", offsets },	   { "descriptors", descriptors },
		{ "write", refuse_write },
	};

	if (argc != 4)
		errx(1, "usage: access_file WHAT FILE DEVICE");
	path = argv[2];
	device = open(argv[3], O_RDONLY | O_CLOEXEC);
	if (device < 0)
		err(1, "%s", argv[3]);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (strcmp(ways[i].name, argv[1]) != 0)
			continue;
		ways[i].run();
		return 0;
	}
	errx(1, "%s: no such way", argv[1]);
}
