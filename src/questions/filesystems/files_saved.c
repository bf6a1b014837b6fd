// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include <bufstat/filesystems.h>

#include "filesystems/files_saved.h"
#include "filesystems/measured_files.h"
#include "lib/error.h"
#include "fields/fields.h"
#include "lib/json_out.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "lib/utf8.h"
#include "measure/saved.h"
#include "measure/source_name.h"

static const struct field row_list[] = {
	{ FIELD_DEVICE(struct cached_file, major, "maj:min") },
	{ FIELD_STRING(struct cached_file, source, "source", SAYS_SOURCE),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRING(struct cached_file, type, "fstype", SAYS_WORD),
	  FIELD_WITH(struct cached_file, source) },
	{ FIELD(struct cached_file, ino, "inode", UINT64_MAX) },
	{ FIELD(struct cached_file, pages, "pages", INT64_MAX) },
	{ FIELD(struct cached_file, size_bytes, "size_bytes", INT64_MAX) },
	{ FIELD(struct cached_file, mode, "mode", UINT32_MAX) },
	{ FIELD(struct cached_file, is_deleted, "is_deleted", 0) },
	{ FIELD_STRING(struct cached_file, path, "path", SAYS_FILE),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRINGS(struct cached_file, users, "users", SAYS_USER) },
};

static const struct fields row_fields = FIELDS(struct cached_file, row_list);

static const struct field list[] = {
	{ FIELD_STATIC(struct cached_files, source, "source", source_names,
		       SOURCES_OF_FILES) },
	{ FIELD(struct cached_files, page_size, "page_size_bytes",
		PAGE_SIZE_MOST) },
	{ FIELD(struct cached_files, pages, "pages", INT64_MAX) },
	{ FIELD(struct cached_files, captured, "limit", BUFSTAT_FILES_MAX) },
	{ FIELD_NOT(struct cached_files, lacks_paths, "has_paths") },
	{ FIELD(struct cached_files, mounts.failed, "mounts_errno", MAX_ERRNO),
	  .known = KNOWN_NOT_ZERO },
	{ FIELD_STRINGS(struct cached_files, why, "unmeasured", SAYS_MESSAGE) },
	{ FIELD_STRINGS(struct cached_files, unknown_users, "unknown_users",
			SAYS_USER) },
	{ FIELD_LIST(struct cached_files, files, count, "rows", &row_fields,
		     BUFSTAT_FILES_MAX) },
};

const struct fields cached_files_fields = FIELDS(struct cached_files, list);

void files_saved_write(struct json_out *json, const struct cached_files *files,
		       size_t limit, bool hides_paths)
{
	struct cached_files written = *files;

	written.lacks_paths |= hides_paths;
	if (!written.captured)
		written.captured = limit;
	json_out_object(json, "files");
	fields_write(json, &cached_files_fields, &written);
	json_out_object_end(json);
}

/*
 * Most pages come first, and none has more than all. The sum of all files fits
 * in an int64_t as bytes.
 */
static int check(struct cached_files *files)
{
	uint64_t most = files->pages;

	if (!page_size_is_sound(files->page_size) ||
	    files->pages > INT64_MAX / files->page_size || !files->captured ||
	    files->count > files->captured)
		return -EBADMSG;
	for (size_t i = 0; i < files->count; i++) {
		struct cached_file *file = &files->files[i];

		if (file->pages > most)
			return -EBADMSG;
		most = file->pages;
		file->is_own = !file->source;
	}
	files->has_pages = true;
	files->refused = files->why.count;
	return 1;
}

int files_saved_read(const struct saved *saved, struct cached_files *files)
{
	struct json_value object;
	int ret;

	if (!json_in_has(saved->reading, "files"))
		return 0;
	ret = json_in_object(saved->reading, "files", &object);
	if (ret <= 0)
		return ret;
	return fields_read(object, &cached_files_fields, files) ?: check(files);
}

static bool has_below(const struct cached_files *files,
		      const struct string_list *below)
{
	for (size_t i = 0; i < files->count; i++) {
		if (files->files[i].path &&
		    below_has(below, files->files[i].path))
			return true;
	}
	return false;
}

/* Leaves what is at or below the paths, or below those that a table shows so. */
static int choose(struct cached_files *files, const struct sysroot *root,
		  const struct files_question *question, struct error *err)
{
	size_t all = files->count;
	struct string_list one;

	files->has_pages = false;
	for (size_t i = 0; i < question->path_count; i++) {
		if (string_list_add(&files->below, question->paths[i]) < 0)
			return error_errno(err, ENOMEM, "reading a capture",
					   root->prefix);
		one = (struct string_list){ &files->below.strings[i], 1 };
		if (!has_below(files, &one))
			text_unescape(*one.strings);
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
