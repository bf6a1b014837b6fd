/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_CAPTURE_OUT_H
#define BUFSTAT_CAPTURE_OUT_H

#include <stddef.h>
#include <stdio.h>

struct redaction;

/* Where the parts of a capture write their files. */
struct capture_out {
	FILE *out; /* the tar file */
	const struct redaction *redaction;
};

/*
 * As tar_write_file(), for text, from which the names are replaced if they do
 * not stay. May also return -ENOMEM.
 */
int capture_put(const struct capture_out *to, const char *path,
		const char *text, size_t size);

#endif
