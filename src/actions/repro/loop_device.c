// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "repro/loop_device.h"

#define CONTROL "/dev/loop-control"
#define MAX_DEVICES_FILE 65536
/* Direct I/O needs blocks no smaller than those of the disk below. */
#define BLOCK_SIZE 4096
#define ATTEMPTS 20
#define FREED_ATTEMPTS 500
#define FREED_WAIT_NS 20000000 /* ten seconds in all */

int loop_check(const struct sysroot *root, struct error *err)
{
	_cleanup_(freep) char *text = NULL;
	const char *blocks;
	int ret = sysroot_read(root, "/proc/devices", MAX_DEVICES_FILE, &text,
			       NULL);

	if (ret < 0)
		return error_errno(err, -ret, "reading", "/proc/devices");
	blocks = strstr(text, "Block devices:");
	if (!blocks || !strstr(blocks, " loop\n"))
		return error_advise(err, ERROR_UNUSABLE, "making a loop device",
				    NULL, "try modprobe loop",
				    "the kernel has no driver for it");
	return 0;
}

static void wait_ns(long ns)
{
	const struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
}

/* Whether the loop device still has its own backing file. */
static bool is_ours(int fd, const struct loop_device *loop)
{
	struct loop_info64 info;

	return ioctl(fd, LOOP_GET_STATUS64, &info) == 0 &&
	       info.lo_device == loop->file_device &&
	       info.lo_inode == loop->file_inode;
}

static int configure_old(int fd, int file, __u32 flags)
{
	struct loop_info64 info = { .lo_flags = flags & LO_FLAGS_AUTOCLEAR };
	int tries = ATTEMPTS, ret, saved;

	if (ioctl(fd, LOOP_SET_FD, file) < 0)
		return -errno;
	/* EAGAIN: pages of the device were still being dropped. */
	do
		ret = ioctl(fd, LOOP_SET_STATUS64, &info);
	while (ret < 0 && errno == EAGAIN && tries--);
	if (ret < 0) {
		saved = errno;
		ioctl(fd, LOOP_CLR_FD);
		return -saved;
	}
	/* Both are optional. */
	ioctl(fd, LOOP_SET_BLOCK_SIZE, (unsigned long)BLOCK_SIZE);
	ioctl(fd, LOOP_SET_DIRECT_IO, 1UL);
	return 0;
}

/* Uses LOOP_CONFIGURE (Linux 5.8), or else several steps. */
static int configure(int fd, int file, bool autoclear)
{
	struct loop_config config = {
		.fd = (__u32)file,
		.block_size = BLOCK_SIZE,
		.info.lo_flags = LO_FLAGS_DIRECT_IO |
				 (autoclear ? LO_FLAGS_AUTOCLEAR : 0),
	};

	if (ioctl(fd, LOOP_CONFIGURE, &config) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOTTY && errno != ENOSYS)
		return -errno;
	return configure_old(fd, file, config.info.lo_flags);
}

/* udev leaves a device alone while somebody has it locked. */
static int hold(struct loop_device *loop)
{
	loop->held = open(loop->node, O_RDONLY | O_CLOEXEC);
	if (loop->held < 0)
		return -errno;
	flock(loop->held, LOCK_EX | LOCK_NB);
	return 0;
}

static int read_status(int fd, struct loop_device *loop)
{
	struct loop_info64 info;

	if (ioctl(fd, LOOP_GET_STATUS64, &info) < 0)
		return -errno;
	loop->file_device = (dev_t)info.lo_device;
	loop->file_inode = (ino_t)info.lo_inode;
	loop->direct = info.lo_flags & LO_FLAGS_DIRECT_IO;
	return 0;
}

static int put_on_file(struct loop_device *loop, int file, bool autoclear)
{
	_cleanup_(closep) int fd = -1;
	struct stat status;
	int ret = hold(loop);

	if (ret < 0)
		return ret;
	fd = open(loop->node, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISBLK(status.st_mode))
		return -ENOTBLK;
	loop->number = status.st_rdev;
	ret = configure(fd, file, autoclear);
	return ret < 0 ? ret : read_status(fd, loop);
}

static bool exists(const struct sysroot *root, int number)
{
	_cleanup_(closep) int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), CLASS_BLOCK "/loop%d", number);
	fd = sysroot_open(root, path, O_PATH);
	return fd >= 0;
}

/*
 * The lowest number without a device: the kernel gives it to the next new one.
 */
static int first_absent(const struct sysroot *root)
{
	int number = 0;

	while (exists(root, number))
		number++;
	return number;
}

static int fail(struct loop_device *loop, int error, struct error *err)
{
	loop_device_release(loop);
	if (error == -ENOENT)
		return error_doing(err, ENOENT, "making a loop device",
				   loop->node,
				   "there is no node for it in /dev");
	return error_errno(err, -error, "making a loop device", loop->node);
}

