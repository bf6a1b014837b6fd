/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot as text, for a captured tree of a host that was measured by
 * another source than the module. The figures are in the module's own format
 * (<bufstat/devices.h>); beside them stands what that has no words for.
 */
#ifndef BUFSTAT_SAMPLE_TEXT_H
#define BUFSTAT_SAMPLE_TEXT_H

#include <stdio.h>

struct error;
struct snapshot;
struct sysroot;

/* In a captured tree: the figures of a source, and the rest about it. */
#define SAMPLE_FIGURES "/bufstat/%s/devices"
#define SAMPLE_STATE "/bufstat/%s/state"

/* The devices with pages, and their figures. */
void sample_text_write_figures(FILE *out, const struct snapshot *snapshot);
/* Whether that is all, and the devices that could not be measured. */
void sample_text_write_state(FILE *out, const struct snapshot *snapshot);

/*
 * Reads both for the source @name into an empty @snapshot. Returns 0,
 * -EOPNOTSUPP if @root has none, or as devices_text_parse() does.
 */
int sample_text_read(const struct sysroot *root, const char *name,
		     struct snapshot *snapshot, struct error *err);

#endif
