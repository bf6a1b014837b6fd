// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF maps that only programs have, or other maps: whoever loaded a program has
 * ended, and it is attached. Programs and maps are opened by their numbers
 * (CAP_SYS_ADMIN), as bpftool does. The last close of a map ends the timers in
 * it (map_release_uref()). But one that no process and no bpffs has cannot have
 * any: bpf_timer_init() refuses it (Linux 5.15, where timers came).
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/sysroot.h"
#include "owners/owner_lists.h"
#include "worker/patience.h"

#define MOST_MAPS 64 /* of a program (MAX_USED_MAPS in the kernel) */

/* Returns what the call does, or -1. The number after @id goes to @next. */
static int ask_number(int command, uint32_t id, uint32_t flags, uint32_t *next)
{
	union bpf_attr question;
	int ret;

	/* The kernel looks at all of it, also at what an initializer leaves. */
	memset(&question, 0, sizeof(question));
	question.start_id = id;
	question.open_flags = flags;
	ret = (int)syscall(SYS_bpf, command, &question, sizeof(question));
	if (next)
		*next = question.next_id;
	return ret;
}

/* @program has it, or is NULL. */
static void name_map(struct owner_pin *pin, int fd,
		     const struct bpf_prog_info *program)
{
	struct bpf_map_info info = { 0 };
	char number[16];

	snprintf(number, sizeof(number), "id %u", pin->map.id);
	if (!owner_bpf_info(fd, &info, sizeof(info)))
		info.name[0] = '\0';
	if (!program)
		snprintf(pin->name, sizeof(pin->name), "%.*s (%s)",
			 BPF_OBJ_NAME_LEN, *info.name ? info.name : "map",
			 number);
	else
		snprintf(pin->name, sizeof(pin->name),
			 "%.*s of the program %.*s%s(%u)", BPF_OBJ_NAME_LEN,
			 *info.name ? info.name : number, BPF_OBJ_NAME_LEN,
			 program->name, *program->name ? " " : "", program->id);
}

static bool is_there(const struct owner_pins *pins, uint32_t map)
{
	for (size_t i = 0; i < pins->count; i++) {
		if (pins->pins[i].map.id == map)
			return true;
	}
	return false;
}

/* It may be gone by now, or have its elements in slab. */
static void visit_map(struct owner_pins *pins,
		      const struct owner_pins_wanted *wanted, uint32_t id,
		      const struct bpf_prog_info *program)
{
	_cleanup_(closep) int fd = -1;
	struct owner_pin pin = { .is_other = true };
	char number[16];

	if (wanted->is_open(wanted->data, id) || is_there(pins, id))
		return;
	fd = ask_number(BPF_MAP_GET_FD_BY_ID, id, BPF_F_RDONLY, NULL);
	if (fd < 0 && errno != ENOENT)
		pins->error = errno;
	snprintf(number, sizeof(number), "%d", fd);
	if (fd < 0 || !owner_bpf_map(wanted->root, "self", number,
				     wanted->processors, &pin.map))
		return;
	name_map(&pin, fd, program);
	owner_pins_add(pins, &pin);
}

static void visit_program(struct owner_pins *pins,
			  const struct owner_pins_wanted *wanted, uint32_t id)
{
	_cleanup_(closep) int fd =
		ask_number(BPF_PROG_GET_FD_BY_ID, id, 0, NULL);
	uint32_t maps[MOST_MAPS] = { 0 };
	struct bpf_prog_info program = {
		.nr_map_ids = MOST_MAPS,
		.map_ids = (uint64_t)(uintptr_t)maps,
	};

	if (fd < 0 && errno != ENOENT)
		pins->error = errno;
	if (fd < 0 || !owner_bpf_info(fd, &program, sizeof(program)))
		return;
	for (uint32_t i = 0; i < program.nr_map_ids && i < MOST_MAPS; i++)
		visit_map(pins, wanted, maps[i], &program);
}

/* Calls @visit with each number that @command tells, until walks end. */
static void visit_all(struct owner_pins *pins,
		      const struct owner_pins_wanted *wanted, int command,
		      void (*visit)(struct owner_pins *,
				    const struct owner_pins_wanted *, uint32_t))
{
	uint32_t id = 0;

	while (ask_number(command, id, 0, &id) == 0) {
		if (patience_walk(wanted->root->patience) < 0) {
			pins->is_cut_short = true;
			return;
		}
		visit(pins, wanted, id);
	}
	/* A kernel without bpf(2) has none. */
	if (errno != ENOENT && errno != ENOSYS)
		pins->error = errno;
}

static void visit_rest(struct owner_pins *pins,
		       const struct owner_pins_wanted *wanted, uint32_t id)
{
	visit_map(pins, wanted, id, NULL);
}

void owner_programs_visit(struct owner_pins *pins,
			  const struct owner_pins_wanted *wanted)
{
	visit_all(pins, wanted, BPF_PROG_GET_NEXT_ID, visit_program);
	visit_all(pins, wanted, BPF_MAP_GET_NEXT_ID, visit_rest);
}
