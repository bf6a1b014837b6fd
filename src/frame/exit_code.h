/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_EXIT_CODE_H
#define BUFSTAT_EXIT_CODE_H

enum exit_code {
	EXIT_OK = 0, /* all measured */
	EXIT_FAILED = 1, /* failure or bad usage */
	EXIT_NO_SOURCE = 2, /* no usable source */
	EXIT_PARTIAL = 3, /* measured in part: a device or source refused */
};

#endif
