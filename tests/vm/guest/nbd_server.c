// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nbd_server DEVICE: sets up a network block device of 64 MiB, all zero, with a
 * child process as the server. Prints "ready PID" with the server's pid.
 * Stopped with SIGSTOP, the server does not answer.
 */
#include <endian.h>
#include <err.h>
#include <fcntl.h>
#include <linux/nbd.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define SIZE (64UL << 20)
/* Bytes: not every kernel has devices whose blocks are larger than a page. */
#define BLOCK 4096UL

static void get(int fd, void *data, size_t size)
{
	char *rest = data;

	while (size) {
		ssize_t length = read(fd, rest, size);

		if (length <= 0)
			_exit(0);
		rest += length;
		size -= (size_t)length;
	}
}

static void put(int fd, const void *data, size_t size)
{
	const char *rest = data;

	while (size) {
		ssize_t length = write(fd, rest, size);

		if (length <= 0)
			_exit(0);
		rest += length;
		size -= (size_t)length;
	}
}

static void serve(int fd)
{
	static char blocks[1 << 20];
	struct nbd_request request;
	struct nbd_reply reply = { .magic = htobe32(NBD_REPLY_MAGIC) };

	for (;;) {
		uint32_t left;

		get(fd, &request, sizeof(request));
		left = be32toh(request.len);
		memcpy(reply.handle, request.handle, sizeof(reply.handle));
		if (be32toh(request.type) == NBD_CMD_WRITE) {
			while (left) {
				size_t part = left < sizeof(blocks) ?
						      left :
						      sizeof(blocks);

				get(fd, blocks, part);
				left -= (uint32_t)part;
			}
			memset(blocks, 0, sizeof(blocks));
		}
		put(fd, &reply, sizeof(reply));
		while (be32toh(request.type) == NBD_CMD_READ && left) {
			size_t part = left < sizeof(blocks) ? left :
							      sizeof(blocks);

			put(fd, blocks, part);
			left -= (uint32_t)part;
		}
	}
}

int main(int argc, char **argv)
{
	int device = argc == 2 ? open(argv[1], O_RDWR) : -1;
	int ends[2];
	pid_t pid;

	if (device < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		err(1, "starting");
	if (ioctl(device, NBD_SET_BLKSIZE, BLOCK) < 0 ||
	    ioctl(device, NBD_SET_SIZE_BLOCKS, SIZE / BLOCK) < 0 ||
	    ioctl(device, NBD_SET_SOCK, ends[0]) < 0)
		err(1, "NBD_SET_SOCK");
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		close(device);
		serve(ends[1]);
	}
	close(ends[1]);
	printf("ready %d\n", pid);
	fflush(stdout);
	/* Returns when the device is disconnected. */
	return ioctl(device, NBD_DO_IT) < 0;
}
