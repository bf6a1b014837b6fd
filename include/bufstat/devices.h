/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * debugfs "bufstat/devices": the page cache of every block device.
 *
 * The file is text. Opening it takes one snapshot; every read of that
 * descriptor, from any offset, sees the same snapshot. It can only be read.
 *
 *	bufstat-devices 1.1
 *	module_version 0.1.0
 *	page_size 4096
 *	devices 12
 *	pages 37483
 *	bufferram_pages 37483
 *	file_pages 75883
 *	columns major minor name pages dirty writeback openers wb_err
 *	252 1 vda1 25639 3 0 2 0
 *	253 0 dm-0 11844 - - 1 5
 *	end 2
 *
 * Grammar
 *	line    = field *(SPACE field) LF
 *	number  = 1*DIGIT, decimal, below 2^64, no sign
 *	figure  = number / "-"		"-": unknown, which is not zero
 *	name    = a string without SPACE, TAB, LF, '\' or '#'; each of those
 *		  is written as a backslash and three octal digits
 *
 * Line 1: the name of the format, then MAJOR.MINOR of its version. A reader
 * refuses a MAJOR it does not know. MINOR grows when keys or columns are
 * added; a reader ignores the ones it does not know.
 *
 * Then "key figure" lines, in any order, up to "columns":
 *	module_version	text: BUFSTAT_VERSION of the module
 *	page_size	bytes per page; every *pages figure counts these
 *	devices		block devices on the list of the bdev pseudo filesystem,
 *			open or not, with pages or without; before Linux 5.11
 *			a device joins that list when it is first opened
 *	pages		sum of address_space.nrpages over those devices, and so
 *			the sum of the rows' "pages"
 *	bufferram_pages	the kernel's own sum, si_meminfo().bufferram, which is
 *			"Buffers" in /proc/meminfo
 *	file_pages	NR_FILE_PAGES: all page cache, Buffers and swap cache
 *			included
 *
 * "columns" names the fields of a row. Then one row per device with
 * pages > 0, in the order of the kernel's list:
 *	major minor	numbers: the device number (dev_t)
 *	name		the kernel's name of the device, or "-"; a '/' in it,
 *			which sysfs shows as '!', is '/' here
 *	pages		number: address_space.nrpages of the device's mapping
 *	dirty		figure: pages tagged PAGECACHE_TAG_DIRTY
 *	writeback	figure: pages tagged PAGECACHE_TAG_WRITEBACK
 *	openers		figure: block_device.bd_openers
 *	wb_err		figure: errno of the newest write error recorded in
 *			address_space.wb_err (Linux 4.13), 0: none; since 1.1
 *
 * "end" with the number of rows closes the file. Without it, or with another
 * number, the text was cut short or damaged.
 *
 * devices, pages and every row's pages are taken under one hold of the list
 * lock, so they always add up. bufferram_pages and file_pages are read directly
 * after it. On a busy host they have moved by then, so a reader must not expect
 * bufferram_pages to equal pages. dirty, writeback, name, openers and wb_err
 * are read last, device by device.
 *
 * Errors of open(2): ENOMEM, EINTR (a fatal signal while collecting).
 */
#ifndef BUFSTAT_DEVICES_H
#define BUFSTAT_DEVICES_H

#define BUFSTAT_DEBUGFS_DIR "bufstat"
#define BUFSTAT_DEBUGFS_DEVICES "devices"

#define BUFSTAT_DEVICES_FORMAT "bufstat-devices"
#define BUFSTAT_DEVICES_MAJOR 1
#define BUFSTAT_DEVICES_MINOR 1

#define BUFSTAT_KEY_MODULE_VERSION "module_version"
#define BUFSTAT_KEY_PAGE_SIZE "page_size"
#define BUFSTAT_KEY_DEVICES "devices"
#define BUFSTAT_KEY_PAGES "pages"
#define BUFSTAT_KEY_BUFFERRAM_PAGES "bufferram_pages"
#define BUFSTAT_KEY_FILE_PAGES "file_pages"
#define BUFSTAT_KEY_COLUMNS "columns"
#define BUFSTAT_KEY_END "end"

#define BUFSTAT_COL_MAJOR "major"
#define BUFSTAT_COL_MINOR "minor"
#define BUFSTAT_COL_NAME "name"
#define BUFSTAT_COL_PAGES "pages"
#define BUFSTAT_COL_DIRTY "dirty"
#define BUFSTAT_COL_WRITEBACK "writeback"
#define BUFSTAT_COL_OPENERS "openers"
#define BUFSTAT_COL_WB_ERR "wb_err"

/* An unknown figure. */
#define BUFSTAT_ABSENT "-"

#endif
