// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "lib/error.h"
#include "lib/nearest.h"
#include "repro/actions.h"
#include "repro/experiment.h"
#include "repro/scenario.h"
#include "repro/ways.h"

#define DD "dd if=@device of=/dev/null bs=1M count=@mib"
#define FIO "fio --name=read --readonly --rw=read --bs=1M --size=@mibM "
#define FIND "find @mount -size +0"
#define PATH "(each way) bufstat path -- COMMAND "

/* clang-format off */
#define PATH_CLAIMS                                                            \
	{ QUANTITY_THROUGH, 1, true }, { QUANTITY_PAST, 1, false },            \
	{ QUANTITY_ASTRAY, 1, false }
/* clang-format on */

static const struct scenario scenarios[] = {
	{
		.name = "dd",
		.hypothesis = "reading a block device fills Buffers, on that "
			      "device only",
		.used = "what was read",
		.takes_device = true,
		.phases = { { "reading", DD, true, .act = act_read_device } },
		.claims = { { QUANTITY_DEVICE, 1, true },
			    { QUANTITY_OTHERS, 1, false } },
	},
	{
		.name = "dd-close",
		.hypothesis = "the last close of a block device drops all of "
			      "its pages",
		.used = "what was read",
		.last_closes = true,
		.phases = { { "reading", DD, true, .act = act_read_device },
			    { "closing", "(the last close of @device)",
			      .act = act_close_device } },
		.claims = { { QUANTITY_DEVICE, 2, false },
			    { QUANTITY_DEVICE, 1, true } },
	},
	{
		.name = "find",
		.hypothesis = "find on ext4 fills Buffers: its metadata is in "
			      "the device's cache",
		.used = "the inodes",
		.filesystem = "ext4",
		.counts_inodes = true,
		.prepare = prepare_tree,
		.phases = { { "walking", FIND, true, .act = act_walk } },
		.claims = { { QUANTITY_DEVICE, 1, true } },
	},
	{
		.name = "find-xfs",
		.hypothesis = "find on XFS leaves Buffers alone: its metadata "
			      "is in no page cache",
		.used = "the inodes",
		.filesystem = "xfs",
		.counts_inodes = true,
		.prepare = prepare_tree,
		.phases = { { "walking", FIND, true, .act = act_walk } },
		.claims = { { QUANTITY_DEVICE, 1, false } },
	},
	{
		.name = "find-btrfs",
		.hypothesis = "find on btrfs leaves Buffers alone: its "
			      "metadata is in Cached",
		.used = "the inodes",
		.filesystem = "btrfs",
		.counts_inodes = true,
		.prepare = prepare_tree,
		.phases = { { "walking", FIND, true, .act = act_walk } },
		.claims = { { QUANTITY_DEVICE, 1, false } },
	},
	{
		.name = "file",
		.hypothesis = "reading a file fills Cached and not Buffers",
		.used = "what was read",
		.filesystem = "ext4",
		.prepare = prepare_file,
		.phases = { { "reading",
			      "dd if=@file of=/dev/null bs=1M count=@mib", true,
			      .act = act_read_file } },
		.claims = { { QUANTITY_DEVICE, 1, false },
			    { QUANTITY_FILE, 1, true },
			    { QUANTITY_CACHED, 1, true } },
	},
	{
		.name = "write",
		.hypothesis = "what is written to a block device is dirty in "
			      "Buffers, and clean after fsync",
		.used = "what was written",
		.writes = true,
		.phases = { { "writing",
			      "dd if=/dev/zero of=@device bs=1M count=@mib "
			      "conv=notrunc",
			      true, .act = act_write_device },
			    { "fsync", "sync @device", true,
			      .act = act_fsync_device } },
		.claims = { { QUANTITY_DEVICE_DIRTY, 1, true },
			    { QUANTITY_DEVICE_DIRTY, 2, false },
			    { QUANTITY_DEVICE, 2, true } },
	},
	{
		.name = "osync",
		.hypothesis = "a file written with O_SYNC leaves nothing dirty",
		.used = "what was written",
		.filesystem = "ext4",
		.writes = true,
		.prepare = prepare_empty_file,
		.phases = { { "writing",
			      "dd if=/dev/zero of=@file bs=1M count=@mib "
			      "oflag=sync conv=notrunc",
			      true, .act = act_write_file_sync } },
		.claims = { { QUANTITY_FILE_DIRTY, 1, false },
			    { QUANTITY_FILE, 1, true } },
	},
	{
		.name = "direct",
		.hypothesis = "an O_DIRECT read (Linux AIO) bypasses Buffers "
			      "and Cached",
		.used = "what was read",
		.phases = { { "reading",
			      FIO "--filename=@device --direct=1 "
				  "--ioengine=libaio --iodepth=4",
			      .act = act_read_direct } },
		.claims = { { QUANTITY_DEVICE, 1, false },
			    { QUANTITY_CACHED, 1, false } },
	},
	{
		.name = "uring",
		.hypothesis = "a buffered io_uring read of a block device "
			      "fills Buffers as dd does",
		.used = "what was read",
		.phases = { { "reading",
			      FIO "--filename=@device --ioengine=io_uring",
			      .act = act_read_uring } },
		.claims = { { QUANTITY_DEVICE, 1, true },
			    { QUANTITY_OTHERS, 1, false } },
	},
	{
		.name = "mmap",
		.hypothesis = "touching a mapping of a block device fills "
			      "Buffers as dd does",
		.used = "what was touched",
		.phases = { { "touching",
			      FIO "--filename=@device --ioengine=mmap",
			      .act = act_touch_device } },
		.claims = { { QUANTITY_DEVICE, 1, true },
			    { QUANTITY_OTHERS, 1, false } },
	},
	{
		.name = "tmpfs",
		.hypothesis = "tmpfs counts as Cached and Shmem, not Buffers, "
			      "and cannot be dropped",
		.used = "what was written",
		.filesystem = "tmpfs",
		.needs_no_device = true,
		.prepare = prepare_empty_file,
		.phases = { { "writing",
			      "dd if=/dev/zero of=@file bs=1M count=@mib "
			      "conv=notrunc",
			      true, .act = act_write_file },
			    { "dropping", "dd if=@file iflag=nocache count=0",
			      true, .act = act_drop_file } },
		.claims = { { QUANTITY_SHMEM, 1, true },
			    { QUANTITY_CACHED, 1, true },
			    { QUANTITY_BUFFERS, 1, false },
			    { QUANTITY_FILE, 2, true } },
	},
	{
		.name = "drop",
		.hypothesis = "posix_fadvise releases the pages of one device "
			      "and of no other",
		.used = "what was read",
		.has_witness = true,
		.takes_device = true,
		.phases = { { "reading", DD, true, .act = act_read_device },
			    { "reading",
			      "dd if=@witness of=/dev/null bs=1M count=@mib",
			      true, true, act_read_witness },
			    { "dropping", "dd if=@device iflag=nocache count=0",
			      true, .act = act_drop_device } },
		.claims = { { QUANTITY_DEVICE, 3, false },
			    { QUANTITY_DEVICE, 1, true },
			    { QUANTITY_WITNESS, 3, true } },
	},
	{
		.name = "who",
		.hypothesis = "a trace attributes what dd reads to dd, and "
			      "what find reads to find",
		.used = "the inodes",
		.filesystem = "ext4",
		.has_witness = true,
		.traces = true,
		.counts_inodes = true,
		.prepare = prepare_tree,
		.phases = { { "reading",
			      "dd if=@witness of=/dev/null bs=1M count=@mib",
			      true, true, act_dd_witness },
			    { "walking", FIND, true, .act = act_find } },
		.claims = { { QUANTITY_DD, 1, true },
			    { QUANTITY_FIND, 1, false },
			    { QUANTITY_FIND, 2, true } },
	},
	{
		.name = "path",
		.hypothesis = "read, io_uring, mmap, sendfile and splice of a "
			      "device go through the page cache; O_DIRECT and "
			      "UDP pass it by",
		.used = "what was read",
		.ways = ways_of_device,
		.phases = { { "going each way", PATH "@device",
			      .act = act_ways } },
		.claims = { PATH_CLAIMS },
	},
	{
		.name = "path-ext4",
		.hypothesis = "on ext4, O_SYNC goes through the page cache, "
			      "O_DIRECT past it, and refuses what is unaligned",
		.used = "what was read",
		.filesystem = "ext4",
		.writes = true,
		.ways = ways_of_ext4,
		.prepare = prepare_empty_file,
		.phases = { { "going each way", PATH "@file",
			      .act = act_ways } },
		.claims = { PATH_CLAIMS },
	},
	{
		.name = "path-xfs",
		.hypothesis = "on XFS, O_SYNC goes through the page cache, "
			      "O_DIRECT past it, and refuses what is unaligned",
		.used = "what was read",
		.filesystem = "xfs",
		.writes = true,
		.ways = ways_of_xfs,
		.prepare = prepare_empty_file,
		.phases = { { "going each way", PATH "@file",
			      .act = act_ways } },
		.claims = { PATH_CLAIMS },
	},
	{
		.name = "path-btrfs",
		.hypothesis = "on btrfs, O_DIRECT that is unaligned goes "
			      "through the page cache, without a word",
		.used = "what was read",
		.filesystem = "btrfs",
		.writes = true,
		.ways = ways_of_btrfs,
		.prepare = prepare_empty_file,
		.phases = { { "going each way", PATH "@file",
			      .act = act_ways } },
		.claims = { PATH_CLAIMS },
	},
};

#define SCENARIOS (sizeof(scenarios) / sizeof(*scenarios))

size_t scenario_count(void)
{
	return SCENARIOS;
}

const struct scenario *scenario_at(size_t index)
{
	return &scenarios[index];
}

const struct scenario *scenario_find(const char *name, struct error *err)
{
	struct nearest nearest;

	nearest_init(&nearest, name, strlen(name));
	for (size_t i = 0; i < SCENARIOS; i++) {
		if (strcmp(scenarios[i].name, name) == 0)
			return &scenarios[i];
		nearest_try(&nearest, scenarios[i].name);
	}
	error_advise(err, EINVAL, "reading arguments", name,
		     "see bufstat repro --scenarios", "no such scenario%s%s",
		     nearest.name ? "; did you mean " : "",
		     nearest.name ? nearest.name : "");
	return NULL;
}

size_t scenario_phases(const struct scenario *scenario)
{
	size_t count = 0;

	while (count < SCENARIO_PHASES && scenario->phases[count].act)
		count++;
	return count;
}

size_t scenario_claims(const struct scenario *scenario)
{
	size_t count = 0;

	while (count < SCENARIO_CLAIMS && scenario->claims[count].observation)
		count++;
	return count;
}
