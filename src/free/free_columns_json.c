// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "free_columns.h"
#include "free_columns_json.h"
#include "json_out.h"

void free_columns_write(struct json_out *json, const struct meminfo *meminfo)
{
	static const char *const keys[FREE_COLUMNS] = {
		[FREE_COLUMN_TOTAL] = "total_bytes",
		[FREE_COLUMN_USED] = "used_bytes",
		[FREE_COLUMN_USED_BEFORE] = "used_before_procps_4_0_1_bytes",
		[FREE_COLUMN_FREE] = "free_bytes",
		[FREE_COLUMN_SHARED] = "shared_bytes",
		[FREE_COLUMN_BUFFERS] = "buffers_bytes",
		[FREE_COLUMN_CACHE] = "cache_bytes",
		[FREE_COLUMN_BUFF_CACHE] = "buff_cache_bytes",
		[FREE_COLUMN_AVAILABLE] = "available_bytes",
		[FREE_COLUMN_SWAP_TOTAL] = "swap_total_bytes",
		[FREE_COLUMN_SWAP_USED] = "swap_used_bytes",
		[FREE_COLUMN_SWAP_FREE] = "swap_free_bytes",
	};
	struct free_columns columns;

	free_columns_init(&columns, meminfo);
	json_out_object(json, "columns");
	for (size_t i = 0; i < FREE_COLUMNS; i++) {
		if (columns.known[i])
			json_out_signed(json, keys[i], columns.bytes[i]);
		else
			json_out_null(json, keys[i]);
	}
	json_out_string(json, "used_is",
			!columns.known[FREE_COLUMN_USED] ? NULL :
			columns.used_without_available	 ? "total - free" :
							   "total - available");
	json_out_object_end(json);
}
