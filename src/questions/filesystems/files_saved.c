// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bufstat/filesystems.h>

#include "filesystems/files_saved.h"
#include "filesystems/measured_files.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/lack.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/saved.h"
#include "measure/source_name.h"
#include "worker/ask.h"

#define MAX_ERRNO 4095 /* as in the kernel */

static void write_row(struct json_out *json, const struct cached_file *file,
		      bool has_users)
{
	const struct mounted *mounted = file->mounted;
	char number[24];

	snprintf(number, sizeof(number), "%u:%u", file->major, file->minor);
	json_out_object(json, NULL);
	json_out_string(json, "maj:min", number);
	json_out_string(json, "source", mounted ? mounted->source : NULL);
	json_out_string(json, "fstype", mounted ? mounted->type : NULL);
	json_out_unsigned(json, "inode", file->ino);
	json_out_unsigned(json, "pages", file->pages);
	json_out_unsigned(json, "size_bytes", file->size_bytes);
	json_out_unsigned(json, "mode", file->mode);
	json_out_bool(json, "is_deleted", file->is_deleted);
	json_out_string(json, "path", file->path);
	json_out_strings(json, "users", has_users ? &file->users : NULL);
	json_out_object_end(json);
}

void files_saved_write(struct json_out *json, const struct cached_files *files,
		       size_t limit)
{
	if (!files) {
		json_out_null(json, "files");
		return;
	}
	json_out_object(json, "files");
	json_out_string(json, "source", files->source);
	json_out_unsigned(json, "page_size_bytes", files->page_size);
	json_out_unsigned(json, "pages", files->pages);
	json_out_unsigned(json, "limit",
			  files->captured ? files->captured : limit);
	json_out_bool(json, "has_paths", !files->lacks_paths);
	json_out_unsigned_if(json, "mounts_errno", files->mounts.failed,
			     (uint64_t)files->mounts.failed);
	json_out_strings(json, "unmeasured", &files->why);
	json_out_strings(json, "unknown_users", &files->unknown_users);
	json_out_array(json, "rows");
	for (size_t i = 0; i < files->count; i++)
		write_row(json, &files->files[i],
			  cached_files_have_users(files));
	json_out_array_end(json);
	json_out_object_end(json);
}

/* A row without a type is on the kernel's own tmpfs, which has no source. */
static int read_mounted(struct json_value row, struct cached_files *files,
			struct cached_file *file)
{
	struct mounted *mounted = &files->mounts.mounts[files->mounts.count];
	const char *source;
	int ret = json_in_copy(row, "fstype", &mounted->type);

	if (ret < 0)
		return ret;
	if (!ret)
		return json_in_string(row, "source", &source) == 0 ? 1 :
								     -EBADMSG;
	files->mounts.count++;
	mounted->major = file->major;
	mounted->minor = file->minor;
	file->mounted = mounted;
	ret = json_in_copy(row, "source", &mounted->source);
	return ret ? ret : -EBADMSG;
}

/*
 * The sum of all files is checked before, so no file can have more pages than
 * fit in an int64_t as bytes.
 */
static int read_figures(struct json_value row, const struct cached_files *files,
			struct cached_file *file)
{
	const struct cached_file *first = files->files;
	uint64_t most = file > first ? file[-1].pages : files->pages;
	uint64_t mode;

	if (json_in_number(row, "inode", UINT64_MAX, &file->ino) <= 0 ||
	    json_in_number(row, "pages", most, &file->pages) <= 0 ||
	    json_in_number(row, "size_bytes", INT64_MAX, &file->size_bytes) <=
		    0 ||
	    json_in_number(row, "mode", UINT32_MAX, &mode) <= 0 ||
	    json_in_bool(row, "is_deleted", &file->is_deleted) <= 0)
		return -EBADMSG;
	file->mode = (unsigned int)mode;
	return 1;
}

static int read_row(struct json_value row, struct cached_files *files)
{
	struct cached_file *file = &files->files[files->count++];
	const char *number;
	int ret = json_in_string(row, "maj:min", &number);

	if (ret <= 0 || !dev_number_parse(number, &file->major, &file->minor))
		return ret == -ENOMEM ? ret : -EBADMSG;
	ret = read_figures(row, files, file);
	if (ret > 0)
		ret = read_mounted(row, files, file);
	if (ret > 0)
		ret = json_in_copy(row, "path", &file->path);
	if (ret >= 0)
		ret = json_in_strings(row, "users", &file->users);
	return ret ? ret : -EBADMSG;
}

