/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lab of an experiment, from its first directory to its last. */
#ifndef BUFSTAT_SET_UP_H
#define BUFSTAT_SET_UP_H

struct error;
struct experiment;

/*
 * Makes what the scenario needs and fills in the outcome's amounts. Returns 0
 * or a negative errno; experiment_take_down() is to be called in either case.
 */
int experiment_set_up(struct experiment *experiment, struct error *err);

/*
 * Empties the device's cache and waits until its figures stand still: udev and
 * others look at new devices.
 */
int experiment_settle(struct experiment *experiment, struct error *err);

/* Undoes it, or leaves it to the user if that is what was asked for. */
int experiment_take_down(struct experiment *experiment, struct error *err);

#endif
