// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * silent_fuse DIRECTORY: serves a FUSE filesystem with one directory,
 * "directory", which the kernel looks up anew each time. Prints "ready".
 * Stopped with SIGSTOP, it reads no requests. After SIGUSR1 it reads requests
 * but answers none; then no signal ends a process that waits for an answer.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int device;
static volatile sig_atomic_t silent;

static void fall_silent(int number)
{
	silent = number;
}

static void answer(const struct fuse_in_header *in, int error, void *data,
		   size_t size)
{
	struct fuse_out_header out = {
		.len = (uint32_t)(sizeof(out) + size),
		.error = -error,
		.unique = in->unique,
	};
	struct iovec parts[] = { { &out, sizeof(out) }, { data, size } };

	if (writev(device, parts, size ? 2 : 1) < 0 && errno != ENOENT)
		err(1, "answer to %u", in->opcode);
}

static struct fuse_attr directory(uint64_t ino)
{
	return (struct fuse_attr){ .ino = ino,
				   .mode = S_IFDIR | 0755,
				   .nlink = 2 };
}

static void serve(const struct fuse_in_header *in, const char *data)
{
	struct fuse_init_out init = {
		.major = FUSE_KERNEL_VERSION,
		.minor = 31,
		.max_write = 4096,
	};
	struct fuse_attr_out attr = { .attr = directory(in->nodeid) };
	struct fuse_entry_out entry = { .nodeid = 2, .attr = directory(2) };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(in, 0, &init, sizeof(init));
		break;
	case FUSE_GETATTR:
		answer(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_LOOKUP:
		if (strcmp(data, "directory") == 0)
			answer(in, 0, &entry, sizeof(entry));
		else
			answer(in, ENOENT, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(in, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static char buffer[1 << 17];
	char options[128];
	ssize_t size;

	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	signal(SIGUSR1, fall_silent);
	if (argc != 2 || device < 0 ||
	    mount("silent", argv[1], "fuse.silent", 0, options) < 0)
		err(1, "mounting");
	puts("ready");
	fflush(stdout);
	while ((size = read(device, buffer, sizeof(buffer))) > 0 ||
	       (size < 0 && errno == EINTR)) {
		if (!silent && size > 0)
			serve((void *)buffer,
			      buffer + sizeof(struct fuse_in_header));
	}
	return 0;
}
