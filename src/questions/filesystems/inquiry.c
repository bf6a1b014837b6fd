// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <bufstat/filesystems.h>

#include "filesystems/all_mounts.h"
#include "filesystems/fs_target.h"
#include "filesystems/inquiry.h"
#include "filesystems/lookup.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/sysroot.h"
#include "worker/stuck.h"
#include "worker/worker.h"

/*
 * The first round has all questions, the second those that the first could not
 * look up.
 */
struct round {
	const struct inquiry *inquiry;
	size_t *indexes;
	size_t count;
	bool may_wait;
	int control; /* in the first round: the module's device */
};

struct inquired {
	struct round rounds[2];
	struct ask asks[2];
	struct asked *asked[2];
	size_t *places; /* 1 + index in the second round, or 0: none */
};

size_t inquiry_count(const struct inquiry *inquiry)
{
	return inquiry->paths ? inquiry->path_count :
				inquiry->mounts->count + 1;
}

/*
 * In the second round the module's device is opened only after the lookup. An
 * open descriptor would keep the module from being unloaded while the lookup
 * blocks.
 */
static size_t put(const struct round *round, int fd, void *answer)
{
	struct inquiry_answer *head = answer;
	_cleanup_(closep) int opened = -1;

	if (!round->may_wait)
		return round->inquiry->put(round->inquiry, round->control, fd,
					   answer);
	opened = control_open(round->inquiry->root, NULL);
	if (opened >= 0)
		return round->inquiry->put(round->inquiry, opened, fd, answer);
	head->error = -opened;
	return sizeof(*head);
}

static size_t ask_path(const struct round *round, const char *path,
		       void *answer)
{
	struct inquiry_answer *head = answer;
	_cleanup_(closep) int fd = round->may_wait ?
					   open(path, O_PATH | O_CLOEXEC) :
					   lookup_path(path);

	if (fd >= 0)
		return put(round, fd, answer);
	head->error = round->may_wait ? errno : -fd;
	return sizeof(*head);
}

/*
 * Whether the answer is about another filesystem, mounted over the wanted one.
 * The module answers EOPNOTSUPP for hugetlbfs, so for any other wanted type it
 * means that something is mounted on top.
 */
static bool is_over_it(const struct fs_target *target,
		       const struct inquiry_answer *answer)
{
	if (answer->error == EOPNOTSUPP)
		return target->mounted &&
		       strcmp(target->mounted->type, "hugetlbfs") != 0;
	return !answer->error &&
	       !fs_target_is(target, answer->major, answer->minor);
}

static size_t ask_mount(const struct round *round, size_t index, void *answer)
{
	struct inquiry_answer *head = answer;
	struct fs_target target;
	size_t size = sizeof(*head);

	fs_target_init(&target, round->inquiry->mounts, index, round->may_wait);
	while (fs_target_next(&target)) {
		size = put(round, target.fd, answer);
		if (!is_over_it(&target, head))
			break;
		head->error = ENOENT;
		size = sizeof(*head);
	}
	if (target.fd < 0)
		head->error = target.error;
	fs_target_deinit(&target);
	return size;
}

static size_t answer_one(const void *data, size_t at, void *answer)
{
	const struct round *round = data;
	size_t index = round->indexes[at];

	if (round->inquiry->paths)
		return ask_path(round, round->inquiry->paths[index], answer);
	return ask_mount(round, index, answer);
}

/* The path of one, or NULL: the kernel's own tmpfs has no mount point. */
static const char *path_of(const struct round *round, size_t at)
{
	const struct inquiry *inquiry = round->inquiry;
	size_t index = round->indexes[at];

	if (inquiry->paths)
		return inquiry->paths[index];
	return index < inquiry->mounts->count ?
		       inquiry->mounts->mounts[index].mountpoints.strings[0] :
		       NULL;
}

static void name_one(const void *data, size_t at, char text[STUCK_OBJECT])
{
	snprintf(text, STUCK_OBJECT, "%s",
		 path_of(data, at) ?: "shared memory");
}

/* As found_paths names it: both may wait for the same. */
static void object_of(const void *data, size_t at, char text[STUCK_OBJECT])
{
	if (path_of(data, at))
		stuck_name_path("look up", path_of(data, at), text);
}

static int ask_round(struct inquired *inquired, size_t which, int control,
		     struct error *err)
{
	struct round *round = &inquired->rounds[which];

