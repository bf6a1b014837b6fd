// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as BTF, searched for what the walk of the devices needs. Reading it
 * whole or in pieces must make no difference.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "kernel/bdev_layout.h"
#include "kernel/btf.h"
#include "lib/error.h"

static const char *const paths[] = { "vfs_inode", "bdev.bd_device.kobj.name",
				     "i_rdev", "s_inodes.next.prev", "" };

struct input {
	const uint8_t *data;
	size_t size;
};

static int read_input(void *from, uint64_t offset, void *buffer, size_t size)
{
	const struct input *input = from;

	if (offset > input->size || size > input->size - offset)
		return -EFAULT;
	memcpy(buffer, input->data + offset, size);
	return 0;
}

static void ask(const struct btf *btf, struct bdev_layout *layout, int *found)
{
	struct btf_struct owner = { .name = "bdev_inode" };
	uint32_t offset, length;
	struct error err;

	if (bdev_layout_derive(layout, btf, &err) == 0)
		fuzz_require(bdev_layout_is_sound(layout));
	*found = bdev_layout_init(layout, btf, &err);
	if (*found == 0)
		fuzz_require(bdev_layout_is_sound(layout));
	btf_find_structs(btf, &owner, 1);
	/* Includes ids at which no type begins. */
	for (uint32_t id = 0; id < 256; id++) {
		owner.id = id;
		for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
			btf_find_member(btf, &owner, paths[i], &offset,
					&length);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bdev_layout whole = { 0 }, pieces = { 0 };
	struct input input = { data, size };
	int found_whole, found_pieces;
	struct error err;
	struct btf btf;

	if (btf_init(&btf, data, size, &err) < 0)
		return 0;
	ask(&btf, &whole, &found_whole);
	btf_deinit(&btf);
	fuzz_require(btf_init_lazily(&btf, read_input, &input, size, &err) ==
		     0);
	ask(&btf, &pieces, &found_pieces);
	btf_deinit(&btf);
	fuzz_require(found_whole == found_pieces &&
		     memcmp(&whole, &pieces, sizeof(whole)) == 0);
	return 0;
}
