/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is measured, and from there to a verdict. Pure.
 *
 * A scenario claims of some quantities that they grow by at least the pages
 * that were used, of others that they do not. Of the experiment's own, 90
 * percent and more is growth, 10 percent and less is none, and what is between
 * decides nothing: the kernel may have taken pages back. Of the whole host's,
 * a change is the amount, or none, if it is nearer to that than half of the
 * amount, even with all that others moved in the same time while nothing was
 * run; else it decides nothing.
 */
#ifndef BUFSTAT_JUDGE_H
#define BUFSTAT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an experiment measures, all of it in pages. */
enum quantity {
	/* The experiment's own: nobody else moves them. */
	QUANTITY_DEVICE, /* pages of the device */
	QUANTITY_DEVICE_DIRTY, /* of these, dirty or being written */
	QUANTITY_WITNESS, /* pages of the second device */
	QUANTITY_FILE, /* pages of the file that is read or written */
	QUANTITY_FILE_DIRTY, /* of these, dirty or being written */
	QUANTITY_BACKING, /* pages of the files below the devices */
	/* Of the whole host, from /proc/meminfo. */
	QUANTITY_BUFFERS,
	QUANTITY_OTHERS, /* Buffers without the devices above */
	QUANTITY_CACHED, /* without QUANTITY_BACKING */
	QUANTITY_SHMEM,
	QUANTITY_DIRTY, /* Dirty and Writeback */
};

#define QUANTITIES (QUANTITY_DIRTY + 1)

/* For an array with a row for each. */
struct quantity_info {
	const char *name; /* NULL: what the device or file is called */
	const char *key; /* in JSON */
	bool is_host_wide;
	/* What shows the same, among other things, where this is not known;
	 * itself if nothing does. */
	enum quantity substitute;
};

extern const struct quantity_info quantities[QUANTITIES];

struct observation {
	int64_t pages[QUANTITIES];
	unsigned int present; /* bit per quantity */
	bool settled; /* Buffers was the same before and after */
	int64_t at_ns; /* of the monotonic clock */
};

static inline bool observation_has(const struct observation *observation,
				   enum quantity quantity)
{
	return observation->present >> quantity & 1;
}

static inline void observation_set(struct observation *observation,
				   enum quantity quantity, int64_t pages)
{
	observation->pages[quantity] = pages;
	observation->present |= 1U << quantity;
}

/* Are both there? Then @change is how much later is more. */
static inline bool observation_change(const struct observation *earlier,
				      const struct observation *later,
				      enum quantity quantity, int64_t *change)
{
	*change = later->pages[quantity] - earlier->pages[quantity];
	return observation_has(earlier, quantity) &&
	       observation_has(later, quantity);
}

enum verdict { VERDICT_CONFIRMED, VERDICT_REFUTED, VERDICT_INCONCLUSIVE };

/* Of the change of a quantity between the first observation and a later one. */
struct claim {
	enum quantity quantity;
	unsigned int observation;
	bool grows;
};

enum finding_state {
	FINDING_HOLDS,
	FINDING_CONTRADICTS,
	FINDING_BETWEEN, /* neither growth nor none */
	FINDING_NOISY, /* the host itself moves too much */
	FINDING_UNKNOWN, /* not measured */
};

struct finding {
	struct claim claim; /* of the quantity that was looked at in the end */
	enum finding_state state;
	int64_t change_pages;
	int64_t noise_pages; /* what others move in the same time */
};

struct evidence {
	const struct observation *observations;
	const double *noise_pages_per_ns; /* while nothing was run */
	uint64_t amount_pages; /* what was used */
	/* More than the amount is no sign of noise: it is a lower bound. */
	bool amount_is_least;
};

struct finding judge_claim(const struct claim *claim,
			   const struct evidence *evidence);

/*
 * One contradiction refutes; all that hold confirm. @deciding is the place of
 * the finding that it rests on: the first unless that one agrees with a later.
 */
enum verdict judge(const struct finding *findings, size_t count,
		   size_t *deciding);

/* Percent of the amount. */
double finding_percent(const struct finding *finding, uint64_t amount_pages);

const char *verdict_name(enum verdict verdict);

#endif
