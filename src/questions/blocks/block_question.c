// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>

#include "blocks/block_rows.h"
#include "lib/array.h"
#include "lib/error.h"

static int take_runs(struct block_answer *answer)
{
	size_t which = 0, capacity = 0;
	struct blocks_run run;

	answer->has_runs = true;
	while (blocks_next_run(&answer->device.cached.cache, &which, &run)) {
		if (array_make_room(&answer->runs, answer->run_count,
				    &capacity) < 0)
			return -ENOMEM;
		answer->runs[answer->run_count++] = run;
	}
	return 0;
}

/* What is known without libblkid is enough. */
static bool lacks_identity(const struct device_blocks *device)
{
	return device->is_unasked && device->pages && !device->identity.fstype;
}

static int block_answer_take(void *data, const struct asking *asking,
			     struct error *err)
{
	struct block_answer *answer = data;
	struct device_blocks *device = &answer->device;
	int ret = device_blocks_read(device, asking->root, asking->vmcore,
				     asking->selection, err);

	if (ret <= 0)
		return ret;
	answer->head.source = device->is_dump ? "vmcore" : "kcore";
	answer->head.kernel = device->release;
	answer->head.is_whole = !*device->blocks.why &&
				blocks_are_whole(&device->blocks) &&
				!lacks_identity(device);
	ret = block_rows_init(answer);
	if (!ret && asking->in_parts)
		ret = take_runs(answer);
	return ret < 0 ? error_errno(err, ENOMEM, "measuring", "the blocks") :
			 0;
}

static void block_answer_release(void *data)
{
	struct block_answer *answer = data;

	device_blocks_deinit(&answer->device);
	free(answer->runs);
}

static void block_answer_missing(const void *data, error_tell_fn *tell,
				 void *told)
{
	const struct block_answer *answer = data;
	const struct device_blocks *device = &answer->device;
	const struct blocks *blocks = &device->blocks;
	uint64_t left_out = device->cached.list.left_out;
	struct error err;
	uint64_t late;

	if (!answer->head.rows.rows)
		return;
	late = blocks->bytes[BLOCK_UNSEEN] / device->page_size - left_out;
	if (*blocks->why) {
		error_doing(&err, ERROR_PARTIAL, "telling blocks apart",
			    device->name, "%s", blocks->why);
		tell(told, &err);
	}
	if (left_out) {
		error_doing(&err, ERROR_PARTIAL, "listing cached pages",
			    device->name,
			    "%ju of %ju are in parts of the device that were "
			    "left out: there are too many",
			    (uintmax_t)left_out, (uintmax_t)device->pages);
		tell(told, &err);
	}
	if (late) {
		error_advise(&err, ERROR_PARTIAL, "looking at cached pages",
			     device->name, "--timeout 60 looks at more",
			     "%ju of %ju were looked at in time",
			     (uintmax_t)(device->pages - left_out - late),
			     (uintmax_t)device->pages);
		tell(told, &err);
	}
	if (blocks->owners.read_blocks != blocks->owners.table_blocks) {
		error_advise(&err, ERROR_PARTIAL, "reading cached inodes",
			     device->name, "--timeout 60 reads more",
			     "%ju of %ju blocks of inode tables "
			     "were read in time, so more blocks "
			     "have an owner than shown",
			     (uintmax_t)blocks->owners.read_blocks,
			     (uintmax_t)blocks->owners.table_blocks);
		tell(told, &err);
	}
	if (lacks_identity(device)) {
		err = device->unasked;
		error_within(&err, 0, "telling what is on it", device->name);
		tell(told, &err);
	}
}

const struct question block_question = {
	.name = "blocks",
	.command = &command_blocks,
	.things = "the blocks",
	.columns = &block_columns,
	.size = sizeof(struct block_answer),
	.take = block_answer_take,
	.release = block_answer_release,
	.missing = block_answer_missing,
};
