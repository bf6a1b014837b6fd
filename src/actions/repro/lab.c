// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/monotonic.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "repro/lab.h"
#include "worker/worker.h"

#define PREFIX "bufstat-repro."
#define UNIQUE 6 /* random characters after the prefix, as in mkdtemp(3) */
#define MOUNT_POINT "mnt"
#define ATTEMPTS 16

/* For ioprio_set(2): the header with these is newer than the call. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_IDLE (3 << 13)

#define UNMOUNT_ATTEMPTS 100
#define UNMOUNT_WAIT_NS 50000000 /* five seconds in all */
#define GUARD_NS INT64_C(1000000000)

/* The names of the backing files, until they are unlinked. */
static const char *const file_names[LAB_DEVICES] = { "disk", "witness" };

int lab_isolate(struct error *err)
{
	if (unshare(CLONE_NEWNS) < 0)
		return error_errno(err, errno, "making a mount namespace",
				   "unshare");
	/* Slave, not private, so that an unmount on the host reaches us. */
	if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return error_errno(err, errno, "making a mount namespace", "/");
	/* If this is refused, the experiment only disturbs others more. */
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
	return 0;
}

/* ---- the directory and its guard ----------------------------------------- */

static int remove_one(int lab, const char *name, int flags)
{
	return unlinkat(lab, name, flags) < 0 && errno != ENOENT ? -errno : 0;
}

/* Removes only the names that a lab makes, then the directory. */
static int remove_directory(const char *path)
{
	_cleanup_(closep) int lab =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int ret;

	if (lab < 0)
		return errno == ENOENT ? 0 : -errno;
	ret = remove_one(lab, MOUNT_POINT, AT_REMOVEDIR);
	for (unsigned int i = 0; !ret && i < LAB_DEVICES; i++)
		ret = remove_one(lab, file_names[i], 0);
	if (!ret && rmdir(path) < 0 && errno != ENOENT)
		ret = -errno;
	return ret;
}

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

/*
 * The guard is a process that waits until the program has ended and then
 * removes what it left. It shares the program's mount namespace, so a mount
 * there would last as long as the guard: it has to unmount.
 */
static void guard(const struct lab *lab, const struct sysroot *root)
{
	struct pollfd program = { .fd = WORKER_PIPE };
	const char *name = name_of(lab->path);
	char mount_point[64];

	while (poll(&program, 1, -1) < 0 && errno == EINTR)
		;
	/* Nobody has the other end open: the program has ended. */
	if (!(program.revents & POLLERR) || fchdir(WORKER_KEPT) < 0)
		return;
	snprintf(mount_point, sizeof(mount_point), "%s/" MOUNT_POINT, name);
	umount2(mount_point, MNT_DETACH | UMOUNT_NOFOLLOW);
	loop_free_in(root, name, NULL);
	remove_directory(name);
}

static int guard_start(struct lab *lab, const struct sysroot *root,
		       const char *where)
{
	_cleanup_(closep) int place =
		open(where, O_PATH | O_DIRECTORY | O_CLOEXEC);
	pid_t pid;

	if (place < 0)
		return -errno;
	pid = worker_start(place, true, &lab->guard_pipe);
	if (pid == 0) {
		guard(lab, root);
		_exit(EXIT_SUCCESS);
	}
	if (pid < 0)
		return pid;
	lab->guard = pid;
	return 0;
}

/* Returns 0, or a negative errno if the guard may have removed the lab. */
static int guard_end(struct lab *lab)
{
	int ret;

	if (!lab->guard)
		return 0;
	ret = kill(lab->guard, SIGKILL) < 0 ? -errno : 0;
	/* A guard that cannot be killed ends when the pipe closes. */
	close(lab->guard_pipe);
	worker_reap(lab->guard, monotonic_ns() + GUARD_NS);
	lab->guard = 0;
	return ret;
}

