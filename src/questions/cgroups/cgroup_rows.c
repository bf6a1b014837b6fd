// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/cgroup_rows.h"
#include "cgroups/cgroups_saved.h"
#include "filesystems/selection.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "measure/meminfo.h"
#include "memory/zone_rows.h"

int cgroup_sample_take(struct cgroup_sample *sample, const struct sysroot *root,
		       struct error *err)
{
	struct meminfo meminfo;
	int64_t said_bytes;
	int ret, ret_cgroups;
	struct error why;

	*sample = (struct cgroup_sample){ 0 };
	ret_cgroups = cgroups_read(&sample->cgroups, root, &why);
	if (ret_cgroups < 0) {
		cgroups_deinit(&sample->cgroups);
		if (why.class != ERROR_UNUSABLE)
			sample->no_cgroups = why;
		if (err)
			*err = why;
	}
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

		chosen[i] = !selection || selection_has(selection, &called) ||
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
	const struct cgroup *now = row->cgroup;
	const struct cgroup **found =
		bsearch(&now, index, count, sizeof(*index), by_path);

	if (!found || !cgroup_has(&now->figures, CGROUP_CURRENT) ||
	    !cgroup_has(&(*found)->figures, CGROUP_CURRENT))
		return;
	row->has_change = true;
	row->change_bytes = (int64_t)now->figures.values[CGROUP_CURRENT] -
			    (int64_t)(*found)->figures.values[CGROUP_CURRENT];
}

static int compare_all(struct rows *rows, const struct cgroups *last)
{
	_cleanup_(freep) const struct cgroup **index = index_paths(last);

	if (!index)
		return -ENOMEM;
	for (size_t i = 0; i < rows->count; i++)
		compare(rows_at(rows, i), index, last->count);
	return 0;
}

/* The top of the tree shows its path: it may not be the root. */
static void add_rows(struct rows *rows, const struct cgroup_sample *sample,
		     const bool *chosen, size_t *row_of)
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
		*(struct cgroup_row *)rows_add(rows) = (struct cgroup_row){
			.sample = sample,
			.cgroup = cgroup,
			.limit = &sample->limits.cgroups[i],
			.shown = rows->parents && !is_top ? cgroup->name :
							    cgroup->path,
		};
	}
}

static int make_rows(struct cgroup_answer *answer, const struct asking *asking)
{
	const struct cgroup_answer *last = asking->last;
	const struct cgroups *cgroups = &answer->sample.cgroups;
	_cleanup_(freep) bool *chosen =
		calloc(cgroups->count + 1, sizeof(*chosen));
	_cleanup_(freep)
		size_t *row_of = calloc(cgroups->count + 1, sizeof(*row_of));
	struct rows *rows = &answer->head.rows;

	if (!chosen || !row_of ||
	    rows_init(rows, cgroups->count, sizeof(struct cgroup_row),
		      asking->is_tree) < 0)
		return -ENOMEM;
	choose(cgroups, asking->selection, chosen);
	add_rows(rows, &answer->sample, chosen, row_of);
	return last ? compare_all(rows, &last->sample.cgroups) : 0;
}

/* The files of the host's zones are kept beside. */
static int keep_cgroups(struct cgroups *cgroups, const struct sysroot *root,
			struct error *err)
{
	int ret = cgroups_read(cgroups, root, err);

	if (ret < 0)
		return ret;
	return cgroups_find_own(cgroups, root) < 0 ?
		       error_errno(err, ENOMEM, "reading", "cgroups") :
		       0;
}

static int cgroup_answer_take(void *data, const struct asking *asking,
			      struct error *err)
{
	struct cgroup_answer *answer = data;
	struct cgroup_sample *sample = &answer->sample;
	int ret;

	if (asking->purpose != ASKED_TO_SHOW)
		return keep_cgroups(&sample->cgroups, asking->root, err);
	ret = cgroup_sample_take(sample, asking->root, err);
	if (ret < 0)
		return ret;
	answer->head.source = hierarchy_name(&sample->cgroups.hierarchy);
	answer->head.is_whole = cgroup_sample_is_whole(sample);
	return make_rows(answer, asking) < 0 ?
		       error_errno(err, ENOMEM, "reading", "cgroups") :
		       0;
}

static void cgroup_answer_release(void *data)
{
	struct cgroup_answer *answer = data;

	cgroup_sample_deinit(&answer->sample);
}

static void cgroup_answer_save(struct json_out *json, const void *data)
{
	const struct cgroup_answer *answer = data;

	if (answer)
		cgroups_saved_write(json, &answer->sample.cgroups);
}

