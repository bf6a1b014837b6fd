// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF maps that no process and no bpffs has: a program has one that is attached
 * somewhere, or another map. The kernel's memory has them. A worker asks each
 * program for the numbers of its maps. To open and close a program changes
 * nothing.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/kernel_maps.h"
#include "kernel/kernel.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "worker/ask.h"
#include "worker/patience.h"

#define MOST_MAPS 64 /* of a program (MAX_USED_MAPS in the kernel) */
#define MOST_USES 4096
/* Of an element of a hash (struct htab_elem), bytes; 48 to 64. */
#define HASH_ELEMENT 48

/* Which program has a map. */
struct uses {
	size_t count;
	bool is_cut_short;
	int error; /* errno, or 0 */
	struct use {
		uint32_t map, program;
		char name[BPF_OBJ_NAME_LEN]; /* of the program, or "" */
	} list[MOST_USES];
};

/* ---- in the worker ------------------------------------------------------- */

/* Returns what the call does, or -1. The number after @id goes to @next. */
static int ask_number(int command, uint32_t id, uint32_t *next)
{
	union bpf_attr question;
	int ret;

	/* The kernel looks at all of it, also at what an initializer leaves. */
	memset(&question, 0, sizeof(question));
	question.start_id = id;
	ret = (int)syscall(SYS_bpf, command, &question, sizeof(question));
	if (next)
		*next = question.next_id;
	return ret;
}

static void add_use(struct uses *uses, uint32_t map,
		    const struct bpf_prog_info *program)
{
	struct use *use = &uses->list[uses->count];

	if (uses->count == MOST_USES) {
		uses->is_cut_short = true;
		return;
	}
	*use = (struct use){ .map = map, .program = program->id };
	memcpy(use->name, program->name, sizeof(use->name) - 1);
	uses->count++;
}

static void visit_program(struct uses *uses,
			  const struct owner_pins_wanted *wanted, uint32_t id)
{
	_cleanup_(closep) int fd = ask_number(BPF_PROG_GET_FD_BY_ID, id, NULL);
	uint32_t maps[MOST_MAPS] = { 0 };
	struct bpf_prog_info program = {
		.nr_map_ids = MOST_MAPS,
		.map_ids = (uint64_t)(uintptr_t)maps,
	};

	if (fd < 0 && errno != ENOENT)
		uses->error = errno;
	if (fd < 0 || !owner_bpf_info(fd, &program, sizeof(program)))
		return;
	for (uint32_t i = 0; i < program.nr_map_ids && i < MOST_MAPS; i++) {
		if (!owner_map_is_known(wanted, maps[i]))
			add_use(uses, maps[i], &program);
	}
}

static size_t answer_uses(const void *data,
			  size_t index __attribute__((unused)), void *answer)
{
	const struct owner_pins_wanted *wanted = data;
	struct uses *uses = answer;
	uint32_t id = 0;

	while (ask_number(BPF_PROG_GET_NEXT_ID, id, &id) == 0) {
		if (patience_walk(wanted->root->patience) < 0) {
			uses->is_cut_short = true;
			return sizeof(*uses);
		}
		visit_program(uses, wanted, id);
	}
	/* A kernel without bpf(2) has no programs. */
	if (errno != ENOENT && errno != ENOSYS)
		uses->error = errno;
	return sizeof(*uses);
}

/* ---- the maps ------------------------------------------------------------ */

static int64_t whole_words(uint32_t bytes)
{
	return ((int64_t)bytes + 7) / 8 * 8;
}

/*
 * About what it takes, besides slab: what is allocated when it is made. False:
 * that is nothing.
 */
static bool size_map(const struct kernel_map *map, unsigned int processors,
		     struct owner_bpf_map *size)
{
	const bool is_hash = map->type == BPF_MAP_TYPE_HASH ||
			     map->type == BPF_MAP_TYPE_LRU_HASH ||
			     map->type == BPF_MAP_TYPE_PERCPU_HASH ||
			     map->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
	const bool is_per_cpu = map->type == BPF_MAP_TYPE_PERCPU_ARRAY ||
				map->type == BPF_MAP_TYPE_PERCPU_HASH ||
				map->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
	int64_t element = is_per_cpu ? 8 : whole_words(map->value_size);

