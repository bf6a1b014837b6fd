/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/kallsyms: the same symbols as text. Slower, because the kernel writes
 * it 4 KiB at a time and the wanted lines may come last; for kernels that do
 * not say where the tables are.
 */
#ifndef BUFSTAT_KALLSYMS_TEXT_H
#define BUFSTAT_KALLSYMS_TEXT_H

#include <stddef.h>

struct error;
struct kallsyms_symbol;

/*
 * Looks @symbols up, until the first of them is found; put the best first.
 * Symbols of modules are not taken. Returns 0, -EPERM if the addresses are
 * hidden (sysctl kernel.kptr_restrict), or the errno of reading.
 */
int kallsyms_text_lookup(int fd, struct kallsyms_symbol *symbols, size_t count,
			 struct error *err);

#endif
