// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bufstat/filesystems.h>

#include "ask.h"
#include "cleanup.h"
#include "control.h"
#include "error.h"
#include "fs_target.h"
#include "fs_text.h"
#include "measured_filesystems.h"
#include "string_list.h"
#include "sysroot.h"
#include "unmounted.h"

/* What each asking process is given. */
struct questions {
	const struct all_mounts *mounts;
	int control;
};

struct answer {
	int error;
	uint64_t ino; /* of the descriptor that was asked about */
	struct bufstat_filesystem filesystem;
};

/* More than moves between two readings of a busy host, in pages. */
#define LARGE_REST 256

static void ask_descriptor(int control, int fd, struct answer *answer)
{
	answer->filesystem = (struct bufstat_filesystem){
		.version = BUFSTAT_FILESYSTEMS_VERSION,
		.fd = fd,
	};
	answer->error = ioctl(control, BUFSTAT_IOC_FILESYSTEM,
			      &answer->filesystem) < 0 ?
				errno :
				0;
}

static bool is_of_huge_pages(const struct fs_target *target)
{
	return target->mounted &&
	       strcmp(target->mounted->type, "hugetlbfs") == 0;
}

static void ask_target(const void *data, size_t index, void *to)
{
	const struct questions *questions = data;
	struct answer *answer = to;
	struct fs_target target;
	bool is_over_it;

	fs_target_init(&target, questions->mounts, index);
	while (fs_target_next(&target)) {
		ask_descriptor(questions->control, target.fd, answer);
		/* Of huge pages, mounted over it. */
		is_over_it = answer->error == EOPNOTSUPP &&
			     !is_of_huge_pages(&target);
		if (!is_over_it &&
		    (answer->error ||
		     fs_target_is(&target, answer->filesystem.major,
				  answer->filesystem.minor)))
			break;
		answer->error = ENOENT;
	}
	if (target.fd < 0)
		answer->error = target.error;
	fs_target_deinit(&target);
}

static int set_refused(struct device_sample *sample, const char *why)
{
	sample->refused = strdup(why);
	return sample->refused ? 0 : -ENOMEM;
}

static void set_figures(struct filesystem *filesystem,
			const struct bufstat_filesystem *answer)
{
	struct device_sample *sample = filesystem->sample;

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
	filesystem->keeps_pages = filesystem->is_shmem ||
				  answer->magic == RAMFS_MAGIC;
}

/* What has no pages in Cached by nature is left out. */
static int take_answer(struct filesystems *all, const struct answer *answer,
		       const struct mounted *mounted)
{
	struct filesystem *filesystem = &all->filesystems[all->count];
	struct device_sample *sample;

	if (answer && answer->error == EOPNOTSUPP)
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
		return set_refused(sample, FILESYSTEM_SILENT);
	}
	if (answer->error) {
		all->refused++;
		return set_refused(sample, answer->error == ENOENT ?
						   "not at its mount point" :
						   strerror(answer->error));
	}
	set_figures(filesystem, &answer->filesystem);
	all->attributed_pages += answer->filesystem.pages;
	return 0;
}

/* The snapshot has moved its samples while it grew. */
static void set_samples(struct filesystems *all)
{
	for (size_t i = 0; i < all->count; i++)
		all->filesystems[i].sample = &all->snapshot.devices[i];
}

static int take_answers(struct filesystems *all, const struct asked *asked)
{
	size_t count = all->mounts.count;
	int ret = 0;

	for (size_t i = 0; !ret && i <= count; i++) {
		ret = take_answer(all, asked_answer(asked, i),
				  i < count ? &all->mounts.mounts[i] : NULL);
	}
	set_samples(all);
	return ret;
}

static int by_pages(const void *left, const void *right)
{
	const struct filesystem *a = left, *b = right;
	uint64_t a_pages = a->sample->figures[FIGURE_PAGES];
	uint64_t b_pages = b->sample->figures[FIGURE_PAGES];

	if (a_pages != b_pages)
		return a_pages > b_pages ? -1 : 1;
	/* As they were met. */
	return (a->sample > b->sample) - (a->sample < b->sample);
}

/* The descriptors that lead where no mount does. */
struct descriptors {
	const struct string_list *paths;
	int control;
};

static void ask_unmounted(const void *data, size_t index, void *to)
{
	const struct descriptors *descriptors = data;
	struct answer *answer = to;
	_cleanup_(closep) int fd =
		open(descriptors->paths->strings[index], O_PATH | O_CLOEXEC);
	struct statx status;

	/* What is closed by now, or is none of Cached, is left out. */
	answer->error = EOPNOTSUPP;
	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
			    STATX_INO, &status) < 0)
		return;
	answer->ino = status.stx_ino;
	ask_descriptor(descriptors->control, fd, answer);
}

/* Is it one that has a row: mounted, or found by another descriptor? */
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

		if (other && !other->error &&
		    other->filesystem.major == answer->filesystem.major &&
		    other->filesystem.minor == answer->filesystem.minor &&
		    (!one_file || other->ino == answer->ino))
			return true;
	}
	return false;
}

