// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "filesystems/fs_rows.h"
#include "filesystems/fs_saved.h"
#include "filesystems/selection.h"
#include "lib/error.h"
#include "worker/file_text.h"

int fs_rows_init(struct fs_answer *answer, bool all)
{
	const struct filesystems *filesystems = answer->filesystems;
	struct rows *rows = &answer->head.rows;
	int ret = rows_init(rows, filesystems->count, sizeof(struct fs_row),
			    false);

	for (size_t i = 0; !ret && i < filesystems->count; i++) {
		const struct filesystem *filesystem =
			&filesystems->filesystems[i];
		const struct sample *sample = &filesystem->sample;
		struct fs_row *row;

		if (!all && !sample->refused && !sample->had_pages &&
		    !sample->figures[FIGURE_PAGES])
			continue;
		row = rows_add(rows);
		*row = (struct fs_row){ filesystems, filesystem, "" };
		snprintf(row->number, sizeof(row->number), "%u:%u",
			 sample->major, sample->minor);
	}
	if (ret < 0)
		return ret;
	*(struct fs_row *)rows_at(rows, rows->count) =
		(struct fs_row){ .all = filesystems };
	rows->has_rest = true;
	return 0;
}

static bool fs_row_is_wanted(void *selection, const void *data)
{
	const struct fs_row *row = data;
	const struct filesystem *filesystem = row->filesystem;
	const struct called called = {
		.major = filesystem->sample.major,
		.minor = filesystem->sample.minor,
		.source = fs_row_source(row),
		.mountpoints = &filesystem->mountpoints,
	};

	return selection_has(selection, &called);
}

static int fs_answer_take(void *data, const struct asking *asking,
			  struct error *err)
{
	struct fs_answer *answer = data;
	struct filesystems *filesystems = &answer->taken;
	struct selection *selection = asking->selection;
	bool is_chosen = selection && selection->count;
	int ret = asking->vmcore ?
			  filesystems_init_dump(filesystems, asking->root,
						asking->vmcore, err) :
			  filesystems_init(filesystems, asking->root,
					   asking->source, err);

	if (ret < 0)
		return ret;
	if (asking->history)
		history_compare(asking->history,
				filesystems_samples(filesystems));
	answer->filesystems = filesystems;
	answer->head.source = filesystems->source;
	answer->head.kernel = filesystems->kernel;
	answer->head.is_whole = !filesystems_lack(filesystems);
	if (asking->purpose != ASKED_TO_SHOW)
		return 0;
	if (fs_rows_init(answer, asking->all || is_chosen) < 0)
		return error_errno(err, ENOMEM, "measuring", "the filesystems");
	if (is_chosen)
		rows_select(&answer->head.rows, fs_row_is_wanted, selection);
	return 0;
}

static void fs_answer_release(void *data)
{
	struct fs_answer *answer = data;

	filesystems_deinit(&answer->taken);
}

static void fs_answer_save(struct json_out *json, const void *data)
{
	const struct fs_answer *answer = data;

	fs_saved_write(json, answer ? answer->filesystems : NULL);
}

static struct samples fs_answer_samples(void *data)
{
	struct fs_answer *answer = data;

	return filesystems_samples(&answer->taken);
}

/* Those that could not be measured are not in the sum. */
static void add_filesystem(struct filesystem *sum,
			   const struct filesystem *filesystem)
{
	const uint64_t *figures = filesystem->sample.figures;

	if (filesystem->sample.refused)
		return;
	sample_add(&sum->sample, &filesystem->sample);
	sum->inodes += filesystem->inodes;
	if (filesystem->longest_hold_ns > sum->longest_hold_ns)
		sum->longest_hold_ns = filesystem->longest_hold_ns;
	sum->uncounted += filesystem->uncounted;
	sum->has_unevictable &= filesystem->has_unevictable ||
				filesystem->keeps_pages;
	/* None of these pages is reclaimable; get_reclaimable() subtracts. */
	if (filesystem->keeps_pages)
		sum->unevictable += figures[FIGURE_PAGES] -
				    figures[FIGURE_DIRTY] -
				    figures[FIGURE_WRITEBACK];
	else
		sum->unevictable += filesystem->unevictable;
}

