// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "quantity.h"

/* clang-format off */
const struct quantity_info quantities[QUANTITIES] = {
	[QUANTITY_DEVICE] = {
		NULL, "device_pages", false, QUANTITY_BUFFERS },
	[QUANTITY_DEVICE_DIRTY] = {
		NULL, "device_dirty_pages", false, QUANTITY_DIRTY },
	[QUANTITY_WITNESS] = {
		NULL, "witness_pages", false, QUANTITY_WITNESS },
	[QUANTITY_FILE] = {
		"file", "file_pages", false, QUANTITY_CACHED },
	[QUANTITY_FILE_DIRTY] = {
		"file dirty", "file_dirty_pages", false, QUANTITY_DIRTY },
	[QUANTITY_BACKING] = {
		"file below", "backing_pages", false, QUANTITY_BACKING },
	[QUANTITY_BUFFERS] = {
		"Buffers", "buffers_pages", true, QUANTITY_BUFFERS },
	[QUANTITY_OTHERS] = {
		"other devices", "other_devices_pages", true, QUANTITY_OTHERS },
	[QUANTITY_CACHED] = {
		"Cached", "cached_pages", true, QUANTITY_CACHED },
	[QUANTITY_SHMEM] = {
		"Shmem", "shmem_pages", true, QUANTITY_SHMEM },
	[QUANTITY_DIRTY] = {
		"Dirty", "dirty_pages", true, QUANTITY_DIRTY },
};
/* clang-format on */
