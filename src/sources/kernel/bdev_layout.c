// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>

#include "kernel/bdev_layout.h"
#include "kernel/btf.h"
#include "lib/error.h"

/* Bytes. A bdev_inode takes 784 to 1,600 in the kernels that were measured. */
#define MAX_STRUCT 65536

enum owner {
	OWNER_SUPER_BLOCK,
	OWNER_TYPE,
	OWNER_INODE,
	OWNER_MAPPING,
	OWNER_BDEV,
	OWNER_DISK,
	OWNER_TREE,
	OWNER_BDEV_INODE, /* must be last: see find_layout() */
	OWNERS
};

static const char *const owners[OWNERS] = {
	"super_block",	"file_system_type", "inode",  "address_space",
	"block_device", "gendisk",	    "xarray", "bdev_inode",
};

static const struct member {
	const char *name;
	const char *path;
	enum owner owner;
	uint32_t size; /* bytes, at least */
	bool optional;
} members[BDEV_MEMBERS] = {
#define MEMBER(owner, struct_name, path, size, optional)                       \
	{                                                                      \
		struct_name "." path, path, owner, size, optional              \
	}
	[BDEV_SB_INODES] =
		MEMBER(OWNER_SUPER_BLOCK, "super_block", "s_inodes", 16, false),
	[BDEV_SB_TYPE] =
		MEMBER(OWNER_SUPER_BLOCK, "super_block", "s_type", 8, false),
	[BDEV_TYPE_NAME] =
		MEMBER(OWNER_TYPE, "file_system_type", "name", 8, false),
	[BDEV_INODE_LIST] =
		MEMBER(OWNER_INODE, "inode", "i_sb_list", 16, false),
	[BDEV_INODE_MAPPING] =
		MEMBER(OWNER_INODE, "inode", "i_mapping", 8, false),
	[BDEV_INODE_SB] = MEMBER(OWNER_INODE, "inode", "i_sb", 8, false),
	[BDEV_INODE_RDEV] = MEMBER(OWNER_INODE, "inode", "i_rdev", 4, false),
	[BDEV_MAPPING_PAGES] =
		MEMBER(OWNER_MAPPING, "address_space", "nrpages", 8, false),
	[BDEV_MAPPING_HOST] =
		MEMBER(OWNER_MAPPING, "address_space", "host", 8, false),
	[BDEV_INODE] =
		MEMBER(OWNER_BDEV_INODE, "bdev_inode", "vfs_inode", 1, false),
	[BDEV_BDEV] = MEMBER(OWNER_BDEV_INODE, "bdev_inode", "bdev", 1, false),
	[BDEV_DEV] = MEMBER(OWNER_BDEV, "block_device", "bd_dev", 4, false),
	[BDEV_OPENERS] =
		MEMBER(OWNER_BDEV, "block_device", "bd_openers", 4, true),
	[BDEV_DISK] = MEMBER(OWNER_BDEV, "block_device", "bd_disk", 8, true),
	[BDEV_PARTNO] =
		MEMBER(OWNER_BDEV, "block_device", "bd_partno", 1, true),
	[BDEV_FLAGS] =
		MEMBER(OWNER_BDEV, "block_device", "__bd_flags", 4, true),
	[BDEV_DISK_NAME] = MEMBER(OWNER_DISK, "gendisk", "disk_name", 32, true),
	[BDEV_TREE] =
		MEMBER(OWNER_MAPPING, "address_space", "i_pages", 8, true),
	[BDEV_TREE_FLAGS] = MEMBER(OWNER_TREE, "xarray", "xa_flags", 4, true),
	[BDEV_TREE_HEAD] = MEMBER(OWNER_TREE, "xarray", "xa_head", 8, true),
	[BDEV_WRITE_ERROR] =
		MEMBER(OWNER_MAPPING, "address_space", "wb_err", 4, true),
#undef MEMBER
};

static int find_member(struct bdev_layout *layout, const struct btf *btf,
		       const struct btf_struct *structs, enum bdev_member which,
		       struct error *err)
{
	const struct member *member = &members[which];
	const struct btf_struct *owner = &structs[member->owner];
	uint32_t offset, size;
	int ret = -ENOENT;