static int fs_rows_add_up(struct rows *rows, size_t first, void *made)
{
	const struct fs_row *one = rows_at(rows, first);
	struct filesystem *sum = calloc(1, sizeof(*sum));

	if (!sum)
		return -ENOMEM;
	rows->sum = sum;
	sum->source = rows->others_name;
	sum->has_unevictable = true;
	sample_sum_begin(&sum->sample);
	for (size_t i = first; i < rows->count; i++)
		add_filesystem(sum,
			       ((struct fs_row *)rows_at(rows, i))->filesystem);
	*(struct fs_row *)made =
		(struct fs_row){ .all = one->all, .filesystem = sum };
	return 0;
}

static bool fs_row_is_rest(const void *row)
{
	return !((const struct fs_row *)row)->filesystem;
}

static bool fs_row_is_unchanged(const void *row)
{
	return sample_is_unchanged(
		&((const struct fs_row *)row)->filesystem->sample);
}

void filesystems_missing(const struct filesystems *filesystems,
			 error_tell_fn *tell, void *data)
{
	struct error err;

	for (size_t i = 0; i < filesystems->count; i++) {
		const struct filesystem *filesystem =
			&filesystems->filesystems[i];

		if (!filesystem->sample.refused)
			continue;
		error_doing(&err, ERROR_PARTIAL, "measuring",
			    filesystem_place(filesystem), "%s",
			    filesystem->sample.refused);
		tell(data, &err);
	}
	if (filesystems->unsettled) {
		error_advise(&err, ERROR_PARTIAL, "measuring", "unsettled",
			     "try again",
			     "Cached changed during each measurement");
		tell(data, &err);
	}
	if (filesystems->exceeds) {
		error_doing(&err, ERROR_PARTIAL, "adding up", NULL, "%s",
			    filesystems_rest_note(filesystems));
		tell(data, &err);
	}
	if (filesystems->mounts_failed) {
		error_doing(&err, ERROR_PARTIAL, "looking for mounts", "/proc",
			    "%s (there may be more filesystems)",
			    file_text_why(-filesystems->mounts_failed));
		tell(data, &err);
	}
	if (!meminfo_has(&filesystems->meminfo, MEMINFO_CACHED)) {
		error_doing(
			&err, ERROR_PARTIAL, "reading Cached",
			filesystems->lacks_mounts ? "the kernel in the dump" :
						    "/proc/meminfo",
			"no such field, so the unattributed part is not known");
		tell(data, &err);
	}
}

static void fs_answer_missing(const void *data, error_tell_fn *tell, void *told)
{
	const struct fs_answer *answer = data;

	filesystems_missing(answer->filesystems, tell, told);
}

/*
 * A mount point tells apart what has the same number: the kernel's own tmpfs
 * and what is mounted from it.
 */
static const char *fs_key(const struct table_rows *rows, size_t i, char *text,
			  size_t size)
{
	const struct fs_row *row = table_row(rows, i);

	if (!row->filesystem)
		return "rest";
	snprintf(text, size, "%s%s", row->number,
		 row->filesystem->source ? "" : " own");
	return text;
}

static const struct row_kind fs_row_kind = {
	.is_rest = fs_row_is_rest,
	.is_unchanged = fs_row_is_unchanged,
	.add_up = fs_rows_add_up,
};

const struct question fs_question = {
	.name = "filesystems",
	.command = &command_filesystems,
	.things = "the filesystems",
	.columns = &fs_columns,
	.recorded = RECORDED_FILESYSTEMS,
	.size = sizeof(struct fs_answer),
	.row = &fs_row_kind,
	.take = fs_answer_take,
	.release = fs_answer_release,
	.missing = fs_answer_missing,
	.samples = fs_answer_samples,
	.save = fs_answer_save,
	.is_always_saved = true,
	.figure = "cached_bytes",
	.walks = WALKS_INODES,
	.key = fs_key,
	.drop_column = "mountpoints",
};
