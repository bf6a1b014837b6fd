/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_NUMBER_H
#define BUFSTAT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads decimal digits, at least one, from *@text and moves it behind them.
 * False, with nothing moved, if there are none or the number is above @max.
 * No sign, no space, no locale: strtoull() would take all three.
 */
bool number_scan(const char **text, uint64_t max, uint64_t *number);

/* The same for a string that must hold nothing else. */
bool number_parse(const char *text, uint64_t max, uint64_t *number);

#endif
