// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "devices/device_columns.h"
#include "devices/devices_options.h"
#include "lib/error.h"
#include "measure/source.h"

const struct option_row devices_options[] = {
	ROW_FLAG('a', "all", struct devices_options, all,
		 "also devices without pages or, with -s, unchanged"),
	ROW_GROUP(struct devices_options, table.style.unit, size_options),
	ROW_GROUP(struct devices_options, table, table_options),
	ROW_GROUP(struct devices_options, table, layout_options),
	ROW_GROUP(struct devices_options, table, top_option),
	ROW_GROUP(struct devices_options, repeat, repeat_options),
	ROW_TEXT('\0', "vmcore", struct devices_options, common.vmcore, "FILE",
		 WORDS_FILES, "the devices of the kernel in a dump"),
	ROW_GROUP(struct devices_options, common, past_options),
	ROW_GROUP(struct devices_options, common, json_lines_option),
	ROW_GROUP(struct devices_options, common, measuring_options),
	{ 0 },
};

int devices_options_check(void *data, struct error *err)
{
	const struct devices_options *options = data;
	int ret = repeat_check(&options->repeat, &options->common, err);

	if (ret < 0)
		return ret;
	if (options->table.style.format == TABLE_TREE && options->table.top)
		return error_doing(err, EINVAL, "reading options",
				   "-T and --top", "use one of them");
	if (options->table.style.format == TABLE_TREE && options->common.vmcore)
		return error_doing(
			err, EINVAL, "reading options", "-T",
			"a dump does not tell what is built on what");
	return 0;
}
