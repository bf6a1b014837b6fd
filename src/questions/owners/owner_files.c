// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The largest files of the filesystems in memory. Opening a directory may wait
 * for ever, for a program that has to permit it (fanotify(7)), so workers do it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "filesystems/fs_target.h"
#include "filesystems/lookup.h"
#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "worker/ask.h"
#include "worker/patience.h"

#define MAX_DEPTH 64
/* There may be any number of files: so many are kept while they are counted. */
#define MOST_KEPT ((size_t)4096)
/* Of the names in an answer. What has no room counts as one of the others. */
#define ROOM (256 << 10)

struct questions {
	const struct sysroot *root;
	const struct all_mounts *mounts;
	size_t *wanted; /* indices of mounts */
	size_t count;
	size_t top;
};

/* The files of one mount, each as its bytes and its path with the NUL. */
struct answer {
	size_t count, others, unread;
	int64_t others_bytes;
	bool is_cut_short;
	char files[ROOM];
};

static int add_file(struct memory_owner_list *list, char *path, int64_t bytes)
{
	int ret = memory_owner_add(list, path, bytes, 0);

	if (!ret && list->count >= 2 * MOST_KEPT)
		ret = memory_owner_list_cut(list, MOST_KEPT);
	return ret;
}

static int walk_below(struct owner_walk *walk, int at, const char *path,
		      int depth)
{
	_cleanup_(closep) int fd =
		openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_(closedirp) DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const char *name;
	int ret = 0;

	if (!dir) {
		walk->unread++;
		return 0;
	}
	steal_fd(&fd);
	while (!ret && sysroot_next_name(dir, &name) > 0) {
		_cleanup_(closep) int below =
			lookup_in_memory(dirfd(dir), name);
		_cleanup_(freep) char *whole = NULL;
		struct stat status;

		ret = patience_walk(walk->patience);
		walk->unread += below == -EAGAIN;
		if (ret < 0 || below < 0 || fstat(below, &status) < 0)
			continue;
		if (asprintf(&whole, "%s/%s", path, name) < 0)
			ret = -ENOMEM;
		else if (S_ISDIR(status.st_mode) && depth == MAX_DEPTH)
			walk->unread++;
		else if (S_ISDIR(status.st_mode))
			ret = walk_below(walk, below, whole, depth + 1);
		else if (S_ISREG(status.st_mode))
			ret = walk->visit(walk->data, below, whole, &status);
	}
	return ret;
}

int owner_walk(struct owner_walk *walk, int at, const char *path)
{
	return walk_below(walk, at, path, 0);
}

static int visit_file(void *list, int fd, const char *path,
		      const struct stat *status)
{
	(void)fd;
	return status->st_blocks ? add_file(list, strdup(path),
					    (int64_t)status->st_blocks * 512) :
				   0;
}

static void pack(struct answer *answer, const struct memory_owner_list *list)
{
	char *at = answer->files, *end = at + ROOM;

	answer->others = list->others;
	answer->others_bytes = list->others_bytes;
	answer->unread = list->unread;
	for (size_t i = 0; i < list->count; i++) {
		const struct memory_owner *owner = &list->owners[i];
		size_t length = strlen(owner->name) + 1;

		if ((size_t)(end - at) < sizeof(owner->bytes) + length) {
			answer->others++;
			answer->others_bytes += owner->bytes;
			continue;
		}
		memcpy(at, &owner->bytes, sizeof(owner->bytes));
		memcpy(at + sizeof(owner->bytes), owner->name, length);
		at += sizeof(owner->bytes) + length;
		answer->count++;
	}
}

