// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bufstat/filesystems.h>

#include "cli/command_line.h"
#include "cli/table_options.h"
#include "commands/command.h"
#include "filesystems/file_columns.h"
#include "filesystems/found_paths.h"
#include "filesystems/fs_target.h"
#include "filesystems/measured_files.h"
#include "names/pid_namespace.h"
#include "kernel/kmem.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/provenance.h"
#include "table/table.h"
#include "worker/file_text.h"

#define DEFAULT_LIMIT 20

struct options {
	struct common_options common;
	struct table_options table;
	size_t limit;
};

static int take_limit(void *place, const struct option_given *given,
		      struct error *err)
{
	uint64_t limit;

	if (!number_parse(given->value, BUFSTAT_FILES_MAX, &limit) || !limit)
		return error_option(err, "--top",
				    "%s: not a number of files from 1 to %d",
				    given->value, BUFSTAT_FILES_MAX);
	*(size_t *)place = (size_t)limit;
	return 0;
}

static const struct option_row option_rows[] = {
	ROW_CALL('\0', "top", struct options, limit, "N", take_limit,
		 "list N files (20)"),
	ROW_GROUP(struct options, table.style.unit, size_options),
	ROW_GROUP(struct options, table, table_options),
	ROW_TEXT('\0', "vmcore", struct options, common.vmcore, "FILE",
		 WORDS_FILES, "the files of the kernel in a dump"),
	ROW_GROUP(struct options, common, tree_options),
	ROW_GROUP(struct options, common, ask_options),
	{ 0 },
};

static void init(void *data)
{
	struct options *options = data;

	options->limit = DEFAULT_LIMIT;
}

static int check(void *data, struct error *err)
{
	const struct options *options = data;

	if (options->common.vmcore &&
	    (options->common.source || options->common.operand_count))
		return error_option(
			err, "--vmcore",
			"a dump has one source and no paths: not with --source "
			"or PATH");
	return 0;
}

static struct column_value get_cached(const void *data)
{
	const struct cached_files *files = data;

	return column_number(files->has_pages,
			     (int64_t)(files->pages * files->page_size));
}

static const struct field answer_list[] = {
	{ FIELD(struct cached_files, page_size, "page_size_bytes",
		UINT64_MAX) },
	{ FIELD_VALUE("filesystems_cached_bytes", COLUMN_BYTES),
	  .value = get_cached, .null = "not known" },
};

static const struct fields answer_fields =
	FIELDS(struct cached_files, answer_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&answer_fields) },
	{ DOCUMENT_ROWS("files", &file_columns) },
};

static const struct fields file_document =
	FIELDS(struct document, document_list);

static int print(const struct options *options, const struct sysroot *root,
		 const struct cached_files *files, bool is_whole,
		 struct error *err)
{
	_cleanup_(freep) struct file_row *rows =
		calloc(files->count + 1, sizeof(*rows));
	const struct document document = {
		.head = { .source = files->source, .is_whole = is_whole },
		.root = root,
		.kernel = files->kernel,
		.answer = files,
		.rows = TABLE_ROWS(rows, files->count),
	};
	int ret = rows ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < files->count; i++)
		rows[i] = (struct file_row){
			.file = &files->files[i],
			.page_size = files->page_size,
			.has_users = cached_files_have_users(files),
		};
	if (!ret)
		column_sort(rows, files->count, sizeof(*rows),
			    &options->table.order);
	if (!ret)
		ret = command_print_rows(&command_files, options, &document);
	return table_error(err, ret, "the files");
}

static void print_lacks(const struct cached_files *files, const char *capture)
{
	struct error err;

	if (files->lacks_files) {
		error_doing(&err, ERROR_PARTIAL, "reading a capture", capture,
			    "it has the %zu largest files and no more",
			    files->captured);
		error_print(&err);
	}
	if (files->lacks_paths) {
		error_doing(&err, ERROR_PARTIAL, "reading a capture", capture,
			    "captured without paths");
		error_print(&err);
	}
}

/* After --timeout all processes may be among them: these many are named. */
#define UNKNOWN_USERS_NAMED 4

static void print_unknown_users(const struct string_list *users)
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
		error_print(&err);
	}
}

static void print_why(const struct cached_files *files)
{
	struct error err;

	if (files->mounts.failed) {
		error_doing(&err, ERROR_PARTIAL, "looking for mounts", "/proc",
			    "%s (there may be more filesystems)",
			    file_text_why(-files->mounts.failed));
		error_print(&err);
	}

	for (size_t i = 0; i < files->why.count; i++) {
		error_doing(&err, ERROR_PARTIAL, "measuring", NULL, "%s",
			    files->why.strings[i]);
		error_print(&err);
	}
	if (files->lost_names) {
		error_doing(&err, ERROR_PARTIAL, "naming", NULL,
			    "%zu of the files: %s", files->lost_names,
			    kmem_strerror(-ENODATA));
		error_print(&err);
	}
	print_unknown_users(&files->unknown_users);
}

static int run(void *data, const struct sysroot *root)
{
	const struct options *options = data;
	_cleanup_(cached_files_deinit) struct cached_files files = { 0 };
	_cleanup_(string_list_deinit) struct string_list paths = { 0 };
	struct files_question question = {
		.source = options->common.source,
		.vmcore = options->common.vmcore,
		.limit = options->limit,
		.below = true,
	};
	struct error err;
	bool is_whole;
	int ret = found_paths_absolute(&paths, options->common.operands,
				       options->common.operand_count, &err);

	question.paths = paths.strings;
	question.path_count = paths.count;
	if (!ret)
		ret = cached_files_init(&files, root, &question, &err);
	if (!ret)
		ret = cached_files_find_users(&files, root, &err);
	is_whole = cached_files_are_whole(&files);
	if (!ret)
		ret = print(options, root, &files, is_whole, &err);
	if (ret < 0)
		return exit_printing(&err);
	print_lacks(&files, root->prefix);
	print_why(&files);
	return is_whole ? EXIT_OK : EXIT_PARTIAL;
}

const struct command_line command_files = {
	.name = "files",
	.brief = "the files with the most pages",
	.rows = option_rows,
	.operands = "[PATH...]",
	.words = WORDS_FILES,
	.about = "The files with the most pages in the page cache, on the host "
		 "or below the given\n"
		 "directories; or the given files. Needs the module or "
		 "/proc/kcore.\n",
	.columns = &file_columns,
	.table_at = offsetof(struct options, table),
	.document = &file_document,
	.exit_status =
		"Exit status: 0 all measured, 1 failure, 2 no usable source,\n"
		"3 measured in part (a filesystem did not answer).\n",
	.options_size = sizeof(struct options),
	.init = init,
	.check = check,
	.run = run,
};
