/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of questions. Commands that only ask one, the tabs of the screen,
 * and what is captured, saved and recorded follow from it.
 */
#ifndef BUFSTAT_QUESTIONS_H
#define BUFSTAT_QUESTIONS_H

#include "question/question.h"

enum question_id {
	/* Tabs of the screen, in this order. */
	QUESTION_DEVICES,
	QUESTION_FILESYSTEMS,
	QUESTION_FILES,
	QUESTION_WHO,
	QUESTION_CGROUPS,
	QUESTION_SLAB,
	QUESTION_MEMORY,
	QUESTION_TABS,
	/* Not on the screen. */
	QUESTION_ZONES = QUESTION_TABS,
	QUESTION_CHARGES,
	QUESTION_BLOCKS,
	QUESTION_SOURCES,
	QUESTIONS
};

extern const struct question *const questions[QUESTIONS];

#endif