static size_t look_at(const void *data, size_t index, void *to)
{
	const struct questions *questions = data;
	const size_t at = questions->wanted[index];
	const char *path = questions->mounts->mounts[at].mountpoints.strings[0];
	struct memory_owner_list list = { 0 };
	struct owner_walk walk = {
		.patience = questions->root->patience,
		.visit = visit_file,
		.data = &list,
	};
	struct answer *answer = to;
	struct fs_target target;
	struct statfs status;
	int ret = 0;

	if (owner_open_mount(&target, questions->mounts, at, &status) < 0)
		list.unread++;
	else if (status.f_type == HUGETLBFS_MAGIC ||
		 status.f_type == TMPFS_MAGIC)
		ret = owner_walk(&walk, target.fd, path);
	fs_target_deinit(&target);
	list.unread += walk.unread;
	answer->is_cut_short = ret < 0;
	if (memory_owner_list_cut(&list, questions->top) == 0)
		pack(answer, &list);
	memory_owner_list_deinit(&list);
	return sizeof(*answer);
}

static void name_one(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct questions *questions = data;
	const size_t at = questions->wanted[index];

	snprintf(text, STUCK_OBJECT, "files of %s",
		 questions->mounts->mounts[at].mountpoints.strings[0]);
}

/* Adds what a worker found; no answer is something that is not known. */
static int take_answer(struct memory_owners *owners,
		       struct memory_owner_list *list,
		       const struct answer *answer)
{
	const char *at = answer ? answer->files : NULL;
	int ret = 0;

	if (!answer) {
		list->unread++;
		return 0;
	}
	owners->is_cut_short |= answer->is_cut_short;
	list->unread += answer->unread;
	list->others += answer->others;
	list->others_bytes += answer->others_bytes;
	for (size_t i = 0; !ret && i < answer->count; i++) {
		const char *path = at + sizeof(int64_t);
		int64_t bytes;

		memcpy(&bytes, at, sizeof(bytes));
		ret = memory_owner_add(list, strdup(path), bytes, 0);
		at = path + strlen(path) + 1;
	}
	return ret;
}

static int find_mounts(struct questions *questions, const char *type)
{
	if (!questions->mounts)
		return -ENOMEM;
	questions->wanted = calloc(questions->mounts->count + 1,
				   sizeof(*questions->wanted));
	if (!questions->wanted)
		return -ENOMEM;
	for (size_t i = 0; i < questions->mounts->count; i++) {
		const struct mounted *mounted = &questions->mounts->mounts[i];

		if (strcmp(mounted->type, type) == 0 &&
		    mounted->mountpoints.count)
			questions->wanted[questions->count++] = i;
	}
	return 0;
}

/* A captured tree has no such files: the list then counts as not asked for. */
static int list_files(struct memory_owners *owners, struct owner_host *host,
		      struct memory_owner_list *list, const char *type)
{
	struct questions questions = { .root = host->root, .top = owners->top };
	struct asked *asked = NULL;
	struct ask all = {
		.answer = look_at,
		.data = &questions,
		.answer_size = sizeof(struct answer),
		.kept = -1,
		.name = name_one,
		.patience = host->root->patience,
	};
	int ret;

	if (!list)
		return 0;
	list->asked = sysroot_is_live(host->root);
	if (!list->asked)
		return 0;
	questions.mounts = owner_mounts(host, list);
	ret = find_mounts(&questions, type);
	all.count = questions.count;
	if (!ret && all.count)
		ret = ask(&all, &asked, NULL);
	for (size_t i = 0; !ret && i < all.count; i++)
		ret = take_answer(owners, list, asked_answer(asked, i));
	asked_destroy(asked);
	free(questions.wanted);
	return ret < 0 ? ret : memory_owner_list_cut(list, owners->top);
}

int owners_of_hugetlbfs(struct memory_owners *owners, struct owner_host *host)
{
	return list_files(owners, host,
			  owner_list(owners, MEMORY_HEAD_HUGE_PAGES,
				     MEMORY_OWNER_HUGETLBFS),
			  "hugetlbfs");
}

int owners_of_tmpfs_files(struct memory_owners *owners, struct owner_host *host)
{
	return list_files(owners, host,
			  owner_list(owners, MEMORY_HEAD_SHARED,
				     MEMORY_OWNER_FILE),
			  "tmpfs");
}
