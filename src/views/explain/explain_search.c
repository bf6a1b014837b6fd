// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "explain/explain_facts.h"
#include "explain/explain_holder.h"
#include "explain/explain_search.h"
#include "filesystems/found_paths.h"
#include "filesystems/lookup.h"
#include "names/processes.h"
#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "measure/process_cgroup.h"
#include "owners/owners.h"
#include "names/pid_namespace.h"
#include "worker/patience.h"

/* So many processes are looked through for one in a cgroup. */
#define PROCESSES 64
/* So many files are looked through for a deleted one. */
#define FILES 8
#define STATUS_MOST 8192

/*
 * One pass over the processes for the verdict, and the lists of the head that
 * was chosen. Cgroups are read anyway.
 */
static int search_owners(struct explain_facts *facts,
			 const struct sysroot *root,
			 const struct explain_holder *holder)
{
	struct memory_owners_asked asked = {
		.heads = { [MEMORY_HEAD_PROGRAMS] = true,
			   [MEMORY_HEAD_PAGE_TABLES] = true,
			   [MEMORY_HEAD_HUGE_PAGES] = true },
	};
	struct memory_owners *owners = &facts->owners;
	enum memory_head_id chosen = MEMORY_HEAD_PROGRAMS;

	if (holder->has_head && !holder->has_names &&
	    !(facts->is_brief &&
	      holder->head == MEMORY_HEAD_SLAB_UNRECLAIMABLE))
		chosen = holder->head;
	asked.heads[chosen] = true;
	memory_owners_ask(owners, &asked, PROCESSES, facts->memory.page_size);
	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_info *info = memory_owner_info(i);

		owners->lists[i].asked &= info->kind == MEMORY_OWNER_PROCESS ||
					  (info->head == chosen &&
					   info->kind != MEMORY_OWNER_CGROUP);
	}
	return only_enomem(owners_find(owners, root, false, NULL));
}

/* The lists of another head. The first pass may have taken all the time. */
static int search_other(struct explain_facts *facts, const struct sysroot *root,
			const struct explain_holder *holder)
{
	struct memory_owners first = facts->owners;
	int ret;

	facts->owners = (struct memory_owners){ 0 };
	ret = search_owners(facts, root, holder);
	if (ret < 0 || (facts->owners.is_cut_short && !first.is_cut_short)) {
		memory_owners_deinit(&facts->owners);
		facts->owners = first;
	} else {
		memory_owners_deinit(&first);
	}
	return ret;
}

/*
 * The root of a live system has the system's own files. What is large beside it
 * may be another head, with lists of its own.
 */
static int search_beside_root(struct explain_facts *facts,
			      const struct sysroot *root,
			      struct explain_holder *holder)
{
	explain_holder_init(holder, facts);
	if (explain_holder_is_root(holder)) {
		facts->root_bytes = holder->bytes;
		explain_holder_choose(holder, facts);
	}
	if (!facts->root_bytes || !holder->has_head ||
	    holder->head == MEMORY_HEAD_SHARED ||
	    holder->head == MEMORY_HEAD_PAGE_TABLES)
		return 0;
	return search_other(facts, root, holder);
}

/* Processes that were asked whether they are in a cgroup: each takes a worker.
 */
struct within {
	const struct sysroot *root;
	char *cgroup; /* not owned */
	struct {
		unsigned int pid;
		bool is_within;
	} * known;
	size_t count, capacity;
};

static void within_deinit(struct within *within)
{
	free(within->known);
}

/* Returns 1, 0, or -ENOMEM. */
static int is_within(struct within *within, unsigned int pid)
{
	const struct string_list above = { &within->cgroup, 1 };
	_cleanup_(freep) char *path = NULL;

	for (size_t i = 0; i < within->count; i++) {
		if (within->known[i].pid == pid)
			return within->known[i].is_within;
	}
	if (process_cgroup(within->root, pid, &path, NULL) < 0 ||
	    array_make_room(&within->known, within->count, &within->capacity) <
		    0)
		return -ENOMEM;
	within->known[within->count].pid = pid;
	within->known[within->count].is_within = path &&
						 below_has(&above, path);
	return within->known[within->count++].is_within;
}

