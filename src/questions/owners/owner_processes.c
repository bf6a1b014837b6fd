// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/number.h"
#include "lib/string_list.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "worker/patience.h"

/* A process in 65,536 groups has a line of half a megabyte. */
#define MAX_STATUS (1U << 20)

/*
 * A line of /proc/PID/status, in kB, and the list that it ranks. RssAnon and
 * RssShmem are there since Linux 4.5, HugetlbPages since 4.4.
 */
struct figure {
	enum memory_head_id head;
	const char *key;
};

static const struct figure figures[] = {
	{ MEMORY_HEAD_PROGRAMS, "RssAnon:" },
	{ MEMORY_HEAD_SHARED, "RssShmem:" },
	{ MEMORY_HEAD_PAGE_TABLES, "VmPTE:" },
	{ MEMORY_HEAD_HUGE_PAGES, "HugetlbPages:" },
	{ MEMORY_HEAD_COMPRESSED, "VmSwap:" },
};

#define FIGURES (sizeof(figures) / sizeof(*figures))

struct pass {
	const struct sysroot *root;
	struct memory_owner_list *lists[FIGURES]; /* NULL: not asked for */
	bool found[FIGURES]; /* some process has the line */
	size_t programs; /* processes with memory of their own */
	size_t unread;
};

/* "Name:\tcomm\n" is the first line. A newline in a name is written as "\n". */
static char *name_of(const char *status)
{
	const char *name = status + strcspn(status, "\t\n");

	name += *name == '\t';
	return strndup(name, strcspn(name, "\n"));
}

static int add_process(struct pass *pass, unsigned int pid, const char *status)
{
	bool is_program = false;
	uint64_t kib;
	int ret = 0;

	for (size_t i = 0; !ret && i < FIGURES; i++) {
		if (!pass->lists[i])
			continue;
		/* Kernel threads have none of these lines. */
		if (!number_of_line(status, figures[i].key, INT64_MAX / 1024,
				    &kib))
			continue;
		is_program = true;
		pass->found[i] = true;
		if (kib)
			ret = memory_owner_add(pass->lists[i], name_of(status),
					       (int64_t)kib * 1024, pid);
	}
	pass->programs += is_program;
	return ret;
}

/* One that has ended meanwhile is no owner. */
static int read_process(struct pass *pass, const char *name)
{
	_cleanup_(freep) char *status = NULL;
	char path[64];
	uint64_t pid;
	int ret;

	if (!number_parse(name, UINT_MAX, &pid))
		return 0;
	snprintf(path, sizeof(path), "/proc/%s/status", name);
	ret = sysroot_read(pass->root, path, MAX_STATUS, &status, NULL);
	if (!ret)
		return add_process(pass, (unsigned int)pid, status);
	pass->unread += ret != -ENOENT && ret != -ESRCH;
	return only_enomem(ret);
}

static int finish(struct memory_owners *owners, const struct pass *pass,
		  size_t figure)
{
	struct memory_owner_list *list = pass->lists[figure];

	list->unread = pass->unread;
	/* Of processes that nobody got to, nothing is known. */
	if (!owners->is_cut_short && !pass->programs)
		memory_owner_list_fail(list, "/proc: no process in it can be "
					     "read");
	else if (!owners->is_cut_short && !pass->found[figure])
		list->uncounted = true;
	/* All of them are needed to rank them anew. */
	if (owners->by_pss && figures[figure].head == MEMORY_HEAD_PROGRAMS)
		return 0;
	return memory_owner_list_cut(list, owners->top);
}

int owners_of_processes(struct memory_owners *owners,
			const struct sysroot *root)
{
	_cleanup_(string_list_deinit) struct string_list names = { 0 };
	struct pass pass = { .root = root };
	bool asked = false;
	int ret;

	for (size_t i = 0; i < FIGURES; i++) {
		pass.lists[i] = owner_list(owners, figures[i].head,
					   MEMORY_OWNER_PROCESS);
		asked |= pass.lists[i] != NULL;
	}
	if (!asked)
		return 0;
	ret = sysroot_list(root, "/proc", &names);
	for (size_t i = 0; ret != -ENOMEM && i < names.count; i++) {
		if (patience_walk(root->patience) < 0) {
			owners->is_cut_short = true;
			break;
		}
		ret = read_process(&pass, names.strings[i]);
	}
	for (size_t i = 0; ret != -ENOMEM && i < FIGURES; i++) {
		if (pass.lists[i])
			ret = finish(owners, &pass, i);
	}
	return only_enomem(ret);
}
