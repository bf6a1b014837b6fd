/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What scenarios do, in the tool's own code. */
#ifndef BUFSTAT_ACTIONS_H
#define BUFSTAT_ACTIONS_H

#include "repro/experiment.h"

/* With read(2), from the start on. */
action_fn act_read_device;
action_fn act_read_witness;
action_fn act_read_file;
/* With O_DIRECT and io_submit(2). */
action_fn act_read_direct;
/* With io_uring. */
action_fn act_read_uring;
/* Through a mapping. */
action_fn act_touch_device;
/* With write(2). */
action_fn act_write_device;
action_fn act_write_file;
action_fn act_write_file_sync;

action_fn act_fsync_device;
action_fn act_close_device;
/* posix_fadvise(POSIX_FADV_DONTNEED). */
action_fn act_drop_device;
action_fn act_drop_file;

/* Every directory and every inode below the mount point. */
action_fn act_walk;

/* --files empty files, a hundred to a directory. */
action_fn prepare_tree;
/* A file of --size that was never read; one of no size. */
action_fn prepare_file;
action_fn prepare_empty_file;

#endif
