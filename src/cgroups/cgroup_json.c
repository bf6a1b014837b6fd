// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroups/cgroup_rows.h"
#include "lib/json_out.h"
#include "measure/provenance.h"
#include "table/cell.h"

static void write_next(struct json_out *json,
		       const struct cgroup_sample *sample)
{
	const struct limits *limits = &sample->limits;
	const struct cgroups *cgroups = &sample->cgroups;
	const struct cgroup_limit *limit;
	const struct cgroup *cgroup;

	if (!limits->has_next) {
		json_out_null(json, "next_limit");
		return;
	}
	json_out_object(json, "next_limit");
	if (limits->next == LIMIT_HOST) {
		json_out_null(json, "cgroup");
		json_out_string(json, "limit", "host");
		json_out_unsigned(json, "limit_bytes", limits->host_bytes);
		json_out_null(json, "current_bytes");
		json_out_null(json, "reclaimable_bytes");
		json_out_unsigned(json, "left_bytes",
				  limits->host_available_bytes);
	} else {
		limit = &limits->cgroups[limits->next];
		cgroup = &cgroups->cgroups[limits->next];
		json_out_string(json, "cgroup", cgroup->path);
		json_out_string(json, "limit", limit_name(cgroups, limit));
		json_out_unsigned(json, "limit_bytes", limit->limit_bytes);
		json_out_unsigned(json, "current_bytes",
				  cgroup->figures.values[CGROUP_CURRENT]);
		json_out_unsigned(json, "reclaimable_bytes",
				  limit->reclaimable_bytes);
		json_out_signed(json, "left_bytes", limit->left_bytes);
	}
	json_out_object_end(json);
}

void cgroup_json_print(FILE *out, const struct cgroup_sample *sample,
		       const struct cgroup_rows *rows,
		       const struct column_choice *columns,
		       const struct provenance *provenance)
{
	const struct cgroups *cgroups = &sample->cgroups;
	struct json_out json;

	json_out_init(&json, out);
	json_out_object(&json, NULL);
	provenance_write(&json, provenance, hierarchy_name(&cgroups->hierarchy),
			 cgroups_are_whole(cgroups));
	json_out_string(&json, "mount", cgroups->hierarchy.mount);
	write_next(&json, sample);
	json_out_array(&json, "cgroups");
	for (size_t i = 0; i < rows->count; i++)
		table_json_write_row(&json, columns, &rows->rows[i]);
	json_out_array_end(&json);
	json_out_object_end(&json);
	json_out_finish(&json);
}
