// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "error.h"
#include "lab.h"
#include "lab_files.h"
#include "lab_owner.h"
#include "sysroot.h"

/* ioprio_set(2), whose header is newer than the call. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_IDLE (3 << 13)

#define UNMOUNT_ATTEMPTS 100
#define UNMOUNT_WAIT_NS 50000000 /* in all five seconds */

int lab_isolate(struct error *err)
{
	if (unshare(CLONE_NEWNS) < 0)
		return error_errno(err, errno, "making a mount namespace",
				   "unshare");
	/* Slave and not private: an unmount on the host is to reach us. */
	if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return error_errno(err, errno, "making a mount namespace", "/");
	/* Where it is refused, the experiment is only less polite. */
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
	return 0;
}

int lab_create(struct lab *lab, const struct sysroot *root, const char *where,
	       struct error *err)
{
	int ret;

	*lab = (struct lab){ .fd = -1 };
	for (unsigned int i = 0; i < LAB_DEVICES; i++)
		lab->files[i] = -1;
	ret = lab_owner_create(root, where, &lab->fd, &lab->path, err);
	if (ret < 0)
		return ret;
	if (asprintf(&lab->mount_point, "%s/" LAB_MOUNT_POINT, lab->path) < 0) {
		lab->mount_point = NULL;
		return error_errno(err, ENOMEM, "making a lab", lab->path);
	}
	if (mkdirat(lab->fd, LAB_MOUNT_POINT, 0700) < 0)
		return error_errno(err, errno, "making a lab",
				   lab->mount_point);
	return 0;
}

static int make_file(struct lab *lab, const char *name, uint64_t size_bytes,
		     struct error *err)
{
	_cleanup_(closep) int fd = openat(
		lab->fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)size_bytes) < 0)
		return error_set(err, errno, "making a lab: %s/%s: %s",
				 lab->path, name, strerror(errno));
	return steal_fd(&fd);
}

int lab_add_device(struct lab *lab, const struct sysroot *root,
		   uint64_t size_bytes, bool autoclear, struct error *err)
{
	unsigned int i = lab->device_count;
	int ret;

	lab->files[i] = make_file(lab, lab_files[i], size_bytes, err);
	if (lab->files[i] < 0)
		return lab->files[i];
	ret = loop_device_create(&lab->devices[i], root, lab->files[i],
				 autoclear, err);
	if (ret < 0)
		return ret;
	lab->sizes_bytes[i] = size_bytes;
	lab->device_count++;
	return 0;
}

static int do_mount(struct lab *lab, const char *what, const char *type,
		    const char *data, struct error *err)
{
	if (mount(what, lab->mount_point, type,
		  MS_NOATIME | MS_NODEV | MS_NOEXEC | MS_NOSUID, data) < 0)
		return error_set(err, errno, "mounting: %s: %s as %s: %s",
				 lab->mount_point, what, type, strerror(errno));
	lab->is_mounted = true;
	return 0;
}

int lab_mount(struct lab *lab, const char *type, struct error *err)
{
	return do_mount(lab, lab->devices[0].node, type, NULL, err);
}

int lab_mount_tmpfs(struct lab *lab, uint64_t size_bytes, struct error *err)
{
	char data[64];

	snprintf(data, sizeof(data), "size=%" PRIu64 ",mode=700", size_bytes);
	return do_mount(lab, "none", "tmpfs", data, err);
}

/* Something that looks at every new mount may be in there for a moment. */
int lab_unmount(struct lab *lab, struct error *err)
{
	const struct timespec wait = { .tv_nsec = UNMOUNT_WAIT_NS };
	int tries = UNMOUNT_ATTEMPTS;

	while (umount2(lab->mount_point, UMOUNT_NOFOLLOW) < 0) {
		if (errno != EBUSY || !tries--)
			return error_errno(err, errno, "unmounting",
					   lab->mount_point);
		nanosleep(&wait, NULL);
	}
	lab->is_mounted = false;
	return 0;
}

static void lab_close(struct lab *lab)
{
	for (unsigned int i = 0; i < lab->device_count; i++)
		loop_device_release(&lab->devices[i]);
	for (unsigned int i = 0; i < LAB_DEVICES; i++) {
		if (lab->files[i] >= 0)
			close(lab->files[i]);
		lab->files[i] = -1;
	}
	if (lab->fd >= 0)
		close(lab->fd);
	free(lab->mount_point);
	free(lab->path);
	*lab = (struct lab){ .fd = -1, .files = { -1, -1 } };
}

/*
 * The files go last: they are what a device is known by that is still there
 * if this is interrupted.
 */
int lab_destroy(struct lab *lab, struct error *err)
{
	struct error reason;
	int first = 0, ret;

	if (!lab->path)
		return 0;
	if (lab->is_mounted && lab_unmount(lab, &reason) < 0) {
		/* Out of sight, and gone when nobody uses it any more. */
		umount2(lab->mount_point, MNT_DETACH);
		first = error_set(err, EBUSY, "%s", reason.text);
	}
	for (unsigned int i = 0; i < lab->device_count; i++) {
		ret = loop_device_destroy(&lab->devices[i], &reason);
		if (ret < 0 && !first)
			first = error_set(err, -ret, "%s", reason.text);
	}
	ret = lab_files_remove(lab->fd, lab->path, &reason);
	if (ret < 0 && !first)
		first = error_set(err, -ret, "%s", reason.text);
	lab_close(lab);
	return first;
}

int lab_keep(struct lab *lab, struct error *err)
{
	int ret = lab->is_mounted ? lab_unmount(lab, err) : 0;

	for (unsigned int i = 0; !ret && i < lab->device_count; i++)
		ret = loop_device_keep(&lab->devices[i], err);
	if (!ret && lab_owner_keep(lab->fd) < 0)
		ret = error_errno(err, EIO, "keeping", lab->path);
	if (ret < 0) {
		lab_destroy(lab, NULL);
		return ret;
	}
	lab_close(lab);
	return 0;
}
