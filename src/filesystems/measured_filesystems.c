// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bufstat/filesystems.h>

#include "ask.h"
#include "cleanup.h"
#include "control.h"
#include "error.h"
#include "fs_target.h"
#include "fs_text.h"
#include "measured_filesystems.h"
#include "sysroot.h"

/* What each asking process is given. */
struct questions {
	const struct all_mounts *mounts;
	int control;
};

struct answer {
	int error;
	struct bufstat_filesystem filesystem;
};

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
		answer->filesystem = (struct bufstat_filesystem){
			.version = BUFSTAT_FILESYSTEMS_VERSION,
			.fd = target.fd,
		};
		answer->error = ioctl(questions->control,
				      BUFSTAT_IOC_FILESYSTEM,
				      &answer->filesystem) < 0 ?
					errno :
					0;
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
static int take_answers(struct filesystems *all, const struct asked *asked)
{
	size_t count = all->mounts.count;
	int ret = 0;

	for (size_t i = 0; !ret && i <= count; i++) {
		ret = take_answer(all, asked_answer(asked, i),
				  i < count ? &all->mounts.mounts[i] : NULL);
	}
	for (size_t i = 0; i < all->count; i++)
		all->filesystems[i].sample = &all->snapshot.devices[i];
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
	return ret < 0 ? ret : meminfo_read(&all->meminfo, root, err);
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
