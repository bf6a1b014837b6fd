// SPDX-License-Identifier: GPL-2.0-or-later
#include "cgroups/cgroup_rows.h"

static struct column_value get_figure(const void *data, size_t which)
{
	const struct cgroup_row *row = data;
	const struct cgroup_figures *figures = &row->cgroup->figures;

	return column_number(cgroup_has(figures, which),
			     (int64_t)figures->values[which]);
}

static struct column_value get_container(const void *row)
{
	return column_text(((const struct cgroup_row *)row)->cgroup->container);
}

static struct column_value get_own(const void *row)
{
	const struct cgroup *cgroup = ((const struct cgroup_row *)row)->cgroup;

	return column_number(cgroup->has_own, (int64_t)cgroup->own_bytes);
}

static struct column_value get_change(const void *data)
{
	const struct cgroup_row *row = data;

	return column_number(row->has_change, row->change_bytes);
}

/* The parts of its kernel memory that have a counter; not known if one lacks. */
static struct column_value kernel_parts(const struct cgroup_row *row)
{
	static const struct {
		enum cgroup_figure figure;
		bool is_late; /* not in every kernel that has a sum */
	} parts[] = {
		{ CGROUP_KERNEL_STACK, false },
		{ CGROUP_PAGE_TABLES, false },
		{ CGROUP_PERCPU, false },
		{ CGROUP_VMALLOC, false },
		{ CGROUP_SLAB, false },
		{ CGROUP_SEC_PAGE_TABLES, true },
		{ CGROUP_ZSWAP, true },
	};
	struct column_value sum = { .known = true };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct column_value part = get_figure(row, parts[i].figure);

		sum.known &= part.known || parts[i].is_late;
		sum.number += part.number;
	}
	return sum;
}

/* Where the kernel has no sum (before Linux 5.18), the parts that it counts. */
static struct column_value get_kernel(const void *row)
{
	struct column_value sum = get_figure(row, CGROUP_KERNEL);
	int64_t parts = kernel_parts(row).number;

	return sum.known ? sum : column_number(parts > 0, parts);
}

/* As kubelet has it, which evicts by this. */
static struct column_value get_working_set(const void *row)
{
	struct column_value value = get_figure(row, CGROUP_CURRENT);
	struct column_value idle = get_figure(row, CGROUP_INACTIVE_FILE);

	value.known &= idle.known;
	value.number = value.number > idle.number ? value.number - idle.number :
						    0;
	return value;
}

/*
 * What of its kernel memory has no counter of its own: pipes, sockets' buffers,
 * BPF. It is in no field of /proc/meminfo either. Absent where the kernel has
 * no sum (before Linux 5.18), and if the parts exceed it.
 */
static struct column_value get_unaccounted(const void *row)
{
	struct column_value rest = get_figure(row, CGROUP_KERNEL);
	struct column_value parts = kernel_parts(row);

	rest.number -= parts.number;
	rest.known &= parts.known && rest.number >= 0;
	return rest;
}

static struct column_value get_reclaimable(const void *row)
{
	const struct cgroup_limit *limit =
		((const struct cgroup_row *)row)->limit;

	return column_number(limit->has_reclaimable,
			     (int64_t)limit->reclaimable_bytes);
}

static struct column_value get_left(const void *row)
{
	const struct cgroup_limit *limit =
		((const struct cgroup_row *)row)->limit;

	return column_number(limit->nearest.kind != LIMIT_NONE,
			     limit->nearest_left_bytes);
}

static struct column_value get_limited_by(const void *data)
{
	const struct cgroup_row *row = data;
	const struct limits *limits = &row->sample->limits;
	const struct cgroup_limit *limit = row->limit;

	switch (limit->nearest.kind) {
	case LIMIT_NONE:
		break;
	case LIMIT_HOST:
		return column_text("host");
	case LIMIT_NODES:
		return column_text(
			limits->cgroups[limit->nearest.cgroup].nodes);
	case LIMIT_CGROUP:
		return column_text(
			row->sample->cgroups.cgroups[limit->nearest.cgroup]
				.path);
	}
	return column_text(NULL);
}

static struct column_value get_pressure(const void *row, size_t which)
{
	struct column_value value = get_figure(row, which);

	if (value.known)
		value.percent = (double)value.number / 100;
	return value;
}

