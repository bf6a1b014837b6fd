/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader of the module's file for the tests: it shares nothing with the
 * tool's, and takes no text that is not exactly what <bufstat/devices.h> says.
 */
#ifndef TEST_DEVICES_FILE_H
#define TEST_DEVICES_FILE_H

#include <stddef.h>

struct devices_file {
	char *text; /* whole, with a NUL behind it */
	size_t size;
	/* The header's figures. */
	unsigned long page_size;
	unsigned long devices;
	unsigned long pages;
	unsigned long bufferram_pages;
	unsigned long file_pages;
	/* Counted. */
	unsigned long rows;
	unsigned long row_pages;
};

/*
 * Reads up to the end of @fd, @step bytes at a time. Returns 0 or a negative
 * errno. devices_file_free() is due either way.
 */
int devices_file_read(int fd, size_t step, struct devices_file *file);
void devices_file_free(struct devices_file *file);

/* Fills in the figures. Returns NULL, or what is wrong with the text. */
const char *devices_file_check(struct devices_file *file);

/* "Buffers" of /proc/meminfo in kibibytes. Exits if it cannot be had. */
unsigned long meminfo_buffers_kib(void);

#endif
