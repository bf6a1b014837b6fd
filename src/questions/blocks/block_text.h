/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of a device's cached blocks besides tables. */
#ifndef BUFSTAT_BLOCK_TEXT_H
#define BUFSTAT_BLOCK_TEXT_H

#include <stdio.h>

#include "table/table_style.h"

struct block_answer;
struct device_blocks;

/*
 * Prints what most of the cache is, of what there was time to look at, and what
 * that is typical of, as sentences, and what would release it. Returns 0 or
 * -ENOMEM.
 */
int block_sentence_print(FILE *stream, const struct device_blocks *device,
			 const struct table_style *style);

/*
 * Prints a line that stands for the device from its first to its last block:
 * the height is the cached share of each part, and the colour, or a letter
 * below it, the kind of most that is cached there. Nothing if the size of the
 * device is not known, nothing of it is cached, or parts of it were left out.
 * Returns 0 or -ENOMEM.
 */
int block_strip_print(FILE *out, const struct block_answer *answer,
		      const struct table_style *style);

#endif