	layout->offset[which] = BDEV_ABSENT;
	if (owner->id)
		ret = btf_find_member(btf, owner, member->path, &offset, &size);
	if (!ret && size < member->size)
		ret = -EBADMSG;
	if (!ret)
		layout->offset[which] = offset;
	if (!ret || member->optional)
		return 0;
	return error_set(
		err, ERROR_UNUSABLE,
		"this kernel has %s %s, and this bufstat cannot walk its "
		"devices",
		ret == -ENOENT ? "no" : "another", member->name);
}

/* A bdev_inode is a block_device and an inode, each aligned to 8 bytes. */
static void derive_bdev_inode(struct bdev_layout *layout,
			      struct btf_struct structs[OWNERS])
{
	uint32_t inode = (structs[OWNER_BDEV].size + 7) & ~7U;

	layout->offset[BDEV_BDEV] = 0;
	layout->offset[BDEV_INODE] = inode;
	structs[OWNER_BDEV_INODE].size = inode + structs[OWNER_INODE].size;
}

static int find_members(struct bdev_layout *layout, const struct btf *btf,
			struct btf_struct structs[OWNERS], bool derive,
			struct error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < BDEV_MEMBERS; i++) {
		if (!derive || members[i].owner != OWNER_BDEV_INODE)
			ret = find_member(layout, btf, structs, i, err);
	}
	if (!ret && derive)
		derive_bdev_inode(layout, structs);
	return ret;
}

static int find_layout(struct bdev_layout *layout, const struct btf *btf,
		       bool derive, struct error *err)
{
	struct btf_struct structs[OWNERS];
	int ret, failed;

	*layout = (struct bdev_layout){ 0 };
	for (size_t i = 0; i < OWNERS; i++)
		structs[i].name = owners[i];
	btf_find_structs(btf, structs, derive ? OWNER_BDEV_INODE : OWNERS);
	ret = find_members(layout, btf, structs, derive, err);
	if (ret < 0) {
		failed = btf_failed(btf, err);
		return failed ? error_within(err, failed, "reading BTF", NULL) :
				ret;
	}
	layout->bdev_inode_size = structs[OWNER_BDEV_INODE].size;
	layout->inode_size = structs[OWNER_INODE].size;
	if (!bdev_layout_is_sound(layout))
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel's types contradict each other");
	return 0;
}

int bdev_layout_init(struct bdev_layout *layout, const struct btf *btf,
		     struct error *err)
{
	return find_layout(layout, btf, false, err);
}

int bdev_layout_derive(struct bdev_layout *layout, const struct btf *btf,
		       struct error *err)
{
	return find_layout(layout, btf, true, err);
}

/* Returns the offset of @owner in a bdev_inode, 0 if it is not part of one. */
static uint64_t base_of(const struct bdev_layout *layout, enum owner owner)
{
	if (owner == OWNER_INODE)
		return layout->offset[BDEV_INODE];
	if (owner == OWNER_BDEV)
		return layout->offset[BDEV_BDEV];
	return 0;
}

static bool is_within(const struct bdev_layout *layout, enum bdev_member which)
{
	const struct member *member = &members[which];
	uint32_t offset = layout->offset[which];
	uint64_t limit = MAX_STRUCT;

	if (offset == BDEV_ABSENT)
		return member->optional;
	if (member->owner == OWNER_INODE || member->owner == OWNER_BDEV ||
	    member->owner == OWNER_BDEV_INODE)
		limit = layout->bdev_inode_size;
	return base_of(layout, member->owner) + offset + member->size <= limit;
}

bool bdev_layout_is_sound(const struct bdev_layout *layout)
{
	if (!layout->bdev_inode_size || layout->bdev_inode_size > MAX_STRUCT ||
	    !layout->inode_size || layout->inode_size > MAX_STRUCT)
		return false;
	for (size_t i = 0; i < BDEV_MEMBERS; i++) {
		if (!is_within(layout, i))
			return false;
	}
	return layout->offset[BDEV_INODE] + layout->inode_size <=
	       layout->bdev_inode_size;
}
