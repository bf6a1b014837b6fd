/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_OPTION_ERROR_H
#define BUFSTAT_OPTION_ERROR_H

struct error;
struct option;

/*
 * Says what getopt_long() did not like about the option it just refused, with
 * opterr off: @answer is what it returned, '?' or, for an optstring that begins
 * with a colon, ':'. The nearest of @names, the options there are, is
 * suggested; @help is the command to see. Returns -EINVAL.
 */
int option_error(char *const *argv, int answer, const struct option *names,
		 const char *help, struct error *err);

#endif