/* Who is in the cgroup whose limit is near, as far as there is time. */
static int search_limited(struct explain_facts *facts,
			  const struct sysroot *root,
			  const struct explain_holder *holder)
{
	_cleanup_(within_deinit) struct within within = {
		.root = root,
		.cgroup = holder->limited->path,
	};
	int ret = 0;

	for (size_t i = 0; i < MEMORY_OWNER_LISTS; i++) {
		const struct memory_owner_info *info = memory_owner_info(i);
		const struct memory_owner_list *list = &facts->owners.lists[i];
		const struct memory_owner **found = &facts->limited_owners[i];

		if (info->head != holder->head || !info->of->is_process)
			continue;
		for (size_t j = 0; j < list->count && !*found; j++) {
			if (patience_walk(root->patience) < 0)
				return 0;
			ret = is_within(&within, list->owners[j].pid);
			if (ret < 0)
				return ret;
			if (ret)
				*found = &list->owners[j];
		}
	}
	return 0;
}

static unsigned int pid_of(const char *label)
{
	const char *at = strrchr(label, '(');
	uint64_t pid;

	return at && ++at && number_scan(&at, UINT32_MAX, &pid) ?
		       (unsigned int)pid :
		       0;
}

/* Who has the only file open or mapped that is left in the list. */
static int search_users(struct explain_facts *facts, const struct sysroot *root)
{
	struct cached_files *files = &facts->files;
	int ret = cached_files_find_users(files, root, NULL);

	if (ret < 0)
		return only_enomem(ret);
	facts->has_users = facts->sees_processes &&
			   !files->unknown_users.count && !files->mounts.failed;
	if (files->count && files->files->users.count)
		facts->user_pid = pid_of(files->files->users.strings[0]);
	return 0;
}

/* Only of a deleted file is anything said. */
static int search_files(struct explain_facts *facts, const struct sysroot *root)
{
	const struct files_question question = { .limit = FILES };
	struct cached_files *files = &facts->files;
	int ret;

	if (!facts->has_filesystems)
		return 0;
	ret = cached_files_init(files, root, &question, NULL);
	if (ret < 0)
		return only_enomem(ret);
	for (size_t i = 0; i < files->count; i++) {
		if (!files->files[i].is_deleted || files->files[i].is_own)
			continue;
		if (i) {
			struct cached_file first = files->files[0];

			files->files[0] = files->files[i];
			files->files[i] = first;
		}
		cached_files_cut(files, 1);
		return search_users(facts, root);
	}
	cached_files_cut(files, 0);
	return 0;
}

/* A file on tmpfs by its path: lookups there are answered from memory. */
static int search_tmpfs_file(struct explain_facts *facts,
			     const struct sysroot *root, const char *path)
{
	struct cached_files *files = &facts->files;
	_cleanup_(closep) int fd = lookup_path(path);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return 0;
	if (all_mounts_init(&files->mounts, root) < 0)
		return -ENOMEM;
	files->files = calloc(1, sizeof(*files->files));
	if (!files->files)
		return -ENOMEM;
	files->count = 1;
	files->files->major = major(status.st_dev);
	files->files->minor = minor(status.st_dev);
	files->files->ino = status.st_ino;
	return all_mounts_find(&files->mounts, files->files->major,
			       files->files->minor) ?
		       search_users(facts, root) :
		       0;
}

static bool ends_with(const char *text, size_t length, const char *suffix)
{
	size_t size = strlen(suffix);

	return length > size && memcmp(text + length - size, suffix, size) == 0;
}

/*
 * "/system.slice/app.service": systemctl(1) of the system knows it. Below
 * anything but slices of the system there may be others of that name, as of a
 * user or a container.
 */
static int find_service(struct explain_facts *facts, const char *path)
{
	const char *name = path ?: "";
	size_t length;

	if (strncmp(name, "/user.slice/", 12) == 0)
		return 0;
	while (*name == '/') {
		length = strcspn(++name, "/");
		if (name[length] && !ends_with(name, length, ".slice"))
			return 0;
		if (!name[length])
			break;
		name += length;
	}
	if (!ends_with(name, strlen(name), ".service"))
		return 0;
	facts->service = strdup(name);
	return facts->service ? 0 : -ENOMEM;
}

static bool has_sigterm(const char *status, const char *key)
{
	const char *signals = value_of_line(status, key);

	return signals && strtoull(signals, NULL, 16) >> (SIGTERM - 1) & 1;
}

