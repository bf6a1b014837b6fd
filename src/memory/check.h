/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_CHECK_H
#define BUFSTAT_CHECK_H

struct memory_rows;
struct memory_rows_of;

/*
 * Makes the rows of --check: each head with the fields that it is made of,
 * their files and why no page is in two heads. Returns 0 or -ENOMEM.
 */
int memory_check_rows(struct memory_rows *rows,
		      const struct memory_rows_of *of);

#endif
