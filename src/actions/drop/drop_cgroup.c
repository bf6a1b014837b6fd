// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroups/hierarchy.h"
#include "drop/drop_cgroup.h"
#include "drop/silence.h"
#include "names/processes.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lesser.h"
#include "lib/sysroot.h"
#include "lib/utf8.h"
#include "measure/meminfo.h"
#include "worker/ask.h"
#include "worker/patience.h"

#define MAX_PROCS (1U << 20)
#define MOST_USERS 32

/*
 * The kernel counts slab, too, as reclaimed, and gives up early when others
 * allocate, so it is asked again while page cache goes.
 */
#define MOST_ROUNDS 16
#define IDLE_ROUNDS 2

enum step { STEP_RECLAIMING = 1 };

static const char *const steps[] = { [STEP_RECLAIMING] = "reclaiming" };

/*
 * Mapped pages go only if they were not used lately. CGROUP_MAPPED has mapped
 * shared memory in it, too, so it is a bound.
 */
void drop_cgroup_forecast(struct drop_cgroup *drop)
{
	uint64_t mapped = cgroup_or_0(&drop->before, CGROUP_MAPPED);

	drop->most_bytes = cgroup_clean(&drop->before);
	drop->least_bytes =
		less(drop->most_bytes, mapped + drop->protected_bytes);
	if (drop->has_swap && !drop->spares_anonymous)
		drop->least_bytes = 0;
	if (drop->size_bytes && drop->least_bytes > drop->size_bytes)
		drop->least_bytes = drop->size_bytes;
}

static int read_figures(const char *directory, struct cgroup_figures *figures,
			struct error *err)
{
	_cleanup_(closep) int dir =
		open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int ret = dir < 0 ? -errno : 0;

	if (!ret)
		ret = cgroup_files_read(figures, CGROUP_V2, dir, -1);
	return ret < 0 ? error_errno(err, -ret, "measuring", directory) : 0;
}

/* Adds up what the children of the cgroup keep; its own limit does not count. */
static int add_protected(struct drop_cgroup *drop, const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	int ret = sysroot_list(root, drop->directory, &names);

	for (size_t i = 0; !ret && i < names.count; i++) {
		struct cgroup_figures figures;
		char path[PATH_MAX];
		struct stat status;
		uint64_t keeps, low;

		if (snprintf(path, sizeof(path), "%s/%s", drop->directory,
			     names.strings[i]) >= PATH_MAX ||
		    stat(path, &status) < 0 || !S_ISDIR(status.st_mode) ||
		    read_figures(path, &figures, NULL) < 0)
			continue;
		keeps = cgroup_or_0(&figures, CGROUP_MIN);
		low = cgroup_or_0(&figures, CGROUP_LOW);
		keeps = low > keeps ? low : keeps;
		/* No child keeps more than it has; this also fits "max". */
		if (keeps > cgroup_file_lists(&figures))
			keeps = cgroup_file_lists(&figures);
		drop->protected_bytes += keeps;
	}
	return ret;
}

static int find_directory(struct drop_cgroup *drop, const struct sysroot *root)
{
	struct hierarchy hierarchy;
	const char *path = drop->path;
	size_t length;
	int ret = hierarchy_find(&hierarchy, root, &drop->result.error);

	if (ret < 0)
		return ret;
	if (hierarchy.version == CGROUP_V1)
		return error_doing(
			&drop->result.error, ERROR_UNUSABLE, "dropping", path,
			"version 1 of cgroups has no memory.reclaim, and "
			"memory.force_empty would swap all of it out");
	length = strlen(hierarchy.mount);
	if (strncmp(path, hierarchy.mount, length) == 0 &&
	    (path[length] == '/' || !path[length]))
		drop->directory = strdup(path);
	else if (asprintf(&drop->directory, "%s/%s", hierarchy.mount,
			  path + (*path == '/')) < 0)
		drop->directory = NULL;
	/* As a table shows it. */
	if (drop->directory && !sysroot_exists(root, drop->directory))
		text_unescape(drop->directory);
	return drop->directory ? 0 :
				 error_errno(&drop->result.error, ENOMEM,
					     "dropping", path);
}

static int find_users(struct drop_cgroup *drop, const struct sysroot *root)
{
	_cleanup_(freep) char *procs = NULL;
	char path[PATH_MAX], *rest, *pid;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", drop->directory);
	if (sysroot_read(root, path, MAX_PROCS, &procs, NULL) < 0)
		return 0;
	rest = procs;
	while (!ret && drop->users.count < MOST_USERS &&
	       (pid = strsep(&rest, "\n"))) {
		_cleanup_(freep) char *label = NULL;

		if (!*pid)
			continue;
		ret = process_label(root, pid, &label);
		if (!ret)
			ret = string_list_add(&drop->users, label);
	}
	return ret;
}

