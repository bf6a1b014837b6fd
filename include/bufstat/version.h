/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The version of bufstat, one for both halves. The format of the debugfs
 * file has a version of its own (devices.h): it changes far less often.
 */
#ifndef BUFSTAT_VERSION_H
#define BUFSTAT_VERSION_H

#define BUFSTAT_VERSION "0.1.0"

#endif
