// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cgroups/cgroup_files.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "trace/trace.h"
#include "who/victims.h"

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

/* What a cgroup has read again. */
struct refaults {
	uint64_t pages;
	bool has_forgotten;
};

/*
 * Returns false if it cannot be read. Figures of a cgroup include those below
 * it, so those of the root are of the host.
 */
static bool read_refaults(const struct victims *victims, uint64_t cgroup,
			  struct refaults *refaults)
{
	_cleanup_(closep) int dir = cgroup_ids_open(&victims->ids, cgroup);
	const char *name = cgroup_ids_name(&victims->ids, cgroup);
	struct cgroup_figures figures = { 0 };

	if (dir < 0 || !name || strcmp(name, "/") == 0 ||
	    cgroup_files_read(&figures, victims->version, dir, -1) < 0 ||
	    !cgroup_has(&figures, CGROUP_REFAULTS_FILE))
		return false;
	refaults->pages = figures.values[CGROUP_REFAULTS_FILE];
	refaults->has_forgotten = cgroup_or_0(&figures, CGROUP_FORGOTTEN);
	return true;
}

/* Returns 0 or -ENOMEM. */
static int add(struct victims *victims, uint64_t cgroup)
{
	struct refaults refaults;
	struct victim *victim;

	if (array_make_room(&victims->victims, victims->count,
			    &victims->capacity) < 0 ||
	    cgroup_ids_learn(&victims->ids, cgroup) < 0)
		return -ENOMEM;
	victim = &victims->victims[victims->count++];
	*victim = (struct victim){ .cgroup = cgroup, .is_new = true };
	victim->has_refaults = read_refaults(victims, cgroup, &refaults);
	if (victim->has_refaults)
		victim->refaults = refaults.pages;
	return 0;
}

int victims_learn(struct victims *victims, const struct trace_totals *totals)
{
	int ret = 0;

	for (size_t i = 0; i < victims->count; i++)
		victims->victims[i].is_new = false;
	for (size_t i = 0; !ret && i < totals->eviction_count; i++) {
		const struct trace_eviction *eviction = &totals->evictions[i];

		if (!find(victims, eviction->cgroup))
			ret = add(victims, eviction->cgroup);
		if (!ret && eviction->by)
			ret = cgroup_ids_learn(&victims->ids, eviction->by);
	}
	return ret;
}

static int most_taken_first(const void *left, const void *right)
{
	const struct taker *a = left;
	const struct taker *b = right;

	return (a->pages < b->pages) - (a->pages > b->pages);
}

static int most_first(const void *left, const void *right)
{
	const struct loss *a = left;
	const struct loss *b = right;

	return (a->pages < b->pages) - (a->pages > b->pages);
}

/* Adds what is of the same cgroup and taker: evictions are sorted by both. */
static void add_eviction(struct loss *loss, const struct victims *victims,
			 const struct trace_eviction *eviction)
{
	uint64_t limit_pages =
		eviction->need == FILL_NEED_LIMIT ? eviction->pages : 0;
	struct taker *taker = &loss->takers[loss->taker_count];

	if (loss->taker_count && taker[-1].cgroup == eviction->by) {
		taker--;
	} else {
		*taker = (struct taker){ .cgroup = eviction->by };
		taker->name = cgroup_ids_name(&victims->ids, eviction->by);
		loss->taker_count++;
	}
	taker->pages += eviction->pages;
	taker->limit_pages += limit_pages;
	loss->pages += eviction->pages;
	loss->limit_pages += limit_pages;
}

/*
 * The kernel remembers what it evicted for as long as it has the inode and has
 * room for that. None read again may then mean that it forgot all.
 */
static void complete(struct loss *loss, const struct victims *victims)
{
	const struct victim *victim = find(victims, loss->cgroup);
	struct refaults now;

	loss->name = cgroup_ids_name(&victims->ids, loss->cgroup);
	qsort(loss->takers, loss->taker_count, sizeof(*loss->takers),
	      most_taken_first);
	if (!victim || !victim->has_refaults || victim->is_new ||
	    !read_refaults(victims, loss->cgroup, &now))
		return;
	loss->refaulted_pages = now.pages - victim->refaults;
	loss->at_least = now.has_forgotten;
	loss->has_refaults = loss->refaulted_pages || !loss->at_least;
}

int losses_init(struct losses *losses, const struct victims *victims,
		const struct trace_totals *totals)
{
	size_t count = totals->eviction_count;
	struct loss *loss = NULL;

	*losses = (struct losses){
		.losses = calloc(count + 1, sizeof(*losses->losses)),
		.takers = calloc(count + 1, sizeof(*losses->takers)),
	};
	if (!losses->losses || !losses->takers)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct trace_eviction *eviction = &totals->evictions[i];

		if (!loss || loss->cgroup != eviction->cgroup) {
			loss = &losses->losses[losses->count++];
			loss->cgroup = eviction->cgroup;
			loss->takers = &losses->takers[i];
		}
		add_eviction(loss, victims, eviction);
	}
	for (size_t i = 0; i < losses->count; i++)
		complete(&losses->losses[i], victims);
	if (losses->count)
		qsort(losses->losses, losses->count, sizeof(*losses->losses),
		      most_first);
	return 0;
}

void losses_deinit(struct losses *losses)
{
	free(losses->losses);
	free(losses->takers);
	*losses = (struct losses){ 0 };
}
