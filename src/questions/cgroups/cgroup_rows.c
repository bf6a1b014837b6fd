// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/cgroup_rows.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "measure/meminfo.h"
#include "memory/zone_rows.h"

int cgroup_sample_take(struct cgroup_sample *sample, const struct sysroot *root,
		       struct error *err)
{
	struct meminfo meminfo;
	int64_t said_bytes;
	int ret, ret_cgroups;

	*sample = (struct cgroup_sample){ 0 };
	ret_cgroups = cgroups_read(&sample->cgroups, root, err);
	if (ret_cgroups < 0)
		cgroups_deinit(&sample->cgroups);
	ret = zones_read(&sample->zones, &sample->page_size, root,
			 &sample->no_host);
	if (meminfo_read(&meminfo, root, NULL) < 0 ||
	    !meminfo_bytes(&meminfo, MEMINFO_MEM_AVAILABLE, &said_bytes))
		said_bytes = -1;
	if (ret != -ENOMEM)
		ret = limits_init(&sample->limits, &sample->cgroups,
				  &sample->zones, sample->page_size,
				  said_bytes);
	if (ret_cgroups < 0)
		return ret_cgroups;
	return ret < 0 ? error_errno(err, -ret, "reading cgroups",
				     sample->cgroups.hierarchy.mount) :
			 0;
}

bool cgroup_sample_is_whole(const struct cgroup_sample *sample)
{
	return cgroups_are_whole(&sample->cgroups) &&
	       !sample->cgroups.excess_bytes &&
	       !sample->limits.said_available_bytes &&
	       !error_is_set(&sample->no_host);
}

void cgroup_sample_deinit(struct cgroup_sample *sample)
{
	limits_deinit(&sample->limits);
	zoneinfo_deinit(&sample->zones);
	cgroups_deinit(&sample->cgroups);
}

/* Marks what is to be shown: what is chosen, and all below it. */
static void choose(const struct cgroups *cgroups, struct selection *selection,
		   bool *chosen)
{
	for (size_t i = 0; i < cgroups->count; i++) {
		const struct cgroup *cgroup = &cgroups->cgroups[i];
		const struct called called = {
			.cgroup = cgroup->path,
			.mount = cgroups->hierarchy.mount,
		};

		chosen[i] = selection_has(selection, &called) ||
			    (cgroup->parent != CGROUP_NONE &&
			     chosen[cgroup->parent]);
	}
}

static int by_path(const void *left, const void *right)
{
	const struct cgroup *const *a = left, *const *b = right;

	return strcmp((*a)->path, (*b)->path);
}

/* The cgroups sorted by path; the caller frees it. NULL: out of memory. */
static const struct cgroup **index_paths(const struct cgroups *cgroups)
{
	const struct cgroup **index =
		calloc(cgroups->count + 1, sizeof(*index));

	for (size_t i = 0; index && i < cgroups->count; i++)
		index[i] = &cgroups->cgroups[i];
	if (index)
		qsort(index, cgroups->count, sizeof(*index), by_path);
	return index;
}

static void compare(struct cgroup_row *row, const struct cgroup **index,
		    size_t count)
{
	const struct cgroup *now = &row->sample->cgroups.cgroups[row->index];
	const struct cgroup **found =
		bsearch(&now, index, count, sizeof(*index), by_path);

	if (!found || !cgroup_has(&now->figures, CGROUP_CURRENT) ||
	    !cgroup_has(&(*found)->figures, CGROUP_CURRENT))
		return;
	row->has_change = true;
	row->change_bytes = (int64_t)now->figures.values[CGROUP_CURRENT] -
			    (int64_t)(*found)->figures.values[CGROUP_CURRENT];
}

static int compare_all(struct cgroup_rows *rows, const struct cgroups *last)
{
	_cleanup_(freep) const struct cgroup **index = index_paths(last);

	if (!index)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++)
		compare(&rows->rows[i], index, last->count);
	return 0;
}

/* The top of the tree shows its path: it may not be the root. */
static void add_rows(struct cgroup_rows *rows,
		     const struct cgroup_sample *sample, const bool *chosen,
		     size_t *row_of)
{
	const struct cgroups *cgroups = &sample->cgroups;

	for (size_t i = 0; i < cgroups->count; i++) {
		const struct cgroup *cgroup = &cgroups->cgroups[i];
		size_t parent = cgroup->parent;
		bool is_top = parent == CGROUP_NONE || !chosen[parent];

		if (!chosen[i])
			continue;
		row_of[i] = rows->count;
		if (rows->parents)
			rows->parents[rows->count] = is_top ? TABLE_NO_PARENT :
							      row_of[parent];
		rows->rows[rows->count++] = (struct cgroup_row){
			.sample = sample,
			.index = i,
			.shown = rows->parents && !is_top ? cgroup->name :
							    cgroup->path,
		};
	}
}

int cgroup_rows_init(struct cgroup_rows *rows,
		     const struct cgroup_sample *sample,
		     const struct cgroup_sample *last,
		     const struct cgroup_choice *choice, struct error *err)
{
	size_t room = sample->cgroups.count + 1;
	_cleanup_(freep) bool *chosen = calloc(room, sizeof(*chosen));
	_cleanup_(freep) size_t *row_of = calloc(room, sizeof(*row_of));

	*rows = (struct cgroup_rows){ 0 };
	rows->rows = calloc(room, sizeof(*rows->rows));
	if (!choice->is_list)
		rows->parents = calloc(room, sizeof(*rows->parents));
	if (!chosen || !row_of || !rows->rows ||
	    (!choice->is_list && !rows->parents))
		return error_errno(err, ENOMEM, "printing", "the cgroups");
	choose(&sample->cgroups, choice->selection, chosen);
	add_rows(rows, sample, chosen, row_of);
	if (last && compare_all(rows, &last->cgroups) < 0)
		return error_errno(err, ENOMEM, "comparing", "two samples");
	if (choice->order.column)
		column_sort(rows->rows, rows->count, sizeof(*rows->rows),
			    &choice->order);
	return 0;
}

void cgroup_rows_deinit(struct cgroup_rows *rows)
{
	free(rows->rows);
	free(rows->parents);
	*rows = (struct cgroup_rows){ 0 };
}

struct table_rows cgroup_rows_of_table(const struct cgroup_rows *rows)
{
	return (struct table_rows){
		.rows = rows->rows,
		.count = rows->count,
		.size = sizeof(*rows->rows),
		.parents = rows->parents,
	};
}
