// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <bufstat/filesystems.h>

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

static int set_refused(struct sample *sample, const char *why)
{
	sample->refused = strdup(why);
	return sample->refused ? 0 : -ENOMEM;
}

static void set_figures(struct filesystem *filesystem,
			const struct bufstat_filesystem *answer)
{
	struct sample *sample = filesystem->sample;

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
	struct filesystem *filesystem = &all->filesystems[all->count];
	struct sample *sample;

	if (answer && answer->head.error == EOPNOTSUPP)
		return 0;
	sample = snapshot_add(&all->snapshot,
			      mounted ? mounted->major :
			      answer  ? answer->filesystem.major :
					0,
			      mounted ? mounted->minor :
			      answer  ? answer->filesystem.minor :
					0);
	if (!sample)
		return -ENOMEM;
	*filesystem = (struct filesystem){
		.sample = sample,
		.mounted = mounted,
	};
	all->count++;
	if (!answer) {
		all->silent++;
		sample->is_silent = true;
		return set_refused(sample, why);
	}
	if (answer->head.error) {
		all->refused++;
		return set_refused(sample,
				   answer->head.error == ENOENT ?
					   "not at its mount point" :
					   strerror(answer->head.error));
	}
	set_figures(filesystem, &answer->filesystem);
	all->attributed_pages += answer->filesystem.pages;
	return 0;
}

/* The samples moved while the snapshot grew, so point to them only now. */
static void set_samples(struct filesystems *all)
{
	for (size_t i = 0; i < all->count; i++)
		all->filesystems[i].sample = &all->snapshot.devices[i];
}

static int take_answers(struct filesystems *all,
			const struct inquired *inquired)
{
	size_t count = all->mounts.count;
	char why[ASK_WHY];
	int ret = 0;

	for (size_t i = 0; !ret && i <= count; i++) {
		const struct answer *answer = inquired_answer(inquired, i, why);

		ret = take_answer(all, answer, why,
				  i < count ? &all->mounts.mounts[i] : NULL);
	}
	set_samples(all);
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
static bool has_row(const struct filesystems *all, const struct asked *asked,
		    size_t index)
{
	const struct answer *answer = asked_answer(asked, index);
	bool one_file = answer->filesystem.about & BUFSTAT_FS_ONE_FILE;

	for (size_t i = 0; i < all->mounts.count && !one_file; i++) {
		if (all->mounts.mounts[i].major == answer->filesystem.major &&
		    all->mounts.mounts[i].minor == answer->filesystem.minor)
			return true;
	}
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
static struct mounted *add_unmounted(struct all_mounts *unmounted,
				     const struct bufstat_filesystem *answer,
				     const char *path)
{
	struct mounted *mounted = &unmounted->mounts[unmounted->count++];
	int ret;

	*mounted = (struct mounted){
		.major = answer->major,
		.minor = answer->minor,
		.type = strdup((const char *)answer->type),
	};
	if (answer->about & BUFSTAT_FS_ONE_FILE)
		ret = asprintf(&mounted->source, "[%s]", answer->type);
	else
		ret = asprintf(&mounted->source, "%s", answer->id);
	if (ret < 0)
		mounted->source = NULL;
	if (!mounted->type || !mounted->source ||
	    string_list_add(&mounted->mountpoints, path) < 0 ||
	    string_list_add(&mounted->roots, "/") < 0)
		return NULL;
	return mounted;
}

static int take_unmounted(struct filesystems *all,
			  const struct string_list *paths,
			  const struct asked *asked)
{
	for (size_t i = 0; i < paths->count; i++) {
		const struct answer *answer = asked_answer(asked, i);
		const struct mounted *mounted;
		int ret;

		if (!answer || answer->head.error ||
		    (answer->filesystem.about & BUFSTAT_FS_INTERNAL &&
		     !(answer->filesystem.about & BUFSTAT_FS_ONE_FILE)) ||
		    has_row(all, asked, i))
			continue;
		mounted = add_unmounted(&all->unmounted, &answer->filesystem,
					paths->strings[i]);
		ret = mounted ? take_answer(all, answer, NULL, mounted) :
				-ENOMEM;
		if (ret < 0)
			return ret;
		all->filesystems[all->count - 1].is_unmounted =
			!(answer->filesystem.about & BUFSTAT_FS_ONE_FILE);
	}
	return 0;
}

/* Makes room for @count more rows. */
static int make_room(struct filesystems *all, size_t count)
{
	void *moved = reallocarray(all->filesystems, all->count + count,
				   sizeof(*all->filesystems));

	if (!moved)
		return -ENOMEM;
	all->filesystems = moved;
	all->unmounted.mounts = calloc(count, sizeof(*all->unmounted.mounts));
	return all->unmounted.mounts ? 0 : -ENOMEM;
}

int module_filesystems_ask_unmounted(struct filesystems *all,
				     const struct sysroot *root, int control,
				     struct error *err)
{
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

	if (unmounted_find(root, &all->mounts, &paths) < 0)
		ret = error_errno(err, ENOMEM, "reading", "the descriptors");
	questions.count = paths.count;
	if (!ret && paths.count)
		ret = ask(&questions, &asked, err);
	if (!ret && asked &&
	    (make_room(all, paths.count) < 0 ||
	     take_unmounted(all, &paths, asked) < 0))
		ret = error_errno(err, ENOMEM, "asking", "the filesystems");
	set_samples(all);
	asked_destroy(asked);
	string_list_deinit(&paths);
	return ret < 0 || !all->unmounted.count ?
		       ret :
		       meminfo_read(&all->meminfo, root, err);
}

int module_filesystems_ask(struct filesystems *all, const struct sysroot *root,
			   int control, struct error *err)
{
	const struct inquiry inquiry = {
		.root = root,
		.mounts = &all->mounts,
		.answer_size = sizeof(struct answer),
		.put = put,
	};
	struct inquired *inquired = NULL;
	int ret;

	all->filesystems =
		calloc(inquiry_count(&inquiry), sizeof(*all->filesystems));
	if (!all->filesystems)
		return error_errno(err, ENOMEM, "asking", "the filesystems");
	ret = inquire(&inquiry, control, &inquired, err);
	if (!ret && take_answers(all, inquired) < 0)
		ret = error_errno(err, ENOMEM, "asking", "the filesystems");
	inquired_destroy(inquired);
	return ret;
}
