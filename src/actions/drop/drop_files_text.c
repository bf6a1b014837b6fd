// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drop/drop_files.h"
#include "drop/drop_files_text.h"
#include "drop/drop_text.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/terminal.h"
#include "lib/utf8.h"

/* Files of a filesystem, and processes of a file, that are named. */
#define MOST_NAMED_FILES 10
#define MOST_NAMED_USERS 5

#define UNKNOWN                                                                \
	"not known whether a write to it has failed; kcore and the module "    \
	"can tell (bufstat sources), and --despite-errors releases them"

/* The pages of a file that stayed or would stay. */
struct stayed {
	const struct drop_file *file;
	uint64_t pages;
};

static void put_users(FILE *out, const struct string_list *users)
{
	drop_list_put(out, users, MOST_NAMED_USERS);
	if (users->count > MOST_NAMED_USERS)
		fprintf(out, " and %zu more", users->count - MOST_NAMED_USERS);
}

static void put_mapped(FILE *out, const struct drop_set *set,
		       const struct drop_file *file,
		       const struct drop_style *style)
{
	fputs("mapped by ", out);
	put_users(out, &file->mapped.users);
	if (file->mapped.mlocked_pages)
		fprintf(out, "; %s locked in memory (mlock)",
			DROP_SIZE(file->mapped.mlocked_pages * set->page_size,
				  style));
}

static void put_deleted(FILE *out, const struct drop_file *file)
{
	if (!file->users.count) {
		fputs("deleted, and held by the kernel or a process that is "
		      "not known",
		      out);
		return;
	}
	fputs("deleted, and released when ", out);
	put_users(out, &file->users);
	fputs(file->users.count == 1 ? " closes it" : " close it", out);
}

static void put_reason(FILE *out, const struct drop_set *set,
		       const struct drop_file *file,
		       const struct drop_style *style)
{
	char name[ERRNO_NAME_SIZE];

	switch (file->stay) {
	case STAY_DELETED:
		put_deleted(out, file);
		break;
	case STAY_NAMELESS:
		fputs("without a name, the filesystem's own; unmounting it "
		      "releases them",
		      out);
		break;
	case STAY_NO_FILE:
		fputs("no regular file, so it cannot be opened", out);
		break;
	case STAY_HIDDEN:
		fputs("no path leads to it (renamed, or below another mount)",
		      out);
		break;
	case STAY_WRITE_ERROR:
		errno_name(file->write_error, name);
		fprintf(out,
			"a write to it has failed (%s); --despite-errors "
			"releases them",
			name);
		break;
	case STAY_UNKNOWN:
		fputs(UNKNOWN, out);
		break;
	case STAY_FAILED:
		fputs(strerror(file->error), out);
		break;
	case STAY_MAPPED:
		put_mapped(out, set, file, style);
		break;
	case STAY_NOT:
		fputs(file->after.has_dirty && file->after.dirty ?
			      "dirty, written to meanwhile" :
			      "in use",
		      out);
		break;
	}
}

static uint64_t stayed_pages(const struct drop_set *set,
			     const struct drop_file *file)
{
	return set->done ? file->after.pages : drop_file_stays(file);
}

static const char *stay_verb(const struct drop_set *set)
{
	return set->done ? " stayed: " : " would stay: ";
}

static void put_stayed(FILE *out, const struct drop_set *set,
		       const struct stayed *stayed,
		       const struct drop_style *style)
{
	const struct drop_file *file = stayed->file;

	drop_indent_put(out, style, "%s%s",
			DROP_SIZE(stayed->pages * set->page_size, style),
			stay_verb(set));
	if (set->is_mount && file->path) {
		safe_name_put(out, file->path);
		fputs(": ", out);
	} else if (set->is_mount) {
		fprintf(out, "inode %" PRIu64 ": ", file->ino);
	}
	put_reason(out, set, file, style);
	putc('\n', out);
}

static int by_pages(const void *left, const void *right)
{
	const struct stayed *a = left, *b = right;

	return (a->pages < b->pages) - (a->pages > b->pages);
}

static void put_others(FILE *out, const struct drop_set *set,
		       const struct stayed *stayed, size_t count,
		       const struct drop_style *style)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < count; i++)
		pages += stayed[i].pages;
	drop_indent_put(out, style, "%s%s%zu other %s\n",
			DROP_SIZE(pages * set->page_size, style),
			stay_verb(set), count, count == 1 ? "file" : "files");
}

static int put_all_stayed(FILE *out, const struct drop_set *set,
			  const struct drop_style *style)
{
	_cleanup_(freep) struct stayed *stayed =
		calloc(set->count + 1, sizeof(*stayed));
	size_t count = 0, shown;

	if (!stayed)
		return -ENOMEM;
	for (size_t i = 0; i < set->count; i++) {
		const struct drop_file *file = &set->files[i];
		uint64_t pages = stayed_pages(set, file);

		if (pages)
			stayed[count++] = (struct stayed){ file, pages };
	}
	qsort(stayed, count, sizeof(*stayed), by_pages);
	shown = count > MOST_NAMED_FILES ? MOST_NAMED_FILES : count;
	for (size_t i = 0; i < shown; i++)
		put_stayed(out, set, &stayed[i], style);
	if (count > shown)
		put_others(out, set, stayed + shown, count - shown, style);
	if (set->unlisted)
		drop_indent_put(
			out, style,
			"the pages of %" PRIu64 " smaller files stay: the "
			"module does not list them (repeat it, or use kcore)\n",
			set->unlisted);
	return 0;
}

