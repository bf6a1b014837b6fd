// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "filesystems/fs_saved.h"
#include "filesystems/measured_filesystems.h"
#include "lib/error.h"
#include "fields/fields.h"
#include "lib/json_out.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "measure/saved.h"
#include "measure/source_name.h"

static const struct field row_list[] = {
	{ FIELD_DEVICE(struct filesystem, sample.major, "maj:min") },
	{ FIELD_COUNTS_OR_NULL(struct filesystem, sample.figures,
			       sample.present, saved_figures,
			       FIGURE_WRITEBACK + 1, INT64_MAX) },
	{ FIELD_STRING(struct filesystem, sample.refused, "refused",
		       SAYS_MESSAGE),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRING(struct filesystem, source, "source", SAYS_SOURCE),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRING(struct filesystem, type, "fstype", SAYS_WORD),
	  FIELD_WITH(struct filesystem, source) },
	{ FIELD_STRINGS(struct filesystem, mountpoints, "mountpoints",
			SAYS_PLACE),
	  FIELD_WITH(struct filesystem, source) },
	{ FIELD(struct filesystem, inodes, "inodes", INT64_MAX),
	  FIELD_WITHOUT(struct filesystem, sample.refused) },
	{ FIELD(struct filesystem, longest_hold_ns, "longest_hold_ns",
		INT64_MAX),
	  FIELD_WITHOUT(struct filesystem, sample.refused) },
	{ FIELD(struct filesystem, uncounted, "uncounted_inodes", INT64_MAX),
	  FIELD_WITHOUT(struct filesystem, sample.refused) },
	{ FIELD(struct filesystem, unevictable, "unevictable_pages", INT64_MAX),
	  FIELD_KNOWN(struct filesystem, has_unevictable) },
	{ FIELD(struct filesystem, is_shmem, "is_shmem", 0) },
	{ FIELD(struct filesystem, keeps_pages, "keeps_pages", 0) },
	{ FIELD(struct filesystem, is_unmounted, "is_unmounted", 0) },
	/* An older file has only the sentence, and does not say which it is. */
	{ FIELD(struct filesystem, sample.is_silent, "is_silent", 0),
	  FIELD_WITH(struct filesystem, sample.refused), .may_lack = true,
	  .is_left_out = true },
};

static const struct fields row_fields = FIELDS(struct filesystem, row_list);

static const struct field list[] = {
	/* Older readings do not name a source; it was the module. */
	{ FIELD_STATIC(struct filesystems, source, "source", source_names,
		       SOURCES_OF_FILESYSTEMS),
	  .may_lack = true },
	{ FIELD(struct filesystems, page_size, "page_size_bytes",
		PAGE_SIZE_MOST) },
	{ FIELD_NOT(struct filesystems, unsettled, "settled") },
	{ FIELD_OBJECT(struct filesystems, meminfo, "meminfo_kib",
		       &meminfo_fields) },
	{ FIELD(struct filesystems, mounts_failed, "mounts_errno", MAX_ERRNO),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_LIST(struct filesystems, filesystems, count, "rows",
		     &row_fields, SIZE_MAX) },
};

const struct fields filesystems_fields = FIELDS(struct filesystems, list);

void fs_saved_write(struct json_out *json,
		    const struct filesystems *filesystems)
{
	if (!filesystems) {
		json_out_null(json, "filesystems");
		return;
	}
	json_out_object(json, "filesystems");
	fields_write(json, &filesystems_fields, filesystems);
	json_out_object_end(json);
}

static bool is_sound(const struct filesystems *all,
		     const struct filesystem *filesystem)
{
	const struct sample *sample = &filesystem->sample;

	return saved_sample_is_sound(sample, all->page_size) &&
	       (sample->refused || sample_has(sample, FIGURE_PAGES)) &&
	       filesystem->unevictable <= sample->figures[FIGURE_PAGES] &&
	       (!filesystem->source || filesystem->mountpoints.count ||
		filesystem->is_unmounted || all->lacks_mounts);
}

static int check(struct filesystems *all)
{
	if (!page_size_is_sound(all->page_size) || filesystems_check(all) < 0)
		return -EBADMSG;
	for (size_t i = 0; i < all->count; i++) {
		if (!is_sound(all, &all->filesystems[i]))
			return -EBADMSG;
	}
	return 1;
}

int fs_saved_read(const struct saved *saved, struct filesystems *filesystems)
{
	struct json_value object;
	int ret = json_in_object(saved->reading, "filesystems", &object);

	if (ret <= 0)
		return ret;
	filesystems->source = source_names[0];
	return fields_read(object, &filesystems_fields, filesystems) ?:
		       check(filesystems);
}

int fs_saved_read_tree(const struct sysroot *root, const char *source,
		       struct filesystems *filesystems, struct error *err)
{
	struct saved saved;
	int ret = saved_open_part(&saved, root, SAVED_FILESYSTEMS, err);

	if (ret > 0)
		ret = saved_end(&saved, fs_saved_read(&saved, filesystems),
				err);
	if (!ret)
		return lack_doing(err, LACK_ANSWER_IN_TREE, "filesystems",
				  "reading a capture", root->prefix);
	if (ret > 0 && source && strcmp(source, filesystems->source) != 0)
		return saved_other_source(root, filesystems->source, err);
	return ret < 0 ? ret : 0;
}
