// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF maps that are pinned in a bpffs: no process has to have one open. The pin
 * has a reference as programs do (bpf_map_inc_with_uref()), so closing what
 * BPF_OBJ_GET opened ends nothing in the map. The lookup sets the pin's atime.
 */
#include <errno.h>
#include <fts.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"
#include "owners/owner_lists.h"
#include "worker/ask.h"

/* Entries of a bpffs that are looked at. */
#define MOST_ENTRIES 65536

struct bpffs {
	const char *place;
	unsigned int major, minor;
};

struct asking {
	const struct sysroot *root;
	struct bpffs *mounts;
	size_t count;
	unsigned int processors;
};

/* Each filesystem once. */
static void take_mounts(struct asking *asking, const struct mountinfo *info)
{
	for (size_t i = 0; i < info->count; i++) {
		const struct mount *mount = &info->mounts[i];
		bool is_known = strcmp(mount->type, "bpf") != 0;

		for (size_t j = 0; !is_known && j < asking->count; j++)
			is_known = asking->mounts[j].major == mount->major &&
				   asking->mounts[j].minor == mount->minor;
		if (!is_known)
			asking->mounts[asking->count++] = (struct bpffs){
				.place = mount->target,
				.major = mount->major,
				.minor = mount->minor,
			};
	}
}

/* A program or a link has no number of a map. */
static bool read_pin(struct owner_pin *pin, const struct asking *asking,
		     const char *path)
{
	union bpf_attr pinned = {
		.pathname = (uint64_t)(uintptr_t)path,
		.file_flags = BPF_F_RDONLY,
	};
	_cleanup_(closep) int fd =
		(int)syscall(SYS_bpf, BPF_OBJ_GET, &pinned, sizeof(pinned));
	char number[16];

	if (fd < 0)
		return false;
	snprintf(number, sizeof(number), "%d", fd);
	snprintf(pin->path, sizeof(pin->path), "%s", path);
	return owner_bpf_map(asking->root, "self", number, asking->processors,
			     &pin->map);
}

static int64_t bytes_of(const struct owner_pin *pin)
{
	return pin->map.vmalloc_bytes + pin->map.per_cpu_bytes;
}

/* The largest stay. */
static void keep_pin(struct owner_pins *pins, const struct owner_pin *pin)
{
	struct owner_pin *least = pins->pins;

	if (pins->count < OWNER_PINS) {
		pins->pins[pins->count++] = *pin;
		return;
	}
	for (size_t i = 1; i < pins->count; i++) {
		if (bytes_of(&pins->pins[i]) < bytes_of(least))
			least = &pins->pins[i];
	}
	if (bytes_of(pin) > bytes_of(least))
		*least = *pin;
	pins->is_cut_short = true;
}

static size_t answer_pins(const void *data, size_t index, void *answer)
{
	const struct asking *asking = data;
	struct owner_pins *pins = answer;
	char *const places[] = { (char *)asking->mounts[index].place, NULL };
	FTS *walk =
		fts_open(places, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	for (size_t i = 0; walk && (entry = fts_read(walk)); i++) {
		struct owner_pin pin = { 0 };

		if (entry->fts_info == FTS_F &&
		    read_pin(&pin, asking, entry->fts_path))
			keep_pin(pins, &pin);
		if (i == MOST_ENTRIES) {
			pins->is_cut_short = true;
			break;
		}
	}
	if (walk)
		fts_close(walk);
	return sizeof(*pins);
}

static void object_of(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct asking *asking = data;

	snprintf(text, STUCK_OBJECT, "%s", asking->mounts[index].place);
}

static int take_pins(const struct asking *asking, struct owner_pins *pins)
{
	const struct ask question = {
		.answer = answer_pins,
		.data = asking,
		.count = asking->count,
		.answer_size = sizeof(*pins),
		.kept = -1,
		.what = "pinned BPF maps",
		.object = object_of,
		.patience = asking->root->patience,
	};
	struct asked *asked = NULL;
	int ret = asking->count ? ask(&question, &asked, NULL) : 0;

	for (size_t i = 0; asked && i < asking->count; i++) {
		const struct owner_pins *answer = asked_answer(asked, i);

		for (size_t j = 0; answer && j < answer->count; j++)
			keep_pin(pins, &answer->pins[j]);
		pins->is_cut_short |= !answer || answer->is_cut_short;
	}
	asked_destroy(asked);
	return only_enomem(ret);
}

int owner_pins_find(struct owner_pins *pins, const struct sysroot *root,
		    unsigned int processors)
{
	_cleanup_(mountinfo_deinit) struct mountinfo info = { 0 };
	struct asking asking = { .root = root, .processors = processors };
	int ret = mountinfo_init(&info, root, "/proc/self/mountinfo");

	*pins = (struct owner_pins){ .is_cut_short = info.error };
	if (ret < 0)
		return ret;
	asking.mounts = calloc(info.count + 1, sizeof(*asking.mounts));
	if (!asking.mounts)
		return -ENOMEM;
	take_mounts(&asking, &info);
	ret = take_pins(&asking, pins);
	free(asking.mounts);
	return ret;
}
