// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/array.h"
#include "lib/cleanup.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "names/device_find.h"
#include "names/node_index.h"
#include "names/openers.h"
#include "names/pid_namespace.h"
#include "names/processes.h"
#include "worker/ask.h"
#include "worker/patience.h"

#define MOST_OPENERS 8192

/*
 * The device-mapper devices of a captured tree, read on the first look-up: it
 * may have thousands of names, and of links.
 */
struct mapper_names {
	struct string_list knames; /* of all devices */
	struct string_list names;
	struct node_index index; /* of names; the lines are places in knames */
	bool tried;
};

/* The process whose descriptors are being read. */
struct process {
	const struct sysroot *root;
	struct mapper_names *mapper;
	unsigned int pid;
	char comm[sizeof(((struct opener *)NULL)->comm)];
};

static int by_device(const struct opener *a, const struct opener *b)
{
	return dev_number_compare(a->major, a->minor, b->major, b->minor);
}

static int by_device_and_pid(const void *left, const void *right)
{
	const struct opener *a = left, *b = right;
	int order = by_device(a, b);

	return order ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

/*
 * Follows the link with AT_STATX_DONT_SYNC, so that no network server is asked:
 * it may not answer. The kernel knows a device's number without it. gfs2 asks
 * all the same.
 */
static bool stat_device(const char *path, struct opener *device)
{
	struct statx status;

	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &status) <
		    0 ||
	    !S_ISBLK(status.stx_mode))
		return false;
	device->major = status.stx_rdev_major;
	device->minor = status.stx_rdev_minor;
	return true;
}

/* A name that cannot be read counts as absent. */
static void read_mapper_names(struct mapper_names *mapper,
			      const struct sysroot *root)
{
	struct string_list *names = &mapper->names;
	char dir[300];

	mapper->tried = true;
	sysroot_list(root, CLASS_BLOCK, &mapper->knames);
	if (node_index_init(&mapper->index, mapper->knames.count) < 0)
		return;
	for (size_t i = 0; i < mapper->knames.count; i++) {
		const char *kname = mapper->knames.strings[i];
		_cleanup_(freep) char *name = NULL;

		snprintf(dir, sizeof(dir), CLASS_BLOCK "/%s", kname);
		if (strncmp(kname, "dm-", 3) == 0 &&
		    sysfs_attribute(root, dir, "dm/name", &name) == 0 &&
		    string_list_add(names, name) == 0)
			node_index_add_name(&mapper->index,
					    names->strings[names->count - 1],
					    i);
	}
	node_index_sort(&mapper->index);
}

static void mapper_names_deinit(struct mapper_names *mapper)
{
	node_index_deinit(&mapper->index);
	string_list_deinit(&mapper->names);
	string_list_deinit(&mapper->knames);
}

/* The kernel's name for /dev/mapper/@name, or NULL. */
static const char *find_mapper_name(const struct process *process,
				    const char *name)
{
	struct mapper_names *mapper = process->mapper;
	size_t place, end;

	if (!mapper->tried)
		read_mapper_names(mapper, process->root);
	place = node_index_first(&mapper->index, "", name, &end);
	return place < end ?
		       mapper->knames.strings[mapper->index.lines[place].line] :
		       NULL;
}

/* A captured tree has the link but no device; its sysfs has the number. */
static bool look_up_device(const struct process *process, const char *path,
			   struct opener *device)
{
	static const char mapper[] = "/dev/mapper/", dev[] = "/dev/";
	_cleanup_(freep) char *target = NULL;
	struct found_device found;
	const char *kname = NULL;

	if (sysroot_link(process->root, path, &target) < 0)
		return false;
	if (strncmp(target, mapper, sizeof(mapper) - 1) == 0)
		kname = find_mapper_name(process, target + sizeof(mapper) - 1);
	else if (strncmp(target, dev, sizeof(dev) - 1) == 0)
		kname = target + sizeof(dev) - 1;
	if (!kname || device_find_kname(process->root, kname, &found) < 0)
		return false;
	device->major = major(found.number);
	device->minor = minor(found.number);
	found_device_deinit(&found);
	return true;
}

static void read_comm(struct process *process)
{
	_cleanup_(freep) char *comm = NULL;

	process_comm(process->root, process->pid, &comm);
	snprintf(process->comm, sizeof(process->comm), "%s", comm ?: "");
}

static int add(struct openers *openers, const struct opener *opener)
{
	if (array_make_room(&openers->openers, openers->count,
			    &openers->capacity) < 0)
		return -ENOMEM;
	openers->openers[openers->count++] = *opener;
	return 0;
}

/*
 * Adds a descriptor's device, once per process. Reads the process's name only
 * for the first device, because most processes have none open.
 */
static int add_descriptor(struct openers *openers, struct process *process,
			  const char *name, size_t first)
{
	struct opener opener = { .pid = process->pid };
	char path[64];
	bool found;

	snprintf(path, sizeof(path), "/proc/%u/fd/%.20s", process->pid, name);
	if (sysroot_is_live(process->root))
		found = stat_device(path, &opener);
	else
		found = look_up_device(process, path, &opener);
	if (!found)
		return 0;

	for (size_t i = first; i < openers->count; i++) {
		if (by_device(&openers->openers[i], &opener) == 0)
			return 0;
	}
	if (first == openers->count)
		read_comm(process);
	memcpy(opener.comm, process->comm, sizeof(opener.comm));
	return add(openers, &opener);
}

