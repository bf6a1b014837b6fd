// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdio.h>

#include "drop/drop_cgroup.h"
#include "drop/drop_cgroup_text.h"
#include "drop/drop_text.h"
#include "lib/json_out.h"
#include "lib/lesser.h"

#define MOST_NAMED_USERS 5

/* One reason why page cache stays, if there is any of it. */
static void put_stays(FILE *out, const struct drop_cgroup *drop, uint64_t bytes,
		      const char *verb, const char *why,
		      const struct drop_style *style)
{
	if (!bytes)
		return;
	drop_indent_put(out, style, "%s %s: %s\n", DROP_SIZE(bytes, style),
			drop->done ? "stayed" : verb, why);
}

static void put_users(FILE *out, const struct drop_cgroup *drop,
		      const struct drop_style *style)
{
	const struct string_list *users = &drop->users;

	if (!users->count)
		return;
	drop_indent_put(out, style, "in use by ");
	drop_list_put(out, users, MOST_NAMED_USERS);
	fputs(users->count > MOST_NAMED_USERS ? " and others\n" : "\n", out);
}

static void put_all_stays(FILE *out, const struct drop_cgroup *drop,
			  const struct drop_style *style)
{
	const struct cgroup_figures *last = drop->done ? &drop->after :
							 &drop->before;

	put_stays(out, drop,
		  cgroup_or_0(last, CGROUP_DIRTY) +
			  cgroup_or_0(last, CGROUP_WRITEBACK),
		  "would stay", "dirty or being written; sync(1) writes it",
		  style);
	put_stays(out, drop, cgroup_or_0(last, CGROUP_MAPPED), "may stay",
		  "mapped by processes", style);
	put_stays(out, drop, cgroup_or_0(last, CGROUP_SHMEM), "would stay",
		  "shared memory and tmpfs, which can only be swapped out",
		  style);
	if (!drop->done)
		put_stays(out, drop, drop->protected_bytes, "may stay",
			  "protected by memory.min or memory.low below it",
			  style);
}

/* What happened to anonymous memory, which was not to be released. */
static void put_anonymous(FILE *out, const struct drop_cgroup *drop,
			  const struct drop_style *style)
{
	uint64_t before = cgroup_or_0(&drop->before, CGROUP_SWAP);
	uint64_t after = cgroup_or_0(&drop->after, CGROUP_SWAP);

	if (drop->spares_anonymous || !drop->has_swap)
		return;
	if (drop->done)
		drop_indent_put(out, style,
				"%s of anonymous memory was swapped out\n",
				DROP_SIZE(less(after, before), style));
	else
		drop_indent_put(out, style,
				"anonymous memory may be swapped out in its "
				"place: this kernel cannot spare it "
				"(Linux 6.9)\n");
}

static struct drop_sizes sizes_of(const struct cgroup_figures *figures)
{
	return (struct drop_sizes){
		.is_known = true,
		.bytes = cgroup_file_lists(figures),
		.has_dirty = cgroup_has(figures, CGROUP_DIRTY),
		.dirty = cgroup_or_0(figures, CGROUP_DIRTY),
	};
}

void drop_cgroup_text_put(FILE *out, const struct drop_cgroup *drop,
			  const struct drop_style *style)
{
	const struct drop_sizes before = sizes_of(&drop->before);
	const struct drop_sizes after = sizes_of(&drop->after);

	drop_name_put(out, drop->path, style);
	if (drop->done)
		drop_outcome_put(out, &before, &after, style);
	else
		drop_forecast_put(out, &before, drop->least_bytes,
				  drop->most_bytes, false, style);
	put_all_stays(out, drop, style);
	put_anonymous(out, drop, style);
	put_users(out, drop, style);
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
		if (drop->done)
			write_figures(json, "after", &drop->after);
		else
			json_out_null(json, "after");
		json_out_bool(json, "done", drop->done);
		json_out_error(json, "error", &drop->error);
		json_out_object_end(json);
	}
	json_out_array_end(json);
}
