// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdio.h>

#include "drop/drop_cgroup.h"
#include "drop/drop_cgroup_text.h"
#include "drop/drop_text.h"
#include "fields/fields.h"
#include "lib/lesser.h"

#define MOST_NAMED_USERS 5

static void put_users(struct drop_text *to, const struct string_list *users)
{
	bool are_more = users->count > MOST_NAMED_USERS;
	size_t count = are_more ? MOST_NAMED_USERS : users->count;

	if (count)
		drop_line(to, "in use by %s%s",
			  safe_names(&to->out, users->strings, count, count,
				     ", "),
			  are_more ? " and others" : "");
}

/* Why page cache stays, and how much of it. */
static void put_stays(struct drop_text *to, const struct drop_cgroup *drop)
{
	const bool done = drop->result.done;
	const struct cgroup_figures *last = done ? &drop->after : &drop->before;
	const struct {
		uint64_t bytes;
		const char *verb, *why;
	} reasons[] = {
		{ cgroup_or_0(last, CGROUP_DIRTY) +
			  cgroup_or_0(last, CGROUP_WRITEBACK),
		  "would", "dirty or being written; sync(1) writes it" },
		{ cgroup_or_0(last, CGROUP_MAPPED), "may",
		  "mapped by processes" },
		{ cgroup_or_0(last, CGROUP_SHMEM), "would",
		  "shared memory and tmpfs, which can only be swapped out" },
		{ done ? 0 : drop->protected_bytes, "may",
		  "protected by memory.min or memory.low below it" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (reasons[i].bytes)
			drop_line(to, "%s %s%s: %s",
				  DROP_SIZE(reasons[i].bytes, to),
				  done ? "stayed" : reasons[i].verb,
				  done ? "" : " stay", reasons[i].why);
	}
}

/* What happened to anonymous memory, which was not to be released. */
static void put_anonymous(struct drop_text *to, const struct drop_cgroup *drop)
{
	uint64_t before = cgroup_or_0(&drop->before, CGROUP_SWAP);
	uint64_t after = cgroup_or_0(&drop->after, CGROUP_SWAP);

	if (drop->spares_anonymous || !drop->has_swap)
		return;
	if (drop->result.done)
		drop_line(to, "%s of anonymous memory was swapped out",
			  DROP_SIZE(less(after, before), to));
	else
		drop_line(to, "anonymous memory may be swapped out in its "
			      "place: this kernel cannot spare it (Linux 6.9)");
}

/* In bytes. */
static struct drop_pages sizes_of(const struct cgroup_figures *figures)
{
	return (struct drop_pages){
		.has_pages = true,
		.pages = cgroup_file_lists(figures),
		.has_dirty = cgroup_has(figures, CGROUP_DIRTY),
		.dirty = cgroup_or_0(figures, CGROUP_DIRTY),
	};
}

int drop_cgroup_text_put(FILE *out, const struct drop_cgroup *drop,
			 const struct drop_style *style)
{
	const struct drop_pages before = sizes_of(&drop->before);
	const struct drop_pages after = sizes_of(&drop->after);
	struct drop_text to;

	drop_text_begin(&to, out, drop->path, 1, style);
	if (drop->result.done)
		drop_outcome_put(&to, &before, &after);
	else
		drop_forecast_put(&to, &before, drop->least_bytes,
				  drop->most_bytes, false);
	put_stays(&to, drop);
	put_anonymous(&to, drop);
	put_users(&to, &drop->users);
	return sentence_end(&to.out, NULL);
}

static struct column_value get_lists(const void *record)
{
	return column_number(true, (int64_t)cgroup_file_lists(record));
}

static struct column_value get_figure(const void *record, size_t figure)
{
	return column_number(cgroup_has(record, (enum cgroup_figure)figure),
			     (int64_t)cgroup_or_0(record,
						  (enum cgroup_figure)figure));
}

#define FIGURE(k, figure)                                                      \
	FIELD_VALUE(k, COLUMN_BYTES), .value_of = get_figure,                  \
				      .which = (figure), .null = ""

static const struct field figures_list[] = {
	{ FIELD_VALUE("lru_file_bytes", COLUMN_BYTES), .value = get_lists,
	  .about = "page cache that reclaim may look at" },
	{ FIGURE("current_bytes", CGROUP_CURRENT) },
	{ FIGURE("file_bytes", CGROUP_FILE) },
	{ FIGURE("shmem_bytes", CGROUP_SHMEM) },
	{ FIGURE("mapped_bytes", CGROUP_MAPPED) },
	{ FIGURE("dirty_bytes", CGROUP_DIRTY) },
	{ FIGURE("writeback_bytes", CGROUP_WRITEBACK) },
	{ FIGURE("swap_bytes", CGROUP_SWAP) },
};

static const struct fields figures_fields =
	FIELDS(struct cgroup_figures, figures_list);

static const struct field cgroup_list[] = {
	{ FIELD_SENTENCE(struct drop_cgroup, path, "path") },
	{ FIELD_STRING(struct drop_cgroup, directory, "directory",
		       SAYS_CGROUP) },
	{ FIELD_OBJECT(struct drop_cgroup, before, "before", &figures_fields) },
	{ FIELD(struct drop_cgroup, least_bytes, "release_least_bytes",
		UINT64_MAX),
	  .about = "of lru_file_bytes that would be released, at least" },
	{ FIELD(struct drop_cgroup, most_bytes, "release_most_bytes",
		UINT64_MAX),
	  .about = "and at most" },
	{ FIELD(struct drop_cgroup, protected_bytes, "protected_bytes",
		UINT64_MAX),
	  .about = "by memory.min and memory.low of the cgroups below it" },
	{ FIELD(struct drop_cgroup, spares_anonymous, "spares_anonymous", 0),
	  .about = "the kernel can reclaim page cache alone" },
	{ FIELD_STRINGS(struct drop_cgroup, users, "users", SAYS_USER),
	  .about = "some of the processes in it" },
	{ FIELD_OBJECT(struct drop_cgroup, after, "after", &figures_fields),
	  FIELD_KNOWN(struct drop_cgroup, result.done),
	  .null = "nothing was done" },
	{ FIELD_PART(struct drop_cgroup, result, &drop_done_fields) },
};

const struct fields drop_cgroup_fields =
	FIELDS(struct drop_cgroup, cgroup_list);