static int read_rows(struct json_value object, struct cached_files *files)
{
	struct json_value row;
	size_t count = 0;
	int ret = json_in_array(object, "rows", &row, &count);

	if (ret <= 0 || count > files->captured)
		return ret < 0 ? ret : -EBADMSG;
	files->files = calloc(count + 1, sizeof(*files->files));
	files->mounts.mounts = calloc(count + 1, sizeof(*files->mounts.mounts));
	if (!files->files || !files->mounts.mounts)
		return -ENOMEM;
	for (size_t i = 0; ret > 0 && i < count; i++) {
		ret = read_row(row, files);
		row = json_in_next(row);
	}
	return ret;
}

static int read_why(struct json_value object, struct cached_files *files)
{
	uint64_t failed = 0;
	int ret = json_in_number(object, "mounts_errno", MAX_ERRNO, &failed);

	if (ret < 0 || (ret > 0 && !failed))
		return -EBADMSG;
	files->mounts.failed = (int)failed;
	ret = json_in_strings(object, "unmeasured", &files->why);
	if (ret > 0)
		ret = json_in_strings(object, "unknown_users",
				      &files->unknown_users);
	files->refused = files->why.count;
	return ret ? ret : -EBADMSG;
}

static int read_head(struct json_value object, struct cached_files *files)
{
	uint64_t limit;
	bool has_paths;

	if (saved_read_page_size(object, &files->page_size) < 0 ||
	    json_in_number(object, "pages",
			   INT64_MAX / (int64_t)files->page_size,
			   &files->pages) <= 0 ||
	    json_in_number(object, "limit", BUFSTAT_FILES_MAX, &limit) <= 0 ||
	    !limit || json_in_bool(object, "has_paths", &has_paths) <= 0)
		return -EBADMSG;
	files->has_pages = true;
	files->captured = (size_t)limit;
	files->lacks_paths = !has_paths;
	return 1;
}

int files_saved_read(const struct saved *saved, struct cached_files *files)
{
	struct json_value object;
	const char *name;
	int ret;

	if (!json_in_has(saved->reading, "files"))
		return 0;
	ret = json_in_object(saved->reading, "files", &object);
	if (ret <= 0)
		return ret;
	ret = json_in_string(object, "source", &name);
	if (ret <= 0 || !source_knows_files(name))
		return -EBADMSG;
	files->source = source_name_find(name);
	ret = read_head(object, files);
	if (ret > 0)
		ret = read_why(object, files);
	if (ret > 0)
		ret = read_rows(object, files);
	return ret;
}

/* Leaves what is at or below the paths. */
static int choose(struct cached_files *files, const struct sysroot *root,
		  const struct files_question *question, struct error *err)
{
	size_t all = files->count;

	files->has_pages = false;
	for (size_t i = 0; i < question->path_count; i++) {
		if (string_list_add(&files->below, question->paths[i]) < 0)
			return error_errno(err, ENOMEM, "reading a capture",
					   root->prefix);
	}
	cached_files_keep(files, question->limit);
	if (files->count)
		return 0;
	return error_doing(err, ENOENT, "choosing", question->paths[0],
			   files->lacks_paths ?
				   "captured without paths" :
				   "none of the %zu largest files, which the "
				   "capture has, is there",
			   all);
}

int files_saved_read_tree(const struct sysroot *root,
			  const struct files_question *question,
			  struct cached_files *files, struct error *err)
{
	struct saved saved;
	bool is_older = false;
	int ret = saved_open(&saved, root, err);

	if (ret > 0) {
		is_older = !json_in_has(saved.reading, "files");
		ret = saved_end(&saved, files_saved_read(&saved, files), err);
	}
	if (!ret)
		return lack_doing(err, LACK_ANSWER_IN_TREE,
				  is_older ? "files, by an older bufstat" :
					     "files",
				  "reading a capture", root->prefix);
	if (ret > 0 && question->source &&
	    strcmp(question->source, files->source) != 0)
		return saved_other_source(root, files->source, err);
	if (ret < 0)
		return ret;
	files->lacks_files = files->count == files->captured;
	ret = question->path_count ? choose(files, root, question, err) : 0;
	files->lacks_files &= files->count < question->limit;
	cached_files_cut(files, question->limit);
	return ret;
}
