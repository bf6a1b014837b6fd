/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that `bufstat explain` speaks of, gathered before a word is written. */
#ifndef BUFSTAT_EXPLAIN_FACTS_H
#define BUFSTAT_EXPLAIN_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "devices/device_rows.h"
#include "filesystems/measured_filesystems.h"
#include "lib/string_list.h"
#include "measure/measure.h"
#include "measure/provenance.h"
#include "names/device_base.h"
#include "names/names.h"
#include "names/openers.h"

struct sysroot;

/* A device that has pages or could not be measured. */
struct explain_device {
	const struct sample *sample;
	struct device_names names;
	struct device_base base;
	const struct opener *openers;
	size_t opener_count;
};

struct explain_facts {
	struct measurement measurement;
	struct report report; /* empty if nothing was measured */
	struct explain_device *devices; /* in the report's order */
	size_t count;
	struct openers openers;
	struct string_list fstypes; /* that are mounted */
	struct provenance provenance;
	struct filesystems filesystems; /* what Cached is made of */
	bool has_filesystems; /* the module could be asked */
};

/*
 * Returns 0 if /proc/meminfo was read, also if no source could be used: then
 * facts->measurement says why. Else a negative errno. The caller deinits @facts
 * in any case.
 */
int explain_facts_init(struct explain_facts *facts, const struct sysroot *root,
		       const char *source, struct error *err);
void explain_facts_deinit(struct explain_facts *facts);

static inline bool explain_is_measured(const struct explain_facts *facts)
{
	return facts->measurement.collected == 0;
}

/* Was all of Buffers asked for, and answered? */
bool explain_is_complete(const struct explain_facts *facts);

#endif
