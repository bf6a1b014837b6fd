/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_EXIT_CODE_H
#define BUFSTAT_EXIT_CODE_H

#include "lib/error.h"

enum exit_code {
	EXIT_OK = 0, /* all measured */
	EXIT_FAILED = 1, /* failure or bad usage */
	EXIT_NO_SOURCE = 2, /* no usable source */
	EXIT_PARTIAL = 3, /* measured in part: a device or source refused */
};

/* The exit code of a command that ends with @err, an enum exit_code. */
static inline int exit_code_of(const struct error *err)
{
	switch (err->class) {
	case ERROR_NONE:
		return EXIT_OK;
	case ERROR_PARTIAL:
		return EXIT_PARTIAL;
	case ERROR_UNUSABLE:
		return EXIT_NO_SOURCE;
	case ERROR_FAILED:
		break;
	}
	return EXIT_FAILED;
}

/* Prints @err. Returns its exit code. */
static inline int exit_printing(const struct error *err)
{
	error_print(err);
	return exit_code_of(err);
}

#endif
