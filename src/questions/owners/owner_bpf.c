// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF maps: what /proc/PID/fdinfo says of one, and the name that its owner gave
 * it.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filesystems/fdinfo.h"
#include "lib/cleanup.h"
#include "lib/lesser.h"
#include "lib/number.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "worker/ask.h"

/* Otherwise elements are allocated one by one, in slab. */
static bool is_preallocated(const char *info)
{
	const char *flags = value_of_line(info, "map_flags:");

	return !flags || !(strtoul(flags, NULL, 0) & BPF_F_NO_PREALLOC);
}

/*
 * Values that each processor has a copy of, which is a multiple of 8 bytes
 * (kernel/bpf). They are part of what the owner is charged for.
 */
static int64_t per_cpu_bytes(const char *info, unsigned int processors)
{
	uint64_t type, size, entries;

	if (!number_of_line(info, "map_type:", UINT32_MAX, &type) ||
	    (type != BPF_MAP_TYPE_PERCPU_HASH &&
	     type != BPF_MAP_TYPE_PERCPU_ARRAY &&
	     type != BPF_MAP_TYPE_LRU_PERCPU_HASH) ||
	    !number_of_line(info, "value_size:", UINT16_MAX, &size) ||
	    !number_of_line(info, "max_entries:", UINT32_MAX, &entries))
		return 0;
	return (int64_t)((size + 7) / 8 * 8 * entries * processors);
}

bool owner_bpf_map(const struct sysroot *root, const char *pid, const char *fd,
		   unsigned int processors, struct owner_bpf_map *map)
{
	_cleanup_(freep) char *info = NULL;
	uint64_t number, charged;

	if (fdinfo_read(root, pid, fd, &info) < 0 ||
	    !number_of_line(info, "map_id:", UINT32_MAX, &number))
		return false;
	*map = (struct owner_bpf_map){ .id = (uint32_t)number };
	if (!number_of_line(info, "memlock:", INT64_MAX / 2, &charged) ||
	    !is_preallocated(info))
		return true;
	map->per_cpu_bytes =
		lesser(per_cpu_bytes(info, processors), (int64_t)charged);
	map->vmalloc_bytes = (int64_t)charged - map->per_cpu_bytes;
	return true;
}

bool owner_bpf_info(int fd, void *info, size_t size)
{
	union bpf_attr question;

	/* The kernel looks at all of it, also at what an initializer leaves. */
	memset(&question, 0, sizeof(question));
	question.info.bpf_fd = (uint32_t)fd;
	question.info.info_len = (uint32_t)size;
	question.info.info = (uint64_t)(uintptr_t)info;
	return syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &question,
		       sizeof(question)) == 0;
}

/* The descriptor that the process had is closed, or of another file, by now. */
static bool name_of(const struct owner_place *place,
		    char name[BPF_OBJ_NAME_LEN])
{
	_cleanup_(closep) int fd = owner_copy(place);
	struct bpf_map_info info = { 0 };

	if (fd < 0 || !owner_bpf_info(fd, &info, sizeof(info)))
		return false;
	memcpy(name, info.name, BPF_OBJ_NAME_LEN);
	return info.id == place->number && *name && !name[BPF_OBJ_NAME_LEN - 1];
}

static size_t answer_name(const void *data, size_t index, void *answer)
{
	const struct owner_place *places = data;

	return name_of(&places[index], answer) ? BPF_OBJ_NAME_LEN : 0;
}

static void object_of(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct owner_place *places = data;

	snprintf(text, STUCK_OBJECT, "process %u", places[index].pid);
}

int owner_bpf_names(struct memory_owner_list *list,
		    const struct owner_place *places,
		    const struct sysroot *root)
{
	const struct ask question = {
		.answer = answer_name,
		.data = places,
		.count = list->count,
		.answer_size = BPF_OBJ_NAME_LEN,
		.kept = -1,
		.what = "the names of BPF maps",
		.object = object_of,
		.patience = root->patience,
	};
	struct asked *asked = NULL;
	int ret = list->count ? ask(&question, &asked, NULL) : 0;

	for (size_t i = 0; asked && i < list->count; i++) {
		const char *name = asked_answer(asked, i);
		char *copy;

		/* Not every map has one. */
		if (!name || !*name)
			continue;
		copy = strdup(name);
		ret = copy ? 0 : -ENOMEM;
		if (!copy)
			break;
		free(list->owners[i].name);
		list->owners[i].name = copy;
	}
	asked_destroy(asked);
	return ret == -ENOMEM ? ret : 0;
}
