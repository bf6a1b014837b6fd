// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cgroups/cgroup_limits.h"
#include "cgroups/cgroups.h"
#include "cgroups/cgroups_saved.h"
#include "cgroups/container.h"
#include "lib/array.h"
#include "lib/branches.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lesser.h"
#include "lib/sysroot.h"
#include "measure/process_cgroup.h"
#include "worker/patience.h"

/* The state of a reading. The cgroups are in the order they were found. */
struct reading {
	struct cgroups *found;
	size_t capacity;
	const struct sysroot *root;
};

static bool is_gone(int error)
{
	return error == -ENOENT || error == -ENODEV;
}

/* Adds the cgroup @name below @parent; the root has neither. */
static int add(struct reading *reading, size_t parent, const char *name)
{
	struct cgroups *found = reading->found;
	struct cgroup *cgroup;
	const char *above = "";

	if (array_make_room(&found->cgroups, found->count, &reading->capacity) <
	    0)
		return -ENOMEM;
	if (parent != CGROUP_NONE && found->cgroups[parent].path[1])
		above = found->cgroups[parent].path;
	cgroup = &found->cgroups[found->count];
	*cgroup = (struct cgroup){ .parent = parent };
	if (asprintf(&cgroup->path, "%s/%s", above, name) < 0)
		return -ENOMEM;
	cgroup->name = *name ? strrchr(cgroup->path, '/') + 1 : cgroup->path;
	found->count++;
	return container_name(cgroup->name, cgroup->path, &cgroup->container);
}

static int open_below(const struct sysroot *root, const char *mount,
		      const char *path)
{
	char whole[2 * PATH_MAX];

	if (!*mount)
		return -ENOENT;
	if ((size_t)snprintf(whole, sizeof(whole), "%s%s", mount, path) >=
	    PATH_MAX)
		return -ENAMETOOLONG;
	return sysroot_open(root, whole, O_RDONLY | O_DIRECTORY);
}

