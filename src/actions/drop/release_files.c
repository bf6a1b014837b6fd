// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "drop/drop_files.h"
#include "drop/release_files.h"
#include "drop/silence.h"
#include "drop/write_out.h"
#include "filesystems/fdinfo.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "worker/ask.h"
#include "worker/disk_writes.h"
#include "worker/patience.h"

/* How often to tell that it goes on. */
#define FILES_PER_STEP 64

/* In the order of enum release_work. */
enum step {
	STEP_OPENING = 1,
	STEP_WRITING,
	STEP_COUNTING,
	STEP_RELEASING,
};

static const char *const steps[] = {
	[STEP_OPENING] = "opening the files",
	[STEP_WRITING] = "writing dirty pages",
	[STEP_COUNTING] = "counting dirty pages",
	[STEP_RELEASING] = "releasing pages",
};

/* A worker's task. struct outcome is its answer. */
struct job {
	const struct drop_set *set;
	const struct sysroot *root;
	const struct all_mounts *mounts;
	enum release_work work;
};

struct outcome {
	int ret; /* with the error: nothing was released */
	struct error error;
	struct one {
		enum drop_stay stay;
		int error;
		struct drop_pages figures; /* by cachestat */
	} files[];
};

/*
 * A subvolume of btrfs has a device number of its own, which mountinfo lacks.
 */
static bool is_on_filesystem(const struct job *job, int fd, dev_t device)
{
	_cleanup_(freep) char *info = NULL;
	const struct mount_id *mount;
	char name[16];
	uint64_t id;

	if (device == makedev(job->set->major, job->set->minor))
		return true;
	snprintf(name, sizeof(name), "%d", fd);
	if (fdinfo_read(job->root, "self", name, &info) < 0 ||
	    !number_of_line(info, "mnt_id:", UINT64_MAX, &id))
		return false;
	mount = all_mounts_find_id(job->mounts, id);
	return mount && mount->major == job->set->major &&
	       mount->minor == job->set->minor;
}

/*
 * Opens a file without any effect on another that may be at its path by now,
 * such as a FIFO or a tape. Returns a descriptor of O_PATH, or -1 with the
 * reason in @one.
 */
static int find_file(const struct job *job, const struct drop_file *file,
		     struct one *one)
{
	int links = job->set->is_mount ? O_NOFOLLOW : 0;
	_cleanup_(closep) int fd = open(file->path, O_PATH | O_CLOEXEC | links);
	struct stat status;

	one->stay = STAY_HIDDEN;
	if (fd < 0 || fstat(fd, &status) < 0 || status.st_ino != file->ino ||
	    !is_on_filesystem(job, fd, status.st_dev))
		return -1;
	one->stay = STAY_NO_FILE;
	if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
		return -1;
	one->stay = STAY_NOT;
	return steal_fd(&fd);
}

/* O_NONBLOCK does not wait for a lease that somebody has to give up. */
static int open_found(int found, struct one *one)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = open(path, flags | O_NOATIME);
	/* Only the owner and root may leave the time of access alone. */
	if (fd < 0 && errno == EPERM)
		fd = open(path, flags);
	if (fd < 0) {
		one->stay = STAY_FAILED;
		one->error = errno;
	}
	return fd;
}

static void fail(struct one *one, int error)
{
	if (!error)
		return;
	one->stay = STAY_FAILED;
	one->error = error;
}

static void work_on(const struct job *job, int fd, struct one *one)
{
	switch (job->work) {
	case RELEASE_WRITE:
		fail(one, -write_out_start(fd));
		break;
	case RELEASE_PAGES:
		fail(one, posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
		break;
	default:
		break;
	}
	if (job->work == RELEASE_COUNT ||
	    (job->work != RELEASE_WRITE && job->set->uses_cachestat))
		drop_pages_ask(&one->figures, fd);
}

static bool is_wanted(const struct job *job, const struct drop_file *file)
{
	if (job->work == RELEASE_LOOK)
		return file->stay == STAY_NOT;
	return drop_file_goes(file) &&
	       (job->work == RELEASE_PAGES || drop_file_is_unwritten(file));
}

static int do_one(const struct job *job, size_t index, struct one *one,
		  struct error *err)
{
	const struct drop_file *file = &job->set->files[index];
	_cleanup_(closep) int found = -1, fd = -1;

	one->stay = file->stay;
	if (!is_wanted(job, file))
		return 0;
	found = find_file(job, file, one);
	if (found < 0 || (job->work == RELEASE_LOOK && job->set->is_mount))
		return 0;
	fd = open_found(found, one);
	if (fd < 0 && job->set->is_mount)
		return 0;
	if (fd < 0)
		return error_errno(err, one->error, "opening", file->path);
	work_on(job, fd, one);
	if (one->error && job->work == RELEASE_WRITE && !job->set->is_mount)
		return error_errno(err, one->error,
				   "writing dirty pages, nothing is released",
				   file->path);
	return 0;
}

static size_t do_all(const void *data, size_t index __attribute__((unused)),
		     void *to)
{
	const struct job *job = data;
	struct outcome *outcome = to;
	size_t count = job->set->count;

	for (size_t i = 0; !outcome->ret && i < count; i++) {
		if (i % FILES_PER_STEP == 0)
			ask_tell_step(STEP_OPENING + (int)job->work);
		outcome->ret =
			do_one(job, i, &outcome->files[i], &outcome->error);
	}
	return sizeof(*outcome) + count * sizeof(*outcome->files);
}

static void object_of(const void *data, size_t index __attribute__((unused)),
		      char text[STUCK_OBJECT])
{
	const struct job *job = data;
	const struct drop_set *set = job->set;

	if (set->is_mount)
		snprintf(text, STUCK_OBJECT, "drop files of %u:%u", set->major,
			 set->minor);
	else
		snprintf(text, STUCK_OBJECT, "drop file %llu of %u:%u",
			 (unsigned long long)set->files->ino, set->major,
			 set->minor);
}

static void take_outcome(struct drop_set *set, enum release_work work,
			 const struct outcome *outcome)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct one *one = &outcome->files[i];
		struct drop_file *file = &set->files[i];

		if (one->stay != STAY_NOT || file->stay != STAY_MAPPED)
			file->stay = one->stay;
		if (one->error)
			file->error = one->error;
		if (!one->figures.has_pages)
			continue;
		file->after = one->figures;
		if (work == RELEASE_LOOK) {
			set->result.source = "cachestat";
			file->before = one->figures;
		}
	}
}

int release_files(struct drop_set *set, const struct sysroot *root,
		  const struct all_mounts *mounts, enum release_work work)
{
	const struct job job = { set, root, mounts, work };
	const bool writes = work == RELEASE_WRITE || work == RELEASE_PAGES;
	struct disk_writes disk = {
		.device = makedev(set->major, set->minor),
	};
	struct ask question = {
		.answer = do_all,
		.data = &job,
		.answer_size = sizeof(struct outcome) +
			       set->count * sizeof(struct one),
		.kept = -1,
		.what = set->path,
		.object = object_of,
		.moves = disk_writes,
		.moves_data = &disk,
		.silence_ms = writes ? DROP_SILENCE_MS : 0,
		.outlives = writes,
		.patience = root->patience,
	};
	_cleanup_(freep) struct outcome *outcome = malloc(question.answer_size);
	int ret;

	if (!outcome)
		return error_errno(&set->result.error, ENOMEM, "dropping",
				   set->path);
	ret = drop_ask(&question, steps, outcome, &set->result.error);
	if (ret < 0)
		return ret;
	set->result.error = outcome->error;
	take_outcome(set, work, outcome);
	return outcome->ret;
}
