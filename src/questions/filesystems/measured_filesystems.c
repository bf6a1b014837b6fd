// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "filesystems/all_mounts.h"
#include "filesystems/fs_saved.h"
#include "filesystems/inquiry.h"
#include "filesystems/kernel_filesystems.h"
#include "filesystems/measured_filesystems.h"
#include "filesystems/module_filesystems.h"
#include "kernel/kernel.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lesser.h"
#include "lib/sysroot.h"
#include "measure/source_name.h"
#include "measure/vmcore.h"
#include "measure/ways.h"
#include "measure/zoneinfo.h"
#include "worker/patience.h"

/* Pages; on a busy host, two readings differ by less. */
#define LARGE_REST 256

/*
 * How often Cached is read again before a large rest is believed, and the pause
 * before each reading.
 */
#define GLANCES 10
#define GLANCE_NS 2000000
#define ATTEMPTS 3
/* No further attempt begins after this long. */
#define ATTEMPTS_MS 1000

static int by_pages(const void *left, const void *right)
{
	const struct filesystem *a = left, *b = right;
	uint64_t a_pages = a->sample.figures[FIGURE_PAGES];
	uint64_t b_pages = b->sample.figures[FIGURE_PAGES];

	if (a_pages != b_pages)
		return a_pages > b_pages ? -1 : 1;
	return (a->found > b->found) - (a->found < b->found);
}

struct filesystem *filesystems_add(struct filesystems *filesystems,
				   unsigned int major, unsigned int minor)
{
	struct filesystem *filesystem;

	if (array_make_room(&filesystems->filesystems, filesystems->count,
			    &filesystems->capacity) < 0)
		return NULL;
	filesystem = &filesystems->filesystems[filesystems->count++];
	*filesystem = (struct filesystem){
		.sample = { .major = major, .minor = minor },
	};
	return filesystem;
}

int filesystem_name(struct filesystem *filesystem, const char *source,
		    const char *type)
{
	filesystem->source = strdup(source);
	filesystem->type = strdup(type);
	return filesystem->source && filesystem->type ? 0 : -ENOMEM;
}

struct filesystem *filesystems_add_mounted(struct filesystems *filesystems,
					   const struct mounted *mounted)
{
	const struct string_list *places = &mounted->mountpoints;
	struct filesystem *filesystem =
		filesystems_add(filesystems, mounted->major, mounted->minor);
	int ret = filesystem ? filesystem_name(filesystem, mounted->source,
					       mounted->type) :
			       -ENOMEM;

	for (size_t i = 0; !ret && i < places->count; i++)
		ret = string_list_add(&filesystem->mountpoints,
				      places->strings[i]);
	return ret ? NULL : filesystem;
}

int filesystem_refuse(struct filesystem *filesystem, const char *why,
		      bool is_silent)
{
	filesystem->sample.is_silent = is_silent;
	filesystem->sample.refused = strdup(why);
	return filesystem->sample.refused ? 0 : -ENOMEM;
}

/* Each sum, and the sum of all of them, must fit in an int64_t in bytes. */
int filesystems_check(struct filesystems *filesystems)
{
	const uint64_t most = INT64_MAX / 4 / filesystems->page_size;
	uint64_t sums[FIGURE_WRITEBACK + 1] = { 0 };

	filesystems->silent = filesystems->refused = 0;
	for (size_t i = 0; i < filesystems->count; i++) {
		struct filesystem *filesystem = &filesystems->filesystems[i];
		const struct sample *sample = &filesystem->sample;

		filesystem->found = i;
		filesystems->silent += sample->is_silent;
		filesystems->refused += sample->refused && !sample->is_silent;
		for (int j = FIGURE_PAGES; j <= FIGURE_WRITEBACK; j++) {
			if (sample->figures[j] > most - sums[j])
				return -EBADMSG;
			sums[j] += sample->figures[j];
		}
	}
	if (filesystems->count)
		qsort(filesystems->filesystems, filesystems->count,
		      sizeof(*filesystems->filesystems), by_pages);
	filesystems->attributed_pages = sums[FIGURE_PAGES];
	filesystems->lists_all_pages = !filesystems->silent &&
				       !filesystems->refused;
	filesystems->lacks_mounts = strcmp(filesystems->source, "vmcore") == 0;
	return 0;
}

