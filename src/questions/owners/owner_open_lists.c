// SPDX-License-Identifier: GPL-2.0-or-later
/* The lists of what is in memory and has no path. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "names/processes.h"
#include "owners/owner_open.h"

static bool nameless_has_process(enum nameless_kind kind)
{
	return kind < BPF_PIN || kind >= TCP;
}

/* Each once, with the first process that has it. */
static int nameless_fill_list(struct nameless_pass *pass,
			      enum nameless_kind kind)
{
	struct memory_owner_list *list = pass->lists[kind];
	int ret = 0;

	for (size_t i = 0; !ret && i < pass->count; i++) {
		struct nameless *file = &pass->files[i];

		if (file->kind != kind || (i && file[-1].kind == kind &&
					   file[-1].device == file->device &&
					   file[-1].ino == file->ino))
			continue;
		ret = memory_owner_add(list, strdup(file->name), file->bytes,
				       file->pid);
	}
	list->unread = pass->unread + pass->unasked[kind];
	return ret;
}

static int nameless_by_pid(const void *left, const void *right)
{
	const struct memory_owner *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* All of a process are one owner. */
static void nameless_merge_processes(struct memory_owner_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->owners, list->count, sizeof(*list->owners),
		      nameless_by_pid);
	for (size_t i = 0; i < list->count; i++) {
		struct memory_owner *owner = &list->owners[i];

		if (kept && list->owners[kept - 1].pid == owner->pid) {
			list->owners[kept - 1].bytes += owner->bytes;
			free(owner->name);
		} else {
			list->owners[kept++] = *owner;
		}
	}
	list->count = kept;
}

static int nameless_name_maps(struct nameless_pass *pass,
			      enum nameless_kind kind)
{
	struct memory_owner_list *list = pass->lists[kind];
	_cleanup_(freep) struct owner_place *places =
		calloc(list->count + 1, sizeof(*places));

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < list->count; i++) {
		const struct memory_owner *owner = &list->owners[i];

		for (size_t j = 0; !places[i].number && j < pass->count; j++) {
			const struct nameless *file = &pass->files[j];

			if (file->kind == kind && file->pid == owner->pid &&
			    strcmp(file->name, owner->name) == 0)
				places[i] = (struct owner_place){
					.pid = file->pid,
					.fd = file->fd,
					.number = file->ino,
				};
		}
	}
	return owner_bpf_names(list, places, pass->root);
}

/*
 * Puts a process's name after those that are left of the list, or in their
 * place.
 */
static int nameless_name_processes(struct memory_owner_list *list,
				   enum nameless_kind kind,
				   const struct sysroot *root)
{
	for (size_t i = 0; i < list->count; i++) {
		struct memory_owner *owner = &list->owners[i];
		const char *own = kind >= TCP ? "" : owner->name;
		_cleanup_(freep) char *label = NULL;
		char pid[16], *name;

		snprintf(pid, sizeof(pid), "%u", owner->pid);
		if (process_label(root, pid, &label) < 0 ||
		    asprintf(&name, "%s%s%s", own, *own ? ", of " : "", label) <
			    0)
			return -ENOMEM;
		owner->own_length = strlen(own);
		free(owner->name);
		owner->name = name;
	}
	return 0;
}

int nameless_finish(struct memory_owners *owners, struct nameless_pass *pass,
		    enum nameless_kind kind)
{
	struct memory_owner_list *list = pass->lists[kind];
	int ret = nameless_fill_list(pass, kind);

	if (kind >= TCP)
		nameless_merge_processes(list);
	if ((kind == PIPE || kind == UNIX_SOCKET) && pass->queues_failed)
		owner_list_refuse(list, "pidfd_getfd", pass->queues_failed);
	if ((kind == TCP || kind == UDP || kind == UNIX_SOCKET ||
	     kind == MAPPED + OWNER_MAP_PACKET) &&
	    pass->sockets.failed)
		owner_list_refuse(list, "/proc/PID/net", pass->sockets.failed);
	if ((kind == BPF_OTHER || kind == BPF_OTHER_PER_CPU) &&
	    *pass->others_failed)
		memory_owner_list_fail(list, "%s", pass->others_failed);
	if ((kind == BPF_PIN || kind == BPF_PIN_PER_CPU) && pass->pins_failed)
		owner_list_refuse(list, "bpf(2)", pass->pins_failed);
	if (!ret)
		ret = memory_owner_list_cut(list, owners->top);
	if (!ret && (kind == BPF_MAP || kind == BPF_PER_CPU))
		ret = nameless_name_maps(pass, kind);
	if (!ret && nameless_has_process(kind))
		ret = nameless_name_processes(list, kind, pass->root);
	return ret;
}

bool nameless_choose_lists(struct nameless_pass *pass,
			   struct memory_owners *owners)
{
	static const struct {
		enum memory_head_id head;
		enum memory_owner_kind kind;
	} lists[KINDS] = {
		[DELETED] = { MEMORY_HEAD_SHARED, MEMORY_OWNER_DELETED },
		[MEMFD] = { MEMORY_HEAD_SHARED, MEMORY_OWNER_MEMFD },
		[BPF_MAP] = { MEMORY_HEAD_VMALLOC, MEMORY_OWNER_BPF },
		[BPF_PER_CPU] = { MEMORY_HEAD_PER_CPU, MEMORY_OWNER_BPF },
		[BPF_PIN] = { MEMORY_HEAD_VMALLOC, MEMORY_OWNER_PIN },
		[BPF_PIN_PER_CPU] = { MEMORY_HEAD_PER_CPU, MEMORY_OWNER_PIN },
		[BPF_OTHER] = { MEMORY_HEAD_VMALLOC, MEMORY_OWNER_OTHER_BPF },
		[BPF_OTHER_PER_CPU] = { MEMORY_HEAD_PER_CPU,
					MEMORY_OWNER_OTHER_BPF },
		[TCP] = { MEMORY_HEADS, MEMORY_OWNER_TCP },
		[UDP] = { MEMORY_HEADS, MEMORY_OWNER_UDP },
		[PIPE] = { MEMORY_HEADS, MEMORY_OWNER_PIPE },
		[UNIX_SOCKET] = { MEMORY_HEADS, MEMORY_OWNER_UNIX_SOCKET },
		[MAPPED + OWNER_MAP_PERF] = { MEMORY_HEADS, MEMORY_OWNER_PERF },
		[MAPPED + OWNER_MAP_IO_URING] = { MEMORY_HEADS,
						  MEMORY_OWNER_IO_URING },
		[MAPPED + OWNER_MAP_PACKET] = { MEMORY_HEADS,
						MEMORY_OWNER_PACKET },
		[MAPPED + OWNER_MAP_GRAPHICS] = { MEMORY_HEAD_SHARED,
						  MEMORY_OWNER_GRAPHICS },
		[MAPPED + OWNER_MAP_GRAPHICS_PAGES] = { MEMORY_HEADS,
							MEMORY_OWNER_GRAPHICS },
	};
	bool any = false;

	for (enum nameless_kind kind = 0; kind < KINDS; kind++) {
		pass->lists[kind] =
			owner_list(owners, lists[kind].head, lists[kind].kind);
		any |= pass->lists[kind] != NULL;
	}
	return any;
}
