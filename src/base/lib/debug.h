/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BUFSTAT_DEBUG=kernel,source,worker says on stderr what was found how, for a
 * report from a host where something cannot be used. It never has an address:
 * that would tell where this kernel is.
 */
#ifndef BUFSTAT_DEBUG_H
#define BUFSTAT_DEBUG_H

struct error;

enum debug_word { DEBUG_KERNEL, DEBUG_SOURCE, DEBUG_WORKER, DEBUG_ALL };

/* The words, if help was asked for and nothing else; or NULL. */
const char *debug_help(void);

/* Returns 0, or -EINVAL with the words in @err if one is unknown. */
int debug_check(struct error *err);

/* Writes a line with one write(2), if @word was asked for. */
void debug(enum debug_word word, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
