/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up variables of a kernel, running or dumped, in its own memory. */
#ifndef BUFSTAT_SYMBOLS_H
#define BUFSTAT_SYMBOLS_H

#include <stddef.h>

#include "kernel/kallsyms.h"

struct kernel;

/*
 * Sets the addresses of @count @symbols, whose names the caller has set. Looks
 * in the exports first and reads kallsyms only for what is not there. It has
 * variables with CONFIG_KALLSYMS_ALL=y, as distributions set it. The address of
 * a symbol that is not found is 0. The caller must check what an address leads
 * to (exports.h).
 */
void kernel_symbols_find(struct kernel *kernel, struct kallsyms_symbol *symbols,
			 size_t count);

#endif
