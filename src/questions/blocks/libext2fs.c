// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>

#include "blocks/libext2fs.h"
#include "lib/error.h"
#include "lib/lack.h"
#include "lib/library.h"

int libext2fs_init(struct libext2fs *lib, struct error *err)
{
	const struct library_symbol symbols[] = {
		{ "et_ext2_error_table", &lib->errors },
		/* Of libcom_err, which libext2fs is linked with. */
		{ "add_error_table", &lib->add_errors },
		{ "remove_error_table", &lib->remove_errors },
		{ "error_message", &lib->error_message },
		{ "ext2fs_open2", &lib->open },
		{ "ext2fs_free", &lib->free },
		{ "ext2fs_blocks_count", &lib->blocks_count },
		{ "ext2fs_super_and_bgd_loc2", &lib->super_and_descriptors },
		{ "ext2fs_block_bitmap_loc", &lib->block_bitmap },
		{ "ext2fs_inode_bitmap_loc", &lib->inode_bitmap },
		{ "ext2fs_inode_table_loc", &lib->inode_table },
		{ "ext2fs_descriptor_block_loc2", &lib->descriptor_block },
		{ "ext2fs_group_desc", &lib->descriptor },
		{ "ext2fs_bg_flags_test", &lib->group_flags },
		{ "ext2fs_bg_itable_unused", &lib->unused_inodes },
		{ "ext2fs_bg_free_inodes_count", &lib->free_inodes },
		{ "ext2fs_group_desc_csum_verify", &lib->descriptor_is_right },
		{ "ext2fs_inode_csum_verify", &lib->inode_is_right },
		{ "ext2fs_extent_block_csum_verify", &lib->extents_are_right },
		{ "ext2fs_block_bitmap_csum_verify",
		  &lib->block_bitmap_is_right },
		{ "ext2fs_inode_bitmap_csum_verify",
		  &lib->inode_bitmap_is_right },
	};
	int ret;

	*lib = (struct libext2fs){ 0 };
	ret = library_open(LIBRARY_EXT2FS, symbols,
			   sizeof(symbols) / sizeof(*symbols), &lib->handle,
			   err);
	if (ret < 0)
		return lack_of_error(err, LACK_LIBRARY);
	lib->add_errors(lib->errors);
	return 0;
}

void libext2fs_deinit(struct libext2fs *lib)
{
	if (lib->handle) {
		lib->remove_errors(lib->errors);
		dlclose(lib->handle);
	}
	*lib = (struct libext2fs){ 0 };
}