/* Some filesystems do not say what an entry is. */
static bool is_directory(DIR *dir, const struct dirent *item)
{
	struct stat status;

	if (item->d_type != DT_UNKNOWN)
		return item->d_type == DT_DIR;
	return fstatat(dirfd(dir), item->d_name, &status,
		       AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISDIR(status.st_mode);
}

/* A name may begin with a dot, so sysroot_next_name() would not do. */
static int add_children(struct reading *reading, size_t parent, DIR *dir)
{
	const struct dirent *item;
	int ret = 0;

	errno = 0;
	while (!ret && (item = readdir(dir))) {
		if (strcmp(item->d_name, ".") != 0 &&
		    strcmp(item->d_name, "..") != 0 && is_directory(dir, item))
			ret = add(reading, parent, item->d_name);
		errno = 0;
	}
	return ret ? ret : -errno;
}

/*
 * Nothing is above the host's root. "dirty" came with Linux 4.2, and namespaces
 * of cgroups, which call another one "/", with 4.6.
 */
static void forget_above(const struct hierarchy *hierarchy,
			 struct cgroup_figures *root)
{
	if (hierarchy->is_from_root && !cgroup_has(root, CGROUP_DIRTY))
		root->present &= ~(UINT64_C(1) << CGROUP_MAX_ABOVE |
				   UINT64_C(1) << CGROUP_MEMSW_MAX_ABOVE);
}

/* Returns as cgroup_files_read(). */
static int read_figures(struct reading *reading, size_t index, int dir)
{
	const struct hierarchy *hierarchy = &reading->found->hierarchy;
	struct cgroup *cgroup = &reading->found->cgroups[index];
	_cleanup_(closep) int pressure = -1;
	int ret;

	if (hierarchy->version == CGROUP_V2)
		return cgroup_files_read(&cgroup->figures, CGROUP_V2, dir, dir);
	/* systemd and container runtimes use the same paths in both. */
	pressure = open_below(reading->root, hierarchy->pressure, cgroup->path);
	ret = cgroup_files_read(&cgroup->figures, CGROUP_V1, dir, pressure);
	if (!index)
		forget_above(hierarchy, &cgroup->figures);
	return ret;
}

/* Returns 0 or a negative errno; the cgroup may be gone. */
static int read_one(struct reading *reading, size_t index)
{
	const struct cgroups *found = reading->found;
	int fd = open_below(reading->root, found->hierarchy.mount,
			    found->cgroups[index].path);
	_cleanup_(closedirp) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int ret;

	if (fd < 0)
		return fd;
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	ret = read_figures(reading, index, fd);
	return ret < 0 ? ret : add_children(reading, index, dir);
}

static int read_all(struct reading *reading)
{
	struct cgroups *found = reading->found;
	struct patience *patience = reading->root->patience;
	const char *about = patience_set_about(patience, "cgroups");
	int ret = add(reading, CGROUP_NONE, "");

	for (size_t i = 0; !ret && i < found->count; i++) {
		if (patience_is_over(patience)) {
			found->is_cut_short = true;
			found->unread += found->count - i;
			break;
		}
		ret = read_one(reading, i);
		found->cgroups[i].is_read = !ret;
		if (!ret || ret == -ENOMEM)
			continue;
		/* Half of the figures would only mislead. */
		found->cgroups[i].figures = (struct cgroup_figures){ 0 };
		if (is_gone(ret)) {
			/* What it had is its parent's now, or nobody's. */
			found->cgroups[i].name = NULL;
		} else {
			found->unread++;
			found->error = -ret;
		}
		ret = 0;
	}
	patience_set_about(patience, about);
	return ret;
}

static int by_size(const void *left, const void *right)
{
	const struct cgroup *a = left, *b = right;
	uint64_t a_bytes = a->figures.values[CGROUP_CURRENT];
	uint64_t b_bytes = b->figures.values[CGROUP_CURRENT];

	if (a_bytes != b_bytes)
		return a_bytes > b_bytes ? -1 : 1;
	return strcmp(a->path, b->path);
}

/* Puts the children of every cgroup after it, the largest first. */
static int sort(struct cgroups *found)
{
	const size_t count = found->count;
	_cleanup_(freep) size_t *above = calloc(count, sizeof(*above));
	_cleanup_(freep) size_t *order = calloc(count, sizeof(*order));

	if (!above || !order)
		return -ENOMEM;
	/* CGROUP_NONE + 1 is 0. */
	for (size_t i = 0; i < count; i++)
		above[i] = found->cgroups[i].parent + 1;
	if (branches_sort(found->cgroups, count, sizeof(*found->cgroups), above,
			  by_size, order) < 0)
		return -ENOMEM;
	/* From here on, where each has moved to. */
	for (size_t i = 0; i < count; i++) {
		struct cgroup *cgroup = &found->cgroups[i];

		if (cgroup->parent != CGROUP_NONE)
			cgroup->parent = above[cgroup->parent];
		above[order[i]] = i;
	}
	return 0;
}

static void drop(struct cgroup *cgroup)
{
	free(cgroup->path);
	free(cgroup->container);
}

/* Removes those that are gone. Their children are gone too, or never read. */
static void remove_gone(struct cgroups *found, size_t *moved)
{
	size_t kept = 0;

	for (size_t i = 0; i < found->count; i++) {
		struct cgroup *cgroup = &found->cgroups[i];
		size_t parent = cgroup->parent;

		if (!cgroup->name ||
		    (parent != CGROUP_NONE && moved[parent] == CGROUP_NONE)) {
			moved[i] = CGROUP_NONE;
			drop(cgroup);
			continue;
		}
		if (parent != CGROUP_NONE)
			cgroup->parent = moved[parent];
		moved[i] = kept;
		found->cgroups[kept++] = *cgroup;
	}
	found->count = kept;
}

static int tidy(struct cgroups *found)
{
	_cleanup_(freep)
		size_t *moved = calloc(found->count + 1, sizeof(*moved));

	if (!moved)
		return -ENOMEM;
	remove_gone(found, moved);
	return found->count ? sort(found) : 0;
}

/* Each processor may hold 64 pages that are charged and not yet used. */
#define MOVES_BYTES (UINT64_C(4) << 20)
#define MOVES_PART 64

/* By how much less what was read of a cgroup may be than what is below it. */
static uint64_t greatest_move(const struct cgroup *cgroup)
{
	return cgroup_has(&cgroup->figures, CGROUP_CURRENT) ?
		       MOVES_BYTES + cgroup->figures.values[CGROUP_CURRENT] /
					     MOVES_PART :
		       UINT64_MAX;
}

/* Notes by how much what is in a cgroup is more than it. */
static void note_excess(struct cgroups *found, size_t index, uint64_t bytes)
{
	if (bytes <= greatest_move(&found->cgroups[index]) ||
	    bytes <= found->excess_bytes)
		return;
	found->exceeded = index;
	found->excess_bytes = bytes;
}

bool cgroups_holds(const struct cgroups *cgroups, size_t index)
{
	const struct cgroup_figures *figures = &cgroups->cgroups[index].figures;

	return !cgroup_has(figures, CGROUP_HIERARCHY) ||
	       figures->values[CGROUP_HIERARCHY];
}

/*
 * At the root of version 1 usage_in_bytes is the sum of anonymous pages and
 * cache; what its kmem has is charged beside them. Below, all of it is inside.
 */
static void correct_root(struct cgroups *found)
{
	struct cgroup_figures *figures = &found->cgroups[0].figures;
	uint64_t sum = cgroup_or_0(figures, CGROUP_ANON) +
		       cgroup_or_0(figures, CGROUP_FILE) +
		       cgroup_or_0(figures, CGROUP_KERNEL);

	if (found->hierarchy.version == CGROUP_V1 &&
	    cgroup_has(figures, CGROUP_CURRENT) &&
	    figures->values[CGROUP_CURRENT] < sum)
		cgroup_set(figures, CGROUP_CURRENT, sum);
}

/*
 * The files are not read at the same instant, so the children may add up to
 * more; then nothing is known. By much more, it is a contradiction.
 */
static void find_own(struct cgroups *found)
{
	/* What is in both the swap cache and a process counts as two of them. */
	static const enum cgroup_figure charged[] = { CGROUP_ANON, CGROUP_FILE,
						      CGROUP_KERNEL,
						      CGROUP_SLAB,
						      CGROUP_SLAB_RECLAIMABLE };

	correct_root(found);
	for (size_t i = 0; i < found->count; i++) {
		struct cgroup *cgroup = &found->cgroups[i];

		/* What is left of a limit without a usage would mislead. */
		if (!limits_can_be_held(&cgroup->figures)) {
			cgroup->is_read = false;
			cgroup->figures = (struct cgroup_figures){ 0 };
			found->unread++;
			found->error = ENODATA;
		}
		cgroup->has_own = cgroup_has(&cgroup->figures, CGROUP_CURRENT);
		cgroup->own_bytes = cgroup->figures.values[CGROUP_CURRENT];
		for (size_t j = 0; j < sizeof(charged) / sizeof(*charged); j++)
			note_excess(
				found, i,
				less(cgroup_or_0(&cgroup->figures, charged[j]),
				     cgroup->own_bytes));
	}
	for (size_t i = 1; i < found->count; i++) {
		const struct cgroup *child = &found->cgroups[i];
		struct cgroup *parent = &found->cgroups[child->parent];
		uint64_t bytes = child->figures.values[CGROUP_CURRENT];

		if (!cgroup_has(&child->figures, CGROUP_CURRENT))
			continue;
		parent->has_children = true;
		if (!cgroups_holds(found, child->parent))
			continue;
		if (bytes > parent->own_bytes) {
			note_excess(found, child->parent,
				    bytes - parent->own_bytes);
			parent->has_own = false;
		} else {
			parent->own_bytes -= bytes;
		}
	}
}

int cgroups_read(struct cgroups *cgroups, const struct sysroot *root,
		 struct error *err)
{
	struct reading reading = { .found = cgroups, .root = root };
	int ret;

	*cgroups = (struct cgroups){ 0 };
	ret = cgroups_saved_read(cgroups, root, err);
	if (ret > 0)
		find_own(cgroups);
	if (ret)
		return ret < 0 ? ret : 0;
	ret = hierarchy_find(&cgroups->hierarchy, root, err);
	if (ret < 0)
		return ret;
	/* Every cgroup with the controller has the file, the topmost too. */
	cgroups->can_reclaim =
		cgroups->hierarchy.version == CGROUP_V2 &&
		hierarchy_has(root, cgroups->hierarchy.mount, "memory.reclaim");
	ret = read_all(&reading) ?: tidy(cgroups);
	if (ret < 0)
		return error_errno(err, -ret, "reading cgroups",
				   cgroups->hierarchy.mount);
	if (cgroups->unread == cgroups->count)
		return error_errno(err,
				   cgroups->error	 ? cgroups->error :
				   cgroups->is_cut_short ? ETIME :
							   ENODEV,
				   "reading cgroups", cgroups->hierarchy.mount);
	find_own(cgroups);
	return 0;
}

void cgroups_deinit(struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++)
		drop(&cgroups->cgroups[i]);
	free(cgroups->cgroups);
	*cgroups = (struct cgroups){ 0 };
}

