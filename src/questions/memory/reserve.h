/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel keeps from programs because a setting was raised. All figures
 * are in pages.
 */
#ifndef BUFSTAT_RESERVE_H
#define BUFSTAT_RESERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_reading;

/* Why the kernel keeps back more than is usual. */
enum reserve_cause {
	RESERVE_USUAL,
	RESERVE_MIN_FREE, /* vm.min_free_kbytes was raised */
	RESERVE_EXTRA_FREE, /* vm.extra_free_kbytes is set */
	RESERVE_WATERMARK_SCALE, /* vm.watermark_scale_factor was raised */
	RESERVE_LOWMEM, /* vm.lowmem_reserve_ratio was lowered */
	RESERVE_CAUSES
};

struct reserve {
	enum reserve_cause cause;
	int64_t pages; /* what it keeps back, beside what the others do */
	int64_t gain; /* of available, at most, when it is as usual */
	/* Pages, or 1/10,000 of memory; of a ratio, what it makes too much. */
	int64_t setting;
	int64_t usual; /* the highest that a kernel chooses by itself here */
};

/*
 * Whether @cause, which is not RESERVE_USUAL, keeps anything back; only then is
 * @reserve set. Looks at the settings and zones in @reading.
 */
bool reserve_has(struct reserve *reserve, const struct memory_reading *reading,
		 enum reserve_cause cause);

/* The cause that keeps most back. */
void reserve_find(struct reserve *reserve,
		  const struct memory_reading *reading);

/*
 * Writes the value that the cause's setting usually has here, in its own unit,
 * as a shell takes it.
 */
void reserve_usual_setting(const struct reserve *reserve,
			   const struct memory_reading *reading, char *text,
			   size_t size);

/* Writes the cause as a sentence without a full stop; "" if it is usual. */
void reserve_text(const struct reserve *reserve,
		  const struct memory_reading *reading, char *text,
		  size_t size);

#endif
