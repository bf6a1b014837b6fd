/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what was measured to a verdict. Pure.
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

#include "quantity.h"

enum verdict { VERDICT_CONFIRMED, VERDICT_REFUTED, VERDICT_INCONCLUSIVE };

/* Of the change of a quantity between the first reading and a later one. */
struct claim {
	enum quantity quantity;
	unsigned int reading;
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
	const struct reading *readings;
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
