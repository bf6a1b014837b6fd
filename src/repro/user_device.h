/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_USER_DEVICE_H
#define BUFSTAT_USER_DEVICE_H

struct error;
struct experiment;

/*
 * Opens the device that the user named, for reading, in place of a lab. What
 * of it is cached already is taken off the amount. Returns 0 or a negative
 * errno.
 */
int user_device_use(struct experiment *experiment, struct error *err);

#endif
