/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VMCOREINFO: what a kernel tells those who will read its dump, as lines of
 * KEY=VALUE (Documentation/admin-guide/kdump/vmcoreinfo.rst). In a note of
 * every dump that kdump makes, and of /proc/kcore since Linux 4.19.
 */
#ifndef BUFSTAT_VMCOREINFO_H
#define BUFSTAT_VMCOREINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value, which is not NUL-terminated, and its length; or NULL. */
const char *vmcoreinfo_find(const char *text, const char *key, size_t *length);

/* SYMBOL(@name): an address. False if it is not there or not a number. */
bool vmcoreinfo_symbol(const char *text, const char *name, uint64_t *address);

/* NUMBER(@name): printed with a sign or without; here as 64 bits of either. */
bool vmcoreinfo_number(const char *text, const char *name, uint64_t *number);

/* PAGESIZE, in bytes. */
bool vmcoreinfo_page_size(const char *text, uint64_t *bytes);

/* Copies a value that is printable and fits in @size bytes. */
bool vmcoreinfo_string(const char *text, const char *key, char *value,
		       size_t size);

#endif