	if (map->flags & BPF_F_NO_PREALLOC)
		return false;
	if (is_hash)
		element += HASH_ELEMENT + whole_words(map->key_size);
	if (map->type == BPF_MAP_TYPE_RINGBUF)
		element = 1;
	*size = (struct owner_bpf_map){ .id = map->id };
	if (__builtin_mul_overflow(element, map->most, &size->vmalloc_bytes))
		return false;
	if (is_per_cpu &&
	    (__builtin_mul_overflow(whole_words(map->value_size), map->most,
				    &size->per_cpu_bytes) ||
	     __builtin_mul_overflow(size->per_cpu_bytes, processors,
				    &size->per_cpu_bytes)))
		return false;
	return size->vmalloc_bytes || size->per_cpu_bytes;
}

static void name_map(struct owner_pin *pin, const struct kernel_map *map,
		     const struct uses *uses)
{
	const struct use *use = NULL;
	char number[16];

	snprintf(number, sizeof(number), "id %u", map->id);
	for (size_t i = 0; !use && i < uses->count; i++) {
		if (uses->list[i].map == map->id)
			use = &uses->list[i];
	}
	if (use)
		snprintf(pin->name, sizeof(pin->name),
			 "%s of the program %s%s(%u)",
			 *map->name ? map->name : number, use->name,
			 *use->name ? " " : "", use->program);
	else
		snprintf(pin->name, sizeof(pin->name), "%s (%s)",
			 *map->name ? map->name : "map", number);
}

static int read_maps(struct owner_pins *others,
		     const struct owner_pins_wanted *wanted,
		     const struct uses *uses, const struct sysroot *root,
		     struct error *err)
{
	_cleanup_(kernel_maps_deinit) struct kernel_maps maps = { 0 };
	struct kernel kernel;
	int ret = kernel_open(&kernel, root, NULL, err);

	if (!ret)
		ret = kernel_maps_read(&maps, &kernel, err);
	ret = kernel_close(&kernel, ret, err);
	for (size_t i = 0; !ret && i < maps.count; i++) {
		struct owner_pin other = { 0 };

		if (maps.list[i].is_held ||
		    !size_map(&maps.list[i], wanted->processors, &other.map))
			continue;
		name_map(&other, &maps.list[i], uses);
		owner_pins_add(others, &other);
	}
	others->is_cut_short |= maps.unread;
	return ret;
}

int owner_others_find(struct owner_pins *others,
		      const struct owner_pins_wanted *wanted, struct error *err)
{
	struct ask question = {
		.answer = answer_uses,
		.data = wanted,
		.answer_size = sizeof(struct uses),
		.kept = -1,
		.what = "BPF programs",
		.stuck_on = "BPF programs",
		.patience = wanted->root->patience,
	};
	struct sysroot hurried = *wanted->root;
	struct patience walk = { 0 };
	struct asked *asked = NULL;
	char why[ASK_WHY];
	const struct uses *uses;
	int ret;

	*others = (struct owner_pins){ 0 };
	uses = ask_one(&question, &asked, &ret, err);
	if (uses && uses->error == EPERM)
		ret = error_set(err, EPERM,
				"bpf(2): needs root (CAP_SYS_ADMIN)");
	else if (uses && uses->error)
		ret = error_errno(err, uses->error, NULL, "bpf(2)");
	else if (!uses && !ret)
		ret = error_set(err, -asked_error(asked, 0), "%s",
				asked_why(asked, 0, why));
	else if (!ret)
		others->is_cut_short = uses->is_cut_short;
	/* Where no program has any, the kernel's memory is not read. */
	if (!ret && uses->count) {
		owner_hurry(&hurried, &walk);
		ret = read_maps(others, wanted, uses, &hurried, err);
	}
	asked_destroy(asked);
	return ret;
}
