// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <bufstat/filesystems.h>

#include "filesystems/all_mounts.h"
#include "filesystems/inquiry.h"
#include "filesystems/measured_filesystems.h"
#include "filesystems/module_filesystems.h"
#include "filesystems/unmounted.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "worker/worker.h"

struct answer {
	struct inquiry_answer head;
	uint64_t ino; /* of the file that was asked about */
	struct bufstat_filesystem filesystem;
};

static size_t put(const struct inquiry *inquiry __attribute__((unused)),
		  int control, int fd, void *to)
{
	struct answer *answer = to;
	struct bufstat_filesystem *filesystem = &answer->filesystem;

	*filesystem = (struct bufstat_filesystem){
		.version = BUFSTAT_FILESYSTEMS_VERSION,
		.fd = fd,
	};
	answer->head.error =
		ioctl(control, BUFSTAT_IOC_FILESYSTEM, filesystem) < 0 ? errno :
									 0;
	answer->head.major = filesystem->major;
	answer->head.minor = filesystem->minor;
	return sizeof(*answer);
}

static void set_figures(struct filesystem *filesystem,
			const struct bufstat_filesystem *answer)
{
	struct sample *sample = &filesystem->sample;

	sample_set(sample, FIGURE_PAGES, answer->pages);
	if (answer->about & BUFSTAT_FS_HAS_DIRTY && !answer->uncounted_inodes) {
		sample_set(sample, FIGURE_DIRTY, answer->dirty_pages);
		sample_set(sample, FIGURE_WRITEBACK, answer->writeback_pages);
	}
	filesystem->inodes = answer->inodes;
	filesystem->longest_hold_ns = answer->longest_hold_ns;
	filesystem->uncounted = answer->uncounted_inodes;
	filesystem->unevictable = answer->unevictable_pages;
	filesystem->has_unevictable = answer->about &
				      BUFSTAT_FS_HAS_UNEVICTABLE;
	filesystem->is_shmem = answer->about & BUFSTAT_FS_SHMEM;
	filesystem->hides_write_errors =
		!(answer->about & BUFSTAT_FS_TELLS_ERRORS);
	filesystem->keeps_pages = filesystem->is_shmem ||
				  answer->magic == RAMFS_MAGIC;
}

/* Filesystems whose pages are never in Cached are skipped. */
static int take_answer(struct filesystems *all, const struct answer *answer,
		       const char *why, const struct mounted *mounted)
{
	struct filesystem *filesystem;

	if (answer && answer->head.error == EOPNOTSUPP)
		return 0;
	filesystem = mounted ? filesystems_add_mounted(all, mounted) :
		     answer  ? filesystems_add(all, answer->filesystem.major,
					       answer->filesystem.minor) :
			       filesystems_add(all, 0, 0);
	if (!filesystem)
		return -ENOMEM;
	if (!answer)
		return filesystem_refuse(filesystem, why, true);
	if (answer->head.error)
		return filesystem_refuse(filesystem,
					 answer->head.error == ENOENT ?
						 "not at its mount point" :
						 strerror(answer->head.error),
					 false);
	set_figures(filesystem, &answer->filesystem);
	return 0;
}

static int take_answers(struct filesystems *all,
			const struct all_mounts *mounts,
			const struct inquired *inquired)
{
	char why[ASK_WHY];
	int ret = 0;

	for (size_t i = 0; !ret && i <= mounts->count; i++) {
		const struct answer *answer = inquired_answer(inquired, i, why);

		ret = take_answer(all, answer, why,
				  i < mounts->count ? &mounts->mounts[i] :
						      NULL);
	}
	return ret;
}

/*
 * Opening a descriptor's path leads to its file directly, past all mount
 * points.
 */
static size_t ask_unmounted(const void *data, size_t index, void *to)
{
	const struct string_list *paths = data;
	struct answer *answer = to;
	_cleanup_(closep) int fd =
		open(paths->strings[index], O_PATH | O_CLOEXEC);
	struct statx status;

	/*
	 * Answers with an error are skipped. If the descriptor was closed
	 * meanwhile, this error stays.
	 */
	answer->head.error = EOPNOTSUPP;
	if (fd >= 0 && statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
			     STATX_INO, &status) == 0) {
		answer->ino = status.stx_ino;
		put(NULL, WORKER_KEPT, fd, answer);
	}
	return sizeof(*answer);
}

