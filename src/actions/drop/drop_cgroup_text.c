// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdio.h>

#include "drop/drop_cgroup.h"
#include "drop/drop_cgroup_text.h"
#include "drop/drop_text.h"
#include "lib/json_out.h"
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

static void write_figures(struct json_out *json, const char *key,
			  const struct cgroup_figures *figures)
{
	static const struct {
		const char *key;
		enum cgroup_figure figure;
	} members[] = {
		{ "current_bytes", CGROUP_CURRENT },
		{ "file_bytes", CGROUP_FILE },
		{ "shmem_bytes", CGROUP_SHMEM },
		{ "mapped_bytes", CGROUP_MAPPED },
		{ "dirty_bytes", CGROUP_DIRTY },
		{ "writeback_bytes", CGROUP_WRITEBACK },
		{ "swap_bytes", CGROUP_SWAP },
	};

	json_out_object(json, key);
	json_out_unsigned(json, "lru_file_bytes", cgroup_file_lists(figures));
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		json_out_unsigned_if(json, members[i].key,
				     cgroup_has(figures, members[i].figure),
				     cgroup_or_0(figures, members[i].figure));
	}
	json_out_object_end(json);
}

void drop_cgroup_json_write(struct json_out *json,
			    const struct drop_cgroup *drop)
{
	json_out_array(json, "cgroups");
	if (drop && drop->directory) {
		json_out_object(json, NULL);
		json_out_string(json, "path", drop->path);
		json_out_string(json, "directory", drop->directory);
		write_figures(json, "before", &drop->before);
		json_out_unsigned(json, "release_least_bytes",
				  drop->least_bytes);
		json_out_unsigned(json, "release_most_bytes", drop->most_bytes);
		json_out_unsigned(json, "protected_bytes",
				  drop->protected_bytes);
		json_out_bool(json, "spares_anonymous", drop->spares_anonymous);
		json_out_strings(json, "users", &drop->users);
		if (drop->result.done)
			write_figures(json, "after", &drop->after);
		else
			json_out_null(json, "after");
		drop_done_write(json, &drop->result);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}
