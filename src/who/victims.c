// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cgroups/cgroup_files.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/json_out.h"
#include "lib/sysroot.h"
#include "lib/utf8.h"
#include "trace/trace.h"
#include "who/victims.h"

#define PRINTED_MOST 3

int victims_init(struct victims *victims, const struct sysroot *root)
{
	struct hierarchy hierarchy;

	*victims = (struct victims){ .ids.mount = -1 };
	if (hierarchy_find(&hierarchy, root, NULL) < 0)
		return 0;
	victims->version = hierarchy.version;
	return cgroup_ids_init_at(&victims->ids, root, hierarchy.mount);
}

void victims_deinit(struct victims *victims)
{
	cgroup_ids_deinit(&victims->ids);
	free(victims->victims);
	*victims = (struct victims){ .ids.mount = -1 };
}

static const struct victim *find(const struct victims *victims, uint64_t cgroup)
{
	for (size_t i = 0; i < victims->count; i++) {
		if (victims->victims[i].cgroup == cgroup)
			return &victims->victims[i];
	}
	return NULL;
}

/* Returns false if it cannot be read. */
static bool read_refaults(const struct victims *victims, uint64_t cgroup,
			  uint64_t *pages)
{
	_cleanup_(closep) int dir = cgroup_ids_open(&victims->ids, cgroup);
	struct cgroup_figures figures = { 0 };

	if (dir < 0 ||
	    cgroup_files_read(&figures, victims->version, dir, -1) < 0 ||
	    !cgroup_has(&figures, CGROUP_REFAULTS_FILE))
		return false;
	*pages = figures.values[CGROUP_REFAULTS_FILE];
	return true;
}

int victims_learn(struct victims *victims, const struct trace_totals *totals)
{
	for (size_t i = 0; i < totals->eviction_count; i++) {
		uint64_t cgroup = totals->evictions[i].cgroup;
		struct victim *victim;

		if (find(victims, cgroup))
			continue;
		if (array_make_room(&victims->victims, victims->count,
				    &victims->capacity,
				    sizeof(*victims->victims)) < 0 ||
		    cgroup_ids_learn(&victims->ids, cgroup) < 0)
			return -ENOMEM;
		victim = &victims->victims[victims->count++];
		*victim = (struct victim){ .cgroup = cgroup };
		victim->has_refaults =
			read_refaults(victims, cgroup, &victim->refaults);
	}
	return 0;
}

static int most_first(const void *left, const void *right)
{
	const struct loss *a = left;
	const struct loss *b = right;

	return (a->pages < b->pages) - (a->pages > b->pages);
}

int losses_init(struct losses *losses, const struct victims *victims,
		const struct trace_totals *totals)
{
	*losses = (struct losses){ .losses = calloc(totals->eviction_count + 1,
						    sizeof(*losses->losses)) };
	if (!losses->losses)
		return -ENOMEM;
	for (size_t i = 0; i < totals->eviction_count; i++) {
		const struct trace_eviction *eviction = &totals->evictions[i];
		const struct victim *victim = find(victims, eviction->cgroup);
		struct loss *loss = &losses->losses[losses->count++];
		uint64_t now;

		loss->name = cgroup_ids_name(&victims->ids, eviction->cgroup);
		loss->pages = eviction->pages;
		loss->has_refaults =
			victim && victim->has_refaults &&
			read_refaults(victims, eviction->cgroup, &now);
		if (loss->has_refaults)
			loss->refaulted_pages = now - victim->refaults;
	}
	if (losses->count)
		qsort(losses->losses, losses->count, sizeof(*losses->losses),
		      most_first);
	return 0;
}

void losses_deinit(struct losses *losses)
{
	free(losses->losses);
	*losses = (struct losses){ 0 };
}

static void print_loss(FILE *out, const struct loss *loss,
		       struct size_unit unit)
{
	int64_t page_size = sysconf(_SC_PAGESIZE);
	char lost[SIZE_TEXT_LENGTH], back[SIZE_TEXT_LENGTH];

	fprintf(out, "Reclaim took %s of files from ",
		size_text_in((int64_t)loss->pages * page_size, unit, lost));
	if (loss->name)
		safe_text_put(out, loss->name);
	else
		fputs("a cgroup that has gone", out);
	if (loss->has_refaults)
		fprintf(out, "; since then it has read %s again",
			size_text_in((int64_t)loss->refaulted_pages * page_size,
				     unit, back));
	fputs(".\n", out);
}

void losses_print(FILE *out, const struct losses *losses, struct size_unit unit)
{
	for (size_t i = 0; i < losses->count && i < PRINTED_MOST; i++)
		print_loss(out, &losses->losses[i], unit);
	if (losses->count > PRINTED_MOST)
		fprintf(out, "It took less from %zu other cgroups.\n",
			losses->count - PRINTED_MOST);
}

void losses_write(struct json_out *json, const struct losses *losses,
		  bool known)
{
	if (!known) {
		json_out_null(json, "evicted");
		return;
	}
	json_out_array(json, "evicted");
	for (size_t i = 0; i < losses->count; i++) {
		const struct loss *loss = &losses->losses[i];

		json_out_object(json, NULL);
		json_out_string(json, "cgroup", loss->name);
		json_out_unsigned(json, "pages", loss->pages);
		if (loss->has_refaults)
			json_out_unsigned(json, "refaulted_pages",
					  loss->refaulted_pages);
		else
			json_out_null(json, "refaulted_pages");
		json_out_object_end(json);
	}
	json_out_array_end(json);
}