/* "4711 1": the first one of a PID namespace that is not this one. */
static bool is_first_process(const char *status)
{
	const char *numbers = value_of_line(status, "NSpid:");
	size_t length = numbers ? strcspn(numbers, "\n") : 0;

	return length > 2 && strncmp(numbers + length - 2, "\t1", 2) == 0;
}

/*
 * The first process of a PID namespace gets only signals that it has a handler
 * for, or blocks and waits for, and SIGKILL (pid_namespaces(7)). NSpid is there
 * since Linux 4.1.
 */
static int search_signals(struct explain_facts *facts,
			  const struct sysroot *root, unsigned int pid)
{
	_cleanup_(freep) char *status = NULL;
	char path[32];
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	ret = sysroot_read(root, path, STATUS_MOST, &status, NULL);
	if (ret < 0)
		return only_enomem(ret);
	facts->outlives_sigterm =
		has_sigterm(status, "SigIgn:") ||
		(is_first_process(status) && !has_sigterm(status, "SigCgt:") &&
		 !has_sigterm(status, "SigBlk:"));
	return 0;
}

static int search_process(struct explain_facts *facts,
			  const struct sysroot *root, unsigned int pid)
{
	_cleanup_(freep) char *path = NULL;
	int ret = process_comm(root, pid, &facts->process);

	if (!ret)
		ret = process_cgroup(root, pid, &path, NULL);
	if (!ret && !facts->is_brief)
		ret = search_signals(facts, root, pid);
	return ret ?: find_service(facts, path);
}

/* More about who has most of it. */
static int search_more(struct explain_facts *facts, const struct sysroot *root)
{
	struct explain_holder holder;
	unsigned int pid;
	int ret = 0;

	explain_holder_init(&holder, facts);
	if (holder.owner && sysroot_is_live(root) && !facts->is_brief) {
		if (memory_owner_info(holder.list)->kind == MEMORY_OWNER_FILE)
			ret = search_tmpfs_file(facts, root,
						holder.owner->name);
		else if (strcmp(holder.owner->name, TMPFS_INODES) == 0)
			ret = owners_most_inodes(root, &facts->inodes_at,
						 &facts->inodes);
	}
	pid = explain_holder_pid(&holder, facts);
	if (!ret && pid)
		ret = search_process(facts, root, pid);
	/* A capture has the names of owners alone. */
	if (!ret && pid && !facts->process && holder.owner &&
	    memory_owner_info(holder.list)->kind == MEMORY_OWNER_PROCESS) {
		facts->process = strdup(holder.owner->name);
		ret = facts->process ? 0 : -ENOMEM;
	}
	return ret;
}

int explain_search(struct explain_facts *facts, const struct sysroot *root)
{
	struct explain_holder holder;
	int ret = 0;

	facts->sees_processes = sysroot_is_live(root) && is_first_root() &&
				!pid_namespace_here().is_foreign;
	explain_holder_choose(&holder, facts);
	if (facts->has_memory)
		ret = search_owners(facts, root, &holder);
	if (!ret && holder.state == EXPLAIN_LARGE)
		ret = search_beside_root(facts, root, &holder);
	if (!ret && holder.limited && holder.has_head)
		ret = search_limited(facts, root, &holder);
	if (!ret && holder.has_head && holder.head == MEMORY_HEAD_FILE_CACHE)
		ret = search_files(facts, root);
	return ret ?: search_more(facts, root);
}

static void forget_found(struct explain_facts *facts)
{
	cached_files_deinit(&facts->files);
	facts->has_users = facts->outlives_sigterm = false;
	facts->user_pid = 0;
	facts->inodes = 0;
	free(steal_ptr(facts->process));
	free(steal_ptr(facts->service));
	free(steal_ptr(facts->inodes_at));
}

int explain_search_again(struct explain_facts *facts,
			 const struct sysroot *root)
{
	struct explain_holder holder;
	int ret = 0;

	forget_found(facts);
	explain_holder_choose(&holder, facts);
	if (holder.state == EXPLAIN_LARGE) {
		ret = search_other(facts, root, &holder);
		if (!ret && !facts->root_bytes)
			ret = search_beside_root(facts, root, &holder);
	}
	if (!ret && holder.has_head && holder.head == MEMORY_HEAD_FILE_CACHE)
		ret = search_files(facts, root);
	return ret ?: search_more(facts, root);
}
