/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose pages the caches have now, by cgroup, without having traced. */
#ifndef BUFSTAT_WHO_NOW_H
#define BUFSTAT_WHO_NOW_H

#include "who/who_rows.h"

struct charges;
struct fields;

/*
 * Makes a row of each charge, and one of what is unattributed of each cache
 * where that is not 0 or not known. The largest cache comes first, and in it
 * the cgroup with most pages. @charges must outlive @rows. Returns 0 or
 * -ENOMEM; the caller deinits @rows in either case.
 */
int who_now_init(struct who_rows *rows, const struct charges *charges);

/* The usual columns of these rows, and those of their JSON. */
extern const char who_now_columns[];
extern const char who_now_json_columns[];

/* A document: struct document, of struct charges. */
extern const struct fields who_now_document;

#endif