static int reclaim(int fd, uint64_t bytes, bool spares_anonymous)
{
	char text[64];
	int length = snprintf(text, sizeof(text), "%" PRIu64 "%s", bytes,
			      spares_anonymous ? " swappiness=0" : "");

	return write(fd, text, (size_t)length) < 0 ? -errno : 0;
}

/*
 * Asking for nothing tells whether the option is known. Opens the file without
 * a lookup that could wait: a cgroup is in memory.
 */
static int look_at_reclaim(struct drop_cgroup *drop)
{
	_cleanup_(closep) int fd = -1;
	char path[PATH_MAX];
	struct stat status;

	if (stat(drop->directory, &status) < 0)
		return error_doing(&drop->result.error, errno, "dropping",
				   drop->directory, "no such cgroup");
	snprintf(path, sizeof(path), "%s/memory.reclaim", drop->directory);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return error_doing(&drop->result.error, ERROR_UNUSABLE,
				   "dropping", path,
				   "this kernel (before Linux 5.19) or cgroup "
				   "has none");
	if (fd < 0)
		return error_errno(&drop->result.error, errno, "opening", path);
	drop->spares_anonymous = reclaim(fd, 0, true) == 0;
	return 0;
}

/* A worker's task; its answer is a negative errno or 0. */
static size_t work(const void *data, size_t index __attribute__((unused)),
		   void *to)
{
	const struct drop_cgroup *drop = data;
	const uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	struct cgroup_figures now = drop->before;
	uint64_t began = cgroup_file_lists(&now), last = began;
	int idle = 0, *ret = to;
	_cleanup_(closep) int fd = -1;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/memory.reclaim", drop->directory);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	*ret = fd < 0 ? -errno : 0;
	for (int i = 0; !*ret && i < MOST_ROUNDS && idle < IDLE_ROUNDS; i++) {
		uint64_t released = less(began, last);
		uint64_t wanted = cgroup_clean(&now);

		if (drop->size_bytes &&
		    wanted > less(drop->size_bytes, released))
			wanted = less(drop->size_bytes, released);
		if (wanted < page_size)
			break;
		ask_tell_step(STEP_RECLAIMING);
		*ret = reclaim(fd, wanted, drop->spares_anonymous);
		/* EAGAIN: it was less than that. */
		if (*ret == -EAGAIN)
			*ret = 0;
		if (!*ret)
			*ret = read_figures(drop->directory, &now, NULL);
		idle = cgroup_file_lists(&now) + page_size <= last ? 0 :
								     idle + 1;
		last = cgroup_file_lists(&now);
	}
	return sizeof(*ret);
}

static int reclaim_by_worker(struct drop_cgroup *drop,
			     const struct sysroot *root)
{
	char object[STUCK_OBJECT];
	struct ask question = {
		.answer = work,
		.data = drop,
		.answer_size = sizeof(int),
		.kept = -1,
		.what = drop->path,
		.stuck_on = object,
		.silence_ms = DROP_SILENCE_MS,
		.patience = root->patience,
	};
	int answer = 0, ret;

	snprintf(object, STUCK_OBJECT, "reclaim %.*s", STUCK_OBJECT - 9,
		 drop->directory);
	ret = drop_ask(&question, steps, &answer, &drop->result.error);
	if (answer)
		ret = error_errno(&drop->result.error, -answer, "reclaiming",
				  drop->directory);
	return ret;
}

static int measure(struct drop_cgroup *drop, const struct sysroot *root)
{
	struct meminfo meminfo;
	int64_t swap = 0;
	int ret = find_directory(drop, root);

	if (!ret)
		ret = look_at_reclaim(drop);
	if (!ret)
		ret = read_figures(drop->directory, &drop->before,
				   &drop->result.error);
	if (ret < 0)
		return ret;
	meminfo_read(&meminfo, root, NULL);
	drop->has_swap = meminfo_bytes(&meminfo, MEMINFO_SWAP_TOTAL, &swap) &&
			 swap;
	if (add_protected(drop, root) < 0 || find_users(drop, root) < 0)
		return error_errno(&drop->result.error, ENOMEM, "measuring",
				   drop->directory);
	drop_cgroup_forecast(drop);
	return 0;
}

int drop_cgroup_run(struct drop_cgroup *drop, const struct sysroot *root)
{
	int ret;

	patience_begin(root->patience);
	ret = measure(drop, root);
	if (ret < 0 || drop->result.dry_run)
		return ret;
	ret = reclaim_by_worker(drop, root);
	if (ret < 0)
		return ret;
	drop->result.done = true;
	return read_figures(drop->directory, &drop->after, &drop->result.error);
}

void drop_cgroup_deinit(struct drop_cgroup *drop)
{
	free(drop->directory);
	string_list_deinit(&drop->users);
	drop->directory = NULL;
}
