/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes of a device, file, filesystem or cgroup whose pages are dropped. */
#ifndef BUFSTAT_DROP_RESULT_H
#define BUFSTAT_DROP_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"
#include "measure/cachestat.h"

struct drop_pages {
	bool has_pages;
	uint64_t pages;
	bool has_dirty;
	uint64_t dirty; /* pages */
	bool has_writeback;
	uint64_t writeback; /* pages */
};

struct drop_result {
	bool dry_run; /* only the first reading: after is empty */
	bool despite_errors; /* release even if a write has failed */
	const char *source; /* NULL: none could measure */
	uint64_t page_size; /* bytes */
	struct drop_pages before;
	struct drop_pages after;
	bool done; /* what could be released was */
	struct error error; /* why not, if set */
	struct error why; /* why some figures are absent */
};

/* Asks cachestat(2). Without it, returns false with @pages as they are. */
static inline bool drop_pages_ask(struct drop_pages *pages, int fd)
{
	struct cachestat_counts counts;

	if (cachestat_read(fd, 0, 0, &counts) < 0)
		return false;
	*pages = (struct drop_pages){ true, counts.cached,   true, counts.dirty,
				      true, counts.writeback };
	return true;
}

/* Whether some are to be written. */
static inline bool drop_pages_are_dirty(const struct drop_pages *pages)
{
	return pages->dirty || pages->writeback;
}

#endif
