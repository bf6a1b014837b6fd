// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>

#include "errno_name.h"

/* What the block layer and the page cache make of a failed write. */
static const struct {
	unsigned int number;
	const char *name;
} names[] = {
#define NAME(error)                                                            \
	{                                                                      \
		error, #error                                                  \
	}
	NAME(EIO),	 NAME(ENOSPC),	   NAME(ENOMEM),   NAME(ETIMEDOUT),
	NAME(ENOLINK),	 NAME(EREMOTEIO),  NAME(EBADE),	   NAME(ENODATA),
	NAME(EILSEQ),	 NAME(EAGAIN),	   NAME(EBUSY),	   NAME(ETOOMANYREFS),
	NAME(EOVERFLOW), NAME(EOPNOTSUPP), NAME(EINVAL),   NAME(ENODEV),
	NAME(ENXIO),	 NAME(EROFS),	   NAME(EDQUOT),   NAME(EFBIG),
	NAME(ESTALE),	 NAME(EPERM),	   NAME(EACCES),   NAME(EUCLEAN),
	NAME(EFAULT),	 NAME(EINTR),	   NAME(ENOMEDIUM)
#undef NAME
};

void errno_name(unsigned int number, char name[ERRNO_NAME_SIZE])
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].number == number) {
			snprintf(name, ERRNO_NAME_SIZE, "%s", names[i].name);
			return;
		}
	}
	snprintf(name, ERRNO_NAME_SIZE, "%u", number);
}
