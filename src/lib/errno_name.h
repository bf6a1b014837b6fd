/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_ERRNO_NAME_H
#define BUFSTAT_ERRNO_NAME_H

#define ERRNO_NAME_SIZE 16

/*
 * The name of what a write may fail with, "EIO", or of another error its
 * number. (strerrorname_np() is not in every C library: glibc 2.32.)
 */
void errno_name(unsigned int number, char name[ERRNO_NAME_SIZE]);

#endif
