/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of the module's file for the tests. It shares no code with that of
 * the tool, and accepts only text that is exactly as <bufstat/devices.h> says.
 */
#ifndef TEST_DEVICES_FILE_H
#define TEST_DEVICES_FILE_H

#include <stddef.h>

struct devices_file {
	char *text; /* the whole file, NUL-terminated */
	size_t size;
	/* The header's figures. */
	unsigned long page_size;
	unsigned long devices;
	unsigned long pages;
	unsigned long bufferram_pages;
	unsigned long file_pages;
	/* Counted by devices_file_check(). */
	unsigned long rows;
	unsigned long row_pages;
};

/*
 * Reads @fd to the end, @step bytes at a time. Returns 0 or a negative errno.
 * The caller calls devices_file_free() in either case.
 */
int devices_file_read(int fd, size_t step, struct devices_file *file);
void devices_file_free(struct devices_file *file);

/* Fills in the figures. Returns NULL, or a description of the first error. */
const char *devices_file_check(struct devices_file *file);

/* "Buffers" of /proc/meminfo in KiB. Ends the program if it cannot be read. */
unsigned long meminfo_buffers_kib(void);

#endif
