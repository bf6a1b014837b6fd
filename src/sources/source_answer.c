// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ask.h"
#include "ask/patience.h"
#include "blocks/libext2fs.h"
#include "filesystems/measured_files.h"
#include "filesystems/measured_filesystems.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "measure/snapshot.h"
#include "measure/source.h"
#include "path/ftrace.h"
#include "sources/source_answer.h"
#include "sources/source_limits.h"
#include "sources/source_rows.h"
#include "trace/trace.h"

/* As many as bufstat files lists. */
#define FILES_LISTED 20

/* The kernel waits for its processors one after the other. */
#define TRACER_SILENCE_MS 10000

/* A @remedy of "" is none. */
static int set_reason(struct source_row *row, const char *reason,
		      const char *remedy)
{
	row->reason = strdup(reason);
	row->remedy = *remedy ? strdup(remedy) : NULL;
	return row->reason && (row->remedy || !*remedy) ? 0 : -ENOMEM;
}

/*
 * Sets why the source is not usable. The row has the source's name already, and
 * a captured tree's name says nothing.
 */
static int set_error(struct source_row *row, const struct error *err,
		     const struct sysroot *root)
{
	char text[ERROR_TEXT_SIZE];
	const char *reason = error_text_without_remedy(err, text);
	size_t length = strlen(row->name);

	if (strncmp(reason, row->name, length) == 0 &&
	    strncmp(reason + length, ": ", 2) == 0)
		reason += length + 2;
	if (!sysroot_is_live(root) && *err->reason)
		reason = err->reason;
	return set_reason(row, reason, err->remedy);
}

/* @first is the first of @count reasons. */
static int set_refused(struct source_row *row, const char *first, size_t count)
{
	row->usable = SOURCE_USABLE_IN_PART;
	if (count == 1)
		return set_reason(row, first, "");
	if (asprintf(&row->reason, "%s, and %zu more", first, count - 1) < 0)
		row->reason = NULL;
	return row->reason ? 0 : -ENOMEM;
}

static int set_unsettled(struct source_row *row)
{
	row->usable = SOURCE_USABLE_IN_PART;
	return set_reason(row, "unsettled: no reading added up", "try again");
}

static int take_devices(struct source_row *row, const struct snapshot *snapshot)
{
	const char *refused = NULL;
	size_t refusals = 0;
	uint64_t pages;
	int ret = device_limits(snapshot, &row->limits);

	row->count = 0;
	for (size_t i = 0; i < snapshot->count; i++) {
		const struct sample *sample = &snapshot->devices[i];

		row->count += sample_has(sample, FIGURE_PAGES);
		refusals += sample->refused != NULL;
		if (!refused)
			refused = sample->refused;
	}
	if (row->count && snapshot_sum(snapshot, &pages))
		row->pages = (int64_t)pages;
	row->usable = SOURCE_USABLE;
	if (!ret && refusals)
		ret = set_refused(row, refused, refusals);
	else if (!ret && snapshot->unsettled)
		ret = set_unsettled(row);
	return ret;
}

int source_answer_devices(struct source_row *row, size_t which,
			  const struct sysroot *root)
{
	struct snapshot snapshot = { 0 };
	struct error err = { 0 };
	int ret = source_try(root, which, &snapshot, &err);

	if (ret == 0)
		ret = take_devices(row, &snapshot);
	else if (ret != -ENOMEM)
		ret = set_error(row, &err, root);
	snapshot_deinit(&snapshot);
	return ret;
}

/* The reason of the first filesystem that was refused. */
static int set_fs_refused(struct source_row *row, const struct filesystems *all)
{
	struct error err = { 0 };
	char text[ERROR_TEXT_SIZE];

	for (size_t i = 0; i < all->count && !error_is_set(&err); i++) {
		const struct filesystem *filesystem = &all->filesystems[i];

		if (filesystem->sample->refused)
			error_doing(&err, ERROR_PARTIAL, NULL,
				    filesystem_place(filesystem), "%s",
				    filesystem->sample->refused);
	}
	return set_refused(row, error_text(&err, text),
			   all->silent + all->refused);
}

