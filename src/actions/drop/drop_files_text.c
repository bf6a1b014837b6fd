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

static const char *users_in(struct drop_text *to,
			    const struct string_list *users)
{
	return safe_names(&to->out, users->strings, users->count,
			  MOST_NAMED_USERS, ", ");
}

static const char *reason_of(struct drop_text *to, const struct drop_file *file)
{
	const struct string_list *users = &file->users;
	char name[ERRNO_NAME_SIZE];

	switch (file->stay) {
	case STAY_DELETED:
		if (!users->count)
			return "deleted, and held by the kernel or a process "
			       "that is not known";
		return piece(&to->out,
			     "deleted, and released when %s close%s it",
			     users_in(to, users), users->count == 1 ? "s" : "");
	case STAY_NAMELESS:
		return "without a name, the filesystem's own; unmounting it "
		       "releases them";
	case STAY_NO_FILE:
		return "no regular file, so it cannot be opened";
	case STAY_HIDDEN:
		return "no path leads to it (renamed, or below another mount)";
	case STAY_WRITE_ERROR:
		errno_name(file->write_error, name);
		return piece(&to->out,
			     "a write to it has failed (%s); --despite-errors "
			     "releases them",
			     name);
	case STAY_UNKNOWN:
		return UNKNOWN;
	case STAY_FAILED:
		return strerror(file->error);
	case STAY_MAPPED:
		if (!file->mapped.mlocked_pages)
			return piece(&to->out, "mapped by %s",
				     users_in(to, &file->mapped.users));
		return piece(&to->out,
			     "mapped by %s; %s locked in memory (mlock)",
			     users_in(to, &file->mapped.users),
			     DROP_SIZE(file->mapped.mlocked_pages, to));
	case STAY_NOT:
		break;
	}
	return file->after.has_dirty && file->after.dirty ?
		       "dirty, written to meanwhile" :
		       "in use";
}

static uint64_t stayed_pages(const struct drop_set *set,
			     const struct drop_file *file)
{
	return set->result.done ? file->after.pages : drop_file_stays(file);
}

static const char *stay_verb(const struct drop_set *set)
{
	return set->result.done ? "stayed" : "would stay";
}

static void put_stayed(struct drop_text *to, const struct drop_set *set,
		       const struct stayed *stayed)
{
	const struct drop_file *file = stayed->file;
	const char *name = "";

	if (set->is_mount && file->path)
		name = piece(&to->out, "%s: ", safe_name(&to->out, file->path));
	else if (set->is_mount)
		name = piece(&to->out, "inode %" PRIu64 ": ", file->ino);
	drop_line(to, "%s %s: %s%s", DROP_SIZE(stayed->pages, to),
		  stay_verb(set), name, reason_of(to, file));
}

static int by_pages(const void *left, const void *right)
{
	const struct stayed *a = left, *b = right;

	return (a->pages < b->pages) - (a->pages > b->pages);
}

static void put_others(struct drop_text *to, const struct drop_set *set,
		       const struct stayed *stayed, size_t count)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < count; i++)
		pages += stayed[i].pages;
	drop_line(to, "%s %s: %zu other file%s", DROP_SIZE(pages, to),
		  stay_verb(set), count, plural(count));
}

static int put_all_stayed(struct drop_text *to, const struct drop_set *set)
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
		put_stayed(to, set, &stayed[i]);
	if (count > shown)
		put_others(to, set, stayed + shown, count - shown);
	if (set->unlisted)
		drop_line(to,
			  "the pages of %" PRIu64 " smaller files stay: the "
			  "module does not list them (repeat it, or use kcore)",
			  set->unlisted);
	return 0;
}

static void put_forecast(struct drop_text *to, const struct drop_set *set)
{
	const struct drop_pages *before = &set->result.before;

	if (!drop_nothing_put(to, before))
		drop_forecast_put(to, before, set->least, set->most, true);
	else if (before->has_pages)
		return;
	/* A process that cannot be looked at may map all that goes. */
	if (set->least != set->most)
		drop_line(to, "not known: what is mapped by %s",
			  users_in(to, &set->unknown_users));
	if (set->files->stay == STAY_UNKNOWN && !before->has_pages)
		drop_line(to, "would stay: " UNKNOWN);
}

int drop_set_text_put(FILE *out, const struct drop_set *set,
		      const struct drop_style *style)
{
	struct drop_text to;
	int ret;

	drop_text_begin(&to, out, set->path, set->result.page_size, style);
	if (set->result.done)
		drop_outcome_put(&to, &set->result.before, &set->result.after);
	else
		put_forecast(&to, set);
	ret = put_all_stayed(&to, set);
	return sentence_end(&to.out, NULL) ?: ret;
}

static void write_figures(struct json_out *json, const char *key,
			  const struct drop_pages *pages)
{
	json_out_object(json, key);
	drop_pages_write(json, pages);
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
	bool measured = set->result.before.has_pages;

	json_out_object(json, NULL);
	json_out_string(json, "path", set->path);
	json_out_device(json, "maj:min", set->major, set->minor);
	json_out_string(json, "fstype", set->type);
	json_out_string(json, "source", set->result.source);
	json_out_unsigned(json, "page_size_bytes", set->result.page_size);
	if (set->is_mount)
		json_out_unsigned(json, "files", set->count + set->unlisted);
	else
		drop_write_error_write(json, set->files->knows_write_error,
				       set->files->write_error);
	write_figures(json, "before", &set->result.before);
	json_out_unsigned_if(json, "release_least_pages", measured, set->least);
	json_out_unsigned_if(json, "release_most_pages", measured, set->most);
	if (set->result.done)
		write_figures(json, "after", &set->result.after);
	else
		json_out_null(json, "after");
	json_out_array(json, "stays");
	for (size_t i = 0; i < set->count; i++)
		write_stayed(json, set, &set->files[i]);
	json_out_array_end(json);
	json_out_strings(json, "not_looked_at", &set->unknown_users);
	drop_done_write(json, &set->result);
	json_out_error(json, "not_measured", &set->result.why);
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
