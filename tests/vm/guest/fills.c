// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fills WAY FILE PAGES: brings the first PAGES pages of FILE into the page
 * cache in one way, or does something to them, under the name WAY:
 *	read, preadv, readahead, willneed, madvise, splice, sendfile	reads
 *	mmap, populate		maps and touches it
 *	write, pwritev		writes it anew
 *	copy			copies it to FILE.copy, by copy_file_range()
 *	store			makes it as large and writes through a mapping
 *	truncate		takes them out
 *	many			writes the first page anew in as many processes
 *	dropped			reads, and drops by posix_fadvise()
 *	dropped-dirty		writes, and drops before they are written back
 *	dropped-mapped		maps, touches, and drops them while mapped
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t page, size; /* bytes */
static char *buffer;

static void expect(int succeeded)
{
	if (!succeeded)
		exit(1);
}

static void read_all(int fd)
{
	for (size_t done = 0; done < size; done += page)
		expect(read(fd, buffer, page) == (ssize_t)page);
}

static void read_vectors(int fd)
{
	struct iovec parts[] = { { buffer, page / 2 }, { buffer, page / 2 } };

	for (size_t done = 0; done < size; done += page)
		expect(preadv(fd, parts, 2, (off_t)done) == (ssize_t)page);
}

static void read_ahead(int fd)
{
	expect(readahead(fd, 0, size) == 0);
}

static void will_need(int fd)
{
	/* The kernel reads no more than a limit at once. */
	for (size_t done = 0; done < size; done += page)
		expect(!posix_fadvise(fd, (off_t)done, (off_t)page,
				      POSIX_FADV_WILLNEED));
}

static char *map(int fd, int flags)
{
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | flags, fd, 0);

	expect(memory != MAP_FAILED);
	return memory;
}

static void advise(int fd)
{
	char *memory = map(fd, 0);

	for (size_t done = 0; done < size; done += page)
		expect(!madvise(memory + done, page, MADV_WILLNEED));
}

static void touch(int fd)
{
	volatile char *memory = map(fd, 0);

	for (size_t done = 0; done < size; done += page)
		(void)memory[done];
}

static void populate(int fd)
{
	map(fd, MAP_POPULATE);
}

static void splice_all(int fd)
{
	int ends[2], null = open("/dev/null", O_WRONLY);

	expect(pipe(ends) == 0);
	for (size_t done = 0; done < size;) {
		ssize_t moved = splice(fd, NULL, ends[1], NULL, page, 0);

		expect(moved > 0);
		expect(splice(ends[0], NULL, null, NULL, (size_t)moved, 0) ==
		       moved);
		done += (size_t)moved;
	}
}

static void send_all(int fd)
{
	int null = open("/dev/null", O_WRONLY);

	for (size_t done = 0; done < size;) {
		ssize_t sent = sendfile(null, fd, NULL, size - done);

		expect(sent > 0);
		done += (size_t)sent;
	}
}

static void write_all(int fd)
{
	for (size_t done = 0; done < size; done += page)
		expect(write(fd, buffer, page) == (ssize_t)page);
}

static void write_vectors(int fd)
{
	struct iovec parts[] = { { buffer, page / 2 }, { buffer, page / 2 } };

	for (size_t done = 0; done < size; done += page)
		expect(pwritev(fd, parts, 2, (off_t)done) == (ssize_t)page);
}

static void copy(int fd, const char *path)
{
	char other[4096] = "";
	int to;

	strcpy(other, path);
	strcat(other, ".copy");
	to = open(other, O_RDWR | O_CREAT, 0600);
	for (size_t done = 0; done < size;) {
		ssize_t copied =
			copy_file_range(fd, NULL, to, NULL, size - done, 0);

		expect(copied > 0);
		done += (size_t)copied;
	}
}

static void store(int fd)
{
	char *memory;

	expect(ftruncate(fd, (off_t)size) == 0);
	memory = map(fd, 0);
	for (size_t done = 0; done < size; done += page)
		memory[done] = 1;
}

static void write_in_many(int fd)
{
	for (size_t done = 0; done < size; done += page) {
		pid_t child = fork();
		int status;

		if (!child) {
			expect(ftruncate(fd, 0) == 0);
			expect(pwrite(fd, buffer, page, 0) == (ssize_t)page);
			_exit(0);
		}
		expect(waitpid(child, &status, 0) == child && !status);
	}
}

static void drop(int fd)
{
	expect(!posix_fadvise(fd, 0, (off_t)size, POSIX_FADV_DONTNEED));
}

int main(int argc, char **argv)
{
	const char *way = argv[1], *path = argv[2];
	int fd;

	expect(argc == 4);
	page = (size_t)sysconf(_SC_PAGESIZE);
	size = strtoul(argv[3], NULL, 10) * page;
	buffer = calloc(1, page);
	prctl(PR_SET_NAME, way);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	expect(fd >= 0);
	if (!strcmp(way, "read"))
		read_all(fd);
	else if (!strcmp(way, "preadv"))
		read_vectors(fd);
	else if (!strcmp(way, "readahead"))
		read_ahead(fd);
	else if (!strcmp(way, "willneed"))
		will_need(fd);
	else if (!strcmp(way, "madvise"))
		advise(fd);
	else if (!strcmp(way, "mmap"))
		touch(fd);
	else if (!strcmp(way, "populate"))
		populate(fd);
	else if (!strcmp(way, "splice"))
		splice_all(fd);
	else if (!strcmp(way, "sendfile"))
		send_all(fd);
	else if (!strcmp(way, "write"))
		write_all(fd);
	else if (!strcmp(way, "pwritev"))
		write_vectors(fd);
	else if (!strcmp(way, "copy"))
		copy(fd, path);
	else if (!strcmp(way, "store"))
		store(fd);
	else if (!strcmp(way, "truncate"))
		expect(ftruncate(fd, 0) == 0);
	else if (!strcmp(way, "many"))
		write_in_many(fd);
	else if (!strcmp(way, "dropped"))
		read_all(fd), drop(fd);
	else if (!strcmp(way, "dropped-dirty"))
		write_all(fd), drop(fd);
	else if (!strcmp(way, "dropped-mapped"))
		touch(fd), drop(fd);
	else
		exit(1);
	return 0;
}
