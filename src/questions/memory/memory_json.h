/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_MEMORY_JSON_H
#define BUFSTAT_MEMORY_JSON_H

#include "memory/memory_rows.h"

struct fields;

/* How the counts were taken, the heads, and the rows of another view. */
struct memory_answer {
	const struct memory_rows_of *of;
	enum memory_view view;
	struct memory_rows rows; /* of the view, owned by whoever made them */
};

extern const struct fields memory_answer_fields;

#endif
