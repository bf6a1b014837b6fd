/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions of scenarios. */
#ifndef BUFSTAT_ACTIONS_H
#define BUFSTAT_ACTIONS_H

#include "repro/experiment.h"

/* Read from the start with pread(2). */
action_fn act_read_device;
action_fn act_read_witness;
action_fn act_read_file;
/* Reads the device with O_DIRECT and io_submit(2). */
action_fn act_read_direct;
/* Reads the device with io_uring. Where that is refused, by EPERM, see this. */
action_fn act_read_uring;
#define URING_REMEDY "see /proc/sys/kernel/io_uring_disabled"
/* Touches each page of a mapping of the device. */
action_fn act_touch_device;
/* Write from the start with pwrite(2). */
action_fn act_write_device;
action_fn act_write_file;
action_fn act_write_file_sync;

action_fn act_fsync_device;
action_fn act_close_device;
/* Drop clean pages with posix_fadvise(POSIX_FADV_DONTNEED). */
action_fn act_drop_device;
action_fn act_drop_file;

/* Reads every directory and inode below the mount point. */
action_fn act_walk;

/* The same as dd on the witness and as find, in processes of these names. */
action_fn act_dd_witness;
action_fn act_find;

/*
 * Read the file, or else the device, from the start: with O_DIRECT; the same
 * unaligned, which most refuse; with sendfile(2) and splice(2) to /dev/null.
 */
action_fn act_pread_direct;
action_fn act_pread_unaligned;
action_fn act_sendfile;
action_fn act_splice;
/* Sends packets to itself, in a network namespace of its own. */
action_fn act_udp;
/* Goes each of the scenario's ways and traces it. */
action_fn act_ways;

/* Makes --files empty files, a hundred to a directory. */
action_fn prepare_tree;
/* Make a file: one of --size with unwritten blocks, or an empty one. */
action_fn prepare_file;
action_fn prepare_empty_file;

#endif
