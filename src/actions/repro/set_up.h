/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets up an experiment's lab and takes it down. */
#ifndef BUFSTAT_SET_UP_H
#define BUFSTAT_SET_UP_H

struct error;
struct experiment;

/*
 * Makes what the scenario needs and fills in the outcome's amounts. Returns 0
 * or a negative errno; the caller calls experiment_take_down() in either case.
 */
int experiment_set_up(struct experiment *experiment, struct error *err);

/*
 * Empties the lab devices' page cache until their figures stand still: udev and
 * others read new devices. Returns 0, even if they never stand still, or a
 * negative errno.
 */
int experiment_settle(struct experiment *experiment, struct error *err);

/*
 * Takes everything down, or leaves it to the user with --keep. Returns 0 or a
 * negative errno.
 */
int experiment_take_down(struct experiment *experiment, struct error *err);

#endif
