/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of one device's pages, in words. Pure: nothing is looked up. */
#ifndef BUFSTAT_DROP_TEXT_H
#define BUFSTAT_DROP_TEXT_H

#include <stdbool.h>
#include <stdio.h>

struct drop_result;

struct drop_style {
	int width; /* of the widest device's name */
	bool bytes;
};

/* One line, and others for what stayed or could not be measured. */
void drop_text_put(FILE *out, const struct drop_result *result,
		   const struct drop_style *style);

#endif
