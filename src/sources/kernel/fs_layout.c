// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>

#include "kernel/btf.h"
#include "kernel/fs_layout.h"
#include "lib/error.h"

/* Bytes. An inode of a kernel with all debugging takes some 1,500. */
#define MAX_STRUCT 16384

enum owner {
	OWNER_SUPER_BLOCK,
	OWNER_TYPE,
	OWNER_INODE,
	OWNER_MAPPING,
	OWNER_DENTRY,
	OWNERS
};

static const char *const owners[OWNERS] = {
	"super_block", "file_system_type", "inode", "address_space", "dentry",
};

static const struct member {
	enum owner owner;
	const char *path;
	uint32_t size; /* bytes, at least */
	const char *other_path; /* its path in other kernels, or NULL */
} members[FS_MEMBERS] = {
	[FS_SB_LIST] = { OWNER_SUPER_BLOCK, "s_list", 16, NULL },
	[FS_SB_DEV] = { OWNER_SUPER_BLOCK, "s_dev", 4, NULL },
	[FS_SB_FLAGS] = { OWNER_SUPER_BLOCK, "s_flags", 8, NULL },
	[FS_SB_MAGIC] = { OWNER_SUPER_BLOCK, "s_magic", 8, NULL },
	[FS_SB_TYPE] = { OWNER_SUPER_BLOCK, "s_type", 8, NULL },
	[FS_SB_INODES] = { OWNER_SUPER_BLOCK, "s_inodes", 16, NULL },
	[FS_SB_ID] = { OWNER_SUPER_BLOCK, "s_id", 32, NULL },
	[FS_TYPE_NAME] = { OWNER_TYPE, "name", 8, NULL },
	[FS_INODE_MODE] = { OWNER_INODE, "i_mode", 2, NULL },
	[FS_INODE_FLAGS] = { OWNER_INODE, "i_flags", 4, NULL },
	[FS_INODE_SB] = { OWNER_INODE, "i_sb", 8, NULL },
	[FS_INODE_INO] = { OWNER_INODE, "i_ino", 8, NULL },
	[FS_INODE_LINKS] = { OWNER_INODE, "i_nlink", 4, NULL },
	[FS_INODE_SIZE] = { OWNER_INODE, "i_size", 8, NULL },
	[FS_INODE_LIST] = { OWNER_INODE, "i_sb_list", 16, NULL },
	[FS_INODE_DATA] = { OWNER_INODE, "i_data", 64, NULL },
	[FS_INODE_ALIASES] = { OWNER_INODE, "i_dentry", 8, NULL },
	[FS_MAPPING_HOST] = { OWNER_MAPPING, "host", 8, NULL },
	[FS_MAPPING_PAGES] = { OWNER_MAPPING, "nrpages", 8, NULL },
	[FS_MAPPING_FLAGS] = { OWNER_MAPPING, "flags", 8, NULL },
	[FS_MAPPING_MAPPED] = { OWNER_MAPPING,
				"i_mmap:rb_root_cached.rb_root:rb_root.rb_node",
				8, NULL },
	[FS_MAPPING_TREE_FLAGS] = { OWNER_MAPPING, "i_pages:xarray.xa_flags", 4,
				    NULL },
	[FS_MAPPING_WRITE_ERROR] = { OWNER_MAPPING, "wb_err", 4, NULL },
	[FS_MAPPING_TREE_HEAD] = { OWNER_MAPPING, "i_pages:xarray.xa_head", 8,
				   NULL },
	[FS_DENTRY_PARENT] = { OWNER_DENTRY, "d_parent", 8, NULL },
	[FS_DENTRY_NAME] = { OWNER_DENTRY, "d_name:qstr.name", 8, NULL },
	[FS_DENTRY_LENGTH] = { OWNER_DENTRY, "d_name:qstr.len", 4, NULL },
	[FS_DENTRY_INODE] = { OWNER_DENTRY, "d_inode", 8, NULL },
	[FS_DENTRY_HASHED] = { OWNER_DENTRY, "d_hash:hlist_bl_node.pprev", 8,
			       NULL },
	[FS_DENTRY_ALIAS] = { OWNER_DENTRY, "d_u.d_alias", 16, "d_alias" },
};

