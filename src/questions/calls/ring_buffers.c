// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/ring_buffers.h"
#include "calls/tracing_file.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/* For all processors, and for one. */
#define BUFFERS_KIB 65536
#define LEAST_KIB 512
#define MOST_KIB 8192

/* Pages to take from one processor before the next one has its turn. */
#define PAGES_AT_A_TIME 256

void ring_buffers_init(struct ring_buffers *buffers, int directory)
{
	const long processors = sysconf(_SC_NPROCESSORS_CONF);

	*buffers = (struct ring_buffers){
		.directory = directory,
		.count = processors > 0 ? (size_t)processors : 1,
	};
}

void ring_buffers_deinit(struct ring_buffers *buffers)
{
	for (size_t i = 0; buffers->files && i < buffers->count; i++)
		closep(&buffers->files[i]);
	free(buffers->files);
	free(buffers->page);
	*buffers = (struct ring_buffers){ 0 };
}

int ring_buffers_set_size(const struct ring_buffers *buffers, struct error *err)
{
	long kib = BUFFERS_KIB / (long)buffers->count;
	char text[24];

	kib = kib < LEAST_KIB ? LEAST_KIB : kib > MOST_KIB ? MOST_KIB : kib;
	snprintf(text, sizeof(text), "%ld", kib);
	return tracing_write(buffers->directory, "buffer_size_kb", text, err);
}

static size_t find_page_size(int directory)
{
	_cleanup_(freep) char *text = NULL;

	/* Linux 6.8 */
	if (tracing_read(directory, "buffer_subbuf_size_kb", &text, NULL) ==
		    0 &&
	    strtoul(text, NULL, 10) > 0)
		return strtoul(text, NULL, 10) * 1024;
	return (size_t)sysconf(_SC_PAGESIZE);
}

int ring_buffers_open(struct ring_buffers *buffers, struct error *err)
{
	char path[64];

	buffers->page_size = find_page_size(buffers->directory);
	buffers->page = malloc(buffers->page_size);
	buffers->files = calloc(buffers->count, sizeof(int));
	if (!buffers->page || !buffers->files)
		return error_errno(err, ENOMEM, "tracing", "the buffers");
	for (size_t i = 0; i < buffers->count; i++)
		buffers->files[i] = -1;
	for (size_t i = 0; i < buffers->count; i++) {
		snprintf(path, sizeof(path), "per_cpu/cpu%zu/trace_pipe_raw",
			 i);
		buffers->files[i] = openat(buffers->directory, path,
					   O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		/* A processor that may come, but is not there. */
		if (buffers->files[i] < 0 && errno != ENOENT)
			return error_errno(err, errno, "opening", path);
	}
	return 0;
}

void ring_buffers_read(struct ring_buffers *buffers, bool all,
		       void (*take)(void *data, uint32_t processor, void *page),
		       void *data)
{
	bool has_more = true;

	while (has_more) {
		has_more = false;
		for (size_t i = 0; i < buffers->count; i++) {
			int left = PAGES_AT_A_TIME;

			while (buffers->files[i] >= 0 && left &&
			       read(buffers->files[i], buffers->page,
				    buffers->page_size) > 0) {
				take(data, (uint32_t)i, buffers->page);
				left--;
			}
			has_more |= !left && all;
		}
	}
}

/* Adds the figures of a file "stats", whose lines are like "overrun: 0". */
static void add_lost(char *text, uint64_t *lost)
{
	static const char *const names[] = { "overrun", "commit overrun",
					     "dropped events" };
	unsigned long long value;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
			const size_t length = strlen(names[i]);

			if (strncmp(line, names[i], length) == 0 &&
			    sscanf(line + length, ": %llu", &value) == 1)
				*lost += value;
		}
	}
}

int ring_buffers_lost(const struct ring_buffers *buffers, uint64_t *lost)
{
	*lost = 0;
	for (size_t i = 0; i < buffers->count; i++) {
		_cleanup_(freep) char *text = NULL;
		char path[64];
		int ret;

		snprintf(path, sizeof(path), "per_cpu/cpu%zu/stats", i);
		ret = tracing_read(buffers->directory, path, &text, NULL);
		if (ret < 0)
			return ret;
		add_lost(text, lost);
	}
	return 0;
}