static const struct column columns[] = {
	{ "CGROUP", "cgroup", "its name in the tree; its path in a list",
	  COLUMN_TEXT, COLUMN_USUAL, .always = true,
	  COLUMN_AT(column_text_at, struct cgroup_row, shown) },
	{ "CONTAINER", "container", "runtime and id, by the cgroup's name",
	  COLUMN_TEXT, COLUMN_USUAL, .leave = 3, .value = get_container },
	{ "CURRENT", "current_bytes", "all that is charged to it", COLUMN_BYTES,
	  COLUMN_USUAL, .value_of = get_figure, .which = CGROUP_CURRENT },
	{ "CHANGE", "change_bytes", "change of CURRENT since the last sample",
	  COLUMN_CHANGE, COLUMN_WITH_HISTORY, .leave = 9, .value = get_change },
	{ "OWN", "own_bytes", "of CURRENT: in no cgroup below that lives",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .leave = 1, .value = get_own },
	{ "ANON", "anon_bytes", "anonymous memory", COLUMN_BYTES, COLUMN_USUAL,
	  .leave = 10, .value_of = get_figure, .which = CGROUP_ANON },
	{ "FILE", "file_bytes", "page cache, with SHMEM", COLUMN_BYTES,
	  COLUMN_USUAL, .leave = 11, .value_of = get_figure,
	  .which = CGROUP_FILE },
	{ "SHMEM", "shmem_bytes", "of FILE: tmpfs and shared memory",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 6, .value_of = get_figure,
	  .which = CGROUP_SHMEM },
	{ "DIRTY", "dirty_bytes", "of FILE: not yet written", COLUMN_BYTES,
	  COLUMN_USUAL, .leave = 5, .value_of = get_figure,
	  .which = CGROUP_DIRTY },
	{ "WRITEBACK", "writeback_bytes", "of FILE: being written",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_WRITEBACK },
	{ "KERNEL", "kernel_bytes", "the kernel's memory for it", COLUMN_BYTES,
	  COLUMN_USUAL, .leave = 7, .value = get_kernel },
	{ "SLAB", "slab_bytes", "of KERNEL: names, inodes and other objects",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_SLAB },
	{ "UNACCOUNTED", "unaccounted_bytes",
	  "of KERNEL: what has no counter, such as pipes", COLUMN_BYTES,
	  COLUMN_ON_REQUEST, .leave = 1, .value = get_unaccounted },
	{ "SWAP", "swap_bytes", "its memory in swap", COLUMN_BYTES,
	  COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_SWAP },
	{ "WORKING-SET", "working_set_bytes",
	  "CURRENT without inactive pages of files", COLUMN_BYTES,
	  COLUMN_ON_REQUEST, .leave = 1, .value = get_working_set },
	{ "MIN", "min_bytes", "memory.min: so much is never reclaimed",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_MIN },
	{ "LOW", "low_bytes", "memory.low: so much is reclaimed last",
	  COLUMN_BYTES, COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_LOW },
	{ "HIGH", "high_bytes", "memory.high: beyond it, it is slowed down",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 13, .value_of = get_figure,
	  .which = CGROUP_HIGH },
	{ "MAX", "max_bytes", "memory.max: beyond it, it is killed",
	  COLUMN_BYTES, COLUMN_USUAL, .leave = 14, .value_of = get_figure,
	  .which = CGROUP_MAX },
	{ "RECLAIMABLE", "reclaimable_bytes",
	  "FILE that is clean and not mapped, and slab", COLUMN_BYTES,
	  COLUMN_USUAL, .leave = 12, .value = get_reclaimable },
	{ "LEFT", "left_bytes", "until the limit that is reached first",
	  COLUMN_BYTES, COLUMN_USUAL, .is_signed = true, .leave = 15,
	  .value = get_left },
	{ "LIMITED-BY", "limited_by",
	  "whose limit that is: a cgroup, host, or NUMA nodes", COLUMN_PATH,
	  COLUMN_ON_REQUEST, .leave = 1, .value = get_limited_by },
	{ "SOME", "pressure_some_percent",
	  "of the last 10 s: a task waited for memory", COLUMN_PERCENT,
	  COLUMN_USUAL, .leave = 2, .value_of = get_pressure,
	  .which = CGROUP_SOME },
	{ "FULL", "pressure_full_percent", "the same, and no task ran",
	  COLUMN_PERCENT, COLUMN_USUAL, .leave = 8, .value_of = get_pressure,
	  .which = CGROUP_FULL },
	{ "LOWS", "low_events", "times it was reclaimed below memory.low",
	  COLUMN_COUNT, COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_LOW_EVENTS },
	{ "HIGHS", "high_events", "times it exceeded memory.high", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_HIGH_EVENTS },
	{ "MAXS", "max_events", "times it was about to exceed memory.max",
	  COLUMN_COUNT, COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_MAX_EVENTS },
	{ "OOMS", "oom_events", "times that no reclaim helped", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_OOM_EVENTS },
	{ "KILLS", "oom_kills", "processes that were killed for it",
	  COLUMN_COUNT, COLUMN_USUAL, .leave = 4, .value_of = get_figure,
	  .which = CGROUP_OOM_KILLS },
	{ "REFAULTS", "refaults_file", "pages of files read again too soon",
	  COLUMN_COUNT, COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_REFAULTS_FILE },
	{ "SWAP-REFAULT", "refaults_anon",
	  "anonymous pages swapped in again too soon", COLUMN_COUNT,
	  COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_REFAULTS_ANON },
	{ "DEAD", "dead", "removed cgroups below it that still hold memory",
	  COLUMN_COUNT, COLUMN_ON_REQUEST, .leave = 1, .value_of = get_figure,
	  .which = CGROUP_DEAD },
};

const struct column_set cgroup_columns = COLUMN_SET("cgroups", columns);