static int make_paths(struct lab *lab, const char *where)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	unsigned char bytes[UNIQUE];
	char name[UNIQUE + 1] = "";

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -errno;
	for (unsigned int i = 0; i < UNIQUE; i++)
		name[i] = letters[bytes[i] % (sizeof(letters) - 1)];
	if (asprintf(&lab->path, "%s/" PREFIX "%s", where, name) < 0) {
		lab->path = NULL;
		return -ENOMEM;
	}
	if (asprintf(&lab->mount_point, "%s/" MOUNT_POINT, lab->path) < 0) {
		lab->mount_point = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int lock_and_fill(struct lab *lab)
{
	lab->fd = open(lab->path,
		       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (lab->fd < 0)
		return -errno;
	/* If locks do not work here, no run can take the lab for dead. */
	flock(lab->fd, LOCK_EX);
	if (mkdirat(lab->fd, MOUNT_POINT, 0700) == 0)
		return 0;
	return -errno;
}

/*
 * Another run that looks for dead labs may remove the directory before it is
 * locked. Then make it again.
 */
static int make_directory(struct lab *lab)
{
	int tries = ATTEMPTS, ret;

	do {
		if (mkdir(lab->path, 0700) < 0)
			return -errno;
		ret = lock_and_fill(lab);
		if (ret < 0) {
			closep(&lab->fd);
			lab->fd = -1;
			rmdir(lab->path);
		}
	} while (ret == -ENOENT && tries--);
	return ret;
}

static void close_files(struct lab *lab)
{
	for (unsigned int i = 0; i < LAB_DEVICES; i++) {
		closep(&lab->files[i]);
		lab->files[i] = -1;
	}
}

static void lab_close(struct lab *lab)
{
	for (unsigned int i = 0; i < lab->device_count; i++)
		loop_device_release(&lab->devices[i]);
	close_files(lab);
	closep(&lab->fd);
	guard_end(lab);
	free(lab->mount_point);
	free(lab->path);
	*lab = (struct lab)LAB_NONE;
}

int lab_create(struct lab *lab, const struct sysroot *root, const char *where,
	       bool can_be_kept, struct error *err)
{
	int ret;

	*lab = (struct lab)LAB_NONE;
	lab->can_be_kept = can_be_kept;
	ret = make_paths(lab, where);
	/* The guard starts before there is anything to remove. */
	if (!ret)
		ret = guard_start(lab, root, where);
	if (!ret)
		ret = make_directory(lab);
	if (!ret)
		return 0;
	lab_close(lab);
	error_errno(err, -ret, "making a lab", where);
	if (ret == -EROFS || ret == -ENOSPC || ret == -ENOENT)
		error_remedy(err, ret, "choose another place with --place");
	return ret;
}

/* ---- devices and mounts -------------------------------------------------- */

/*
 * Unlinks the file unless it is to be kept: it then goes away with the last
 * process or device that has it open.
 */
static int make_file(struct lab *lab, const char *name, uint64_t size_bytes,
		     struct error *err)
{
	_cleanup_(closep) int fd = openat(
		lab->fd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || (!lab->can_be_kept && unlinkat(lab->fd, name, 0) < 0) ||
	    ftruncate(fd, (off_t)size_bytes) < 0)
		return error_object(
			err, error_errno(err, errno, "making a lab", NULL),
			"%s/%s", lab->path, name);
	return steal_fd(&fd);
}

int lab_add_device(struct lab *lab, const struct sysroot *root,
		   uint64_t size_bytes, bool autoclear, struct error *err)
{
	unsigned int i = lab->device_count;
	int ret;

	lab->files[i] = make_file(lab, file_names[i], size_bytes, err);
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
		return error_doing(err, errno, "mounting", lab->mount_point,
				   "%s as %s: %s", what, type, strerror(errno));
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

/* Retries: programs that inspect every new mount may be in it for a moment. */
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

/* ---- taking it down ------------------------------------------------------ */

static int keep_first(struct error *err, int ret, const struct error *first)
{
	if (err)
		*err = *first;
	return ret;
}

int lab_destroy(struct lab *lab, struct error *err)
{
	struct error reason;
	int first = 0, ret;

	if (!lab->path)
		return 0;
	if (lab->is_mounted && lab_unmount(lab, &reason) < 0) {
		/* Hides the mount now; it ends with its last user. */
		umount2(lab->mount_point, MNT_DETACH);
		first = keep_first(err, -EBUSY, &reason);
	}
	for (unsigned int i = 0; i < lab->device_count; i++) {
		ret = loop_device_destroy(&lab->devices[i], &reason);
		if (ret < 0 && !first)
			first = keep_first(err, ret, &reason);
	}
	/* NFS keeps a name for a file that is unlinked while it is open. */
	close_files(lab);
	ret = remove_directory(lab->path);
	if (ret < 0 && !first)
		first = error_errno(err, -ret, "removing", lab->path);
	lab_close(lab);
	return first;
}

int lab_keep(struct lab *lab, struct error *err)
{
	int ret = lab->is_mounted ? lab_unmount(lab, err) : 0;

	for (unsigned int i = 0; !ret && i < lab->device_count; i++)
		ret = loop_device_keep(&lab->devices[i], err);
	/* Until here, the guard would have removed the lab. */
	if (!ret && guard_end(lab) < 0)
		ret = error_errno(err, EIO, "keeping", lab->path);
	if (ret < 0) {
		lab_destroy(lab, NULL);
		return ret;
	}
	lab_close(lab);
	return 0;
}

/* ---- labs whose program and guard were both killed ----------------------- */

static bool is_lab_name(const char *name)
{
	return strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
	       strlen(name) == strlen(PREFIX) + UNIQUE;
}

/*
 * Everybody may be able to make directories there, so it has to be ours. A live
 * process holds the lock. A lab whose file has its name was kept on purpose.
 */
static bool is_dead(int lab)
{
	struct stat status;

	return fstat(lab, &status) == 0 && status.st_uid == geteuid() &&
	       (status.st_mode & 07777) == 0700 &&
	       flock(lab, LOCK_EX | LOCK_NB) == 0 &&
	       faccessat(lab, file_names[0], F_OK, AT_SYMLINK_NOFOLLOW) < 0;
}

static int remove_if_dead(const struct sysroot *root, const char *path,
			  struct string_list *removed, struct error *err)
{
	_cleanup_(closep) int lab =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int ret;

	if (lab < 0 || !is_dead(lab))
		return 0;
	ret = loop_free_in(root, name_of(path), err);
	if (ret < 0)
		return ret;
	ret = remove_directory(path) ?: string_list_add(removed, path);
	return ret < 0 ? error_errno(err, -ret, "removing", path) : 0;
}

static int search_directory(const struct sysroot *root, const char *where,
			    struct string_list *removed, struct error *err)
{
	_cleanup_(closedirp) DIR *dir = opendir(where);
	char path[PATH_MAX];
	const char *name;
	int ret = 0, more;

	/* lab_create() reports the error if the directory is to be used. */
	if (!dir)
		return 0;
	while (!ret && (more = sysroot_next_name(dir, &name)) != 0) {
		if (more < 0)
			ret = error_errno(err, -more, "reading", where);
		else if (is_lab_name(name) &&
			 snprintf(path, sizeof(path), "%s/%s", where, name) <
				 PATH_MAX)
			ret = remove_if_dead(root, path, removed, err);
	}
	return ret;
}

int lab_remove_dead(const struct sysroot *root, const char *where,
		    struct string_list *removed, struct error *err)
{
	int ret = search_directory(root, where, removed, err);

	if (!ret && strcmp(where, LAB_DEFAULT_PLACE) != 0)
		ret = search_directory(root, LAB_DEFAULT_PLACE, removed, err);
	return ret;
}
