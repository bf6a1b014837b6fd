/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands that ask filesystems have in common. */
#ifndef BUFSTAT_ASK_OPTIONS_H
#define BUFSTAT_ASK_OPTIONS_H

struct common_options;
struct error;
struct table_options;

void ask_options_print_help(void);

/* Reads the argument of --timeout. Returns 0 or -EINVAL. */
int ask_options_timeout(double *seconds, const char *text, struct error *err);

/* Only the module can be asked; one format is printed. Returns 0 or -EINVAL. */
int ask_options_check(const struct common_options *common,
		      const struct table_options *table, struct error *err);

#endif
