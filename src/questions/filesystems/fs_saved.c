// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filesystems/fs_saved.h"
#include "filesystems/measured_filesystems.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "measure/saved.h"
#include "measure/source_name.h"
#include "worker/ask.h"

#define MAX_ERRNO 4095 /* as in the kernel */

static void write_row(struct json_out *json,
		      const struct filesystem *filesystem)
{
	const struct mounted *mounted = filesystem->mounted;
	bool measured = !filesystem->sample->refused;

	json_out_object(json, NULL);
	saved_write_sample(json, filesystem->sample, FIGURE_WRITEBACK);
	json_out_string(json, "source", mounted ? mounted->source : NULL);
	json_out_string(json, "fstype", mounted ? mounted->type : NULL);
	json_out_strings(json, "mountpoints",
			 mounted ? &mounted->mountpoints : NULL);
	json_out_unsigned_if(json, "inodes", measured, filesystem->inodes);
	json_out_unsigned_if(json, "longest_hold_ns", measured,
			     filesystem->longest_hold_ns);
	json_out_unsigned_if(json, "uncounted_inodes", measured,
			     filesystem->uncounted);
	json_out_unsigned_if(json, "unevictable_pages",
			     filesystem->has_unevictable,
			     filesystem->unevictable);
	json_out_bool(json, "is_shmem", filesystem->is_shmem);
	json_out_bool(json, "keeps_pages", filesystem->keeps_pages);
	json_out_bool(json, "is_unmounted", filesystem->is_unmounted);
	if (!measured)
		json_out_bool(json, "is_silent", filesystem->sample->is_silent);
	json_out_object_end(json);
}

void fs_saved_write(struct json_out *json,
		    const struct filesystems *filesystems)
{
	if (!filesystems) {
		json_out_null(json, "filesystems");
		return;
	}
	json_out_object(json, "filesystems");
	json_out_string(json, "source", filesystems->snapshot.source);
	saved_write_totals(json, &filesystems->snapshot);
	meminfo_write(json, &filesystems->meminfo);
	json_out_unsigned_if(json, "mounts_errno", filesystems->mounts.failed,
			     (uint64_t)filesystems->mounts.failed);
	json_out_array(json, "rows");
	for (size_t i = 0; i < filesystems->count; i++)
		write_row(json, &filesystems->filesystems[i]);
	json_out_array_end(json);
	json_out_object_end(json);
}

/*
 * A row without a type must be the kernel's own tmpfs, which has neither a
 * source nor mount points.
 */
static int check_own(struct json_value row)
{
	struct json_value mountpoints;
	const char *source;
	size_t count;

	return json_in_string(row, "source", &source) == 0 &&
			       json_in_array(row, "mountpoints", &mountpoints,
					     &count) == 0 ?
		       1 :
		       -EBADMSG;
}

static int read_mounted(struct json_value row, struct filesystems *all,
			struct filesystem *filesystem)
{
	const struct sample *sample = &all->snapshot.devices[all->count - 1];
	struct mounted *mounted = &all->mounts.mounts[all->mounts.count];
	int ret = json_in_copy(row, "fstype", &mounted->type);

	if (ret <= 0)
		return ret < 0 ? ret : check_own(row);
	all->mounts.count++;
	filesystem->mounted = mounted;
	mounted->major = sample->major;
	mounted->minor = sample->minor;
	ret = json_in_copy(row, "source", &mounted->source);
	if (ret > 0)
		ret = json_in_strings(row, "mountpoints",
				      &mounted->mountpoints);
	if (!ret || (ret > 0 && !mounted->mountpoints.count &&
		     !filesystem->is_unmounted && !all->lacks_mounts))
		return -EBADMSG;
	for (size_t i = 0; ret > 0 && i < mounted->mountpoints.count; i++) {
		if (string_list_add(&mounted->roots, "/") < 0)
			ret = -ENOMEM;
	}
	return ret;
}

static int read_counts(struct json_value row, struct filesystem *filesystem,
		       const struct sample *sample)
{
	int ret;

	if (json_in_number(row, "inodes", INT64_MAX, &filesystem->inodes) <=
		    0 ||
	    json_in_number(row, "longest_hold_ns", INT64_MAX,
			   &filesystem->longest_hold_ns) <= 0 ||
	    json_in_number(row, "uncounted_inodes", INT64_MAX,
			   &filesystem->uncounted) <= 0)
		return -EBADMSG;
	ret = json_in_number(row, "unevictable_pages",
			     sample->figures[FIGURE_PAGES],
			     &filesystem->unevictable);
	filesystem->has_unevictable = ret > 0;
	return ret < 0 ? ret : 1;
}

/* Each sum, and the sum of all of them, must fit in an int64_t in bytes. */
static int add_up(uint64_t *sums, const struct sample *sample,
		  uint64_t page_size)
{
	for (int i = FIGURE_PAGES; i <= FIGURE_WRITEBACK; i++) {
		sums[i] += sample->figures[i];
		if (sums[i] > INT64_MAX / 4 / page_size)
			return -EBADMSG;
	}
	return 1;
}

