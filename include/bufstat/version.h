/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The version of bufstat, shared by the tool and the module. The format of the
 * debugfs file has its own version (devices.h), which changes far less often.
 */
#ifndef BUFSTAT_VERSION_H
#define BUFSTAT_VERSION_H

#define BUFSTAT_VERSION "1.0.0"

#endif
