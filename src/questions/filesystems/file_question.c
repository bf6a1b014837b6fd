// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "filesystems/file_columns.h"
#include "filesystems/files_saved.h"
#include "filesystems/found_paths.h"
#include "filesystems/measured_files.h"
#include "kernel/kmem.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "names/pid_namespace.h"
#include "question/question.h"
#include "worker/file_text.h"

static int make_file_rows(struct rows *rows, const struct cached_files *files)
{
	int ret = rows_init(rows, files->count, sizeof(struct file_row), false);

	for (size_t i = 0; !ret && i < files->count; i++)
		*(struct file_row *)rows_add(rows) = (struct file_row){
			.file = &files->files[i],
			.page_size = files->page_size,
			.has_users = cached_files_have_users(files),
		};
	return ret;
}

static int files_answer_take(void *data, const struct asking *asking,
			     struct error *err)
{
	_cleanup_(string_list_deinit) struct string_list paths = { 0 };
	struct files_answer *answer = data;
	struct cached_files *files = &answer->files;
	struct files_question question = {
		.source = asking->source,
		.vmcore = asking->vmcore,
		.limit = asking->most,
		.below = true,
	};
	int ret = found_paths_absolute(&paths, asking->paths,
				       asking->path_count, err);

	question.paths = paths.strings;
	question.path_count = paths.count;
	if (!ret)
		ret = cached_files_init(files, asking->root, &question, err);
	if (!ret)
		ret = cached_files_find_users(files, asking->root, err);
	if (ret < 0)
		return ret;
	answer->capture = asking->root->prefix;
	answer->most = asking->most;
	answer->hides_paths = asking->hides_paths;
	answer->head.source = files->source;
	answer->head.kernel = files->kernel;
	answer->head.is_whole = cached_files_are_whole(files);
	if (asking->purpose != ASKED_TO_SHOW)
		return 0;
	return make_file_rows(&answer->head.rows, files) < 0 ?
		       error_errno(err, ENOMEM, "measuring", "the files") :
		       0;
}

static void files_answer_release(void *data)
{
	struct files_answer *answer = data;

	cached_files_deinit(&answer->files);
}

static void files_answer_save(struct json_out *json, const void *data)
{
	const struct files_answer *answer = data;

	if (answer)
		files_saved_write(json, &answer->files, answer->most,
				  answer->hides_paths);
	else
		json_out_null(json, "files");
}

static void missing_of_capture(const struct files_answer *answer,
			       error_tell_fn *tell, void *told)
{
	const struct cached_files *files = &answer->files;
	const char *capture = answer->capture;
	struct error err;

	if (files->lacks_files) {
		error_doing(&err, ERROR_PARTIAL, "reading a capture", capture,
			    "it has the %zu largest files and no more",
			    files->captured);
		tell(told, &err);
	}
	if (files->lacks_paths && !answer->hides_paths) {
		error_doing(&err, ERROR_PARTIAL, "reading a capture", capture,
			    "captured without paths");
		tell(told, &err);
	}
}

/* After --timeout all processes may be among them: these many are named. */
#define UNKNOWN_USERS_NAMED 4

static void missing_users(const struct string_list *users, error_tell_fn *tell,
			  void *told)
{
	char others[32];

	snprintf(others, sizeof(others), "%zu more",
		 users->count - UNKNOWN_USERS_NAMED);
	for (size_t i = 0; i < users->count && i <= UNKNOWN_USERS_NAMED; i++) {
		bool is_named = i < UNKNOWN_USERS_NAMED;
		bool is_one = is_named &&
			      strcmp(users->strings[i], PROCESSES_OUTSIDE) != 0;
		struct error err;

		error_doing(&err, ERROR_PARTIAL, "looking for the users",
			    is_named ? users->strings[i] : others,
			    "not all files that %s open or mapped could be "
			    "read; any of these may be among them",
			    is_one ? "it has" : "they have");
		tell(told, &err);
	}
}

static void missing_files(const struct cached_files *files, error_tell_fn *tell,
			  void *data)
{
	struct error err;

	if (files->mounts.failed) {
		error_doing(&err, ERROR_PARTIAL, "looking for mounts", "/proc",
			    "%s (there may be more filesystems)",
			    file_text_why(-files->mounts.failed));
		tell(data, &err);
	}
	for (size_t i = 0; i < files->why.count; i++) {
		error_doing(&err, ERROR_PARTIAL, "measuring", NULL, "%s",
			    files->why.strings[i]);
		tell(data, &err);
	}
	if (files->lost_names) {
		error_doing(&err, ERROR_PARTIAL, "naming", NULL,
			    "%zu of the files: %s", files->lost_names,
			    kmem_strerror(-ENODATA));
		tell(data, &err);
	}
	missing_users(&files->unknown_users, tell, data);
}

static void files_answer_missing(const void *data, error_tell_fn *tell,
				 void *told)
{
	const struct files_answer *answer = data;

	missing_of_capture(answer, tell, told);
	missing_files(&answer->files, tell, told);
}

static const char *file_key(const struct table_rows *rows, size_t i, char *text,
			    size_t size)
{
	const struct cached_file *file =
		((const struct file_row *)table_row(rows, i))->file;

	snprintf(text, size, "%u:%u %" PRIu64, file->major, file->minor,
		 file->ino);
	return text;
}

const struct question file_question = {
	.name = "files",
	.command = &command_files,
	.things = "the files",
	.columns = &file_columns,
	.size = sizeof(struct files_answer),
	.take = files_answer_take,
	.release = files_answer_release,
	.missing = files_answer_missing,
	.save = files_answer_save,
	.figure = "cached_bytes",
	.walks = WALKS_INODES,
	.key = file_key,
	.drop_column = "path",
};

/* ---- as JSON ------------------------------------------------------------- */

static struct column_value get_cached(const void *data)
{
	const struct cached_files *files = data;

	return column_number(files->has_pages,
			     (int64_t)(files->pages * files->page_size));
}

static const struct field files_list[] = {
	{ FIELD(struct cached_files, page_size, "page_size_bytes",
		UINT64_MAX) },
	{ FIELD_VALUE("filesystems_cached_bytes", COLUMN_BYTES),
	  .value = get_cached, .null = "not known" },
};

static const struct fields files_fields =
	FIELDS(struct cached_files, files_list);

static const struct field answer_list[] = {
	{ FIELD_PART(struct files_answer, files, &files_fields) },
};

static const struct fields answer_fields =
	FIELDS(struct files_answer, answer_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&answer_fields) },
	{ DOCUMENT_ROWS("files", &file_columns) },
};

const struct fields file_document = FIELDS(struct document, document_list);