static int read_refused(struct json_value row, struct filesystems *all,
			struct sample *sample)
{
	/* An older file has only the sentence, and does not say which it is. */
	if (json_in_has(row, "is_silent") &&
	    json_in_bool(row, "is_silent", &sample->is_silent) <= 0)
		return -EBADMSG;
	if (sample->is_silent)
		all->silent++;
	else
		all->refused++;
	return 1;
}

static int read_row(struct json_value row, struct filesystems *all,
		    uint64_t *sums)
{
	struct filesystem *filesystem = &all->filesystems[all->count];
	struct sample *sample;
	int ret = saved_read_sample(row, &all->snapshot, FIGURE_WRITEBACK);

	if (ret < 0)
		return ret;
	sample = &all->snapshot.devices[all->count++];
	if (json_in_bool(row, "is_shmem", &filesystem->is_shmem) <= 0 ||
	    json_in_bool(row, "keeps_pages", &filesystem->keeps_pages) <= 0 ||
	    json_in_bool(row, "is_unmounted", &filesystem->is_unmounted) <= 0)
		return -EBADMSG;
	ret = read_mounted(row, all, filesystem);
	if (ret < 0)
		return ret;
	if (sample->refused)
		return read_refused(row, all, sample);
	if (!sample_has(sample, FIGURE_PAGES))
		return -EBADMSG;
	ret = read_counts(row, filesystem, sample);
	return ret < 0 ? ret : add_up(sums, sample, all->snapshot.page_size);
}

static int read_rows(struct json_value object, struct filesystems *all)
{
	uint64_t sums[FIGURE_WRITEBACK + 1] = { 0 };
	struct json_value row;
	size_t count = 0;
	int ret = json_in_array(object, "rows", &row, &count);

	if (ret <= 0)
		return ret < 0 ? ret : -EBADMSG;
	all->filesystems = calloc(count + 1, sizeof(*all->filesystems));
	all->mounts.mounts = calloc(count + 1, sizeof(*all->mounts.mounts));
	if (!all->filesystems || !all->mounts.mounts)
		return -ENOMEM;
	for (size_t i = 0; ret > 0 && i < count; i++) {
		ret = read_row(row, all, sums);
		row = json_in_next(row);
	}
	/*
	 * The samples moved while the snapshot grew, so point to them only now.
	 */
	for (size_t i = 0; i < all->count; i++)
		all->filesystems[i].sample = &all->snapshot.devices[i];
	all->attributed_pages = sums[FIGURE_PAGES];
	return ret;
}

/* Older readings do not name a source; it was the module. */
static int read_source(struct json_value object,
		       struct filesystems *filesystems)
{
	struct snapshot *snapshot = &filesystems->snapshot;
	const char *name;

	if (json_in_string(object, "source", &name) <= 0)
		return 0;
	snapshot->source = source_name_find(name);
	if (!snapshot->source || strcmp(name, "cachestat") == 0)
		return -EBADMSG;
	filesystems->lacks_mounts = strcmp(name, "vmcore") == 0;
	return 0;
}

int fs_saved_read(const struct saved *saved, struct filesystems *filesystems)
{
	struct json_value object;
	uint64_t failed = 0;
	int ret = json_in_object(saved->reading, "filesystems", &object);

	if (ret <= 0)
		return ret;
	ret = read_source(object, filesystems);
	if (!ret)
		ret = saved_read_totals(object, &filesystems->snapshot);
	if (ret > 0 && meminfo_read_saved(object, &filesystems->meminfo) <= 0)
		ret = -EBADMSG;
	if (ret > 0)
		ret = json_in_number(object, "mounts_errno", MAX_ERRNO,
				     &failed);
	if (ret > 0 && !failed)
		ret = -EBADMSG;
	filesystems->mounts.failed = (int)failed;
	if (ret >= 0)
		ret = read_rows(object, filesystems);
	filesystems->snapshot.lists_all_pages = !filesystems->silent &&
						!filesystems->refused;
	return ret;
}

int fs_saved_read_tree(const struct sysroot *root, const char *source,
		       struct filesystems *filesystems, struct error *err)
{
	struct saved saved;
	int ret = saved_open(&saved, root, err);

	if (ret > 0)
		ret = saved_end(&saved, fs_saved_read(&saved, filesystems),
				err);
	if (!ret)
		return lack_doing(err, LACK_ANSWER_IN_TREE, "filesystems",
				  "reading a capture", root->prefix);
	if (ret > 0 && source &&
	    strcmp(source, filesystems->snapshot.source) != 0)
		return saved_other_source(root, filesystems->snapshot.source,
					  err);
	return ret < 0 ? ret : 0;
}
