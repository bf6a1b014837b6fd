/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result for a cgroup, as text and as fields. Looks nothing up. */
#ifndef BUFSTAT_DROP_CGROUP_TEXT_H
#define BUFSTAT_DROP_CGROUP_TEXT_H

#include <stdio.h>

struct drop_cgroup;
struct drop_style;
struct fields;

/*
 * Prints one line, and more for what stayed or would stay. Returns 0 or
 * -ENOMEM.
 */
int drop_cgroup_text_put(FILE *out, const struct drop_cgroup *drop,
			 const struct drop_style *style);

extern const struct fields drop_cgroup_fields;

#endif