static void cgroups_missing(const struct cgroups *cgroups, error_tell_fn *tell,
			    void *data)
{
	struct error err;

	if (cgroups->is_cut_short) {
		error_doing(&err, ERROR_PARTIAL, "reading cgroups",
			    cgroups->hierarchy.mount,
			    "the time was over after %zu of them, and there "
			    "may be more below the others",
			    cgroups->count - cgroups->unread);
		tell(data, &err);
	} else if (cgroups->unread) {
		error_doing(&err, ERROR_PARTIAL, "reading cgroups",
			    cgroups->hierarchy.mount,
			    "%zu could not be read, nor what is below: %s",
			    cgroups->unread, strerror(cgroups->error));
		tell(data, &err);
	}
	if (cgroups->excess_bytes) {
		error_doing(&err, ERROR_PARTIAL, "adding up cgroups",
			    cgroups->cgroups[cgroups->exceeded].path,
			    "the counts contradict each other: what is in it "
			    "is %s more than it",
			    SIZE((int64_t)cgroups->excess_bytes));
		tell(data, &err);
	}
}

void cgroup_sample_missing(const struct cgroup_sample *sample,
			   error_tell_fn *tell, void *data)
{
	struct error err;

	if (error_is_set(&sample->no_cgroups))
		tell(data, &sample->no_cgroups);
	cgroups_missing(&sample->cgroups, tell, data);
	if (!sample->limits.said_available_bytes)
		return;
	error_doing(&err, ERROR_PARTIAL, "comparing", "the host",
		    "%s are available by the zones, and %s by MemAvailable: "
		    "these are not about the same memory",
		    SIZE((int64_t)sample->limits.host_available_bytes),
		    SIZE(sample->limits.said_available_bytes));
	tell(data, &err);
}

static void cgroup_answer_missing(const void *data, error_tell_fn *tell,
				  void *told)
{
	const struct cgroup_answer *answer = data;
	struct error err = answer->sample.no_host;

	cgroup_sample_missing(&answer->sample, tell, told);
	if (!error_is_set(&err))
		return;
	error_remedy(&err, 0, "what is left of the host is not known");
	tell(told, &err);
}

/* The limit that is reached next. */
static int cgroup_sentence(FILE *out, const void *data, struct size_unit unit,
			   size_t width)
{
	const struct cgroup_answer *answer = data;
	const struct cgroup_sample *sample = &answer->sample;
	const struct limits_style style = { .unit = unit, .width = width };

	return limits_print_next(out, &sample->limits, &sample->cgroups,
				 sample->page_size, &style);
}

static const char *cgroup_key(const struct table_rows *rows, size_t i,
			      char *text __attribute__((unused)),
			      size_t size __attribute__((unused)))
{
	const struct cgroup_row *row = table_row(rows, i);

	return row->cgroup->path;
}

/* What a row of several cgroups points to. */
struct cgroup_sum {
	struct cgroup cgroup;
	struct cgroup_limit limit;
};

/* What is charged to one is charged to those above it: only OWN adds up. */
static int cgroup_rows_add_up(struct rows *rows, size_t first, void *made)
{
	const struct cgroup_row *one = rows_at(rows, first);
	struct cgroup_sum *sum = calloc(1, sizeof(*sum));

	if (!sum)
		return -ENOMEM;
	rows->sum = sum;
	sum->cgroup.has_own = true;
	for (size_t i = first; i < rows->count; i++) {
		const struct cgroup_row *row = rows_at(rows, i);

		sum->cgroup.has_own &= row->cgroup->has_own;
		sum->cgroup.own_bytes += row->cgroup->own_bytes;
	}
	*(struct cgroup_row *)made = (struct cgroup_row){
		.sample = one->sample,
		.cgroup = &sum->cgroup,
		.limit = &sum->limit,
		.shown = rows->others_name,
	};
	return 0;
}

static const struct row_kind cgroup_row_kind = {
	.add_up = cgroup_rows_add_up,
};

const struct question cgroup_question = {
	.name = "cgroups",
	.command = &command_cgroups,
	.things = "the cgroups",
	.columns = &cgroup_columns,
	.walks = WALKS_CGROUPS,
	.size = sizeof(struct cgroup_answer),
	.row = &cgroup_row_kind,
	.take = cgroup_answer_take,
	.release = cgroup_answer_release,
	.missing = cgroup_answer_missing,
	.save = cgroup_answer_save,
	.may_be_absent = true,
	.sentence = cgroup_sentence,
	.compares_last = true,
	.figure = "current_bytes",
	.can_be_tree = true,
	.is_tree = true,
	.key = cgroup_key,
	.drop_option = "--cgroup",
};
