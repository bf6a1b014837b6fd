// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroups/cgroup_rows.h"
#include "measure/provenance.h"

/* The limit that is next. */
struct next {
	const char *cgroup;
	const char *limit;
	uint64_t bytes;
	bool is_cgroup;
	uint64_t used_bytes;
	bool has_reclaimable;
	uint64_t reclaimable_bytes;
	int64_t left_bytes;
	const char *low_zone;
};

static bool make_next(const void *record, size_t which __attribute__((unused)),
		      void *made)
{
	const struct cgroup_sample *sample = record;
	const struct limits *limits = &sample->limits;
	const struct limit of = limits->next;
	/* The host's belongs to no cgroup, and there may be none. */
	bool has_cgroup = of.kind == LIMIT_CGROUP || of.kind == LIMIT_NODES;
	const struct cgroup_limit *limit =
		has_cgroup ? &limits->cgroups[of.cgroup] : NULL;
	struct next *next = made;

	if (of.kind == LIMIT_NONE)
		return false;
	next->limit = limit_name(limits, &sample->cgroups, of);
	next->low_zone = limits->low_zone ? limits->low_zone->name : NULL;
	if (!limit) {
		next->bytes = limits->host_bytes;
		next->left_bytes = (int64_t)limits->host_available_bytes;
		return true;
	}
	next->cgroup = sample->cgroups.cgroups[of.cgroup].path;
	next->is_cgroup = of.kind == LIMIT_CGROUP;
	next->bytes = next->is_cgroup ? limit->limit_bytes : limit->nodes_bytes;
	next->left_bytes = next->is_cgroup ?
				   limit->left_bytes :
				   (int64_t)limit->nodes_available_bytes;
	next->used_bytes = limit->used_bytes;
	next->has_reclaimable = limit->has_own_reclaimable;
	next->reclaimable_bytes = limit->reclaimable_bytes;
	return true;
}

static const struct field next_list[] = {
	{ FIELD_SENTENCE(struct next, cgroup, "cgroup"), .null = "the host" },
	{ FIELD_SENTENCE(struct next, limit, "limit"),
	  .about = "the file that has it, cpuset.mems or host" },
	{ FIELD(struct next, bytes, "limit_bytes", UINT64_MAX),
	  .about = "of the host or of nodes: all their memory" },
	{ FIELD(struct next, used_bytes, "current_bytes", UINT64_MAX),
	  FIELD_KNOWN(struct next, is_cgroup),
	  .null = "the host and NUMA nodes" },
	{ FIELD(struct next, reclaimable_bytes, "reclaimable_bytes",
		UINT64_MAX),
	  FIELD_KNOWN(struct next, has_reclaimable),
	  .null = "the host and NUMA nodes, and where it is not known" },
	{ FIELD(struct next, left_bytes, "left_bytes", INT64_MAX),
	  .about = "of the host or of nodes: what is available; at least, if "
		   "reclaimable_bytes of a cgroup is null" },
	{ FIELD_SENTENCE(struct next, low_zone, "low_zone"),
	  .about = "a zone with less free than its low watermark",
	  .null = "there is none" },
};

static const struct fields next_fields = FIELDS(struct next, next_list);

static const struct field limit_list[] = {
	{ FIELD_MADE_OBJECT("next_limit", &next_fields, make_next),
	  .null = "none is known" },
};

const struct fields cgroup_next_fields =
	FIELDS(struct cgroup_sample, limit_list);

static const struct field answer_list[] = {
	{ FIELD_TEXT(struct cgroup_answer, sample.cgroups.hierarchy.mount,
		     "mount", SAYS_PLACE) },
	{ FIELD_PART(struct cgroup_answer, sample, &cgroup_next_fields) },
};

static const struct fields answer_fields =
	FIELDS(struct cgroup_answer, answer_list);

static const struct field document_list[] = {
	{ DOCUMENT_HEAD },
	{ DOCUMENT_ANSWER(&answer_fields) },
	{ DOCUMENT_ROWS("cgroups", &cgroup_columns) },
};

const struct fields cgroup_document = FIELDS(struct document, document_list);
