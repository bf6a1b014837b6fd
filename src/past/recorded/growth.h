/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording says about a time: how much each device, each filesystem and
 * some fields of /proc/meminfo had, who filled them, and where nothing was
 * recorded.
 */
#ifndef BUFSTAT_GROWTH_H
#define BUFSTAT_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/moment.h"
#include "recorded/cache_names.h"
#include "recorded/fills.h"
#include "recorded/gaps.h"

struct error;
struct patience;
struct sysroot;

/* The time that a question to a recording is about: --from and --to. */
struct growth_span {
	int64_t from_ms; /* CLOCK_REALTIME */
	int64_t to_ms;
	bool has_from; /* the user named it: what is missing before is told */
	bool leaves_filesystems;
	int64_t heads_apart_ms; /* also heads of memory, at most so often */
};

/*
 * From the first of two moments until the last, where the clocks had an hour
 * twice. Without @from, the day before @to; without @to, until now. A clock
 * time is the last one that has been, so @to may be on the day before @from. On
 * a captured host, now is when it was captured. Returns 0, or -EINVAL if @to is
 * before @from.
 */
int growth_span_choose(struct growth_span *span, const struct sysroot *root,
		       const struct moment *from, const struct moment *to,
		       struct error *err);

enum growth_kind {
	GROWTH_DEVICE,
	GROWTH_FILESYSTEM,
	/*
	 * A field of /proc/meminfo, the unattributed rest, or a head of memory
	 * (memory_owners_head_key()).
	 */
	GROWTH_MEMORY,
	GROWTH_KINDS
};

struct growth_point {
	int64_t real_ms; /* CLOCK_REALTIME */
	int64_t bytes;
};

/*
 * One that was there, in the order of the recording. A device is the same after
 * a reboot if it has the same name.
 */
struct growth_series {
	enum growth_kind kind;
	unsigned int major;
	unsigned int minor;
	char *name; /* a device's is the kernel's */
	char *label; /* what a device was called at last; NULL: its name */
	struct growth_point *points; /* none: it was filled, but not read */
	size_t count;
	size_t room;
	bool is_seen; /* in the reading that is being taken */
	char *refused; /* why it could not be measured, or NULL */
};

/* What the recorder says it has cost. */
struct growth_cost {
	uint64_t cpu_us; /* processor time */
	uint64_t over_ms; /* in so much time; 0: it says nothing */
	uint64_t resident_kib; /* the most that was resident of it */
};

/* All zero bytes is empty. */
struct growth {
	struct growth_series *series;
	size_t count;
	size_t room;
	struct cache_names names; /* also of what has no series */
	struct fills fills;
	struct gaps gaps;
	struct growth_cost cost;
	size_t readings; /* of devices */
	size_t measured; /* those with a source that answered */
	int64_t first_ms; /* the first and the last of them */
	int64_t last_ms;
	/* Readings that were met after the time asked for, and the latest one. */
	size_t later;
	int64_t latest_ms;
};

/*
 * Reads the recording at @path. Readings of more than six hours are taken once
 * a minute. Returns 0, or a negative errno: -ENODATA if nothing was recorded in
 * the span, -EBUSY if the disk does not answer, -ETIMEDOUT if the user's time
 * is over. The caller deinits in any case.
 */
int growth_read(struct growth *growth, const char *path,
		const struct growth_span *span, struct patience *patience,
		struct error *err);
void growth_deinit(struct growth *growth);

/*
 * What the cache of a device or of a filesystem was called at last, or NULL:
 * its number is all that is known.
 */
const char *growth_cache_name(const struct growth *growth, unsigned int major,
			      unsigned int minor, bool is_bdev);

#endif