	round->control = WORKER_KEPT;
	inquired->asks[which] = (struct ask){
		.answer = answer_one,
		.data = round,
		.count = round->count,
		.answer_size = round->inquiry->answer_size,
		.kept = round->may_wait ? -1 : control,
		.name = name_one,
		.object = round->may_wait ? object_of : NULL,
		/* Nothing in the first round waits. */
		.is_common = !round->may_wait,
		.kept_at = round->may_wait ? NULL : &round->control,
		.patience = round->inquiry->root->patience,
	};
	return round->count ? ask(&inquired->asks[which],
				  &inquired->asked[which], err) :
			      0;
}

/* EAGAIN from the first round: the lookup might block. */
static void fill_second(struct inquired *inquired)
{
	const struct round *first = &inquired->rounds[0];
	struct round *second = &inquired->rounds[1];

	for (size_t i = 0; i < first->count; i++) {
		const struct inquiry_answer *answer =
			asked_answer(inquired->asked[0], i);

		if (!answer || answer->error != EAGAIN)
			continue;
		second->indexes[second->count++] = i;
		inquired->places[i] = second->count;
	}
}

static struct inquired *inquired_create(const struct inquiry *inquiry)
{
	size_t count = inquiry_count(inquiry);
	struct inquired *inquired = calloc(1, sizeof(*inquired));

	if (!inquired)
		return NULL;
	inquired->places = calloc(count, sizeof(*inquired->places));
	for (size_t i = 0; i < 2; i++) {
		inquired->rounds[i].inquiry = inquiry;
		inquired->rounds[i].may_wait = i;
		inquired->rounds[i].indexes = calloc(count, sizeof(size_t));
	}
	if (inquired->places && inquired->rounds[0].indexes &&
	    inquired->rounds[1].indexes) {
		for (size_t i = 0; i < count; i++)
			inquired->rounds[0].indexes[i] = i;
		inquired->rounds[0].count = count;
		return inquired;
	}
	inquired_destroy(inquired);
	return NULL;
}

void inquired_destroy(struct inquired *inquired)
{
	if (!inquired)
		return;
	for (size_t i = 0; i < 2; i++) {
		asked_destroy(inquired->asked[i]);
		free(inquired->rounds[i].indexes);
	}
	free(inquired->places);
	free(inquired);
}

int inquire(const struct inquiry *inquiry, int control,
	    struct inquired **inquired, struct error *err)
{
	int ret;

	*inquired = inquired_create(inquiry);
	if (!*inquired)
		return error_errno(err, ENOMEM, "asking", "the filesystems");
	ret = ask_round(*inquired, 0, control, err);
	if (ret < 0)
		return ret;
	fill_second(*inquired);
	return ask_round(*inquired, 1, control, err);
}

const void *inquired_answer(const struct inquired *inquired, size_t index,
			    char why[ASK_WHY])
{
	size_t place = inquired->places[index];
	const struct asked *asked = inquired->asked[place ? 1 : 0];
	size_t at = place ? place - 1 : index;
	const void *answer = asked_answer(asked, at);

	if (!answer)
		asked_why(asked, at, why);
	return answer;
}

#define PATH "/dev/" BUFSTAT_DEVICE

enum lack control_lack(const struct sysroot *root, int number)
{
	if (number == ENOENT)
		return sysroot_exists(root, "/sys/module/bufstat") ?
			       LACK_NODE :
			       LACK_MODULE;
	/* The rules of a container, too, refuse it to root. */
	if (number == EACCES || number == EPERM)
		return geteuid() ? LACK_ROOT : LACK_RIGHT;
	return LACKS_NOTHING;
}

int control_open(const struct sysroot *root, struct error *err)
{
	struct bufstat_version version = { 0 };
	_cleanup_(closep) int fd = -1;
	enum lack lack;

	if (!sysroot_is_live(root))
		return lack_error(err, LACK_MODULE_IN_TREE, NULL);
	fd = sysroot_open(root, PATH, O_RDWR);
	if (fd < 0) {
		lack = control_lack(root, -fd);
		return lack ? lack_error(err, lack, PATH) :
			      error_errno(err, -fd, "opening", PATH);
	}
	if (ioctl(fd, BUFSTAT_IOC_VERSION, &version) < 0 ||
	    version.version != BUFSTAT_FILESYSTEMS_VERSION)
		return lack_error(err, LACK_SAME_VERSION, NULL);
	return steal_fd(&fd);
}
