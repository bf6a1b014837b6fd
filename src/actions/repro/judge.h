/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quantities, and how a verdict follows from them. No I/O.
 *
 * A scenario claims that some quantities grow by at least the pages used and
 * that others do not. For the experiment's own quantities, 90 percent or more
 * is growth and 10 percent or less is none. Anything between decides nothing:
 * the kernel may have reclaimed pages. More than 150 percent, and some
 * readahead, is not what the scenario explains, and decides nothing either. For
 * host-wide quantities, a change is the amount, or none, if it is nearer to
 * that than half of the amount, even after adding all that others moved in the
 * same time while nothing was run. Otherwise it decides nothing.
 */
#ifndef BUFSTAT_JUDGE_H
#define BUFSTAT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The quantities that an experiment measures, all in pages. */
enum quantity {
	/* The experiment's own: nobody else moves them. */
	QUANTITY_DEVICE, /* pages of the device */
	QUANTITY_DEVICE_DIRTY, /* of these, dirty or under writeback */
	QUANTITY_WITNESS, /* pages of the second device */
	QUANTITY_FILE, /* pages of the file that is read or written */
	QUANTITY_FILE_DIRTY, /* of these, dirty or under writeback */
	QUANTITY_BACKING, /* pages of the loop devices' backing files */
	/* Pages of both devices that a trace attributes to processes by name. */
	QUANTITY_DD,
	QUANTITY_FIND,
	/*
	 * Of the ways that are traced through the kernel: the pages that the
	 * one with least added, of those that go through the page cache; those
	 * that the one with most added, of those that pass it by; and for each
	 * function that is missing or should not be there, the amount.
	 */
	QUANTITY_THROUGH,
	QUANTITY_PAST,
	QUANTITY_ASTRAY,
	/* Of the whole host, from /proc/meminfo. */
	QUANTITY_BUFFERS,
	QUANTITY_OTHERS, /* Buffers without the devices above */
	QUANTITY_CACHED, /* without QUANTITY_BACKING */
	QUANTITY_SHMEM,
	QUANTITY_DIRTY, /* Dirty and Writeback */
};

#define QUANTITIES (QUANTITY_DIRTY + 1)

/* Describes a quantity; quantities[] has one for each. */
struct quantity_info {
	const char *name; /* NULL: the device's own name */
	bool is_host_wide;
	/* Stands in if this quantity is unknown: it includes this one, among
	 * others. The quantity itself if nothing does. */
	enum quantity substitute;
};

extern const struct quantity_info quantities[QUANTITIES];
/* In JSON. */
extern const char *const quantity_keys[QUANTITIES];

struct observation {
	int64_t pages[QUANTITIES];
	uint64_t present; /* bit per quantity */
	bool settled; /* Buffers was the same before and after */
	int64_t at_ns; /* CLOCK_MONOTONIC */
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
	observation->present |= UINT64_C(1) << quantity;
}

/*
 * Whether both observations have the quantity. @change is then how many pages
 * the later one has more.
 */
static inline bool observation_change(const struct observation *earlier,
				      const struct observation *later,
				      enum quantity quantity, int64_t *change)
{
	*change = later->pages[quantity] - earlier->pages[quantity];
	return observation_has(earlier, quantity) &&
	       observation_has(later, quantity);
}

enum verdict { VERDICT_CONFIRMED, VERDICT_REFUTED, VERDICT_INCONCLUSIVE };

/* Says whether a quantity grows from the first observation to another. */
struct claim {
	enum quantity quantity;
	unsigned int observation;
	bool grows;
};

enum finding_state {
	FINDING_HOLDS,
	FINDING_CONTRADICTS,
	FINDING_BETWEEN, /* neither growth nor none */
	FINDING_EXCESS, /* far more growth than is claimed */
	FINDING_NOISY, /* the host itself moves too much */
	FINDING_UNKNOWN, /* not measured */
};

struct finding {
	struct claim claim; /* with the quantity that was used in the end */
	enum finding_state state;
	int64_t change_pages;
	int64_t noise_pages; /* what others move in the same time */
	uint64_t amount_pages; /* what it is compared with */
};

struct evidence {
	const struct observation *observations;
	const double *noise_pages_per_ns; /* while nothing was run */
	uint64_t amount_pages; /* pages used */
	/* The amount is a lower bound: a larger change is no noise. */
	bool amount_is_least;
};

/*
 * Judges a claim. If its quantity is unknown, the finding is about the
 * substitute.
 */
struct finding judge_claim(const struct claim *claim,
			   const struct evidence *evidence);

/*
 * One contradiction refutes. If all findings hold, that confirms. @deciding is
 * the index of the finding that decides: the first contradiction, else the
 * first that does not hold, else 0.
 */
enum verdict judge(const struct finding *findings, size_t count,
		   size_t *deciding);

/* The finding's change in percent of the amount. */
double finding_percent(const struct finding *finding);

/* By enum verdict; NULL is the last. */
extern const char *const verdict_names[];

#endif