bool cgroups_are_whole(const struct cgroups *cgroups)
{
	return !cgroups->unread && !cgroups->is_cut_short;
}

bool cgroups_is_below(const struct cgroups *cgroups, size_t index, size_t above)
{
	while (index != CGROUP_NONE && index > above)
		index = cgroups->cgroups[index].parent;
	return index == above;
}

int cgroups_find_own(struct cgroups *cgroups, const struct sysroot *root)
{
	_cleanup_(freep) char *path = NULL;
	int ret = process_cgroup(root, 0, &path, NULL);

	for (size_t i = 0; path && i < cgroups->count; i++) {
		if (strcmp(cgroups->cgroups[i].path, path) == 0)
			cgroups->own = i + 1;
	}
	return ret;
}

const struct cgroup *cgroups_largest(const struct cgroups *cgroups,
				     enum cgroup_figure figure)
{
	const struct cgroup *largest = NULL;

	for (size_t i = 0; i < cgroups->count; i++) {
		const struct cgroup *cgroup = &cgroups->cgroups[i];

		if (!cgroup->is_read || cgroup->has_children ||
		    cgroup->parent == CGROUP_NONE ||
		    !cgroup_has(&cgroup->figures, figure))
			continue;
		if (!largest || cgroup->figures.values[figure] >
					largest->figures.values[figure])
			largest = cgroup;
	}
	return largest;
}
