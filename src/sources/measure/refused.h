/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_REFUSED_H
#define BUFSTAT_REFUSED_H

#include <stdbool.h>

struct measurement;
struct told;

/*
 * For the commands: says on stderr what the figures lack, and why. With
 * @each_device, also names the devices that could not be measured. @told keeps
 * what the previous sample said from being repeated; it may be NULL
 * (interval.h).
 */
void refused_print(const struct measurement *measurement, bool each_device,
		   struct told *told);

#endif