static int find_member(struct fs_layout *layout, const struct btf *btf,
		       const struct btf_struct *structs, enum fs_member which,
		       struct error *err)
{
	const struct member *member = &members[which];
	const struct btf_struct *owner = &structs[member->owner];
	uint32_t size;
	int ret = -ENOENT;

	if (owner->id)
		ret = btf_find_member(btf, owner, member->path,
				      &layout->offset[which], &size);
	if (ret == -ENOENT && owner->id && member->other_path)
		ret = btf_find_member(btf, owner, member->other_path,
				      &layout->offset[which], &size);
	if (!ret && size < member->size)
		ret = -EBADMSG;
	if (!ret)
		return 0;
	return error_set(
		err, ERROR_UNUSABLE,
		"this kernel has %s %s.%s, and this bufstat cannot walk its "
		"filesystems",
		ret == -ENOENT ? "no" : "another", owners[member->owner],
		member->path);
}

/* Returns the bytes that the members of @owner must be in. */
static uint32_t room_of(const struct fs_layout *layout, enum owner owner)
{
	switch (owner) {
	case OWNER_SUPER_BLOCK:
		return layout->super_block_size;
	case OWNER_INODE:
		return layout->inode_size;
	/* A mapping is read as a part of its inode. */
	case OWNER_MAPPING:
		return layout->inode_size - layout->offset[FS_INODE_DATA];
	case OWNER_DENTRY:
		return layout->dentry_size;
	default:
		return MAX_STRUCT;
	}
}

static bool is_possible(uint32_t size)
{
	return size && size <= MAX_STRUCT;
}

/* Whether the sizes are possible and every member is within its struct. */
static bool fs_layout_is_sound(const struct fs_layout *layout)
{
	if (!is_possible(layout->super_block_size) ||
	    !is_possible(layout->inode_size) ||
	    !is_possible(layout->dentry_size) ||
	    layout->offset[FS_INODE_DATA] >= layout->inode_size)
		return false;
	for (size_t i = 0; i < FS_MEMBERS; i++) {
		uint32_t room = room_of(layout, members[i].owner);

		if (members[i].size > room ||
		    layout->offset[i] > room - members[i].size)
			return false;
	}
	return true;
}

uint32_t fs_layout_inode_bytes(const struct fs_layout *layout)
{
	uint32_t bytes = 0;

	for (size_t i = FS_INODE_MODE; i <= FS_MAPPING_TREE_HEAD; i++) {
		uint32_t end = layout->offset[i] + members[i].size;

		/* inode_name.c reads i_dentry; i_data's members count. */
		if (i == FS_INODE_ALIASES || i == FS_INODE_DATA)
			continue;
		if (members[i].owner == OWNER_MAPPING)
			end += layout->offset[FS_INODE_DATA];
		if (end > bytes)
			bytes = end;
	}
	return bytes;
}

int fs_layout_init(struct fs_layout *layout, const struct btf *btf,
		   struct error *err)
{
	struct btf_struct structs[OWNERS];
	int ret = 0, failed;

	*layout = (struct fs_layout){ 0 };
	for (size_t i = 0; i < OWNERS; i++)
		structs[i].name = owners[i];
	btf_find_structs(btf, structs, OWNERS);
	for (size_t i = 0; !ret && i < FS_MEMBERS; i++)
		ret = find_member(layout, btf, structs, i, err);
	if (ret < 0) {
		failed = btf_failed(btf, err);
		return failed ? error_within(err, failed, "reading BTF", NULL) :
				ret;
	}
	layout->super_block_size = structs[OWNER_SUPER_BLOCK].size;
	layout->inode_size = structs[OWNER_INODE].size;
	layout->dentry_size = structs[OWNER_DENTRY].size;
	if (!fs_layout_is_sound(layout))
		return error_set(err, ERROR_UNUSABLE,
				 "this kernel's types contradict each other");
	return 0;
}