static struct drop_sizes sizes_of(const struct drop_set *set,
				  const struct file_figures *figures)
{
	return (struct drop_sizes){
		.is_known = figures->has_pages,
		.bytes = figures->pages * set->page_size,
		.has_dirty = figures->has_dirty,
		.dirty = figures->dirty * set->page_size,
	};
}

/* A process that cannot be looked at may map all that seems releasable. */
static void put_unknown(FILE *out, const struct drop_set *set,
			const struct drop_style *style)
{
	if (set->least != set->most) {
		drop_indent_put(out, style, "not known: what is mapped by ");
		put_users(out, &set->unknown_users);
		putc('\n', out);
	}
	if (set->files->stay == STAY_UNKNOWN && !set->before.has_pages)
		drop_indent_put(out, style, "would stay: " UNKNOWN "\n");
}

static void put_forecast(FILE *out, const struct drop_set *set,
			 const struct drop_sizes *before,
			 const struct drop_style *style)
{
	if (!drop_nothing_put(out, before))
		drop_forecast_put(out, before, set->least * set->page_size,
				  set->most * set->page_size, true, style);
	else if (before->is_known)
		return;
	put_unknown(out, set, style);
}

int drop_set_text_put(FILE *out, const struct drop_set *set,
		      const struct drop_style *style)
{
	const struct drop_sizes before = sizes_of(set, &set->before);
	const struct drop_sizes after = sizes_of(set, &set->after);

	drop_name_put(out, set->path, style);
	if (set->done)
		drop_outcome_put(out, &before, &after, style);
	else
		put_forecast(out, set, &before, style);
	return put_all_stayed(out, set, style);
}

static void write_figures(struct json_out *json, const char *key,
			  const struct file_figures *figures)
{
	json_out_object(json, key);
	json_out_unsigned_if(json, "pages", figures->has_pages, figures->pages);
	json_out_unsigned_if(json, "dirty_pages", figures->has_dirty,
			     figures->dirty);
	json_out_unsigned_if(json, "writeback_pages", figures->has_dirty,
			     figures->writeback);
	json_out_object_end(json);
}

static const char *stay_word(const struct drop_file *file)
{
	static const char *const words[] = {
		[STAY_NOT] = "in use",
		[STAY_DELETED] = "deleted",
		[STAY_NAMELESS] = "nameless",
		[STAY_NO_FILE] = "no regular file",
		[STAY_HIDDEN] = "no path",
		[STAY_WRITE_ERROR] = "write error",
		[STAY_UNKNOWN] = "write error not known",
		[STAY_FAILED] = "failed",
		[STAY_MAPPED] = "mapped",
	};

	return words[file->stay];
}

static void write_stayed(struct json_out *json, const struct drop_set *set,
			 const struct drop_file *file)
{
	uint64_t pages = stayed_pages(set, file);

	if (!pages)
		return;
	json_out_object(json, NULL);
	json_out_string(json, "path", file->path);
	json_out_unsigned(json, "inode", file->ino);
	json_out_unsigned(json, "pages", pages);
	json_out_string(json, "why", stay_word(file));
	json_out_unsigned(json, "mlocked_pages", file->mapped.mlocked_pages);
	json_out_strings(json, "users",
			 file->stay == STAY_DELETED ? &file->users :
						      &file->mapped.users);
	json_out_object_end(json);
}

static void write_set(struct json_out *json, const struct drop_set *set)
{
	bool measured = set->before.has_pages;
	char number[32];

	snprintf(number, sizeof(number), "%u:%u", set->major, set->minor);
	json_out_object(json, NULL);
	json_out_string(json, "path", set->path);
	json_out_string(json, "maj:min", number);
	json_out_string(json, "fstype", set->type);
	json_out_string(json, "source", set->source);
	json_out_unsigned(json, "page_size_bytes", set->page_size);
	if (set->is_mount)
		json_out_unsigned(json, "files", set->count + set->unlisted);
	else
		drop_write_error_write(json, set->files->knows_write_error,
				       set->files->write_error);
	write_figures(json, "before", &set->before);
	json_out_unsigned_if(json, "release_least_pages", measured, set->least);
	json_out_unsigned_if(json, "release_most_pages", measured, set->most);
	if (set->done)
		write_figures(json, "after", &set->after);
	else
		json_out_null(json, "after");
	json_out_array(json, "stays");
	for (size_t i = 0; i < set->count; i++)
		write_stayed(json, set, &set->files[i]);
	json_out_array_end(json);
	json_out_strings(json, "not_looked_at", &set->unknown_users);
	json_out_bool(json, "done", set->done);
	json_out_error(json, "error", &set->error);
	json_out_error(json, "not_measured", &set->why);
	json_out_object_end(json);
}

static void write_sets(struct json_out *json, const char *key, bool mounts,
		       const struct drop_set *sets, size_t count)
{
	json_out_array(json, key);
	for (size_t i = 0; i < count; i++) {
		if (sets[i].is_mount == mounts)
			write_set(json, &sets[i]);
	}
	json_out_array_end(json);
}

void drop_sets_json_write(struct json_out *json, const struct drop_set *sets,
			  size_t count)
{
	write_sets(json, "files", false, sets, count);
	write_sets(json, "filesystems", true, sets, count);
}
