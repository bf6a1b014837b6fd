/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VMCOREINFO: what a kernel tells those who will read its dump, as lines of
 * KEY=VALUE (Documentation/admin-guide/kdump/vmcoreinfo.rst). It is in a note
 * of every dump that kdump makes, and of /proc/kcore since Linux 4.19.
 */
#ifndef BUFSTAT_VMCOREINFO_H
#define BUFSTAT_VMCOREINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the value of @key within @text and sets *@length; it is not
 * NUL-terminated. Returns NULL if there is none.
 */
const char *vmcoreinfo_find(const char *text, const char *key, size_t *length);

/*
 * Reads the address SYMBOL(@name). Returns false if it is not there or not a
 * number.
 */
bool vmcoreinfo_symbol(const char *text, const char *name, uint64_t *address);

/*
 * Reads NUMBER(@name). The kernel prints it as signed, as unsigned or, with 0x,
 * in hexadecimal; a negative one becomes its two's complement. Returns false as
 * above.
 */
bool vmcoreinfo_number(const char *text, const char *name, uint64_t *number);

/* Reads PAGESIZE. Returns false if it is not there or not a page size. */
bool vmcoreinfo_page_size(const char *text, uint64_t *bytes);

/*
 * Copies the value of @key. Returns false if it is not there, is empty, has
 * spaces or unprintable characters, or does not fit in @size bytes.
 */
bool vmcoreinfo_string(const char *text, const char *key, char *value,
		       size_t size);

#endif