int loop_device_create(struct loop_device *loop, const struct sysroot *root,
		       int file, bool autoclear, struct error *err)
{
	_cleanup_(closep) int control = open(CONTROL, O_RDWR | O_CLOEXEC);
	int tries = ATTEMPTS, absent, number, ret;

	*loop = (struct loop_device){ .held = -1 };
	if (control < 0)
		return error_errno(err, errno, "making a loop device", CONTROL);
	do {
		absent = first_absent(root);
		number = ioctl(control, LOOP_CTL_GET_FREE);
		if (number < 0)
			return error_errno(err, errno, "making a loop device",
					   CONTROL);
		snprintf(loop->node, sizeof(loop->node), "/dev/loop%d", number);
		loop->added = number == absent;
		ret = put_on_file(loop, file, autoclear);
		if (ret < 0)
			loop_device_release(loop);
		/* EBUSY: another process took the device first. */
	} while (ret == -EBUSY && tries--);
	return ret < 0 ? fail(loop, ret, err) : 0;
}

void loop_device_release(struct loop_device *loop)
{
	if (loop->held >= 0)
		close(loop->held);
	loop->held = -1;
}

int loop_device_keep(struct loop_device *loop, struct error *err)
{
	_cleanup_(closep) int fd = open(loop->node, O_RDWR | O_CLOEXEC);
	struct loop_info64 info;

	if (fd < 0 || ioctl(fd, LOOP_GET_STATUS64, &info) < 0)
		return error_errno(err, errno, "keeping", loop->node);
	info.lo_flags &= ~(__u32)LO_FLAGS_AUTOCLEAR;
	if (ioctl(fd, LOOP_SET_STATUS64, &info) < 0)
		return error_errno(err, errno, "keeping", loop->node);
	return 0;
}

/*
 * The driver releases the file a moment after the last close, and that is not
 * ours if another process has the device open just then.
 */
static int wait_until_free(const struct loop_device *loop)
{
	for (int i = 0; i < FREED_ATTEMPTS; i++) {
		_cleanup_(closep) int fd =
			open(loop->node, O_RDONLY | O_CLOEXEC);

		if (fd < 0 || !is_ours(fd, loop))
			return 0;
		closep(&fd);
		fd = -1;
		wait_ns(FREED_WAIT_NS);
	}
	return -EBUSY;
}

/* A device that did not exist before is of no use to anybody else. */
static void remove_added(const struct loop_device *loop)
{
	_cleanup_(closep) int control = open(CONTROL, O_RDWR | O_CLOEXEC);
	uint64_t number;

	if (control >= 0 &&
	    number_parse(loop->node + strlen("/dev/loop"), INT_MAX, &number))
		ioctl(control, LOOP_CTL_REMOVE, (int)number);
}

int loop_device_destroy(struct loop_device *loop, struct error *err)
{
	int ret;

	if (loop->held < 0 && hold(loop) < 0)
		return 0;
	if (is_ours(loop->held, loop))
		ioctl(loop->held, LOOP_CLR_FD);
	loop_device_release(loop);
	ret = wait_until_free(loop);
	if (ret < 0)
		return error_errno(err, -ret, "freeing", loop->node);
	if (loop->added)
		remove_added(loop);
	return 0;
}

/*
 * Whether the backing file is in @directory. The kernel reports its path, and
 * marks a deleted file as such.
 */
static bool stands_in(const struct sysroot *root, const char *name,
		      const char *directory)
{
	_cleanup_(freep) char *file = NULL;
	char device[PATH_MAX], part[PATH_MAX];

	snprintf(device, sizeof(device), CLASS_BLOCK "/%s", name);
	snprintf(part, sizeof(part), "/%s/", directory);
	return sysfs_attribute(root, device, "loop/backing_file", &file) == 0 &&
	       strstr(file, part);
}

static int free_one(const struct sysroot *root, const char *name,
		    const char *directory, struct error *err)
{
	struct loop_device loop = { .held = -1 };
	int ret = 0;

	snprintf(loop.node, sizeof(loop.node), "/dev/%.20s", name);
	loop.held = open(loop.node, O_RDONLY | O_CLOEXEC);
	/* Another process may have freed it since the caller looked, so look
	 * again; while it is held open, it stays as it is. */
	if (loop.held >= 0 && stands_in(root, name, directory) &&
	    read_status(loop.held, &loop) == 0)
		ret = loop_device_destroy(&loop, err);
	loop_device_release(&loop);
	return ret;
}

int loop_free_in(const struct sysroot *root, const char *directory,
		 struct error *err)
{
	_cleanup_(closedirp) DIR *dir = sysroot_opendir(root, CLASS_BLOCK);
	const char *name;
	int ret = 0, more = 1;

	if (!dir)
		return error_errno(err, errno, "reading", CLASS_BLOCK);
	while (!ret && (more = sysroot_next_name(dir, &name)) > 0) {
		if (stands_in(root, name, directory))
			ret = free_one(root, name, directory, err);
	}
	return more < 0 ? error_errno(err, -more, "reading", CLASS_BLOCK) : ret;
}
