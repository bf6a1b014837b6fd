/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_SYSCALLS_H
#define BUFSTAT_SYSCALLS_H

#include <stdint.h>

#include "trace/fill.h"

/*
 * Sets how the pages that come in during each system call do so, an enum
 * fill_how by its number on this machine.
 */
void syscalls_classify(uint8_t how[FILL_SYSCALLS]);

#endif
