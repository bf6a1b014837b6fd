/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removes from a file's text, in place, what a capture does not need. */
#ifndef BUFSTAT_CAPTURE_FILTER_H
#define BUFSTAT_CAPTURE_FILTER_H

/*
 * From /proc/self/mountinfo, removes options, which may hold user names and
 * addresses, and sources that are no device, which may hold hosts and shares.
 */
void capture_filter_mountinfo(char *text);

/* The same for one such source, which has no octal escapes. */
void capture_filter_source(char *source);

/* From a udev record, keeps only the names of device and filesystem. */
void capture_filter_udev(char *text);

#endif
