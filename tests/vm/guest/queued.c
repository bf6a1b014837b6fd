// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * queued aio|uring|async|fsync|osync|direct-osync FILE BYTES: reads so many
 * bytes of FILE with O_DIRECT by one request of Linux AIO or io_uring, and
 * prints what came of it; or through the page cache, by a worker of io_uring;
 * or syncs a file twice, of which nothing is dirty the second time; or writes
 * BYTES four times with O_SYNC.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void expect(int succeeded, const char *what)
{
	if (succeeded)
		return;
	perror(what);
	exit(1);
}

static long by_aio(int fd, void *buffer, size_t size)
{
	aio_context_t context = 0;
	struct iocb request = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)fd,
		.aio_buf = (uint64_t)(uintptr_t)buffer,
		.aio_nbytes = size,
	};
	struct iocb *requests[] = { &request };
	struct io_event event;

	expect(syscall(SYS_io_setup, 1L, &context) == 0, "io_setup");
	expect(syscall(SYS_io_submit, context, 1L, requests) == 1, "io_submit");
	expect(syscall(SYS_io_getevents, context, 1L, 1L, &event, NULL) == 1,
	       "io_getevents");
	return (long)event.res;
}

static void *map(int ring, size_t size, off_t part)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
			part);

	expect(at != MAP_FAILED, "mmap");
	return at;
}

static long by_uring(int fd, void *buffer, size_t size, uint8_t flags)
{
	struct io_uring_params params = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 1L, &params);
	char *asked, *answers;
	struct io_uring_sqe *entry;

	expect(ring >= 0, "io_uring_setup");
	asked = map(ring, params.sq_off.array + sizeof(uint32_t),
		    IORING_OFF_SQ_RING);
	answers = map(ring,
		      params.cq_off.cqes + 2 * sizeof(struct io_uring_cqe),
		      IORING_OFF_CQ_RING);
	entry = map(ring, sizeof(*entry), IORING_OFF_SQES);
	*entry = (struct io_uring_sqe){
		.opcode = IORING_OP_READ,
		.flags = flags,
		.fd = fd,
		.addr = (uint64_t)(uintptr_t)buffer,
		.len = (uint32_t)size,
	};
	*(uint32_t *)(asked + params.sq_off.array) = 0;
	*(volatile uint32_t *)(asked + params.sq_off.tail) = 1;
	expect(syscall(SYS_io_uring_enter, ring, 1U, 1U, IORING_ENTER_GETEVENTS,
		       NULL, 0UL) == 1,
	       "io_uring_enter");
	return ((struct io_uring_cqe *)(answers + params.cq_off.cqes))->res;
}

int main(int argc, char **argv)
{
	const char *way = argc == 4 ? argv[1] : "";
	const size_t size = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
	void *buffer;
	int is_async, fd;

	if (strcmp(way, "fsync") == 0) {
		fd = open(argv[2], O_WRONLY | O_CREAT, 0600);
		expect(fd >= 0, "open");
		expect(fsync(fd) == 0 && fsync(fd) == 0, "fsync");
		return 0;
	}
	is_async = strcmp(way, "async") == 0;
	if (strstr(way, "osync")) {
		fd = open(argv[2],
			  O_WRONLY | O_CREAT | O_SYNC |
				  (*way == 'd' ? O_DIRECT : 0),
			  0600);
		expect(fd >= 0 && !posix_memalign(&buffer, 65536, size),
		       "open");
		memset(buffer, 'x', size);
		for (int i = 0; i < 4; i++)
			printf("%zd\n", write(fd, buffer, size));
		return 0;
	}
	fd = argc == 4 ? open(argv[2], O_RDONLY | (is_async ? 0 : O_DIRECT)) :
			 -1;
	expect(fd >= 0, "open");
	expect(posix_memalign(&buffer, 65536, 1 << 20) == 0, "buffer");
	printf("%ld\n",
	       strcmp(way, "aio") == 0 ?
		       by_aio(fd, buffer, size) :
		       by_uring(fd, buffer, size, is_async ? IOSQE_ASYNC : 0));
	return 0;
}
