/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose pages the caches have now, by cgroup, without having traced. */
#ifndef BUFSTAT_WHO_NOW_H
#define BUFSTAT_WHO_NOW_H

#include "cgroups/charges.h"
#include "who/who_rows.h"

struct fields;

struct who_now {
	struct who_rows who; /* begins with struct answer */
	struct charges charges;
};

/*
 * Makes a row of each charge, and one of what is unattributed of each cache
 * where that is not 0 or not known. The largest cache comes first, and in it
 * the cgroup with most pages. Returns 0 or -ENOMEM; the caller deinits
 * now->who in either case.
 */
int who_now_make_rows(struct who_now *now);

/* Of caches, or of all if none is selected. */
extern const struct question who_question;

/* The usual columns of these rows, and those of their JSON. */
extern const char who_now_columns[];
extern const char who_now_json_columns[];

/* A document: struct document, of struct who_now. */
extern const struct fields who_now_document;

#endif
