// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as BTF, asked for what the walk of the devices asks for. */
#include "bdev_layout.h"
#include "btf.h"
#include "error.h"
#include "fuzz.h"

static const char *const paths[] = { "vfs_inode", "bdev.bd_device.kobj.name",
				     "i_rdev", "s_inodes.next.prev", "" };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf_struct owner = { .name = "bdev_inode" };
	struct bdev_layout layout;
	uint32_t offset, length;
	uint64_t value;
	struct error err;
	struct btf btf;

	if (btf_init(&btf, data, size, &err) < 0)
		return 0;
	if (bdev_layout_init(&layout, &btf, &err) == 0)
		fuzz_require(bdev_layout_is_sound(&layout));
	btf_find_structs(&btf, &owner, 1);
	for (uint32_t id = 0; id < btf.count && id < 64; id++) {
		owner.id = id;
		for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
			btf_find_member(&btf, &owner, paths[i], &offset,
					&length);
	}
	btf_find_enumerator(&btf, "___GFP_LAST_BIT", &value);
	btf_deinit(&btf);
	return 0;
}
