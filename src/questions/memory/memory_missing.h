/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an answer about memory lacks. */
#ifndef BUFSTAT_MEMORY_MISSING_H
#define BUFSTAT_MEMORY_MISSING_H

#include <stdbool.h>

#include "memory/memory_heads.h"
#include "memory/memory_owners.h"
#include "memory/memory_reading.h"
#include "lib/error.h"

/*
 * Tells what the heads lack. @vmcore is the dump that they are of, or NULL;
 * @is_live: they are of the running host.
 */
void memory_missing(const struct memory_reading *reading,
		    const struct memory_heads *heads, const char *vmcore,
		    bool is_live, error_tell_fn *tell, void *data);

/* The same of owners: every reason once, since several lists share a file. */
void memory_owners_missing(const struct memory_owners *owners,
			   error_tell_fn *tell, void *data);

/* Whether the heads lack nothing. */
bool memory_is_whole(const struct memory_reading *reading,
		     const struct memory_heads *heads);

#endif
