/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes out of a file's text, in place, what a capture has no need of. */
#ifndef BUFSTAT_CAPTURE_FILTER_H
#define BUFSTAT_CAPTURE_FILTER_H

/*
 * /proc/self/mountinfo: options, which may hold user names and addresses, and
 * sources that are no device, which may hold hosts and shares.
 */
void capture_filter_mountinfo(char *text);

/* Such a source alone, as it is without the file's escapes. */
void capture_filter_source(char *source);

/* A udev record: all but the names of the device and its filesystem. */
void capture_filter_udev(char *text);

#endif
