/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The question of what Buffers is made of. */
#ifndef BUFSTAT_DEVICE_QUESTION_H
#define BUFSTAT_DEVICE_QUESTION_H

#include <stdbool.h>

#include "devices/device_rows.h"
#include "filesystems/fs_json.h"
#include "lib/error.h"
#include "question/question.h"

struct command_line;
struct sysroot;

/* Its answer: measurements and names. Printing looks at nothing else. */
struct device_answer {
	struct answer head; /* its rows are struct device; or there are none */
	struct devices devices;
	struct error unasked; /* why nothing tells what is on a device */
	bool has_cached; /* filesystems were asked for, to be printed with it */
	struct fs_part cached;
};

extern const struct question device_question;
extern const struct command_line command_devices;

/*
 * Adds names from @root to the devices that were measured, and makes rows of
 * them; @all is as for device_rows_init(). Returns 0, or -ENOMEM and then
 * leaves no rows.
 */
int device_answer_complete(struct device_answer *answer,
			   const struct sysroot *root, bool all);

#endif
