// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drop/drop_files.h"
#include "drop/drop_files_text.h"
#include "drop/drop_text.h"
#include "fields/fields.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/terminal.h"
#include "lib/utf8.h"

/* Files of a filesystem, and processes of a file, that are named. */
#define MOST_NAMED_FILES 10
#define MOST_NAMED_USERS 5

#define UNKNOWN                                                                \
	"not known whether a write to it has failed; kcore and the module "    \
	"can tell (bufstat sources), and --despite-errors releases them"

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

static const char *stay_verb(const struct drop_set *set)
{
	return set->result.done ? "stayed" : "would stay";
}

static void put_stayed(struct drop_text *to, const struct drop_set *set,
		       const struct drop_file *file)
{
	const char *name = "";

	if (set->is_mount && file->path)
		name = piece(&to->out, "%s: ", safe_name(&to->out, file->path));
	else if (set->is_mount)
		name = piece(&to->out, "inode %" PRIu64 ": ", file->ino);
	drop_line(to, "%s %s: %s%s", DROP_SIZE(file->stayed, to),
		  stay_verb(set), name, reason_of(to, file));
}

static int by_pages(const void *left, const void *right)
{
	const struct drop_file *const *a = left, *const *b = right;

	return ((*a)->stayed < (*b)->stayed) - ((*a)->stayed > (*b)->stayed);
}

static void put_others(struct drop_text *to, const struct drop_set *set,
		       const struct drop_file *const *stayed, size_t count)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < count; i++)
		pages += stayed[i]->stayed;
	drop_line(to, "%s %s: %zu other file%s", DROP_SIZE(pages, to),
		  stay_verb(set), count, plural(count));
}

static int put_all_stayed(struct drop_text *to, const struct drop_set *set)
{
	_cleanup_(freep) const struct drop_file **stayed =
		calloc(set->count + 1, sizeof(*stayed));
	size_t count = 0, shown;

	if (!stayed)
		return -ENOMEM;
	for (size_t i = 0; i < set->count; i++) {
		if (set->files[i].stayed)
			stayed[count++] = &set->files[i];
	}
	qsort(stayed, count, sizeof(*stayed), by_pages);
	shown = count > MOST_NAMED_FILES ? MOST_NAMED_FILES : count;
	for (size_t i = 0; i < shown; i++)
		put_stayed(to, set, stayed[i]);
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

static const char *const reasons[] = {
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

static bool has_stayed(const void *element)
{
	const struct drop_file *file = element;

	return file->stayed;
}

static struct column_value get_users(const void *record)
{
	const struct drop_file *file = record;

	return (struct column_value){
		.known = true,
		.list = file->stay == STAY_DELETED ? &file->users :
						     &file->mapped.users,
	};
}

static const struct field stay_list[] = {
	{ FIELD_STRING(struct drop_file, path, "path", SAYS_FILE),
	  .about = "or a name", .null = "it has none" },
	{ FIELD(struct drop_file, ino, "inode", UINT64_MAX) },
	{ FIELD(struct drop_file, stayed, "pages", UINT64_MAX),
	  .about = "that stayed, or would stay" },
	{ FIELD_WORD(struct drop_file, stay, "why", reasons) },
	{ FIELD(struct drop_file, mapped.mlocked_pages, "mlocked_pages",
		UINT64_MAX),
	  .about = "of those that processes map" },
	{ FIELD_VALUE("users", COLUMN_LIST), .value = get_users,
	  .about = "processes that map it, or have a deleted file open" },
};

static const struct fields stay_fields = FIELDS(struct drop_file, stay_list);

static const struct field head_list[] = {
	{ FIELD_SENTENCE(struct drop_set, path, "path") },
	{ FIELD_DEVICE(struct drop_set, major, "maj:min"),
	  .about = "of the filesystem" },
	{ FIELD_SENTENCE(struct drop_set, type, "fstype") },
	{ FIELD_SENTENCE(struct drop_set, result.source, "source"),
	  .about = "what measured it", .null = "nothing did" },
	{ FIELD(struct drop_set, result.page_size, "page_size_bytes",
		UINT64_MAX) },
};

static const struct fields head_fields = FIELDS(struct drop_set, head_list);

static const struct field rest_list[] = {
	{ FIELD_OBJECT(struct drop_set, result.before, "before",
		       &drop_pages_fields) },
	{ FIELD(struct drop_set, least, "release_least_pages", UINT64_MAX),
	  FIELD_KNOWN(struct drop_set, result.before.has_pages),
	  .about = "that would be released, at least, once dirty pages are "
		   "written" },
	{ FIELD(struct drop_set, most, "release_most_pages", UINT64_MAX),
	  FIELD_KNOWN(struct drop_set, result.before.has_pages),
	  .about = "and at most" },
	{ FIELD_OBJECT(struct drop_set, result.after, "after",
		       &drop_pages_fields),
	  FIELD_KNOWN(struct drop_set, result.done),
	  .null = "nothing was done" },
	{ FIELD_LIST(struct drop_set, files, count, "stays", &stay_fields,
		     UINT64_MAX),
	  .has = has_stayed },
	{ FIELD_STRINGS(struct drop_set, unknown_users, "not_looked_at",
			SAYS_USER),
	  .about = "processes of which it is not known what they map" },
	{ FIELD_PART(struct drop_set, result, &drop_done_fields) },
	{ FIELD_ERROR(struct drop_set, result.why, "not_measured"),
	  .about = "why figures are missing" },
};

static const struct fields rest_fields = FIELDS(struct drop_set, rest_list);

static const struct field error_list[] = {
	{ DROP_WRITE_ERROR(struct drop_file) },
};

static const struct fields error_fields = FIELDS(struct drop_file, error_list);

static const struct field file_list[] = {
	{ FIELD_SAME(&head_fields) },
	{ FIELD_POINTED(struct drop_set, files, &error_fields) },
	{ FIELD_SAME(&rest_fields) },
};

const struct fields drop_file_fields = FIELDS(struct drop_set, file_list);

static struct column_value get_files(const void *record)
{
	const struct drop_set *set = record;

	return column_number(true, (int64_t)(set->count + set->unlisted));
}

static const struct field filesystem_list[] = {
	{ FIELD_SAME(&head_fields) },
	{ FIELD_VALUE("files", COLUMN_COUNT), .value = get_files,
	  .about = "that have pages" },
	{ FIELD_SAME(&rest_fields) },
};

const struct fields drop_filesystem_fields =
	FIELDS(struct drop_set, filesystem_list);
