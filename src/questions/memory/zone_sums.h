/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BUFSTAT_ZONE_SUMS_H
#define BUFSTAT_ZONE_SUMS_H

struct memory_fields;
struct zoneinfo;

/* Sets the fields of MEMORY_ZONEINFO, if every zone with pages has them. */
void memory_zones_add_up(const struct zoneinfo *zones,
			 struct memory_fields *fields);

#endif
