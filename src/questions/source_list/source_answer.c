// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "devices/devices.h"
#include "blocks/libext2fs.h"
#include "calls/ftrace.h"
#include "filesystems/measured_files.h"
#include "filesystems/measured_filesystems.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "measure/source.h"
#include "source_list/source_answer.h"
#include "source_list/source_limits.h"
#include "source_list/source_rows.h"
#include "trace/trace.h"
#include "worker/ask.h"
#include "worker/patience.h"

/* As many as bufstat files lists. */
#define FILES_LISTED 20

/* The kernel waits for its processors one after the other. */
#define TRACER_SILENCE_MS 10000

/*
 * Makes one reason of what the error says. The row has the source's name
 * already, and a captured tree's name says nothing. Returns 0.
 */
static int set_error(struct source_row *row, const struct error *err,
		     const struct sysroot *root)
{
	char text[ERROR_TEXT_SIZE];

	row->why = *err;
	if (strcmp(err->object, row->name) == 0)
		*row->why.object = '\0';
	if (sysroot_is_live(root) || !*err->reason)
		error_text_without_remedy(&row->why, text);
	else
		strcpy(text, err->reason);
	snprintf(row->why.reason, sizeof(row->why.reason), "%.1023s", text);
	return 0;
}

/* @first is the first of @count reasons. */
static void set_refused(struct source_row *row, enum lack lack,
			const char *first, size_t count)
{
	char text[sizeof(row->why.reason)];

	row->usable = SOURCE_USABLE_IN_PART;
	snprintf(text, sizeof(text), "%s, and %zu more", first, count - 1);
	lack_error(&row->why, lack, count > 1 ? text : first);
}

static void set_partial(struct source_row *row, enum lack lack, const char *of)
{
	row->usable = SOURCE_USABLE_IN_PART;
	lack_error(&row->why, lack, of);
}

static int take_devices(struct source_row *row, const struct devices *devices)
{
	const char *refused = NULL;
	int ret = device_limits(devices, &row->limits);

	row->count = 0;
	for (size_t i = 0; i < devices->count; i++) {
		const struct sample *sample = &devices->devices[i].sample;

		row->count += sample_has(sample, FIGURE_PAGES);
		if (!refused)
			refused = sample->refused;
	}
	if (row->count && devices->has_attributed)
		row->pages = (int64_t)devices->attributed_pages;
	row->usable = SOURCE_USABLE;
	if (refused)
		set_refused(row, LACK_SOME, refused, devices->refused);
	else if (devices->unsettled)
		set_partial(row, LACK_REST, NULL);
	return ret;
}

int source_answer_devices(struct source_row *row, size_t which,
			  const struct sysroot *root)
{
	struct devices devices = { 0 };
	struct error err = { 0 };
	int ret = devices_try(&devices, root, which, &err);

	if (ret == 0)
		ret = take_devices(row, &devices);
	else if (ret != -ENOMEM)
		ret = set_error(row, &err, root);
	devices_deinit(&devices);
	return ret;
}

/* The reason of the first filesystem that was refused. */
static void set_fs_refused(struct source_row *row,
			   const struct filesystems *all, enum lack lack)
{
	struct error err = { 0 };
	char text[ERROR_TEXT_SIZE];

	for (size_t i = 0; i < all->count && !error_is_set(&err); i++) {
		const struct filesystem *filesystem = &all->filesystems[i];

		if (filesystem->sample.refused)
			error_doing(&err, ERROR_PARTIAL, NULL,
				    filesystem_place(filesystem), "%s",
				    filesystem->sample.refused);
	}
	set_refused(row, lack, error_text(&err, text),
		    all->silent + all->refused);
}

static int take_filesystems(struct source_row *row,
			    const struct filesystems *all)
{
	const enum lack lack = filesystems_lack(all);
	int ret = filesystem_limits(all, &row->limits);

	row->count = 0;
	for (size_t i = 0; i < all->count; i++) {
		row->count +=
			sample_has(&all->filesystems[i].sample, FIGURE_PAGES);
		row->inodes += (int64_t)all->filesystems[i].inodes;
	}
	row->pages = (int64_t)all->attributed_pages;
	row->usable = SOURCE_USABLE;
	if (lack == LACK_WORKER || lack == LACK_SOME)
		set_fs_refused(row, all, lack);
	else if (lack)
		set_partial(row, lack, filesystems_rest_note(all));
	return ret;
}

int source_answer_filesystems(struct source_row *row,
			      const struct sysroot *root)
{
	struct filesystems filesystems;
	struct error err = { 0 };
	int ret = filesystems_init(&filesystems, root, row->name, &err);

	if (ret == 0)
		ret = take_filesystems(row, &filesystems);
	else if (ret != -ENOMEM)
		ret = set_error(row, &err, root);
	filesystems_deinit(&filesystems);
	return ret;
}

