/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_REFUSED_H
#define BUFSTAT_REFUSED_H

#include <stdbool.h>

struct measurement;
struct told;

/*
 * For the commands: says on stderr what is missing from the figures, and why.
 * @each_device: also which devices could not be measured. @told: what the
 * sample before said is not said again; or NULL (interval.h).
 */
void refused_print(const struct measurement *measurement, bool each_device,
		   struct told *told);

#endif