static int take_filesystems(struct source_row *row,
			    const struct filesystems *all)
{
	int ret = filesystem_limits(all, &row->limits);

	row->count = 0;
	for (size_t i = 0; i < all->count; i++) {
		row->count +=
			sample_has(all->filesystems[i].sample, FIGURE_PAGES);
		row->inodes += (int64_t)all->filesystems[i].inodes;
	}
	row->pages = (int64_t)all->attributed_pages;
	row->usable = SOURCE_USABLE;
	if (ret < 0 || filesystems_are_whole(all))
		return ret;
	if (all->silent || all->refused)
		return set_fs_refused(row, all);
	if (all->snapshot.unsettled)
		return set_unsettled(row);
	row->usable = SOURCE_USABLE_IN_PART;
	return set_reason(row,
			  all->mounts.failed ? "not all mounts were seen" :
			  all->exceeds	     ? filesystems_rest_note(all) :
					       "/proc/meminfo has no Cached",
			  "");
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
	if (ret < 0)
		return ret;
	if (files->why.count)
		return set_refused(row, files->why.strings[0],
				   files->why.count);
	if (!files->unknown_users.count && !files->mounts.failed)
		return 0;
	row->usable = SOURCE_USABLE_IN_PART;
	return set_reason(row,
			  files->mounts.failed ? "not all mounts were seen" :
						 "not all users are known",
			  "");
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

int source_answer_late(struct source_row *row)
{
	row->usable = SOURCE_NOT_TRIED;
	return set_reason(row, PATIENCE_OVER, "bufstat sources --timeout 60");
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
		tracer->row->question == QUESTION_PATH ?
			ftrace_look(tracer->root, &answer->err) :
			trace_open(&trace, tracer->root, true, &answer->err);
	if (trace)
		trace_close(trace);
	return sizeof(*answer);
}

static void name_tracer(const void *data, size_t index, char text[STUCK_OBJECT])
{
	(void)index;
	snprintf(text, STUCK_OBJECT, "%s",
		 ((const struct tracer *)data)->row->name);
}

/* Returns 0, 1 if it says no or nothing, or -ENOMEM. */
static int ask_tracer(struct source_row *row, const struct sysroot *root)
{
	struct tracer tracer = { row, root };
	const struct ask question = {
		.answer = look_at_tracer,
		.data = &tracer,
		.count = 1,
		.answer_size = sizeof(struct tracer_answer),
		.kept = -1,
		.name = name_tracer,
		.silence_ms = TRACER_SILENCE_MS,
		.patience = root->patience,
	};
	struct asked *asked;
	struct error err = { 0 };
	const struct tracer_answer *answer = NULL;
	char why[ASK_WHY];
	int ret = ask(&question, &asked, &err);

	if (!ret)
		answer = asked_answer(asked, 0);
	if (answer) {
		err = answer->err;
		ret = answer->ret;
	}
	if (ret < 0 && ret != -ENOMEM) {
		/* The question says it already. */
		*err.doing = '\0';
		ret = set_error(row, &err, root) ?: 1;
	} else if (!ret && !answer) {
		ret = patience_is_over(root->patience) ?
			      source_answer_late(row) :
			      set_reason(row, asked_why(asked, 0, why), "");
		ret = ret ?: 1;
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
	if (devices->usable < SOURCE_USABLE_IN_PART)
		return set_reason(row, devices->reason ?: "",
				  devices->remedy ?: "");
	ret = libext2fs_init(&library, &err);
	libext2fs_deinit(&library);
	row->usable = ret < 0 ? SOURCE_USABLE_IN_PART : SOURCE_USABLE;
	if (ret < 0 && set_error(row, &err, root) < 0)
		return -ENOMEM;
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