/* That a capture has no paths, or only some files, is among its limits. */
static int take_files(struct source_row *row, const struct cached_files *files)
{
	int ret = file_limits(files, &row->limits);

	row->pages = (int64_t)files->pages;
	row->usable = SOURCE_USABLE;
	if (files->why.count)
		set_refused(row, LACK_SOME, files->why.strings[0],
			    files->why.count);
	else if (files->mounts.failed)
		set_partial(row, LACK_MOUNTS, NULL);
	else if (files->unknown_users.count)
		set_partial(row, LACK_USERS, NULL);
	return ret;
}

int source_answer_files(struct source_row *row, const struct sysroot *root)
{
	const struct files_question question = {
		.source = row->name,
		.limit = FILES_LISTED,
	};
	struct cached_files files;
	struct error err = { 0 };
	int ret = cached_files_init(&files, root, &question, &err);

	if (!ret)
		ret = cached_files_find_users(&files, root, &err);
	if (ret == 0)
		ret = take_files(row, &files);
	else if (ret != -ENOMEM)
		ret = set_error(row, &err, root);
	cached_files_deinit(&files);
	return ret;
}

void source_answer_late(struct source_row *row)
{
	row->usable = SOURCE_NOT_TRIED;
	lack_error(&row->why, LACK_TIME, PATIENCE_OVER);
}

/* What a tracer says of itself. The kernel may take long to answer. */
struct tracer {
	struct source_row *row;
	const struct sysroot *root;
};

struct tracer_answer {
	int ret;
	struct error err;
};

static size_t look_at_tracer(const void *data, size_t index, void *room)
{
	const struct tracer *tracer = data;
	struct tracer_answer *answer = room;
	struct trace *trace = NULL;

	(void)index;
	answer->ret =
		tracer->row->question == SOURCE_QUESTION_PATH ?
			ftrace_look(tracer->root, &answer->err) :
			trace_open(&trace, tracer->root, true, &answer->err);
	if (trace)
		trace_close(trace);
	return sizeof(*answer);
}

/* Returns 0, 1 if it says no or nothing, or -ENOMEM. */
static int ask_tracer(struct source_row *row, const struct sysroot *root)
{
	struct tracer tracer = { row, root };
	struct ask question = {
		.answer = look_at_tracer,
		.data = &tracer,
		.answer_size = sizeof(struct tracer_answer),
		.kept = -1,
		.what = row->name,
		.silence_ms = TRACER_SILENCE_MS,
		.patience = root->patience,
	};
	struct asked *asked;
	struct error err = { 0 };
	const struct tracer_answer *answer;
	char why[ASK_WHY];
	int ret;

	answer = ask_one(&question, &asked, &ret, &err);
	if (answer) {
		err = answer->err;
		ret = answer->ret;
	}
	if (ret < 0 && ret != -ENOMEM) {
		/* The question says it already. */
		*err.doing = '\0';
		set_error(row, &err, root);
		ret = 1;
	} else if (!ret && !answer) {
		if (asked_error(asked, 0) == -ETIMEDOUT &&
		    patience_is_over(root->patience))
			source_answer_late(row);
		else
			lack_error(&row->why, LACK_WORKER,
				   asked_why(asked, 0, why));
		ret = 1;
	} else if (!ret) {
		row->usable = SOURCE_USABLE;
	}
	asked_destroy(asked);
	return ret;
}

int source_answer_who(struct source_row *row, const struct sysroot *root)
{
	int ret = ask_tracer(row, root);

	return ret < 0 ? ret : 0;
}

static int set_limits(struct source_row *row, const char *limits)
{
	row->limits = strdup(limits);
	return row->limits ? 0 : -ENOMEM;
}

int source_answer_blocks(struct source_row *row,
			 const struct source_row *devices,
			 const struct sysroot *root)
{
	struct libext2fs library;
	struct error err = { 0 };
	int ret;

	row->usable = devices->usable;
	if (devices->usable < SOURCE_USABLE_IN_PART) {
		row->why = devices->why;
		return 0;
	}
	ret = libext2fs_init(&library, &err);
	libext2fs_deinit(&library);
	row->usable = ret < 0 ? SOURCE_USABLE_IN_PART : SOURCE_USABLE;
	if (ret < 0)
		set_error(row, &err, root);
	return set_limits(row, ret < 0 ? "blocks of ext2, ext3 and ext4" :
					 "blocks of XFS, btrfs and swap, but "
					 "superblocks and the log");
}

int source_answer_path(struct source_row *row, const struct sysroot *root)
{
	int ret = ask_tracer(row, root);

	if (ret)
		return ret < 0 ? ret : 0;
	return set_limits(row, "what the kernel does later or elsewhere for "
			       "COMMAND, without --all");
}