static void name_unmounted(const void *data, size_t index,
			   char text[STUCK_OBJECT])
{
	const struct string_list *paths = data;

	snprintf(text, STUCK_OBJECT, "%s", paths->strings[index]);
}

/*
 * Whether the answer's filesystem or file already has a row: it is mounted, or
 * an earlier descriptor leads to it.
 */
static bool has_row(const struct all_mounts *mounts, const struct asked *asked,
		    size_t index)
{
	const struct answer *answer = asked_answer(asked, index);
	bool one_file = answer->filesystem.about & BUFSTAT_FS_ONE_FILE;

	if (!one_file && all_mounts_find(mounts, answer->filesystem.major,
					 answer->filesystem.minor))
		return true;
	for (size_t i = 0; i < index; i++) {
		const struct answer *other = asked_answer(asked, i);

		if (other && !other->head.error &&
		    other->filesystem.major == answer->filesystem.major &&
		    other->filesystem.minor == answer->filesystem.minor &&
		    (!one_file || other->ino == answer->ino))
			return true;
	}
	return false;
}

/*
 * Adds it as if it were mounted at the descriptor's path, which tells who has
 * it.
 */
static int add_unmounted(struct filesystems *all,
			 const struct bufstat_filesystem *answer,
			 const char *path)
{
	bool one_file = answer->about & BUFSTAT_FS_ONE_FILE;
	struct filesystem *filesystem =
		filesystems_add(all, answer->major, answer->minor);
	char kind[sizeof(answer->type) + 2];

	snprintf(kind, sizeof(kind), "[%s]", answer->type);
	if (!filesystem ||
	    filesystem_name(filesystem,
			    one_file ? kind : (const char *)answer->id,
			    (const char *)answer->type) < 0 ||
	    string_list_add(&filesystem->mountpoints, path) < 0)
		return -ENOMEM;
	filesystem->is_unmounted = !one_file;
	set_figures(filesystem, answer);
	return 0;
}

static int take_unmounted(struct filesystems *all,
			  const struct all_mounts *mounts,
			  const struct string_list *paths,
			  const struct asked *asked)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < paths->count; i++) {
		const struct answer *answer = asked_answer(asked, i);

		if (!answer || answer->head.error ||
		    (answer->filesystem.about & BUFSTAT_FS_INTERNAL &&
		     !(answer->filesystem.about & BUFSTAT_FS_ONE_FILE)) ||
		    has_row(mounts, asked, i))
			continue;
		ret = add_unmounted(all, &answer->filesystem,
				    paths->strings[i]);
	}
	return ret;
}

int module_filesystems_ask_unmounted(struct filesystems *all,
				     const struct sysroot *root,
				     struct all_mounts *mounts, int control,
				     struct error *err)
{
	const size_t mounted = all->count;
	struct string_list paths = { 0 };
	struct ask questions = {
		.answer = ask_unmounted,
		.data = &paths,
		.answer_size = sizeof(struct answer),
		.kept = control,
		.name = name_unmounted,
		.patience = root->patience,
	};
	struct asked *asked = NULL;
	int ret = 0;

	if (unmounted_find(root, mounts, &paths) < 0)
		ret = error_errno(err, ENOMEM, "reading", "the descriptors");
	questions.count = paths.count;
	if (!ret && paths.count)
		ret = ask(&questions, &asked, err);
	if (!ret && asked && take_unmounted(all, mounts, &paths, asked) < 0)
		ret = error_errno(err, ENOMEM, "asking", "the filesystems");
	asked_destroy(asked);
	string_list_deinit(&paths);
	return ret < 0 || all->count == mounted ?
		       ret :
		       meminfo_read(&all->meminfo, root, err);
}

int module_filesystems_ask(struct filesystems *all, const struct sysroot *root,
			   const struct all_mounts *mounts, int control,
			   struct error *err)
{
	const struct inquiry inquiry = {
		.root = root,
		.mounts = mounts,
		.answer_size = sizeof(struct answer),
		.put = put,
	};
	struct inquired *inquired = NULL;
	int ret = inquire(&inquiry, control, &inquired, err);

	if (!ret && take_answers(all, mounts, inquired) < 0)
		ret = error_errno(err, ENOMEM, "asking", "the filesystems");
	inquired_destroy(inquired);
	return ret;
}
