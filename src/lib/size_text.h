/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_SIZE_TEXT_H
#define BUFSTAT_SIZE_TEXT_H

#include <stdint.h>

#define SIZE_TEXT_LENGTH 32

/*
 * Writes @bytes as lsblk does: in the largest 1024-based unit below it, one
 * letter, rounded to one decimal that is left out where it is zero. Unlike
 * there "0" stands without a unit, and what rounds to 1024 of one is 1 of the
 * next. Returns @text.
 */
const char *size_text(int64_t bytes, char text[SIZE_TEXT_LENGTH]);

#endif
