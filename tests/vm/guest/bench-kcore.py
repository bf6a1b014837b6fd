# SPDX-License-Identifier: GPL-2.0-or-later
"""For drgn, what bufstat does for --source kcore: each block device's pages."""
from drgn.helpers.linux.list import list_for_each_entry

inodes = prog["blockdev_superblock"].s_inodes.address_of_()  # noqa: F821
for inode in list_for_each_entry("struct inode", inodes, "i_sb_list"):
    dev, pages = inode.i_rdev.value_(), inode.i_mapping.nrpages.value_()
    if pages:
        print(f"{dev >> 20}:{dev & 0xfffff} {pages}")
