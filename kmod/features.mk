# SPDX-License-Identifier: GPL-2.0-only
#
# Probes the headers of the kernel that the module is built against.
# Distributions backport, so its version number says nothing. Only kmod/compat.h
# uses the answers, except has_xarray, which tells Kbuild whether to build
# kmod/mapping.c.

# $(call has,NAME,PATTERN,HEADERS): defines BUFSTAT_HAS_NAME if a line matches.
has = $(shell cd $(srctree)/include/linux && \
	grep -qsE '$(2)' $(3) && echo -DBUFSTAT_HAS_$(1))

# Up to 4.16, and in RHEL 7, this is page_tree. RHEL 7 lacks most of what the
# module uses, and exports blockdev_superblock from 7.8 on.
ifeq ($(call has,I_PAGES,[[:space:]]i_pages;,fs.h),)
$(error bufstat has no module for RHEL 7 and other kernels before Linux 4.18)
endif

# The module drops references to inodes, and looks at pages and folios that it has no
# reference to. Where these are made in another way, nobody has tried it.
ifeq ($(call has,I_COUNT,^[[:space:]]*atomic_t[[:space:]]+i_count;,fs.h),)
$(error bufstat has no module for this kernel: its i_count is no atomic_t)
endif
page_mapping := $(shell sed -n '/^struct page {/,/^}/p' \
	$(srctree)/include/linux/mm_types.h | \
	grep -E 'address_space[[:space:]]*\*mapping;')
ifeq ($(page_mapping),)
$(error bufstat has no module for this kernel: its struct page has no mapping)
endif
# 5.16. Entries of the page cache are folios.
ccflags-y += $(call has,FOLIO,^struct folio \{,mm_types.h)
# 7.3, and stable kernels.
ccflags-y += $(call has,IPUT_IF_NOT_LAST,iput_if_not_last,fs.h)

# The page cache became an XArray in 4.20. RHEL 8.1 (4.18) has one too; a macro
# in its radix-tree.h gives it the old name.
ccflags-y += $(call has,XARRAY_PAGES,struct xarray[[:space:]]+i_pages,fs.h)
ccflags-y += $(call has,XARRAY_PAGES,radix_tree_root[[:space:]]+xarray,\
	radix-tree.h)
has_xarray := $(if $(filter %XARRAY_PAGES,$(ccflags-y)),y)
# 6.10. Before, there is only xa_get_order() (5.6), which walks from the root
# for every entry.
ccflags-y += $(call has,XAS_GET_ORDER,xas_get_order,xarray.h)
ccflags-y += $(call has,XA_GET_ORDER,xa_get_order,xarray.h)
# Until 5.10 bd_disk and bd_part were set by the first open and cleared by the
# last close, under bd_mutex.
ccflags-y += $(call has,BD_PART,struct hd_struct[[:space:]*]+bd_part;,\
	blk_types.h fs.h)
# 6.19: i_state is read through a function.
ccflags-y += $(call has,INODE_STATE_READ,inode_state_read_once,fs.h)
# 5.5.
ccflags-y += $(call has,COMPAT_PTR_IOCTL,compat_ptr_ioctl,fs.h)