/* Returns -ETIMEDOUT if the time is over before its end. */
static int add_process(struct openers *openers, const struct sysroot *root,
		       struct mapper_names *mapper, unsigned int pid)
{
	struct process process = { root, mapper, pid, "" };
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	size_t first = openers->count;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	ret = sysroot_list(root, path, &names);
	if (ret == -ENOMEM)
		return ret;
	openers->denied += ret == -EACCES || ret == -EPERM;
	openers->processes += !ret || names.count;
	if (sysroot_hides(ret))
		openers->failed = -ret;
	ret = 0;
	for (size_t i = 0; !ret && i < names.count; i++) {
		ret = patience_walk(root->patience);
		if (!ret)
			ret = add_descriptor(openers, &process,
					     names.strings[i], first);
	}
	return ret;
}

/* Our own inherited descriptors do not count as users of a device. */
static bool is_self(const struct sysroot *root, uint64_t pid)
{
	return sysroot_is_live(root) &&
	       (pid == (uint64_t)getpid() || pid == (uint64_t)getppid());
}

static int read_all(struct openers *openers, const struct sysroot *root)
{
	_cleanup_(mapper_names_deinit) struct mapper_names mapper = { 0 };
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	uint64_t pid;
	int ret;

	*openers = (struct openers){ 0 };
	ret = sysroot_list(root, "/proc", &names);
	if (ret == -ENOMEM)
		return ret;
	if (sysroot_hides(ret))
		openers->failed = -ret;
	ret = 0;
	for (size_t i = 0; ret != -ENOMEM && i < names.count; i++) {
		if (!number_parse(names.strings[i], UINT_MAX, &pid) ||
		    is_self(root, pid))
			continue;
		ret = ret ?: patience_walk(root->patience);
		ret = ret   ?:
			      add_process(openers, root, &mapper,
					  (unsigned int)pid);
		openers->unread += ret == -ETIMEDOUT;
	}
	if (openers->unread) {
		openers->failed = ETIME;
		ret = 0;
	}
	if (openers->count)
		qsort(openers->openers, openers->count,
		      sizeof(*openers->openers), by_device_and_pid);
	return ret;
}

struct answer {
	int ret;
	struct openers openers;
	struct opener rows[MOST_OPENERS];
};

static size_t read_in_worker(const void *data, size_t index, void *to)
{
	struct answer *answer = to;
	struct openers *openers = &answer->openers;

	(void)index;
	answer->ret = read_all(openers, data);
	if (openers->count > MOST_OPENERS) {
		openers->count = MOST_OPENERS;
		openers->failed = EFBIG;
	}
	if (openers->count)
		memcpy(answer->rows, openers->openers,
		       openers->count * sizeof(*answer->rows));
	free(openers->openers);
	return offsetof(struct answer, rows) +
	       openers->count * sizeof(*answer->rows);
}

static int take_answer(struct openers *openers, const struct answer *answer)
{
	const size_t size = answer->openers.count * sizeof(*answer->rows);

	*openers = answer->openers;
	openers->openers = malloc(size + 1);
	openers->capacity = openers->count;
	if (!openers->openers) {
		openers->count = 0;
		return -ENOMEM;
	}
	memcpy(openers->openers, answer->rows, size);
	return answer->ret;
}

int openers_init(struct openers *openers, const struct sysroot *root)
{
	struct ask question = {
		.answer = read_in_worker,
		.data = root,
		.answer_size = sizeof(struct answer),
		.kept = -1,
		.what = "open files",
		.stuck_on = "open files",
		.is_common = true,
	};
	struct asked *asked;
	const struct answer *answer;
	const char *about;
	int ret;

	if (!sysroot_is_live(root))
		return read_all(openers, root);
	*openers = (struct openers){ 0 };
	/* The worker itself ends when the time is over, with what it has. */
	about = patience_set_about(root->patience, question.what);
	answer = ask_one(&question, &asked, &ret, NULL);
	if (answer)
		ret = take_answer(openers, answer);
	else if (!ret)
		openers->failed = -asked_error(asked, 0);
	patience_set_about(root->patience, about);
	asked_destroy(asked);
	openers->is_of_namespace = pid_namespace_here().is_foreign;
	return ret;
}

void openers_deinit(struct openers *openers)
{
	free(openers->openers);
	*openers = (struct openers){ 0 };
}

static int compare_device(const void *left, const void *right)
{
	return by_device(left, right);
}

const struct opener *openers_find(const struct openers *openers,
				  unsigned int major, unsigned int minor,
				  size_t *count)
{
	const struct opener key = { .major = major, .minor = minor };
	const struct opener *first, *end = openers->openers + openers->count;

	*count = 0;
	if (!openers->count)
		return NULL;
	first = bsearch(&key, openers->openers, openers->count, sizeof(key),
			compare_device);
	if (!first)
		return NULL;
	while (first > openers->openers && by_device(first - 1, &key) == 0)
		first--;
	while (first + *count < end && by_device(first + *count, &key) == 0)
		++*count;
	return first;
}

bool openers_are_whole(const struct openers *openers)
{
	return openers->processes && !openers->denied && !openers->failed &&
	       !openers->is_of_namespace;
}
