// SPDX-License-Identifier: GPL-2.0-or-later
#include "blocks/block_rows.h"
#include "cgroups/cgroup_rows.h"
#include "cgroups/charge_rows.h"
#include "filesystems/file_columns.h"
#include "filesystems/fs_rows.h"
#include "memory/slab_caches.h"
#include "memory/zone_rows.h"
#include "sample/device_question.h"
#include "sample/heads_question.h"
#include "sample/questions.h"
#include "source_list/source_rows.h"
#include "who/who_now.h"

const struct question *const questions[QUESTIONS] = {
	[QUESTION_DEVICES] = &device_question,
	[QUESTION_FILESYSTEMS] = &fs_question,
	[QUESTION_FILES] = &file_question,
	[QUESTION_WHO] = &who_question,
	[QUESTION_CGROUPS] = &cgroup_question,
	[QUESTION_SLAB] = &slab_question,
	[QUESTION_MEMORY] = &heads_question,
	[QUESTION_ZONES] = &zone_question,
	[QUESTION_CHARGES] = &charge_question,
	[QUESTION_BLOCKS] = &block_question,
	[QUESTION_SOURCES] = &source_question,
};
