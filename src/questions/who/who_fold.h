/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes of one name and one cgroup as one row: a job that starts a process
 * for each file has thousands.
 */
#ifndef BUFSTAT_WHO_FOLD_H
#define BUFSTAT_WHO_FOLD_H

#include <stdbool.h>
#include <stddef.h>

struct who_rows;

/*
 * Makes one row of all processes that filled one cache, have one name, are in
 * one cgroup and work for one, if they are more than @most. Not for rows of
 * who_now.h, and once only. Returns 0 or -ENOMEM; the rows are then as before.
 */
int who_rows_fold(struct who_rows *rows, size_t most);

/* Whether a row is of several processes. */
bool who_rows_are_folded(const struct who_rows *rows);

#endif