/* Like a mount, at the descriptor's path, which says who has it. */
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

		if (!answer || answer->error ||
		    (answer->filesystem.about & BUFSTAT_FS_INTERNAL &&
		     !(answer->filesystem.about & BUFSTAT_FS_ONE_FILE)) ||
		    has_row(all, asked, i))
			continue;
		mounted = add_unmounted(&all->unmounted, &answer->filesystem,
					paths->strings[i]);
		ret = mounted ? take_answer(all, answer, mounted) : -ENOMEM;
		if (ret < 0)
			return ret;
		all->filesystems[all->count - 1].is_unmounted =
			!(answer->filesystem.about & BUFSTAT_FS_ONE_FILE);
	}
	return 0;
}

/* Makes room for as many more rows. */
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

/*
 * Looking at every descriptor of every process takes longer than all the rest,
 * so it is done only if there are pages to be found.
 */
static int ask_for_rest(struct filesystems *all, const struct sysroot *root,
			int control, double seconds, struct error *err)
{
	struct string_list paths = { 0 };
	const struct descriptors descriptors = { &paths, control };
	struct asked *asked = NULL;
	int64_t rest;
	int ret = 0;

	if (!filesystems_rest(all, &rest) || rest <= LARGE_REST)
		return 0;
	if (unmounted_find(root, &all->mounts, &paths) < 0)
		ret = error_errno(err, ENOMEM, "reading", "the descriptors");
	if (!ret && paths.count)
		ret = ask(ask_unmounted, &descriptors, paths.count,
			  sizeof(struct answer), seconds, &asked, err);
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

static int ask_all(struct filesystems *all, int control, double seconds,
		   struct error *err)
{
	const struct questions questions = {
		.mounts = &all->mounts,
		.control = control,
	};
	/* One more for the kernel's own tmpfs. */
	size_t count = all->mounts.count + 1;
	struct asked *asked = NULL;
	int ret;

	all->filesystems = calloc(count, sizeof(*all->filesystems));
	if (!all->filesystems)
		return error_errno(err, ENOMEM, "asking", "the filesystems");
	ret = ask(ask_target, &questions, count, sizeof(struct answer), seconds,
		  &asked, err);
	if (!ret && take_answers(all, asked) < 0)
		ret = error_errno(err, ENOMEM, "asking", "the filesystems");
	asked_destroy(asked);
	return ret;
}

static int ask_host(struct filesystems *all, const struct sysroot *root,
		    double seconds, struct error *err)
{
	_cleanup_(closep) int control = control_open(root, err);
	int ret;

	if (control < 0)
		return control;
	if (all_mounts_init(&all->mounts, root) < 0)
		return error_errno(err, ENOMEM, "reading", "the mounts");
	all->snapshot.page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	ret = ask_all(all, control, seconds, err);
	if (!ret)
		ret = meminfo_read(&all->meminfo, root, err);
	return ret < 0 ? ret : ask_for_rest(all, root, control, seconds, err);
}

int filesystems_init(struct filesystems *filesystems,
		     const struct sysroot *root, double seconds,
		     struct error *err)
{
	int ret;

	*filesystems = (struct filesystems){ .snapshot.source = "module" };
	if (sysroot_is_live(root))
		ret = ask_host(filesystems, root, seconds, err);
	else
		ret = fs_text_read(root, filesystems, err);
	if (ret < 0)
		return ret;
	if (filesystems->count)
		qsort(filesystems->filesystems, filesystems->count,
		      sizeof(*filesystems->filesystems), by_pages);
	filesystems->snapshot.lists_all_pages = !filesystems->silent &&
						!filesystems->refused;
	return 0;
}

void filesystems_deinit(struct filesystems *filesystems)
{
	free(filesystems->filesystems);
	snapshot_deinit(&filesystems->snapshot);
	all_mounts_deinit(&filesystems->mounts);
	all_mounts_deinit(&filesystems->unmounted);
	*filesystems = (struct filesystems){ 0 };
}

bool filesystems_rest(const struct filesystems *filesystems, int64_t *pages)
{
	uint64_t cached;

	if (!meminfo_pages(&filesystems->meminfo, MEMINFO_CACHED,
			   filesystems->snapshot.page_size, &cached))
		return false;
	*pages = (int64_t)cached - (int64_t)filesystems->attributed_pages;
	return true;
}

bool filesystems_are_whole(const struct filesystems *filesystems)
{
	return !filesystems->silent && !filesystems->refused &&
	       meminfo_has(&filesystems->meminfo, MEMINFO_CACHED);
}

/* Their metadata has pages and no inode. */
static bool is_mounted(const struct filesystems *filesystems, const char *type)
{
	for (size_t i = 0; i < filesystems->count; i++) {
		const struct mounted *mounted =
			filesystems->filesystems[i].mounted;

		if (mounted && strcmp(mounted->type, type) == 0)
			return true;
	}
	return false;
}

const char *filesystems_rest_note(const struct filesystems *filesystems)
{
	int64_t pages;

	if (!filesystems_are_whole(filesystems) ||
	    !filesystems_rest(filesystems, &pages) || pages <= LARGE_REST)
		return NULL;
	if (is_mounted(filesystems, "gfs2"))
		return "gfs2 metadata is on no list";
	if (is_mounted(filesystems, "nilfs2"))
		return "nilfs2 metadata is on no list";
	return "on no list: aio rings, memory of guests, secret memory";
}
