// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroups/cgroup_rows.h"
#include "lib/json_out.h"
#include "measure/provenance.h"
#include "table/cell.h"

void cgroup_json_write_next(struct json_out *json,
			    const struct cgroup_sample *sample)
{
	const struct limits *limits = &sample->limits;
	const struct limit next = limits->next;
	static const struct cgroup_limit no_limit;
	static const struct cgroup no_cgroup;
	bool is_host = next.kind == LIMIT_HOST;
	bool is_cgroup = next.kind == LIMIT_CGROUP;
	/* The host's limit belongs to no cgroup, and there may be none. */
	bool has_cgroup = is_cgroup || next.kind == LIMIT_NODES;
	const struct cgroup_limit *limit =
		has_cgroup ? &limits->cgroups[next.cgroup] : &no_limit;
	const struct cgroup *cgroup =
		has_cgroup ? &sample->cgroups.cgroups[next.cgroup] : &no_cgroup;
	uint64_t bytes = limit->nodes_bytes;
	int64_t left_bytes = (int64_t)limit->nodes_available_bytes;

	if (next.kind == LIMIT_NONE) {
		json_out_null(json, "next_limit");
		return;
	}
	if (is_host) {
		bytes = limits->host_bytes;
		left_bytes = (int64_t)limits->host_available_bytes;
	} else if (is_cgroup) {
		bytes = limit->limit_bytes;
		left_bytes = limit->left_bytes;
	}
	json_out_object(json, "next_limit");
	json_out_string(json, "cgroup", cgroup->path);
	json_out_string(json, "limit",
			limit_name(limits, &sample->cgroups, next));
	json_out_unsigned(json, "limit_bytes", bytes);
	json_out_unsigned_if(json, "current_bytes", is_cgroup,
			     limit->used_bytes);
	json_out_unsigned_if(json, "reclaimable_bytes",
			     limit->has_own_reclaimable,
			     limit->reclaimable_bytes);
	json_out_signed(json, "left_bytes", left_bytes);
	json_out_string(json, "low_zone",
			limits->low_zone ? limits->low_zone->name : NULL);
	json_out_object_end(json);
}

void cgroup_json_print(FILE *out, const struct cgroup_sample *sample,
		       const struct cgroup_rows *rows,
		       const struct column_choice *columns,
		       const struct provenance *provenance, bool compact)
{
	const struct cgroups *cgroups = &sample->cgroups;
	struct json_out json;

	document_begin(&json, out, compact, provenance,
		       hierarchy_name(&cgroups->hierarchy),
		       cgroup_sample_is_whole(sample));
	json_out_string(&json, "mount", cgroups->hierarchy.mount);
	cgroup_json_write_next(&json, sample);
	table_json_write_rows(&json, "cgroups", columns,
			      &TABLE_OF(rows->rows, rows->count));
	document_end(&json);
}