/* Whether Cached is not what it was before the filesystems were asked. */
static bool has_moved(const struct filesystems *all,
		      const struct meminfo *before)
{
	uint64_t page_size = all->page_size, first, last;

	return meminfo_pages(before, MEMINFO_CACHED, page_size, &first) &&
	       meminfo_pages(&all->meminfo, MEMINFO_CACHED, page_size, &last) &&
	       !settled_is_near(last, first);
}

static int check(struct filesystems *all, struct error *err)
{
	int ret = filesystems_check(all);

	return ret < 0 ?
		       error_errno(err, -ret, "adding up", "the filesystems") :
		       0;
}

static int ask_host(struct filesystems *all, const struct sysroot *root,
		    struct error *err)
{
	_cleanup_(all_mounts_deinit) struct all_mounts mounts = { 0 };
	_cleanup_(closep) int control = control_open(root, err);
	struct meminfo before;
	int64_t rest;
	int ret;

	if (control < 0)
		return control;
	if (all_mounts_init(&mounts, root) < 0)
		return error_errno(err, ENOMEM, "reading", "the mounts");
	all->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	ret = meminfo_read(&before, root, err);
	if (!ret)
		ret = module_filesystems_ask(all, root, &mounts, control, err);
	if (!ret)
		ret = meminfo_read(&all->meminfo, root, err);
	if (!ret)
		ret = check(all, err);
	/*
	 * Looking at every descriptor of every process takes longer than
	 * everything else, so it is done only for many unattributed pages.
	 */
	if (!ret && filesystems_rest(all, &rest) && rest > LARGE_REST)
		ret = module_filesystems_ask_unmounted(all, root, &mounts,
						       control, err);
	if (!ret)
		ret = check(all, err);
	all->mounts_failed = mounts.failed;
	all->unsettled = !ret && has_moved(all, &before);
	return ret;
}

/* Like ask_host(), from the kernel's memory, which has unmounted ones too. */
static int read_host(struct filesystems *all, const struct sysroot *root,
		     struct kernel *kernel, struct error *err)
{
	_cleanup_(all_mounts_deinit) struct all_mounts mounts = { 0 };
	struct meminfo before;
	int ret;

	if (all_mounts_init(&mounts, root) < 0)
		return error_errno(err, ENOMEM, "reading", "the mounts");
	all->page_size = kernel->page_size;
	all->mounts_failed = mounts.failed;
	ret = meminfo_read(&before, root, err);
	if (!ret)
		ret = kernel_filesystems_measure(all, &mounts, kernel, err);
	if (!ret)
		ret = meminfo_read(&all->meminfo, root, err);
	if (!ret)
		ret = check(all, err);
	all->unsettled = !ret && has_moved(all, &before);
	return ret;
}

/* The result of one attempt, to compare the next one with. */
struct found {
	uint64_t attributed;
	uint64_t cached;
	bool settled;
};

static struct found what_was_found(const struct filesystems *all)
{
	struct found found = { .attributed = all->attributed_pages };

	found.settled = meminfo_pages(&all->meminfo, MEMINFO_CACHED,
				      all->page_size, &found.cached) &&
			!all->unsettled;
	return found;
}

static bool are_near(const struct found *now, const struct found *last)
{
	return settled_is_near(now->cached, last->cached) &&
	       settled_is_near(now->attributed, last->attributed);
}

/*
 * A file that comes and goes may be absent whenever its filesystem is asked and
 * present whenever Cached is read. So read Cached several times.
 */
static bool keeps_still(const struct filesystems *all,
			const struct sysroot *root)
{
	const struct timespec pause = { .tv_nsec = GLANCE_NS };
	uint64_t page_size = all->page_size, first, now;
	struct meminfo meminfo;

	meminfo_pages(&all->meminfo, MEMINFO_CACHED, page_size, &first);
	for (int i = 0; i < GLANCES; i++) {
		nanosleep(&pause, NULL);
		if (meminfo_read(&meminfo, root, NULL) < 0 ||
		    !meminfo_pages(&meminfo, MEMINFO_CACHED, page_size, &now) ||
		    !settled_is_near(now, first))
			return false;
	}
	return true;
}

