/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints what bufstat who traced. */
#ifndef BUFSTAT_WHO_REPORT_H
#define BUFSTAT_WHO_REPORT_H

struct charges;
struct common_options;
struct sysroot;
struct table_options;
struct traced;
struct who_rows;

/* How it is printed. */
struct who_report {
	const struct common_options *common;
	const struct table_options *table;
	const char *engine; /* that traced; NULL with --now */
	const struct sysroot *root;
};

/* Prints the JSON or the table. Returns 0 or a negative errno. */
int who_report_print(const struct who_report *report,
		     const struct traced *traced);

/* The same for the rows that who_now_init() made of @charges. */
int who_report_print_now(const struct who_report *report,
			 const struct who_rows *rows,
			 const struct charges *charges);

#endif
