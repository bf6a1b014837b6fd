// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF maps that are pinned in a bpffs: no process has to have one open. The pin
 * has a reference as programs do (bpf_map_inc_with_uref()), so closing what
 * BPF_OBJ_GET opened ends nothing in the map. The lookup sets the pin's atime.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysroot.h"
#include "names/mountinfo.h"
#include "owners/owner_lists.h"
#include "worker/ask.h"

struct asking {
	const struct owner_pins_wanted *wanted;
	const struct mount **mounts;
	size_t count;
};

int owner_map_compare(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

bool owner_map_is_known(const struct owner_pins_wanted *wanted, uint32_t map)
{
	return wanted->known_count &&
	       bsearch(&map, wanted->known, wanted->known_count, sizeof(map),
		       owner_map_compare);
}

/* Each once; a part of a filesystem may be mounted without the rest. */
static void take_mounts(struct asking *asking, const struct mountinfo *info)
{
	for (size_t i = 0; i < info->count; i++) {
		const struct mount *mount = &info->mounts[i];
		bool is_known = strcmp(mount->type, "bpf") != 0;

		for (size_t j = 0; !is_known && j < asking->count; j++) {
			const struct mount *other = asking->mounts[j];

			is_known = other->major == mount->major &&
				   other->minor == mount->minor &&
				   strcmp(other->root, mount->root) == 0;
		}
		if (!is_known)
			asking->mounts[asking->count++] = mount;
	}
}

/* Another filesystem may be mounted over it. */
static int open_bpffs(const struct mount *mount)
{
	_cleanup_(closep) int fd =
		open(mount->target, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct statfs filesystem;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0 || fstatfs(fd, &filesystem) < 0 ||
	    filesystem.f_type != BPF_FS_MAGIC ||
	    status.st_dev != makedev(mount->major, mount->minor))
		return -1;
	return steal_fd(&fd);
}

/* A link is not opened so, and a program has no number of a map. */
static bool read_pin(struct owner_pin *pin, struct owner_pins *pins,
		     const struct owner_pins_wanted *wanted, int file)
{
	_cleanup_(closep) int fd = -1;
	union bpf_attr pinned;
	char path[32], number[16];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	/* The kernel looks at all of it, also at what an initializer leaves. */
	memset(&pinned, 0, sizeof(pinned));
	pinned.pathname = (uint64_t)(uintptr_t)path;
	pinned.file_flags = BPF_F_RDONLY;
	fd = (int)syscall(SYS_bpf, BPF_OBJ_GET, &pinned, sizeof(pinned));
	if (fd < 0 && errno != ENOENT && errno != EINVAL)
		pins->error = errno;
	if (fd < 0)
		return false;
	snprintf(number, sizeof(number), "%d", fd);
	return owner_bpf_map(wanted->root, "self", number, wanted->processors,
			     &pin->map) &&
	       !owner_map_is_known(wanted, pin->map.id);
}

static void set_path(struct owner_pin *pin, const char *path)
{
	const int length = snprintf(pin->name, sizeof(pin->name), "%s", path);

	if (length >= (int)sizeof(pin->name))
		strcpy(pin->name + sizeof(pin->name) - sizeof("..."), "...");
}

static int64_t bytes_of(const struct owner_pin *pin)
{
	return pin->map.vmalloc_bytes + pin->map.per_cpu_bytes;
}

/* A map may have several names. */
void owner_pins_add(struct owner_pins *pins, const struct owner_pin *pin)
{
	struct owner_pin *least = pins->pins;

	for (size_t i = 0; i < pins->count; i++) {
		if (pins->pins[i].map.id == pin->map.id)
			return;
		if (bytes_of(&pins->pins[i]) < bytes_of(least))
			least = &pins->pins[i];
	}
	if (pins->count < OWNER_PINS) {
		pins->pins[pins->count++] = *pin;
		return;
	}
	/* What is all in slab is not in the lists. */
	pins->is_cut_short |= bytes_of(pin) && bytes_of(least);
	if (bytes_of(pin) > bytes_of(least))
		*least = *pin;
}

struct search {
	struct owner_pins *pins;
	const struct owner_pins_wanted *wanted;
};

static int visit_pin(void *data, int fd, const char *path,
		     const struct stat *status)
{
	const struct search *search = data;
	struct owner_pin pin = { 0 };

	(void)status;
	if (read_pin(&pin, search->pins, search->wanted, fd)) {
		set_path(&pin, path);
		owner_pins_add(search->pins, &pin);
	}
	return 0;
}

static size_t answer_pins(const void *data, size_t index, void *answer)
{
	const struct asking *asking = data;
	const struct mount *mount = asking->mounts[index];
	const char *place = strcmp(mount->target, "/") == 0 ? "" :
							      mount->target;
	_cleanup_(closep) int fd = open_bpffs(mount);
	struct owner_pins *pins = answer;
	struct search search = { pins, asking->wanted };
	struct owner_walk walk = {
		.patience = asking->wanted->root->patience,
		.visit = visit_pin,
		.data = &search,
	};

	pins->is_cut_short |= fd < 0 || owner_walk(&walk, fd, place) < 0 ||
			      walk.unread;
	return sizeof(*pins);
}

static void object_of(const void *data, size_t index, char text[STUCK_OBJECT])
{
	const struct asking *asking = data;

	snprintf(text, STUCK_OBJECT, "%s", asking->mounts[index]->target);
}

static void take_answer(struct owner_pins *pins,
			const struct owner_pins *answer)
{
	for (size_t i = 0; answer && i < answer->count; i++)
		owner_pins_add(pins, &answer->pins[i]);
	pins->is_cut_short |= !answer || answer->is_cut_short;
	if (answer && answer->error)
		pins->error = answer->error;
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
		.patience = asking->wanted->root->patience,
	};
	struct asked *asked = NULL;
	int ret = asking->count ? ask(&question, &asked, NULL) : 0;

	for (size_t i = 0; asked && i < asking->count; i++)
		take_answer(pins, asked_answer(asked, i));
	asked_destroy(asked);
	return only_enomem(ret);
}

int owner_pins_find(struct owner_pins *pins,
		    const struct owner_pins_wanted *wanted)
{
	_cleanup_(mountinfo_deinit) struct mountinfo info = { 0 };
	struct asking asking = { .wanted = wanted };
	int ret = mountinfo_init(&info, wanted->root, "/proc/self/mountinfo");

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