/*
 * Whether the rest can be believed. A large rest may be pages that were added
 * after their filesystem was asked, or, if it is negative, were freed, unless
 * two attempts in a row find the same. If a filesystem could not be measured,
 * its pages explain the rest.
 */
static bool is_proven(const struct filesystems *all, const struct found *last,
		      const struct sysroot *root)
{
	struct found now = what_was_found(all);
	int64_t rest;

	if (all->unsettled)
		return false;
	if (!filesystems_rest(all, &rest) ||
	    settled_is_near(all->attributed_pages, now.cached) ||
	    (all->refused && rest > 0))
		return true;
	return last->settled && are_near(&now, last) && keeps_still(all, root);
}

/*
 * Measures again until the result is proven. If nothing moves and the rest is
 * small, once is enough.
 */
static int ask_until_settled(struct filesystems *all,
			     const struct sysroot *root, struct kernel *kernel,
			     struct error *err)
{
	const char *source = all->source;
	struct found now, last = { .settled = false };
	int64_t rest;

	for (int i = 1;; i++) {
		int ret = kernel ? read_host(all, root, kernel, err) :
				   ask_host(all, root, err);

		if (ret < 0 || all->silent || is_proven(all, &last, root))
			return ret;
		if (i == ATTEMPTS ||
		    patience_has_taken(root->patience, ATTEMPTS_MS))
			break;
		last = what_was_found(all);
		filesystems_deinit(all);
		all->source = source;
	}
	/* What they have too many may stay, and then nothing moves. */
	now = what_was_found(all);
	all->unsettled = !filesystems_rest(all, &rest) || rest > 0 ||
			 !are_near(&now, &last);
	return 0;
}

/* Asks the module, or reads the kernel's memory. */
static int take(void *answer, size_t which, const struct sysroot *root,
		struct error *err)
{
	struct filesystems *filesystems = answer;
	struct kernel kernel;
	int ret;

	filesystems_deinit(filesystems);
	filesystems->source = source_names[which];
	if (which == 0)
		return ask_until_settled(filesystems, root, NULL, err);
	ret = kernel_open(&kernel, root, NULL, err);
	if (!ret)
		ret = ask_until_settled(filesystems, root, &kernel, err);
	return kernel_close(&kernel, ret, err);
}

static const struct ways ways = { source_of_files_name, take };

/* The kernel's memory has what a mount point that does not answer hides. */
static void read_what_is_missing(struct filesystems *filesystems,
				 const struct sysroot *root)
{
	struct filesystems other = { 0 }, less;

	if (!filesystems->silent && !filesystems->refused)
		return;
	if (ways_take(&ways, "kcore", &other, root, NULL, NULL) == 0 &&
	    !filesystems_lack(&other)) {
		less = *filesystems;
		*filesystems = other;
		other = less;
	}
	filesystems_deinit(&other);
}

/*
 * Whether the filesystems have more than Cached, and than what processors may
 * not have added to it yet. @root is NULL for a dump, where these are added.
 */
static bool are_too_many(const struct filesystems *filesystems,
			 const struct sysroot *root)
{
	struct zoneinfo zones = { 0 };
	int64_t rest;

	if (filesystems->unsettled || !filesystems_rest(filesystems, &rest))
		return false;
	rest += settled_allowance(filesystems->attributed_pages);
	if (rest < 0 && root && zoneinfo_read(&zones, root, NULL) == 0) {
		for (size_t i = 0; i < zones.count; i++)
			rest += greater(zones.zones[i].lag_pages, 0);
	}
	zoneinfo_deinit(&zones);
	return rest < 0;
}

int filesystems_init(struct filesystems *filesystems,
		     const struct sysroot *root, const char *source,
		     struct error *err)
{
	int ret;

	*filesystems = (struct filesystems){ 0 };
	ret = sysroot_is_live(root) ?
		      ways_take(&ways, source, filesystems, root, NULL, err) :
		      fs_saved_read_tree(root, source, filesystems, err);
	if (!ret && !source && sysroot_is_live(root))
		read_what_is_missing(filesystems, root);
	filesystems->exceeds = !ret && are_too_many(filesystems, root);
	return ret;
}

int filesystems_init_kernel(struct filesystems *filesystems,
			    struct kernel *kernel, struct error *err)
{
	const struct all_mounts none = { 0 };
	int ret;

	*filesystems = (struct filesystems){
		.source = "vmcore",
		.page_size = kernel->page_size,
	};
	ret = vmcore_release(kernel, &filesystems->kernel);
	if (ret < 0)
		return error_errno(err, ENOMEM, NULL, NULL);
	ret = kernel_filesystems_measure(filesystems, &none, kernel, err);
	if (!ret)
		ret = check(filesystems, err);
	if (ret < 0)
		return ret;
	vmcore_meminfo(kernel, &filesystems->meminfo);
	filesystems->exceeds = are_too_many(filesystems, NULL);
	return 0;
}

int filesystems_init_dump(struct filesystems *filesystems,
			  const struct sysroot *root, const char *path,
			  struct error *err)
{
	struct kernel kernel;
	int ret = kernel_open(&kernel, root, path, err);

	*filesystems = (struct filesystems){ .source = "vmcore" };
	if (!ret)
		ret = filesystems_init_kernel(filesystems, &kernel, err);
	return kernel_close(&kernel, ret, err);
}

void filesystems_deinit(struct filesystems *filesystems)
{
	for (size_t i = 0; i < filesystems->count; i++) {
		struct filesystem *filesystem = &filesystems->filesystems[i];

		free(filesystem->sample.refused);
		free(filesystem->source);
		free(filesystem->type);
		string_list_deinit(&filesystem->mountpoints);
	}
	free(filesystems->filesystems);
	free(filesystems->kernel);
	*filesystems = (struct filesystems){ 0 };
}

const char *filesystem_place(const struct filesystem *filesystem)
{
	if (filesystem->mountpoints.count)
		return filesystem->mountpoints.strings[0];
	return filesystem->source ?: "shared memory";
}

bool filesystems_rest(const struct filesystems *filesystems, int64_t *pages)
{
	uint64_t cached;

	if (!meminfo_pages(&filesystems->meminfo, MEMINFO_CACHED,
			   filesystems->page_size, &cached))
		return false;
	*pages = (int64_t)cached - (int64_t)filesystems->attributed_pages;
	return true;
}

struct samples filesystems_samples(struct filesystems *filesystems)
{
	int64_t rest;

	filesystems->rest = (struct sample){ 0 };
	if (filesystems_rest(filesystems, &rest))
		sample_set(&filesystems->rest, FIGURE_PAGES, (uint64_t)rest);
	return (struct samples){
		.first = filesystems->filesystems,
		.count = filesystems->count,
		.size = sizeof(*filesystems->filesystems),
		.rest = &filesystems->rest,
		.page_size = filesystems->page_size,
		.lists_all_pages = filesystems->lists_all_pages,
		.unsettled = filesystems->unsettled,
	};
}

enum lack filesystems_lack(const struct filesystems *filesystems)
{
	if (filesystems->silent)
		return LACK_WORKER;
	if (filesystems->refused)
		return LACK_SOME;
	if (filesystems->unsettled)
		return LACK_REST;
	if (filesystems->mounts_failed)
		return LACK_MOUNTS;
	if (filesystems->exceeds)
		return LACK_SUM;
	return meminfo_has(&filesystems->meminfo, MEMINFO_CACHED) ?
		       LACKS_NOTHING :
		       LACK_CACHED;
}

/*
 * Used for gfs2 and nilfs2, which have metadata in mappings that no list of
 * inodes leads to.
 */
static bool is_mounted(const struct filesystems *filesystems, const char *type)
{
	for (size_t i = 0; i < filesystems->count; i++) {
		const char *its = filesystems->filesystems[i].type;

		if (its && strcmp(its, type) == 0)
			return true;
	}
	return false;
}

const char *filesystems_rest_note(const struct filesystems *filesystems)
{
	int64_t pages;

	if (filesystems->exceeds)
		return "the filesystems have more than Cached says";
	if (filesystems_lack(filesystems) ||
	    !filesystems_rest(filesystems, &pages) || pages <= LARGE_REST)
		return NULL;
	if (is_mounted(filesystems, "gfs2"))
		return "gfs2 metadata is on no list";
	if (is_mounted(filesystems, "nilfs2"))
		return "nilfs2 metadata is on no list";
	return "on no list: aio rings, memory of guests, secret memory";
}
